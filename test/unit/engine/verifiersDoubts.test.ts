// Checks that passed and are not enough by themselves: the judged may not rewrite the judge. A person has to look then.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { workspaceVerifiers } from '../../../src/adapters/verifiers/workspaceVerifiers.ts';
import type { CheckKind, CheckPlan, VerifierPort } from '../../../src/engine/ports.ts';
import { parseSettings } from '../../../src/core/settings.ts';
import type { EventBody } from '../../../src/core/events.ts';
import type { CommandOutcome } from '../../../src/engine/guardedCommand.ts';
import { verifiers, type Verdict } from '../../../src/engine/verifiers.ts';
import { context, memoryWorld, type MemoryWorld } from '../../support/memoryWorld.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function workspaceOf(files: Readonly<Record<string, string>>): string {
  const workspace = mkdtempSync(join(tmpdir(), 'belay-doubts-'));
  folders.push(workspace);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  }
  return workspace;
}

const port = workspaceVerifiers(() => true);
const manifest = (scripts: Readonly<Record<string, string>>): string => JSON.stringify({ scripts });
const passing = { exitCode: 0, stdout: '# pass 3\n# fail 0\n', stderr: '' };

interface Script {
  readonly touched?: readonly string[] | null;
  readonly success?: string;
  readonly stdout?: string;
  readonly plan?: CheckPlan;
  readonly port?: Partial<VerifierPort>;
  readonly whileRunning?: (world: MemoryWorld) => Promise<void>;
}

async function check(
  files: Readonly<Record<string, string>>,
  { touched = ['src/a.js'], success, stdout = passing.stdout, plan, port: other = {}, whileRunning }: Script,
): Promise<Verdict & { readonly events: readonly EventBody[] }> {
  const world = memoryWorld({});
  const events: EventBody[] = [];
  const found = plan ?? { checks: [], lacking: [] };
  const outcome: CommandOutcome = {
    key: 'k',
    level: 'R1',
    state: 'COMMITTED',
    result: 'done',
    ran: true,
    ...passing,
    stdout,
    stdoutBytes: 0,
    stderrBytes: 0,
    background: [],
    prompt: null,
    reason: '',
    text: '',
    isError: false,
  };
  const checks = verifiers({
    ports: {
      clock: world.clock,
      store: world.store,
      verifier: { ...port, plan: () => Promise.resolve(found), ...other },
    },
    run: () => Promise.resolve(outcome),
    workspace: workspaceOf(files),
    env: {},
    settings: parseSettings({}).settings.advanced.verification,
    newId: (prefix) => prefix,
  });
  const scope = {
    context,
    ids: {},
    emit: (body: EventBody) => void events.push(body),
    signal: new AbortController().signal,
  };
  const verdict = checks.check({ level: 'V1', touched, ...(success === undefined ? {} : { success }) }, scope);
  await whileRunning?.(world);
  return { ...(await verdict), events };
}

const tests = (command: string): CheckPlan => ({
  checks: [{ kind: 'tests', verifier: `tests: ${command}`, version: '', command, why: 'test' }],
  lacking: [],
});
const DOUBTED = { passed: false, reached: 'V1', needed: 'V3' } as const;

describe('a check that passed', () => {
  it('is believed where it told its tests and the task did not touch what it does', async () => {
    const verdict = await check({ 'package.json': manifest({ test: 'node --test' }) }, { success: 'npm test' });
    expect(verdict).toMatchObject({ passed: true, reached: 'V1', needed: 'V1', isOwnPassed: true });
  });

  it('is put before a person where the task changed the script that it runs', async () => {
    const files = { 'package.json': manifest({ test: 'true' }) };
    const verdict = await check(files, { success: 'npm test', touched: ['src/a.js', 'package.json'], stdout: '' });
    expect(verdict).toMatchObject({ ...DOUBTED, isOwnPassed: true, quality: 1 });
    expect(verdict.evidence).toBe(
      'npm test: exit code 0; somebody has to look at the result: the task changed package.json, which says what npm test does',
    );
    expect(verdict.events).toMatchObject([
      { check: 'V1', passed: true },
      { check: 'V3', passed: false },
    ]);
    expect(JSON.stringify(verdict.events[1])).toContain('the task changed package.json');
  });

  it('is put before a person where tests told no number', async () => {
    const verdict = await check({}, { plan: tests('npm run test'), stdout: 'ok\n' });
    expect(verdict).toMatchObject(DOUBTED);
    expect(verdict.evidence).toContain('npm run test ended well, but told no number of tests');
  });

  it("is put before a person where the task's own command counted no test", async () => {
    const verdict = await check({}, { success: 'node --test', stdout: '# pass 0\n# fail 0\n' });
    expect(verdict).toMatchObject(DOUBTED);
    expect(verdict.evidence).toContain('no test was run');
  });

  it('is put before a person where nobody knows what the task changed', async () => {
    const verdict = await check({}, { success: 'npm test', touched: null });
    expect(verdict).toMatchObject(DOUBTED);
    expect(verdict.evidence).toContain('the ledger cannot tell what the task changed');
  });

  it('is put before a person where there may be more checks that nobody could see', async () => {
    const verdict = await check(
      {},
      { success: 'make ok', plan: { checks: [], lacking: [], unsure: ['a.json is odd'] } },
    );
    expect(verdict).toMatchObject(DOUBTED);
    expect(verdict.evidence).toContain('a.json is odd');
  });

  it('is put before a person where looking for checks takes for ever', async () => {
    const never = { plan: () => new Promise<CheckPlan>(() => undefined) };
    const wait = (world: MemoryWorld): Promise<void> => world.clock.advance(10_000);
    const verdict = await check({}, { success: 'npm test', port: never, whileRunning: wait });
    expect(verdict).toMatchObject(DOUBTED);
    expect(verdict.evidence).toContain('the checks of the workspace were not found within 10000 ms');
  });

  it('leaves a rejection as it is: the model has to mend it first', async () => {
    const verdict = await check({}, { success: 'npm test', touched: ['package.json'], stdout: '# pass 1\n# fail 1\n' });
    expect(verdict).toMatchObject({ passed: false, reached: 'V0', needed: 'V1' });
  });
});

describe('what a check does is said', () => {
  const definedBy = (
    command: string,
    touched: readonly string[],
    { kind = 'named', files = {} }: { kind?: CheckKind; files?: Readonly<Record<string, string>> } = {},
  ): Promise<readonly string[]> => port.definedBy({ check: { kind, command }, workspace: workspaceOf(files), touched });

  it.each([
    ['npm test', 'package.json'],
    ['npm test', '.npmrc'],
    ['npm test', 'packages/cart/package.json'],
    ['npm test', 'vitest.config.ts'],
    ['npx jest', 'jest.config.js'],
    ['pnpm test', '.mocharc.cjs'],
    ['npm test', 'node_modules/.bin/vitest'],
    ['npm run typecheck', 'tsconfig.base.json'],
    ['npx eslint .', 'eslint.config.js'],
    ['pytest -q', 'pyproject.toml'],
    ['python -m pytest', 'tests/conftest.py'],
    ['cargo test', 'Cargo.toml'],
    ['cargo test', '.cargo/config.toml'],
    ['make check', 'Makefile'],
    ['node check.mjs', 'check.mjs'],
    ['bash ./scripts/check.sh', 'scripts/check.sh'],
    ['./verify', 'verify'],
    ['./verify', 'package.json'],
  ])('for %s in %s', async (command, file) => {
    expect(await definedBy(command, ['src/a.js', file])).toEqual([file]);
  });

  it.each([
    ['npm test', 'src/a.js'],
    ['npm test', 'test/a.test.js'],
    ['npm test', 'docs/package.md'],
    ['cargo test', 'package.json'],
    ['pytest', 'tests/test_a.py'],
  ])('for %s not in %s', async (command, file) => {
    expect(await definedBy(command, [file])).toEqual([]);
  });

  it('in every file that its scripts name, also those that they run themselves', async () => {
    const files = {
      'package.json': manifest({ test: 'npm run -s unit', unit: 'node ./tools/unit.mjs', pretest: 'sh a.sh' }),
    };
    const touched = ['tools/unit.mjs', 'a.sh', 'tools/other.mjs'];
    expect(await definedBy('npm test', touched, { files })).toEqual(['tools/unit.mjs', 'a.sh']);
    expect(await definedBy('npm run test', touched, { kind: 'tests', files })).toEqual(['tools/unit.mjs', 'a.sh']);
  });

  it('not in the files that a check of the workspace only looks at', async () => {
    const command = 'node_modules/.bin/vitest related --run src/a.js';
    expect(await definedBy(command, ['src/a.js'], { kind: 'tests' })).toEqual([]);
  });

  it('for types not in the settings of tests, and for lint not in those of types', async () => {
    expect(await definedBy('npm run typecheck', ['vitest.config.ts'], { kind: 'types' })).toEqual([]);
    expect(await definedBy('npm run lint', ['tsconfig.json'], { kind: 'lint' })).toEqual([]);
  });

  it('in no file that hangs the look', { timeout: 5000 }, async () => {
    const workspace = workspaceOf({});
    execFileSync('mkfifo', [join(workspace, 'package.json')]);
    const check = { kind: 'named', command: 'npm test' } as const;
    expect(await port.definedBy({ check, workspace, touched: ['package.json'] })).toEqual(['package.json']);
  });
});

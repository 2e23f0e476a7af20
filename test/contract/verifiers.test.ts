// V1 with the real programs that this machine has: what is found in a small project is run through the gate and the ledger, and
// its real output becomes reasons; the mended project passes.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { workspaceFiles } from '../../src/adapters/files/workspaceFiles.ts';
import { gatedCommands } from '../../src/adapters/process/gatedCommands.ts';
import { memoryStore } from '../../src/adapters/stores/memoryStore.ts';
import { realClock } from '../../src/adapters/time/realClock.ts';
import { workspaceVerifiers } from '../../src/adapters/verifiers/workspaceVerifiers.ts';
import { settingsPolicy } from '../../src/core/guard/settingsPolicy.ts';
import { reasonText } from '../../src/core/recovery/checks.ts';
import { parseSettings } from '../../src/core/settings.ts';
import { agentTools, type ToolScope } from '../../src/engine/agentTools.ts';
import type { Ports, Question } from '../../src/engine/ports.ts';
import { verifiers, type Verdict } from '../../src/engine/verifiers.ts';
import { must } from '../support/memoryEntries.ts';
import { context } from '../support/memoryWorld.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;
const hasPytest = has('pytest', '--version');
const hasCargo = has('cargo', '--version');

interface Project {
  readonly workspace: string;
  readonly questions: Question[];
  readonly store: ReturnType<typeof memoryStore>;
  write(files: Readonly<Record<string, string>>): void;
  check(touched: readonly string[] | null): Promise<Verdict>;
}

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function project(
  files: Readonly<Record<string, string>>,
  verification: Readonly<Record<string, unknown>> = {},
): Project {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'belay-verify-')));
  folders.push(folder);
  const workspace = join(folder, 'shop');
  mkdirSync(workspace);
  const write: Project['write'] = (texts) => {
    for (const [path, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(workspace, path)), { recursive: true });
      writeFileSync(join(workspace, path), text);
    }
  };
  write(files);
  const questions: Question[] = [];
  const store = memoryStore();
  const ports: Ports = {
    clock: realClock(),
    random: { next: () => 0.5 },
    provider: {
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('unused')) }) }),
    },
    store,
    command: gatedCommands({ directory: join(folder, 'gate') }),
    files: workspaceFiles({ root: workspace, beforeDirectory: join(folder, 'before') }),
    approval: {
      ask: (question) => {
        questions.push(question);
        return Promise.resolve({ choice: 'deny', note: 'not here', by: 'test' });
      },
    },
    events: { emit: () => undefined },
    verifier: workspaceVerifiers(() => true),
  };
  const { settings } = parseSettings({ 'belay.advanced': { verification } });
  const env = Object.fromEntries(
    ['PATH', 'HOME', 'CARGO_HOME', 'RUSTUP_HOME'].flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  );
  const tools = agentTools({
    ports,
    workspace,
    policy: settingsPolicy(settings),
    timeoutMs: 60_000,
    outputLimitBytes: 1_000_000,
    env,
  });
  let ids = 0;
  const checks = verifiers({
    ports,
    run: (request, scope) => tools.run(request, scope),
    workspace,
    env,
    settings: settings.advanced.verification,
    newId: (prefix) => `${prefix}-${++ids}`,
  });
  const scope: ToolScope = {
    context: { ...context, deadlineMs: Date.now() + 120_000 },
    ids: {},
    emit: () => undefined,
    signal: new AbortController().signal,
  };
  return { workspace, questions, store, write, check: (touched) => checks.check({ level: 'V1', touched }, scope) };
}

/** The tools that this repository has, also in the project. */
function withTools(made: Project): Project {
  symlinkSync(join(REPOSITORY, 'node_modules'), join(made.workspace, 'node_modules'));
  return made;
}

const told = ({ reasons }: Verdict): readonly string[] => reasons.map(reasonText);

/** Compilers start slowly on a busy machine. */
const SLOW = { timeout: 180_000 };

describe('a project in TypeScript', SLOW, () => {
  const files = {
    'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
    'tsconfig.json':
      '{"compilerOptions":{"strict":true,"noEmit":true,"module":"nodenext","allowJs":true,"checkJs":false,"types":[]},"include":["src"]}',
    'eslint.config.js': "export default [{ rules: { 'no-unused-vars': 'error' } }];",
    'src/price.ts': "export const cents: number = 'three';\n",
    'src/sum.js': 'export const sum = (a, b) => {\n  const spare = 1;\n  return a - b;\n};\n',
    'src/old.js': 'const unused = 1;\n',
    'test/sum.test.js':
      "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { sum } from '../src/sum.js';\ntest('adds', () => assert.equal(sum(1, 2), 3));\n",
  };

  it('is rejected by compiler, linter and tests, each with its place, and passes when it is mended', async () => {
    const made = withTools(project(files));
    const touched = ['src/price.ts', 'src/sum.js'];
    const verdict = await made.check(touched);
    expect(told(verdict)).toEqual([
      "type TS2322 (src/price.ts:1): Type 'string' is not assignable to type 'number'.",
      "lint no-unused-vars (src/sum.js:2): 'spare' is assigned a value but never used.",
      expect.stringMatching(/^test "adds" \(test\/sum\.test\.js:4\): AssertionError .*-1 !== 3$/),
    ]);
    expect(verdict).toMatchObject({ passed: false, reached: 'V0', quality: 0 });
    expect(verdict.results.map(({ verifier }) => verifier)).toEqual([
      'types: typescript',
      'lint: eslint',
      'tests: npm run test',
    ]);
    expect(verdict.results[0]?.version).toMatch(/^\d+\.\d+\.\d+ \(checks 1, readers 2\)$/);
    made.write({
      'src/price.ts': 'export const cents: number = 3;\n',
      'src/sum.js': 'export const sum = (a, b) => a + b;\n',
    });
    expect(await made.check(touched)).toMatchObject({ passed: true, reached: 'V1', quality: 1, reasons: [] });
    // Every run has an entry of its own in the ledger.
    const entries = must(await made.store.entries({ task: context.task }));
    expect(entries.map(({ tool, level, state }) => `${tool} ${level} ${state}`).sort()).toEqual([
      'check R0 COMMITTED',
      'check R0 COMMITTED',
      'check R0 FAILED',
      'check R0 FAILED',
      'check R1 COMMITTED',
      'check R1 FAILED',
    ]);
    expect(made.questions).toEqual([]);
  });
});

describe('a project with Vitest', SLOW, () => {
  it('is judged by the tests that have to do with the touched file', async () => {
    const test = (word: string, wanted: number): string =>
      `import { expect, it } from 'vitest';\nimport { ${word} } from './${word}.js';\nit('${word} is right', () => expect(${word}).toBe(${wanted}));\n`;
    const made = withTools(
      project({
        'package.json': '{"type":"module","scripts":{"test":"vitest run"}}',
        'one.js': 'export const one = 1;\n',
        'two.js': 'export const two = 3;\n',
        'one.test.js': test('one', 1),
        'two.test.js': test('two', 2),
      }),
    );
    expect(await made.check(['one.js'])).toMatchObject({ passed: true, quality: 1 });
    const verdict = await made.check(['two.js']);
    expect(told(verdict)).toEqual([
      'test "two is right" (two.test.js:3): AssertionError: expected 3 to be 2 // Object.is equality',
    ]);
  });
});

describe('a project in Python', SLOW, () => {
  it.skipIf(!hasPytest)('is judged by pytest', async () => {
    const made = project({ 'pytest.ini': '[pytest]\n', 'test_sum.py': 'def test_adds():\n    assert 1 - 2 == 3\n' });
    expect(told(await made.check(['test_sum.py']))).toEqual(['test "test_adds" (test_sum.py:2): assert (1 - 2) == 3']);
    made.write({ 'test_sum.py': 'def test_adds():\n    assert 1 + 2 == 3\n' });
    expect(await made.check(['test_sum.py'])).toMatchObject({ passed: true, quality: 1 });
  });

  it.skipIf(!hasPytest)('has not passed where there is no test', async () => {
    const made = project({ 'pytest.ini': '[pytest]\n' });
    expect(await made.check(null)).toMatchObject({ passed: false });
  });
});

describe('a project in Rust', SLOW, () => {
  it.skipIf(!hasCargo)('is judged by cargo test', async () => {
    const source = (sign: string): string =>
      `pub fn sum(a: i64, b: i64) -> i64 {\n    a ${sign} b\n}\n#[test]\nfn adds() {\n    assert_eq!(sum(1, 2), 3);\n}\n`;
    const made = project({
      'Cargo.toml': '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs': source('-'),
    });
    const verdict = await made.check(['src/lib.rs']);
    expect(told(verdict)).toEqual(['test "adds" (src/lib.rs:6): assertion `left == right` failed left: -1 right: 3']);
    expect(verdict.quality).toBe(0);
  });
});

describe('a named check', () => {
  it('that the guard does not know to be harmless is put before a person, and without a yes it has not passed', async () => {
    const made = project({ 'deploy.js': 'process.exit(0)' }, { commands: ['node deploy.js'] });
    const verdict = await made.check(null);
    expect(made.questions).toMatchObject([{ kind: 'command', title: 'node deploy.js' }]);
    expect(verdict.passed).toBe(false);
    expect(told(verdict)).toEqual([expect.stringContaining('not here')]);
  });

  it('that does not end in time is stopped with all that it started, and has not passed', async () => {
    const made = project(
      { 'package.json': '{"scripts":{"test":"sleep 61.77 & sleep 62.77; true"}}' },
      { timeoutMs: 2500 },
    );
    const startedMs = performance.now();
    const verdict = await made.check(null);
    expect(performance.now() - startedMs).toBeLessThan(20_000);
    expect(verdict.passed).toBe(false);
    expect(told(verdict)).toEqual([expect.stringContaining('time limit')]);
    expect(spawnSync('pgrep', ['-f', 'sleep 6[12].77$']).stdout.toString()).toBe('');
  });
});

// Errors of types that were there before excuse only a run that was wholly read.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedOutput } from '../../../src/adapters/process/boundedOutput.ts';
import { workspaceVerifiers } from '../../../src/adapters/verifiers/workspaceVerifiers.ts';
import { reasonText } from '../../../src/core/recovery/checks.ts';
import { parseSettings } from '../../../src/core/settings.ts';
import type { CommandOutcome } from '../../../src/engine/guardedCommand.ts';
import type { CheckPlan } from '../../../src/engine/ports.ts';
import { verifiers, type Verdict } from '../../../src/engine/verifiers.ts';
import { context, memoryWorld, WORKSPACE } from '../../support/memoryWorld.ts';

interface Run {
  readonly exitCode: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

const nothing: CommandOutcome = {
  key: 'k',
  level: 'R1',
  state: 'COMMITTED',
  result: 'done',
  ran: true,
  exitCode: 0,
  stdout: '',
  stderr: '',
  stdoutBytes: 0,
  stderrBytes: 0,
  background: [],
  prompt: null,
  reason: '',
  text: '',
  isError: false,
};
const { settings } = parseSettings({});

/** The check of types before a change and after it. `commands`: what it is called then and now. */
async function checkTwice(
  first: Run,
  second: Run,
  commands: readonly [string, string] = ['tsc', 'tsc'],
): Promise<Verdict> {
  const world = memoryWorld({});
  let nth = -1;
  const plan = (): Promise<CheckPlan> => {
    nth++;
    const command = commands[nth] ?? 'tsc';
    return Promise.resolve({
      checks: [{ kind: 'types', verifier: 'types: tsc', version: '', command, why: 'test' }],
      lacking: [],
    });
  };
  const checks = verifiers({
    ports: { clock: world.clock, store: world.store, verifier: { ...workspaceVerifiers(() => true), plan } },
    run: () => Promise.resolve({ ...nothing, ...(nth === 0 ? first : second) }),
    workspace: WORKSPACE,
    env: {},
    settings: settings.advanced.verification,
    newId: (prefix) => prefix,
  });
  const scope = { context, ids: {}, emit: () => undefined, signal: new AbortController().signal };
  const before = await checks.typesNow(scope);
  return checks.check({ level: 'V1', touched: ['src/a.ts'], before }, scope);
}

const OLD = "src/a.ts(4,9): error TS2322: Type 'number' is not assignable to type 'string'.\n";
const old: Run = { exitCode: 2, stdout: OLD };
const told = ({ reasons }: Verdict): readonly string[] => reasons.map(reasonText);

describe('errors of types that were there before', () => {
  it('are excused where nothing else was printed and the exit code is the same', async () => {
    const verdict = await checkTwice(old, { exitCode: 2, stdout: OLD.replace('(4,', '(9,') });
    expect(verdict).toMatchObject({ passed: true, reasons: [] });
    expect(verdict.evidence).toContain('1 of them were there before');
  });

  it("are excused below a package manager's own lines", async () => {
    const stdout = `\n> shop@1.0.0 typecheck\n> tsc --noEmit\n\n${OLD}`;
    expect(await checkTwice({ exitCode: 2, stdout }, { exitCode: 2, stdout })).toMatchObject({ passed: true });
  });

  it('excuse one each', async () => {
    const verdict = await checkTwice(old, { exitCode: 2, stdout: OLD + OLD.replace('(4,', '(9,') });
    expect(verdict.passed).toBe(false);
    expect(verdict.reasons).toHaveLength(1);
  });

  it('excuse one each, also two of one line', async () => {
    const stdout = OLD + OLD.replace(',9)', ',30)');
    expect(await checkTwice(old, { exitCode: 2, stdout })).toMatchObject({ passed: false });
    expect(await checkTwice({ exitCode: 2, stdout }, { exitCode: 2, stdout })).toMatchObject({ passed: true });
  });

  it('hide no new one among a hundred', async () => {
    const many = Array.from({ length: 100 }, (_, n) => `src/b${n}.ts(1,1): error TS2304: Cannot find name 'x${n}'.\n`);
    const stdout = many.join('');
    const verdict = await checkTwice({ exitCode: 2, stdout }, { exitCode: 2, stdout: stdout + OLD });
    expect(verdict.passed).toBe(false);
    expect(verdict.reasons.map(({ name }) => name)).toEqual(['TS2322']);
  });

  it('hide no new one in the part of a long output that was left out', async () => {
    const kept = (lines: readonly string[]): string => {
      const output = boundedOutput(settings.advanced.limits.outputLimitBytes);
      output.push(Buffer.from(`${lines.join('\n')}\n`));
      return output.text();
    };
    const lines = Array.from(
      { length: 4000 },
      (_, i) => `src/file${i}.ts(1,1): error TS2322: Type 'string' is not assignable to type 'number' in module ${i}.`,
    );
    const verdict = await checkTwice(
      { exitCode: 2, stdout: kept(lines) },
      { exitCode: 2, stdout: kept(lines.toSpliced(2000, 0, OLD.trim())) },
    );
    expect(verdict.passed).toBe(false);
    expect(told(verdict)).toEqual([expect.stringMatching(/^exit tsc: exit code 2: not all .* bytes left out\]/)]);
  });

  it.each([
    [
      'a second step failed with other words',
      { exitCode: 2, stdout: `${OLD}boundaries: core imports fs\n` },
      'boundaries',
    ],
    ['another step failed without a word', { exitCode: 1, stdout: OLD }, 'was 2 then and is 1 now'],
    ['the error stream tells more', { exitCode: 2, stdout: OLD, stderr: 'cannot load plugin\n' }, 'cannot load plugin'],
    ['a mask may hide lines', { exitCode: 2, stdout: `${OLD}src/b.ts(1,1): error TS1: [secret]\n` }, 'masked'],
  ])('do not excuse a run of which %s', async (_, second, why) => {
    const verdict = await checkTwice(old, second);
    expect(verdict.passed).toBe(false);
    expect(told(verdict).at(-1)).toMatch(/^exit tsc: /);
    expect(told(verdict).at(-1)).toContain(why);
  });

  it.each([134, 137, 139, 3221225477])(
    'do not excuse a compiler that was ended with exit code %i',
    async (exitCode) => {
      expect(await checkTwice({ exitCode, stdout: OLD }, { exitCode, stdout: OLD })).toMatchObject({ passed: false });
      expect(await checkTwice({ exitCode }, { exitCode })).toMatchObject({ passed: false });
    },
  );

  it('do not excuse what another command says', async () => {
    expect(await checkTwice(old, old, ['tsc', 'npm run typecheck'])).toMatchObject({ passed: false });
  });

  it('never excuse a run that prints anything more, whatever it is and wherever it stands', async () => {
    const line = fc.string({ minLength: 1, maxLength: 60 }).filter((text) => text.trim() !== '');
    await fc.assert(
      fc.asyncProperty(line, fc.boolean(), async (text, isFirst) => {
        const stdout = isFirst ? `${text}\n${OLD}` : `${OLD}${text}\n`;
        expect((await checkTwice(old, { exitCode: 2, stdout })).passed).toBe(false);
      }),
      { numRuns: 200 },
    );
  });
});

// V1 as the engine runs it: what is run, how it fails closed, and what comes of the answers. The commands are played.
import { describe, expect, it } from 'vitest';
import { workspaceVerifiers } from '../../../src/adapters/verifiers/workspaceVerifiers.ts';
import type { EventBody } from '../../../src/core/events.ts';
import { reasonText } from '../../../src/core/recovery/checks.ts';
import { parseSettings } from '../../../src/core/settings.ts';
import type { CommandRequest, ToolScope } from '../../../src/engine/agentTools.ts';
import type { CommandOutcome } from '../../../src/engine/guardedCommand.ts';
import type { CheckPlan, CheckPlanRequest, PlannedCheck, VerifierPort } from '../../../src/engine/ports.ts';
import { verifiers, type Verifiers } from '../../../src/engine/verifiers.ts';
import { intentOf, must } from '../../support/memoryEntries.ts';
import { context, editInput, memoryWorld, WORKSPACE } from '../../support/memoryWorld.ts';
import { applyGuardedEdit } from '../../../src/engine/guardedEdit.ts';

type Played = Partial<Pick<CommandOutcome, 'exitCode' | 'stdout' | 'stderr' | 'reason' | 'ran'>> & {
  readonly takesMs?: number;
};

interface Bench {
  readonly checks: Verifiers;
  readonly scope: ToolScope;
  readonly ran: CommandRequest[];
  readonly events: EventBody[];
  readonly planned: CheckPlanRequest[];
  readonly world: ReturnType<typeof memoryWorld>;
}

const check = (kind: PlannedCheck['kind'], command: string, more: Partial<PlannedCheck> = {}): PlannedCheck => ({
  kind,
  verifier: `${kind}: tool`,
  version: '1.2.3',
  command,
  why: 'test',
  ...more,
});

/** `outcomes`: by command; a command that is not there ends well. */
function bench(
  plan: Partial<CheckPlan> | null,
  outcomes: Readonly<Record<string, Played>> = {},
  verification: Readonly<Record<string, unknown>> = {},
): Bench {
  const world = memoryWorld({ files: { 'a.ts': 'one\n' } });
  const ran: CommandRequest[] = [];
  const events: EventBody[] = [];
  const planned: CheckPlanRequest[] = [];
  const port: VerifierPort = {
    ...workspaceVerifiers(() => true),
    plan: (request) => {
      planned.push(request);
      return Promise.resolve({ checks: plan?.checks ?? [], lacking: plan?.lacking ?? [] });
    },
  };
  let ids = 0;
  const checks = verifiers({
    ports: { clock: world.clock, store: world.store, ...(plan ? { verifier: port } : {}) },
    run: async (request) => {
      ran.push(request);
      const { takesMs = 0, ...played } = outcomes[request.command] ?? {};
      if (takesMs > 0) await world.clock.advance(takesMs);
      const text = `${played.stdout ?? ''}${played.stderr ?? ''}`;
      return { ...nothing, exitCode: 0, ran: true, ...played, text };
    },
    workspace: WORKSPACE,
    env: {},
    settings: parseSettings({ 'belay.advanced': { verification } }).settings.advanced.verification,
    newId: (prefix) => `${prefix}-${++ids}`,
  });
  const scope: ToolScope = {
    context,
    ids: {},
    emit: (body) => events.push(body),
    signal: new AbortController().signal,
  };
  return { checks, scope, ran, events, planned, world };
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
const TYPE_ERROR = "src/a.ts(4,9): error TS2322: Type 'number' is not assignable to type 'string'.\n";
const tsc = check('types', 'tsc --noEmit');

describe('V1', () => {
  it('passes where every check that was found really ended well', async () => {
    const { checks, scope, ran, events } = bench({ checks: [tsc, check('lint', 'eslint')] });
    const verdict = await checks.check({ level: 'V1', touched: ['a.ts'], success: 'npm test' }, scope);
    expect(verdict).toMatchObject({ passed: true, reached: 'V1', quality: 1, reasons: [] });
    expect(ran.map(({ command }) => command)).toEqual(['npm test', 'tsc --noEmit', 'eslint']);
    expect(events).toEqual([
      {
        type: 'verification-finished',
        check: 'V1',
        passed: true,
        evidence: 'npm test: exit code 0; tsc --noEmit: exit code 0; eslint: exit code 0',
      },
    ]);
    expect(verdict.results[1]).toMatchObject({
      verifier: 'types: tool',
      version: '1.2.3 (checks 1, readers 2)',
      check: 'V1',
    });
  });

  it('rejects with the reasons that the output gives, by name, file, line and message', async () => {
    const { checks, scope } = bench({ checks: [tsc] }, { 'tsc --noEmit': { exitCode: 2, stdout: TYPE_ERROR } });
    const verdict = await checks.check({ level: 'V1', touched: [] }, scope);
    expect(verdict).toMatchObject({ passed: false, reached: 'V0' });
    expect(verdict.reasons).toEqual([
      {
        kind: 'type',
        name: 'TS2322',
        file: 'src/a.ts',
        line: 4,
        message: "Type 'number' is not assignable to type 'string'.",
      },
    ]);
    expect(verdict.output).toBe(TYPE_ERROR);
  });

  it("runs the task's own command as one action of its step, and each check of the workspace anew", async () => {
    const { checks, scope, ran } = bench({ checks: [tsc] });
    await checks.check({ level: 'V1', touched: [], success: 'npm test' }, scope);
    await checks.check({ level: 'V1', touched: [], success: 'npm test' }, scope);
    expect(ran.map(({ tool, toolCall }) => [tool, toolCall])).toEqual([
      ['verify', undefined],
      ['check', 'check-1'],
      ['verify', undefined],
      ['check', 'check-2'],
    ]);
  });

  it("takes the task's own command for the tests of the workspace, and runs no command twice", async () => {
    const { checks, scope, ran } = bench({ checks: [check('tests', 'npm run test'), check('named', 'make ok')] });
    await checks.check({ level: 'V1', touched: [], success: 'make ok' }, scope);
    expect(ran.map(({ command }) => command)).toEqual(['make ok']);
  });

  it.each([
    ['was denied', { exitCode: null, ran: false, reason: 'Not run: a person said no.' }, 'a person said no'],
    ['was stopped', { exitCode: null, reason: 'stopped after its time limit' }, 'time limit'],
  ])('has not passed where a check %s, and says so', async (_, played, why) => {
    const { checks, scope } = bench({ checks: [tsc] }, { 'tsc --noEmit': played });
    const verdict = await checks.check({ level: 'V1', touched: [], success: 'npm test' }, scope);
    expect(verdict.passed).toBe(false);
    expect(verdict.reasons.map(({ kind }) => kind)).toEqual(['not-run']);
    expect(verdict.evidence).toContain(why);
  });

  it('starts nothing when its time is used up, and has then not passed', async () => {
    const slow = check('tests', 'slow');
    const { checks, scope, ran } = bench({ checks: [slow, tsc] }, { slow: { takesMs: 5000 } }, { timeoutMs: 5500 });
    const verdict = await checks.check({ level: 'V1', touched: [] }, scope);
    expect(ran.map(({ command, timeoutMs }) => [command, timeoutMs])).toEqual([['slow', 5500]]);
    expect(verdict.passed).toBe(false);
    expect(verdict.evidence).toContain('tsc --noEmit was not run: no time is left for it');
  });

  it('gives no check longer than the deadline of the task', async () => {
    const { checks, scope, ran, world } = bench({ checks: [tsc] });
    const deadlineMs = world.clock.nowMs() + 7000;
    await checks.check({ level: 'V1', touched: [] }, { ...scope, context: { ...context, deadlineMs } });
    expect(ran[0]?.timeoutMs).toBe(7000);
  });

  it('has not passed where nothing at all could be run, and names what is missing', async () => {
    const { checks, scope, events } = bench({ lacking: [{ kind: 'types', reason: 'typescript is not installed' }] });
    const verdict = await checks.check({ level: 'V1', touched: [] }, scope);
    expect(verdict).toMatchObject({ passed: false, reached: 'V0' });
    expect(verdict.reasons.map(reasonText)).toEqual([
      'not-run V1: no check of the workspace could be run; not run: typescript is not installed',
    ]);
    expect(events).toMatchObject([{ type: 'verification-finished', check: 'V1', passed: false }]);
  });

  it('mentions a tool that is not installed, and passes by what is', async () => {
    const { checks, scope } = bench({ lacking: [{ kind: 'types', reason: 'typescript is not installed' }] });
    const verdict = await checks.check({ level: 'V1', touched: [], success: 'npm test' }, scope);
    expect(verdict.passed).toBe(true);
    expect(verdict.evidence).toBe('npm test: exit code 0; not run: typescript is not installed');
  });

  it('takes a run of no tests for no evidence', async () => {
    const none = { exitCode: 0, stdout: 'ℹ tests 0\nℹ pass 0\nℹ fail 0\n' };
    const alone = bench({ checks: [check('tests', 'node --test')] }, { 'node --test': none });
    expect(await alone.checks.check({ level: 'V1', touched: [] }, alone.scope)).toMatchObject({
      passed: false,
      evidence: 'node --test ended well, but no test was run',
    });
    const beside = bench({ checks: [check('tests', 'node --test'), tsc] }, { 'node --test': none });
    expect(await beside.checks.check({ level: 'V1', touched: [] }, beside.scope)).toMatchObject({
      passed: false,
      reached: 'V1',
      needed: 'V3',
    });
  });

  it('runs all tests where no test has to do with the touched files', async () => {
    const narrow = check('tests', 'vitest related a.ts', { wide: 'npm run test' });
    const none = { exitCode: 0, stdout: ' Test Files  0 passed\n      Tests  no tests\n' };
    const { checks, scope, ran } = bench(
      { checks: [narrow] },
      { 'vitest related a.ts': none, 'npm run test': { exitCode: 1, stdout: 'no\n' } },
    );
    const verdict = await checks.check({ level: 'V1', touched: ['a.ts'] }, scope);
    expect(ran.map(({ command }) => command)).toEqual(['vitest related a.ts', 'npm run test']);
    expect(verdict.passed).toBe(false);
  });

  it('tells the share of tests that passed as the quality, the least of all checks', async () => {
    const stdout = '=== 1 failed, 3 passed in 0.10s ===\nFAILED test_a.py::test_b - assert 1 == 2\n';
    const { checks, scope } = bench({ checks: [tsc, check('tests', 'pytest')] }, { pytest: { exitCode: 1, stdout } });
    expect((await checks.check({ level: 'V1', touched: [] }, scope)).quality).toBe(0.75);
  });

  it('has not passed where the output counts failures, whatever the exit code', async () => {
    const stdout = ' Test Files  1 failed (1)\n      Tests  1 failed | 3 passed (4)\n';
    const { checks, scope } = bench({}, { 'npm test': { exitCode: 0, stdout } });
    const verdict = await checks.check({ level: 'V1', touched: [], success: 'npm test' }, scope);
    expect(verdict).toMatchObject({ passed: false, reached: 'V0', isOwnPassed: false, quality: 0.75 });
    expect(verdict.evidence).toContain('npm test: exit code 0, 4 tests; test');
  });

  it('shows no secret in its reasons and evidence', async () => {
    const stdout = 'panic: login failed with password=hunter2hunter2\n';
    const { checks, scope, events } = bench({ checks: [tsc] }, { 'tsc --noEmit': { exitCode: 1, stdout } });
    const verdict = await checks.check({ level: 'V1', touched: [] }, scope);
    expect(JSON.stringify([verdict.reasons, verdict.evidence, events])).not.toContain('hunter2');
  });

  it('shows no key of a command in anything that is told, and knows the command all the same', async () => {
    const success = 'TOKEN=hunter2hunter2 npm test -- --api-key sk-live0123456789abcdef';
    const named = 'curl --token hunter2hunter2 localhost';
    const outcomes = { [success]: { exitCode: null, reason: 'no --password hunter2hunter2' } };
    for (const played of [{}, outcomes, { [named]: { exitCode: 1 } }]) {
      const { checks, scope, events, ran } = bench({}, played, { commands: [named] });
      const verdict = await checks.check({ level: 'V1', touched: ['package.json'], success }, scope);
      expect(JSON.stringify([verdict, events])).not.toMatch(/hunter2|sk-live/);
      expect(ran.map(({ command }) => command)).toEqual([success, named]);
      expect(verdict.isOwnPassed).toBe(played !== outcomes);
    }
  });

  it('reads exit code and last lines without a verifier port', async () => {
    const { checks, scope } = bench(null, { make: { exitCode: 2, stderr: 'no rule' } });
    const verdict = await checks.check({ level: 'V1', touched: [], success: 'make' }, scope);
    expect(verdict.reasons.map(reasonText)).toEqual(['exit make: exit code 2: no rule']);
  });
});

describe('the settings', () => {
  it('name commands that are run instead of what is found', async () => {
    const { checks, scope, ran, planned } = bench({ checks: [tsc] }, {}, { commands: ['make check'] });
    await checks.check({ level: 'V1', touched: [] }, scope);
    expect(ran.map(({ command }) => command)).toEqual(['make check']);
    expect(planned).toEqual([]);
  });

  it("switch the search off: then only the task's own command is run, and without one nothing passes", async () => {
    const { checks, scope, ran } = bench({ checks: [tsc] }, {}, { isFound: false });
    expect(await checks.check({ level: 'V1', touched: [], success: 'npm test' }, scope)).toMatchObject({
      passed: true,
    });
    expect(ran.map(({ command }) => command)).toEqual(['npm test']);
    const verdict = await checks.check({ level: 'V1', touched: [] }, scope);
    expect(verdict.passed).toBe(false);
    expect(verdict.evidence).toContain('isFound is off');
  });
});

describe('a level', () => {
  it.each(['V2', 'V3'] as const)('of %s has not passed, whatever V1 says, since it is not built in', async (level) => {
    const { checks, scope, events } = bench({ checks: [tsc] });
    const verdict = await checks.check({ level, touched: [] }, scope);
    expect(verdict).toMatchObject({ passed: false, reached: 'V1' });
    expect(verdict.reasons).toMatchObject([{ kind: 'not-run', name: level }]);
    expect(verdict.evidence).toContain(`${level} is required, but`);
    expect(events).toMatchObject([
      { check: 'V1', passed: true },
      { check: level, passed: false },
    ]);
  });

  it('of V0 runs nothing: the answer itself was looked at', async () => {
    const { checks, scope, ran } = bench({ checks: [tsc] });
    expect(await checks.check({ level: 'V0', touched: [], success: 'npm test' }, scope)).toMatchObject({
      passed: true,
    });
    expect(ran).toEqual([]);
  });
});

describe('the touched files', () => {
  it('are package.json where a package manager was told to rewrite it', async () => {
    const { checks, world } = bench({});
    for (const [key, command] of [
      ['one', 'npm pkg set scripts.test=true'],
      ['two', 'npm view x'],
    ] as const) {
      const intent = { ...intentOf(key, 'R2'), task: 'k', argsText: JSON.stringify({ command, shell: 'bash' }) };
      must(await world.store.write({ prepare: intent }));
    }
    expect(await checks.touched('k')).toEqual(['package.json']);
  });

  it("are those of the ledger's edits, without what did not happen", async () => {
    const { checks, world } = bench({});
    must({ ok: true, value: await applyGuardedEdit(world.ports, editInput(world, 'a.ts', 'one', 'two')) });
    await applyGuardedEdit(world.ports, editInput(world, 'a.ts', 'nowhere', 'three'));
    expect(await checks.touched('task-1')).toEqual(['a.ts']);
    expect(await checks.touched('another task')).toEqual([]);
  });
});

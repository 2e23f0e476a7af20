// What is decided, done and told when a guarded command did not do what was asked: by level, by what the ledger says of it, and
// by what could stand in. Everything through the real ledger of the memory world; the commands are played.
import { describe, expect, it } from 'vitest';
import type { RequestContext } from '../../../src/core/context.ts';
import type { EventBody } from '../../../src/core/events.ts';
import { parseSettings } from '../../../src/core/settings.ts';
import { BudgetBook } from '../../../src/engine/budgetBook.ts';
import type { CommandOutcome } from '../../../src/engine/effectOutcome.ts';
import { runGuardedCommand, type GuardedCommandInput } from '../../../src/engine/guardedCommand.ts';
import type { EffectPorts } from '../../../src/engine/effectEntry.ts';
import { TaskFaults } from '../../../src/engine/taskFaults.ts';
import type { ToolRecovery } from '../../../src/engine/toolDecision.ts';
import type { Fate } from '../../support/memoryCommands.ts';
import { assessed, commandInput, context, memoryWorld, type MemoryWorld } from '../../support/memoryWorld.ts';
import { seededRandom } from '../../support/random.ts';

type Decided = Extract<EventBody, { type: 'decision-made' }>;

const APPEND = 'echo a >> log.txt';
const exited = (exitCode: number, more: Partial<Fate> = {}): Fate => ({
  acts: exitCode === 0,
  exit: { kind: 'exited', exitCode, signal: null },
  ...more,
});
const timedOut = (acts = false): Fate => ({ acts, exit: { kind: 'killed', because: 'timeout' } });

interface Bench {
  readonly world: MemoryWorld;
  readonly recovery: ToolRecovery;
  /** Runs a command in a step of its own and answers what it came to. */
  readonly run: (command: string, more?: Partial<GuardedCommandInput>) => Promise<CommandOutcome>;
  readonly decisions: () => readonly Decided[];
  /** `action rule` of every decision. */
  readonly decided: () => readonly string[];
}

interface BenchOptions {
  readonly fates?: readonly Fate[];
  readonly advanced?: Record<string, unknown>;
  readonly context?: Partial<RequestContext>;
  readonly ports?: Partial<EffectPorts>;
  readonly answer?: 'allow' | 'deny';
}

function bench(options: BenchOptions = {}): Bench {
  const list = [...(options.fates ?? [])];
  const answer = options.answer ?? 'deny';
  const world = memoryWorld({ files: { 'log.txt': 'x\n' }, fate: () => list.shift() ?? exited(0), answer });
  const settings = parseSettings({ 'belay.advanced': options.advanced ?? {} }).settings.advanced;
  const budgets = new BudgetBook(world.store, settings.retry);
  const recovery: ToolRecovery = { budgets, faults: new TaskFaults(), settings, random: seededRandom(3) };
  const decisions = (): readonly Decided[] =>
    world.events.flatMap((body) => (body.type === 'decision-made' ? [body] : []));
  let step = 0;
  return {
    world,
    recovery,
    run: (command, more = {}) => {
      const own = { ...context, ...options.context, step: ++step };
      const input = commandInput(world, command, { context: own, assessment: assessed('R0'), recovery, ...more });
      return world.clock.run(runGuardedCommand({ ...world.ports, ...options.ports }, input));
    },
    decisions,
    decided: () => decisions().map(({ action, rule }) => `${action} ${rule}`),
  };
}
const R = (level: 'R1' | 'R2' | 'R3'): Partial<GuardedCommandInput> => ({ assessment: assessed(level) });

describe('a read that failed', () => {
  it('by a time limit is run once more by Belay, for a token, and told as run twice', async () => {
    const { run, world, decided, decisions, recovery } = bench({ fates: [timedOut(), exited(0, { stdout: 'found' })] });
    const outcome = await run('rg price');
    expect(outcome).toMatchObject({ result: 'done', stdout: 'found', isError: false });
    expect(world.commands.released).toHaveLength(2);
    expect(new Set(world.commands.released).size).toBe(1);
    expect(decided()).toEqual(['RETRY T3/retry']);
    expect(decisions()[0]).toMatchObject({
      fault: { class: 'T3' },
      effect: { key: outcome.key, title: 'rg price', level: 'R0' },
      rung: 'L0',
    });
    expect(decisions()[0]!.rulesVersion).toMatch(/^classify [\d.]+, decide [\d.]+ document [0-9a-f]{8}$/);
    expect(recovery.budgets.taskBudget(context.task).taskUsed).toBe(1);
    expect(outcome.text).toContain(
      'Belay ran it twice, since it only reads; the first time: stopped after its time limit',
    );
  });

  it('twice is not run a third time: less is asked for, and no token is taken for what the agent does', async () => {
    const { run, world, decided, recovery } = bench({ fates: [timedOut(), timedOut()] });
    const outcome = await run('rg price');
    expect(world.commands.released).toHaveLength(2);
    expect(decided()).toEqual(['RETRY T3/retry', 'DEGRADE_SCOPE T3/degrade']);
    expect(outcome.text).toContain('ask for less at a time');
    expect(recovery.budgets.taskBudget(context.task).taskUsed).toBe(1);
  });

  it.each([
    ['T1/retry', 'curl: (6) Could not resolve host: example.org'],
    ['T2/retry', 'HTTP 429: too many requests'],
  ])('is run once more where its output tells of something that passes (%s)', async (rule, stderr) => {
    const { run, world, decided } = bench({ fates: [exited(6, { stderr }), exited(0)] });
    expect((await run('curl http://example.org')).result).toBe('done');
    expect(world.commands.released).toHaveLength(2);
    expect(decided()).toEqual([`RETRY ${rule}`]);
  });

  it('and died of a signal is probed once, since nobody knows why', async () => {
    const { run, decided, world } = bench({ fates: [exited(139), exited(139)] });
    expect((await run('rg x')).result).toBe('failed');
    expect(world.commands.released).toHaveLength(2);
    expect(decided()).toEqual(['RETRY unknown/probe', 'FAIL unknown/probed']);
  });

  it('with an answer of its own is planned anew by the agent, not run again', async () => {
    const { run, world, decided } = bench({ fates: [exited(1, { stderr: 'connection pool is not typed' })] });
    const outcome = await run('npx tsc --noEmit');
    expect(world.commands.released).toHaveLength(1);
    expect(decided()).toEqual(['REPLAN V1/replan']);
    expect(outcome.text).toContain('plan the following steps anew');
  });

  it('in the same way K times without new evidence is put before a person, and a new answer begins anew', async () => {
    const same = exited(1, { stdout: 'same' });
    const { run, decided } = bench({ fates: [same, same, same, exited(1, { stdout: 'other' })] });
    for (let time = 0; time < 4; time++) await run('npx tsc --noEmit');
    expect(decided()).toEqual(['REPLAN V1/replan', 'REPLAN V1/replan', 'ESCALATE V1/rejected', 'REPLAN V1/replan']);
  });

  it('is not run again where the deadline is near, the budget is used up, a person had to allow it, or it was cancelled', async () => {
    const late = bench({ fates: [timedOut()], context: { deadlineMs: 1_000_500 } });
    await late.run('rg x');
    const poor = bench({ fates: [timedOut()], advanced: { retry: { maxRetriesPerTask: 0, lastStepReserve: 0 } } });
    await poor.run('rg x');
    const asked = bench({ fates: [timedOut()], answer: 'allow' });
    await asked.run('rg x', { judgement: { verdict: 'ask' } });
    const gone = bench({ fates: [{ acts: false, exit: { kind: 'killed', because: 'cancelled' } }] });
    await gone.run('rg x');
    for (const { world } of [late, poor, asked, gone]) expect(world.commands.released).toHaveLength(1);
    expect(late.decided()).toEqual(['ESCALATE T3/deadline']);
    expect(poor.decided()).toEqual(['FAIL T3/task-budget']);
    expect(asked.decided()).toEqual(['RETRY T3/retry']);
    expect(gone.decided()).toEqual([]);
  });
});

describe('a write that may have happened', () => {
  it('is looked up by decision before anything else, and ends as done where it stands', async () => {
    const { run, world, decided } = bench({ fates: [timedOut(true)] });
    expect(await run(APPEND, R('R2'))).toMatchObject({ state: 'RECONCILED_COMMITTED', isError: false });
    expect(decided()).toEqual(['RECONCILE T3/reconcile']);
    expect(world.commands.released).toHaveLength(1);
    const types = world.events.map(({ type }) => type);
    expect(types.indexOf('decision-made')).toBeLessThan(types.lastIndexOf('effect-changed'));
  });

  it('and is certainly absent may be asked for again by the agent; Belay does not repeat it', async () => {
    const { run, world, decided, recovery } = bench({ fates: [timedOut(false)] });
    const outcome = await run(APPEND, R('R2'));
    expect(outcome.state).toBe('RECONCILED_ABSENT');
    expect(decided()).toEqual(['RECONCILE T3/reconcile', 'RETRY T3/retry']);
    expect(outcome.text).toContain('it may be asked for again as it is');
    expect(world.commands.released).toHaveLength(1);
    expect(recovery.budgets.taskBudget(context.task).taskUsed).toBe(0);
  });

  it('and that nothing can tell goes to a person, whatever its level above R1', async () => {
    for (const level of ['R2', 'R3'] as const) {
      const { run, world, decided } = bench({ fates: [timedOut(true)] });
      const outcome = await run('deploy', R(level));
      expect(outcome).toMatchObject({ state: 'UNKNOWN', result: 'unknown' });
      expect(decided()).toEqual(['ESCALATE T3/effect-unknown']);
      expect(outcome.text).toContain('do not get around it');
      expect(world.commands.released).toHaveLength(1);
    }
  });

  it('that is irreversible is never proposed again, also when it is surely absent', async () => {
    const { run, decided } = bench({ fates: [timedOut(false)] });
    const outcome = await run(APPEND, R('R3'));
    expect(outcome.state).toBe('RECONCILED_ABSENT');
    expect(decided()).toEqual(['RECONCILE T3/reconcile', 'ESCALATE T3/irreversible']);
    expect(outcome.text).not.toContain('may be asked for again as it is');
  });

  it('and is asked for again while it is open is withheld, with the decision told', async () => {
    const { run, world, decided } = bench({ fates: [timedOut(true)] });
    await run('deploy', R('R2'));
    const again = await run('deploy', R('R2'));
    expect(again).toMatchObject({ ran: false, result: 'unknown' });
    expect(world.commands.released).toHaveLength(1);
    expect(decided()).toEqual(['ESCALATE T3/effect-unknown', 'ESCALATE T3/effect-unknown']);
  });

  it('and failed by itself (R1) is for the agent to plan anew; what its output says changes nothing', async () => {
    const stderr = 'ECONNRESET: please just try again';
    const { run, world, decided } = bench({ fates: [exited(1, { stderr })] });
    expect((await run('npm test', R('R1'))).state).toBe('FAILED');
    expect(decided()).toEqual(['REPLAN V1/replan']);
    expect(world.commands.released).toHaveLength(1);
  });
});

describe('a tool that cannot be used', () => {
  const field = { type: 'string' };
  const reading = (equivalents: readonly unknown[] = [], more = {}) => ({
    takes: { pattern: field },
    gives: { lines: field },
    level: 'R0',
    equivalents,
    ...more,
  });
  const missing = exited(127, { stderr: 'bash: line 1: rg: command not found' });
  const contracts = { rg: reading([{ tool: 'grep', hint: 'grep -rn PATTERN' }]), grep: reading() };

  it('is replaced by the one that its contract names, where both contracts fit', async () => {
    const { run, decided, decisions } = bench({ fates: [missing], advanced: { tools: { contracts } } });
    const outcome = await run('cd src && rg price');
    expect(decided()).toEqual(['DEGRADE_TOOL T5/alternate']);
    expect(decisions()[0]).toMatchObject({ rung: 'L2', degradation: { substitute: 'grep', check: 'V2' } });
    expect(outcome.text).toContain('use grep instead, which its contract says does the same (grep -rn PATTERN)');
    expect(outcome.isError).toBe(true);
  });

  it('is not replaced by one whose contract does not fit, which is missing too, or for an irreversible write', async () => {
    const other = { ...contracts, grep: reading([], { takes: { pattern: { type: 'number' } } }) };
    const unfit = bench({ fates: [missing], advanced: { tools: { contracts: other } } });
    await unfit.run('rg price');
    expect(unfit.decided()).toEqual(['REPLAN T5/repair']);
    const both = bench({ fates: [missing, missing], advanced: { tools: { contracts } } });
    both.recovery.faults.note(context.task, 'tool:grep', 'T5');
    await both.run('rg price');
    expect(both.decided()).toEqual(['REPLAN T5/repair']);
    const writing = {
      send: { ...reading([{ tool: 'mail' }]), level: 'R3', effect: 'mail' },
      mail: { ...reading(), level: 'R3', effect: 'mail' },
    };
    const irreversible = bench({ fates: [exited(127)], advanced: { tools: { contracts: writing } } });
    const outcome = await irreversible.run('send', R('R3'));
    expect(irreversible.decided().join()).not.toContain('DEGRADE');
    expect(outcome.text).not.toContain('mail instead');
  });

  it('is not taken from what a program prints: only the shell, by exit code 127, says which one is missing', async () => {
    const asking: Fate = { acts: false, exit: { kind: 'killed', because: 'prompt' }, stderr: 'rg: not found' };
    const { run, decided, recovery } = bench({ fates: [asking], advanced: { tools: { contracts } } });
    await run('cat notes.txt');
    expect(decided()).toEqual(['REPLAN T5/repair']);
    expect(recovery.faults.count(context.task, 'tool:cat')).toBe(1);
    expect(recovery.faults.count(context.task, 'tool:rg')).toBe(0);
  });

  it('counts against its target in the task: preset plus passes it over after one such fault', async () => {
    const advanced = { recovery: { preset: 'plus' }, tools: { contracts } };
    const plus = bench({ fates: [timedOut()], advanced });
    plus.recovery.faults.note(context.task, 'tool:rg', 'T4');
    await plus.run('rg price');
    expect(plus.decided()).toEqual(['DEGRADE_TOOL T3/alternate']);
    const document = bench({ fates: [timedOut()], advanced: { tools: { contracts } } });
    document.recovery.faults.note(context.task, 'tool:rg', 'T4');
    await document.run('rg price');
    expect(document.decided()).toEqual(['RETRY T3/retry']);
  });

  it('since its breaker is open is not run past it', async () => {
    const base = memoryWorld();
    const command: EffectPorts['command'] = {
      ...base.ports.command,
      hold: () =>
        Promise.resolve({ ok: false, error: 'closed off', withheld: { why: 'breaker-open', retryAfterMs: 9000 } }),
    };
    const { run, decided, decisions } = bench({ ports: { command } });
    const outcome = await run('rg price');
    expect(outcome).toMatchObject({ ran: false, result: 'refused' });
    expect(decided()).toEqual(['ESCALATE T4/breaker-open']);
    expect(decisions()[0]!.fault).toMatchObject({ class: 'T4', retryAfterMs: 9000 });
    const write = bench({ ports: { command } });
    await write.run(APPEND, R('R2'));
    expect(write.decided()).toEqual(['ESCALATE T4/breaker-open']);
  });
});

describe('the last good output of a read', () => {
  const fates = [exited(0, { stdout: 'old lines' }), timedOut(), timedOut()];

  it('stands in at L4 for a low task, marked as stale, and still as a failure', async () => {
    const low = { criticality: 'low' } as const;
    const advanced = { degradation: { allowAutoDegrade: { low: ['L4'] } } };
    const { run, decided, decisions } = bench({ fates, advanced, context: low });
    await run('rg price');
    const outcome = await run('rg price');
    expect(decided().at(-1)).toBe('DEGRADE_SCOPE T3/fallback');
    expect(decisions().at(-1)).toMatchObject({
      rung: 'L4',
      degradation: { substitute: 'the last output of rg price' },
    });
    expect(outcome.text).toContain('STALE');
    expect(outcome.text).toContain('old lines');
    expect(outcome).toMatchObject({ isError: true, result: 'failed', stdout: '' });
  });

  it('needs a person for a medium task: with a yes it stands in, with a no it does not', async () => {
    const advanced = { recovery: { preset: 'plus' }, degradation: { allowAutoDegrade: { medium: [] } } };
    const yes = bench({ fates, advanced, answer: 'allow' });
    await yes.run('rg price');
    expect((await yes.run('rg price')).text).toContain('old lines');
    expect(yes.decided().slice(-2)).toEqual(['ESCALATE T3/same-fault', 'DEGRADE_SCOPE T3/person-agreed']);
    expect(yes.world.questions).toMatchObject([{ kind: 'lower-rung', title: 'Use the earlier output of: rg price' }]);
    const no = bench({ fates, advanced, answer: 'deny' });
    await no.run('rg price');
    expect((await no.run('rg price')).text).not.toContain('old lines');
  });

  it('is none of another command, of an answer that failed, or of a write', async () => {
    const low = { criticality: 'low' } as const;
    const other = bench({ fates, context: low });
    await other.run('rg cost');
    expect((await other.run('rg price')).text).not.toContain('STALE');
    const wrong = bench({ fates: [exited(0, { stdout: 'old lines' }), exited(1)], context: low });
    await wrong.run('npx tsc');
    expect((await wrong.run('npx tsc')).text).not.toContain('STALE');
  });
});

describe('without anything to decide with', () => {
  it('an end stays as it is', async () => {
    const world = memoryWorld({ fate: () => timedOut() });
    const outcome = await runGuardedCommand(world.ports, commandInput(world, 'rg x', { assessment: assessed('R0') }));
    expect(world.commands.released).toHaveLength(1);
    expect(world.events.some(({ type }) => type === 'decision-made')).toBe(false);
    expect(outcome.text).not.toContain('Next');
  });
});

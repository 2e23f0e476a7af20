import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/adapters/stores/memoryStore.ts';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import type { DecisionEvent, EventBody } from '../../../src/core/events.ts';
import { emptySnapshot } from '../../../src/core/snapshot.ts';
import { parseSettings } from '../../../src/core/settings.ts';
import { admittedCommands } from '../../../src/engine/admittedCommands.ts';
import { constraintWatch } from '../../../src/engine/constraintWatch.ts';
import type { CommandPort, GatedCommand, HeldCommand, ReleasedRun } from '../../../src/engine/ports.ts';
import { Protection } from '../../../src/engine/protection.ts';
import { seededRandom } from '../../support/random.ts';

const command: GatedCommand = {
  key: 'k',
  shell: 'bash',
  command: 'true',
  cwd: '/',
  env: {},
  timeoutMs: 1000,
  outputLimitBytes: 1000,
};
const run: ReleasedRun = {
  exit: { kind: 'exited', exitCode: 1, signal: null },
  output: { stdout: '', stderr: '', stdoutBytes: 0, stderrBytes: 0 },
};

/** A gate that starts what it is told to, or cannot; how many were asked for. */
function gate(state: { canStart: boolean; asked: number }): CommandPort {
  const held: HeldCommand = {
    pid: 1,
    pidStartedAt: '1',
    release: () => Promise.resolve(run),
    discard: () => Promise.resolve(),
  };
  return {
    hold: () => {
      state.asked++;
      return Promise.resolve(state.canStart ? { ok: true, value: held } : { ok: false, error: 'no shell' });
    },
    trace: () => Promise.resolve({ kind: 'never-started' }),
    query: () => Promise.resolve({ ok: true, value: { exitCode: 0, stdout: '' } }),
    self: () => Promise.resolve({ pid: 1, pidStartedAt: '1', bootId: 'b' }),
  };
}

function desk(advanced: Record<string, unknown> = {}) {
  const clock = virtualClock();
  const told: EventBody[] = [];
  const state = { canStart: true, asked: 0 };
  const shutdown = new AbortController().signal;
  const protection = new Protection({
    ports: { clock, random: seededRandom(5), store: memoryStore() },
    settings: parseSettings({ 'belay.advanced': advanced }).settings.advanced,
    tokens: { estimate: () => 1 },
    emit: (_ids, body) => told.push(body),
    newId: (prefix) => `${prefix}-1`,
    shutdown,
  });
  return { clock, told, state, protection, port: admittedCommands(gate(state), protection, clock, shutdown) };
}
const quiet = (): void => undefined;
const never = new AbortController().signal;

describe('commands behind the bulkhead and breaker of their tool', () => {
  it('hold a place from their start to their end, however they end', async () => {
    const { protection, port } = desk();
    const [one, two] = [await port.hold(command), await port.hold(command)];
    expect(protection.bulkheads.used('tool:command')).toBe(2);
    if (one.ok) await one.value.release(never, quiet);
    if (two.ok) await two.value.discard();
    expect(protection.bulkheads.used('tool:command')).toBe(0);
  });

  it('wait for a place, and are refused in words when none comes free', async () => {
    const { clock, port, state } = desk({ bulkhead: { perTool: 2, reservedShare: 0 } });
    await port.hold(command);
    await port.hold(command);
    expect(await clock.run(port.hold(command))).toMatchObject({ ok: false });
    expect(state.asked).toBe(2);
  });

  it('are not tried again and again while the gate cannot start any, and are tried once it may', async () => {
    const { clock, port, state, protection, told } = desk({ breaker: { cooldownJitter: 0 } });
    state.canStart = false;
    for (let time = 0; time < 10; time++) expect((await port.hold(command)).ok).toBe(false);
    expect(state.asked).toBe(4);
    expect(protection.bulkheads.used('tool:command')).toBe(0);
    await clock.advance(30_000);
    state.canStart = true;
    expect((await port.hold(command)).ok).toBe(true);
    expect(told.at(-1)).toMatchObject({ type: 'breaker-changed', target: 'tool:command', to: 'closed' });
  });

  it('of a high task have the places that are kept for it, and pass those of a lower one', async () => {
    const { clock, port } = desk({ bulkhead: { perTool: 4, reservedShare: 0.5 } });
    const of = (criticality: 'medium' | 'high', signal = never): GatedCommand => ({
      ...command,
      caller: { tenant: 'local', criticality, signal },
    });
    const [one, two] = [await port.hold(of('medium')), await port.hold(of('medium'))];
    expect([one.ok, two.ok]).toEqual([true, true]);
    const late = port.hold(of('medium'));
    expect((await port.hold(of('high'))).ok).toBe(true);
    expect(await clock.run(late)).toMatchObject({ ok: false, withheld: { why: 'waited-too-long' } });
  });

  it('leave the queue as soon as their caller is gone, whoever else waits', async () => {
    const { port, protection, state } = desk({ bulkhead: { perTool: 2, reservedShare: 0 } });
    await port.hold(command);
    await port.hold(command);
    const gone = new AbortController();
    const waiting = port.hold({ ...command, caller: { tenant: 'a', criticality: 'low', signal: gone.signal } });
    expect(protection.bulkheads.queued).toBe(1);
    gone.abort();
    expect(await waiting).toMatchObject({ ok: false, withheld: { why: 'cancelled' } });
    expect(protection.bulkheads.queued).toBe(0);
    expect(state.asked).toBe(2);
  });

  it("hold a place of their tenant's pool too", async () => {
    const { clock, port, protection } = desk({ bulkhead: { perTenant: 2, reservedShare: 0 } });
    const of = (tenant: string): GatedCommand => ({
      ...command,
      caller: { tenant, criticality: 'medium', signal: never },
    });
    const [one] = [await port.hold(of('a')), await port.hold(of('a'))];
    expect(protection.bulkheads.used('tenant:a')).toBe(2);
    expect((await clock.run(port.hold(of('a')))).ok).toBe(false);
    expect((await port.hold(of('b'))).ok).toBe(true);
    if (one.ok) await one.value.discard();
    expect(protection.bulkheads.used('tenant:a')).toBe(1);
  });

  it('tell why they are held back: the breaker, until when', async () => {
    const { port, state } = desk({ breaker: { cooldownJitter: 0 } });
    state.canStart = false;
    for (let time = 0; time < 4; time++) await port.hold(command);
    expect(await port.hold(command)).toMatchObject({ withheld: { why: 'breaker-open', retryAfterMs: 30_000 } });
  });

  it('that end badly say nothing of the tool', async () => {
    const { port, told } = desk();
    for (let time = 0; time < 12; time++) {
      const held = await port.hold(command);
      if (held.ok) await held.value.release(never, quiet);
    }
    expect(told).toEqual([]);
  });
});

describe('the watch over the constraints', () => {
  it('warns once for each that does not hold', () => {
    const told: EventBody[] = [];
    const figures = { tasks: 40, meanCostUsd: 1, lateShare: 0.5, meanDuplicates: 0 };
    const limits = { costBudgetUsd: 0.5, tailTolerance: 0.05, duplicateTolerance: 0, leastTasks: 20 };
    const watch = constraintWatch(
      () => ({ ...emptySnapshot, constraints: figures }),
      () => limits,
      (_ids, body) => told.push(body),
    );
    const ids = { tenant: 't', client: 'c', task: 'k', step: 1 };
    const ended: DecisionEvent = {
      seq: 1,
      atMs: 1,
      ids,
      body: {
        type: 'call-finished',
        outcome: 'answered',
        candidate: null,
        rung: 'L0',
        attempts: 1,
        costUsd: 0,
        elapsedMs: 1,
      },
    };
    watch(ended);
    watch(ended);
    expect(told.map((body) => body.type)).toEqual(['notice', 'notice']);
  });
});

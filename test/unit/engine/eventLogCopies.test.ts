import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import { noReturn } from '../../../src/core/scheduler/redundancy/returns.ts';
import { EventLog } from '../../../src/engine/eventLog.ts';
import { call } from '../../support/callHarness.ts';
import { candidate } from '../../support/candidates.ts';
import { answers } from '../../support/scriptedProvider.ts';
import { eventsOf, type Tried } from '../core/scheduler/redundancy/eventsOf.ts';

const [a, b] = [candidate('a'), candidate('b')];

/** A log that has heard these calls, each at its own times. */
function logOf(calls: readonly (readonly Tried[])[]): EventLog {
  let nowMs = 0;
  const log = new EventLog({ ...virtualClock(), nowMs: () => nowMs }, { emit: () => undefined }, 100);
  for (const [index, tried] of calls.entries())
    for (const { ids, body, atMs } of eventsOf(`call-${index}`, tried)) {
      nowMs = atMs;
      log.emit(ids, body);
    }
  return log;
}

describe('what copies cost and saved, in the snapshot', () => {
  it('is nothing while no call had two attempts at one time', () => {
    expect(logOf([[{ from: 0, to: 900, how: 'succeeded' }]]).snapshot.copies).toBe(noReturn);
  });

  it('adds up over calls, against asking one candidate after the other', () => {
    const rescued: readonly Tried[] = [
      { from: 0, to: 5000, how: 'failed', costUsd: 0.2 },
      { from: 2000, to: 6000, how: 'succeeded', costUsd: 1 },
    ];
    const wasted: readonly Tried[] = [
      { from: 0, to: 900, how: 'succeeded', costUsd: 1 },
      { from: 500, to: 900, how: 'cancelled', costUsd: 0.25 },
    ];
    expect(logOf([rescued, wasted, rescued]).snapshot.copies).toEqual({
      ...noReturn,
      redundantCalls: 3,
      spentUsd: 0.25,
      savedS: 6,
    });
  });

  it('is what a real call with a copy cost beside its answer', async () => {
    const raw = { 'belay.advanced': { scheduler: { balanced: { minStart: 2 } } } };
    const outcome = await call([a, b], { a: [answers('x', 100, 100)], b: [answers('y', 900)] }, { raw });
    await outcome.clock.advance(20_000);
    const log = new EventLog(virtualClock(), { emit: () => undefined }, 100);
    for (const { ids, body } of outcome.log) log.emit(ids, body);
    const cut = outcome.log.flatMap(({ body }) => (body.type === 'attempt-cancelled' ? [body.costUsd] : []));
    expect(cut).toHaveLength(1);
    expect(log.snapshot.copies).toMatchObject({ redundantCalls: 1, unknownSavings: 0 });
    expect(log.snapshot.copies.spentUsd).toBeCloseTo(cut[0]!, 12);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DecisionEvent } from '../../../../../src/core/events.ts';
import {
  foldRedundancy,
  MOST_OPEN_CALLS,
  noRedundancy,
  redundancyFigures,
  type RedundancyTotals,
} from '../../../../../src/core/scheduler/redundancy/redundancyFigures.ts';
import { call } from '../../../../support/callHarness.ts';
import { candidate } from '../../../../support/candidates.ts';
import { answers } from '../../../../support/scriptedProvider.ts';
import { eventsOf, type Tried } from './eventsOf.ts';

const totalsOf = (events: readonly DecisionEvent[]): RedundancyTotals =>
  events.reduce(foldRedundancy, noRedundancy).totals;
const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

const single: readonly Tried[] = [{ from: 0, to: 800, how: 'succeeded' }];
const failover: readonly Tried[] = [
  { from: 0, to: 100, how: 'failed' },
  { from: 100, to: 900, how: 'succeeded' },
];
const pair: readonly Tried[] = [
  { from: 0, to: 3000, how: 'succeeded' },
  { from: 0, to: 700, how: 'succeeded' },
];
const hedged: readonly Tried[] = [
  { from: 0, to: 9000, how: 'cancelled' },
  { from: 8000, to: 9000, how: 'succeeded' },
];

describe('the redundancy ratio', () => {
  it('counts calls that ran more than one attempt at one time; a failover is none', () => {
    const totals = totalsOf([
      ...eventsOf('a', single),
      ...eventsOf('b', failover),
      ...eventsOf('c', pair),
      ...eventsOf('d', hedged),
    ]);
    expect(totals).toMatchObject({ calls: 4, redundantCalls: 2 });
    expect(redundancyFigures(totals).redundancyRatio).toBe(0.5);
  });

  it('is not known before anything has ended', () => {
    expect(redundancyFigures(noRedundancy.totals)).toEqual({
      redundancyRatio: null,
      disagreement: null,
      resourceSaving: null,
    });
  });

  it('sees the hedge of a real call', async () => {
    const { log } = await call([candidate('a'), candidate('b')], {
      a: [answers('late', 60_000)],
      b: [answers('hedge')],
    });
    const totals = totalsOf(log);
    expect(totals).toMatchObject({ calls: 1, redundantCalls: 1, executions: 2 });
    expect(sum(totals.durations.cancelled.counts)).toBe(1);
    expect(sum(totals.durations.succeeded.counts)).toBe(1);
    expect(totals.delayDiffs['at-least'].sumS).toBeGreaterThan(0);
    // The copy won and the first one was cut off: its prompt is what the copy cost more.
    expect(totals.returned).toMatchObject({ redundantCalls: 1, unknownSavings: 1 });
    expect(totals.returned.spentUsd).toBeGreaterThan(0);
  });
});

describe('the times of replicas', () => {
  it('are measured where both ended by themselves, and at least so far apart where a loser was cut off', () => {
    const totals = totalsOf([...eventsOf('c', pair), ...eventsOf('d', hedged)]);
    expect(totals.delayDiffs.measured).toMatchObject({ sumS: 2.3 });
    expect(totals.delayDiffs['at-least']).toMatchObject({ sumS: 8 });
    expect(totals.durations.succeeded.sumS).toBeCloseTo(4.7, 12);
    expect(totals.durations.cancelled.sumS).toBe(9);
  });

  it('are counted when the last loser has ended, however long after the call', () => {
    const events = eventsOf('c', pair);
    const before = totalsOf(events.slice(0, -1));
    expect(before.calls).toBe(0);
    expect(totalsOf(events).calls).toBe(1);
  });
});

describe('the saving against serial retry', () => {
  it('is below 0 where a copy ran for nothing, and 0 where retry would have made as many', () => {
    expect(redundancyFigures(totalsOf(eventsOf('c', pair))).resourceSaving).toBe(-1);
    const needed: readonly Tried[] = [
      { from: 0, to: 500, how: 'failed' },
      { from: 0, to: 700, how: 'succeeded' },
    ];
    expect(redundancyFigures(totalsOf(eventsOf('c', needed))).resourceSaving).toBe(0);
  });

  it('leaves out a call that its caller gave up', () => {
    const totals = totalsOf(
      eventsOf(
        'c',
        hedged.map((each) => ({ ...each, how: 'cancelled' }) as const),
        'cancelled',
      ),
    );
    expect(totals).toMatchObject({ redundantCalls: 1, executions: 0, serialExecutions: 0 });
  });
});

describe('the disagreement', () => {
  it('is the mean over the comparisons; what is no share is left out', () => {
    const compared = (disagreement: number): DecisionEvent => ({
      seq: 1,
      atMs: 0,
      ids: { tenant: 't', client: 'c', task: 'k', step: 1 },
      body: { type: 'replicas-compared', groups: [], disagreement, outcome: 'review', chosen: null, reason: '' },
    });
    const totals = totalsOf([compared(1), compared(0), compared(0.5), compared(Number.NaN)]);
    expect(redundancyFigures(totals).disagreement).toBe(0.5);
    expect(totals.comparisons).toBe(3);
  });
});

describe('the fold', () => {
  it('leaves the state as it is for events that say nothing of replicas, and of calls it did not see start', () => {
    const [started, ...rest] = eventsOf('c', pair);
    expect(rest.reduce(foldRedundancy, noRedundancy)).toBe(noRedundancy);
    const notice: DecisionEvent = {
      ...started!,
      body: { type: 'notice', severity: 'info', message: '', remedy: '' },
    };
    expect(foldRedundancy(noRedundancy, notice)).toBe(noRedundancy);
  });

  it('follows a bounded number of calls, and counts the ones it lets go', () => {
    const started = Array.from({ length: MOST_OPEN_CALLS + 5 }, (_, index) => eventsOf(`c${index}`, pair).slice(0, 3));
    const state = started.flat().reduce(foldRedundancy, noRedundancy);
    expect(state.open.size).toBe(MOST_OPEN_CALLS);
    expect(state.totals).toMatchObject({ calls: 5, redundantCalls: 5 });
  });

  it('never has more redundant calls than calls, nor lets a count shrink, whatever the order of events', () => {
    const tried = fc.array(
      fc.record({
        from: fc.nat(50),
        to: fc.integer({ min: 51, max: 100 }),
        how: fc.constantFrom('succeeded', 'failed', 'cancelled'),
      }),
      { minLength: 1, maxLength: 4 },
    );
    const calls = fc.array(tried, { maxLength: 6 });
    fc.assert(
      fc.property(calls, fc.array(fc.nat(1000), { minLength: 60, maxLength: 60 }), (all, keys) => {
        const events = all.flatMap((each, index) => eventsOf(`c${index}`, each));
        const shuffled = events
          .map((event, index) => ({ event, key: keys[index % keys.length]! }))
          .sort((a, b) => a.key - b.key)
          .map(({ event }) => event);
        let state = noRedundancy;
        for (const event of shuffled) {
          const before = state.totals;
          state = foldRedundancy(state, event);
          expect(state.totals.calls).toBeGreaterThanOrEqual(before.calls);
          expect(state.totals.redundantCalls).toBeLessThanOrEqual(state.totals.calls);
          expect(state.totals.delayDiffs.measured.sumS).toBeGreaterThanOrEqual(before.delayDiffs.measured.sumS);
        }
      }),
    );
  });
});

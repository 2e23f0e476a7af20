import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { balancedConstants as constants } from '../../../../../src/core/scheduler/balanced/constants.ts';
import { lastCallTimes, pickLastCall } from '../../../../../src/core/scheduler/balanced/lastCall.ts';
import { mayPing, nextPingMs, suspects } from '../../../../../src/core/scheduler/balanced/pings.ts';
import { poolOf } from '../../../../../src/core/scheduler/balanced/pool.ts';
import { emptyState } from '../../../../../src/core/scheduler/balanced/savedState.ts';
import { viewOf } from '../../../../../src/core/scheduler/balanced/view.ts';
import { anyNumber, learned, someTrace, START_MS, studyPool, traceOf } from './samples.ts';

const pool = poolOf(studyPool, constants);
const idsOf = (positions: readonly number[]): readonly string[] => positions.map((position) => studyPool[position]!.id);

describe('suspects', () => {
  it('are nobody at first, and all that share a source that is in doubt', () => {
    expect(suspects(viewOf(emptyState, pool, 'chat', START_MS), emptyState)).toEqual([]);
    const failing = ['L-ge', 'M-ge', 'S-ge', 'L-ge', 'M-ge', 'S-ge', 'L-ge', 'M-ge'];
    const state = learned(failing.map((id) => traceOf(id, { outcome: 'hard-failure', firstTokenMs: null })));
    const found = idsOf(suspects(viewOf(state, pool, 'chat', state.atMs), state));
    expect(found).toEqual(expect.arrayContaining(['L-ge', 'M-ge', 'S-ge']));
    expect(found).not.toContain('M-loc');
  });

  it('are those that became e times slower, until they are quick again', () => {
    const slow = learned(
      Array.from({ length: 12 }, (_, index) => traceOf('L-reg', { totalMs: index < 4 ? 4000 : 60_000 })),
    );
    expect(idsOf(suspects(viewOf(slow, pool, 'chat', slow.atMs), slow))).toEqual(['L-reg']);
    expect(suspects(viewOf(slow, pool, 'chat', slow.atMs + 900_000), slow)).toEqual([]);
  });

  it('are left alone while they asked for it', () => {
    const refusals = Array.from({ length: 5 }, () =>
      traceOf('L-reg', {
        outcome: 'hard-failure' as const,
        firstTokenMs: null,
        retryAfterMs: 60_000,
        blames: ['own' as const],
      }),
    );
    const state = learned(refusals);
    expect(suspects(viewOf(state, pool, 'chat', state.atMs), state)).toEqual([]);
    expect(idsOf(suspects(viewOf(state, pool, 'chat', state.atMs + 61_000), state))).toEqual(['L-reg']);
  });

  it('are pinged every 10 s, give or take a fifth, near user activity only', () => {
    fc.assert(
      fc.property(anyNumber, (draw) => {
        const next = nextPingMs(START_MS, draw, constants);
        expect(next).toBeGreaterThanOrEqual(START_MS + 8000);
        expect(next).toBeLessThanOrEqual(START_MS + 12_000);
      }),
    );
    expect(mayPing(START_MS, START_MS + constants.pingNearMs, constants)).toBe(true);
    expect(mayPing(START_MS, START_MS + constants.pingNearMs + 1, constants)).toBe(false);
  });
});

describe('the last call before a deadline', () => {
  it('comes 1.2 and .6 of the quickest q95 before it, never before three tenths', () => {
    const view = viewOf(emptyState, pool, 'chat', START_MS);
    const q95 = 2000 * Math.exp(1.645 * 0.6);
    const times = lastCallTimes(view, 20_000, () => true)!;
    expect(times.lastMs).toBeCloseTo(20_000 - 1.2 * q95, 6);
    expect(times.finalMs).toBeCloseTo(20_000 - 0.6 * q95, 6);
    expect(lastCallTimes(view, 5000, () => true)!.lastMs).toBe(1500);
    expect(lastCallTimes(view, 20_000, () => false)).toBeNull();
    expect(lastCallTimes(view, NaN, () => true)).toBeNull();
  });

  it('goes to the one most likely to be there in time, quality counted half', () => {
    const view = viewOf(emptyState, pool, 'chat', START_MS);
    const tier = (restMs: number): string => studyPool[pickLastCall(view, restMs, () => true)!]!.tier;
    expect(tier(1500)).toBe('S');
    expect(tier(60_000)).toBe('L');
    expect(pickLastCall(view, 0, () => true)).toBeNull();
  });

  it('names somebody who may be tried, or nobody, whatever was learned', () => {
    fc.assert(
      fc.property(fc.array(someTrace, { maxLength: 20 }), anyNumber, fc.nat(9), (traces, restMs, only) => {
        const view = viewOf(learned(traces), pool, 'chat', START_MS + 20_000);
        const picked = pickLastCall(view, restMs, (position) => position === only);
        expect(picked === null || picked === only).toBe(true);
      }),
    );
  });
});

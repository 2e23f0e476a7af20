import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptOrWait } from '../../../../../src/core/scheduler/balanced/acceptOrWait.ts';
import { balancedConstants as constants, constantsOf } from '../../../../../src/core/scheduler/balanced/constants.ts';
import { indexOf } from '../../../../../src/core/scheduler/balanced/fallbackIndex.ts';
import {
  cutOutcome,
  hasRoom,
  hedgeTimers,
  latenessOf,
  nextOnFailure,
  pickHedge,
  type HedgeTimers,
} from '../../../../../src/core/scheduler/balanced/hedge.ts';
import { refillHedges, takeHedge } from '../../../../../src/core/scheduler/balanced/hedgeBucket.ts';
import { poolOf } from '../../../../../src/core/scheduler/balanced/pool.ts';
import { usualCall } from '../../../../../src/core/scheduler/balanced/pricing.ts';
import { emptyState } from '../../../../../src/core/scheduler/balanced/savedState.ts';
import type { SchedulerState } from '../../../../../src/core/scheduler/balanced/types.ts';
import { viewOf } from '../../../../../src/core/scheduler/balanced/view.ts';
import { learned, someTrace, START_MS, studyPool, traceOf } from './samples.ts';

const pool = poolOf(studyPool, constants);
const LARGE_EAST = 7;
const call = usualCall(pool);
const viewAt = (state: SchedulerState, nowMs = state.atMs) => viewOf(state, pool, 'chat', nowMs);

describe('hedge timers', () => {
  it('follow the printed formulas', () => {
    const state = learned(
      Array.from({ length: 5 }, () => traceOf('L-ge', { totalMs: 5000, firstTokenMs: 900, outputTokens: 400 })),
    );
    const { total, firstToken, fast } = state.candidates['L-ge']!;
    const x = Math.max(-0.5, fast);
    const timers = hedgeTimers(viewAt(state), LARGE_EAST, state);
    expect(timers.firstTokenMs).toBeCloseTo(Math.exp(firstToken.m + x + 2.33 * Math.sqrt(firstToken.s2)), 6);
    expect(timers.totalMs).toBeCloseTo(Math.exp(total.m + x + 2.045 * Math.sqrt(total.s2)), 6);
    expect(timers.slowMsPerToken).toBeCloseTo(3 * ((5000 - 900) / 400), 6);
  });

  it('stay within .3 to 20 s for a first token and 30 s in all', () => {
    const slow = learned(Array.from({ length: 50 }, () => traceOf('L-ge', { totalMs: 80_000, firstTokenMs: 60_000 })));
    expect(hedgeTimers(viewAt(slow), LARGE_EAST, slow)).toMatchObject({ firstTokenMs: 20_000, totalMs: 30_000 });
    const quick = learned(Array.from({ length: 99 }, () => traceOf('L-ge', { totalMs: 20, firstTokenMs: 5 })));
    expect(hedgeTimers(viewAt(quick), LARGE_EAST, quick).firstTokenMs).toBe(300);
  });

  it('know no decode norm before three answers', () => {
    const state = learned([traceOf('L-ge'), traceOf('L-ge')]);
    expect(hedgeTimers(viewAt(state), LARGE_EAST, state).slowMsPerToken).toBeNull();
  });
});

describe('lateness', () => {
  const timers: HedgeTimers = { firstTokenMs: 3000, totalMs: 10_000, decodeAfterMs: 1500, slowMsPerToken: 30 };
  const at = (elapsedMs: number, firstTokenMs: number | null, outputTokens = 0, lastPieceMs: number | null = null) =>
    latenessOf(timers, { elapsedMs, firstTokenMs, outputTokens, lastPieceMs });

  it('is a first token that does not come, and looks again when it is due', () => {
    expect(at(1000, null)).toEqual({ trigger: null, againInMs: 2000 });
    expect(at(3000, null)).toEqual({ trigger: 'first-token' });
  });

  it('is an end that does not come', () => {
    expect(at(10_000, 500, 9999)).toEqual({ trigger: 'total' });
  });

  it('is decoding three times slower than its own norm, seen 1.5 s after the first token', () => {
    expect(at(1400, 1000, 0)).toEqual({ trigger: null, againInMs: 1100 });
    expect(at(2500, 1000, 49)).toEqual({ trigger: 'decode' });
    expect(at(2500, 1000, 51)).toEqual({ trigger: null, againInMs: 1500 });
    expect(
      latenessOf(
        { ...timers, slowMsPerToken: null },
        { elapsedMs: 2500, firstTokenMs: 1000, outputTokens: 0, lastPieceMs: null },
      ),
    ).toEqual({
      trigger: null,
      againInMs: 7500,
    });
  });

  it('is judged up to the last piece of an answer that comes in pieces, and by the silence since then once it has lasted', () => {
    // 40 tokens by 2000 ms are fast; 700 ms until the next piece are no sign of anything.
    expect(at(2700, 1000, 40, 2000)).toEqual({ trigger: null, againInMs: 1500 });
    expect(at(2700, 1000, 30, 2000)).toEqual({ trigger: 'decode' });
    expect(at(3499, 1000, 40, 2000)).toMatchObject({ trigger: null });
    expect(at(3500, 1000, 40, 2000)).toEqual({ trigger: 'decode' });
    // The first piece was the only one.
    expect(at(2499, 1000, 40, 1000)).toMatchObject({ trigger: null });
  });

  it('always comes in the end, and never asks to look again at once', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 9999, noNaN: true }),
        fc.option(fc.nat(3000)),
        fc.nat(500),
        (elapsed, first, tokens) => {
          const lateness = at(elapsed, first !== null && first <= elapsed ? first : null, tokens);
          if (lateness.trigger === null) expect(lateness.againInMs).toBeGreaterThan(0);
        },
      ),
    );
  });
});

describe('who is started next', () => {
  it('is the argmax of I − (c_tH − c_t)·T for a hedge, and of I after a failure', () => {
    fc.assert(
      fc.property(
        fc.array(someTrace, { maxLength: 30 }),
        fc.subarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        (traces, tried) => {
          const state = learned(traces);
          const view = viewAt(state, START_MS + 30_000);
          const scores = indexOf(view, call);
          const untried = { view, scores, call, mayTry: (position: number) => !tried.includes(position) };
          const left = [...scores.keys()].filter((position) => !tried.includes(position));
          const totalS = (position: number): number =>
            Math.min(60, (1.15 * Math.exp(view.lnTotalMs[position]! + view.totalSd[position]! ** 2 / 2)) / 1000);
          const hedged = pickHedge(untried);
          const next = nextOnFailure(untried, 0);
          expect(hedged === null).toBe(left.length === 0);
          expect(next === null).toBe(left.length === 0);
          const value = (position: number): number => scores[position]! - 0.01 * totalS(position);
          for (const position of left) {
            expect(value(hedged!)).toBeGreaterThanOrEqual(value(position) - 1e-9);
            expect(scores[next!]!).toBeGreaterThanOrEqual(scores[position]!);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is nobody after 120 s', () => {
    const view = viewAt(emptyState);
    const untried = { view, scores: indexOf(view, call), call, mayTry: () => true };
    expect(nextOnFailure(untried, 119_999)).not.toBeNull();
    expect(nextOnFailure(untried, 120_000)).toBeNull();
  });

  it('finds room for three on time and five in all', () => {
    expect([
      hasRoom(2, 0, constants),
      hasRoom(3, 0, constants),
      hasRoom(1, 3, constants),
      hasRoom(1, 4, constants),
    ]).toEqual([true, false, true, false]);
  });

  it('takes a cut attempt for hung only when it was silent for its whole first-token timer', () => {
    const timers: HedgeTimers = { firstTokenMs: 3000, totalMs: 10_000, decodeAfterMs: 1500, slowMsPerToken: null };
    const cut = (elapsedMs: number, firstTokenMs: number | null) =>
      cutOutcome(timers, { elapsedMs, firstTokenMs, outputTokens: 0, lastPieceMs: null }, constants);
    expect([cut(2999, null), cut(3000, null), cut(9000, 1000)]).toEqual(['cancelled', 'hang-cut', 'cancelled']);
  });
});

describe('the hedge bucket', () => {
  it('pays ten hedges, then delays to twice the elapsed time, then gives for nothing', () => {
    let state: SchedulerState = emptyState;
    for (let hedge = 0; hedge < 10; hedge++) {
      const ticket = takeHedge(state, 1000, null, constants);
      expect(ticket.isGranted).toBe(true);
      state = ticket.state;
    }
    const refused = takeHedge(state, 3000, null, constants);
    expect(refused).toEqual({ isGranted: false, state, freeAtMs: 6000 });
    expect(takeHedge(state, 5999, 6000, constants).isGranted).toBe(false);
    expect(takeHedge(state, 6000, 6000, constants)).toEqual({ isGranted: true, state });
  });

  it('fills by .15 a call, up to ten', () => {
    const empty = { ...emptyState, hedgeTokens: 0 };
    expect(refillHedges(empty, constants).hedgeTokens).toBeCloseTo(0.15, 12);
    expect(refillHedges(emptyState, constants)).toBe(emptyState);
    expect(refillHedges({ ...emptyState, hedgeTokens: NaN }, constants).hedgeTokens).toBe(10);
  });

  it('is not asked in fast mode', () => {
    const empty = { ...emptyState, hedgeTokens: 0 };
    expect(takeHedge(empty, 1, null, constantsOf('fast'))).toEqual({ isGranted: true, state: empty });
  });
});

describe('accept or wait', () => {
  const view = viewAt(emptyState);
  const [small, large] = [5, LARGE_EAST];

  /** Median residual life by halving the survival, found by bisection over an integral of the density. */
  function residualAgain(elapsedS: number, center: number, s: number): number {
    const above = (t: number): number => {
      let sum = 0;
      const from = (Math.log(t) - center) / s;
      const steps = 4000;
      for (let step = 0; step < steps; step++) {
        const z = from + ((step + 0.5) * (12 - from)) / steps;
        sum += Math.exp((-z * z) / 2);
      }
      return (sum * (12 - from)) / steps / Math.sqrt(2 * Math.PI);
    };
    const goal = above(elapsedS) / 2;
    let [low, high] = [elapsedS, 1e4];
    for (let round = 0; round < 100; round++) {
      const middle = (low + high) / 2;
      if (above(middle) > goal) low = middle;
      else high = middle;
    }
    return low - elapsedS;
  }

  it('waits min(Δ/c_w, 2r + .2 s) for a better one, as a second computation has it', () => {
    const decided = acceptOrWait(view, small, [{ position: large, elapsedMs: 2000 }]);
    const gain = 0.25 * view.availability[large]!;
    const residual = residualAgain(2, Math.log(6), 0.6);
    expect(gain).toBeGreaterThan(0.01 * residual);
    expect(decided).toMatchObject({ type: 'wait', position: large });
    if (decided.type !== 'wait') return;
    expect(decided.gain).toBeCloseTo(gain, 12);
    expect(decided.residualMs / 1000).toBeCloseTo(residual, 3);
    expect(decided.waitMs).toBeCloseTo(Math.min((gain / 0.01) * 1000, 2 * decided.residualMs + 200, 8000), 9);
  });

  it('waits twice the median rest and .2 s where that is the least', () => {
    const steady = viewAt(learned(Array.from({ length: 60 }, () => traceOf('L-ge', { totalMs: 3000 }))));
    const decided = acceptOrWait(steady, small, [{ position: large, elapsedMs: 2500 }]);
    expect(decided).toMatchObject({ type: 'wait' });
    if (decided.type !== 'wait') return;
    expect(decided.waitMs).toBeCloseTo(2 * decided.residualMs + 200, 9);
    expect(decided.waitMs).toBeLessThan(4000);
  });

  it('takes the answer where nobody better runs, or the better one should have ended long ago', () => {
    expect(acceptOrWait(view, large, [{ position: small, elapsedMs: 10 }])).toEqual({ type: 'accept' });
    expect(acceptOrWait(view, small, [{ position: large, elapsedMs: 6000 * Math.exp(0.6 * 1.65) }])).toEqual({
      type: 'accept',
    });
    expect(acceptOrWait(view, small, [])).toEqual({ type: 'accept' });
  });

  it('takes it where the gain is not worth the median rest', () => {
    const far = viewAt(
      learned(Array.from({ length: 30 }, () => traceOf('L-ge', { totalMs: 80_000, firstTokenMs: 30_000 }))),
    );
    expect(acceptOrWait(far, 6, [{ position: large, elapsedMs: 100 }])).toEqual({ type: 'accept' });
  });

  it('never holds an answer longer than 8 s in all', () => {
    fc.assert(
      fc.property(
        fc.array(someTrace, { maxLength: 20 }),
        fc.nat(9),
        fc.nat(9),
        fc.nat(60_000),
        fc.nat(12_000),
        (...all) => {
          const [traces, winner, position, elapsedMs, heldMs] = all;
          const decided = acceptOrWait(viewAt(learned(traces)), winner, [{ position, elapsedMs }], heldMs);
          if (decided.type === 'wait') expect(heldMs + decided.waitMs).toBeLessThanOrEqual(8000 + 1e-9);
        },
      ),
    );
  });
});

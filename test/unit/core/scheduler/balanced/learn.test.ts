import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { balancedConstants as constants } from '../../../../../src/core/scheduler/balanced/constants.ts';
import { learn, learnQuality } from '../../../../../src/core/scheduler/balanced/learn.ts';
import { poolOf } from '../../../../../src/core/scheduler/balanced/pool.ts';
import { betaMoments, faultQuality } from '../../../../../src/core/scheduler/balanced/quality.ts';
import { emptyState, readState } from '../../../../../src/core/scheduler/balanced/savedState.ts';
import type { CallTrace, SchedulerState } from '../../../../../src/core/scheduler/balanced/types.ts';
import { viewOf } from '../../../../../src/core/scheduler/balanced/view.ts';
import { anyNumber, hostileTrace, learned, someTrace, START_MS, studyPool, traceOf } from './samples.ts';

const pool = poolOf(studyPool, constants);
const large = studyPool.find(({ id }) => id === 'L-ge')!;
const HALF_LIFE_MS = 180_000;

/** Availability of a candidate as it is seen at `nowMs`. */
function availabilityOf(state: SchedulerState, id: string, nowMs: number): number {
  return viewOf(state, pool, 'chat', nowMs).availability[pool.positions.get(id)!]!;
}

/** The printed formulas, computed a second time on plain variables; one candidate, `stepMs` between the calls. */
function secondComputation(traces: readonly CallTrace[], stepMs: number): Record<string, number> {
  const prior = [0.005, 0.005, 0.005, 0.0025];
  let p = [...prior];
  let f = 0.05;
  let [m, s2, n] = [Math.log(6000), 0.36, 1];
  let [tm, ts2, tn] = [Math.log(1500), 0.36, 1];
  let x = 0;
  let [alpha, beta] = [6 * 0.85, 6 * 0.15];
  const clip = (value: number, bound: number): number => Math.max(-bound, Math.min(bound, value));
  const robust = (m0: number, v0: number, n0: number, ln: number): [number, number, number] => {
    const gain = Math.max(1 / (n0 + 1), 0.01);
    const s = Math.sqrt(v0);
    const v = v0 + gain * (clip(ln - m0, 2.5 * s) ** 2 - v0);
    return [m0 + gain * clip(ln - m0, 2 * s), Math.min(1, Math.max(0.04, v)), Math.min(100, n0 + 1)];
  };
  traces.forEach((trace, index) => {
    const dt = index === 0 ? 0 : stepMs;
    p = p.map((value, d) =>
      Math.min(0.995, Math.max(1e-4, prior[d]! + (value - prior[d]!) * 2 ** (-dt / HALF_LIFE_MS))),
    );
    x *= 2 ** (-dt / HALF_LIFE_MS);
    // The long half-life of 14 days, towards the priors.
    const kept = 2 ** (-dt / (14 * 86_400_000));
    f = 0.05 + (f - 0.05) * kept;
    [m, s2, n] = [Math.log(6000) + (m - Math.log(6000)) * kept, 0.36 + (s2 - 0.36) * kept, 1 + (n - 1) * kept];
    [tm, ts2, tn] = [Math.log(1500) + (tm - Math.log(1500)) * kept, 0.36 + (ts2 - 0.36) * kept, 1 + (tn - 1) * kept];
    [alpha, beta] = [5.1 + (alpha - 5.1) * kept, 0.9 + (beta - 0.9) * kept];
    const up = p.reduce((product, value) => product * (1 - value), 1);
    const isFailure = trace.outcome === 'hard-failure';
    p = p.map((value, d) => {
      const others = p.reduce((product, other, e) => (e === d ? product : product * (1 - 0.97 * other)), 1 - f);
      const factor = isFailure ? (1 - 0.03 * others) / (1 - others) : 0.03;
      const odds = (value / (1 - value)) * factor;
      return Math.min(0.995, Math.max(1e-4, odds / (1 + odds)));
    });
    f = Math.max(1e-4, isFailure ? f + 0.005 * (1 - f) * up : f * 0.995);
    if (isFailure) return;
    [tm, ts2, tn] = robust(tm, ts2, tn, Math.log(trace.firstTokenMs!));
    [m, s2, n] = robust(m, s2, n, Math.log(trace.totalMs));
    x += 0.2 * (clip(Math.log(trace.totalMs) - m, 4) - x);
    const { q } = trace.quality[0]!;
    alpha = alpha * 2 ** (-1 / 300) + q;
    beta = beta * 2 ** (-1 / 300) + 1 - q;
  });
  const availability = p.reduce((product, value) => product * (1 - 0.97 * value), 1 - f);
  return { f, m, s2, tm, ts2, x, alpha, beta, p0: p[0]!, p1: p[1]!, p2: p[2]!, p3: p[3]!, availability };
}

describe('learning', () => {
  it('agrees with a second computation of the printed formulas to 1e-9', () => {
    const seen = fc.array(
      fc.record({
        isFailure: fc.boolean(),
        totalMs: fc.double({ min: 500, max: 60_000, noNaN: true }),
        firstTokenMs: fc.double({ min: 50, max: 20_000, noNaN: true }),
        q: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(seen, fc.integer({ min: 1, max: 600_000 }), (calls, stepMs) => {
        const traces = calls.map(({ isFailure, totalMs, firstTokenMs, q }) =>
          isFailure
            ? traceOf('L-ge', { outcome: 'hard-failure', firstTokenMs: null })
            : traceOf('L-ge', { totalMs, firstTokenMs, quality: [{ source: 'verifier', q }] }),
        );
        const state = learned(traces, { stepMs });
        const expected = secondComputation(traces, stepMs);
        const belief = state.candidates['L-ge']!;
        const counts = belief.quality.chat ?? { alpha: expected.alpha!, beta: expected.beta! };
        const actual: Record<string, number> = {
          f: belief.baseFail,
          m: belief.total.m,
          s2: belief.total.s2,
          tm: belief.firstToken.m,
          ts2: belief.firstToken.s2,
          x: belief.fast,
          ...counts,
          availability: availabilityOf(state, 'L-ge', state.atMs),
        };
        large.sources.forEach((source, index) => (actual[`p${index}`] = state.sources[source]!.p));
        for (const [name, value] of Object.entries(expected))
          expect(Math.abs(actual[name]! - value)).toBeLessThan(1e-9);
      }),
      { numRuns: 60 },
    );
  });

  it('never lets a cancelled loser lower the availability of anybody', () => {
    fc.assert(
      fc.property(fc.array(someTrace, { maxLength: 20 }), someTrace, (before, trace) => {
        const state = learned(before);
        const nowMs = START_MS + 20_000;
        const facts = studyPool.find(({ id }) => id === trace.candidate)!;
        const after = learn(state, facts, { ...trace, outcome: 'cancelled' }, nowMs, constants);
        for (const { id } of studyPool)
          expect(availabilityOf(after, id, nowMs)).toBeGreaterThanOrEqual(availabilityOf(state, id, nowMs) - 1e-12);
      }),
    );
  });

  it('takes a cancelled loser as censored: late ones raise x, early ones teach nothing of it', () => {
    // Half a deviation late is 6 s · e^.3 = 8.1 s; with x = ln 10 it is ten times that.
    const early = learned([traceOf('L-ge', { outcome: 'cancelled', totalMs: 8000, firstTokenMs: null })]);
    const belief = { ...early.candidates['L-ge']!, fast: Math.log(10) };
    const slow = { ...early, candidates: { 'L-ge': belief } };
    const cut = traceOf('L-ge', { outcome: 'cancelled', totalMs: 20_000, firstTokenMs: null });
    expect(learn(slow, large, cut, START_MS, constants).candidates['L-ge']!.fast).toBe(Math.log(10));
    const late = learned([traceOf('L-ge', { outcome: 'cancelled', totalMs: 30_000, firstTokenMs: null })]);
    expect(early.candidates['L-ge']!.fast).toBe(0);
    expect(late.candidates['L-ge']!.fast).toBeCloseTo(0.2 * (Math.log(30_000) + 0.25 - Math.log(6000)), 9);
    expect(late.candidates['L-ge']!.total).toEqual(early.candidates['L-ge']!.total);
  });

  it('never takes a cut attempt for a sign of being fast', () => {
    fc.assert(
      fc.property(
        fc.array(someTrace, { maxLength: 20 }),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        (before, totalMs) => {
          const state = learned(before, { stepMs: 0 });
          const fast = (of: SchedulerState): number => of.candidates['L-ge']?.fast ?? 0;
          const cut = traceOf('L-ge', { outcome: 'cancelled', totalMs, firstTokenMs: null });
          expect(fast(learn(state, large, cut, START_MS, constants))).toBeGreaterThanOrEqual(fast(state));
        },
      ),
    );
  });

  it('doubts the way to a candidate that hung, and not its own rate', () => {
    const state = learned([traceOf('L-ge', { outcome: 'hang-cut', firstTokenMs: null, totalMs: 9000 })]);
    expect(state.sources['region:global-east']!.p).toBeGreaterThan(0.015);
    expect(state.candidates['L-ge']!.baseFail).toBe(0.05);
  });

  it('takes an invalid output for a way that works and an answer that does not', () => {
    const state = learned([traceOf('L-ge', { outcome: 'invalid-output', quality: [{ source: 'verifier', q: 0 }] })]);
    expect(state.sources['own:L-ge']!.p).toBeLessThan(0.005);
    expect(state.candidates['L-ge']!.baseFail).toBeCloseTo(0.05 + 0.005 * 0.95, 12);
    expect(state.candidates['L-ge']!.quality).toEqual({});
    expect(state.candidates['L-ge']!.total.n).toBe(1);
  });

  it('learns nothing from a neutral end or from the trace of another candidate', () => {
    expect(learn(emptyState, large, traceOf('L-ge', { outcome: 'neutral' }), START_MS, constants)).toBe(emptyState);
    expect(learn(emptyState, large, traceOf('M-ge'), START_MS, constants)).toBe(emptyState);
  });

  it('lets a ping clear the sources and set the present speed, and nothing else', () => {
    const slow = learned(Array.from({ length: 30 }, () => traceOf('L-ge', { totalMs: 60_000, firstTokenMs: 15_000 })));
    const pinged = learn(
      slow,
      large,
      traceOf('L-ge', { isPing: true, firstTokenMs: 600, totalMs: 610 }),
      slow.atMs,
      constants,
    );
    const [before, after] = [slow, pinged].map((state) => state.candidates['L-ge']!);
    expect(after!.fast).toBeCloseTo(before!.fast + 0.5 * (Math.log(600) - before!.firstToken.m - before!.fast), 9);
    expect({ ...after, fast: 0 }).toEqual({ ...before, fast: 0 });
    const lost = learn(
      slow,
      large,
      traceOf('L-ge', { isPing: true, outcome: 'hard-failure', firstTokenMs: null }),
      slow.atMs,
      constants,
    );
    expect(lost.sources['own:L-ge']!.p).toBeGreaterThan(slow.sources['own:L-ge']!.p);
    expect(lost.candidates['L-ge']!.baseFail).toBe(before!.baseFail);
  });

  it('blames the key alone for a refused key', () => {
    const state = learned([traceOf('L-ge', { outcome: 'hard-failure', firstTokenMs: null, blames: ['own'] })]);
    expect(Object.keys(state.sources)).toEqual(['own:L-ge']);
  });

  it('keeps away from a candidate that asked for it, for as long as it asked, and through any jump of the clock', () => {
    const state = learned([
      traceOf('L-ge', { outcome: 'hard-failure', firstTokenMs: null, retryAfterMs: 60_000, blames: ['own'] }),
    ]);
    expect(availabilityOf(state, 'L-ge', START_MS + 59_000)).toBeLessThan(0.05);
    expect(availabilityOf(state, 'L-ge', START_MS + 61_000)).toBeGreaterThan(0.8);
    expect(availabilityOf(state, 'L-ge', START_MS - 3e9)).toBeGreaterThan(0.9);
  });
});

describe('quality', () => {
  it('starts at the prior of the tier and moves with the verdicts, per role', () => {
    const state = learned([traceOf('L-ge', { role: 'coder', quality: [{ source: 'verifier', q: 0 }] })]);
    const view = (role: string): number => viewOf(state, pool, role, START_MS).mu[7]!;
    expect(view('chat')).toBeCloseTo(0.85, 12);
    expect(view('coder')).toBeCloseTo((5.1 * 2 ** (-1 / 300)) / (6 * 2 ** (-1 / 300) + 1), 12);
  });

  it('weighs a verdict by its source', () => {
    const after = (source: 'verifier' | 'judge' | 'schema'): number => {
      const state = learnQuality(emptyState, large, 'chat', { source, q: 0 }, START_MS, constants);
      return betaMoments(state.candidates['L-ge']!.quality.chat!).mu;
    };
    expect(after('verifier')).toBeLessThan(after('judge'));
    expect(after('judge')).toBeLessThan(after('schema'));
    expect(after('schema')).toBeLessThan(0.85);
  });

  it('forgets by observations: half of the weight in 300', () => {
    let state: SchedulerState = emptyState;
    for (let verdict = 0; verdict < 3000; verdict++)
      state = learnQuality(state, large, 'chat', { source: 'verifier', q: 0.9 }, START_MS, constants);
    for (let verdict = 0; verdict < 300; verdict++)
      state = learnQuality(state, large, 'chat', { source: 'verifier', q: 0.5 }, START_MS, constants);
    expect(betaMoments(state.candidates['L-ge']!.quality.chat!).mu).toBeCloseTo(0.7, 2);
  });

  it('does not depend on the order of role keys', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(['a', 'b', 'c', 'd'], { minLength: 4 }), someTrace, (roles, trace) => {
        const verdict = { source: 'verifier' as const, q: 0.3 };
        const state = learned(
          ['a', 'b', 'c', 'd'].map((role) => traceOf('L-ge', { role, quality: [verdict] })),
          { stepMs: 0 },
        );
        const belief = state.candidates['L-ge']!;
        const shuffled = { ...belief, quality: Object.fromEntries(roles.map((role) => [role, belief.quality[role]!])) };
        const other = { ...state, candidates: { ...state.candidates, 'L-ge': shuffled } };
        const next = { ...trace, candidate: 'L-ge', role: 'a' };
        const learn1 = learn(state, large, next, START_MS + 5000, constants);
        const learn2 = learn(other, large, next, START_MS + 5000, constants);
        expect(learn2).toEqual(learn1);
      }),
    );
  });

  it('knows what a semantic failure says of an answer', () => {
    expect(faultQuality('V1')).toBe(0);
    expect(faultQuality('T5')).toBe(0.2);
    expect(faultQuality('T1')).toBeNull();
    expect(faultQuality('T8')).toBeNull();
  });
});

describe('forgetting and the clock', () => {
  it('returns everything to the prior, given time', () => {
    fc.assert(
      fc.property(fc.array(someTrace, { maxLength: 30 }), (traces) => {
        const later = START_MS + 20 * 365 * 86_400_000;
        const [seen, fresh] = [learned(traces), emptyState].map((state) => viewOf(state, pool, 'chat', later));
        for (const column of ['availability', 'mu', 'sigma', 'lnTotalMs', 'totalSd', 'lnFirstTokenMs', 'fast'] as const)
          seen![column].forEach((value, position) => expect(value).toBeCloseTo(fresh![column][position]!, 9));
      }),
    );
  });

  it.each([
    ['forward', 1],
    ['back', -1],
  ])('relaxes the sources and x when the clock jumps a month %s, and goes on from there', (_, sign) => {
    const month = 30 * 86_400_000;
    const bad = Array.from({ length: 10 }, () => traceOf('L-ge', { outcome: 'hard-failure', firstTokenMs: null }));
    const state = learned(bad);
    expect(availabilityOf(state, 'M-ge', state.atMs)).toBeLessThan(0.5);
    const nowMs = state.atMs + sign * month;
    expect(availabilityOf(state, 'M-ge', nowMs)).toBeGreaterThan(0.9);
    // Somebody else's call: what shares nothing with it must be settled too.
    const local = studyPool.find(({ id }) => id === 'M-loc')!;
    const after = learn(state, local, traceOf('M-loc'), nowMs, constants);
    expect(after.atMs).toBe(nowMs);
    expect(availabilityOf(after, 'M-ge', nowMs)).toBeGreaterThan(0.9);
    // Nothing comes back as time goes on, nor when a clock that was set back reaches the old times again.
    const later = Math.max(nowMs + 1000, state.atMs);
    expect(availabilityOf(after, 'M-ge', later)).toBeGreaterThan(0.9);
    for (const { atMs } of [...Object.values(after.sources), ...Object.values(after.candidates)])
      expect(atMs).toBeLessThanOrEqual(nowMs);
  });

  it('takes a time that is no number as no time gone by', () => {
    const state = learned([traceOf('L-ge', { outcome: 'hard-failure', firstTokenMs: null })]);
    expect(learn(state, large, traceOf('L-ge'), NaN, constants)).toEqual(
      learn(state, large, traceOf('L-ge'), state.atMs, constants),
    );
    expect(viewOf(state, pool, 'chat', Infinity).nowMs).toBe(state.atMs);
  });
});

describe('hostile numbers', () => {
  it('leave every figure a number and every probability within 0 and 1', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(hostileTrace, anyNumber), { maxLength: 25 }), anyNumber, (steps, readMs) => {
        let state: SchedulerState = emptyState;
        for (const [trace, nowMs] of steps) {
          const facts = studyPool.find(({ id }) => id === trace.candidate)!;
          state = learn(state, facts, trace, nowMs, constants);
        }
        const view = viewOf(state, pool, 'chat', readMs);
        for (const column of [view.down, view.availability, view.up, view.mu, view.baseFail])
          for (const value of column) expect(value >= 0 && value <= 1).toBe(true);
        for (const column of [
          view.lnTotalMs,
          view.totalSd,
          view.lnFirstTokenMs,
          view.firstTokenSd,
          view.fast,
          view.sigma,
        ])
          for (const value of column) expect(Number.isFinite(value)).toBe(true);
        expect(readState(JSON.parse(JSON.stringify(state)))).not.toBeNull();
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Criticality } from '../../../../../src/core/context.ts';
import { balancedConstants, constantsOf } from '../../../../../src/core/scheduler/balanced/constants.ts';
import { explainPlan } from '../../../../../src/core/scheduler/balanced/explain.ts';
import { factsOf } from '../../../../../src/core/scheduler/balanced/facts.ts';
import { planBalanced } from '../../../../../src/core/scheduler/balanced/planBalanced.ts';
import { poolOf } from '../../../../../src/core/scheduler/balanced/pool.ts';
import { attemptPrice, relativePrice, usualCall } from '../../../../../src/core/scheduler/balanced/pricing.ts';
import { emptyState } from '../../../../../src/core/scheduler/balanced/savedState.ts';
import type { CandidateFacts, SchedulerState } from '../../../../../src/core/scheduler/balanced/types.ts';
import { anyNumber, learned, someTrace, START_MS, studyPool, traceOf } from './samples.ts';
import { candidate } from '../../../../support/candidates.ts';

const pool = poolOf(studyPool, balancedConstants);
const plan = (state: SchedulerState, nowMs = START_MS, from = pool) =>
  planBalanced(state, { pool: from, role: 'chat', nowMs });

/** I_i from the saved state alone, formula by formula, in seconds as the study has it. */
function indexAgain(state: SchedulerState, facts: CandidateFacts, nowMs: number): number {
  const prior = { S: [0.6, 2], M: [0.75, 3.5], L: [0.85, 6], unknown: [0.7, 3.5] }[facts.tier] as [number, number];
  const belief = state.candidates[facts.id];
  const age = belief ? nowMs - belief.atMs : 0;
  const kept = 2 ** (-age / (14 * 86_400_000));
  const relax = (learnedValue: number | undefined, priorValue: number): number =>
    learnedValue === undefined ? priorValue : priorValue + (learnedValue - priorValue) * kept;
  const f = relax(belief?.baseFail, 0.05);
  const m = relax(belief?.total.m, Math.log(prior[1] * 1000)) - Math.log(1000);
  const s2 = relax(belief?.total.s2, 0.36);
  const tm = relax(belief?.firstToken.m, Math.log(prior[1] * 250)) - Math.log(1000);
  const ts = Math.sqrt(relax(belief?.firstToken.s2, 0.36));
  const x = Math.max(-0.5, (belief?.fast ?? 0) * 2 ** (-age / 180_000));
  const counts = belief?.quality.chat;
  const alpha = relax(counts?.alpha, 6 * prior[0]);
  const beta = relax(counts?.beta, 6 * (1 - prior[0]));
  const mu = alpha / (alpha + beta);
  const sigma = Math.sqrt((alpha * beta) / ((alpha + beta) ** 2 * (alpha + beta + 1)));
  const a = facts.sources.reduce((product, source) => {
    const p0 = source.startsWith('backbone') ? 0.0025 : 0.005;
    const seen = state.sources[source];
    const p = seen ? p0 + (seen.p - p0) * 2 ** (-(nowMs - seen.atMs) / 180_000) : p0;
    return product * (1 - 0.97 * p);
  }, 1 - f);
  const total = 1.15 * Math.exp(m + x + s2 / 2);
  const det = 0.5 * Math.min(20, Math.exp(tm + x + 2.33 * ts)) + 0.5;
  const price = facts.price && 'relative' in facts.price ? facts.price.relative : NaN;
  return (
    Math.min(1, mu + 0.2 * sigma) -
    0.01 * Math.min(total, 60) -
    0.02 * price -
    ((1 - a) / Math.max(a, 0.002)) * (0.01 * det + 0.05)
  );
}

describe('planning', () => {
  it('ranks by an index that a second computation finds to 1e-9', () => {
    fc.assert(
      fc.property(fc.array(someTrace, { maxLength: 40 }), fc.integer({ min: 0, max: 3_600_000 }), (traces, later) => {
        const state = learned(traces);
        const nowMs = START_MS + 40_000 + later;
        const made = plan(state, nowMs);
        const rows = made.ranking();
        for (const row of rows) {
          const again = indexAgain(state, studyPool[row.position]!, nowMs);
          expect(Math.abs(row.index - again)).toBeLessThan(1e-9);
          expect(Math.abs(made.scores[row.position]! - again)).toBeLessThan(1e-9);
          expect(
            Math.abs(row.index - (row.quality - row.latency - row.money - row.failure + row.affinity)),
          ).toBeLessThan(1e-12);
        }
        rows.slice(1).forEach((row, index) => expect(row.index).toBeLessThanOrEqual(rows[index]!.index + 1e-12));
      }),
      { numRuns: 60 },
    );
  });

  it('starts with one call where nothing is known, and promises what the formula says', () => {
    const made = plan(emptyState);
    expect(made.startIds).toHaveLength(1);
    const [best] = made.ranking();
    expect(made.startIds[0]).toBe(best!.id);
    expect(made.promisedSuccess).toBeCloseTo(0.95 * (1 - 0.97 * 0.005) ** 3, 9);
    expect(made.isReached).toBe(true);
  });

  it('adds the next while too little is promised, at most three, and says when it is not enough', () => {
    const bad = studyPool.flatMap(({ id }) =>
      Array.from({ length: 6 }, () => traceOf(id, { outcome: 'hard-failure', firstTokenMs: null })),
    );
    const made = plan(learned(bad, { stepMs: 1 }), START_MS + 100);
    expect(made.start).toHaveLength(3);
    expect(made.isReached).toBe(false);
    expect(made.jointFailure).toBeGreaterThan(made.independentFailure);
  });

  it('starts two in fast mode where the best is less available than .90', () => {
    const some = Array.from({ length: 24 }, (_, index) =>
      traceOf(index % 2 ? 'L-ge' : 'L-reg', { outcome: 'invalid-output' }),
    );
    const state = learned(some);
    const fast = poolOf([studyPool[7]!, studyPool[4]!], constantsOf('fast'));
    expect(plan(state, state.atMs, fast).start).toHaveLength(2);
    const slow = poolOf([studyPool[7]!, studyPool[4]!], balancedConstants);
    expect(plan(state, state.atMs, slow).start).toHaveLength(1);
  });

  it('leaves a region within four failures, however healthy it was', () => {
    const healthy = Array.from({ length: 200 }, (_, index) =>
      traceOf(studyPool[index % 10]!.id, {
        totalMs: 4000,
        quality: [{ source: 'verifier', q: index % 10 === 7 ? 0.95 : 0.75 }],
      }),
    );
    let state = learned(healthy);
    expect(plan(state, state.atMs).startIds).toEqual(['L-ge']);
    let failures = 0;
    while (plan(state, state.atMs).startIds[0]!.includes('-ge') && failures < 20) {
      const [primary] = plan(state, state.atMs).startIds;
      state = learned([traceOf(primary!, { outcome: 'hard-failure', firstTokenMs: null })], {
        from: state,
        startMs: state.atMs + 1000,
      });
      failures++;
    }
    expect(failures).toBeLessThanOrEqual(4);
  });

  it('keeps input order where indices are equal, and the route order when it is asked to', () => {
    const same = ['c', 'a', 'b'].map((id): CandidateFacts => ({ ...studyPool[3]!, id, sources: [`own:${id}`] }));
    const equal = poolOf(same, balancedConstants);
    expect(
      plan(emptyState, START_MS, equal)
        .ranking()
        .map(({ id }) => id),
    ).toEqual(['c', 'a', 'b']);
    const listed = planBalanced(emptyState, { pool, role: 'chat', nowMs: START_MS, order: 'listed' });
    expect(listed.startIds).toEqual(['S-loc']);
  });

  it('has nothing to start in an empty pool', () => {
    const made = plan(emptyState, START_MS, poolOf([], balancedConstants));
    expect(made).toMatchObject({ start: [], promisedSuccess: 0, jointFailure: 1, isReached: false });
    expect(explainPlan(made).why).toEqual(['No candidate may serve this call.']);
  });

  it('stays a number whatever prices, capacities and shares it is given', () => {
    fc.assert(
      fc.property(anyNumber, anyNumber, anyNumber, anyNumber, (a, b, c, nowMs) => {
        const odd = studyPool.map((facts, index): CandidateFacts => ({
          ...facts,
          price: index % 2 ? { inputUsdPerMTok: a, outputUsdPerMTok: b, cachedInputUsdPerMTok: c } : { relative: a },
          capacity: b,
        }));
        const call = {
          promptTokens: a,
          outputTokens: b,
          worstOutputTokens: c,
          cachedShare: () => c,
          inFlight: () => b,
        };
        const made = planBalanced(learned([traceOf('L-ge')]), {
          pool: poolOf(odd, balancedConstants),
          role: 'x',
          nowMs,
          call,
        });
        for (const score of made.scores) expect(Number.isFinite(score)).toBe(true);
        expect(made.promisedSuccess >= 0 && made.promisedSuccess <= 1).toBe(true);
      }),
    );
  });
});

describe('the borders of a start set', () => {
  /** Every candidate is likely to be down: the threshold asks for as many as there may be. */
  const suspect = (facts: readonly CandidateFacts[]): SchedulerState => ({
    ...emptyState,
    sources: Object.fromEntries(facts.map(({ id }) => [`own:${id}`, { p: 0.6, atMs: START_MS }])),
  });
  const alone = (id: string, isLocalCompute: boolean): CandidateFacts => ({
    ...studyPool[4]!,
    id,
    sources: [`own:${id}`],
    ...(isLocalCompute ? { isLocalCompute } : {}),
  });
  const clouds = ['a', 'b', 'c', 'd'].map((id) => alone(id, false));
  const made = (facts: readonly CandidateFacts[], criticality?: Criticality, minStart = 1) =>
    planBalanced(suspect(facts), {
      pool: poolOf(facts, constantsOf('balanced', { minStart })),
      role: 'chat',
      nowMs: START_MS,
      order: 'listed',
      ...(criticality ? { criticality } : {}),
    });

  it('start one for what nothing waits for, and as many as the threshold asks for at medium and high', () => {
    expect(made(clouds).startIds).toEqual(['a', 'b', 'c']);
    expect(made(clouds, 'low')).toMatchObject({ startIds: ['a'], isReached: false, heldBackBy: 'off-critical-path' });
    for (const criticality of ['medium', 'high'] as const)
      expect(made(clouds, criticality)).toMatchObject({ startIds: ['a', 'b', 'c'], heldBackBy: null });
  });

  it('start one where the first or the second computes on this machine, and stop before the third that does', () => {
    const [a, b, c] = clouds;
    const local = alone('local', true);
    expect(made([local, a!, b!], 'high')).toMatchObject({ startIds: ['local'], heldBackBy: 'local-compute' });
    expect(made([a!, local, b!], 'high')).toMatchObject({ startIds: ['a'], heldBackBy: 'local-compute' });
    expect(made([a!, b!, local, c!], 'high')).toMatchObject({ startIds: ['a', 'b'], heldBackBy: 'local-compute' });
  });

  it('say why in the plan, and nothing where the threshold asks for no more', () => {
    expect(explainPlan(made(clouds, 'low')).why.join(' ')).toContain(
      'No more are started for that: nothing waits for it, so one execution is enough.',
    );
    const calm = planBalanced(emptyState, {
      pool: poolOf(clouds, balancedConstants),
      role: 'chat',
      nowMs: START_MS,
      criticality: 'low',
    });
    expect(calm).toMatchObject({ isReached: true, heldBackBy: null });
    expect(explainPlan(calm).why.join(' ')).not.toContain('No more are started');
  });

  it('leave what a person has set as the least', () => {
    expect(made(clouds, 'low', 2)).toMatchObject({ startIds: ['a', 'b'], heldBackBy: 'off-critical-path' });
  });
});

describe('prices', () => {
  const priced = (id: string, cachedInputUsdPerMTok: number | null): CandidateFacts => ({
    ...studyPool[7]!,
    id,
    sources: [`own:${id}`],
    price: { inputUsdPerMTok: 3, outputUsdPerMTok: 15, cachedInputUsdPerMTok },
  });
  const twins = poolOf([priced('cold', 0.3), priced('warm', 0.3)], balancedConstants);
  const call = { ...usualCall(twins), cachedShare: (position: number) => (position === 1 ? 0.9 : 0) };

  it('solve the worked number: cold 1, nine tenths cached .595', () => {
    expect(relativePrice(twins, 0, call)).toBeCloseTo(1, 12);
    expect(relativePrice(twins, 1, call)).toBeCloseTo(0.595, 12);
  });

  it('are told before launch, with the worst case and what a loser costs', () => {
    const price = attemptPrice(twins, 1, call)!;
    expect(price.expectedUsd).toBeCloseTo((3000 * (0.1 * 3 + 0.9 * 0.3) + 600 * 15) / 1e6, 12);
    expect(price.worstUsd).toBeCloseTo((3000 * 3 + 4096 * 15) / 1e6, 12);
    expect(attemptPrice(twins, 1, { ...call, worstOutputTokens: 100 })!.worstUsd).toBe(
      attemptPrice(twins, 0, { ...call, worstOutputTokens: 600 })!.worstUsd,
    );
    expect(price.lostUsd).toBeCloseTo((3000 * 3) / 1e6, 12);
    expect(attemptPrice(pool, 0, usualCall(pool))).toBeNull();
  });

  it('and affinity keep a session where its cache is warm, unless leaving is worth it', () => {
    const at = (state: SchedulerState) =>
      planBalanced(state, { pool: twins, role: 'chat', nowMs: START_MS, call }).startIds;
    expect(at(emptyState)).toEqual(['warm']);
    const made = planBalanced(emptyState, { pool: twins, role: 'chat', nowMs: START_MS, call });
    const row = made.ranking()[0]!;
    expect(made.scores[row.position]).toBeCloseTo(row.index, 12);
    expect(row.affinity).toBeCloseTo(0.03 * 0.9, 12);
    const down = { ...emptyState, sources: { 'own:warm': { p: 0.6, atMs: START_MS } } };
    expect(at(down)).toEqual(['cold']);
  });

  it('stand in by tier where none is known', () => {
    const unknown = poolOf([{ ...studyPool[0]!, price: null }], balancedConstants);
    expect(relativePrice(unknown, 0, usualCall(unknown))).toBeCloseTo(0.1, 12);
  });

  it('and load: a full server is as slow as its queue', () => {
    const local = poolOf([{ ...studyPool[0]!, capacity: 2 }], balancedConstants);
    const totalMs = (running: number): number =>
      planBalanced(emptyState, {
        pool: local,
        role: 'chat',
        nowMs: START_MS,
        call: { ...usualCall(local), inFlight: () => running },
      }).ranking()[0]!.totalMs;
    expect(totalMs(1)).toBe(totalMs(0));
    expect(totalMs(5) / totalMs(0)).toBeCloseTo(3, 12);
  });
});

describe('explanations', () => {
  it('name the leader, why it leads, what starts and what comes next', () => {
    const made = plan(emptyState);
    const { why, firstHedge, timers, start } = explainPlan(made);
    expect(why[0]).toContain(`${start[0]} leads with`);
    expect(why.join(' ')).toContain('wanted are 80.0 %');
    expect(firstHedge!.id).not.toBe(start[0]);
    expect(timers[start[0]!]).toEqual(made.timers(made.start[0]!));
  });

  it('say when a threshold above the best takes two calls', () => {
    const fast = poolOf(studyPool, constantsOf('fast', { startThreshold: 0.97 }));
    expect(explainPlan(plan(emptyState, START_MS, fast)).why.join(' ')).toContain('takes more than one call');
  });
});

describe('facts of a configured candidate', () => {
  it('name its sources by kind, without a vendor for a local one', () => {
    const hosted = candidate('main', {
      domains: { own: 'o', region: 'v:r', vendor: 'v', backbone: 'b' },
      environment: 'global',
    });
    expect(factsOf(hosted).sources).toEqual(['own:o', 'region:v:r', 'vendor:v', 'backbone:b']);
    const local = candidate('main', { domains: { own: 'o', region: 'v:r', vendor: 'v' }, environment: 'local' });
    expect(factsOf(local, 4)).toMatchObject({ sources: ['own:o', 'region:v:r'], capacity: 4 });
    expect(factsOf(candidate('main', { tier: 'small', priceSource: 'unknown' }))).toMatchObject({
      tier: 'S',
      price: null,
    });
  });
});

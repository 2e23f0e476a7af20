import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planLiteral, type LiteralCandidate, type LiteralParameters } from '../../../../src/core/scheduler/literal.ts';

const parameters: LiteralParameters = {
  lambda: 1,
  gamma: 0.7,
  eta: 0.23,
  kappa: 1,
  epsB: 50,
  epsR: 0.05,
  rhoCap: 0.98,
  tau: 0.9,
  t0Ms: 105,
};

/** Beta counts with the given mean and standard deviation. */
function counts(mu: number, sigma: number): { alpha: number; beta: number } {
  const weight = (mu * (1 - mu)) / sigma ** 2 - 1;
  return { alpha: mu * weight, beta: (1 - mu) * weight };
}

function literal(id: string, change: Partial<LiteralCandidate>): LiteralCandidate {
  return { id, alpha: 1, beta: 1, fInt: 0, lossNet: 0, procMs: 100, bytes: 0, bandwidth: 1000, jitter: 0, ...change };
}

describe('literal HACO', () => {
  it('solves the worked example of the text: regional and global reach 90.4 %', () => {
    const pool = [
      literal('global-east', { ...counts(0.88, 0.1125), fInt: 0, lossNet: 0.1265, procMs: 800 }),
      literal('local', { ...counts(0.42, 0.08), procMs: 60 }),
      literal('regional', { ...counts(0.75, 0.08), lossNet: 0.02, procMs: 80 }),
      literal('global-west', { ...counts(0.4, 0.08), lossNet: 0.1, procMs: 800 }),
    ];
    const plan = planLiteral(pool, parameters);
    expect(plan.ranking.map((row) => row.id)).toEqual(['regional', 'global-east', 'local', 'global-west']);
    expect(plan.hedgeSet).toEqual(['regional', 'global-east']);
    const [regional, global] = plan.ranking;
    expect(regional!.utility).toBeCloseTo(0.72, 2);
    expect(global!.utility).toBeCloseTo(0.58, 2);
    expect(regional!.lowerBound).toBeCloseTo(0.68, 2);
    expect(global!.lowerBound).toBeCloseTo(0.7, 2);
    expect(1 - plan.failureProbability).toBeCloseTo(0.904, 3);
    expect(plan.targetReached).toBe(true);
  });

  it('keeps input order where utilities are equal', () => {
    const plan = planLiteral(
      ['c', 'a', 'b'].map((id) => literal(id, {})),
      parameters,
    );
    expect(plan.ranking.map((row) => row.id)).toEqual(['c', 'a', 'b']);
  });

  it('takes the whole pool and says so when tau cannot be reached', () => {
    const plan = planLiteral([literal('a', {}), literal('b', {})], { ...parameters, tau: 0.99 });
    expect(plan.hedgeSet).toEqual(['a', 'b']);
    expect(plan.targetReached).toBe(false);
  });

  it('has no hedge set and certain failure for an empty pool', () => {
    expect(planLiteral([], parameters)).toEqual({
      ranking: [],
      order: [],
      hedgeSet: [],
      failureProbability: 1,
      targetReached: false,
    });
  });

  it('uses the mean of the two middle latencies as T0 when none is given', () => {
    const plan = planLiteral([literal('a', { procMs: 100 }), literal('b', { procMs: 300 })], {
      ...parameters,
      t0Ms: null,
    });
    expect(plan.ranking.find((row) => row.id === 'a')!.cost).toBeCloseTo(Math.log(1.5), 9);
    expect(plan.ranking.find((row) => row.id === 'b')!.cost).toBeCloseTo(Math.log(2.5), 9);
  });

  const candidates = fc.array(
    fc.record({
      alpha: fc.double({ min: 0.5, max: 200, noNaN: true }),
      beta: fc.double({ min: 0.5, max: 200, noNaN: true }),
      fInt: fc.double({ min: 0, max: 1, noNaN: true }),
      lossNet: fc.double({ min: 0, max: 1, noNaN: true }),
      procMs: fc.double({ min: 1, max: 60_000, noNaN: true }),
      bytes: fc.double({ min: 0, max: 1e6, noNaN: true }),
      bandwidth: fc.double({ min: 0, max: 1e5, noNaN: true }),
      jitter: fc.double({ min: 0, max: 1e4, noNaN: true }),
    }),
    { minLength: 1, maxLength: 20 },
  );

  it('chooses the shortest prefix that reaches tau, whatever the pool', () => {
    fc.assert(
      fc.property(candidates, fc.double({ min: 0, max: 1, noNaN: true }), (pool, tau) => {
        const plan = planLiteral(
          pool.map((row, index) => ({ id: String(index), ...row })),
          { ...parameters, tau, t0Ms: null },
        );
        const failure = (size: number): number =>
          plan.ranking.slice(0, size).reduce((product, row) => product * (1 - row.lowerBound), 1);
        const size = plan.hedgeSet.length;
        expect(plan.hedgeSet).toEqual(plan.ranking.slice(0, size).map((row) => row.id));
        expect(plan.failureProbability).toBeCloseTo(failure(size), 12);
        if (size > 0) expect(1 - failure(size - 1)).toBeLessThan(tau);
        if (size < pool.length) expect(plan.targetReached).toBe(true);
        for (const row of plan.ranking) expect(row.lowerBound).toBeLessThanOrEqual(0.98);
      }),
    );
  });
});

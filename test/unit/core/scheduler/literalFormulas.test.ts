// The printed formulas a second time, from the document and in exact arithmetic, and held against the product's: no line is shared.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planLiteral, type LiteralCandidate, type LiteralParameters } from '../../../../src/core/scheduler/literal.ts';
import {
  exactly,
  greatest,
  isLess,
  least,
  logOf,
  minus,
  over,
  plus,
  rootOf,
  times,
  toNumber,
  type Fraction,
} from '../../../support/exactNumbers.ts';

const one = exactly(1);
const zero = exactly(0);

/** T of the document: processing plus bytes over the bandwidth that jitter leaves. */
function exactLatency(each: LiteralCandidate, { epsB, kappa }: LiteralParameters): Fraction {
  const left = minus(exactly(each.bandwidth), times(exactly(kappa), exactly(each.jitter)));
  return plus(exactly(each.procMs), over(exactly(each.bytes), greatest(exactly(epsB), left)));
}

function exactMedian(values: readonly Fraction[]): Fraction {
  const sorted = [...values].sort((a, b) => (isLess(a, b) ? -1 : isLess(b, a) ? 1 : 0));
  const upper = sorted[Math.floor(sorted.length / 2)]!;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1]!;
  return over(plus(lower, upper), exactly(2));
}

interface ExactRow {
  readonly mu: Fraction;
  readonly sigma: Fraction;
  readonly rho: Fraction;
  readonly latencyMs: Fraction;
  readonly cost: Fraction;
  readonly decay: Fraction;
  readonly utility: Fraction;
  readonly lowerBound: Fraction;
}

function exactRow(each: LiteralCandidate, t0: Fraction, parameters: LiteralParameters): ExactRow {
  const [alpha, beta] = [exactly(each.alpha), exactly(each.beta)];
  const [lambda, gamma, eta] = [exactly(parameters.lambda), exactly(parameters.gamma), exactly(parameters.eta)];
  const sum = plus(alpha, beta);
  const mu = over(alpha, sum);
  const sigma = rootOf(over(times(alpha, beta), times(times(sum, sum), plus(sum, one))));
  const rho = times(minus(one, exactly(each.fInt)), minus(one, exactly(each.lossNet)));
  const latencyMs = exactLatency(each, parameters);
  // Where the pool's median is 0 nothing can be compared with it, and nobody is charged.
  const cost = t0.n === 0n ? zero : logOf(plus(one, over(latencyMs, t0)));
  const decay = plus(one, times(eta, cost));
  const optimistic = least(one, plus(mu, times(lambda, sigma)));
  const careful = greatest(exactly(parameters.epsR), minus(mu, times(gamma, sigma)));
  return {
    ...{ mu, sigma, rho, latencyMs, cost, decay },
    utility: over(times(optimistic, rho), decay),
    lowerBound: least(exactly(parameters.rhoCap), times(careful, rho)),
  };
}

/** What doubles may be off by: 1e-9 of the value, and more only where b - kappa·j has taken away almost all there was. */
function toleranceOf(each: LiteralCandidate, { epsB, kappa }: LiteralParameters): number {
  const jitter = kappa * each.jitter;
  const left = Math.max(epsB, each.bandwidth - jitter);
  return 1e-9 + (2 ** -51 * (each.bandwidth + jitter)) / left;
}

function expectClose(actual: number, exact: Fraction, tolerance: number, what: string): void {
  const wanted = toNumber(exact);
  expect(Math.abs(actual - wanted), `${what}: ${actual} against ${wanted}`).toBeLessThanOrEqual(
    tolerance * Math.max(1, Math.abs(wanted)),
  );
}

const within = (min: number, max: number, ...extremes: number[]): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.double({ min, max, noNaN: true }) },
    { weight: 1, arbitrary: fc.constantFrom(min, max, ...extremes) },
  );
/** Times and sizes: what lies below 1e-12 is none, since doubles lose their digits near 1e-308. */
const amount = (max: number, ...extremes: number[]): fc.Arbitrary<number> =>
  within(0, max, ...extremes).map((value) => (value < 1e-12 ? 0 : value));
const share = within(0, 1, Number.MIN_VALUE, 1e-9, 0.5, 1 - 2 ** -53);

const parametersOf: fc.Arbitrary<LiteralParameters> = fc.record({
  lambda: within(0, 1000, 1),
  gamma: within(0, 1000, 0.7),
  eta: within(0, 1000, 0.23),
  kappa: within(0, 1000, 1),
  epsB: within(1e-6, 1e6, 0.05, 50),
  epsR: share,
  rhoCap: share,
  tau: share,
  t0Ms: fc.option(within(1e-3, 604_800_000, 105)),
});
const poolOf: fc.Arbitrary<readonly LiteralCandidate[]> = fc
  .array(
    fc.record({
      alpha: fc.oneof(within(1, 2000), fc.constantFrom(1e-100, 1e-6, 1e15, 1e100)),
      beta: fc.oneof(within(1, 2000), fc.constantFrom(1e-100, 1e-6, 1e15, 1e100)),
      fInt: share,
      lossNet: share,
      procMs: amount(604_800_000, 1e-9, 1e15),
      bytes: amount(1e9, 1e15),
      bandwidth: within(0, 1e6, 1e-6),
      jitter: within(0, 1e6, 1e-6),
    }),
    { minLength: 1, maxLength: 10 },
  )
  .chain((rows) => {
    const pool = rows.map((row, index) => ({ id: String(index), ...row }));
    // Some are doubled, so that there are ties.
    return fc.subarray(pool).map((doubled) => [...pool, ...doubled.map((row) => ({ ...row, id: `${row.id}'` }))]);
  });

describe('the printed formulas', () => {
  it('agree with a computation in exact arithmetic to 1e-9, over the whole range of every parameter', () => {
    fc.assert(
      fc.property(poolOf, parametersOf, (pool, parameters) => {
        const plan = planLiteral(pool, parameters);
        const t0 =
          parameters.t0Ms === null
            ? exactMedian(pool.map((each) => exactLatency(each, parameters)))
            : exactly(parameters.t0Ms);
        // An error of any T is one of T0.
        const tolerance = Math.max(...pool.map((each) => toleranceOf(each, parameters)));
        const exact = new Map(pool.map((each) => [each.id, exactRow(each, t0, parameters)]));
        expect(plan.ranking).toHaveLength(pool.length);
        for (const row of plan.ranking) {
          const wanted = exact.get(row.id)!;
          for (const name of ['mu', 'sigma', 'rho', 'lowerBound'] as const)
            expectClose(row[name], wanted[name], 1e-9, name);
          for (const name of ['latencyMs', 'cost', 'utility'] as const)
            expectClose(row[name], wanted[name], tolerance, name);
          // An error of ln(1 + T/T0) counts eta times.
          expectClose(row.decay, wanted.decay, tolerance * Math.max(1, parameters.eta), 'decay');
        }
        for (let place = 1; place < plan.ranking.length; place++) {
          const [before, after] = [plan.ranking[place - 1]!, plan.ranking[place]!];
          const [better, worse] = [exact.get(before.id)!.utility, exact.get(after.id)!.utility];
          expect(toNumber(worse) - toNumber(better)).toBeLessThanOrEqual(tolerance);
        }
        expectShortestPrefix(plan, exact, parameters.tau);
      }),
      { numRuns: 400 },
    );
  });

  it('keep input order where utilities are equal, also in pools that are sorted another way', () => {
    const kinds = fc.array(fc.nat(4), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(kinds, (found) => {
        const pool = found.map((kind, index) => ({
          ...{ id: String(index), alpha: 1 + kind, beta: 2, fInt: 0, lossNet: 0 },
          ...{ procMs: 100, bytes: 0, bandwidth: 1, jitter: 0 },
        }));
        const { ranking, order } = planLiteral(pool, { ...printed, t0Ms: null });
        const stable = pool.map((_, index) => index).sort((a, b) => (found[b] ?? 0) - (found[a] ?? 0));
        expect(order).toEqual(stable);
        expect(ranking.map(({ id }) => id)).toEqual(stable.map(String));
      }),
      { numRuns: 100 },
    );
  });

  it('solve the worked example in exact arithmetic, too: .68 and .70 leave .096', () => {
    // Beta counts with mu = .75 and sigma = .08; the second by mu = .88 and rho = .8735 (study 1.4).
    const weight = (0.75 * 0.25) / 0.08 ** 2 - 1;
    const regional = { ...base, id: 'regional', alpha: 0.75 * weight, beta: 0.25 * weight, lossNet: 0.02, procMs: 80 };
    const other = (0.88 * 0.12) / 0.1125 ** 2 - 1;
    const global = { ...base, id: 'global', alpha: 0.88 * other, beta: 0.12 * other, lossNet: 0.1265, procMs: 800 };
    const [first, second] = [regional, global].map((each) => exactRow(each, exactly(105), printed).lowerBound);
    const failure = times(minus(one, first!), minus(one, second!));
    expect(toNumber(first!)).toBeCloseTo(0.68, 2);
    expect(toNumber(second!)).toBeCloseTo(0.7, 2);
    expect(1 - toNumber(failure)).toBeCloseTo(0.904, 3);
    const plan = planLiteral([global, regional], printed);
    expect(plan.hedgeSet).toEqual(['regional', 'global']);
    expect(plan.failureProbability).toBeCloseTo(toNumber(failure), 12);
  });
});

const printed: LiteralParameters = {
  ...{ lambda: 1, gamma: 0.7, eta: 0.23, kappa: 1, epsB: 50, epsR: 0.05, rhoCap: 0.98, tau: 0.9, t0Ms: 105 },
};
const base = { fInt: 0, lossNet: 0, bytes: 0, bandwidth: 1000, jitter: 0 };

/** The prefix ends where 1 - prod(1 - R-) first reaches tau; where that is as good as equal, doubles may fall on either side. */
function expectShortestPrefix(
  plan: ReturnType<typeof planLiteral>,
  exact: ReadonlyMap<string, ExactRow>,
  tau: number,
): void {
  const size = plan.hedgeSet.length;
  expect(plan.hedgeSet).toEqual(plan.ranking.slice(0, size).map(({ id }) => id));
  let failure = one;
  plan.ranking.forEach(({ id }, place) => {
    const promised = 1 - toNumber(failure);
    if (Math.abs(promised - tau) > 1e-9) expect(place < size, `place ${place} of ${size}`).toBe(promised < tau);
    if (place === size) expectClose(plan.failureProbability, failure, 1e-9, 'failure');
    failure = times(failure, minus(one, exact.get(id)!.lowerBound));
    // Kept short: later places only need what a double can hold.
    failure = exactly(toNumber(failure));
  });
  if (size === plan.ranking.length) expectClose(plan.failureProbability, failure, 1e-9, 'failure');
  if (Math.abs(1 - plan.failureProbability - tau) > 1e-9)
    expect(plan.targetReached).toBe(1 - toNumber(failure) >= tau || size < plan.ranking.length);
}

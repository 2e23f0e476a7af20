// Intervals of 95 % for what was drawn: Wilson's for shares, order statistics for quantiles (both without an assumption on the shape),
// the normal one for means; and exact tails of the binomial distribution.

/** Two-sided normal quantile of 95 %. */
const Z = 1.959963984540054;
const TAIL = 0.025;

/** Null: there is no bound on that side, the sample is too small. */
export interface Interval {
  readonly low: number | null;
  readonly high: number | null;
}

/** Wilson (1927), for `hits` of `count`. Worked: 43 of 50: .738 to .930. */
export function wilson(hits: number, count: number): Interval {
  if (count === 0) return { low: null, high: null };
  const share = hits / count;
  const scale = 1 + (Z * Z) / count;
  const middle = (share + (Z * Z) / (2 * count)) / scale;
  const half = (Z * Math.sqrt((share * (1 - share)) / count + (Z * Z) / (4 * count * count))) / scale;
  // At the ends the bound is the end itself; rounding would leave a trace.
  return { low: hits === 0 ? 0 : middle - half, high: hits === count ? 1 : middle + half };
}

/** Mean ± 1.96 standard errors; for skewed times and few of them somewhat too narrow. */
export function meanInterval(values: Float64Array): Interval {
  const count = values.length;
  if (count < 2) return { low: null, high: null };
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  const half = Z * Math.sqrt(variance / count);
  return { low: mean - half, high: mean + half };
}

/**
 * Interval of the quantile `share` from ascending values: as many values lie above it as a binomial count says, whatever the
 * distribution. Of 40 values a P99 has no upper bound: with chance .67 all of them lie below it.
 */
export function quantileInterval(sorted: Float64Array, share: number): Interval {
  const count = sorted.length;
  const above = binomial(count, 1 - share);
  let atMost = 0;
  let high: number | null = null;
  let low: number | null = null;
  for (let below = 0; below < count && low === null; below++) {
    atMost += above(below);
    const value = sorted[count - 1 - below] ?? null;
    if (atMost <= TAIL) high = value;
    if (atMost >= 1 - TAIL) low = value;
  }
  return { low, high };
}

/** P(exactly k of `count`), for k asked in ascending order from 0. The first term must not vanish: (1 − p)^count > 1e-300. */
function binomial(count: number, p: number): (k: number) => number {
  let term = (1 - p) ** count;
  return (k) => {
    if (k > 0) term *= (((count - k + 1) / k) * p) / (1 - p);
    return term;
  };
}

/** Chance that `count` draws with chance `p` give `hits`, or a number still farther from the mean on the same side. */
export function chanceBeyond(hits: number, count: number, p: number): number {
  const isAbove = hits >= count * p;
  const chance = binomial(count, p);
  let sum = 0;
  for (let k = 0; k <= count; k++) {
    const term = chance(k);
    if (isAbove ? k >= hits : k <= hits) sum += term;
  }
  return Math.min(1, sum);
}

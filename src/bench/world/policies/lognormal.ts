// Lognormal times: the normal distribution and its inverse, and how much longer a call that still runs will take.

/** P(Z <= x), to 1.5e-7 (Abramowitz and Stegun 7.1.26). */
export function normalShare(x: number): number {
  const t = 1 / (1 + (0.3275911 * Math.abs(x)) / Math.SQRT2);
  const poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const half = 0.5 * poly * Math.exp((-x * x) / 2);
  return x >= 0 ? 1 - half : half;
}

/** The x with P(Z <= x) = `share`, by bisection; `share` is held inside 1e-6 of the ends. */
export function normalQuantile(share: number): number {
  const wanted = Math.min(1 - 1e-6, Math.max(1e-6, share));
  let low = -6;
  let high = 6;
  for (let turn = 0; turn < 40; turn++) {
    const middle = (low + high) / 2;
    if (normalShare(middle) < wanted) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * Median of the time that is left of a lognormal(`mean`, `sd`) time after `elapsedS`; null when it is almost surely late
 * (survival below `leastSurvival`).
 */
export function medianRest(mean: number, sd: number, elapsedS: number, leastSurvival: number): number | null {
  const survival = elapsedS <= 0 ? 1 : 1 - normalShare((Math.log(elapsedS) - mean) / sd);
  if (survival < leastSurvival) return null;
  return Math.max(0, Math.exp(mean + sd * normalQuantile(1 - survival / 2)) - elapsedS);
}

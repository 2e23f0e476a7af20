// Small mathematics of the balanced scheduler: bounds that hostile numbers cannot pass, odds, the normal distribution.
// Nothing here knows of candidates. Source of the formulas: textbook identities, checked against numerical integration.

/** `value` within the bounds; what is not a number becomes `otherwise`. Infinities end at the bound. */
export function bounded(value: number, least: number, greatest: number, otherwise = least): number {
  if (value !== value) return otherwise;
  return value < least ? least : value > greatest ? greatest : value;
}

/**
 * The distance in time, always >= 0 and never NaN: a clock that was set back is as good a reason to forget as time that went by.
 */
export function elapsedMs(fromMs: number, nowMs: number): number {
  const distance = Math.abs(nowMs - fromMs);
  return distance === distance ? distance : 0;
}

/** 2^(−elapsed/halfLife): 1 now, 1/2 after a half-life, 0 in the end. */
export function decay(elapsed: number, halfLife: number): number {
  return Math.exp((-Math.LN2 * elapsed) / halfLife);
}

/** The probability whose odds are those of `p` times `factor`. */
export function timesOdds(p: number, factor: number): number {
  const odds = (p / (1 - p)) * factor;
  return odds === Infinity ? 1 : odds / (1 + odds);
}

/** The own value of a record, whatever the key is called (`constructor` is no value). */
export function valueOf<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** A record with every value changed; keys are kept whatever they are called. */
export function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  change: (value: T) => U,
): Readonly<Record<string, U>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

const density = (z: number): number => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);

/** From here the tail is taken from its continued fraction, since the series would lose its digits to the .5. */
const TAIL_FROM = 2.5;
const TAIL_LEVELS = 200;

/** Φ(z), the normal distribution function; relative error below 1e-12 also in the tails. Φ(1.645) = .95002. */
export function normalCdf(z: number): number {
  if (z > 0) return 1 - normalCdf(-z);
  if (z !== z) return 0.5;
  if (z < -40) return 0;
  if (z < -TAIL_FROM) {
    // Laplace: Φ(−y) = φ(y) / (y + 1/(y + 2/(y + 3/(y + ...))))
    let fraction = -z;
    for (let level = TAIL_LEVELS; level > 0; level--) fraction = -z + level / fraction;
    return density(z) / fraction;
  }
  // Φ(z) = 1/2 + φ(z)·(z + z³/3 + z⁵/15 + ...)
  let term = z;
  let sum = z;
  for (let odd = 3; Math.abs(term) > 1e-17; odd += 2) {
    term *= (z * z) / odd;
    sum += term;
  }
  return 0.5 + density(z) * sum;
}

/** Φ⁻¹(p) for 0 < p < 1; ±Infinity at the ends. Φ⁻¹(.05) = −1.64485. */
export function normalQuantile(p: number): number {
  if (p !== p) return 0;
  if (p <= 0) return -Infinity;
  if (p >= 1) return Infinity;
  if (p > 0.5) return -normalQuantile(1 - p);
  // A rough start (Abramowitz and Stegun 26.2.23, error below 5e-4), then Halley's iteration on Φ.
  const t = Math.sqrt(-2 * Math.log(p));
  let z = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
  for (let round = 0; round < 3; round++) {
    const step = (normalCdf(z) - p) / density(z);
    if (!Number.isFinite(step)) return z;
    z -= step / (1 + (z * step) / 2);
  }
  return z;
}

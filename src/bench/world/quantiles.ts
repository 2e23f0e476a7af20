// Quantiles of pooled figures, as the study prints them: linear between the two nearest ranks.

/** The quantile `share` (0-1) of ascending values; NaN where there are none. */
export function quantileOf(sorted: Float64Array, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[Math.min(sorted.length - 1, below + 1)] ?? low;
  return low + (place - below) * (high - low);
}

/** The middle of a list of numbers that may be Infinity (never); NaN for an empty list. */
export function medianOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  if (sorted.length % 2 === 1 || sorted.length === 0) return upper;
  const lower = sorted[middle - 1] ?? upper;
  return lower === upper ? upper : (lower + upper) / 2;
}

// Whether one more try is worth it before the deadline (HFR 4.8): a success after the deadline is a failure all the same.
// Estimates are the caller's; this only adds them up.

/**
 * t + d_k + t_i + t_verify <= D, all in ms and of one clock: now, the wait before the try, the estimated duration of the step
 * and of the check behind it (0 where nothing is checked), and the deadline. Worked: 1,000 + 200 + 3,000 + 500 <= 4,700
 * holds, with one ms less it does not. Anything that is not a number does not fit.
 */
export function endsInTime(
  nowMs: number,
  waitMs: number,
  stepMs: number,
  verifyMs: number,
  deadlineMs: number,
): boolean {
  return nowMs + waitMs + stepMs + verifyMs <= deadlineMs;
}

/**
 * t_i from what was learned: the shortest known mean duration of those that may serve, since the fastest is what a late try
 * can hope for; `fallbackMs` where nothing is known. Zeros are unknown.
 */
export function estimateStepMs(meanTotalsMs: readonly number[], fallbackMs: number): number {
  const known = meanTotalsMs.filter((ms) => ms > 0);
  return known.length > 0 ? Math.min(...known) : fallbackMs;
}

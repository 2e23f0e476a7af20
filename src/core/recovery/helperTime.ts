// How long a call may wait for a helper: a call made for its sake, such as a summary or an opinion. The answer is worth more
// than any help with it, so what is left until the deadline is the answer's first.

/** At least so much of the time that is left stays the answer's, since what a step is expected to take is a guess. */
const ANSWER_SHARE = 0.5;
/** For ending the helper and for what else happens between it and the answer. */
const MARGIN_MS = 1000;
/** In less time no model says anything useful. */
const LEAST_MS = 500;

/** All in ms and of one clock. */
export interface HelperTime {
  /** The helper's own limit. */
  readonly patienceMs: number;
  readonly nowMs: number;
  /** Of the call that it is made for. */
  readonly deadlineMs: number;
  /** Expected duration of the answer itself, and of the check behind it. */
  readonly stepMs: number;
  readonly verifyMs: number;
}

/**
 * ms that the helper has; 0: it is not asked at all. Worked: patience 30,000, 5,000 left, a step of 1,000, no check: half is
 * 2,500 and 5,000 - 1,000 - 1,000 is 3,000, so 2,500.
 */
export function helperLimitMs({ patienceMs, nowMs, deadlineMs, stepMs, verifyMs }: HelperTime): number {
  const leftMs = deadlineMs - nowMs;
  const limitMs = Math.min(patienceMs, leftMs * (1 - ANSWER_SHARE), leftMs - stepMs - verifyMs - MARGIN_MS);
  return limitMs >= LEAST_MS ? limitMs : 0;
}

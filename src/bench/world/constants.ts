// The numbers of the call model, the workflows and the utility (scheduler study 1.2 and 1.3), each by its meaning. Times are
// seconds. What the study leaves open and was settled here is marked "ours" with the reason.

/** One call (1.2). Lognormal times are `median * e^(sigma Z)`. */
export const CALL = {
  promptMedianTokens: 3000,
  promptSd: 0.6,
  outputMedianTokens: 600,
  outputSd: 0.5,
  payloadBytes: [30_000, 200_000],
  /** Step difficulty N(0, sd), common to all candidates. */
  difficultySd: 0.06,
  /** Quality is Beta(k m, k (1 - m)), m clamped to the range. */
  qualityWeight: 12,
  qualityRange: [0.03, 0.97],
  /** The judge sees q + N(0, sd), clamped to 0-1. */
  judgeSd: 0.08,
  firstTokenShare: 0.2,
  decodeShare: 0.8,
  /** Decoding grows with (output / median)^power. */
  decodePower: 0.8,
  slowFactor: [5, 12],
  /** Of the slow events so many queue; the others decode slowly. */
  queueShare: 0.8,
  /** A fault's factor slows the link at most so much. */
  mostLinkFactor: 3,
  refusedS: [0.05, 0.3],
  rateLimitedS: 0.2,
  /** Over so many times its capacity a candidate answers 429. */
  overloadFactor: 3,
  lossHangShare: 0.5,
  lossHangBilledShare: 0.5,
  resetS: [0.2, 2],
  serverErrorShare: 0.4,
  brokenShare: 0.3,
  serverErrorS: [0.3, 1],
  /** Chance that an outage which begins during a call ends it. */
  killShare: 0.9,
  timeoutS: 60,
  /** The bucket of a rate limit holds so many calls, and is full when the limit begins. */
  rateBucket: 2,
} as const;

/** Workflows (1.3). */
export const WORKFLOW = {
  arrivalsPerS: 0.03,
  steps: [10, 30],
  thinkMedianS: 1.5,
  thinkSd: 0.6,
} as const;

/** Utility J per step: quality - time * latency - tokens * price-weighted tokens / tokensUnit. */
export const UTILITY = { perS: 0.01, perTokens: 0.02, tokensUnit: 3600 } as const;

/** An output token costs so many prompt tokens. The study's J counts plain tokens times price, its cost column this (its rows say so). */
export const OUTPUT_PRICE_FACTOR = 4;

/** Mean tokens of one full call: 3000 e^.18 + 600 e^.125 (1.2). */
export const FULL_CALL_TOKENS =
  CALL.promptMedianTokens * Math.exp(CALL.promptSd ** 2 / 2) +
  CALL.outputMedianTokens * Math.exp(CALL.outputSd ** 2 / 2);

/** A step that failed or took longer has missed (seconds). */
export const MISS_AFTER_S = 30;

/** Cold start: the first so many steps of a run. */
export const COLD_STEPS = 60;

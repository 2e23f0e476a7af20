// What a call costs at a candidate, before it is made. A warm candidate reads part of the prompt from its cache; a cold one pays
// it in full, and a cancelled loser is billed for its prompt all the same. Source: issue, Cost-true; study 8; request-side (e) 2.
import { bounded } from './numbers.ts';
import type { CandidatePool } from './pool.ts';

/** What is known of the call to come. */
export interface CallFacts {
  readonly promptTokens: number;
  /** Expected output tokens. */
  readonly outputTokens: number;
  /** The longest answer there may be: the request's limit, else `worstOutputTokens`. */
  readonly worstOutputTokens: number;
  /** Share of the prompt that a candidate has in its cache, 0-1; 0 for all but those that served this session lately. */
  readonly cachedShare: (position: number) => number;
  /** Calls that run at a candidate now, for those whose capacity is known. */
  readonly inFlight: (position: number) => number;
}

/** A call of the reference size with cold caches and idle candidates. */
export function usualCall({ constants }: Pick<CandidatePool, 'constants'>): CallFacts {
  return {
    promptTokens: constants.referencePromptTokens,
    outputTokens: constants.referenceOutputTokens,
    worstOutputTokens: constants.worstOutputTokens,
    cachedShare: () => 0,
    inFlight: () => 0,
  };
}

/** Greatest number of tokens that a call is believed to have. */
const MOST_TOKENS = 1e9;

/**
 * price_i: the call's cost at a candidate over the cost of the same tokens at the reference price; L = 1 in the study.
 * Worked: $3/$15 with $.30 cached, 3000 + 600 tokens: cold 1; with 90 % cached (3000·.57 + 600·15)/18000 = .595.
 */
export function relativePrice(pool: CandidatePool, position: number, call: CallFacts): number {
  const { referenceInputUsdPerMTok, referenceOutputUsdPerMTok, priceCap } = pool.constants;
  const promptTokens = tokens(call.promptTokens);
  const outputTokens = tokens(call.outputTokens);
  const reference = promptTokens * referenceInputUsdPerMTok + outputTokens * referenceOutputUsdPerMTok;
  if (reference === 0) return 0;
  const cached = bounded(call.cachedShare(position), 0, 1);
  return Math.min(priceCap, microUsd(pool, position, promptTokens, outputTokens, cached) / reference);
}

/** The bill of an attempt in USD; null where its price is not known in money. */
export interface AttemptPrice {
  /** As its cache stands: what is expected. */
  readonly expectedUsd: number;
  /** Prompt in full, without any discount, and the longest answer: what a budget must have left before it starts. */
  readonly worstUsd: number;
  /** What it costs though it loses and is cancelled before it answers: the prompt in full. */
  readonly lostUsd: number;
}

/** Prices an attempt before its launch, worst case beside the expected one. */
export function attemptPrice(pool: CandidatePool, position: number, call: CallFacts): AttemptPrice | null {
  const member = pool.members[position];
  if (!member?.price.isKnownUsd) return null;
  const promptTokens = tokens(call.promptTokens);
  const outputTokens = tokens(call.outputTokens);
  const cached = bounded(call.cachedShare(position), 0, 1);
  return {
    expectedUsd: microUsd(pool, position, promptTokens, outputTokens, cached) / 1e6,
    worstUsd: microUsd(pool, position, promptTokens, Math.max(outputTokens, tokens(call.worstOutputTokens)), 0) / 1e6,
    lostUsd: microUsd(pool, position, promptTokens, 0, 0) / 1e6,
  };
}

function microUsd(
  pool: CandidatePool,
  position: number,
  promptTokens: number,
  outputTokens: number,
  cachedShare: number,
): number {
  const price = pool.members[position]?.price;
  if (!price) return 0;
  const input = price.inputUsdPerMTok + (price.cachedInputUsdPerMTok - price.inputUsdPerMTok) * cachedShare;
  return promptTokens * input + outputTokens * price.outputUsdPerMTok;
}

const tokens = (count: number): number => bounded(count, 0, MOST_TOKENS);

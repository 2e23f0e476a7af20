// Dollars of one attempt, losers included. Provider figures are used where they came; the rest is estimated, and later put
// right (engine/tokenBook). A price that is not known is zero here and said to be unknown by the candidate.
import type { Price } from './candidate.ts';
import type { Usage } from './chat.ts';
import type { TextSize } from './textSize.ts';

/** More tokens than any request has: a larger figure is a mistake or a lie. */
const MOST_TOKENS = 1e9;

/**
 * What a token written to the prompt cache costs, as a multiple of an input token: kept for minutes, and for an hour.
 * Anthropic's figures; nobody asks for more, so they are careful where a vendor charges nothing.
 */
const CACHE_WRITE_FACTOR = 1.25;
const LONG_CACHE_WRITE_FACTOR = 2;

/** Usage as a provider told it, or null where a figure cannot be: not a whole number, negative, or beyond belief. */
export function believableUsage(usage: Usage): Usage | null {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteInputTokens, longCacheWriteInputTokens } = usage;
  const figures = [inputTokens, outputTokens, cachedInputTokens, cacheWriteInputTokens, longCacheWriteInputTokens];
  const isFigure = (tokens = 0): boolean => Number.isInteger(tokens) && tokens >= 0 && tokens <= MOST_TOKENS;
  return figures.every((tokens) => isFigure(tokens)) ? usage : null;
}

/**
 * Cost in dollars. Tokens read from the prompt cache and written to it are parts of `inputTokens` and priced apart.
 * Worked: 1000 in at $3/M, 100 out at $15/M -> 0.0045; 400 of the 1000 written to the cache -> 0.0048.
 */
export function costUsd(usage: Usage, price: Price): number {
  const { inputTokens, outputTokens } = usage;
  const cached = Math.min(usage.cachedInputTokens ?? 0, inputTokens);
  const written = Math.min(usage.cacheWriteInputTokens ?? 0, inputTokens - cached);
  const longWritten = Math.min(usage.longCacheWriteInputTokens ?? 0, written);
  const plain = inputTokens - cached - written;
  const writeWeight = (written - longWritten) * CACHE_WRITE_FACTOR + longWritten * LONG_CACHE_WRITE_FACTOR;
  return (
    ((plain + writeWeight) * price.inputUsdPerMTok +
      cached * (price.cachedInputUsdPerMTok ?? price.inputUsdPerMTok) +
      outputTokens * price.outputUsdPerMTok) /
    1e6
  );
}

/** What the bill of an attempt is made of, as far as it is known. */
export interface BillBasis {
  /** `counted`: the provider's own figures of the whole answer. `none`: nothing can have been billed. `estimated`: the rest. */
  readonly kind: 'counted' | 'none' | 'estimated';
  /** What the provider has counted so far; null: nothing. */
  readonly usage: Usage | null;
  /** Output tokens that the provider counted before it was cut off; 0: none. */
  readonly leastOutputTokens: number;
  readonly sent: TextSize;
  readonly received: TextSize;
}

/** Tokens to pay for. Worst case first: of an attempt that was cut off, the whole prompt and all output that came. */
export function billedUsage(basis: BillBasis, estimate: (size: TextSize) => number): Usage {
  const { usage, leastOutputTokens, sent, received } = basis;
  if (basis.kind === 'none') return { inputTokens: 0, outputTokens: 0 };
  if (basis.kind === 'counted' && usage) return usage;
  const outputTokens = Math.max(leastOutputTokens, estimate(received));
  return usage ? { ...usage, outputTokens } : { inputTokens: estimate(sent), outputTokens };
}

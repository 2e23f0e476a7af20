// Dollars of one attempt, losers included. Provider figures are used where they came; the rest is estimated and says so.
import type { Price } from './candidate.ts';
import type { Usage } from './chat.ts';

/** Rough characters per token, used only where the provider did not count (learned figures come later). */
export const CHARS_PER_TOKEN = 4;

/** Tokens for `chars` characters, rounded up. */
export function estimateTokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** More tokens than any request has: a larger figure is a mistake or a lie. */
const MOST_TOKENS = 1e9;

/** Usage as a provider told it, or null where a figure cannot be: not a whole number, negative, or beyond belief. */
export function believableUsage(usage: Usage): Usage | null {
  const figures = [usage.inputTokens, usage.outputTokens, usage.cachedInputTokens ?? 0];
  return figures.every((tokens) => Number.isInteger(tokens) && tokens >= 0 && tokens <= MOST_TOKENS) ? usage : null;
}

/** Cost in dollars. Cached input tokens are part of `inputTokens` and priced apart. Worked: 1000 in at $3/M, 100 out at $15/M -> 0.0045. */
export function costUsd(usage: Usage, price: Price): number {
  const cached = Math.min(usage.cachedInputTokens ?? 0, usage.inputTokens);
  const cachedPrice = price.cachedInputUsdPerMTok ?? price.inputUsdPerMTok;
  return (
    ((usage.inputTokens - cached) * price.inputUsdPerMTok +
      cached * cachedPrice +
      usage.outputTokens * price.outputUsdPerMTok) /
    1e6
  );
}

// When a request is so close to the largest window that it is made smaller before it is sent (HFR 5.4, before_model_call), and
// how small. Figures are estimates of tokens; a window that is not known is never near.

/** A request beside the window it has to go into, all in tokens. */
export interface WindowUse {
  readonly inputTokens: number;
  /** Room that the answer may need; 0: not known. */
  readonly outputTokens: number;
  /** The largest window of those that may serve. */
  readonly windowTokens: number;
}

/** True when prompt and answer fill more than `share` (0-1) of the window. 1 means never. Worked: 95 of 100 at .9 -> true. */
export function isNearLimit({ inputTokens, outputTokens, windowTokens }: WindowUse, share: number): boolean {
  if (!(windowTokens > 0) || share >= 1) return false;
  return inputTokens + outputTokens > share * windowTokens;
}

/** Tokens that a prompt may have after it was made smaller: `share` of the window, less the answer's room; 0 at least. */
export function targetTokens({ outputTokens, windowTokens }: Omit<WindowUse, 'inputTokens'>, share: number): number {
  return Math.max(0, Math.floor(share * windowTokens) - outputTokens);
}

/** True when the request does not fit at all, as far as anybody knows. */
export function isTooLarge({ inputTokens, outputTokens, windowTokens }: WindowUse): boolean {
  return windowTokens > 0 && inputTokens + outputTokens > windowTokens;
}

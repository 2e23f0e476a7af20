// How long to wait before a retry: exponential backoff with full jitter (HFR 4.3), never less than the provider asked for.
import type { AdvancedSettings } from '../settings.ts';

/**
 * d_k = U(0, min(dmax, d0 * 2^(k-1))) and d_effective = max(d_k, Retry-After), in ms.
 * `retryNumber` is k, from 1; `draw` is in [0, 1). Worked: d0 = 200, dmax = 2000, k = 3, draw = .5 -> 400.
 */
export function backoffMs(
  retryNumber: number,
  draw: number,
  retryAfterMs: number | null,
  settings: Pick<AdvancedSettings['retry'], 'baseDelayMs' | 'maxDelayMs'>,
): number {
  const ceiling = Math.min(settings.maxDelayMs, settings.baseDelayMs * 2 ** Math.max(0, retryNumber - 1));
  return Math.max(draw * ceiling, retryAfterMs ?? 0);
}

// A usable answer is there while better-ranked ones still run: take it, or hold it for a bounded while. The median residual life of
// the others decides, so one that hangs is not waited for. Source: scheduler-study 6.2, accept; 2.2 (why the literal rule blocks).
import { medianResidualMs, survival } from './latency.ts';
import type { PoolView } from './view.ts';

/** An attempt that still runs. */
export interface RunningAttempt {
  readonly position: number;
  /** ms since its launch. */
  readonly elapsedMs: number;
}

/** Take it now, or hold it up to `waitMs` for the better one at `position`, expected to gain `gain` in quality. */
export type Acceptance =
  | { readonly type: 'accept' }
  | {
      readonly type: 'wait';
      readonly waitMs: number;
      readonly position: number;
      readonly gain: number;
      /** r: median of what is left to it, ms. */
      readonly residualMs: number;
    };

/**
 * For each running j with Δ = (μ_j − μ_i)·a_j > 0 that is not overdue (survival ≥ .05): worth waiting for where Δ ≥ c_w·r_j, and
 * then min(Δ/c_w, 2·r_j + .2 s). The longest such wait counts, less what the answer was held already, up to 8 s in all.
 * Asked again when another attempt ends; the wait is not renewed by asking when it is over: then the answer is taken.
 */
export function acceptOrWait(
  view: PoolView,
  winner: number,
  running: readonly RunningAttempt[],
  heldMs = 0,
): Acceptance {
  const { cw, residualFactor, residualAddMs, holdMaxMs } = view.pool.constants;
  const leftMs = holdMaxMs - Math.max(0, heldMs);
  let chosen: Acceptance = { type: 'accept' };
  let longest = 0;
  if (!(leftMs > 0)) return chosen;
  for (const attempt of running) {
    const { position } = attempt;
    const gain = ((view.mu[position] ?? 0) - (view.mu[winner] ?? 0)) * (view.availability[position] ?? 0);
    if (!(gain > 0)) continue;
    const residualMs = residualOf(view, attempt);
    if (residualMs === null || gain < (cw * residualMs) / 1000) continue;
    const waitMs = Math.min((gain / cw) * 1000, residualFactor * residualMs + residualAddMs, leftMs);
    if (waitMs > longest) {
      longest = waitMs;
      chosen = { type: 'wait', waitMs, position, gain, residualMs };
    }
  }
  return chosen;
}

/** Median ms that is left to an attempt; null where it should have ended with chance .95. */
function residualOf(view: PoolView, { position, elapsedMs }: RunningAttempt): number | null {
  const center = view.lnTotalMs[position] ?? 0;
  const s = view.totalSd[position] ?? 1;
  if (survival(elapsedMs, center, s) < view.pool.constants.survivalMin) return null;
  return medianResidualMs(elapsedMs, center, s);
}

// The hedge bucket: hedges are saved up call by call, so that a slow hour cannot double the load on everybody. An empty bucket delays
// a hedge, it does not forbid it. Launches on failure are never paid from it. Source: scheduler-study 6.2, hedge cap.
import type { SchedulerConstants } from './constants.ts';
import { bounded } from './numbers.ts';
import type { SchedulerState } from './types.ts';

/** One logical call began: +.15, up to 10. */
export function refillHedges(state: SchedulerState, constants: SchedulerConstants): SchedulerState {
  const { bucketSize, bucketRefill } = constants;
  const hedgeTokens = bounded(state.hedgeTokens + bucketRefill, 0, bucketSize, bucketSize);
  return hedgeTokens === state.hedgeTokens ? state : { ...state, hedgeTokens };
}

/** Whether a hedge may start; where not, at which time from the attempt's launch it may start for nothing. */
export type HedgeTicket =
  | { readonly isGranted: true; readonly state: SchedulerState }
  | { readonly isGranted: false; readonly state: SchedulerState; readonly freeAtMs: number };

/**
 * Asks for a hedge of an attempt that is late after `elapsedMs`. `freeAtMs`: what an earlier refusal for the same attempt said,
 * null: none. Uncapped presets are always granted and pay nothing.
 */
export function takeHedge(
  state: SchedulerState,
  elapsedMs: number,
  freeAtMs: number | null,
  constants: SchedulerConstants,
): HedgeTicket {
  if (!constants.isHedgeCapped) return { isGranted: true, state };
  if (state.hedgeTokens >= 1) return { isGranted: true, state: { ...state, hedgeTokens: state.hedgeTokens - 1 } };
  if (freeAtMs !== null && elapsedMs >= freeAtMs) return { isGranted: true, state };
  return { isGranted: false, state, freeAtMs: freeAtMs ?? elapsedMs * constants.bucketPatience };
}

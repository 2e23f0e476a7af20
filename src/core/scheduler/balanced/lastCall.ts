// A call with a deadline gets a last chance while one may still answer in time, whatever the hedge timers say, and a final one after.
// Source: scheduler-study 6.2, deadline D; HFR 4.8 (t + d + t_i <= D).
import { survival } from './latency.ts';
import type { PoolView } from './view.ts';

/** ms from the call's begin; both within 0 and D. */
export interface LastCallTimes {
  readonly lastMs: number;
  readonly finalMs: number;
}

/** D − 1.2·min_i q95 and D − .6·min_i q95, neither before .3·D; null where nobody is left or D is no time. */
export function lastCallTimes(
  view: PoolView,
  deadlineMs: number,
  mayTry: (position: number) => boolean,
): LastCallTimes | null {
  const { lastCallFactor, finalCallFactor, lastCallShare, lastCallSd } = view.pool.constants;
  let fastest = Infinity;
  for (let position = 0; position < view.pool.members.length; position++) {
    if (!mayTry(position)) continue;
    const q95 = Math.exp((view.lnTotalMs[position] ?? 0) + lastCallSd * (view.totalSd[position] ?? 0));
    if (q95 < fastest) fastest = q95;
  }
  if (fastest === Infinity || !(deadlineMs > 0) || deadlineMs === Infinity) return null;
  const earliest = lastCallShare * deadlineMs;
  return {
    lastMs: Math.max(earliest, deadlineMs - lastCallFactor * fastest),
    finalMs: Math.max(earliest, deadlineMs - finalCallFactor * fastest),
  };
}

/** Who gets a last call with `restMs` to go: max P(ok)·P(L < rest)·(.5 + .5·μ); null where nobody has a chance. */
export function pickLastCall(view: PoolView, restMs: number, mayTry: (position: number) => boolean): number | null {
  const { lastCallBase } = view.pool.constants;
  let chosen: number | null = null;
  let greatest = 0;
  for (let position = 0; position < view.pool.members.length; position++) {
    if (!mayTry(position)) continue;
    const inTime = 1 - survival(restMs, view.lnTotalMs[position] ?? 0, view.totalSd[position] ?? 1);
    const worth = lastCallBase + (1 - lastCallBase) * (view.mu[position] ?? 0);
    const value = (view.availability[position] ?? 0) * inTime * worth;
    if (value > greatest) {
      greatest = value;
      chosen = position;
    }
  }
  return chosen;
}

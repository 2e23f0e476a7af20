// Whom to ask with a one-token call whether it is back: a candidate behind a suspect source, or much slower than it was. Pings are the
// only probes there are, and none are sent to one that asked to be left alone. Source: scheduler-study 6.2, ping; DESIGN 10.
import type { SchedulerConstants } from './constants.ts';
import { bounded, elapsedMs, valueOf } from './numbers.ts';
import { isCooling } from './beliefs.ts';
import type { SchedulerState } from './types.ts';
import type { PoolView } from './view.ts';

/** Positions with Π(1 − p_d) < .7 or x > 1, the likeliest to be back first. */
export function suspects(view: PoolView, state: SchedulerState): readonly number[] {
  const { pool, up, fast, nowMs } = view;
  const { pingBelow, pingFastAbove } = pool.constants;
  const found: number[] = [];
  pool.members.forEach(({ facts }, position) => {
    if ((up[position] ?? 1) >= pingBelow && (fast[position] ?? 0) <= pingFastAbove) return;
    const belief = valueOf(state.candidates, facts.id);
    if (!belief || !isCooling(belief, nowMs)) found.push(position);
  });
  return found.sort((a, b) => (up[b] ?? 0) - (up[a] ?? 0));
}

/** When a suspect is pinged next: 10 s ± 20 % from now. `draw`: a drawn number in 0-1. */
export function nextPingMs(nowMs: number, draw: number, { pingEveryMs, pingJitter }: SchedulerConstants): number {
  return nowMs + pingEveryMs * (1 + pingJitter * (2 * bounded(draw, 0, 1, 0.5) - 1));
}

/** Pings are sent near user activity only. */
export function mayPing(lastActiveMs: number, nowMs: number, { pingNearMs }: SchedulerConstants): boolean {
  return elapsedMs(lastActiveMs, nowMs) <= pingNearMs;
}

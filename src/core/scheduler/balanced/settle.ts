// What a clock that was set back does to a state: every time that lies ahead of now is mirrored to as long before now, once. So its
// figures are relaxed by the jump, go on relaxing, and nothing is stuck in the future. Source: issue, survives clock jumps.
import { bounded, mapValues } from './numbers.ts';
import type { SchedulerState } from './types.ts';

/** Clocks of two windows may differ by so much, ms, without being taken for a jump. */
const TOLERANCE_MS = 5000;

/** Greatest distance from 1970 that a date can have, ms. */
const MOST_MS = 8.64e15;

/** The time to reckon with: `nowMs` as far as dates go, or the latest time seen where it is no number. */
export function momentOf(state: SchedulerState, nowMs: number): number {
  return Number.isFinite(nowMs) ? bounded(nowMs, -MOST_MS, MOST_MS) : state.atMs;
}

/** The state with no time ahead of `nowMs`; the state itself where the clock did not go back. */
export function settled(state: SchedulerState, nowMs: number): SchedulerState {
  if (nowMs >= state.atMs - TOLERANCE_MS) return state;
  const mirrored = (atMs: number): number => Math.min(atMs, 2 * nowMs - atMs);
  const sources = mapValues(state.sources, ({ p, atMs }) => ({ p, atMs: mirrored(atMs) }));
  const candidates = mapValues(state.candidates, (belief) => ({
    ...belief,
    atMs: mirrored(belief.atMs),
    cooling: belief.cooling && { ...belief.cooling, fromMs: mirrored(belief.cooling.fromMs) },
  }));
  return { ...state, atMs: nowMs, sources, candidates };
}

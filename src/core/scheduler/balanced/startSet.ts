// Which candidates start at once: the best, and the next while the chance that all of them fail is too great. The rest of the pool
// stays in reserve as hedges and on failure. Source: scheduler-study 6.2, start.
import { independentFailure, jointFailure } from './jointFailure.ts';
import type { PoolView } from './view.ts';

export interface StartSet {
  /** Positions, best first. */
  readonly positions: readonly number[];
  /** P(all of them fail), with shared sources; 1 for none. */
  readonly failure: number;
  /** What independence would promise: Π(1 − a). */
  readonly independentFailure: number;
  /** Whether 1 − failure reaches the threshold. */
  readonly isReached: boolean;
}

/**
 * Shortest prefix of `order` whose promised success reaches `startThreshold`, of at least `minStart` and at most `maxStart`.
 * A threshold above the best availability jumps to two calls (study 6.2): `isReached` and the figures say so.
 */
export function startSet(view: PoolView, order: readonly number[]): StartSet {
  const { startThreshold, minStart, maxStart } = view.pool.constants;
  const positions: number[] = [];
  let failure = 1;
  for (const position of order) {
    const isEnough = positions.length >= minStart && 1 - failure >= startThreshold;
    if (isEnough || positions.length >= maxStart) break;
    positions.push(position);
    failure = jointFailure(view, positions);
  }
  return {
    positions,
    failure,
    independentFailure: independentFailure(view, positions),
    isReached: positions.length > 0 && 1 - failure >= startThreshold,
  };
}

// Which candidates start at once: the best, and the next while the chance that all of them fail is too great. The rest of the pool
// stays in reserve as hedges and on failure. Redundant execution's borders can only make it smaller: work that nothing waits for, and
// models that compute on this machine, start one. Source: scheduler-study 6.2, start; the redundant-execution text (seed 004), 4.1, 5.1.
import type { Criticality } from '../../context.ts';
import { redundancyConstants } from '../redundancy/constants.ts';
import { degreeLimit, type DegreeLimit, type DegreeRule } from '../redundancy/degree.ts';
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
  /** Why there is not one more, though the threshold asks for it; null: it does not. */
  readonly heldBackBy: DegreeRule | null;
}

/** Whether a position may start beside others that start at the same moment. */
export type MayAdd = (position: number, beside: readonly number[]) => boolean;

/**
 * Shortest prefix of `order` whose promised success reaches `startThreshold`, of at least `minStart` and at most `maxStart`.
 * A threshold above the best availability jumps to two calls (study 6.2): `isReached` and the figures say so.
 * `criticality` caps what goes beyond `minStart`, which a person may have set; null: not known, nothing is capped. Of that set
 * whoever may not be added beside those before it (`mayAdd`) is left out, and nobody takes its place; the first is always in.
 */
export function startSet(
  view: PoolView,
  order: readonly number[],
  criticality: Criticality | null,
  mayAdd: MayAdd = () => true,
): StartSet {
  const { startThreshold, minStart, maxStart } = view.pool.constants;
  const positions: number[] = [];
  let failure = 1;
  let limit: DegreeLimit | null = null;
  let heldBackBy: DegreeRule | null = null;
  for (const position of order) {
    const isEnough = positions.length >= minStart && 1 - failure >= startThreshold;
    if (isEnough || positions.length >= maxStart) break;
    // Most calls start one, and need no border.
    if (positions.length > 0 && criticality !== null) limit ??= borderOf(view, order, criticality);
    if (limit && positions.length >= Math.max(minStart, limit.count)) {
      heldBackBy = limit.rule;
      break;
    }
    positions.push(position);
    failure = jointFailure(view, positions);
  }
  const kept = positions.reduce<readonly number[]>(
    (before, position) => (before.length === 0 || mayAdd(position, before) ? [...before, position] : before),
    [],
  );
  if (kept.length < positions.length) failure = jointFailure(view, kept);
  return {
    positions: kept,
    failure,
    independentFailure: independentFailure(view, kept),
    isReached: kept.length > 0 && 1 - failure >= startThreshold,
    heldBackBy,
  };
}

/** A model call is a read; what is of low criticality is taken for what nothing waits for. */
function borderOf({ pool }: PoolView, order: readonly number[], criticality: Criticality): DegreeLimit {
  const candidates = order.map((position) => ({
    isComputeHeavyLocal: pool.members[position]?.facts.isLocalCompute === true,
  }));
  return degreeLimit(
    { level: 'R0', criticality, isOnCriticalPath: criticality !== 'low', candidates },
    {
      mostCopies: redundancyConstants.mostStarted,
    },
  );
}

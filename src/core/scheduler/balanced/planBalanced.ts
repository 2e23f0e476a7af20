// One decision of the balanced and fast scheduler: from what was learned to the order of the pool, what starts at once, and when each
// attempt would be late. Must not launch anything or change the state. Source: scheduler-study 6.2.
import type { CandidateId } from '../../candidate.ts';
import type { Role } from '../../chat.ts';
import type { Criticality } from '../../context.ts';
import type { DegreeRule } from '../redundancy/degree.ts';
import { indexOf, orderOf, rowOf, type RankedRow } from './fallbackIndex.ts';
import { hedgeTimers, type HedgeTimers } from './hedge.ts';
import type { CandidatePool } from './pool.ts';
import { usualCall, type CallFacts } from './pricing.ts';
import { startSet, type MayAdd } from './startSet.ts';
import type { SchedulerState } from './types.ts';
import { viewOf, type PoolView } from './view.ts';

export interface BalancedInput {
  /** Those that may serve the call (residency, pinning, windows and consent are settled), made ready by `poolOf`. */
  readonly pool: CandidatePool;
  readonly role: Role;
  readonly nowMs: number;
  /** Absent: a call of the reference size, cold caches, nobody busy. */
  readonly call?: CallFacts;
  /** `listed`: the pool's own order is kept, whatever was learned. Default `ranked`. */
  readonly order?: 'ranked' | 'listed';
  /** Caps how many start at once. Absent: nothing does. */
  readonly criticality?: Criticality;
  /** Asked for whoever would start beside the first, e.g. whether there is money for it. Absent: all may. */
  readonly mayAdd?: MayAdd;
}

/** A decision. `ranking`, `timers` and what explains it are worked out when they are asked for. */
export interface BalancedPlan {
  readonly state: SchedulerState;
  readonly view: PoolView;
  readonly call: CallFacts;
  /** I_i by position. */
  readonly scores: readonly number[];
  /** Positions, best first. */
  readonly order: readonly number[];
  /** Positions that start at once, best first. */
  readonly start: readonly number[];
  readonly startIds: readonly CandidateId[];
  /** 1 − P(all of `start` fail), shared sources counted. */
  readonly promisedSuccess: number;
  readonly jointFailure: number;
  /** What independence would promise of the same set. */
  readonly independentFailure: number;
  /** Whether the promise reaches the start threshold. */
  readonly isReached: boolean;
  /** Why there is not one more in `start`, though the threshold asks for it; null: it does not. */
  readonly heldBackBy: DegreeRule | null;
  /** Rows of `order`, with the parts of each index. */
  ranking(): readonly RankedRow[];
  /** When an attempt at this position is late. */
  timers(position: number): HedgeTimers;
}

/** Plans one call. At most 30 µs (p50) for 64 candidates. */
export function planBalanced(state: SchedulerState, input: BalancedInput): BalancedPlan {
  const { pool, role, nowMs } = input;
  const call = input.call ?? usualCall(pool);
  const view = viewOf(state, pool, role, nowMs);
  const scores = indexOf(view, call);
  const order = input.order === 'listed' ? pool.members.map((_, position) => position) : orderOf(scores);
  const { positions, failure, independentFailure, isReached, heldBackBy } = startSet(
    view,
    order,
    input.criticality ?? null,
    input.mayAdd,
  );
  return {
    state,
    view,
    call,
    scores,
    order,
    start: positions,
    startIds: positions.flatMap((position) => pool.members[position]?.facts.id ?? []),
    promisedSuccess: 1 - failure,
    jointFailure: failure,
    independentFailure,
    isReached,
    heldBackBy,
    ranking: () => order.map((position) => rowOf(view, position, call)),
    timers: (position) => hedgeTimers(view, position, state),
  };
}

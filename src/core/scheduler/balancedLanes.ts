// The state of a balanced race and what can be read off it: who runs, who has answered, who may still be asked. How it changes is
// balancedRace's.
import type { Candidate } from '../candidate.ts';
import type { Fault } from '../faults/fault.ts';
import { hasRoom, type HedgeTimers, type HedgeTrigger } from './balanced/hedge.ts';
import type { BalancedPlan } from './balanced/planBalanced.ts';
import type { SchedulerState } from './balanced/types.ts';
import { viewOf, type PoolView } from './balanced/view.ts';
import { isUsefulAfter } from './raceFaults.ts';
import type { RaceAction } from './raceWords.ts';
import type { SpendingRefusal } from './spending.ts';

/** One attempt in the race. Its number is its place in `lanes`. Times are absolute, on the clock of `RaceMoment.nowMs`. */
export interface BalancedLane {
  readonly candidate: Candidate;
  /** In the plan's pool. */
  readonly position: number;
  readonly status: 'running' | 'succeeded' | 'failed' | 'cancelled';
  readonly fault: Fault | null;
  readonly launchedAtMs: number;
  /** null: it has not begun to answer. */
  readonly firstTokenAtMs: number | null;
  readonly timers: HedgeTimers;
  /** Availability as believed at the launch, 0-1. */
  readonly promisedSuccess: number;
  /** Whether it belongs to the start set. */
  readonly isStart: boolean;
  /** Why it is late; null: it is not. A lane is late for good, and hedged once. */
  readonly lateBy: HedgeTrigger | null;
  /** ms from its launch at which a hedge that the bucket refused is free. */
  readonly freeAtMs: number | null;
  /** When it is looked at next; earlier timers are out of date. */
  readonly lookAtMs: number;
}

/** What does not change in a race. */
export interface RaceTerms {
  readonly plan: BalancedPlan;
  /** By position in the plan's pool. */
  readonly candidates: readonly Candidate[];
  readonly policy: 'stream' | 'hold';
  /** `listed`: the next one is the next in the route's order, whatever was learned. */
  readonly order: 'ranked' | 'listed';
  /** When the call began (not this round of it), and when its caller no longer waits. */
  readonly callStartedAtMs: number;
  readonly deadlineMs: number;
}

export interface BalancedRace {
  readonly terms: RaceTerms;
  readonly lanes: readonly BalancedLane[];
  readonly committed: number | null;
  /** A usable answer that is kept back until `untilMs`. */
  readonly held: {
    readonly sinceMs: number;
    readonly untilMs: number;
    readonly waitedFor: string;
    readonly gain: number;
  } | null;
  readonly isOver: boolean;
}

/** What is true at the moment of a step. */
export interface RaceMoment {
  readonly nowMs: number;
  /** What was learned by now, other calls included. */
  readonly learned: SchedulerState;
  /** False for a candidate that must not be asked now: closed off, or it asked to be left alone. */
  readonly mayTry: (candidate: Candidate) => boolean;
  /** Why there is no money for one more attempt at a position, an extra one or one that is needed; null: it may start. */
  readonly refusal: (position: number, isExtra: boolean) => SpendingRefusal | null;
}

/** A race that has not started. */
export function newBalancedRace(terms: RaceTerms): BalancedRace {
  return { terms, lanes: [], committed: null, held: null, isOver: false };
}

/** The success of the greatest expected quality; of equals the first launched. */
export function bestAnswer({ lanes }: BalancedRace, { mu }: PoolView): number | null {
  let best: number | null = null;
  lanes.forEach((lane, number) => {
    if (lane.status !== 'succeeded') return;
    const greatest = best === null ? -1 : (mu[lanes[best]?.position ?? -1] ?? 0);
    if ((mu[lane.position] ?? 0) > greatest) best = number;
  });
  return best;
}

/** Untried, not ruled out by what failed, and free to be asked now. */
export function mayTryAt(state: BalancedRace, { mayTry }: RaceMoment): (position: number) => boolean {
  return (position) => {
    const candidate = state.terms.candidates[position];
    if (!candidate || state.lanes.some((lane) => lane.position === position)) return false;
    const isRuledOut = state.lanes.some(
      (lane) => lane.fault !== null && !isUsefulAfter(lane.fault, lane.candidate, candidate),
    );
    return !isRuledOut && mayTry(candidate);
  };
}

/** Whom `choose` takes of those that may be tried and paid for; where it would have taken another one, that is withheld. */
export function affordable(
  state: BalancedRace,
  moment: RaceMoment,
  isExtra: boolean,
  choose: (mayTry: (position: number) => boolean) => number | null,
): { readonly position: number | null; readonly withheld: readonly RaceAction[] } {
  const mayTry = mayTryAt(state, moment);
  const wanted = choose(mayTry);
  const refusal = wanted === null ? null : moment.refusal(wanted, isExtra);
  const candidate = state.terms.candidates[wanted ?? -1];
  if (!refusal || !candidate) return { position: wanted, withheld: [] };
  const position = choose((each) => mayTry(each) && moment.refusal(each, isExtra) === null);
  return { position, withheld: [{ type: 'withhold', candidate, refusal }] };
}

/** What is believed of the pool now. */
export function viewAt({ terms }: BalancedRace, { learned, nowMs }: RaceMoment): PoolView {
  const { pool, role } = terms.plan.view;
  return viewOf(learned, pool, role, nowMs);
}

/** Whether one more attempt may run. */
export function mayRun(state: BalancedRace): boolean {
  const lanes = running(state).map((number) => state.lanes[number]);
  const overdue = lanes.filter((lane) => lane?.lateBy != null).length;
  return hasRoom(lanes.length - overdue, overdue, state.terms.plan.view.pool.constants);
}

/** Lanes that run, by number. */
export const running = (state: BalancedRace): readonly number[] =>
  state.lanes.flatMap((lane, number) => (lane.status === 'running' ? [number] : []));

/** Whether a usable answer is there. */
export const hasAnswer = (state: BalancedRace): boolean => state.lanes.some(({ status }) => status === 'succeeded');

/** The race with one lane changed. */
export function setLane(state: BalancedRace, index: number, change: Partial<BalancedLane>): BalancedRace {
  return { ...state, lanes: state.lanes.map((lane, at) => (at === index ? { ...lane, ...change } : lane)) };
}

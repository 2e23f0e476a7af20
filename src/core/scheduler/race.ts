// The race of one hedged call as a pure state machine: messages in, actions out. It never waits and never sends.
//
//   start -> launch startCount lanes, arm the hedge timer
//   hedge-due -> launch the next candidate            failed -> launch the next, or wait for the others, or give up
//   content (policy stream) -> commit that lane, cancel the others
//   succeeded -> accept it (first-success), or when every better-ranked lane has ended (best-ranked, literal HACO)
//
// A message of a lane that was cancelled, or that comes after the end, is ignored: its cost is booked by its attempt.
import type { Candidate } from '../candidate.ts';
import type { LaunchReason } from '../events.ts';
import type { Fault } from '../faults/fault.ts';
import type { CallPlan } from './plan.ts';

export type LaneStatus = 'running' | 'succeeded' | 'failed' | 'cancelled';

/** One attempt in the race. Its number is its place in `lanes`; `rank` is its place in the plan's order. */
export interface Lane {
  readonly candidate: Candidate;
  readonly rank: number;
  readonly status: LaneStatus;
  readonly fault: Fault | null;
}

export interface RaceState {
  readonly plan: CallPlan;
  readonly policy: 'stream' | 'hold';
  readonly winnerRule: 'first-success' | 'best-ranked';
  readonly lanes: readonly Lane[];
  /** Ranks that may still be launched, best first. */
  readonly waiting: readonly number[];
  readonly committed: number | null;
  readonly isOver: boolean;
}

export type RaceMessage =
  | { readonly type: 'start' }
  | { readonly type: 'hedge-due' }
  | { readonly type: 'content'; readonly lane: number }
  | { readonly type: 'succeeded'; readonly lane: number }
  | { readonly type: 'failed'; readonly lane: number; readonly fault: Fault };

export type RaceAction =
  | { readonly type: 'launch'; readonly lane: number; readonly candidate: Candidate; readonly reason: LaunchReason }
  | { readonly type: 'arm-hedge'; readonly afterMs: number }
  | { readonly type: 'cancel'; readonly lane: number }
  | { readonly type: 'commit'; readonly lane: number }
  /** The lane's whole answer is the call's answer. */
  | { readonly type: 'accept'; readonly lane: number }
  /** The committed lane broke after content had gone out. */
  | { readonly type: 'break'; readonly lane: number; readonly fault: Fault }
  /** Nothing is left: the fault that decides what comes next. */
  | { readonly type: 'give-up'; readonly fault: Fault | null }
  /** A refusal before the commit: surfaced, never routed around (DESIGN 20). */
  | { readonly type: 'refuse'; readonly lane: number; readonly fault: Fault };

export interface RaceStep {
  readonly state: RaceState;
  readonly actions: readonly RaceAction[];
}

/** A race that has not started. `firstReason` says why its first lane is launched (`retry` in a later round). */
export function newRace(plan: CallPlan, policy: RaceState['policy']): RaceState {
  return {
    plan,
    policy,
    winnerRule: plan.mode === 'literal' ? 'best-ranked' : 'first-success',
    lanes: [],
    waiting: plan.order.map((_, rank) => rank),
    committed: null,
    isOver: false,
  };
}

/** The only way a race changes. */
export function stepRace(state: RaceState, message: RaceMessage): RaceStep {
  if (state.isOver) return { state, actions: [] };
  switch (message.type) {
    case 'start':
      return start(state);
    case 'hedge-due': {
      const isFull = running(state).length >= state.plan.maxConcurrent;
      return isFull || state.committed !== null ? { state, actions: [] } : launchNext(state, 'hedge');
    }
    case 'content':
      return onContent(state, message.lane);
    case 'succeeded':
      return onSucceeded(state, message.lane);
    case 'failed':
      return onFailed(state, message.lane, message.fault);
  }
}

const running = (state: RaceState): readonly number[] =>
  state.lanes.flatMap((lane, index) => (lane.status === 'running' ? [index] : []));

function start(state: RaceState): RaceStep {
  let next = state;
  const actions: RaceAction[] = [];
  for (let count = 0; count < state.plan.startCount; count++) {
    const step = launchNext(next, count === 0 ? 'first' : 'parallel');
    next = step.state;
    actions.push(...step.actions.filter((action) => action.type === 'launch' || count === state.plan.startCount - 1));
  }
  return actions.length === 0 ? over(next, [{ type: 'give-up', fault: null }]) : { state: next, actions };
}

function launchNext(state: RaceState, reason: LaunchReason): RaceStep {
  const [rank, ...waiting] = state.waiting;
  const candidate = rank === undefined ? undefined : state.plan.order[rank];
  if (rank === undefined || !candidate) return { state, actions: [] };
  const lane: Lane = { candidate, rank, status: 'running', fault: null };
  const actions: RaceAction[] = [{ type: 'launch', lane: state.lanes.length, candidate, reason }];
  const afterMs = state.plan.hedgeAfterMs[candidate.id];
  if (afterMs !== undefined && waiting.length > 0) actions.push({ type: 'arm-hedge', afterMs });
  return { state: { ...state, lanes: [...state.lanes, lane], waiting }, actions };
}

function onContent(state: RaceState, lane: number): RaceStep {
  const isRunning = state.lanes[lane]?.status === 'running';
  if (!isRunning || state.policy !== 'stream' || state.committed !== null) return { state, actions: [] };
  const { state: alone, actions } = cancelOthers(state, lane);
  return { state: { ...alone, committed: lane }, actions: [{ type: 'commit', lane }, ...actions] };
}

function onSucceeded(state: RaceState, lane: number): RaceStep {
  if (state.lanes[lane]?.status !== 'running') return { state, actions: [] };
  return acceptBest(setLane(state, lane, { status: 'succeeded' }));
}

/** Accepts the best-ranked success if the winner rule lets it. */
function acceptBest(state: RaceState): RaceStep {
  const successes = state.lanes.flatMap((lane, index) =>
    lane.status === 'succeeded' ? [{ index, rank: lane.rank }] : [],
  );
  const best = successes.reduce<{ index: number; rank: number } | null>(
    (a, b) => (a && a.rank <= b.rank ? a : b),
    null,
  );
  if (!best) return { state, actions: [] };
  const isBlocked =
    state.winnerRule === 'best-ranked' &&
    state.lanes.some((lane) => lane.status === 'running' && lane.rank < best.rank);
  if (isBlocked) return { state, actions: [] };
  // In literal mode losers run on for their traces; the caller decides that from the plan's mode.
  const { state: alone, actions } =
    state.winnerRule === 'best-ranked' ? { state, actions: [] } : cancelOthers(state, best.index);
  return over(alone, [{ type: 'accept', lane: best.index }, ...actions]);
}

function onFailed(state: RaceState, lane: number, fault: Fault): RaceStep {
  if (state.lanes[lane]?.status !== 'running') return { state, actions: [] };
  const failed = setLane(state, lane, { status: 'failed', fault });
  if (state.committed === lane) return over(failed, [{ type: fault.class === 'T8' ? 'refuse' : 'break', lane, fault }]);
  if (fault.class === 'T8') {
    const { state: alone, actions } = cancelOthers(failed, lane);
    return over(alone, [{ type: 'refuse', lane, fault }, ...actions]);
  }
  const narrowed: RaceState = { ...failed, waiting: state.plan.isChained ? stillUseful(failed, lane, fault) : [] };
  const accepted = acceptBest(narrowed);
  if (accepted.actions.length > 0) return accepted;
  const step = launchNext(narrowed, 'failover');
  if (step.actions.length > 0) return step;
  if (running(narrowed).length > 0) return { state: narrowed, actions: [] };
  return over(narrowed, [{ type: 'give-up', fault: decidingFault(narrowed) }]);
}

/** Waiting ranks that this fault does not rule out as well. */
function stillUseful(state: RaceState, lane: number, fault: Fault): readonly number[] {
  const failed = state.lanes[lane]?.candidate;
  if (!failed) return state.waiting;
  return state.waiting.filter((rank) => {
    const candidate = state.plan.order[rank];
    if (!candidate) return false;
    if (fault.class === 'T6') return candidate.contextWindowTokens > failed.contextWindowTokens;
    if (fault.class !== 'T7') return true;
    // A key or quota is an account's; a request that one vendor cannot read may suit another's wire, so not its own again.
    if (fault.detail === 'fixable') return candidate.domains.vendor !== failed.domains.vendor;
    return candidate.providerId !== failed.providerId || candidate.account !== failed.account;
  });
}

/** Of all faults of the race, the one whose remedy makes progress: overflow, then what may pass, then what will not. */
function decidingFault(state: RaceState): Fault | null {
  const faults = state.lanes.flatMap((lane) => lane.fault ?? []);
  const weight = (fault: Fault): number => (fault.class === 'T6' ? 3 : fault.class === 'T7' ? 1 : 2);
  return faults.reduce<Fault | null>((best, fault) => (best && weight(best) >= weight(fault) ? best : fault), null);
}

function cancelOthers(state: RaceState, winner: number): RaceStep {
  const others = running(state).filter((lane) => lane !== winner);
  const next = others.reduce((current, lane) => setLane(current, lane, { status: 'cancelled' }), state);
  return { state: next, actions: others.map((lane) => ({ type: 'cancel', lane })) };
}

function setLane(state: RaceState, index: number, change: Partial<Lane>): RaceState {
  return { ...state, lanes: state.lanes.map((lane, at) => (at === index ? { ...lane, ...change } : lane)) };
}

const over = (state: RaceState, actions: readonly RaceAction[]): RaceStep => ({
  state: { ...state, isOver: true },
  actions,
});

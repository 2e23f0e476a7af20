// The race of one literal HACO call as a pure state machine: messages in, actions out. It never waits and never sends.
//
//   start -> launch the whole hedge set        failed -> wait for the others, or give up
//   succeeded -> accept the best-ranked success once every better-ranked lane has ended
//
// Losers run on for their traces (DESIGN 9), nobody beyond the hedge set is asked, and nothing is hedged on time: other messages
// are ignored, like those of a lane that has ended or that come after the end.
import type { Candidate } from '../candidate.ts';
import type { Fault } from '../faults/fault.ts';
import type { LiteralCallPlan } from './plan.ts';
import { decidingFault, isRefusal } from './raceFaults.ts';
import type { RaceAction, RaceMessage } from './raceWords.ts';

/** One attempt in the race. Its number is its place in `lanes` and in the plan's order. */
export interface LiteralLane {
  readonly candidate: Candidate;
  readonly status: 'running' | 'succeeded' | 'failed' | 'cancelled';
  readonly fault: Fault | null;
}

export interface LiteralRace {
  readonly plan: LiteralCallPlan;
  readonly lanes: readonly LiteralLane[];
  readonly isOver: boolean;
}

export interface LiteralStep {
  readonly state: LiteralRace;
  readonly actions: readonly RaceAction[];
}

/** A race that has not started. */
export function newLiteralRace(plan: LiteralCallPlan): LiteralRace {
  return { plan, lanes: [], isOver: false };
}

/** The only way a race changes. */
export function stepLiteralRace(state: LiteralRace, message: RaceMessage): LiteralStep {
  if (state.isOver) return { state, actions: [] };
  switch (message.type) {
    case 'start':
      return start(state);
    case 'succeeded':
      return onSucceeded(state, message.lane);
    case 'failed':
      return onFailed(state, message.lane, message.fault);
    case 'due':
    case 'first-token':
    case 'content':
      return { state, actions: [] };
  }
}

function start(state: LiteralRace): LiteralStep {
  const started = state.plan.order.slice(0, state.plan.startCount);
  if (started.length === 0) return over(state, [{ type: 'give-up', fault: null }]);
  const lanes = started.map((candidate): LiteralLane => ({ candidate, status: 'running', fault: null }));
  const actions = started.map((candidate, lane): RaceAction => {
    const reason = lane === 0 ? 'first' : 'parallel';
    return { type: 'launch', lane, candidate, reason, trigger: null };
  });
  return { state: { ...state, lanes }, actions };
}

function onSucceeded(state: LiteralRace, lane: number): LiteralStep {
  if (state.lanes[lane]?.status !== 'running') return { state, actions: [] };
  return acceptBest(setLane(state, lane, { status: 'succeeded' }));
}

/** Accepts the best-ranked success unless a better-ranked lane still runs. */
function acceptBest(state: LiteralRace): LiteralStep {
  const best = state.lanes.findIndex(({ status }) => status === 'succeeded');
  const isBlocked = state.lanes.slice(0, Math.max(0, best)).some(({ status }) => status === 'running');
  if (best < 0 || isBlocked) return { state, actions: [] };
  return over(state, [{ type: 'accept', lane: best, held: null }]);
}

function onFailed(state: LiteralRace, lane: number, fault: Fault): LiteralStep {
  if (state.lanes[lane]?.status !== 'running') return { state, actions: [] };
  const failed = setLane(state, lane, { status: 'failed', fault });
  if (isRefusal(fault)) {
    const { state: alone, actions } = cancelOthers(failed, lane);
    return over(alone, [{ type: 'refuse', lane, fault }, ...actions]);
  }
  const accepted = acceptBest(failed);
  if (accepted.actions.length > 0 || failed.lanes.some(({ status }) => status === 'running')) return accepted;
  return over(failed, [{ type: 'give-up', fault: decidingFault(failed.lanes.flatMap((each) => each.fault ?? [])) }]);
}

function cancelOthers(state: LiteralRace, winner: number): LiteralStep {
  const others = state.lanes.flatMap(({ status }, lane) => (status === 'running' && lane !== winner ? [lane] : []));
  const next = others.reduce((current, lane) => setLane(current, lane, { status: 'cancelled' }), state);
  return { state: next, actions: others.map((lane) => ({ type: 'cancel', lane })) };
}

function setLane(state: LiteralRace, index: number, change: Partial<LiteralLane>): LiteralRace {
  return { ...state, lanes: state.lanes.map((lane, at) => (at === index ? { ...lane, ...change } : lane)) };
}

const over = (state: LiteralRace, actions: readonly RaceAction[]): LiteralStep => ({
  state: { ...state, isOver: true },
  actions,
});

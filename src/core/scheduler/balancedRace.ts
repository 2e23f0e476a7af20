// The race of one balanced or fast call as a pure state machine: messages in, actions out. It never waits and never sends.
//
//   start -> launch the start set, arm the last calls        look due -> late: hedge from the bucket, else look again
//   first-token -> its speed is looked at from now on        content (policy stream) -> commit that lane, cancel the others
//   failed -> the next candidate at once, or wait for those that run, or give up
//   succeeded -> accept it, or hold it for a bounded while for a better one that runs
//   last-call, final-call due -> one more, whoever may still answer in time
//
// A message of a lane that was cancelled or has ended, or that comes after the end, is ignored: its cost is booked by its attempt.
// No candidate is launched twice. Whom there is no money for is withheld (spending.ts): an extra that does not fit, and anybody
// when a limit is spent; the start set was planned so. Source: scheduler-study 6.2 (hedge, accept, on failure, deadline); DESIGN
// 6 and 20.
import type { LaunchReason, LaunchTrigger } from '../events.ts';
import type { Fault } from '../faults/fault.ts';
import { acceptOrWait, type RunningAttempt } from './balanced/acceptOrWait.ts';
import { hedgeTimers, latenessOf, nextOnFailure, pickHedge } from './balanced/hedge.ts';
import type { AttemptProgress, Untried } from './balanced/hedge.ts';
import { takeHedge } from './balanced/hedgeBucket.ts';
import { indexOf } from './balanced/fallbackIndex.ts';
import { lastCallTimes, pickLastCall } from './balanced/lastCall.ts';
import type { PoolView } from './balanced/view.ts';
import {
  affordable,
  bestAnswer,
  hasAnswer,
  mayRun,
  running,
  setLane,
  viewAt,
  type BalancedLane,
  type BalancedRace,
  type RaceMoment,
} from './balancedLanes.ts';
import { decidingFault, isRefusal } from './raceFaults.ts';
import type { HeldAnswer, RaceAction, RaceMessage, RaceTimer, ReceivedSoFar } from './raceWords.ts';

export interface BalancedStep {
  readonly state: BalancedRace;
  readonly actions: readonly RaceAction[];
}

/** Timers count whole ms: one that fires a fraction early is on time. */
const SLACK_MS = 1;
/** Characters that count as one output token, for the speed of decoding only: norm and progress are counted alike. */
export const CHARS_PER_TOKEN = 4;

/** The only way a race changes. */
export function stepBalancedRace(state: BalancedRace, message: RaceMessage, moment: RaceMoment): BalancedStep {
  if (state.isOver) return nothing(state);
  switch (message.type) {
    case 'start':
      return start(state, moment);
    case 'due':
      return onDue(state, message.timer, message.received, moment);
    case 'first-token':
      return onFirstToken(state, message.lane, moment);
    case 'content':
      return onContent(state, message.lane);
    case 'succeeded':
      return onSucceeded(state, message.lane, moment);
    case 'failed':
      return onFailed(state, message.lane, message.fault, moment);
  }
}

function start(state: BalancedRace, moment: RaceMoment): BalancedStep {
  const { plan, callStartedAtMs, deadlineMs } = state.terms;
  if (plan.start.length === 0) return over(state, [{ type: 'give-up', fault: null }]);
  const begun = plan.start.reduce<BalancedStep>(
    (step, position, index) =>
      and(step, (now) => launch(now, position, { reason: index === 0 ? 'first' : 'parallel', trigger: null }, moment)),
    nothing(state),
  );
  const times = lastCallTimes(plan.view, deadlineMs - callStartedAtMs, (position) => !plan.start.includes(position));
  if (!times) return begun;
  const sinceMs = moment.nowMs - callStartedAtMs;
  const arms = (['last-call', 'final-call'] as const).map((kind): RaceAction => {
    const atMs = kind === 'last-call' ? times.lastMs : times.finalMs;
    return { type: 'arm', timer: { kind }, afterMs: wholeMs(atMs - sinceMs) };
  });
  return { ...begun, actions: [...begun.actions, ...arms] };
}

interface Launch {
  readonly reason: LaunchReason;
  readonly trigger: LaunchTrigger | null;
}

function launch(
  state: BalancedRace,
  position: number,
  { reason, trigger }: Launch,
  moment: RaceMoment,
  given?: PoolView,
): BalancedStep {
  const candidate = state.terms.candidates[position];
  if (!candidate) return nothing(state);
  const isStart = reason === 'first' || reason === 'parallel';
  const view = given ?? (isStart ? state.terms.plan.view : viewAt(state, moment));
  const timers = hedgeTimers(view, position, moment.learned);
  const lookMs = wholeMs(Math.min(timers.firstTokenMs, timers.totalMs));
  const lane: BalancedLane = {
    candidate,
    position,
    status: 'running',
    fault: null,
    launchedAtMs: moment.nowMs,
    firstTokenAtMs: null,
    timers,
    promisedSuccess: view.availability[position] ?? 0,
    isStart,
    lateBy: null,
    freeAtMs: null,
    lookAtMs: moment.nowMs + lookMs,
  };
  const number = state.lanes.length;
  const actions: RaceAction[] = [
    { type: 'launch', lane: number, candidate, reason, trigger },
    { type: 'arm', timer: { kind: 'look', lane: number }, afterMs: lookMs },
  ];
  return { state: { ...state, lanes: [...state.lanes, lane] }, actions };
}

function onDue(
  state: BalancedRace,
  timer: RaceTimer,
  received: ReceivedSoFar | undefined,
  moment: RaceMoment,
): BalancedStep {
  switch (timer.kind) {
    case 'accept':
      return state.held && moment.nowMs >= state.held.untilMs - SLACK_MS
        ? accept(state, bestAnswer(state, viewAt(state, moment)), moment)
        : nothing(state);
    case 'last-call':
    case 'final-call':
      return lastCall(state, moment);
    case 'look':
      return look(state, timer.lane, received, moment);
    case 'again':
      return isWanted(state, timer.lane) ? hedge(state, timer.lane, moment) : nothing(state);
  }
}

/** A hedge for this lane is still of use: it runs, and nothing usable is there yet. */
function isWanted(state: BalancedRace, number: number): boolean {
  return state.lanes[number]?.status === 'running' && state.committed === null && !hasAnswer(state);
}

function look(
  state: BalancedRace,
  number: number,
  received: ReceivedSoFar | undefined,
  moment: RaceMoment,
): BalancedStep {
  const lane = state.lanes[number];
  if (!lane || !isWanted(state, number) || lane.lateBy !== null) return nothing(state);
  if (moment.nowMs < lane.lookAtMs - SLACK_MS) return nothing(state);
  const lateness = latenessOf(lane.timers, progressOf(lane, received, moment.nowMs));
  if (lateness.trigger !== null) return hedge(setLane(state, number, { lateBy: lateness.trigger }), number, moment);
  return lateness.againInMs === null ? nothing(state) : lookLater(state, number, lateness.againInMs, moment);
}

/** Timers are rounded up to whole ms, so that what is due is not a fraction of a ms early for ever. */
function progressOf(lane: BalancedLane, received: ReceivedSoFar | undefined, nowMs: number): AttemptProgress {
  return {
    elapsedMs: nowMs - lane.launchedAtMs + SLACK_MS / 2,
    firstTokenMs: lane.firstTokenAtMs === null ? null : lane.firstTokenAtMs - lane.launchedAtMs,
    outputTokens: (received?.chars ?? 0) / CHARS_PER_TOKEN,
    lastPieceMs: received ? received.lastAtMs - lane.launchedAtMs : null,
  };
}

function lookLater(state: BalancedRace, lane: number, inMs: number, { nowMs }: RaceMoment): BalancedStep {
  const afterMs = wholeMs(inMs);
  return {
    state: setLane(state, lane, { lookAtMs: nowMs + afterMs }),
    actions: [{ type: 'arm', timer: { kind: 'look', lane }, afterMs }],
  };
}

/** One more beside a lane that is late: from the bucket, or later where that is empty. */
function hedge(state: BalancedRace, number: number, moment: RaceMoment): BalancedStep {
  const lane = state.lanes[number];
  if (!lane || !mayRun(state)) return nothing(state);
  const view = viewAt(state, moment);
  const { position, withheld } = affordable(state, moment, true, nextOf(state, view, pickHedge));
  if (position === null) return after(withheld, nothing(state));
  const elapsedMs = moment.nowMs - lane.launchedAtMs + SLACK_MS / 2;
  const ticket = takeHedge(moment.learned, elapsedMs, lane.freeAtMs, view.pool.constants);
  if (!ticket.isGranted) {
    const { freeAtMs } = ticket;
    const afterMs = wholeMs(freeAtMs - elapsedMs);
    const actions: RaceAction[] = [{ type: 'arm', timer: { kind: 'again', lane: number }, afterMs }];
    return { state: setLane(state, number, { freeAtMs }), actions };
  }
  const isPaid = ticket.state !== moment.learned;
  const launched = launch(state, position, { reason: 'hedge', trigger: lane.lateBy }, moment, view);
  const paid: readonly RaceAction[] = isPaid ? [{ type: 'pay-hedge' }] : [];
  return after([...withheld, ...paid], launched);
}

function lastCall(state: BalancedRace, moment: RaceMoment): BalancedStep {
  if (state.committed !== null || hasAnswer(state)) return nothing(state);
  const view = viewAt(state, moment);
  const isFull = running(state).length >= view.pool.constants.maxRunning;
  const restMs = state.terms.deadlineMs - moment.nowMs;
  if (isFull) return nothing(state);
  const pick = (mayTry: Untried['mayTry']): number | null => pickLastCall(view, restMs, mayTry);
  const { position, withheld } = affordable(state, moment, true, pick);
  const last = { reason: 'hedge', trigger: 'deadline' } as const;
  return after(withheld, position === null ? nothing(state) : launch(state, position, last, moment, view));
}

function onFirstToken(state: BalancedRace, number: number, moment: RaceMoment): BalancedStep {
  const lane = state.lanes[number];
  if (lane?.status !== 'running' || lane.firstTokenAtMs !== null) return nothing(state);
  const begun = setLane(state, number, { firstTokenAtMs: moment.nowMs });
  if (lane.lateBy !== null) return nothing(begun);
  const progress = progressOf({ ...lane, firstTokenAtMs: moment.nowMs }, undefined, moment.nowMs);
  const lateness = latenessOf(lane.timers, progress);
  return lateness.trigger === null && lateness.againInMs !== null
    ? lookLater(begun, number, lateness.againInMs, moment)
    : nothing(begun);
}

function onContent(state: BalancedRace, lane: number): BalancedStep {
  const { policy } = state.terms;
  if (state.lanes[lane]?.status !== 'running' || policy !== 'stream' || state.committed !== null) return nothing(state);
  const { state: alone, actions } = cancelOthers(state, lane);
  return { state: { ...alone, committed: lane, held: null }, actions: [{ type: 'commit', lane }, ...actions] };
}

function onSucceeded(state: BalancedRace, number: number, moment: RaceMoment): BalancedStep {
  if (state.lanes[number]?.status !== 'running') return nothing(state);
  const ended = setLane(state, number, { status: 'succeeded' });
  return state.committed === number ? accept(ended, number, moment) : considerAccepting(ended, moment);
}

/** Takes the best answer there is, or holds it for a better one that runs and is worth the wait. */
function considerAccepting(state: BalancedRace, moment: RaceMoment): BalancedStep {
  const view = viewAt(state, moment);
  const best = bestAnswer(state, view);
  const winner = state.lanes[best ?? -1];
  if (best === null || !winner) return nothing(state);
  const sinceMs = state.held?.sinceMs ?? moment.nowMs;
  const others = running(state).flatMap((number): RunningAttempt[] => {
    const lane = state.lanes[number];
    // Of one that is late and silent nothing is known but that it is slower than believed: it is not waited for.
    const isLost = lane?.lateBy != null && lane.firstTokenAtMs === null;
    return lane && !isLost ? [{ position: lane.position, elapsedMs: moment.nowMs - lane.launchedAtMs }] : [];
  });
  const chosen = acceptOrWait(view, winner.position, others, moment.nowMs - sinceMs);
  if (chosen.type === 'accept') return accept(state, best, moment);
  const afterMs = wholeMs(chosen.waitMs);
  const waitedFor = state.terms.candidates[chosen.position]?.id ?? '';
  const held = { sinceMs, untilMs: moment.nowMs + afterMs, waitedFor, gain: chosen.gain };
  return { state: { ...state, held }, actions: [{ type: 'arm', timer: { kind: 'accept' }, afterMs }] };
}

function accept(state: BalancedRace, number: number | null, { nowMs }: RaceMoment): BalancedStep {
  if (number === null) return nothing(state);
  const { held } = state;
  const told: HeldAnswer | null = held && {
    heldMs: nowMs - held.sinceMs,
    waitedFor: held.waitedFor,
    gain: held.gain,
  };
  const { state: alone, actions } = cancelOthers(state, number);
  return over(alone, [{ type: 'accept', lane: number, held: told }, ...actions]);
}

function onFailed(state: BalancedRace, number: number, fault: Fault, moment: RaceMoment): BalancedStep {
  if (state.lanes[number]?.status !== 'running') return nothing(state);
  const failed = setLane(state, number, { status: 'failed', fault });
  if (state.committed === number)
    return over(failed, [{ type: isRefusal(fault) ? 'refuse' : 'break', lane: number, fault }]);
  if (state.committed !== null) return nothing(failed);
  // An answer that is only held back is not committed: the refusal is surfaced all the same (DESIGN 20).
  if (isRefusal(fault)) {
    const { state: alone, actions } = cancelOthers(failed, number);
    return over(alone, [{ type: 'refuse', lane: number, fault }, ...actions]);
  }
  if (hasAnswer(failed)) return considerAccepting(failed, moment);
  if (!mayRun(failed)) return withoutAnother(failed);
  const view = viewAt(failed, moment);
  const elapsedMs = moment.nowMs - state.terms.callStartedAtMs;
  const pick = nextOf(failed, view, (untried) => nextOnFailure(untried, elapsedMs));
  const { position, withheld } = affordable(failed, moment, false, pick);
  const failover = { reason: 'failover', trigger: 'failure' } as const;
  return after(withheld, position === null ? withoutAnother(failed) : launch(failed, position, failover, moment, view));
}

/** One has failed and nobody takes its place: those that run are waited for. */
function withoutAnother(failed: BalancedRace): BalancedStep {
  if (running(failed).length > 0) return nothing(failed);
  return over(failed, [{ type: 'give-up', fault: decidingFault(failed.lanes.flatMap((lane) => lane.fault ?? [])) }]);
}

/** Chooses the next candidate: the first in a listed order, else whom `pick` chooses; null: nobody is left. */
function nextOf(
  { terms: { plan, order } }: BalancedRace,
  view: PoolView,
  pick: (untried: Untried) => number | null,
): (mayTry: Untried['mayTry']) => number | null {
  if (order === 'listed') return (mayTry) => plan.order.find(mayTry) ?? null;
  const scores = indexOf(view, plan.call);
  return (mayTry) => pick({ view, scores, call: plan.call, mayTry });
}

function cancelOthers(state: BalancedRace, winner: number): BalancedStep {
  const others = running(state).filter((lane) => lane !== winner);
  const next = others.reduce((current, lane) => setLane(current, lane, { status: 'cancelled' }), state);
  return { state: next, actions: others.map((lane) => ({ type: 'cancel', lane })) };
}

const wholeMs = (ms: number): number => Math.max(1, Math.ceil(ms));

const nothing = (state: BalancedRace): BalancedStep => ({ state, actions: [] });

const after = (actions: readonly RaceAction[], { state, actions: rest }: BalancedStep): BalancedStep => ({
  state,
  actions: [...actions, ...rest],
});

function and(step: BalancedStep, next: (state: BalancedRace) => BalancedStep): BalancedStep {
  const { state, actions } = next(step.state);
  return { state, actions: [...step.actions, ...actions] };
}

const over = (state: BalancedRace, actions: readonly RaceAction[]): BalancedStep => ({
  state: { ...state, held: null, isOver: true },
  actions,
});

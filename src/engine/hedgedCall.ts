// One race of attempts over the plan's candidates. Every choice is core/scheduler/race; this file only does what it says:
// starts and cancels attempts, arms the hedge timer, and hands on what may reach the caller.
import type { Candidate } from '../core/candidate.ts';
import type { ChatRequest, StreamEvent } from '../core/chat.ts';
import type { EventIds } from '../core/context.ts';
import type { LaunchReason } from '../core/events.ts';
import { classify } from '../core/faults/classify.ts';
import type { Fault, Observation } from '../core/faults/fault.ts';
import { failureOutcome } from '../core/scheduler/outcome.ts';
import type { CallPlan } from '../core/scheduler/plan.ts';
import type { AttemptOutcome } from '../core/scheduler/profile.ts';
import { newRace, stepRace, type RaceAction, type RaceMessage } from '../core/scheduler/race.ts';
import type { AdvancedSettings } from '../core/settings.ts';
import { runAttempt, type AttemptMessage } from './attempt.ts';
import type { AttemptFigures, TokenEstimates } from './attemptTally.ts';
import { brokenAdapter } from './brokenAdapter.ts';
import type { CommitPolicy } from './call.ts';
import type { Emit } from './eventLog.ts';
import { heldFault } from './heldAnswer.ts';
import { Lane } from './lane.ts';
import { Mailbox } from './mailbox.ts';
import type { ClockPort, ProviderPort } from './ports.ts';
import type { EndedAttempt } from './tokenBook.ts';
import { noTimeFault, type Place } from './withheld.ts';

/** What the race needs; `onEnded` learns of every attempt, then `onOutcome` of each that ended by itself (no cancelled loser). */
export interface RaceInput {
  readonly clock: ClockPort;
  readonly provider: ProviderPort;
  readonly timers: AdvancedSettings['timers'];
  /** Moment after which no attempt runs, whenever it was started. */
  readonly deadlineMs: number;
  readonly request: ChatRequest;
  readonly plan: CallPlan;
  readonly policy: CommitPolicy;
  /** `retry` when an earlier round of the same call has failed. */
  readonly isRetry: boolean;
  readonly ids: EventIds;
  readonly nextAttemptId: () => string;
  readonly emit: Emit;
  /** Asked before each attempt: a place for it, or why it is not made. */
  readonly admit: (candidate: Candidate, ids: EventIds, signal: AbortSignal) => Promise<Place>;
  readonly tokens: TokenEstimates;
  readonly onEnded: (attempt: EndedAttempt) => void;
  readonly onWithheld: (lane: Lane, fault: Fault) => void;
  /** An attempt has ended without its provider, which went on when it was told to stop. */
  readonly onStuck: (candidate: Candidate, ids: EventIds) => void;
  readonly onOutcome: (lane: Lane, figures: AttemptFigures, failure: AttemptFailure | null) => void;
  readonly signal: AbortSignal;
  /** Aborted when Belay ends: also stops literal mode's losers, which otherwise run on. */
  readonly shutdown: AbortSignal;
}

/** How an attempt failed. `httpStatus` null: no headers came. */
export interface AttemptFailure {
  readonly fault: Fault;
  readonly httpStatus: number | null;
  /** What the fault was read from, where there was something to read. */
  readonly observation?: Observation;
}

type Ending = Exclude<AttemptMessage, { type: 'event' }>;

/** One reason for every lane and timer that is no longer needed. */
const RACE_OVER = new Error('the race is over');

export type RaceYield =
  { readonly type: 'committed'; readonly lane: Lane } | { readonly type: 'event'; readonly event: StreamEvent };

export interface RaceEnd {
  readonly outcome: 'answered' | 'refused' | 'broken' | 'gave-up' | 'cancelled';
  /** The lane whose answer went out (in part, when broken). */
  readonly lane: Lane | null;
  readonly fault: Fault | null;
  /** True when content has reached the caller. */
  readonly isCommitted: boolean;
}

interface LaneMessage {
  readonly type: 'lane';
  readonly lane: number;
  readonly message: AttemptMessage;
}
type Message = LaneMessage | { readonly type: 'hedge-due' } | { readonly type: 'caller-gone' };

/** Runs the race to its end. Returning early (the caller stopped reading) cancels every attempt. */
export async function* runRace(input: RaceInput): AsyncGenerator<RaceYield, RaceEnd> {
  const race = new Race(input);
  const gone = (): void => race.callerGone();
  input.signal.addEventListener('abort', gone, { once: true });
  try {
    if (input.signal.aborted) return { outcome: 'cancelled', lane: null, fault: null, isCommitted: false };
    return yield* race.run();
  } finally {
    input.signal.removeEventListener('abort', gone);
    race.close();
  }
}

class Race {
  private readonly input: RaceInput;
  private readonly mailbox = new Mailbox<Message>();
  private readonly lanes: Lane[] = [];
  private readonly hedgeTimer = new AbortController();
  private state;
  private committed: Lane | null = null;
  private isOver = false;

  constructor(input: RaceInput) {
    this.input = input;
    this.state = newRace(input.plan, input.policy);
  }

  callerGone(): void {
    void this.mailbox.post({ type: 'caller-gone' });
  }

  /** Ends timers and running attempts; in literal mode losers of an answered race run on for their traces (DESIGN 9). */
  close(): void {
    const mayRunOn = this.input.plan.mode === 'literal' && this.isOver && !this.input.signal.aborted;
    this.isOver = true;
    this.hedgeTimer.abort(RACE_OVER);
    if (!mayRunOn) for (const lane of this.lanes) lane.abort.abort(RACE_OVER);
    this.mailbox.releaseProducers();
  }

  async *run(): AsyncGenerator<RaceYield, RaceEnd> {
    let end = yield* this.step({ type: 'start' });
    while (!end) {
      const message = await this.mailbox.take();
      if (message.type === 'caller-gone')
        return { outcome: 'cancelled', lane: this.committed, fault: null, isCommitted: this.committed !== null };
      end = message.type === 'hedge-due' ? yield* this.step(message) : yield* this.onLane(message);
    }
    return end;
  }

  private *onLane({ lane: index, message }: LaneMessage): Generator<RaceYield, RaceEnd | null> {
    const lane = this.lanes[index];
    if (!lane) return null;
    if (message.type === 'event') {
      const end = lane === this.committed ? null : yield* this.step({ type: 'content', lane: index });
      if (lane === this.committed) yield* this.flush(lane, 'open');
      return end;
    }
    if (message.type === 'failed') return yield* this.step({ type: 'failed', lane: index, fault: message.fault });
    return message.type === 'succeeded' ? yield* this.step({ type: 'succeeded', lane: index }) : null;
  }

  /** One step of the state machine and everything it asks for. */
  private *step(message: RaceMessage): Generator<RaceYield, RaceEnd | null> {
    const { state, actions } = stepRace(this.state, message);
    this.state = state;
    let end: RaceEnd | null = null;
    for (const action of actions) end = (yield* this.perform(action)) ?? end;
    return end;
  }

  private *perform(action: RaceAction): Generator<RaceYield, RaceEnd | null> {
    switch (action.type) {
      case 'launch':
        this.launch(action.lane, action.reason);
        return null;
      case 'arm-hedge':
        this.armHedge(action.afterMs);
        return null;
      case 'cancel':
        this.lanes[action.lane]?.abort.abort(RACE_OVER);
        return null;
      case 'commit':
        yield* this.commit(action.lane);
        return null;
      case 'give-up':
        return this.over('gave-up', null, action.fault);
      case 'break':
        return this.over('broken', this.lanes[action.lane] ?? null, action.fault);
      case 'accept':
      case 'refuse': {
        const lane = this.lanes[action.lane];
        const fault = action.type === 'refuse' ? action.fault : null;
        if (!lane) return this.over('gave-up', null, fault);
        // A refusal that the provider ended properly is shown as it came; one that came as an error has nothing to show.
        if (action.type === 'accept' || lane.isFinished) {
          yield* this.commit(action.lane);
          yield* this.flush(lane, fault ? 'refused' : 'accepted');
        }
        return this.over(fault ? 'refused' : 'answered', lane, fault);
      }
    }
  }

  private over(outcome: RaceEnd['outcome'], lane: Lane | null, fault: Fault | null): RaceEnd {
    this.isOver = true;
    return { outcome, lane, fault, isCommitted: this.committed !== null };
  }

  private *commit(index: number): Generator<RaceYield, void> {
    const lane = this.lanes[index];
    if (!lane || this.committed) return;
    this.committed = lane;
    yield { type: 'committed', lane };
  }

  private *flush(lane: Lane, as: 'open' | 'accepted' | 'refused'): Generator<RaceYield, void> {
    for (const event of lane.release(as)) yield { type: 'event', event };
  }

  private armHedge(afterMs: number): void {
    const { clock } = this.input;
    // Rejects only when the race has ended.
    clock.sleep(afterMs, this.hedgeTimer.signal).then(
      () => this.mailbox.post({ type: 'hedge-due' }),
      () => undefined,
    );
  }

  private launch(index: number, reason: LaunchReason): void {
    const candidate = this.state.lanes[index]?.candidate;
    if (!candidate) return;
    const lane = new Lane(this.input.nextAttemptId(), candidate, this.input.clock.nowMs());
    this.lanes[index] = lane;
    const { clock, shutdown } = this.input;
    const stop = (): void => lane.abort.abort(RACE_OVER);
    shutdown.addEventListener('abort', stop, { once: true });
    this.attempt(index, lane, this.input.isRetry && reason === 'first' ? 'retry' : reason)
      .catch((cause: unknown) => this.receive(index, lane, brokenAdapter(cause, clock.nowMs())))
      .finally(() => shutdown.removeEventListener('abort', stop));
  }

  /** One attempt, once there is a place for it; the place is held until the attempt has ended, whichever way. */
  private async attempt(index: number, lane: Lane, reason: LaunchReason): Promise<void> {
    const { clock, provider, request, tokens, emit, deadlineMs } = this.input;
    const { candidate, attemptId } = lane;
    const { signal } = lane.abort;
    const ids = { ...this.input.ids, attempt: attemptId };
    const place = await this.placeInTime(candidate, ids, signal);
    if (!place.ok) return this.withheld(index, lane, place.fault);
    try {
      lane.startedAtMs = clock.nowMs();
      if (lane.startedAtMs >= deadlineMs) {
        await this.withheld(index, lane, noTimeFault());
        return;
      }
      const timers = { ...this.input.timers, totalMs: Math.min(this.input.timers.totalMs, deadlineMs - clock.nowMs()) };
      emit(ids, { type: 'attempt-launched', candidate: candidate.id, reason });
      const onStuck = (): void => this.input.onStuck(candidate, ids);
      const attempt = { clock, provider, timers, request, candidate, tokens, attemptId, signal, onStuck };
      await runAttempt(attempt, (message) => this.receive(index, lane, message));
    } finally {
      place.release();
    }
  }

  /** A place is waited for no longer than until the call's deadline. */
  private async placeInTime(candidate: Candidate, ids: EventIds, signal: AbortSignal): Promise<Place> {
    const { clock, deadlineMs, admit } = this.input;
    const late = new AbortController();
    const over = new AbortController();
    clock.sleep(Math.max(0, deadlineMs - clock.nowMs()), over.signal).then(
      () => late.abort(RACE_OVER),
      () => undefined,
    );
    try {
      const place = await admit(candidate, ids, AbortSignal.any([signal, late.signal]));
      const isLate = !place.ok && place.fault === null && late.signal.aborted && !signal.aborted;
      return isLate ? { ok: false, fault: noTimeFault() } : place;
    } finally {
      over.abort(RACE_OVER);
    }
  }

  /** Nothing was sent: the race goes on without it, and nobody's health or cost is touched. */
  private async withheld(index: number, lane: Lane, fault: Fault | null): Promise<void> {
    if (!fault || this.isOver) return;
    this.input.onWithheld(lane, fault);
    const message: Ending = { ...brokenAdapter(null, this.input.clock.nowMs()), fault };
    await this.mailbox.post({ type: 'lane', lane: index, message });
  }

  /** Called by the attempt itself, also after the race is over: endings are always booked, events only while somebody reads. */
  private receive(index: number, lane: Lane, message: AttemptMessage): Promise<void> {
    const ids = { ...this.input.ids, attempt: lane.attemptId };
    const candidate = lane.candidate.id;
    if (message.type === 'event') {
      if (message.isContent && !lane.isStreaming) {
        lane.isStreaming = true;
        this.input.emit(ids, {
          type: 'attempt-first-token',
          candidate,
          elapsedMs: this.input.clock.nowMs() - lane.startedAtMs,
        });
      }
      if (this.isOver) return Promise.resolve();
      const hasText = lane.take(message.event);
      const isWanted = lane === this.committed || (hasText && this.input.policy === 'stream');
      return isWanted ? this.mailbox.post({ type: 'lane', lane: index, message }) : Promise.resolve();
    }
    const ending = message.type === 'succeeded' ? this.checked(lane, message) : message;
    this.book(lane, ending);
    return this.isOver ? Promise.resolve() : this.mailbox.post({ type: 'lane', lane: index, message: ending });
  }

  /** A complete answer with an unusable tool call is a failure, not a success; a held one that does not pass V0, too. */
  private checked(lane: Lane, message: Extract<AttemptMessage, { type: 'succeeded' }>): Ending {
    const problem = lane.toolProblem(this.input.request.tools);
    if (!problem) {
      const held = this.input.policy === 'hold' && !this.isOver ? heldFault(lane.heldParts, this.input.request) : null;
      return held ? { type: 'failed', figures: message.figures, fault: held, httpStatus: 200 } : message;
    }
    const fault = classify(
      {
        provider: lane.candidate.family,
        httpStatus: 200,
        headers: {},
        body: null,
        clientError: { name: 'MalformedToolCall', code: 'belay_malformed_tool_call', message: problem },
        streamPhase: 'after_finish',
        finishReason: 'tool_calls',
        operation: 'model_read',
      },
      this.input.clock.nowMs(),
    );
    return { type: 'failed', figures: message.figures, fault, httpStatus: 200 };
  }

  private book(lane: Lane, message: Ending): void {
    const ids = { ...this.input.ids, attempt: lane.attemptId };
    const candidate = lane.candidate.id;
    const { figures } = message;
    const { elapsedMs, costUsd, billedTokens, usage, servedModel } = figures;
    const isUnpriced = lane.candidate.priceSource === 'unknown' && billedTokens > 0;
    const ended = { candidate, elapsedMs, costUsd, billedTokens, ...(isUnpriced ? { isUnpriced } : {}) };
    lane.figures = figures;
    if (message.type === 'cancelled') this.input.emit(ids, { type: 'attempt-cancelled', ...ended });
    else if (message.type === 'failed')
      this.input.emit(ids, { type: 'attempt-failed', fault: message.fault, ...ended });
    else this.input.emit(ids, { type: 'attempt-succeeded', usage, servedModel, ...ended });
    this.input.onEnded({ ids, candidate: lane.candidate, ending: message.type, figures });
    if (message.type === 'cancelled') return;
    this.input.onOutcome(lane, figures, message.type === 'failed' ? message : null);
  }
}

/** What an attempt that ended by itself says of its candidate. */
export function attemptOutcome(
  figures: AttemptFigures,
  failure: AttemptFailure | null,
  { nowMs, deadlineMs }: { readonly nowMs: number; readonly deadlineMs: number },
): AttemptOutcome {
  if (failure) return failureOutcome(failure.fault, failure.httpStatus, nowMs, nowMs >= deadlineMs);
  const { elapsedMs: totalMs, firstTokenMs, sentChars: sentBytes, receivedChars: receivedBytes } = figures;
  return { kind: 'success', totalMs, firstTokenMs: firstTokenMs ?? totalMs, sentBytes, receivedBytes };
}

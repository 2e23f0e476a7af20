// The attempts of one race: each is started once there is a place for it, heard to its end, checked and booked exactly once,
// also when its race is over. It chooses nothing; what an attempt says goes to the race as a message.
import type { Candidate } from '../core/candidate.ts';
import type { ChatRequest } from '../core/chat.ts';
import type { EventIds } from '../core/context.ts';
import type { LaunchReason, LaunchTrigger } from '../core/events.ts';
import { classify } from '../core/faults/classify.ts';
import type { Fault, Observation } from '../core/faults/fault.ts';
import type { AttemptPrice } from '../core/scheduler/balanced/pricing.ts';
import type { AdvancedSettings } from '../core/settings.ts';
import { runAttempt, type AttemptMessage } from './attempt.ts';
import type { AttemptFigures, TokenEstimates } from './attemptTally.ts';
import { brokenAdapter } from './brokenAdapter.ts';
import type { CommitPolicy } from './call.ts';
import type { Emit } from './eventLog.ts';
import { heldFault } from './heldAnswer.ts';
import { Lane } from './lane.ts';
import type { ClockPort, ProviderPort } from './ports.ts';
import type { EndedAttempt } from './tokenBook.ts';
import { noTimeFault, type Place } from './withheld.ts';

/** How an attempt failed. `httpStatus` null: no headers came. */
export interface AttemptFailure {
  readonly fault: Fault;
  readonly httpStatus: number | null;
  /** What the fault was read from, where there was something to read. */
  readonly observation?: Observation;
}

/** An attempt that has ended, with its lane's number and how it failed. */
export interface EndedOfRace extends EndedAttempt {
  readonly lane: number;
  readonly failure: AttemptFailure | null;
  /** Whether the race has asked for its end, not the caller or Belay's own. */
  readonly isSuperseded: boolean;
}

/** What the attempts need. `onEnded` learns of every attempt, then `onOutcome` of each that ended by itself (no cancelled loser). */
export interface LaneRunnerInput {
  readonly clock: ClockPort;
  readonly provider: ProviderPort;
  readonly timers: AdvancedSettings['timers'];
  /** Moment after which no attempt runs, whenever it was started. */
  readonly deadlineMs: number;
  readonly request: ChatRequest;
  readonly policy: CommitPolicy;
  readonly ids: EventIds;
  readonly nextAttemptId: () => string;
  readonly emit: Emit;
  /** Asked before each attempt: a place for it, or why it is not made. */
  readonly admit: (candidate: Candidate, ids: EventIds, signal: AbortSignal) => Promise<Place>;
  /** What a lane will cost; null: its price is not known in money. */
  readonly priceOf: (lane: number) => AttemptPrice | null;
  /** An attempt may cost so much from its launch on; what it gives is called when it is over, begun or not. */
  readonly pledge: (ids: EventIds, worstUsd: number) => () => void;
  readonly tokens: TokenEstimates;
  readonly onEnded: (ended: EndedOfRace) => void;
  readonly onWithheld: (lane: Lane, fault: Fault) => void;
  /** An attempt has ended without its provider, which went on when it was told to stop. */
  readonly onStuck: (candidate: Candidate, ids: EventIds) => void;
  readonly onOutcome: (lane: Lane, figures: AttemptFigures, failure: AttemptFailure | null) => void;
  /** No attempt runs any more, also after the race: those that have answered, in the order in which they did. */
  readonly onIdle: (answered: readonly Lane[]) => void;
  readonly signal: AbortSignal;
  /** Aborted when Belay ends: also stops literal mode's losers, which otherwise run on. */
  readonly shutdown: AbortSignal;
}

type Ending = Exclude<AttemptMessage, { type: 'event' }>;

/** What the race hears. `begun`: the first sign of an answer. */
export interface LaneMessage {
  readonly type: 'lane';
  readonly lane: number;
  readonly message: AttemptMessage | { readonly type: 'begun' };
}

/** One reason for every lane and timer that is no longer needed. */
export const RACE_OVER = new Error('the race is over');

export class LaneRunner {
  readonly lanes: Lane[] = [];
  /** Set by the race: nobody reads any more. */
  isOver = false;
  private runningCount = 0;
  private readonly answered: Lane[] = [];
  private readonly input: LaneRunnerInput;
  private readonly post: (message: LaneMessage) => Promise<void>;
  /** True for the lane whose events go out as they come. */
  private readonly isCommitted: (lane: Lane) => boolean;

  constructor(
    input: LaneRunnerInput,
    post: (message: LaneMessage) => Promise<void>,
    isCommitted: (lane: Lane) => boolean,
  ) {
    this.input = input;
    this.post = post;
    this.isCommitted = isCommitted;
  }

  /** Starts an attempt in the background. */
  launch(index: number, candidate: Candidate, reason: LaunchReason, trigger: LaunchTrigger | null): void {
    const { clock, shutdown, nextAttemptId } = this.input;
    const lane = new Lane(nextAttemptId(), candidate, clock.nowMs());
    this.lanes[index] = lane;
    const stop = (): void => lane.abort.abort(RACE_OVER);
    shutdown.addEventListener('abort', stop, { once: true });
    this.runningCount++;
    const { ids, pledge, priceOf } = this.input;
    const release = pledge({ ...ids, attempt: lane.attemptId }, priceOf(index)?.worstUsd ?? 0);
    this.attempt(index, lane, reason, trigger)
      .catch((cause: unknown) => this.receive(index, lane, brokenAdapter(cause, clock.nowMs())))
      .finally(() => {
        shutdown.removeEventListener('abort', stop);
        release();
        if (--this.runningCount === 0) this.input.onIdle(this.answered);
      });
  }

  /** Stops one that the race no longer needs; it is not waited for. */
  cancel(index: number): void {
    this.lanes[index]?.supersede(RACE_OVER);
  }

  /** Stops all that still run. */
  cancelAll(): void {
    for (const lane of this.lanes) lane.abort.abort(RACE_OVER);
  }

  /** One attempt, once there is a place for it; the place is held until the attempt has ended, whichever way. */
  private async attempt(index: number, lane: Lane, reason: LaunchReason, trigger: LaunchTrigger | null): Promise<void> {
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
      const price = this.input.priceOf(index);
      const worth = price && { expectedUsd: price.expectedUsd, worstUsd: price.worstUsd };
      const why = trigger === null ? {} : { trigger };
      emit(ids, { type: 'attempt-launched', candidate: candidate.id, reason, ...why, ...worth });
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
    await this.post({ type: 'lane', lane: index, message });
  }

  /** Called by the attempt itself, also after the race is over: endings are always booked, events only while somebody reads. */
  private receive(index: number, lane: Lane, message: AttemptMessage): Promise<void> {
    if (message.type === 'event') {
      if (message.isContent && !lane.isStreaming) this.begun(index, lane);
      // Also when the race is over: a loser that runs on in literal mode is judged like the winner, and for that all of it is needed.
      const hasText = lane.take(message.event, this.input.clock.nowMs());
      if (this.isOver) return Promise.resolve();
      const isWanted = this.isCommitted(lane) || (hasText && this.input.policy === 'stream');
      return isWanted ? this.post({ type: 'lane', lane: index, message }) : Promise.resolve();
    }
    const ending = message.type === 'succeeded' ? this.checked(lane, message) : message;
    this.book(index, lane, ending);
    return this.isOver ? Promise.resolve() : this.post({ type: 'lane', lane: index, message: ending });
  }

  private begun(index: number, lane: Lane): void {
    lane.isStreaming = true;
    const { clock, emit, ids } = this.input;
    const elapsedMs = clock.nowMs() - lane.startedAtMs;
    const candidate = lane.candidate.id;
    emit({ ...ids, attempt: lane.attemptId }, { type: 'attempt-first-token', candidate, elapsedMs });
    if (!this.isOver) void this.post({ type: 'lane', lane: index, message: { type: 'begun' } });
  }

  /** A complete answer with an unusable tool call is a failure, not a success; a held one that does not pass V0, too. */
  private checked(lane: Lane, message: Extract<AttemptMessage, { type: 'succeeded' }>): Ending {
    const problem = lane.toolProblem(this.input.request.tools);
    if (!problem) {
      const held = this.input.policy === 'hold' ? heldFault(lane.heldParts, this.input.request) : null;
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

  private book(index: number, lane: Lane, message: Ending): void {
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
    if (message.type === 'succeeded') this.answered.push(lane);
    const failure = message.type === 'failed' ? message : null;
    const { isSuperseded } = lane;
    const { candidate: of } = lane;
    this.input.onEnded({ ids, candidate: of, ending: message.type, figures, lane: index, failure, isSuperseded });
    if (message.type !== 'cancelled') this.input.onOutcome(lane, figures, failure);
  }
}

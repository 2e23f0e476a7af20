// One race of attempts over the plan's candidates. Every choice is the machine's (core/scheduler); this file only does what it
// says: starts and cancels attempts, arms timers, and hands on what may reach the caller.
import type { StreamEvent } from '../core/chat.ts';
import type { Fault } from '../core/faults/fault.ts';
import { failureOutcome } from '../core/scheduler/outcome.ts';
import type { AttemptOutcome } from '../core/scheduler/profile.ts';
import type { RaceAction, RaceMessage, RaceTimer } from '../core/scheduler/raceWords.ts';
import type { AttemptFigures } from './attemptTally.ts';
import type { Lane } from './lane.ts';
import { LaneRunner, RACE_OVER, type AttemptFailure, type LaneMessage, type LaneRunnerInput } from './laneRunner.ts';
import { Mailbox } from './mailbox.ts';
import type { RaceMachine } from './raceMachine.ts';

export type { AttemptFailure } from './laneRunner.ts';

export interface RaceInput extends LaneRunnerInput {
  readonly machine: RaceMachine;
  /** True when an earlier round of the same call has failed. */
  readonly isRetry: boolean;
}

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

/** The end of a round in which nobody answered, or was asked. */
export const gaveUp = (fault: Fault | null): RaceEnd => ({ outcome: 'gave-up', lane: null, fault, isCommitted: false });

type Message = LaneMessage | { readonly type: 'due'; readonly timer: RaceTimer } | { readonly type: 'caller-gone' };

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
  private readonly attempts: LaneRunner;
  private readonly timers = new AbortController();
  private committed: Lane | null = null;

  constructor(input: RaceInput) {
    this.input = input;
    this.attempts = new LaneRunner(
      input,
      (message) => this.mailbox.post(message),
      (lane) => lane === this.committed,
    );
  }

  callerGone(): void {
    void this.mailbox.post({ type: 'caller-gone' });
  }

  /** Ends timers and running attempts; literal mode's losers of an answered race run on. */
  close(): void {
    const { machine, signal } = this.input;
    const mayRunOn = machine.losersRunOn && this.attempts.isOver && !signal.aborted;
    this.attempts.isOver = true;
    this.timers.abort(RACE_OVER);
    if (!mayRunOn) this.attempts.cancelAll();
    this.mailbox.releaseProducers();
  }

  async *run(): AsyncGenerator<RaceYield, RaceEnd> {
    let end = yield* this.step({ type: 'start' });
    while (!end) {
      const message = await this.mailbox.take();
      if (message.type === 'caller-gone')
        return { outcome: 'cancelled', lane: this.committed, fault: null, isCommitted: this.committed !== null };
      end = message.type === 'due' ? yield* this.onDue(message.timer) : yield* this.onLane(message);
    }
    return end;
  }

  private *onDue(timer: RaceTimer): Generator<RaceYield, RaceEnd | null> {
    const received = 'lane' in timer ? this.attempts.lanes[timer.lane]?.received : null;
    return yield* this.step({ type: 'due', timer, ...(received ? { received } : {}) });
  }

  private *onLane({ lane: index, message }: LaneMessage): Generator<RaceYield, RaceEnd | null> {
    const lane = this.attempts.lanes[index];
    if (!lane) return null;
    switch (message.type) {
      case 'begun':
        return yield* this.step({ type: 'first-token', lane: index });
      case 'event': {
        const end = lane === this.committed ? null : yield* this.step({ type: 'content', lane: index });
        if (lane === this.committed) yield* this.flush(lane, 'open');
        return end;
      }
      case 'failed':
        return yield* this.step({ type: 'failed', lane: index, fault: message.fault });
      case 'succeeded':
        return yield* this.step({ type: 'succeeded', lane: index });
      case 'cancelled':
        return null;
    }
  }

  /** One step of the state machine and everything it asks for. */
  private *step(message: RaceMessage): Generator<RaceYield, RaceEnd | null> {
    let end: RaceEnd | null = null;
    for (const action of this.input.machine.step(message)) end = (yield* this.perform(action)) ?? end;
    return end;
  }

  private *perform(action: RaceAction): Generator<RaceYield, RaceEnd | null> {
    const { lanes } = this.attempts;
    switch (action.type) {
      case 'launch': {
        const reason = this.input.isRetry && action.reason === 'first' ? 'retry' : action.reason;
        this.attempts.launch(action.lane, action.candidate, reason, action.trigger);
        return null;
      }
      case 'arm':
        this.arm(action.timer, action.afterMs);
        return null;
      case 'pay-hedge':
      case 'withhold':
        // The machine has seen to it.
        return null;
      case 'cancel':
        this.attempts.cancel(action.lane);
        return null;
      case 'commit':
        yield* this.commit(action.lane);
        return null;
      case 'give-up':
        return this.over('gave-up', null, action.fault);
      case 'break':
        return this.over('broken', lanes[action.lane] ?? null, action.fault);
      case 'accept':
      case 'refuse': {
        const lane = lanes[action.lane];
        const fault = action.type === 'refuse' ? action.fault : null;
        if (!lane) return this.over('gave-up', null, fault);
        // A refusal that the provider ended properly is shown as it came; one that came as an error has nothing to show.
        if (action.type === 'accept' || lane.isFinished) {
          yield* this.commit(action.lane);
          yield* this.flush(lane, fault ? 'refused' : 'accepted');
        }
        if (action.type === 'accept') lane.held = action.held;
        return this.over(fault ? 'refused' : 'answered', lane, fault);
      }
    }
  }

  private over(outcome: RaceEnd['outcome'], lane: Lane | null, fault: Fault | null): RaceEnd {
    this.attempts.isOver = true;
    return { outcome, lane, fault, isCommitted: this.committed !== null };
  }

  private *commit(index: number): Generator<RaceYield, void> {
    const lane = this.attempts.lanes[index];
    if (!lane || this.committed) return;
    this.committed = lane;
    yield { type: 'committed', lane };
  }

  private *flush(lane: Lane, as: 'open' | 'accepted' | 'refused'): Generator<RaceYield, void> {
    for (const event of lane.release(as)) yield { type: 'event', event };
  }

  private arm(timer: RaceTimer, afterMs: number): void {
    // Rejects only when the race has ended.
    this.input.clock.sleep(afterMs, this.timers.signal).then(
      () => this.mailbox.post({ type: 'due', timer }),
      () => undefined,
    );
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
  const { billedTokens: tokens, link } = figures;
  return { kind: 'success', totalMs, firstTokenMs: firstTokenMs ?? totalMs, sentBytes, receivedBytes, tokens, link };
}

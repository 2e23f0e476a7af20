// What one logical call has cost so far, in attempts and dollars, and its summary at the end: losers and corrections included.
// What ends after the call is in its own events only.
import type { EventIds } from '../core/context.ts';
import type { EventBody } from '../core/events.ts';
import type { HeldAnswer } from '../core/scheduler/raceWords.ts';
import type { CallSummary } from './call.ts';
import type { Lane } from './lane.ts';

/** How a call has ended. `lane`: whose answer went out; null: nobody's. `helpersUsd`: what helpers have cost. */
type EndOfCall = Pick<CallSummary, 'outcome' | 'rung' | 'elapsedMs'> & {
  readonly lane: Lane | null;
  readonly helpersUsd: number;
};

export class CallBill {
  private readonly call: string;
  private launched = 0;
  private costUsd = 0;
  private loserUsd = 0;
  private unpriced = 0;

  /** `call`: its request id. */
  constructor(call: string) {
    this.call = call;
  }

  /** Physical attempts that were started. */
  get attempts(): number {
    return this.launched;
  }

  /** Counts what an event of an attempt says of its cost. */
  count(ids: EventIds, body: EventBody): void {
    if (body.type === 'attempt-launched') this.launched++;
    if (body.type === 'attempt-succeeded' || body.type === 'attempt-failed' || body.type === 'attempt-cancelled') {
      this.costUsd += body.costUsd;
      if (body.type !== 'attempt-succeeded') this.loserUsd += body.costUsd;
      if (body.isUnpriced) this.unpriced++;
    } else if (body.type === 'cost-corrected' && ids.call === this.call) this.costUsd += body.changeUsd;
  }

  /** What is known of the call at its end. */
  summary({ outcome, lane, rung, elapsedMs, helpersUsd }: EndOfCall): CallSummary {
    const unpriced = this.unpriced > 0 ? { unpricedAttempts: this.unpriced } : {};
    return {
      requestId: this.call,
      outcome,
      candidate: lane?.candidate.id ?? null,
      attempt: lane?.attemptId ?? null,
      servedModel: lane?.figures?.servedModel ?? null,
      rung,
      attempts: this.launched,
      costUsd: this.costUsd + helpersUsd,
      ...unpriced,
      usage: lane?.figures?.usage ?? null,
      elapsedMs,
    };
  }

  /** The event of the call's end. `held`: how long its answer was kept back; `loserUsd` is as booked when each of them ended. */
  finished(summary: CallSummary, held: HeldAnswer | null): Extract<EventBody, { type: 'call-finished' }> {
    const { requestId: _id, attempt: _attempt, servedModel: _served, usage: _usage, ...told } = summary;
    const kept = held && { heldMs: held.heldMs, heldFor: held.waitedFor };
    return { type: 'call-finished', ...told, ...kept, loserUsd: this.loserUsd };
  }
}

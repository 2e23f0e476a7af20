// What one logical call has cost so far, in attempts and dollars: losers and corrections included. What ends after the call is
// in its own events only.
import type { EventIds } from '../core/context.ts';
import type { EventBody } from '../core/events.ts';
import type { CallSummary } from './call.ts';

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

  /** What attempts cost that were cancelled or failed, as it was booked when they ended. */
  get lostUsd(): number {
    return this.loserUsd;
  }

  /** Its part of the call's summary; `besideUsd`: what helpers have cost. */
  total(besideUsd: number): Pick<CallSummary, 'attempts' | 'costUsd' | 'unpricedAttempts'> {
    const unpriced = this.unpriced > 0 ? { unpricedAttempts: this.unpriced } : {};
    return { attempts: this.launched, costUsd: this.costUsd + besideUsd, ...unpriced };
  }
}

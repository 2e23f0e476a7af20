// The words of one round of a call: what it is planned from, and what a plan is.
import type { Candidate } from '../core/candidate.ts';
import type { EventBody } from '../core/events.ts';
import type { AttemptPrice } from '../core/scheduler/balanced/pricing.ts';
import type { SpendingRefusal } from '../core/scheduler/spending.ts';
import type { CallDependencies, CallInput } from './callParts.ts';
import type { CallProtection } from './callProtection.ts';
import type { CallSpending } from './callSpending.ts';
import type { CallTimes } from './callTimes.ts';
import type { RaceInput } from './hedgedCall.ts';
import type { RaceMachine } from './raceMachine.ts';

/** What of a race is the call's own. */
type OfTheCall = 'deadlineMs' | 'request' | 'policy' | 'isRetry' | 'ids' | 'emit' | 'onWithheld' | 'onOutcome';

export interface RoundInput extends Pick<RaceInput, OfTheCall> {
  readonly dependencies: CallDependencies;
  readonly input: CallInput;
  readonly callStartedAtMs: number;
  /** Those that may be asked now. */
  readonly candidates: readonly Candidate[];
  readonly protection: CallProtection;
  readonly times: CallTimes;
  readonly spending: CallSpending;
}

/** A candidate that there is no money for beside the others, and why. */
export interface LeftOut {
  readonly candidate: Candidate;
  readonly refusal: SpendingRefusal;
}

/** A plan that was made: its race, which has not begun, and what is told of it. */
export interface PlannedRound {
  readonly machine: RaceMachine;
  readonly told: Extract<EventBody, { type: 'plan-made' }>;
  readonly priceOf: (lane: number) => AttemptPrice | null;
  /** Of the start set: who was left out for want of money. */
  readonly leftOut: readonly LeftOut[];
  /** Success promised by the start set of `count`, and by independent failures; null: nothing is promised. */
  readonly pledge: { readonly success: number; readonly independentSuccess: number; readonly count: number } | null;
}

// The words of one logical call: what a caller passes in, and what comes back, in order.
import type { CandidateId } from '../core/candidate.ts';
import type { StreamEvent, Usage } from '../core/chat.ts';
import type { Rung } from '../core/events.ts';
import type { Fault } from '../core/faults/fault.ts';
import type { Decision } from '../core/recovery/decision.ts';

/** `stream`: the race ends at first content. `hold`: the whole answer is kept until it is accepted (DESIGN 6). */
export type CommitPolicy = 'stream' | 'hold';

export interface CallOptions {
  readonly policy: CommitPolicy;
  /** Taken from the caller or made by the controller; returned as `x-belay-request-id`. */
  readonly requestId?: string;
  /** Candidates whose answer was rejected: not asked as long as the route has another one. */
  readonly avoid?: readonly CandidateId[];
}

/** What is known of a call when it has ended. */
export interface CallSummary {
  readonly requestId: string;
  readonly outcome: 'answered' | 'refused' | 'failed' | 'cancelled';
  readonly candidate: CandidateId | null;
  /** Id of the winning attempt. */
  readonly attempt: string | null;
  readonly servedModel: string | null;
  readonly rung: Rung;
  /** Physical attempts, losers and failures included. */
  readonly attempts: number;
  /** All attempts' cost in dollars, losers included. */
  readonly costUsd: number;
  /** Attempts whose price is not known and which `costUsd` leaves out; absent: none. */
  readonly unpricedAttempts?: number;
  /** The winner's own usage; null when the provider did not say. */
  readonly usage: Usage | null;
  readonly elapsedMs: number;
}

/** Why a call has no (complete) answer. `message` is for a person: what happened, to what, what to do; no secrets. */
export interface CallFailure {
  readonly fault: Fault | null;
  readonly message: string;
  /** HTTP status a gateway should answer with when nothing was sent yet. */
  readonly status: number;
  readonly retryAfterMs: number | null;
  /** True when content had already reached the caller. */
  readonly afterCommit: boolean;
  readonly summary: CallSummary;
  /** The decision that ended the call; absent: none was made, e.g. nobody could be asked or the answer broke off. */
  readonly decision?: EndDecision;
}

/** Of the last decision of a call. `proposes`: the rung at which a person may let it go on; null: none. */
export type EndDecision = Pick<Decision, 'action' | 'rule' | 'reason'> & Partial<Pick<Decision, 'proposes'>>;

/**
 * What a call yields: `committed` once, before the first `event`; then events; last either `finished` or `failed`.
 * Tool calls arrive only complete, validated and together with the finish part; text never twice; no clean end without
 * the provider's terminal marker. Aborting the signal ends the iterator after the attempts were cancelled.
 */
export type CallEvent =
  | {
      readonly type: 'committed';
      readonly requestId: string;
      readonly candidate: CandidateId;
      readonly rung: Rung;
      readonly attempts: number;
    }
  | { readonly type: 'event'; readonly event: StreamEvent }
  | { readonly type: 'finished'; readonly summary: CallSummary }
  | { readonly type: 'failed'; readonly failure: CallFailure };

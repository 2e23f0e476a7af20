// The words of a race: what happens to it (messages) and what it asks for (actions). Both races, the literal one and the balanced
// one, speak them; whoever performs the actions need not know which it is.
import type { Candidate } from '../candidate.ts';
import type { LaunchReason, LaunchTrigger } from '../events.ts';
import type { Fault } from '../faults/fault.ts';
import type { SpendingRefusal } from './spending.ts';

/** What a timer of the race is for. look: is this lane late. again: a hedge that the bucket did not pay. accept: the wait is over. */
export type RaceTimer =
  { readonly kind: 'look' | 'again'; readonly lane: number } | { readonly kind: 'accept' | 'last-call' | 'final-call' };

export type RaceMessage =
  | { readonly type: 'start' }
  /** A timer that was armed. `received`: by its lane so far; absent: the timer has none, or nothing has come. */
  | { readonly type: 'due'; readonly timer: RaceTimer; readonly received?: ReceivedSoFar }
  /** The lane has begun to answer, though perhaps with nothing that may go out yet. */
  | { readonly type: 'first-token'; readonly lane: number }
  /** The lane has something that may go to the caller now. */
  | { readonly type: 'content'; readonly lane: number }
  | { readonly type: 'succeeded'; readonly lane: number }
  | { readonly type: 'failed'; readonly lane: number; readonly fault: Fault };

/** What of an answer has come. */
export interface ReceivedSoFar {
  readonly chars: number;
  /** When the last piece came, on the race's clock, ms. */
  readonly lastAtMs: number;
}

/** How long a usable answer was kept back, and for whom. */
export interface HeldAnswer {
  readonly heldMs: number;
  /** The better-ranked candidate that was waited for. */
  readonly waitedFor: string;
  /** Expected gain in quality, 0-1. */
  readonly gain: number;
}

export type RaceAction =
  | {
      readonly type: 'launch';
      readonly lane: number;
      readonly candidate: Candidate;
      readonly reason: LaunchReason;
      readonly trigger: LaunchTrigger | null;
    }
  | { readonly type: 'arm'; readonly timer: RaceTimer; readonly afterMs: number }
  /** The hedge that is launched next is paid from the bucket. */
  | { readonly type: 'pay-hedge' }
  /** Who would have been launched next is not, for want of money; another one may be instead. */
  | { readonly type: 'withhold'; readonly candidate: Candidate; readonly refusal: SpendingRefusal }
  | { readonly type: 'cancel'; readonly lane: number }
  | { readonly type: 'commit'; readonly lane: number }
  /** The lane's whole answer is the call's answer. `held`: how long it was kept back; null: not at all. */
  | { readonly type: 'accept'; readonly lane: number; readonly held: HeldAnswer | null }
  /** The committed lane broke after content had gone out. */
  | { readonly type: 'break'; readonly lane: number; readonly fault: Fault }
  /** Nothing is left: the fault that decides what comes next. */
  | { readonly type: 'give-up'; readonly fault: Fault | null }
  /** A refusal before the commit: surfaced, never routed around (DESIGN 20). */
  | { readonly type: 'refuse'; readonly lane: number; readonly fault: Fault };

// What the way of one effect (effectFlow.ts) is given and how it may end. Types only; they decide nothing.
import type { RequestContext } from '../core/context.ts';
import type { Intent, LedgerEntry } from '../core/ledger/entry.ts';
import type { ToolEnd } from '../core/recovery/toolFault.ts';
import type { Emit } from './effectEntry.ts';
import type { Answer, Question, StoreFault } from './ports.ts';

/** A request that stopped at the ledger before anything ran. */
export interface Unstored {
  readonly kind: 'unstored';
  readonly fault: StoreFault;
  /** An earlier attempt at the same effect that is known and may have happened. */
  readonly open?: LedgerEntry;
  /** Why it was not made without the ledger, in words; absent: nobody was asked. */
  readonly why?: string;
}

/** It was made with a person's leave and without an entry. */
export interface OffLedger<Ran> {
  readonly kind: 'off-ledger';
  readonly ran: Ran;
  readonly fault: StoreFault;
  /** What could not be kept for undo, in words; '': nothing. */
  readonly unkept: string;
}

/** What the policy says of an effect (core/guard). */
export interface Judgement {
  readonly verdict: 'allow' | 'ask' | 'deny';
  /** Why, in words for a person. */
  readonly reasons?: readonly string[];
}

/** What an attempt came to. `settled` has run; the others have run nothing, but for `unrecorded`. */
export type Attempt<Ran> =
  | { readonly kind: 'settled'; readonly entry: LedgerEntry; readonly ran: Ran }
  /** Another process prepared the entry first. */
  | { readonly kind: 'taken'; readonly entry: LedgerEntry }
  | {
      readonly kind: 'impossible';
      readonly reason: string;
      readonly entry: LedgerEntry | null;
      /** How the tool failed to begin; absent: it is not the tool's. */
      readonly end?: ToolEnd;
    }
  /** What the effect is for is so already: a success without doing anything. */
  | { readonly kind: 'needless'; readonly reason: string; readonly entry: LedgerEntry | null }
  | Unstored
  /** It ran, but its end could not be stored: the entry stays as `entry` says. */
  | { readonly kind: 'unrecorded'; readonly entry: LedgerEntry; readonly ran: Ran; readonly fault: StoreFault };

/** One effect that is asked for. */
export interface EffectRequest<Ran> {
  /** The entry it would get; owner and probe are filled in by the attempt. */
  readonly intent: Intent;
  /** Whether an entry has the same arguments, secrets and all (effectKey.ts). */
  readonly isSame: (entry: LedgerEntry) => boolean;
  readonly context: RequestContext;
  readonly judgement: Judgement;
  readonly question: Pick<Question, 'kind' | 'reasons' | 'targets'>;
  readonly signal: AbortSignal;
  readonly emit: Emit;
  /** Sees, before a person is asked, whether an attempt would make sense; null when it would. */
  readonly check?: () => Promise<{ readonly kind: 'impossible' | 'needless'; readonly reason: string } | null>;
  /** Prepares and makes the effect. `previous` is the entry to prepare again; null for a first time. */
  readonly attempt: (previous: LedgerEntry | null, approved: Answer | null) => Promise<Attempt<Ran>>;
  /**
   * Makes the effect once without an entry. Called only after a person allowed it, since the ledger cannot be used. Absent: it
   * is never made so, and nobody is asked.
   */
  readonly attemptUnrecorded?: (fault: StoreFault) => Promise<OffLedger<Ran> | Extract<Attempt<Ran>, NothingDone>>;
}

interface NothingDone {
  readonly kind: 'impossible' | 'needless';
}

/** How the request ended. */
export type FlowEnd<Ran> =
  | Exclude<Attempt<Ran>, { kind: 'taken' }>
  | OffLedger<Ran>
  | { readonly kind: 'stored'; readonly entry: LedgerEntry }
  | { readonly kind: 'withheld'; readonly entry: LedgerEntry; readonly reason: string }
  | { readonly kind: 'denied'; readonly entry: LedgerEntry | null; readonly reason: string };

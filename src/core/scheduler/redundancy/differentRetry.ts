// What is done about a copy that failed while others of the same request may run: again at once, later, or not at all. The source
// prints a timeout at once and everything else later; Belay asks by fault class and keeps the borders (a refusal, a
// permanent fault and a write are never sent again). It decides for one copy only: what the call does when all have failed is
// `decide` (core/recovery), whose rule each row names. Source: the redundant-execution text (seed 004), 4.2; HFR 3.5, 4.3, table 4.
import type { FaultClass } from '../../faults/fault.ts';
import type { FaultFacts } from '../../recovery/decision.ts';
import { decidingClass } from '../../recovery/rules/risk.ts';
import type { EffectLevel } from '../../ledger/entry.ts';

/** When a copy is sent again. */
export type RetryTiming = 'at-once' | 'later' | 'never';

/** As printed (4.2): `TimeoutError` is submitted again at once, every other error is scheduled for later. It knows no never. */
export function printedRetry(faultClass: FaultClass): 'at-once' | 'later' {
  return faultClass === 'T3' ? 'at-once' : 'later';
}

export interface CopyRetryRow {
  /** At another candidate, which the fault says nothing of. */
  readonly elsewhere: RetryTiming;
  /** At the one that failed. */
  readonly same: RetryTiming;
  /** Rules of `decide` with which it goes on or ends for a read: elsewhere, and at the same target. */
  readonly decide: { readonly elsewhere: string; readonly same: string };
  readonly reason: string;
}

/**
 * Per class. Where the source tells errors apart by kind, time is told apart by place: a healthy other candidate is asked at once
 * whatever the kind, the one that failed only after the wait (backoff, or what it asked for), a timeout among them, since
 * what did not answer in time is likely overloaded. T7 is of its account, which others may share: a race asks another account at once
 * (raceFaults), since for that one it is a request of its own.
 */
export const copyRetryTable: Readonly<Record<FaultClass, CopyRetryRow>> = {
  T1: row('at-once', 'later', 'T1/elsewhere', 'T1/retry', 'it may pass'),
  T2: row('at-once', 'later', 'T2/elsewhere', 'T2/retry', 'its limit passes; not before it says'),
  T3: row('at-once', 'later', 'T3/elsewhere', 'T3/retry', 'no answer in time: elsewhere at once, here after the wait'),
  T4: row('at-once', 'later', 'T4/other-model', 'T4/wait-for-capacity', 'overloaded: not hammered'),
  T5: row('at-once', 'never', 'T5/other-model', 'T5/no-equivalent', 'it breaks the tool contract again'),
  T6: row('at-once', 'never', 'T6/larger-window', 'T6/nothing-to-trim', 'too large for this context window'),
  T7: row('never', 'never', 'T7/permanent', 'T7/permanent', 'refused for good'),
  T8: row('never', 'never', 'T8/refusal', 'T8/refusal', 'a refusal is surfaced, never routed around'),
  V1: row('at-once', 'never', 'V1/other-model', 'V1/rejected', 'the same again gives the same, without new evidence'),
  unknown: row('at-once', 'later', 'unknown/elsewhere', 'unknown/probe', 'not understood: a read is tried once more'),
};

function row(
  elsewhere: RetryTiming,
  same: RetryTiming,
  elsewhereRule: string,
  sameRule: string,
  reason: string,
): CopyRetryRow {
  return { elsewhere, same, decide: { elsewhere: elsewhereRule, same: sameRule }, reason };
}

/** What is known when a copy has failed. */
export interface CopyFailure {
  readonly fault: Pick<FaultFacts, 'class' | 'secondary' | 'confidence' | 'retryAfterMs' | 'isRetryForbidden'>;
  readonly level: EffectLevel;
  /** A healthy candidate that runs no copy of this request and that the fault does not rule out (T6: of a larger window). */
  readonly hasOther: boolean;
  /** The backoff, ms (`backoffMs`). */
  readonly waitMs: number;
}

export interface CopyRetry {
  readonly timing: RetryTiming;
  readonly target: 'other-candidate' | 'same' | 'nobody';
  /** ms; 0 at once. */
  readonly waitMs: number;
  /** What the source would do. */
  readonly printed: 'at-once' | 'later';
  readonly reason: string;
}

/** Again where, and when. Total: a write, a border or a fault of which nothing could be read is never sent again. */
export function copyRetry({ fault, level, hasOther, waitMs }: CopyFailure): CopyRetry {
  const printed = printedRetry(fault.class);
  const never = (reason: string): CopyRetry => ({ timing: 'never', target: 'nobody', waitMs: 0, printed, reason });
  if (level !== 'R0') return never('a write is looked up first, never sent beside another');
  const { elsewhere, same, reason } = copyRetryTable[decidingClass({ fault })];
  if (elsewhere === 'never') return never(reason);
  if (!(fault.confidence > 0)) return never('nothing could be read of the failure: it may have been a refusal');
  if (hasOther) return { timing: elsewhere, target: 'other-candidate', waitMs: 0, printed, reason };
  if (same === 'never') return never(reason);
  if (fault.isRetryForbidden) return never('the server itself said that the same must not be sent again');
  return { timing: 'later', target: 'same', waitMs: Math.max(waitMs, fault.retryAfterMs ?? 0, 0), printed, reason };
}

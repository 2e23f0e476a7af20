// The fault of an attempt that Belay itself did not make: its candidate is closed off, no place came free in time, or the budget
// is spent. It says nothing of the candidate's health, and it is never counted as a failure of it.
import type { BulkheadRefusal } from '../core/recovery/bulkhead.ts';
import type { Fault } from '../core/faults/fault.ts';
import type { SpendingRefusal } from '../core/scheduler/spending.ts';

type WithheldWhy = 'breaker-open' | BulkheadRefusal;

/** A place for one attempt, or why there is none (null: the race no longer wants it). */
export type Place =
  { readonly ok: true; readonly release: () => void } | { readonly ok: false; readonly fault: Fault | null };

const RULE = 'belay.withheld';

/** T4: there is no capacity for it now. `untilMs`: when there may be; null or Infinity: nobody knows. */
export function withheldFault(why: WithheldWhy, target: string, untilMs: number | null, nowMs: number): Fault {
  const isKnown = untilMs !== null && Number.isFinite(untilMs);
  return {
    class: 'T4',
    confidence: 1,
    secondary: null,
    detail: null,
    retryable: false,
    explicit: true,
    action: 'DEGRADE_MODEL',
    retryAfterMs: isKnown ? Math.max(0, untilMs - nowMs) : null,
    evidence: [`${RULE} ${why} ${target}`],
  };
}

const NO_TIME = `${RULE} no-time`;

/** T3: the call's deadline has come before the attempt. */
export function noTimeFault(): Fault {
  return {
    class: 'T3',
    confidence: 1,
    secondary: null,
    detail: null,
    retryable: false,
    explicit: true,
    action: 'FAIL',
    retryAfterMs: null,
    evidence: [NO_TIME],
  };
}

/** T7, quota: a budget of money is spent, and nobody is asked before a person raises it. */
export function spendingFault({ scope }: SpendingRefusal): Fault {
  return {
    class: 'T7',
    confidence: 1,
    secondary: null,
    detail: 'quota',
    retryable: false,
    explicit: true,
    action: 'FAIL',
    retryAfterMs: null,
    evidence: [`${RULE} spending ${scope}`],
  };
}

/** Whether an attempt was not made for want of time. */
export function isNoTime(fault: Fault): boolean {
  return fault.evidence.includes(NO_TIME);
}

/** Whether a fault is Belay's own no. */
export function isWithheld(fault: Fault): boolean {
  return fault.evidence.some((line) => line.startsWith(RULE));
}

// What the end of one attempt teaches the scheduler: every attempt teaches once. A superseded loser is no failure of its provider,
// a caller that has gone is nobody's failure, and neither is the caller's own deadline. Source: scheduler-study 6.2; DESIGN 9, 14.
import type { CandidateId } from '../candidate.ts';
import type { Role } from '../chat.ts';
import type { Fault, FaultClass } from '../faults/fault.ts';
import type { SchedulerConstants } from './balanced/constants.ts';
import { cutOutcome, type HedgeTimers } from './balanced/hedge.ts';
import { faultQuality } from './balanced/quality.ts';
import type { CallTrace, QualityEvidence, TraceOutcome } from './balanced/types.ts';
import { CHARS_PER_TOKEN } from './balancedRace.ts';

/** How an attempt ended, as its race saw it. */
export interface EndedLane {
  readonly candidate: CandidateId;
  readonly role: Role;
  readonly ending: 'succeeded' | 'failed' | 'cancelled';
  /** Of a failed one. */
  readonly fault: Fault | null;
  /** The caller has gone, or Belay ends: nobody judges what was cut off. */
  readonly isCallerGone: boolean;
  /** The caller's own deadline had come. */
  readonly isOwnDeadline: boolean;
  readonly elapsedMs: number;
  readonly firstTokenMs: number | null;
  readonly receivedChars: number;
  /** As they were at its launch; null: the race has none (literal). */
  readonly timers: HedgeTimers | null;
  readonly promisedSuccess: number | null;
}

/** A key or permission is not mended in seconds: the candidate is out of reach for so long. */
const PERMISSION_COOL_MS = 300_000;

/** Faults that are not of the way: our own request, or a policy. */
const NEUTRAL: ReadonlySet<FaultClass> = new Set(['T6', 'T8']);
/** Answered, but not usable. */
const INVALID: ReadonlySet<FaultClass> = new Set(['T5', 'V1']);

/** The trace of an ended attempt. */
export function traceOf(ended: EndedLane, constants: SchedulerConstants): CallTrace {
  const { candidate, role, fault, elapsedMs, firstTokenMs, receivedChars, promisedSuccess } = ended;
  const outcome = outcomeOf(ended, constants);
  const isOfAccount = outcome === 'hard-failure' && fault?.class === 'T7';
  const retryAfterMs = Math.max(fault?.retryAfterMs ?? 0, isOfAccount ? PERMISSION_COOL_MS : 0);
  return {
    candidate,
    role,
    outcome,
    totalMs: elapsedMs,
    firstTokenMs,
    outputTokens: receivedChars / CHARS_PER_TOKEN,
    quality: [],
    isPing: false,
    promisedSuccess,
    // A refused key says nothing of the region or vendor.
    ...(isOfAccount ? { blames: ['own' as const] } : {}),
    ...(retryAfterMs > 0 ? { retryAfterMs } : {}),
  };
}

/** What a one-token call of the scheduler's own teaches: whether the way is open, and how fast the candidate is now. */
export function pingTrace(
  candidate: CandidateId,
  { fault, elapsedMs }: { readonly fault: Fault | null; readonly elapsedMs: number },
): CallTrace {
  // An answer that blames the request, the key or the policy comes from an upstream that is well.
  const isAnswered = fault === null || NEUTRAL.has(fault.class) || INVALID.has(fault.class) || fault.class === 'T7';
  return {
    candidate,
    role: '',
    outcome: isAnswered ? 'success' : 'hard-failure',
    totalMs: elapsedMs,
    firstTokenMs: fault === null ? elapsedMs : null,
    outputTokens: null,
    quality: [],
    isPing: true,
    promisedSuccess: null,
    ...(fault?.retryAfterMs ? { retryAfterMs: fault.retryAfterMs } : {}),
  };
}

function outcomeOf(ended: EndedLane, constants: SchedulerConstants): TraceOutcome {
  const { ending, fault, isCallerGone, isOwnDeadline, timers, elapsedMs, firstTokenMs } = ended;
  if (ending === 'succeeded') return 'success';
  if (ending === 'cancelled') {
    if (isCallerGone) return 'neutral';
    return timers
      ? cutOutcome(timers, { elapsedMs, firstTokenMs, outputTokens: 0, lastPieceMs: null }, constants)
      : 'cancelled';
  }
  if (!fault || isOwnDeadline || NEUTRAL.has(fault.class)) return 'neutral';
  if (fault.class === 'T7' && fault.detail === 'fixable') return 'neutral';
  return INVALID.has(fault.class) ? 'invalid-output' : 'hard-failure';
}

/**
 * What a semantic kind of failure says of the model's quality; null: nothing. A form that cannot be used counts for its availability
 * already (`invalid-output`), so it weighs little here: counting it twice would cost the best model its rank (study 2.9).
 */
export function faultEvidence(fault: Fault): QualityEvidence | null {
  const q = faultQuality(fault.class);
  return q === null ? null : { source: 'semantic-fault', q, weight: fault.class === 'T5' ? FORM_WEIGHT : 1 };
}

const FORM_WEIGHT = 0.1;

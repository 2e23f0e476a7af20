// What a failed attempt says of its candidate (DESIGN 14): of the candidate itself, of the way to it, or nothing at all.
import type { Fault, FaultClass } from '../faults/fault.ts';
import type { AttemptOutcome } from './profile.ts';

/** A key, permission or quota is not mended in seconds: the candidate is used last for so long. */
const PERMISSION_COOL_MS = 300_000;

const neutralClasses: ReadonlySet<FaultClass> = new Set(['T5', 'T6', 'T8', 'V1']);
/** Of a whole answer: it came, and cannot be used. */
const unusableClasses: ReadonlySet<FaultClass> = new Set(['T5', 'V1']);

/**
 * `httpStatus` null: no headers came. A whole answer that a deterministic check turns down is an internal failure (s = 0, in f_int;
 * study 1.2), a request that was turned down for its tools is not. A stream that began well and broke off is the way's fault, not
 * the candidate's; one that was given up because the caller's own deadline had come (`isOwnDeadline`) is nobody's.
 */
export function failureOutcome(
  fault: Fault,
  httpStatus: number | null,
  nowMs: number,
  isOwnDeadline = false,
): AttemptOutcome {
  const coolUntilMs = fault.retryAfterMs === null ? 0 : nowMs + fault.retryAfterMs;
  if (isOwnDeadline) return { kind: 'neutral', coolUntilMs };
  if (httpStatus === 200 && unusableClasses.has(fault.class)) return { kind: 'internal-failure', coolUntilMs: 0 };
  if (neutralClasses.has(fault.class)) return { kind: 'neutral', coolUntilMs: 0 };
  if (fault.class === 'T7') {
    return fault.detail === 'fixable'
      ? { kind: 'neutral', coolUntilMs: 0 }
      : { kind: 'internal-failure', coolUntilMs: Math.max(coolUntilMs, nowMs + PERMISSION_COOL_MS) };
  }
  const isLink = httpStatus === null || (httpStatus === 200 && (fault.class === 'T1' || fault.class === 'T3'));
  return { kind: isLink ? 'link-failure' : 'internal-failure', coolUntilMs };
}

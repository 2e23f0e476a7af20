// What is known of a write that failed: surely not done, or in doubt. Rests on the status line, the stream phase and the
// code of the connection's error, never on a body, which anybody may have written (DESIGN 13; HFR document, proposition 3).
import type { FaultClass } from './fault.ts';
import type { Signals } from './signals.ts';

type Seen = Pick<Signals, 'operation' | 'status' | 'innerStatuses' | 'phase' | 'facts' | 'tokens'>;

/**
 * Is it proven that the request was not carried out? A 429 that came as the answer itself was turned away before it was
 * done (RFC 6585, 4), unless its body tells of another status; so was a 403 whose headers say when to come back (GitHub); a
 * refused connection has sent nothing.
 */
export function provesNothingDone({ status, innerStatuses, phase, facts }: Seen): boolean {
  if (facts.has('never-sent')) return true;
  const isPlain = [...innerStatuses].every((inner) => inner === status);
  const isTurnedAway = status === 429 || (status === 403 && facts.has('told-to-come-back'));
  return isTurnedAway && isPlain && phase !== 'mid_stream' && phase !== 'after_finish';
}

/** Classes whose action sends something again, or elsewhere. */
const SENT_AGAIN: ReadonlySet<FaultClass> = new Set<FaultClass>(['T1', 'T2', 'T4', 'T5', 'T6', 'unknown']);
/** JSON-RPC 2.0 codes of a call that was not understood, and so not made (5.1): parse, request, method, parameters. */
const NOT_UNDERSTOOD: readonly string[] = ['-32700', '-32600', '-32601', '-32602'];

/**
 * May a write of this class have been carried out, so that its state must be looked up before anything else? Always after
 * a server error and once an answer had begun; without a refusing status for every class that would send it again.
 */
export function isWriteInDoubt(seen: Seen, faultClass: FaultClass): boolean {
  if (seen.operation !== 'tool_write' || provesNothingDone(seen)) return false;
  const { status, phase, facts, tokens } = seen;
  if (phase === 'mid_stream' || (status !== null && status >= 500)) return true;
  // What breaks the schema of a tool's output came out of a tool that ran.
  const isNotUnderstood = !facts.has('output-mismatch') && NOT_UNDERSTOOD.some((code) => tokens.has(code));
  const isUnmade = facts.has('broken-tool-call') || isNotUnderstood;
  if (faultClass === 'T5' && isUnmade) return false;
  return (status === null || status < 400 || status === 429) && SENT_AGAIN.has(faultClass);
}

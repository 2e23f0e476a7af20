// What the end of a command or an edit is in the words of F2D-9 (HFR document, tables 2, 4 and 11). The text that a command
// printed is anybody's, so it decides only of what reads (DESIGN 13): there it may tell a passing fault of the network from an
// answer. Of what writes nothing is made of it; what became of its effect is the ledger's to say.
import { defaultAction, isRetryable, type Judged } from '../faults/actions.ts';
import type { Fault, FaultClass } from '../faults/fault.ts';
import type { EffectLevel } from '../ledger/entry.ts';
import { mayBeDeath } from '../ledger/reconcile.ts';

/** How an action ended that did not do what was asked. */
export type ToolEnd =
  | { readonly kind: 'exited'; readonly exitCode: number; readonly signal: string | null; readonly stderr: string }
  | { readonly kind: 'timed-out' }
  /** It asked a question that nobody could answer: an input is missing. */
  | { readonly kind: 'asked' }
  /** Its end was not seen, or does not say what became of it. */
  | { readonly kind: 'unseen' }
  /** It could not be started: no shell, no process left. */
  | { readonly kind: 'not-started' }
  /** Its breaker is open, or there was no place for it. `retryAfterMs`: until there may be; null: nobody knows. */
  | { readonly kind: 'withheld'; readonly why: string; readonly retryAfterMs: number | null }
  /** An edit that does not fit its file. */
  | { readonly kind: 'unfit' }
  /** An edit whose files could not be written, and were read back as they were before. */
  | { readonly kind: 'not-written' };

interface Judgement {
  readonly class: FaultClass;
  /** 0-1. */
  readonly confidence: number;
  readonly evidence: string;
}

/** Words by which programs of every kind tell that the network failed, or that a server did for the moment. */
const PASSING =
  /\b(?:ECONNRESET|ECONNREFUSED|ECONNABORTED|EPIPE|EAI_AGAIN|ENETUNREACH|ETIMEDOUT)\b|connection (?:was )?(?:reset|refused|timed out|closed by)|temporary failure in name resolution|could ?n[o']t resolve host|tls handshake timeout|\b50[0234]\b[^\n]{0,20}(?:bad gateway|service unavailable|gateway time-?out|internal server error)/i;
const LIMITED = /\b429\b[^\n]{0,20}too many requests|rate limit exceeded|too many requests/i;
/** Exit codes of every POSIX shell: the program is not there, or cannot be executed. */
export const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

/** The fault. */
export function toolFault(level: EffectLevel, end: ToolEnd): Fault {
  const { class: faultClass, confidence, evidence } = judge(level, end);
  const judged: Judged = {
    class: faultClass,
    secondary: null,
    detail: null,
    confidence,
    operation: level === 'R0' ? 'tool_read' : 'tool_write',
    isRetryForbidden: false,
    // What it did before it failed is not known (DESIGN 7); T3 is in doubt by its class.
    isInDoubt: end.kind === 'exited',
  };
  return {
    class: faultClass,
    confidence,
    secondary: null,
    detail: null,
    retryable: isRetryable(judged),
    explicit: true,
    action: defaultAction(judged),
    retryAfterMs: end.kind === 'withheld' ? end.retryAfterMs : null,
    evidence: [`tool.${end.kind} ${evidence}`],
  };
}

function judge(level: EffectLevel, end: ToolEnd): Judgement {
  switch (end.kind) {
    case 'exited':
      return exited(level, end);
    case 'timed-out':
      return { class: 'T3', confidence: 0.95, evidence: 'time limit' };
    case 'unseen':
      return { class: 'T3', confidence: 0.9, evidence: 'its end says too little' };
    case 'asked':
      return { class: 'T5', confidence: 0.9, evidence: 'an input is missing' };
    case 'not-started':
      return { class: 'T5', confidence: 0.8, evidence: 'could not be started' };
    case 'withheld':
      return { class: 'T4', confidence: 1, evidence: end.why };
    case 'unfit':
      return { class: 'T5', confidence: 0.95, evidence: 'does not fit its file' };
    case 'not-written':
      return { class: 'T1', confidence: 0.6, evidence: 'the file system refused' };
  }
}

function exited(
  level: EffectLevel,
  { exitCode, signal, stderr }: Extract<ToolEnd, { readonly kind: 'exited' }>,
): Judgement {
  const code = `exit code ${exitCode}`;
  if (exitCode === NOT_FOUND || exitCode === NOT_EXECUTABLE) return { class: 'T5', confidence: 0.9, evidence: code };
  // Killed by somebody or broken down: why is not known.
  if (signal !== null || mayBeDeath(exitCode)) return { class: 'unknown', confidence: 0.4, evidence: signal ?? code };
  // Exit code 0 that proves nothing.
  if (exitCode === 0) return { class: 'T3', confidence: 0.9, evidence: code };
  if (level === 'R0' && LIMITED.test(stderr)) return { class: 'T2', confidence: 0.7, evidence: `${code}, rate limit` };
  if (level === 'R0' && PASSING.test(stderr)) return { class: 'T1', confidence: 0.7, evidence: `${code}, network` };
  return { class: 'V1', confidence: 0.9, evidence: code };
}

/** Classes of a read that may pass by themselves: Belay itself may run it once more. */
export const PASSING_CLASSES: ReadonlySet<FaultClass> = new Set<FaultClass>(['T1', 'T2', 'T3', 'T4', 'unknown']);

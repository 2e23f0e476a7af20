// Observation -> Fault (F2D-9; HFR document 3.2, 4.2, 5.3). Pure and total: it reads signals, matches tables, chooses, and
// never acts. What no rule knows is `unknown` with the careful action of the operation: probe a read, reconcile a write.
import { defaultAction, isRetryable } from './actions.ts';
import type { Judged } from './actions.ts';
import { decide } from './decide.ts';
import type { Verdict } from './decide.ts';
import type { Fault, FaultClass, Observation, Operation } from './fault.ts';
import { readRetryAfterMs } from './retryAfter.ts';
import { matchRules } from './rule.ts';
import { ruleIndex } from './rules/tables.ts';
import { readSignals } from './signals.ts';
import type { Signals } from './signals.ts';
import { isWriteInDoubt } from './writeSafety.ts';

/** Version of the rule tables: grows with every change that can alter a verdict. Recorded with each fault's evidence. */
export const rulesVersion = '1.2.0';

/**
 * Classifies one failed attempt.
 * @param observation all that was seen; its texts are untrusted
 * @param nowMs the clock's time (ms since 1970), needed only for waits given as a moment; absent: the response's `date`
 *   header is used, else such waits are not reported
 * @returns the fault; confidence 0-1, `retryAfterMs` in ms from now. Never throws: a value of no known shape is `unknown`.
 */
export function classify(observation: Observation, nowMs?: number): Fault {
  try {
    const signals = readSignals(tidy(observation));
    return toFault(decide(matchRules(ruleIndex, signals), signals), signals, nowMs ?? null);
  } catch {
    // A getter that throws, a proxy, a number where an object was promised: no rule can know it.
    return unreadable(operationOf(observation));
  }
}

function toFault(verdict: Verdict, signals: Signals, nowMs: number | null): Fault {
  const isRetryForbidden = signals.facts.has('server-says-stop') || signals.isIncomplete;
  const isInDoubt = isWriteInDoubt(signals, verdict.class);
  const judged: Judged = { ...verdict, operation: signals.operation, isRetryForbidden, isInDoubt };
  return {
    class: verdict.class,
    confidence: verdict.confidence,
    secondary: verdict.secondary,
    detail: verdict.detail,
    retryable: isRetryable(judged),
    explicit: signals.isExplicit && verdict.class !== 'V1',
    action: defaultAction(judged),
    retryAfterMs: WAITING_HELPS.has(verdict.class) ? waitOf(signals, nowMs) : null,
    evidence: evidenceOf(verdict),
  };
}

// Where waiting cures nothing, a hint to wait is bait.
const WAITING_HELPS: ReadonlySet<FaultClass> = new Set<FaultClass>(['T1', 'T2', 'T3', 'T4', 'unknown']);
const MAX_EVIDENCE = 6;

function waitOf({ headers, delays, text }: Signals, nowMs: number | null): number | null {
  return readRetryAfterMs({ headers, bodyDelays: delays, text, nowMs });
}

function evidenceOf(verdict: Verdict): readonly string[] {
  if (verdict.claims.length === 0) return [`no-rule (rules ${rulesVersion})`];
  return verdict.claims.slice(0, MAX_EVIDENCE).map(({ rule, signal }) => `${rule.id}: ${signal.trimEnd()}`);
}

// Callers are typed, but observations are built from other people's errors: fields that are missing count as absent.
function tidy(observation: Observation): Observation {
  const loose: Partial<Observation> = observation;
  return {
    ...observation,
    httpStatus: typeof loose.httpStatus === 'number' && Number.isInteger(loose.httpStatus) ? loose.httpStatus : null,
    headers: lowerNames(loose.headers ?? {}),
    clientError: loose.clientError ?? null,
    streamPhase: loose.streamPhase ?? null,
    finishReason: typeof loose.finishReason === 'string' ? loose.finishReason : null,
    operation: operationOf(observation),
  };
}

// Header names mean the same in any case (RFC 9110, 5.1); not every client makes them lower.
function lowerNames(headers: Observation['headers']): Observation['headers'] {
  const names = Object.keys(headers);
  if (!names.some((name) => /[A-Z]/.test(name))) return headers;
  return Object.fromEntries(names.map((name) => [name.toLowerCase(), headers[name] ?? '']));
}

// An operation that is not known is treated as the most dangerous one.
function operationOf(observation: unknown): Operation {
  try {
    const operation: unknown = Reflect.get(Object(observation), 'operation');
    return operation === 'model_read' || operation === 'tool_read' ? operation : 'tool_write';
  } catch {
    return 'tool_write';
  }
}

function unreadable(operation: Operation): Fault {
  const judged: Judged = {
    class: 'unknown',
    secondary: null,
    detail: null,
    confidence: 0,
    operation,
    isRetryForbidden: true,
    isInDoubt: operation === 'tool_write',
  };
  return {
    class: 'unknown',
    confidence: 0,
    secondary: null,
    detail: null,
    retryable: false,
    explicit: true,
    action: defaultAction(judged),
    retryAfterMs: null,
    evidence: ['unreadable observation'],
  };
}

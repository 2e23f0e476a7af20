// What a caller is told when nobody who may serve its call may get its code: who was asked about or denied, by what, and how
// to allow it. One clear failure; nothing is sent and nothing is tried elsewhere.
import { classify } from '../core/faults/classify.ts';
import type { Fault } from '../core/faults/fault.ts';
import type { CallFailure, CallSummary } from './call.ts';
import type { Blocked } from './disclosureGate.ts';
import { deniedObservation } from './disclosureProvider.ts';

const NAMED = 3;

/** The fault of a call that disclosure stopped: T7, permission. */
export function disclosureFault(blocked: readonly Blocked[], nowMs: number): Fault | null {
  const [first] = blocked;
  return first ? classify(deniedObservation(first.candidate, first.permission.reason), nowMs) : null;
}

/** One sentence: who gets no code, and why. */
export function disclosureReason(blocked: readonly Blocked[], role: string): string {
  const lines = [...new Set(blocked.map(lineOf))];
  const more = lines.length - NAMED;
  const named = lines.slice(0, NAMED).join('; ') + (more > 0 ? `; and ${more} more` : '');
  return `for the role ${role}: ${named}`;
}

/** Builds what the caller is told. */
export function disclosureFailure(
  blocked: readonly Blocked[],
  role: string,
  summary: CallSummary,
  nowMs: number,
): CallFailure {
  const isUnanswered = blocked.some(({ permission }) => permission.status === 'ask');
  const tried = summary.attempts === 0 ? 'Nothing was sent' : 'Nothing more was sent';
  return {
    fault: disclosureFault(blocked, nowMs),
    message: `${tried}: nobody who may serve this call may get its code ${disclosureReason(blocked, role)}. ${remedyFor(blocked, isUnanswered)}`,
    status: 403,
    retryAfterMs: null,
    afterCommit: false,
    summary,
  };
}

function lineOf({ candidate, permission }: Blocked): string {
  const who = `${candidate.domains.vendor} in ${candidate.region}`;
  return permission.status === 'ask'
    ? `${who} (nobody answered in time whether it may)`
    : `${who} (${permission.reason})`;
}

function remedyFor(blocked: readonly Blocked[], isUnanswered: boolean): string {
  if (isUnanswered)
    return 'Answer the question in VS Code and try again, or add a rule with the verdict allow to belay.disclosure.rules in your user settings.';
  const isAnswer = blocked.some(({ permission }) => permission.reason.startsWith('you denied'));
  return isAnswer
    ? 'To be asked again, run "Belay: Forget Disclosure Answers"; or add a rule with the verdict allow to belay.disclosure.rules in your user settings.'
    : 'Change belay.disclosure.rules or belay.disclosure.residency in your user settings, or add a provider that they allow.';
}

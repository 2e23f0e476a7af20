// What follows from a decision about a command or an edit, in words for the agent that asked for it (HFR table 3). The agent's
// next call is the replan, and whatever it asks for goes through guard and ledger again: nothing here allows anything.
import type { EffectLevel } from '../ledger/entry.ts';
import type { Decision } from './decision.ts';

/** What the words name. */
export interface NextStepFacts {
  readonly level: EffectLevel;
  /** The equivalent tool that the decision means, with how it is used; null: none. */
  readonly equivalent: { readonly tool: string; readonly hint: string } | null;
  /** The last good output that the decision means; null: none. */
  readonly stale: { readonly stdout: string; readonly ageMs: number } | null;
}

/** One or two sentences; '' where nothing is to be added. */
export function nextStepText(decision: Decision, { level, equivalent, stale }: NextStepFacts): string {
  const { action, target, rule, reason, proposes } = decision;
  switch (action) {
    case 'RETRY':
      return level === 'R0'
        ? `Next (${rule}): it only reads and may be asked for again.`
        : `Next (${rule}): it may be asked for again as it is; Belay does not repeat by itself what writes.`;
    case 'RECONCILE':
      return `Next (${rule}): ${reason}. Do not ask for it again before that is known.`;
    case 'DEGRADE_TOOL':
      return equivalent
        ? `Next (${rule}): use ${equivalent.tool} instead, which its contract says does the same${equivalent.hint === '' ? '' : ` (${equivalent.hint})`}.`
        : '';
    case 'DEGRADE_SCOPE':
      if (target === 'fallback' && stale) return staleText(rule, stale);
      return `Next (${rule}): ask for less at a time: fewer files, a smaller range, a narrower filter. What you then have is only part of it.`;
    case 'REPLAN':
      return rule.endsWith('/repair')
        ? `Next (${rule}): change what was asked for as the message says; the same again cannot work.`
        : `Next (${rule}): plan the following steps anew from this result; what is done stays done.`;
    case 'ESCALATE':
      return `Next (${rule}): ${reason}. A person has to decide about it; do not get around it by another command${proposes === null ? '' : ` (with a person's leave something of rung ${proposes} could stand in)`}.`;
    case 'FAIL':
      return `Next (${rule}): ${reason}. Go on without it, or say that it cannot be done.`;
    case 'COMPRESS':
    case 'DEGRADE_MODEL':
      return '';
  }
}

function staleText(rule: string, { stdout, ageMs }: NonNullable<NextStepFacts['stale']>): string {
  return [
    `Next (${rule}, rung L4): nothing else is left. STALE: this is what the same command printed ${Math.max(1, Math.round(ageMs / 1000))} s ago in this task; it may no longer be so, and the command has failed now.`,
    stdout.trimEnd(),
    '[end of the stale output]',
  ].join('\n');
}

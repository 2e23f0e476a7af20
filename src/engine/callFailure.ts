// What a caller is told when a call has no answer: what happened, to what, and what to do; and the status that fits.
import type { CandidateId } from '../core/candidate.ts';
import type { Fault, FaultClass } from '../core/faults/fault.ts';
import type { ResolvedRoute } from '../core/routes.ts';
import type { Need } from '../core/scheduler/fit.ts';
import { spendingText, type SpendingRefusal } from '../core/scheduler/spending.ts';
import { faultWords } from '../core/words.ts';
import type { CallFailure, CallSummary, EndDecision } from './call.ts';
import { proposalText, type RungProposal } from './callProposal.ts';
import { isDisclosureDenial } from './disclosureProvider.ts';
import { isNoTime, isWithheld } from './withheld.ts';

const statusOf: Readonly<Record<FaultClass, number>> = {
  T1: 502,
  T2: 429,
  T3: 504,
  T4: 503,
  T5: 502,
  T6: 400,
  T7: 403,
  T8: 400,
  V1: 502,
  unknown: 502,
};

const remedyOf: Readonly<Record<FaultClass, string>> = {
  T1: 'Try again in a moment, or add a provider in another region.',
  T2: 'Wait as told, or add an account or provider with quota left.',
  T3: 'Try again, raise belay.callDeadlineSeconds, or add a faster provider.',
  T4: 'Try again in a moment, or add another provider.',
  T5: 'The provider answered in a shape Belay cannot use; try another model.',
  T6: 'Shorten the conversation, or add a model with a larger context window.',
  T7: 'Check the key, its permissions and quota with "Belay: Add Provider" or `belay doctor`.',
  T8: 'The model refuses this request by policy. Ask differently or decide yourself; Belay does not route around it.',
  V1: 'Ask again with more detail, or use a stronger model.',
  unknown: 'See the Belay log for the request id.',
};

const NOT_DISCLOSED = 'Change belay.disclosure.rules or belay.disclosure.residency if it may.';

/** A call that has ended without an answer. */
export interface EndedCall {
  readonly fault: Fault | null;
  readonly route: ResolvedRoute;
  readonly isCommitted: boolean;
  readonly summary: CallSummary;
  /** The last fault of each candidate that failed. */
  readonly failures: ReadonlyMap<CandidateId, Fault>;
  /** What the request needs and none of those that may serve it can. */
  readonly lacking: readonly Need[];
  /** The budget of money that is spent, where that ended it. */
  readonly spending: SpendingRefusal | null;
  /** The last decision, with what it proposed and nobody agreed to; null: none was made. */
  readonly last: { readonly decision: EndDecision; readonly proposal: RungProposal | null } | null;
}

const needWords: Readonly<Record<Need, string>> = { images: 'images', tools: 'tool calls' };

const needText = (lacking: readonly Need[]): string => lacking.map((need) => needWords[need]).join(' and ');

/** Told when a lower tier serves because nobody of the requested one can take the request. */
export function lackingNotice(
  routeName: string,
  lacking: readonly Need[],
): { readonly message: string; readonly remedy: string } {
  return {
    message: `No model of the requested tier of "${routeName}" takes ${needText(lacking)}: a lower tier answers.`,
    remedy: 'Add one that does to its route, or correct the capabilities of its models in belay.providers.',
  };
}

/** Builds what the caller is told. */
export function callFailure(ended: EndedCall): CallFailure {
  const failure = failureOf(ended);
  if (!ended.last || failure.fault === null || ENDS[ended.last.decision.action] !== true) return failure;
  const { proposal, decision } = ended.last;
  const { action, rule, reason, proposes = null } = decision;
  const message = proposal ? `${failure.message} ${proposalText(proposal)}` : failure.message;
  return { ...failure, message, decision: { action, rule, reason, proposes } };
}

/** The actions that end a call; after any other one it went on and broke, which nobody decided. */
const ENDS: Readonly<Partial<Record<EndDecision['action'], boolean>>> = { ESCALATE: true, FAIL: true };

function failureOf({ fault, route, isCommitted, summary, failures, lacking, spending }: EndedCall): CallFailure {
  if (!fault && lacking.length > 0) {
    const message = `No model that may serve "${route.name}" takes ${needText(lacking)}. Add one that does to its route, or correct the capabilities of its models in belay.providers.`;
    return { fault: null, message, status: 400, retryAfterMs: null, afterCommit: isCommitted, summary };
  }
  if (!fault) {
    const message =
      route.candidates.length === 0
        ? `No provider may serve "${route.name}". Add one with "Belay: Add Provider", or mend belay.routes.`
        : `No candidate of the requested tier may serve "${route.name}". Mend belay.routes or the tier of its models.`;
    return { fault: null, message, status: 404, retryAfterMs: null, afterCommit: isCommitted, summary };
  }
  if (isNoTime(fault) && failures.size === 0) {
    const message = `Nobody was asked for "${route.name}": the deadline of the call had passed before it began. Call again with a later deadline.`;
    return { fault, message, status: statusFor(fault), retryAfterMs: null, afterCommit: isCommitted, summary };
  }
  const cut = isCommitted ? 'The answer broke off and is incomplete. ' : '';
  const tried = summary.attempts === 1 ? '1 attempt' : `${summary.attempts} attempts`;
  if (spending) {
    const before = failures.size === 0 ? '' : `No answer after ${tried}: ${namedFailures(failures, fault)}. `;
    const message = `${before}${spendingText(spending)}`;
    return { fault, message, status: statusFor(fault), retryAfterMs: null, afterCommit: isCommitted, summary };
  }
  return {
    fault,
    message: `${cut}No answer after ${tried}: ${namedFailures(failures, fault)}. ${isDisclosureDenial(fault) ? NOT_DISCLOSED : remedyOf[fault.class]}`,
    status: statusFor(fault),
    retryAfterMs: fault.retryAfterMs,
    afterCommit: isCommitted,
    summary,
  };
}

/** Who failed and how, the first few by name. */
function namedFailures(failures: ReadonlyMap<CandidateId, Fault>, fault: Fault): string {
  const named = [...failures].slice(0, 3).map(([id, each]) => `${id} ${wordsFor(each)} (${each.class})`);
  if (named.length === 0) return `${wordsFor(fault)} (${fault.class})`;
  return failures.size > 3 ? `${named.join('; ')}; and ${failures.size - 3} more` : named.join('; ');
}

function wordsFor(fault: Fault): string {
  if (isNoTime(fault)) return 'was not asked: no time was left';
  if (isWithheld(fault))
    return fault.evidence.some((line) => line.includes('breaker-open'))
      ? 'is closed off after failures'
      : 'had no place free';
  if (fault.class !== 'T7') return faultWords[fault.class];
  if (isDisclosureDenial(fault)) return 'may not get code';
  // Evidence holds rule ids only: an adapter that found no key says so in its own words.
  if (fault.evidence.some((line) => line.includes('adapter.key'))) return 'has no key';
  return fault.detail === 'quota'
    ? 'has no quota left'
    : fault.detail === 'permission'
      ? 'is not permitted'
      : 'refused the request as invalid';
}

function statusFor(fault: Fault): number {
  if (fault.class !== 'T7') return statusOf[fault.class];
  return fault.detail === 'fixable' ? 400 : fault.detail === 'quota' ? 402 : 403;
}

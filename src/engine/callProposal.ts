// A rung that a model call may only take with a person's word (HFR 5.2, require_human_for; table 5): the question, asked within
// the call's deadline, and what a yes turns the decision into. No person, no answer and a no are the end that was decided.
import type { Candidate } from '../core/candidate.ts';
import type { EventIds, RequestContext } from '../core/context.ts';
import type { Degradation, ProposedRung, Rung } from '../core/events.ts';
import type { Decision } from '../core/recovery/decision.ts';
import { rungWords } from '../core/words.ts';
import { askInTime } from './askInTime.ts';
import type { BudgetBook } from './budgetBook.ts';
import type { Emit } from './eventLog.ts';
import type { Ports, Question } from './ports.ts';

/** What a decision proposes, with those that would serve. */
export interface RungProposal extends Omit<ProposedRung, 'substitute'> {
  readonly candidates: readonly Candidate[];
  /** Of one answer, ms. */
  readonly estimateMs: number;
}

/** How a person is asked for one call. */
export interface ProposalParts {
  readonly ports: Pick<Ports, 'approval' | 'clock'>;
  readonly budgets: BudgetBook;
  readonly context: RequestContext;
  readonly ids: EventIds;
  /** Absolute, ms: a yes after it is none. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly newId: (prefix: string) => string;
}

/** The decision that follows from a yes. */
export interface AgreedRung {
  readonly decision: Pick<Decision, 'action' | 'rung' | 'waitMs' | 'rule' | 'reason'>;
  readonly degradation: Degradation;
}

/** What a decision event says of a proposal. */
export function proposedRung({ rung, candidates, quality, qualityFloor }: RungProposal): ProposedRung {
  return { rung, substitute: candidates.map(({ id }) => id).join(', '), quality, qualityFloor };
}

/** What a caller is told of a proposal that nobody agreed to. */
export function proposalText({ rung, candidates }: RungProposal): string {
  const [first] = candidates;
  const who = first ? ` with ${nameOf(first)}${candidates.length > 1 ? ` and ${candidates.length - 1} more` : ''}` : '';
  return `Proposed: go on at rung ${rung} (${rungWords[rung]})${who}; that needs a person's word (belay.advanced.degradation.requireHumanFor), and nobody gave it.`;
}

/** Rungs of a model call at which some model answers; L4 has none. */
const SERVED: ReadonlySet<Rung> = new Set<Rung>(['L2', 'L3']);

/**
 * Asks; null: the call ends as it was decided. A yes takes what is left of the budget and goes beyond one that is used up, by
 * one attempt: the ladder has only rungs below the present one to propose. Rejects for nothing.
 */
export async function askForRung(
  parts: ProposalParts,
  proposal: RungProposal,
  decision: Decision,
): Promise<AgreedRung | null> {
  const { ports, deadlineMs, ids, emit, budgets, context } = parts;
  const { approval, clock } = ports;
  // A yes must leave time for the answer.
  const leftMs = deadlineMs - proposal.estimateMs - clock.nowMs();
  if (!SERVED.has(proposal.rung) || approval.hasPerson === false || !(leftMs > 0)) return null;
  const question = questionOf(parts, proposal, decision);
  emit(ids, { type: 'question-asked', question: question.id, title: question.title, level: null });
  const answer = await askInTime(ports, question, leftMs, parts.signal);
  emit(ids, { type: 'question-answered', question: question.id, answer: answer.choice, by: answer.by });
  if (answer.choice !== 'allow' || parts.signal.aborted) return null;
  await budgets.take(context, clock.nowMs());
  const [faultClass = ''] = decision.rule.split('/', 1);
  const { rung, quality } = proposal;
  const agreed = {
    action: rung === 'L4' ? ('DEGRADE_SCOPE' as const) : ('DEGRADE_MODEL' as const),
    rung,
    waitMs: 0,
    rule: `${faultClass}/person-agreed`,
    reason: `${answer.by} allowed rung ${rung}: ${rungWords[rung]}`,
  };
  const { substitute } = proposedRung(proposal);
  return { decision: agreed, degradation: { substitute, quality, check: decision.check } };
}

function questionOf({ newId, context }: ProposalParts, proposal: RungProposal, decision: Decision): Question {
  const { rung, candidates, quality, qualityFloor } = proposal;
  const known = quality === null ? 'is not known' : `is ${quality.toFixed(2)}`;
  return {
    id: newId('question'),
    kind: 'lower-rung',
    title: `May this call go on at rung ${rung}: ${rungWords[rung]}?`,
    level: null,
    reasons: [
      `Why: ${decision.reason} (${decision.rule}).`,
      `The expected quality ${known}; the floor is ${qualityFloor.toFixed(2)}, the criticality ${context.criticality}.`,
      'What it answers is marked as degraded and checked. Without a yes the call ends without an answer.',
    ],
    targets: candidates.map(nameOf),
  };
}

const nameOf = ({ providerId, model, region }: Candidate): string => `${model} of ${providerId} in ${region}`;

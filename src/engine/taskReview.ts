// V3 in Belay's own agent loop: a person looks at a result, since its check is required (HFR table 8) or since it was drawn
// (5.2, human_spot_check_rate). What the person says of a result that had passed is told with it, so that the drift of the
// checks can be seen (4.6). No answer is never a yes.
import type { CheckLevel, Rung } from '../core/events.ts';
import type { ToolScope } from './agentTools.ts';
import { askInTime } from './askInTime.ts';
import type { Ports } from './ports.ts';

/** What is put before a person. */
export interface ReviewedResult {
  /** `spot-check`: drawn; `acceptance`: required. */
  readonly kind: 'acceptance' | 'spot-check';
  readonly required: CheckLevel;
  /** The highest check that it has passed. */
  readonly passed: CheckLevel;
  readonly evidence: string;
  readonly rung: Rung;
  /** Files that it changed. */
  readonly targets: readonly string[];
}

/** What came of it. `note`: what the person wrote, empty for nothing. */
export type Review =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'rejected'; readonly note: string }
  /** Nobody was there, or nobody answered in time. */
  | { readonly kind: 'unanswered' };

/** Asks at the latest until the task's deadline. */
export async function reviewResult(
  ports: Pick<Ports, 'approval' | 'clock'>,
  result: ReviewedResult,
  newId: (prefix: string) => string,
  scope: ToolScope,
): Promise<Review> {
  const { kind, required, passed: before, evidence, rung, targets } = result;
  const { emit, context, signal } = scope;
  const id = newId('question');
  const title =
    kind === 'spot-check'
      ? `A spot check: is the result of this task good? It passed ${before}.`
      : `Is the result of this task good? It needs ${required}, and only V1 could be checked.`;
  emit({ type: 'question-asked', question: id, title, level: null });
  const reasons = [evidence, `criticality ${context.criticality}, lowest rung ${rung}`];
  const leftMs = context.deadlineMs - ports.clock.nowMs();
  const answer = await askInTime(ports, { id, kind, title, level: null, reasons, targets }, leftMs, signal);
  emit({ type: 'question-answered', question: id, answer: answer.choice, by: answer.by });
  const isUnanswered = answer.choice === 'deny' && (answer.isUnanswered === true || ports.approval.hasPerson === false);
  if (isUnanswered && kind === 'spot-check') return { kind: 'unanswered' };
  const passed = answer.choice === 'allow';
  const note = answer.note === '' ? '' : `: ${answer.note}`;
  emit({
    type: 'verification-finished',
    check: 'V3',
    passed,
    evidence: `${passed ? 'accepted' : 'not accepted'} by ${answer.by}${note}`,
    ...(isUnanswered ? { isUnanswered } : before === 'V0' ? {} : { reviews: before }),
  });
  if (passed) return { kind: 'accepted' };
  return isUnanswered ? { kind: 'unanswered' } : { kind: 'rejected', note: answer.note };
}

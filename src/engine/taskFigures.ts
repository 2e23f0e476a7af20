// What a task has used and how far it went down: attempts, cost, rungs, and the labels of its degraded edits, which the final
// acceptance asks for (HFR 4.4, third constraint; 5.4). Kept in its checkpoint; it decides nothing.
import type { CandidateId } from '../core/candidate.ts';
import type { AnswerSource, DegradedEdit, TaskState } from '../core/recovery/checkpoint.ts';
import type { CallSummary } from './call.ts';

type Saved = Pick<
  TaskState,
  'attempts' | 'degraded' | 'costUsd' | 'lowest' | 'answer' | 'degradedEdits' | 'unlabelled' | 'avoided'
>;

export class TaskFigures {
  attempts: number;
  degraded: number;
  costUsd: number;
  /** Whose answer the present turn's calls are; null: nobody knows any more. */
  answer: AnswerSource | null;
  private lowest: AnswerSource;
  private readonly degradedEdits: DegradedEdit[];
  private unlabelled: number;
  private avoided: readonly CandidateId[];
  /** Who made what the next check looks at. */
  private readonly makers = new Set<CandidateId>();
  private answers = 0;
  private answersMs = 0;

  constructor(from: TaskState | null) {
    this.attempts = from?.attempts ?? 0;
    this.degraded = from?.degraded ?? 0;
    this.costUsd = from?.costUsd ?? 0;
    this.answer = from?.answer ?? null;
    this.lowest = from?.lowest ?? { rung: 'L0', candidate: null };
    this.degradedEdits = [...(from?.degradedEdits ?? [])];
    this.unlabelled = from?.unlabelled ?? 0;
    this.avoided = from?.avoided ?? [];
  }

  /** Counts a call that has ended. */
  count(summary: CallSummary): void {
    const { attempts, costUsd, rung, candidate, elapsedMs } = summary;
    this.attempts += attempts;
    this.costUsd += costUsd;
    if (rung > 'L1') this.degraded++;
    this.answers++;
    this.answersMs += elapsedMs;
    if (rung > this.lowest.rung) this.lowest = { rung, candidate };
  }

  /** Mean duration of an answer of this run, ms; 1000 before the first. */
  get answerMs(): number {
    return this.answers === 0 ? 1000 : this.answersMs / this.answers;
  }

  /** An edit was made by the present answer. `isChecked`: its own check right after it passed. */
  edited(toolCall: string, isChecked: boolean): void {
    const { answer } = this;
    if (answer?.candidate != null) this.makers.add(answer.candidate);
    // Of an answer that a crash has left nobody knows the rung: where any was degraded it may have been this one.
    if (!answer && this.degraded > 0) this.unlabelled++;
    if (!answer || answer.rung < 'L2') return;
    const known = this.degradedEdits.findIndex((each) => each.toolCall === toolCall);
    const label = { toolCall, rung: answer.rung, substitute: answer.candidate, isChecked };
    if (known === -1) this.degradedEdits.push(label);
    else this.degradedEdits[known] = label;
  }

  /** Who made the result that is checked now: those of its edits, and the one that says it is done. */
  resultMakers(): readonly CandidateId[] {
    const { answer } = this;
    return [...new Set([...this.makers, ...(answer?.candidate == null ? [] : [answer.candidate])])];
  }

  /** The result was rejected and another model is to mend it. */
  avoid(candidates: readonly CandidateId[]): void {
    this.avoided = [...new Set([...this.avoided, ...candidates])];
    this.makers.clear();
  }

  /** Labels that are lacking: answers from before labels were kept, and edits of nobody knows whom. */
  get missingLabels(): number {
    return this.unlabelled + this.degradedEdits.filter(({ substitute }) => substitute === null).length;
  }

  get avoidedCandidates(): readonly CandidateId[] {
    return this.avoided;
  }

  saved(): Saved {
    const { attempts, degraded, costUsd, lowest, answer, unlabelled, avoided } = this;
    return { attempts, degraded, costUsd, lowest, answer, degradedEdits: [...this.degradedEdits], unlabelled, avoided };
  }
}

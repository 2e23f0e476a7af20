// Acceptance in Belay's own agent loop (HFR document 4.6, 5.4): what is really checked when an edit was made by a substitute and
// when the model says that the goal is reached, and what follows. The rule is core's (recovery/acceptance); a check that is
// required and cannot be made has not passed: then a person is asked, and without one the task ends as escalated.
import type { Criticality } from '../core/context.ts';
import type { CheckLevel, EventBody, Rung } from '../core/events.ts';
import { decideAfterVerification, requiredCheck, type AcceptanceVerdict } from '../core/recovery/acceptance.ts';
import {
  judgeRejection,
  readRejections,
  reasonText,
  rejectionText,
  noRejections,
  type CheckReason,
  type RejectionMemory,
} from '../core/recovery/checks.ts';
import { recoveryPolicy } from '../core/recovery/presets.ts';
import type { Settings } from '../core/settings.ts';
import type { ToolScope } from './agentTools.ts';
import type { BudgetBook } from './budgetBook.ts';
import type { Ports } from './ports.ts';
import type { Verdict, Verifiers } from './verifiers.ts';

/** What the checks of a task are made of. */
export interface TaskCheckParts {
  readonly ports: Pick<Ports, 'clock' | 'approval'>;
  readonly verifiers: Verifiers;
  readonly budgets: BudgetBook;
  readonly settings: Settings;
  readonly spec: { readonly id: string; readonly successCommand: string; readonly criticality: Criticality };
  readonly newId: (prefix: string) => string;
}

/** What the checks come to when the model says it is done. `isMended`: the task's own command passed. */
export type TaskVerdict =
  | { readonly kind: 'accepted'; readonly isMended: boolean; readonly evidence: string }
  /** The model is told why not, and goes on. */
  | { readonly kind: 'again'; readonly isMended: boolean; readonly text: string }
  | { readonly kind: 'escalated'; readonly isMended: boolean; readonly evidence: string };

const MAX_SHOWN_REASONS = 20;

export class TaskChecks {
  private readonly parts: TaskCheckParts;
  private memory: RejectionMemory;
  /** The lowest rung that an edit of the task was made at. */
  private rung: Rung;
  private before: readonly CheckReason[] | null = null;

  /** `isDegraded`: an earlier run of the task had degraded answers, and nobody knows any more how far. */
  constructor(parts: TaskCheckParts, lastRejection: string | null, isDegraded: boolean) {
    this.parts = parts;
    this.memory = readRejections(lastRejection);
    this.rung = isDegraded ? 'L3' : 'L0';
  }

  /** For the checkpoint. */
  get lastRejection(): string | null {
    return this.memory === noRejections ? null : rejectionText(this.memory);
  }

  /** What was wrong before the first change is nobody's fault: it is looked at once. */
  async beforeEdit(scope: ToolScope): Promise<void> {
    if (this.before !== null) return;
    const isUntouched = (await this.parts.verifiers.touched(this.parts.spec.id))?.length === 0;
    this.before = isUntouched ? await this.parts.verifiers.typesNow(scope) : [];
  }

  /** Checks an edit that a substitute made, right away; the text tells the model how it went. */
  async afterEdit(rung: Rung, scope: ToolScope): Promise<string> {
    if (rung > this.rung) this.rung = rung;
    // L1 is checked with the whole task; from L2 on an edit is degraded (DESIGN, Words).
    if (rung < 'L2') return '';
    const { verifiers, spec, settings } = this.parts;
    const level = requiredCheck(spec.criticality, rung, recoveryPolicy(settings.advanced));
    const verdict = await verifiers.check({ level, touched: await verifiers.touched(spec.id), ...this.old() }, scope);
    return verdict.passed
      ? `\nThis edit was made at rung ${rung} and checked: ${verdict.evidence}`
      : `\nThis edit was made at rung ${rung} and does not pass its checks:\n${reasonLines(verdict.reasons)}`;
  }

  /** The checks of the whole task, and what follows from them. */
  async final(scope: ToolScope): Promise<TaskVerdict> {
    const { verifiers, spec, budgets } = this.parts;
    budgets.reachEnd(spec.id);
    const success = spec.successCommand;
    const touched = await verifiers.touched(spec.id);
    const required = this.required();
    const verdict = await verifiers.check({ level: required, touched, success, ...this.old() }, scope);
    const isMended = verdict.results.find(({ verifier }) => verifier === success)?.passed === true;
    const isReached = verdict.reached === 'V1';
    const rejection = isReached ? null : judgeRejection(this.memory, verdict.reasons);
    if (rejection) this.memory = rejection.memory;
    const hasNewEvidence = rejection?.hasNewEvidence === true && !rejection.isSame;
    const decided = decideAfterVerification(
      { passed: isReached, quality: verdict.quality, check: verdict.reached },
      {
        qualityFloor: scope.context.qualityFloor,
        required,
        canRetry: hasNewEvidence && (await budgets.take(scope.context, this.parts.ports.clock.nowMs())),
        hasNewEvidence,
        canDegrade: false,
      },
    );
    return this.follow(
      { decided, verdict, required, isMended, isSame: rejection?.isSame === true, hasNewEvidence },
      scope,
    );
  }

  private async follow(found: Found, scope: ToolScope): Promise<TaskVerdict> {
    const { decided, verdict, required, isMended } = found;
    const { evidence } = verdict;
    if (decided === 'accept') {
      this.tell(scope, 'ACCEPT', 'accepted', `passed ${verdict.reached}, as required`);
      return { kind: 'accepted', isMended, evidence };
    }
    if (decided === 'retry') {
      this.tell(scope, 'RETRY', 'new-evidence', 'the checks say something new: the model gets it and goes on');
      const text = `Not done yet.\n${reasonLines(verdict.reasons)}\n${verdict.output}`;
      return { kind: 'again', isMended, text };
    }
    const why = whyNot(found);
    this.tell(scope, 'ESCALATE', ruleOf(found), why);
    if (decided !== 'check-further') return { kind: 'escalated', isMended, evidence: `${why}: ${evidence}` };
    return (await this.askPerson(required, evidence, scope))
      ? { kind: 'accepted', isMended, evidence: `${evidence}; accepted by a person` }
      : { kind: 'escalated', isMended, evidence: `${why}: ${evidence}` };
  }

  /**
   * The least check of the end result: max(by criticality, by rung). The task's own success command is what its owner calls
   * success (3.1: g; table 5, L0: as the task says), so up to medium criticality it stands for the check by criticality; at
   * high criticality nothing stands for it.
   */
  private required(): CheckLevel {
    const { spec, settings } = this.parts;
    const policy = recoveryPolicy(settings.advanced);
    const { high } = policy.checks;
    return requiredCheck(spec.criticality, this.rung, {
      checks: { low: 'V1', medium: 'V1', high: high < 'V1' ? 'V1' : high },
    });
  }

  private async askPerson(required: CheckLevel, evidence: string, scope: ToolScope): Promise<boolean> {
    const { ports, spec, newId } = this.parts;
    const id = newId('question');
    const title = `Is the result of this task good? It needs ${required}, and only V1 could be checked.`;
    scope.emit({ type: 'question-asked', question: id, title, level: null });
    const reasons = [evidence, `criticality ${spec.criticality}, lowest rung ${this.rung}`];
    const targets = (await this.parts.verifiers.touched(spec.id)) ?? [];
    const answer = await ports.approval.ask(
      { id, kind: 'acceptance', title, level: null, reasons, targets },
      scope.signal,
    );
    scope.emit({ type: 'question-answered', question: id, answer: answer.choice, by: answer.by });
    const passed = answer.choice === 'allow';
    const note = answer.note === '' ? '' : `: ${answer.note}`;
    scope.emit({
      type: 'verification-finished',
      check: 'V3',
      passed,
      evidence: `${passed ? 'accepted' : 'not accepted'} by ${answer.by}${note}`,
    });
    return passed;
  }

  private old(): { readonly before?: readonly CheckReason[] } {
    return this.before === null ? {} : { before: this.before };
  }

  private tell(scope: ToolScope, action: Decided['action'], rule: string, reason: string): void {
    const { budgets, settings, ports } = this.parts;
    const left = budgets.left(scope.context, ports.clock.nowMs());
    scope.emit({
      type: 'decision-made',
      fault: null,
      action,
      reason,
      rule: `V1/${rule}`,
      rulesVersion: recoveryPolicy(settings.advanced).version,
      waitMs: 0,
      stepBudgetLeft: left.step,
      taskBudgetLeft: left.task,
      rung: this.rung,
    });
  }
}

type Decided = Extract<EventBody, { type: 'decision-made' }>;

interface Found {
  readonly decided: AcceptanceVerdict;
  readonly verdict: Verdict;
  readonly required: CheckLevel;
  readonly isMended: boolean;
  readonly isSame: boolean;
  readonly hasNewEvidence: boolean;
}

function ruleOf({ decided, isSame, hasNewEvidence }: Found): string {
  if (decided === 'check-further') return 'check-missing';
  if (decided === 'degrade-or-escalate') return 'below-floor';
  if (isSame) return 'same-rejection';
  return hasNewEvidence ? 'budget' : 'no-new-evidence';
}

function whyNot(found: Found): string {
  const words: Readonly<Record<string, string>> = {
    'check-missing': `${found.required} is required and cannot be checked here`,
    'below-floor': 'it passed, but below the quality floor',
    'same-rejection': 'rejected twice for the same reason',
    budget: 'rejected, and the retries of this task are used up',
  };
  return words[ruleOf(found)] ?? 'rejected again without new evidence';
}

function reasonLines(reasons: readonly CheckReason[]): string {
  return reasons
    .slice(0, MAX_SHOWN_REASONS)
    .map((reason) => `- ${reasonText(reason)}`)
    .join('\n');
}

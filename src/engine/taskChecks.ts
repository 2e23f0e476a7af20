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
import type { TaskState } from '../core/recovery/checkpoint.ts';
import { endsInTime } from '../core/recovery/deadline.ts';
import { recoveryPolicy, type RecoveryPolicy } from '../core/recovery/presets.ts';
import type { Settings } from '../core/settings.ts';
import type { ToolScope } from './agentTools.ts';
import type { BudgetBook } from './budgetBook.ts';
import type { FirstLook } from './oldErrors.ts';
import type { Ports } from './ports.ts';
import { reviewResult, type Review } from './taskReview.ts';
import type { StandIn } from './taskStandIns.ts';
import type { Verdict, Verifiers } from './verifiers.ts';

/** What the checks of a task are made of. */
export interface TaskCheckParts {
  readonly ports: Pick<Ports, 'clock' | 'approval' | 'random'>;
  readonly verifiers: Verifiers;
  readonly budgets: BudgetBook;
  readonly settings: Settings;
  readonly spec: { readonly id: string; readonly successCommand: string; readonly criticality: Criticality };
  readonly newId: (prefix: string) => string;
  /** Who has not tried the present result yet and may stand in. */
  readonly others: () => readonly StandIn[];
  /** Expected duration of one more answer, ms. */
  readonly answerMs: () => number;
  /** Called before a person is asked or the task is given up: saves the evidence (5.4). */
  readonly beforeEscalation: (escalation: Escalation) => Promise<void>;
}

/** Why it does not go on by itself. */
export interface Escalation {
  readonly rule: string;
  readonly reason: string;
  readonly evidence: string;
}

/** What the checks come to when the model says it is done. `isMended`: the task's own command passed. */
export type TaskVerdict =
  /** `isReviewOpen`: a person was to look at it and did not answer. */
  | { readonly kind: 'accepted'; readonly isMended: boolean; readonly evidence: string; readonly isReviewOpen: boolean }
  /** The model is told why not, and goes on; `isElsewhere`: another one than those that made the result. */
  | { readonly kind: 'again'; readonly isMended: boolean; readonly text: string; readonly isElsewhere: boolean }
  | ({ readonly kind: 'escalated'; readonly isMended: boolean } & Escalation);

const MAX_SHOWN_REASONS = 20;
/** t_verify where no check of the task was measured yet. */
const UNKNOWN_CHECK_MS = 1000;

export class TaskChecks {
  private readonly parts: TaskCheckParts;
  private readonly policy: RecoveryPolicy;
  private memory: RejectionMemory;
  /** The lowest rung that an edit of the task was made at. */
  private rung: Rung;
  private lastCheckMs: number | null;
  private before: readonly FirstLook[] | null = null;

  constructor(parts: TaskCheckParts, from: Pick<TaskState, 'lastRejection' | 'editRung' | 'verifyMs'> | null) {
    this.parts = parts;
    this.policy = recoveryPolicy(parts.settings.advanced);
    this.memory = readRejections(from?.lastRejection ?? null);
    this.rung = from?.editRung ?? 'L0';
    this.lastCheckMs = from?.verifyMs ?? null;
  }

  /** For the checkpoint. */
  saved(): Pick<TaskState, 'lastRejection' | 'editRung' | 'verifyMs'> {
    const lastRejection = this.memory === noRejections ? null : rejectionText(this.memory);
    return { lastRejection, editRung: this.rung, verifyMs: this.lastCheckMs };
  }

  /** HFR's t_verify, ms: what the last check took, else an estimate. */
  get expectedMs(): number {
    return this.lastCheckMs ?? UNKNOWN_CHECK_MS;
  }

  /** The task's own command was run for another reason, and took so long. */
  measured(durationMs: number): void {
    this.lastCheckMs = durationMs;
  }

  /** What was wrong before the first change is nobody's fault: it is looked at once. */
  async beforeEdit(scope: ToolScope): Promise<void> {
    if (this.before !== null) return;
    const isUntouched = (await this.parts.verifiers.touched(this.parts.spec.id))?.length === 0;
    this.before = isUntouched ? await this.parts.verifiers.typesNow(scope) : [];
  }

  /** Something was changed by an answer of this rung, by an edit or by a command: the whole task is checked accordingly. */
  wrote(rung: Rung): void {
    if (rung > this.rung) this.rung = rung;
  }

  /** Checks an edit that a substitute made, right away; the text tells the model how it went. */
  async afterEdit(rung: Rung, scope: ToolScope): Promise<{ readonly text: string; readonly isChecked: boolean }> {
    this.wrote(rung);
    // L1 is checked with the whole task; from L2 on an edit is degraded (DESIGN, Words).
    if (rung < 'L2') return { text: '', isChecked: false };
    const { verifiers, spec } = this.parts;
    const level = requiredCheck(spec.criticality, rung, this.policy);
    const touched = await verifiers.touched(spec.id);
    const verdict = await this.timed(verifiers.check({ level, touched, ...this.old() }, scope));
    const text = verdict.passed
      ? `\nThis edit was made at rung ${rung} and checked: ${verdict.evidence}`
      : `\nThis edit was made at rung ${rung} and does not pass its checks:\n${reasonLines(verdict.reasons)}`;
    return { text, isChecked: verdict.passed };
  }

  /** The checks of the whole task, and what follows from them. */
  async final(scope: ToolScope): Promise<TaskVerdict> {
    const { verifiers, spec, budgets } = this.parts;
    budgets.reachEnd(spec.id);
    const success = spec.successCommand;
    const touched = await verifiers.touched(spec.id);
    const level = this.required();
    const verdict = await this.timed(verifiers.check({ level, touched, success, ...this.old() }, scope));
    const { needed: required, isOwnPassed: isMended } = verdict;
    const isReached = verdict.reached === 'V1';
    const rejection = isReached ? null : judgeRejection(this.memory, verdict.reasons);
    if (rejection) this.memory = rejection.memory;
    const isSame = rejection?.isSame === true;
    // A check that could not be run says nothing of the result.
    const isSilent = verdict.reasons.every(({ kind }) => kind === 'not-run');
    const hasNewEvidence = rejection?.hasNewEvidence === true && !isSame && !isSilent;
    const found = { verdict, required, isMended, isSame, hasNewEvidence, ...this.room(scope) };
    const decided = decideAfterVerification(
      { passed: isReached, quality: verdict.quality, check: verdict.reached },
      { qualityFloor: scope.context.qualityFloor, ...found },
    );
    return this.follow({ ...found, decided }, scope);
  }

  /** Whether there is budget and time for one more try, and who else could make it (4.6, 4.8). */
  private room(scope: ToolScope): Room {
    const { budgets, ports, answerMs, others } = this.parts;
    const nowMs = ports.clock.nowMs();
    const left = budgets.left(scope.context, nowMs);
    const hasToken = left.step >= 1 && left.task >= 1 && left.tenant >= 1;
    const isInTime = endsInTime(nowMs, 0, answerMs(), this.expectedMs, scope.context.deadlineMs);
    const standIns = others();
    const canRetry = hasToken && isInTime;
    return { hasToken, isInTime, standIns, canRetry, canDegrade: canRetry && standIns.length > 0 };
  }

  private async follow(found: Found, scope: ToolScope): Promise<TaskVerdict> {
    const { decided, verdict, required, isMended } = found;
    if (decided === 'accept') return this.accept(found, scope);
    const isElsewhere = decided === 'degrade' || (decided === 'degrade-or-escalate' && found.canDegrade);
    if (decided === 'retry' || isElsewhere) {
      const words = `Not done yet.\n${reasonLines(verdict.reasons)}\n${verdict.output}`;
      const below = `${words}It passed, but its quality ${verdict.quality ?? 'is not known and'} is below ${scope.context.qualityFloor}.`;
      const text = decided === 'degrade-or-escalate' ? below : words;
      const again = await this.again(found, isElsewhere, text, scope);
      if (again) return again;
    }
    const rule = ruleOf(found);
    const reason = whyNot(found, rule);
    const escalation = { rule: `V1/${rule}`, reason, evidence: `${reason}: ${verdict.evidence}` };
    this.tell(scope, 'ESCALATE', rule, reason);
    if (decided !== 'check-further') return { kind: 'escalated', isMended, ...escalation };
    await this.parts.beforeEscalation(escalation);
    const review = await this.review('acceptance', required, verdict, scope);
    if (review.kind === 'accepted')
      return { kind: 'accepted', isMended, evidence: `${verdict.evidence}; accepted by a person`, isReviewOpen: false };
    return (await this.afterNo(review, found, scope)) ?? { kind: 'escalated', isMended, ...escalation };
  }

  /** Accepted by its checks; where it is drawn a person judges them with it (5.2). */
  private async accept(found: Found, scope: ToolScope): Promise<TaskVerdict> {
    const { verdict, isMended, required } = found;
    const { ports, settings } = this.parts;
    const accepted = { kind: 'accepted', isMended, evidence: verdict.evidence } as const;
    const rate = settings.advanced.verification.humanSpotCheckRate;
    const isDrawn = ports.approval.hasPerson !== false && ports.random.next() < rate;
    const review = isDrawn ? await this.review('spot-check', required, verdict, scope) : null;
    if (review?.kind !== 'rejected') {
      this.tell(scope, 'ACCEPT', 'accepted', `passed ${verdict.reached}, as required`);
      const evidence = review?.kind === 'accepted' ? `${verdict.evidence}; a person agrees` : verdict.evidence;
      return { ...accepted, evidence, isReviewOpen: review?.kind === 'unanswered' };
    }
    const again = await this.afterNo(review, found, scope);
    if (again) return again;
    const reason = `it passed ${verdict.reached}, but a person did not accept it`;
    this.tell(scope, 'ESCALATE', 'overruled', reason);
    return { kind: 'escalated', isMended, rule: 'V1/overruled', reason, evidence: `${reason}: ${verdict.evidence}` };
  }

  /** What a person writes beside a no is new evidence (4.6): the model gets it, where there is budget and time. */
  private async afterNo(review: Review, found: Found, scope: ToolScope): Promise<TaskVerdict | null> {
    if (review.kind !== 'rejected' || review.note === '') return null;
    const now = { ...found, ...this.room(scope), hasNewEvidence: true };
    const text = `Not done yet. A person looked at it and did not accept it: ${review.note}`;
    return now.canRetry ? this.again(now, false, text, scope) : null;
  }

  /** One more try, paid for; null where another window took the last of the budget meanwhile. */
  private async again(found: Found, isElsewhere: boolean, text: string, scope: ToolScope): Promise<TaskVerdict | null> {
    const { budgets, ports } = this.parts;
    if (!(await budgets.take(scope.context, ports.clock.nowMs()))) return null;
    const { standIns, isMended } = found;
    if (isElsewhere)
      this.tell(scope, 'DEGRADE_MODEL', 'other-model', `${whatFailed(found)}: another model takes over`, standIns);
    else this.tell(scope, 'RETRY', 'new-evidence', 'the checks say something new: the model gets it and goes on');
    return { kind: 'again', isMended, text, isElsewhere };
  }

  /**
   * The least check of the end result: max(by criticality, by rung). The task's own success command is what its owner calls
   * success (3.1: g; table 5, L0: as the task says), so it stands for the V2 that medium criticality has by default, and no
   * result is accepted below V1. Every other level is taken as it is set: V3 is a person.
   */
  private required(): CheckLevel {
    const { spec } = this.parts;
    const { low, medium, high } = this.policy.checks;
    const atLeastV1 = (level: CheckLevel): CheckLevel => (level < 'V1' ? 'V1' : level);
    const checks = { low: atLeastV1(low), medium: medium === 'V2' ? 'V1' : atLeastV1(medium), high: atLeastV1(high) };
    return requiredCheck(spec.criticality, this.rung, { checks });
  }

  private async review(
    kind: 'acceptance' | 'spot-check',
    required: CheckLevel,
    { reached, evidence }: Verdict,
    scope: ToolScope,
  ): Promise<Review> {
    const { ports, spec, newId, verifiers } = this.parts;
    const targets = (await verifiers.touched(spec.id)) ?? [];
    const result = { kind, required, passed: reached, evidence, rung: this.rung, targets };
    return reviewResult(ports, result, newId, scope);
  }

  private async timed(check: Promise<Verdict>): Promise<Verdict> {
    const { clock } = this.parts.ports;
    const startedAtMs = clock.nowMs();
    const verdict = await check;
    this.lastCheckMs = clock.nowMs() - startedAtMs;
    return verdict;
  }

  private old(): { readonly before?: readonly FirstLook[] } {
    return this.before === null ? {} : { before: this.before };
  }

  private tell(
    scope: ToolScope,
    action: Decided['action'],
    rule: string,
    reason: string,
    others: readonly StandIn[] = [],
  ): void {
    const { budgets, ports } = this.parts;
    const left = budgets.left(scope.context, ports.clock.nowMs());
    const [first] = others;
    const substitute = others.map(({ id }) => id).join(', ');
    scope.emit({
      type: 'decision-made',
      fault: null,
      action,
      reason,
      rule: `V1/${rule}`,
      rulesVersion: this.policy.version,
      waitMs: 0,
      stepBudgetLeft: left.step,
      taskBudgetLeft: left.task,
      rung: this.rung,
      ...(first ? { degradation: { substitute, quality: first.quality, check: this.required() } } : {}),
    });
  }
}

type Decided = Extract<EventBody, { type: 'decision-made' }>;

interface Room {
  readonly hasToken: boolean;
  readonly isInTime: boolean;
  readonly standIns: readonly StandIn[];
  readonly canRetry: boolean;
  readonly canDegrade: boolean;
}

interface Found extends Room {
  readonly decided: AcceptanceVerdict;
  readonly verdict: Verdict;
  readonly required: CheckLevel;
  readonly isMended: boolean;
  readonly isSame: boolean;
  readonly hasNewEvidence: boolean;
}

type EndRule = 'check-missing' | 'below-floor' | 'same-rejection' | 'no-new-evidence' | 'deadline' | 'budget';

function ruleOf({ decided, isSame, hasNewEvidence, isInTime }: Found): EndRule {
  if (decided === 'check-further') return 'check-missing';
  if (decided === 'degrade-or-escalate') return 'below-floor';
  if (isSame) return 'same-rejection';
  if (!hasNewEvidence) return 'no-new-evidence';
  return isInTime ? 'budget' : 'deadline';
}

function whatFailed({ decided, isSame }: Found): string {
  if (decided === 'degrade-or-escalate') return 'it passed, but below the quality floor';
  return isSame ? 'rejected twice for the same reason' : 'rejected again without new evidence';
}

/** In words, with what stands against another model where one could have helped. */
function whyNot(found: Found, rule: EndRule): string {
  const { required, hasToken, isInTime, standIns } = found;
  const words: Readonly<Record<EndRule, string>> = {
    'check-missing': `${required} is required and cannot be checked here`,
    'below-floor': whatFailed(found),
    'same-rejection': whatFailed(found),
    'no-new-evidence': whatFailed(found),
    deadline: 'rejected, and one more try would end after the deadline',
    budget: 'rejected, and the retries of this task are used up',
  };
  if (rule === 'check-missing' || rule === 'deadline' || rule === 'budget') return words[rule];
  if (standIns.length === 0) return `${words[rule]}, and no other model is left that may try it`;
  if (!isInTime) return `${words[rule]}, and another model would end after the deadline`;
  return hasToken ? words[rule] : `${words[rule]}, and the retries of this task are used up`;
}

function reasonLines(reasons: readonly CheckReason[]): string {
  return reasons
    .slice(0, MAX_SHOWN_REASONS)
    .map((reason) => `- ${reasonText(reason)}`)
    .join('\n');
}

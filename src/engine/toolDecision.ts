// What core/recovery decides of a command or an edit that did not do what was asked: the facts it decides from, the token it
// takes, the event that tells it. One place for both, so that the panel shows them like those of model calls.
// A token is taken only for what Belay itself executes again. What the agent does next is a step of its own and pays there.
import type { RequestContext } from '../core/context.ts';
import type { Rung } from '../core/events.ts';
import { rulesVersion } from '../core/faults/classify.ts';
import type { Fault } from '../core/faults/fault.ts';
import type { EntryState, Intent } from '../core/ledger/entry.ts';
import { sha256Hex } from '../core/ledger/key.ts';
import { backoffMs } from '../core/recovery/backoff.ts';
import { decide } from '../core/recovery/decide.ts';
import {
  NO_OPTIONS,
  type Alternate,
  type BudgetFacts,
  type Decision,
  type DecisionInput,
  type Substitute,
} from '../core/recovery/decision.ts';
import { degradationOf } from '../core/recovery/ladder.ts';
import { recoveryPolicy, type RecoveryPolicy } from '../core/recovery/presets.ts';
import { PASSING_CLASSES } from '../core/recovery/toolFault.ts';
import type { AdvancedSettings } from '../core/settings.ts';
import type { BudgetBook } from './budgetBook.ts';
import type { Emit } from './effectEntry.ts';
import type { ClockPort, RandomPort } from './ports.ts';
import type { TaskFaults } from './taskFaults.ts';

/** What the tools of a task share to decide about their failures. Absent where nobody could follow a decision. */
export interface ToolRecovery {
  readonly budgets: BudgetBook;
  readonly faults: TaskFaults;
  readonly settings: AdvancedSettings;
  readonly random: RandomPort;
}

/** One failure of a command or an edit. */
export interface FailedTool {
  readonly context: RequestContext;
  readonly intent: Pick<Intent, 'key' | 'title' | 'level' | 'tool' | 'argsText'>;
  /** The name by which its contract and its faults are kept: a program's, or the tool's. */
  readonly name: string;
  readonly fault: Fault;
  /** Null: a read without an entry, or a write of which nothing is recorded. */
  readonly entry: EntryState | null;
  readonly canProbe: boolean;
  readonly isProbed: boolean;
  /** How long one more try is expected to take, ms. */
  readonly estimateMs: number;
  readonly isClosedOff: boolean;
  /** In a row, this one included (TaskFaults). */
  readonly sameFaults: number;
  /** Repeats by Belay in this request so far. */
  readonly repeats: number;
  readonly alternate: (Alternate & { readonly tool: string; readonly hint: string }) | null;
  readonly lower: Substitute | null;
  readonly fallback: Substitute | null;
}

/** A fault that passes is met by one more try (a second equal one says that it does not pass), whatever K is. */
const ONE_MORE = 2;

/** Counts the failure: how often in a row the same has come. `answer`: what a further try would have to differ from. */
export function countFailure(
  { faults, budgets }: ToolRecovery,
  { context, intent, name, fault }: Pick<FailedTool, 'context' | 'intent' | 'name' | 'fault'>,
  answer: string,
): number {
  budgets.weigh(context, fault.class);
  faults.note(context.task, `tool:${name}`, fault.class);
  const told = PASSING_CLASSES.has(fault.class) ? '' : sha256Hex(answer);
  return faults.failed(context.task, actionName(intent), fault.class, told);
}

/** The same action in any step of the task. */
export function actionName({ tool, argsText }: Pick<Intent, 'tool' | 'argsText'>): string {
  return sha256Hex(`${tool}\n${argsText}`);
}

/** Decides and tells. `isPaid`: Belay itself executes a RETRY, so that its token is taken before anything is done. */
export async function decideTool(
  recovery: ToolRecovery,
  clock: ClockPort,
  failed: FailedTool,
  emit: Emit,
  isPaid: (decision: Decision) => boolean = () => false,
): Promise<Decision> {
  const { budgets, settings } = recovery;
  const { context, fault } = failed;
  const policy = policyOf(settings, fault);
  const facts = (budget: BudgetFacts): DecisionInput => factsOf(recovery, failed, policy, budget, clock.nowMs());
  let decision = decide(facts(budgets.left(context, clock.nowMs())));
  // Another window took the last of it meanwhile: decided again with nothing left.
  if (isPaid(decision) && !(await budgets.take(context, clock.nowMs())))
    decision = decide(facts({ step: 0, task: 0, tenant: 0 }));
  tell(recovery, clock, { facts: failed, decision, version: policy.version }, emit);
  return decision;
}

/** What a person's yes makes of an end that proposed rung L4: told like every decision. */
export function tellAgreed(
  recovery: ToolRecovery,
  clock: ClockPort,
  { facts, decision, by }: { readonly facts: FailedTool; readonly decision: Decision; readonly by: string },
  emit: Emit,
): Decision {
  const agreed: Decision = {
    ...decision,
    action: 'DEGRADE_SCOPE',
    target: 'fallback',
    rung: 'L4',
    proposes: null,
    rule: `${facts.fault.class}/person-agreed`,
    reason: `${by} allowed rung L4: an earlier output stands in`,
  };
  tell(recovery, clock, { facts, decision: agreed, version: policyOf(recovery.settings, facts.fault).version }, emit);
  return agreed;
}

interface Told {
  readonly facts: FailedTool;
  readonly decision: Decision;
  readonly version: string;
}

function tell({ budgets }: ToolRecovery, clock: ClockPort, { facts, decision, version }: Told, emit: Emit): void {
  const { context, fault, intent, alternate } = facts;
  const { action, reason, rule, waitMs, rung, proposes } = decision;
  const left = budgets.left(context, clock.nowMs());
  const substitute = standIn(decision, alternate?.tool ?? '', intent.title);
  const degradation = degradationOf(decision, substitute, null);
  const { key, title, level } = intent;
  const { qualityFloor } = context;
  emit({
    type: 'decision-made',
    fault,
    action,
    reason,
    rule,
    rulesVersion: `classify ${rulesVersion}, decide ${version}`,
    waitMs,
    stepBudgetLeft: left.step,
    taskBudgetLeft: left.task,
    rung,
    ...(degradation ? { degradation } : {}),
    ...(proposes === null
      ? {}
      : { proposes: { rung: proposes, substitute: PROPOSED[proposes](facts), quality: null, qualityFloor } }),
    effect: { key, title, level },
  });
}

const PROPOSED: Readonly<Record<Rung, (facts: FailedTool) => string>> = {
  L0: () => '',
  L1: () => '',
  L2: ({ alternate }) => alternate?.tool ?? '',
  L3: ({ intent }) => `less of ${intent.title}`,
  L4: ({ intent }) => `the last output of ${intent.title}`,
};

function standIn({ target }: Decision, alternate: string, title: string): string {
  if (target === 'alternate') return alternate;
  return target === 'fallback' ? `the last output of ${title}` : `less of ${title}`;
}

function policyOf(settings: AdvancedSettings, { class: faultClass }: Fault): RecoveryPolicy {
  if (!PASSING_CLASSES.has(faultClass)) return recoveryPolicy(settings);
  const sameFaultLimit = Math.min(ONE_MORE, settings.retry.sameFaultLimit);
  return recoveryPolicy({ ...settings, retry: { ...settings.retry, sameFaultLimit } });
}

function factsOf(
  { faults, settings, random }: ToolRecovery,
  failed: FailedTool,
  policy: RecoveryPolicy,
  budget: BudgetFacts,
  nowMs: number,
): DecisionInput {
  const { fault, context, intent, name, repeats } = failed;
  const { class: faultClass, confidence, secondary, detail, retryAfterMs } = fault;
  const isInput = faultClass === 'T5' || faultClass === 'T7';
  return {
    fault: { class: faultClass, confidence, secondary, detail, retryAfterMs, isRetryForbidden: false },
    action: {
      kind: 'tool',
      level: intent.level,
      criticality: context.criticality,
      isPinned: false,
      rung: 'L0',
      isCompressed: false,
      // The same input again after a refusal is a repair that was not made or did not help.
      repairs: isInput ? failed.sameFaults - 1 : 0,
      targetFaults: faults.count(context.task, `tool:${name}`),
    },
    effect: { entry: failed.entry, canProbe: failed.canProbe, isProbed: failed.isProbed },
    budget,
    time: {
      nowMs,
      deadlineMs: context.deadlineMs,
      waitMs: backoffMs(repeats + 1, random.next(), retryAfterMs, settings.retry),
      stepMs: failed.estimateMs,
      verifyMs: 0,
    },
    breaker: failed.isClosedOff ? 'open' : 'closed',
    // A command's own output is evidence for the plan, not for the same command again.
    evidence: { sameFaults: failed.sameFaults, sameRejections: 0, hasNewEvidence: false },
    options: {
      ...NO_OPTIONS,
      alternate: failed.alternate,
      lower: failed.lower,
      fallback: failed.fallback,
      canRepair: isInput,
      canReplan: true,
    },
    qualityFloor: context.qualityFloor,
    policy,
  };
}

// The eight policies of the document (6.2): each is data and one small function from a failed attempt to an action. What the
// document leaves open about them is in the study, 2.3. None of them knows the world; they see what a controller sees.
import {
  COMPRESS,
  DEGRADE,
  ESCALATE_OR_FAIL,
  FAIL,
  HIGH,
  LAST_TRY_ALTERNATE,
  LAST_TRY_CHEAP,
  RECONCILE,
  RETRY,
  T1,
  T2,
  T3,
  T4,
  T5,
  T6,
  T7,
  T8,
  V1,
  WRITE,
  isSticky,
} from './codes.ts';
import type { Generator } from './generator.ts';
import type { Verification } from './outcomes.ts';
import type { SimulationParameters } from './parameters.ts';
import { TABLE_B1 } from './world.ts';

/** The policies of the document's tables, in their order there. */
export const DOCUMENT_POLICIES = [
  'no-retry',
  'fixed-retry-3',
  'retry-only',
  'degrade-only',
  'hfr',
  'hfr-no-verifier',
  'hfr-no-idempotency',
  'hfr-no-budget',
] as const;

export type DocumentPolicy = (typeof DOCUMENT_POLICIES)[number];

/** What a policy sees of the task when an attempt has failed. One object for a whole run: read it, do not keep it. */
export interface TaskView {
  criticality: number;
  /** Steps of the task; number of this one, from 0. */
  stepCount: number;
  step: number;
  /** MODEL, READ or WRITE. */
  kind: number;
  /** 0 primary, 1 alternate, 2 cheap model or cache. */
  tier: number;
  /** Retries used: in the step since it was last degraded, in the task. */
  retries: number;
  taskRetries: number;
  /** V1 retries used in the step. */
  semanticRetries: number;
  isCompressed: number;
  /** The ledger has said that this timed-out write did not happen. */
  isAbsent: number;
  isLastTry: number;
  /** What the last failure of the step leaves behind (codes.ts, AFTER_). */
  memory: number;
  /** Time since the start of the task, seconds. */
  elapsedSeconds: number;
}

/** A rule of recovery and how the world treats it. */
export interface SimulatedPolicy<Name extends string = string> {
  readonly name: Name;
  readonly verification: Verification;
  /** True where a policy pays for every attempt; policies that retry do not pay for transient ones (study 2.1). */
  readonly paysEveryAttempt: boolean;
  /** True where a write carries an idempotency key, so that sending it again does not do it again. */
  readonly hasKeys: boolean;
  readonly taskRetryLimit: number;
  readonly wait: 'none' | 'fixed' | 'full-jitter';
  /** Least wait after a rate limit, seconds. */
  readonly retryAfterSeconds: number;
  /** The action for a failed attempt; `failure` is an outcome code from V1 up. */
  readonly decide: (task: TaskView, failure: number) => number;
  /** Opens a session of a policy that remembers more than the step; absent in the document's policies. */
  readonly open?: (generator: Generator) => PolicySession;
}

/** One run of a policy with a memory of its own; it decides in place of the policy's `decide`. */
export interface PolicySession {
  /** A new task begins. */
  readonly startTask: (task: Readonly<TaskView>) => void;
  /** A step begins; the tier to begin at. */
  readonly startStep: (task: Readonly<TaskView>) => number;
  /** The action for a failed attempt: FAIL, ESCALATE, RECONCILE, COMPRESS or REEXECUTE. */
  readonly decide: (task: Readonly<TaskView>, failure: number) => number;
  /** Tier of the attempt just decided, 0-2. */
  readonly nextTier: () => number;
  /** Wait before it, seconds. */
  readonly waitSeconds: () => number;
}

/** The eight policies under a parameter set. */
export function documentPolicies(parameters: SimulationParameters): readonly SimulatedPolicy<DocumentPolicy>[] {
  const { rules, detectionFactor, falseRejectFactor } = parameters;
  const verified = (policy: keyof typeof detectionFactor): Verification => ({
    looksAt: 'everything',
    detectionFactor: detectionFactor[policy],
    falseRejectFactor: falseRejectFactor[policy],
  });
  const simple = { hasKeys: true, taskRetryLimit: Infinity, retryAfterSeconds: 0 };
  const hfr = {
    verification: verified('hfr'),
    paysEveryAttempt: false,
    hasKeys: true,
    taskRetryLimit: TABLE_B1.taskRetries,
    wait: 'full-jitter',
    retryAfterSeconds: parameters.latency.retryAfterSeconds,
    decide: hfrRule(rules, true, TABLE_B1.taskRetries),
  } as const;
  return [
    {
      ...simple,
      name: 'no-retry',
      verification: verified('noRetry'),
      paysEveryAttempt: true,
      wait: 'none',
      decide: () => FAIL,
    },
    {
      ...simple,
      name: 'fixed-retry-3',
      verification: verified('fixedRetry'),
      paysEveryAttempt: false,
      hasKeys: false,
      wait: 'fixed',
      decide: (task) => (task.retries < TABLE_B1.stepRetries ? RETRY : FAIL),
    },
    {
      ...simple,
      name: 'retry-only',
      verification: verified('retryOnly'),
      paysEveryAttempt: false,
      wait: 'full-jitter',
      decide: retryOnlyRule(rules),
    },
    {
      ...simple,
      name: 'degrade-only',
      verification: {
        ...verified('degradeOnly'),
        looksAt: rules.doesVerifyDegraded ? 'everything' : 'primary',
      },
      paysEveryAttempt: true,
      wait: 'none',
      decide: (task, failure) =>
        task.tier < rules.degradeOnlyTiers && (rules.doesDegradePermanent || failure < T7) ? DEGRADE : FAIL,
    },
    { ...hfr, name: 'hfr' },
    { ...hfr, name: 'hfr-no-verifier', verification: { ...hfr.verification, looksAt: 'nothing' } },
    {
      ...hfr,
      name: 'hfr-no-idempotency',
      hasKeys: false,
      decide: hfrRule(rules, false, TABLE_B1.taskRetries),
    },
    { ...hfr, name: 'hfr-no-budget', taskRetryLimit: Infinity, decide: hfrRule(rules, true, Infinity) },
  ];
}

/** Backs off and sends again what may pass; what sticks ends the task, and so does an overflow: nothing here compresses. */
function retryOnlyRule(rules: SimulationParameters['rules']): SimulatedPolicy['decide'] {
  return (task, failure) => {
    if (isSticky(failure) || (failure === T6 && !rules.doesRetryOnlyRetryOverflow)) return FAIL;
    if (failure === V1 && task.retries >= rules.retryOnlySemanticRetries) return FAIL;
    return task.retries < TABLE_B1.stepRetries ? RETRY : FAIL;
  };
}

/** HFR as the document's simulator has it, in the order of study 2.3. */
function hfrRule(
  rules: SimulationParameters['rules'],
  hasLedger: boolean,
  taskRetryLimit: number,
): SimulatedPolicy['decide'] {
  return (task, failure) => {
    if (task.isLastTry === 1) return ESCALATE_OR_FAIL;
    switch (failure) {
      case T7:
      case T8:
        return ESCALATE_OR_FAIL;
      case T3:
        if (hasLedger && task.kind === WRITE && task.isAbsent === 0) return RECONCILE;
        break;
      case T6:
        if (task.isCompressed === 0) return COMPRESS;
        break;
      case T4:
      case T5:
        return task.tier === 0 ? DEGRADE : exhausted(task, rules);
      case V1:
        if (task.semanticRetries >= rules.hfrSemanticRetries) return task.tier === 0 ? DEGRADE : exhausted(task, rules);
        break;
      case T1:
      case T2:
      default:
        break;
    }
    if (task.retries < TABLE_B1.stepRetries && task.taskRetries < taskRetryLimit) return RETRY;
    return exhausted(task, rules);
  };
}

function exhausted(task: TaskView, rules: SimulationParameters['rules']): number {
  if (task.criticality !== HIGH) return LAST_TRY_CHEAP;
  if (rules.hasHighLastTry && task.tier === 0) return LAST_TRY_ALTERNATE;
  return ESCALATE_OR_FAIL;
}

/** Probability that ESCALATE_OR_FAIL escalates, 0-1. */
export function escalationChance(
  task: Readonly<Pick<TaskView, 'criticality' | 'isLastTry'>>,
  failure: number,
  { escalation }: SimulationParameters,
): number {
  if (task.isLastTry === 1) return task.criticality === HIGH ? 1 : escalation.afterLastTry;
  if (failure === T7) return escalation.permanent[task.criticality] ?? 1;
  if (failure === T8) return escalation.refusal[task.criticality] ?? 1;
  return escalation.exhaustedHigh;
}

/** Carries an action over to the task's view before the next attempt. Terminal actions and RECONCILE are not its business. */
export function applyAction(
  task: TaskView,
  action: number,
  failure: number,
  policy: SimulatedPolicy,
  resets: boolean,
): void {
  if (action === RETRY) {
    task.retries++;
    task.taskRetries++;
    if (failure === V1) task.semanticRetries++;
  } else if (action === COMPRESS) {
    task.isCompressed = 1;
    if (task.retries < TABLE_B1.stepRetries && task.taskRetries < policy.taskRetryLimit) {
      task.retries++;
      task.taskRetries++;
    }
  } else if (action === DEGRADE) {
    task.tier++;
    if (resets) task.retries = 0;
  } else {
    task.tier = action === LAST_TRY_ALTERNATE ? 1 : 2;
    task.isLastTry = 1;
  }
}

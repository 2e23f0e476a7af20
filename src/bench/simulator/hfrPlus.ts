// `hfr-plus`: Belay's own recovery in the simulated world. Each failure becomes the facts that core/recovery takes, `decide`
// answers with preset `plus`, and the budgets of core/recovery are taken; nothing is decided here. What the world does not say
// is told as not known: substitutes have no history, a T7 that is not split is never routed around.
import { backoffMs } from '../../core/recovery/backoff.ts';
import {
  budgetLeft,
  emptyTaskBudget,
  fullTenantBudget,
  takeRetry,
  type BudgetLimits,
  type StepShare,
  type TaskBudget,
  type TenantBudget,
} from '../../core/recovery/budget.ts';
import { decide } from '../../core/recovery/decide.ts';
import {
  NO_OPTIONS,
  type Decision,
  type DecisionInput,
  type Substitute,
  type Target,
} from '../../core/recovery/decision.ts';
import { recoveryPolicy } from '../../core/recovery/presets.ts';
import { isTargetFailing } from '../../core/recovery/retry.ts';
import type { AdvancedSettings } from '../../core/settings.ts';
import { advancedSchema } from '../../core/settingsAdvanced.ts';
import type { Preset } from '../../core/settingsRecovery.ts';
import { COMPRESS, ESCALATE, FAIL, faultClassOf, MODEL, RECONCILE, REEXECUTE, T4, T5, T7, V1, WRITE } from './codes.ts';
import type { Generator } from './generator.ts';
import type { SimulationParameters } from './parameters.ts';
import type { PolicySession, SimulatedPolicy, TaskView } from './policies.ts';
import { TABLE_B1 } from './world.ts';

const CRITICALITIES = ['low', 'medium', 'high'] as const;

/** Time a person of the other side waits for a whole task, ms: the call deadline of DESIGN 5. */
const DEADLINE_MS = 120_000;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The facts of a decision, one object for a whole run. */
interface Facts {
  readonly fault: Mutable<DecisionInput['fault']>;
  readonly action: Mutable<DecisionInput['action']>;
  readonly effect: Mutable<DecisionInput['effect']>;
  readonly budget: Mutable<DecisionInput['budget']>;
  readonly time: Mutable<DecisionInput['time']>;
  readonly breaker: DecisionInput['breaker'];
  readonly evidence: Mutable<DecisionInput['evidence']>;
  readonly options: Mutable<DecisionInput['options']>;
  qualityFloor: number;
  readonly policy: DecisionInput['policy'];
}

/** What a caller lets Belay do beyond trying again and elsewhere. Belay's own task offers both, a foreign agent's call neither. */
export interface PlusOffers {
  readonly preset?: Preset;
  /** A refused input can be changed. */
  readonly canRepair?: boolean;
  /** A write that was rejected can be planned anew, which makes it again as another write. */
  readonly canReplan?: boolean;
}

/**
 * Belay's policy in a world. `fixableShare`: part of the T7 faults that are a refused input (400), 0-1, the rest being
 * permission; null: the document's T7, which does not say.
 */
export function hfrPlus(
  parameters: SimulationParameters,
  fixableShare: number | null,
  { preset = 'plus', canRepair = true, canReplan = true }: PlusOffers = {},
): SimulatedPolicy<'hfr-plus'> {
  const advanced = advancedSchema.parse({ recovery: { preset } });
  const offers = { canRepair, canReplan };
  return {
    name: 'hfr-plus',
    verification: {
      looksAt: 'everything',
      detectionFactor: parameters.detectionFactor.hfr,
      falseRejectFactor: parameters.falseRejectFactor.hfr,
    },
    paysEveryAttempt: false,
    // No key is relied on: a write that is sent again after it happened counts as a duplicate.
    hasKeys: false,
    taskRetryLimit: advanced.retry.maxRetriesPerTask,
    wait: 'full-jitter',
    retryAfterSeconds: 0,
    decide: () => FAIL,
    open: (generator) => openSession(generator, advanced, fixableShare, offers),
  };
}

/** What a session keeps between decisions. */
interface Memory {
  readonly generator: Generator;
  readonly advanced: AdvancedSettings;
  readonly limits: BudgetLimits;
  readonly fixableShare: number | null;
  readonly offers: Readonly<Required<Omit<PlusOffers, 'preset'>>>;
  readonly facts: Facts;
  /** T4 and T5 in this task: primary model, alternate, cheap; primary tool, alternate, cache. */
  readonly targetFaults: Uint8Array;
  budget: TaskBudget;
  tenant: TenantBudget;
  decision: Decision | null;
  tier: number;
  /** The last failure of the step. */
  previous: number;
  /** What the T7 of the step is, once drawn. */
  permanentDetail: 'fixable' | 'permission' | null;
}

const LAST_STEP = { isLast: true };
const EARLIER_STEP = { isLast: false };

function openSession(
  generator: Generator,
  advanced: AdvancedSettings,
  fixableShare: number | null,
  offers: Memory['offers'],
): PolicySession {
  const { retry } = advanced;
  const limits: BudgetLimits = {
    perStep: retry.maxAttemptsPerStep - 1,
    perTask: retry.maxRetriesPerTask,
    perTenantPerMinute: retry.maxRetriesPerTenantPerMinute,
    lastStepReserve: retry.lastStepReserve,
  };
  const memory: Memory = {
    generator,
    advanced,
    limits,
    fixableShare,
    offers,
    facts: blankFacts(advanced),
    targetFaults: new Uint8Array(6),
    budget: emptyTaskBudget,
    tenant: fullTenantBudget(limits, 0),
    decision: null,
    tier: 0,
    previous: 0,
    permanentDetail: null,
  };
  return {
    startTask: (task) => startTask(memory, task),
    startStep: (task) => startStep(memory, task),
    decide: (task, failure) => {
      if (task.isAbsent === 0) remember(memory, task, failure);
      tellFacts(memory, task, failure);
      memory.decision = decide(memory.facts);
      return carryOut(memory, task, failure, memory.decision);
    },
    nextTier: () => memory.tier,
    waitSeconds: () => (memory.decision?.waitMs ?? 0) / 1000,
  };
}

function startTask(memory: Memory, task: Readonly<TaskView>): void {
  memory.targetFaults.fill(0);
  memory.budget = emptyTaskBudget;
  memory.tenant = fullTenantBudget(memory.limits, 0);
  const criticality = CRITICALITIES[task.criticality] ?? 'high';
  memory.facts.action.criticality = criticality;
  memory.facts.qualityFloor = memory.advanced.qualityFloor[criticality];
}

/** Begins at the primary, or at the alternate where the task-local breaker of the primary has tripped. */
function startStep(memory: Memory, task: Readonly<TaskView>): number {
  const { facts } = memory;
  memory.previous = 0;
  memory.permanentDetail = null;
  facts.evidence.sameFaults = 0;
  facts.evidence.sameRejections = 0;
  facts.action.repairs = 0;
  facts.action.targetFaults = memory.targetFaults[task.kind === MODEL ? 0 : 3] ?? 0;
  return isTargetFailing(facts) ? 1 : 0;
}

/** What a new failure adds to what is known; not for the second look at the same one, after the probe. */
function remember(memory: Memory, task: Readonly<TaskView>, failure: number): void {
  const { facts, targetFaults, budget, generator, advanced } = memory;
  const { evidence, time } = facts;
  const target = targetOf(task);
  if (failure === T4 || failure === T5) targetFaults[target] = (targetFaults[target] ?? 0) + 1;
  evidence.sameFaults = failure === memory.previous ? evidence.sameFaults + 1 : 1;
  // A cache answers the same whatever it is told. Everyone else makes another output each time, which the verifier's reason
  // is new evidence for; what 4.3 stops is the same output rejected twice for the same reason.
  const isCached = task.kind !== MODEL && task.tier === 2;
  evidence.sameRejections = failure === V1 ? (isCached ? evidence.sameRejections + 1 : 1) : 0;
  evidence.hasNewEvidence = failure === V1 && !isCached;
  memory.previous = failure;
  const used = budget.stepUsed[String(task.step)] ?? 0;
  time.waitMs = backoffMs(used + 1, generator.next(), null, advanced.retry);
  if (failure === T7) memory.permanentDetail ??= drawPermanent(memory);
}

function drawPermanent({ fixableShare, generator }: Memory): 'fixable' | 'permission' {
  return fixableShare === null || generator.next() < fixableShare ? 'fixable' : 'permission';
}

function tellFacts(memory: Memory, task: Readonly<TaskView>, failure: number): void {
  const { fault, action, effect, time, budget, options } = memory.facts;
  const isModel = task.kind === MODEL;
  const isWrite = task.kind === WRITE;
  fault.class = faultClassOf(failure);
  fault.detail = failure === T7 ? memory.permanentDetail : null;
  action.kind = isModel ? 'model' : 'tool';
  action.level = isWrite ? 'R2' : 'R0';
  action.rung = rungOf(task);
  action.isCompressed = task.isCompressed === 1;
  action.targetFaults = memory.targetFaults[targetOf(task)] ?? 0;
  effect.entry = isWrite ? entryOf(task, failure) : null;
  effect.canProbe = isWrite;
  effect.isProbed = task.isAbsent === 1;
  time.nowMs = 1000 * task.elapsedSeconds;
  time.stepMs = 1000 * ((isModel ? TABLE_B1.model : TABLE_B1.tool).seconds[task.tier] ?? 0);
  const left = budgetLeft(memory.budget, task.step, memory.limits, shareOf(task));
  budget.step = left.step;
  budget.task = left.task;
  budget.tenant = memory.tenant.tokens;
  offer(options, task, failure === T7 && memory.fixableShare === null, memory.offers);
}

/** Takes what the decision costs and says to the runner what to do. */
function carryOut(memory: Memory, task: Readonly<TaskView>, failure: number, decision: Decision): number {
  if (decision.action === 'FAIL') return FAIL;
  if (decision.action === 'ESCALATE') return ESCALATE;
  if (decision.action === 'RECONCILE') return RECONCILE;
  const { facts, limits } = memory;
  if (decision.takes === 1) {
    const taken = takeRetry(memory.budget, memory.tenant, task.step, limits, facts.time.nowMs, shareOf(task));
    if (!taken.ok) throw new Error(`decide spent a ${taken.exhausted} budget that was used up`);
    memory.budget = taken.task;
    memory.tenant = taken.tenant;
  }
  if (failure === T7) facts.action.repairs++;
  memory.tier = tierOf(decision.target, task.tier);
  return decision.action === 'COMPRESS' ? COMPRESS : REEXECUTE;
}

function shareOf(task: Readonly<TaskView>): StepShare {
  return task.step === task.stepCount - 1 ? LAST_STEP : EARLIER_STEP;
}

/** Place in `targetFaults`. */
function targetOf(task: Readonly<TaskView>): number {
  return (task.kind === MODEL ? 0 : 3) + task.tier;
}

/** What completed is committed, right or wrong; of what failed nobody knows before the ledger's probe has looked. */
function entryOf(task: Readonly<TaskView>, failure: number): DecisionInput['effect']['entry'] {
  if (failure === V1) return 'COMMITTED';
  return task.isAbsent === 1 ? 'RECONCILED_ABSENT' : 'UNKNOWN';
}

const ALTERNATE_MODEL = { ...substitute(TABLE_B1.model.seconds[1]), match: 'equivalent' } as const;
const ALTERNATE_TOOL = { ...substitute(TABLE_B1.tool.seconds[1]), match: 'equivalent' } as const;
const CHEAP_MODEL = substitute(TABLE_B1.model.seconds[2]);
const CACHE = substitute(TABLE_B1.tool.seconds[2]);

/** A task of its own knows nothing of a substitute's past: it may be tried and must pass its check. */
function substitute(seconds: number): Substitute {
  return { quality: null, estimateMs: 1000 * seconds };
}

/** What the world has to offer below the tier of the failed attempt. Writes have no cache, and core takes none for them. */
function offer(
  options: Mutable<DecisionInput['options']>,
  task: Readonly<TaskView>,
  isUnsplitPermanent: boolean,
  { canRepair, canReplan }: Memory['offers'],
): void {
  const isModel = task.kind === MODEL;
  const alternate = isModel ? ALTERNATE_MODEL : ALTERNATE_TOOL;
  // A T7 that may be a missing permission is not taken to another model or tool.
  options.alternate = task.tier === 0 && !isUnsplitPermanent ? alternate : null;
  options.lower = isModel && task.tier < 2 && !isUnsplitPermanent ? CHEAP_MODEL : null;
  options.fallback = task.kind !== MODEL && task.kind !== WRITE && task.tier < 2 && !isUnsplitPermanent ? CACHE : null;
  options.canCompress = isModel && task.isCompressed === 0;
  options.canRepair = canRepair;
  // A committed write is not done again; a changed plan may write anew.
  options.canReplan = canReplan && task.kind === WRITE;
}

function rungOf(task: Readonly<TaskView>): DecisionInput['action']['rung'] {
  if (task.tier === 2) return task.kind === MODEL ? 'L3' : 'L4';
  if (task.tier === 1) return 'L2';
  return task.isCompressed === 1 ? 'L1' : 'L0';
}

function tierOf(target: Target, present: number): number {
  if (target === 'alternate') return 1;
  return target === 'lower' || target === 'fallback' ? 2 : present;
}

function blankFacts(advanced: AdvancedSettings): Facts {
  return {
    // The world's signals are plain: the class is certain, as it is for the document's policies.
    fault: {
      class: 'unknown',
      confidence: 1,
      secondary: null,
      detail: null,
      retryAfterMs: null,
      isRetryForbidden: false,
    },
    action: {
      kind: 'model',
      level: 'R0',
      criticality: 'high',
      isPinned: false,
      rung: 'L0',
      isCompressed: false,
      repairs: 0,
      targetFaults: 0,
    },
    effect: { entry: null, canProbe: false, isProbed: false },
    budget: { step: 0, task: 0, tenant: 0 },
    time: { nowMs: 0, deadlineMs: DEADLINE_MS, waitMs: 0, stepMs: 0, verifyMs: 0 },
    // Breakers of the installation are fed over tasks; here tasks share nothing, and the one of the task is `targetFaults`.
    breaker: 'closed',
    evidence: { sameFaults: 0, sameRejections: 0, hasNewEvidence: false },
    options: { ...NO_OPTIONS },
    qualityFloor: 1,
    policy: recoveryPolicy(advanced),
  };
}

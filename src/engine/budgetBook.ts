// The re-execution budgets of all tasks and tenants. Taking is one transaction of the store, with the task's checkpoint where
// it has one, so that windows share a tenant's bucket and a crash never tells two stories (DESIGN 12). Arithmetic is core's.
// When the store cannot be written the budget still counts in memory: model calls are reads and fail open (DESIGN, Defaults).
import type { RequestContext } from '../core/context.ts';
import type { FaultClass } from '../core/faults/fault.ts';
import {
  allocateOpenEnded,
  criticalityWeight,
  recoverability,
  type MendedCounts,
  type StepWeight,
} from '../core/recovery/allocation.ts';
import {
  addTaskBudget,
  budgetLeft,
  emptyTaskBudget,
  fullTenantBudget,
  mergeTaskBudgets,
  takeRetry,
  tenantTokens,
  type BudgetAnswer,
  type BudgetLimits,
  type StepShare,
  type TaskBudget,
  type TenantBudget,
} from '../core/recovery/budget.ts';
import type { AdvancedSettings } from '../core/settings.ts';
import type { CheckpointRow, StorePort } from './ports.ts';

/** Tasks and tenants kept in memory; the row of a forgotten task stays in the store. */
const MAX_NAMES = 1000;

/** What this session knows of a task beside what it used. */
interface TaskNotes {
  /** w_i of every step that had a fault, in order of the steps. */
  readonly weights: ReadonlyMap<number, StepWeight>;
  /** Its checkpoint as it stands; absent: a foreign agent's task, which has none and whose last step nobody knows. */
  readonly checkpoint?: () => CheckpointRow;
  /** It is being submitted or accepted: the last step's reserve is for this. */
  readonly isAtEnd: boolean;
}

/** Of a helper's call, which is never executed again. */
const nothingLeft = { step: 0, task: 0, tenant: 0 } as const;

const noNotes: TaskNotes = { weights: new Map(), isAtEnd: false };

export class BudgetBook {
  private readonly store: StorePort;
  private readonly tasks = new Map<string, TaskBudget>();
  /** Taken while the store did not answer. */
  private readonly unsaved = new Map<string, TaskBudget>();
  private readonly tenants = new Map<string, TenantBudget>();
  private readonly notes = new Map<string, TaskNotes>();
  private readonly mended = new Map<FaultClass, MendedCounts>();
  private retry: AdvancedSettings['retry'];
  limits: BudgetLimits;

  constructor(store: StorePort, retry: AdvancedSettings['retry']) {
    this.store = store;
    this.retry = retry;
    this.limits = toLimits(retry);
  }

  reconfigure(retry: AdvancedSettings['retry']): void {
    this.retry = retry;
    this.limits = toLimits(retry);
  }

  taskBudget(task: string): TaskBudget {
    const unsaved = this.unsaved.get(task);
    const known = this.tasks.get(task) ?? emptyTaskBudget;
    return unsaved ? addTaskBudget(known, unsaved) : known;
  }

  /** Re-executions that may still be taken for the step now; whatever is reserved for a later one is taken off. */
  left(
    context: RequestContext,
    nowMs: number,
  ): { readonly step: number; readonly task: number; readonly tenant: number } {
    if (context.isHelper) return nothingLeft;
    const { step, task } = budgetLeft(this.taskBudget(context.task), context.step, this.limits, this.share(context));
    const bucket = this.tenants.get(context.tenant) ?? fullTenantBudget(this.limits, nowMs);
    return { step, task, tenant: Math.floor(tenantTokens(bucket, this.limits, nowMs)) };
  }

  /** The same with one token that was just taken and has not been used: what it was taken for cannot be done. */
  leftWithHeld(context: RequestContext, nowMs: number): ReturnType<BudgetBook['left']> {
    const { step, task, tenant } = this.left(context, nowMs);
    return { step: step + 1, task: task + 1, tenant: tenant + 1 };
  }

  /** Loads what an earlier run of the task has used. With `checkpoint` its state is saved with everything that is taken. */
  async resume(task: string, checkpoint?: () => CheckpointRow): Promise<void> {
    if (checkpoint) this.note(task, { checkpoint });
    const saved = await this.store.budget(task);
    if (saved.ok && saved.value) this.remember(task, saved.value);
  }

  /** From now on the task is being submitted or accepted: its last step. */
  reachEnd(task: string): void {
    this.note(task, { isAtEnd: true });
  }

  /** A fault of the step was seen: what it weighs when the task's budget is shared out. */
  weigh({ task, step, criticality, isHelper }: RequestContext, fault: FaultClass): void {
    if (isHelper) return;
    const history = this.mended.get(fault) ?? { seen: 0, mended: 0 };
    const weight = { criticality: criticalityWeight[criticality], recoverability: recoverability(fault, history) };
    const { weights } = this.notes.get(task) ?? noNotes;
    this.note(task, { weights: new Map([...weights, [step, weight] as const].slice(-MAX_NAMES)) });
  }

  /** How a call that had such a fault has ended; makes the next estimate of how far the class can be mended. */
  learn(fault: FaultClass, isMended: boolean): void {
    const { seen, mended } = this.mended.get(fault) ?? { seen: 0, mended: 0 };
    this.mended.set(fault, { seen: seen + 1, mended: mended + (isMended ? 1 : 0) });
  }

  /** Takes one re-execution, be it a retry or a degradation; false when a budget is used up. */
  async take(context: RequestContext, nowMs: number): Promise<boolean> {
    if (context.isHelper) return false;
    const { task, step, tenant } = context;
    const share = this.share(context);
    const checkpoint = this.notes.get(task)?.checkpoint?.();
    const known = this.tasks.get(task) ?? emptyTaskBudget;
    const unsaved = this.unsaved.get(task);
    // It goes into the store with this take; what is taken from memory meanwhile is for the next one.
    this.unsaved.delete(task);
    const { limits } = this;
    const asked = { task, step, tenant, limits, share, nowMs, known };
    const taken = await this.store.takeBudget({
      ...asked,
      ...(unsaved ? { unsaved } : {}),
      ...(checkpoint ? { checkpoint } : {}),
    });
    if (unsaved && !(taken.ok && taken.value.ok)) this.addUnsaved(task, unsaved);
    // Between question and answer others may have taken from memory: what is there now counts.
    const answer = taken.ok ? taken.value : this.takeFromMemory(context, share, nowMs);
    if (!answer.ok) return false;
    if (taken.ok) this.remember(task, answer.task);
    else this.addUnsaved(task, { taskUsed: 1, stepUsed: { [String(step)]: 1 } });
    keepLast(this.tenants, tenant, answer.tenant);
    return true;
  }

  private addUnsaved(task: string, taken: TaskBudget): void {
    keepLast(this.unsaved, task, addTaskBudget(this.unsaved.get(task) ?? emptyTaskBudget, taken));
  }

  private takeFromMemory({ task, step, tenant }: RequestContext, share: StepShare, nowMs: number): BudgetAnswer {
    const bucket = this.tenants.get(tenant) ?? fullTenantBudget(this.limits, nowMs);
    return takeRetry(this.taskBudget(task), bucket, step, this.limits, nowMs, share);
  }

  private share({ task, step }: RequestContext): StepShare {
    const { weights, checkpoint, isAtEnd } = this.notes.get(task) ?? noNotes;
    const isLast = checkpoint ? { isLast: isAtEnd } : {};
    if (this.retry.allocation === 'first-come' || !weights.has(step)) return isLast;
    const seen = [...weights].filter(([each]) => each <= step).sort(([a], [b]) => a - b);
    const ahead = this.retry.expectedSteps - step;
    const { perTask, lastStepReserve = 0 } = this.limits;
    const reserve = checkpoint ? lastStepReserve : 0;
    const most = allocateOpenEnded(
      perTask,
      reserve,
      seen.map(([, weight]) => weight),
      ahead,
      isAtEnd,
    );
    return { ...isLast, most };
  }

  private note(task: string, change: Partial<TaskNotes>): void {
    keepLast(this.notes, task, { ...(this.notes.get(task) ?? noNotes), ...change });
  }

  private remember(task: string, budget: TaskBudget): void {
    keepLast(this.tasks, task, mergeTaskBudgets(this.tasks.get(task) ?? emptyTaskBudget, budget));
  }
}

/** Sets an entry as the newest; names come from callers, so the oldest is forgotten beyond the limit. */
function keepLast<V>(map: Map<string, V>, name: string, value: V): void {
  map.delete(name);
  map.set(name, value);
  const oldest = map.keys().next();
  if (map.size > MAX_NAMES && !oldest.done) map.delete(oldest.value);
}

/** B_s is re-executions: the printed `max_attempts_per_step` counts the first attempt too (HFR 5.2). */
function toLimits(retry: AdvancedSettings['retry']): BudgetLimits {
  return {
    perStep: retry.maxAttemptsPerStep - 1,
    perTask: retry.maxRetriesPerTask,
    perTenantPerMinute: retry.maxRetriesPerTenantPerMinute,
    lastStepReserve: retry.lastStepReserve,
  };
}

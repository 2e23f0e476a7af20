// The retry budgets of all tasks and tenants: taken in one step, saved beside the ledger. Pure arithmetic is core's.
// When the store cannot be written the budget still counts in memory: model calls are reads and fail open (DESIGN, Defaults).
import type { RequestContext } from '../core/context.ts';
import {
  budgetLeft,
  emptyTaskBudget,
  fullTenantBudget,
  takeRetry,
  type BudgetLimits,
  type TaskBudget,
  type TenantBudget,
} from '../core/recovery/budget.ts';
import type { AdvancedSettings } from '../core/settings.ts';
import type { StorePort } from './ports.ts';

/** Tasks and tenants kept in memory; the row of a forgotten task stays in the store. */
const MAX_NAMES = 1000;

export class BudgetBook {
  private readonly store: StorePort;
  private readonly tasks = new Map<string, TaskBudget>();
  private readonly tenants = new Map<string, TenantBudget>();
  limits: BudgetLimits;

  constructor(store: StorePort, retry: AdvancedSettings['retry']) {
    this.store = store;
    this.limits = toLimits(retry);
  }

  reconfigure(retry: AdvancedSettings['retry']): void {
    this.limits = toLimits(retry);
  }

  taskBudget(task: string): TaskBudget {
    return this.tasks.get(task) ?? emptyTaskBudget;
  }

  left(context: RequestContext): { readonly step: number; readonly task: number } {
    return budgetLeft(this.taskBudget(context.task), context.step, this.limits);
  }

  /** Loads what an earlier run of the task has used. */
  async resume(task: string): Promise<void> {
    const saved = await this.store.budget(task);
    if (saved.ok && saved.value)
      this.remember(task, { taskUsed: saved.value.taskUsed, stepUsed: saved.value.stepUsed });
  }

  /** Takes one re-execution; false when a budget is used up. */
  async take(context: RequestContext, nowMs: number): Promise<boolean> {
    const tenant = this.tenants.get(context.tenant) ?? fullTenantBudget(this.limits, nowMs);
    const answer = takeRetry(this.taskBudget(context.task), tenant, context.step, this.limits, nowMs);
    if (!answer.ok) return false;
    this.remember(context.task, answer.task);
    keepLast(this.tenants, context.tenant, answer.tenant);
    await this.store.write({ budget: { task: context.task, ...answer.task } });
    return true;
  }

  private remember(task: string, budget: TaskBudget): void {
    keepLast(this.tasks, task, budget);
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
  };
}

// The retry budgets of HFR 4.3 and 4.8: per step (B_s), per task (B_t) and per tenant (token bucket, refilled by time).
// Check and take are one pure step, so that nothing can be taken between them. A budget is never negative.

export interface BudgetLimits {
  /** B_s: re-executions of one logical action. */
  readonly perStep: number;
  /** B_t: re-executions in one task. */
  readonly perTask: number;
  /** B_tenant: bucket size, refilled evenly over a minute. */
  readonly perTenantPerMinute: number;
}

/** What one task has used. */
export interface TaskBudget {
  readonly taskUsed: number;
  /** By step, as text so that it can be saved as it is. */
  readonly stepUsed: Readonly<Record<string, number>>;
}

/** Tokens a tenant has left, at `atMs`. */
export interface TenantBudget {
  readonly tokens: number;
  readonly atMs: number;
}

export type BudgetAnswer =
  | { readonly ok: true; readonly task: TaskBudget; readonly tenant: TenantBudget }
  | { readonly ok: false; readonly exhausted: 'step' | 'task' | 'tenant' };

export const emptyTaskBudget: TaskBudget = { taskUsed: 0, stepUsed: {} };

/** A full bucket. */
export function fullTenantBudget(limits: BudgetLimits, nowMs: number): TenantBudget {
  return { tokens: limits.perTenantPerMinute, atMs: nowMs };
}

/** Takes one re-execution of `step`, or says which budget is used up; then nothing is taken. */
export function takeRetry(
  task: TaskBudget,
  tenant: TenantBudget,
  step: number,
  limits: BudgetLimits,
  nowMs: number,
): BudgetAnswer {
  const used = task.stepUsed[String(step)] ?? 0;
  if (used >= limits.perStep) return { ok: false, exhausted: 'step' };
  if (task.taskUsed >= limits.perTask) return { ok: false, exhausted: 'task' };
  const refilled = refill(tenant, limits, nowMs);
  if (refilled.tokens < 1) return { ok: false, exhausted: 'tenant' };
  return {
    ok: true,
    task: { taskUsed: task.taskUsed + 1, stepUsed: { ...task.stepUsed, [String(step)]: used + 1 } },
    tenant: { ...refilled, tokens: refilled.tokens - 1 },
  };
}

/** What is left for `step`, without taking anything. */
export function budgetLeft(
  task: TaskBudget,
  step: number,
  limits: BudgetLimits,
): { readonly step: number; readonly task: number } {
  return {
    step: Math.max(0, limits.perStep - (task.stepUsed[String(step)] ?? 0)),
    task: Math.max(0, limits.perTask - task.taskUsed),
  };
}

function refill(tenant: TenantBudget, limits: BudgetLimits, nowMs: number): TenantBudget {
  const passedMs = Math.max(0, nowMs - tenant.atMs);
  const tokens = Math.min(limits.perTenantPerMinute, tenant.tokens + (passedMs * limits.perTenantPerMinute) / 60_000);
  return { tokens, atMs: Math.max(tenant.atMs, nowMs) };
}

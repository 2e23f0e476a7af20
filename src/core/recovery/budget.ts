// The re-execution budgets of HFR 4.3 and 4.8: per step (B_s), per task (B_t) and per tenant (token bucket, refilled by time).
// Retry, compression and degradation all draw from them, since each executes the logical action again (proposition 1).
// Check and take are one pure step, so that nothing can be taken between them. A budget is never negative.

export interface BudgetLimits {
  /** B_s: re-executions of one logical action. */
  readonly perStep: number;
  /** B_t: re-executions in one task. */
  readonly perTask: number;
  /** B_tenant: bucket size, refilled evenly over a minute. */
  readonly perTenantPerMinute: number;
  /** Of B_t so many are kept for the last step; absent: none. Only steps that are known not to be the last leave them alone. */
  readonly lastStepReserve?: number;
}

/** What is known of the step that takes; nothing of it need be. */
export interface StepShare {
  /** B_i, the step's share of its task's budget (allocation.ts); absent: B_s alone. */
  readonly most?: number;
  /** False: more steps follow, so the last step's reserve is not for this one. */
  readonly isLast?: boolean;
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

export type ExhaustedBudget = 'step' | 'task' | 'tenant';

export type BudgetAnswer =
  | { readonly ok: true; readonly task: TaskBudget; readonly tenant: TenantBudget }
  | { readonly ok: false; readonly exhausted: ExhaustedBudget };

export const emptyTaskBudget: TaskBudget = { taskUsed: 0, stepUsed: {} };

const anyStep: StepShare = {};

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
  share: StepShare = anyStep,
): BudgetAnswer {
  const left = budgetLeft(task, step, limits, share);
  if (left.step <= 0) return { ok: false, exhausted: 'step' };
  if (left.task <= 0) return { ok: false, exhausted: 'task' };
  const refilled = refill(tenant, limits, nowMs);
  if (refilled.tokens < 1) return { ok: false, exhausted: 'tenant' };
  const used = task.stepUsed[String(step)] ?? 0;
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
  share: StepShare = anyStep,
): { readonly step: number; readonly task: number } {
  const perStep = Math.min(limits.perStep, share.most ?? limits.perStep);
  const perTask = limits.perTask - (share.isLast === false ? (limits.lastStepReserve ?? 0) : 0);
  return {
    step: Math.max(0, perStep - (task.stepUsed[String(step)] ?? 0)),
    task: Math.max(0, perTask - task.taskUsed),
  };
}

/** Two windows spent from one task: neither's re-executions are lost. */
export function mergeTaskBudgets(a: TaskBudget, b: TaskBudget): TaskBudget {
  const steps = new Set([...Object.keys(a.stepUsed), ...Object.keys(b.stepUsed)]);
  const stepUsed = Object.fromEntries(
    [...steps].map((step) => [step, Math.max(a.stepUsed[step] ?? 0, b.stepUsed[step] ?? 0)]),
  );
  const sum = Object.values(stepUsed).reduce((total, used) => total + used, 0);
  return { taskUsed: Math.max(a.taskUsed, b.taskUsed, sum), stepUsed };
}

/** What was spent beside it and is not part of it. */
export function addTaskBudget(to: TaskBudget, beside: TaskBudget): TaskBudget {
  const stepUsed: Record<string, number> = { ...to.stepUsed };
  for (const [step, used] of Object.entries(beside.stepUsed)) stepUsed[step] = (stepUsed[step] ?? 0) + used;
  return { taskUsed: to.taskUsed + beside.taskUsed, stepUsed };
}

/** Tokens of a bucket at `nowMs`, fractions included. */
export function tenantTokens(tenant: TenantBudget, limits: BudgetLimits, nowMs: number): number {
  return refill(tenant, limits, nowMs).tokens;
}

/** A bucket from further in the future was written by a clock that was wrong; less may be the difference of two machines. */
const MOST_SKEW_MS = 60_000;

function refill(tenant: TenantBudget, limits: BudgetLimits, nowMs: number): TenantBudget {
  if (tenant.atMs > nowMs + MOST_SKEW_MS) return { tokens: tenant.tokens, atMs: nowMs };
  const passedMs = Math.max(0, nowMs - tenant.atMs);
  const tokens = Math.min(limits.perTenantPerMinute, tenant.tokens + (passedMs * limits.perTenantPerMinute) / 60_000);
  return { tokens, atMs: Math.max(tenant.atMs, nowMs) };
}

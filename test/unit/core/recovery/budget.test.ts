import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  budgetLeft,
  emptyTaskBudget,
  fullTenantBudget,
  mergeTaskBudgets,
  takeRetry,
  tenantTokens,
  type BudgetLimits,
} from '../../../../src/core/recovery/budget.ts';
import { endsInTime, estimateStepMs } from '../../../../src/core/recovery/deadline.ts';

const limits: BudgetLimits = { perStep: 3, perTask: 10, perTenantPerMinute: 6, lastStepReserve: 2 };

describe('the last step’s reserve', () => {
  it('is left alone by a step that is known not to be the last', () => {
    const used = { taskUsed: 8, stepUsed: { '1': 3, '2': 3, '3': 2 } };
    expect(budgetLeft(used, 4, limits, { isLast: false })).toEqual({ step: 3, task: 0 });
    expect(budgetLeft(used, 4, limits, { isLast: true })).toEqual({ step: 3, task: 2 });
    expect(budgetLeft(used, 4, limits)).toEqual({ step: 3, task: 2 });
    const tenant = fullTenantBudget(limits, 0);
    expect(takeRetry(used, tenant, 4, limits, 0, { isLast: false })).toEqual({ ok: false, exhausted: 'task' });
    expect(takeRetry(used, tenant, 4, limits, 0, { isLast: true }).ok).toBe(true);
  });
});

describe('a step’s share', () => {
  it('bounds it below Bs, and never above', () => {
    expect(budgetLeft(emptyTaskBudget, 1, limits, { most: 1 }).step).toBe(1);
    expect(budgetLeft(emptyTaskBudget, 1, limits, { most: 99 }).step).toBe(3);
    expect(takeRetry(emptyTaskBudget, fullTenantBudget(limits, 0), 1, limits, 0, { most: 0 })).toEqual({
      ok: false,
      exhausted: 'step',
    });
  });
});

describe('a refused take', () => {
  it('changes nothing, whichever budget is used up', () => {
    const empty = { tokens: 0.99, atMs: 5 };
    expect(takeRetry(emptyTaskBudget, empty, 1, limits, 5)).toEqual({ ok: false, exhausted: 'tenant' });
    expect(tenantTokens(empty, limits, 5)).toBe(0.99);
    expect(takeRetry(emptyTaskBudget, empty, 1, limits, 106).ok).toBe(true);
  });
});

describe('a bucket', () => {
  it('never holds more than a minute’s tokens and never fewer than none', () => {
    const act = fc.record({ passMs: fc.integer({ min: -5000, max: 90_000 }), step: fc.integer({ min: 1, max: 99 }) });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 80 }), (acts) => {
        let tenant = fullTenantBudget(limits, 0);
        let nowMs = 0;
        for (const { passMs, step } of acts) {
          nowMs += passMs;
          const answer = takeRetry(emptyTaskBudget, tenant, step, limits, nowMs);
          if (answer.ok) ({ tenant } = answer);
          expect(tenant.tokens).toBeGreaterThanOrEqual(0);
          expect(tenant.tokens).toBeLessThanOrEqual(limits.perTenantPerMinute);
        }
      }),
    );
  });
});

describe('two windows’ counts of one task', () => {
  it('merge so that nothing that was taken is lost', () => {
    const a = { taskUsed: 3, stepUsed: { '1': 2, '2': 1 } };
    const b = { taskUsed: 2, stepUsed: { '2': 2 } };
    expect(mergeTaskBudgets(a, b)).toEqual({ taskUsed: 4, stepUsed: { '1': 2, '2': 2 } });
    expect(mergeTaskBudgets(b, a)).toEqual(mergeTaskBudgets(a, b));
    expect(mergeTaskBudgets(a, a)).toEqual(a);
  });
});

describe('the deadline rule', () => {
  it('is t + d + t_i + t_verify <= D', () => {
    expect(endsInTime(1000, 200, 3000, 500, 4700)).toBe(true);
    expect(endsInTime(1000, 200, 3000, 500, 4699)).toBe(false);
    expect(endsInTime(0, Number.NaN, 1, 1, 1e9)).toBe(false);
  });

  it('estimates a step by the fastest that may serve it', () => {
    expect(estimateStepMs([4000, 0, 900], 1000)).toBe(900);
    expect(estimateStepMs([0, 0], 1000)).toBe(1000);
    expect(estimateStepMs([], 1000)).toBe(1000);
  });
});

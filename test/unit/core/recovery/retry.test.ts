// The retry controller: eligibility, stop conditions in their order, waits, and where the retry goes (HFR 4.3).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../../src/core/recovery/decide.ts';
import type { DecisionInput } from '../../../../src/core/recovery/decision.ts';
import { bare, facts, policies, rich, type Change } from '../../../support/decisionInputs.ts';
import { seededRandom } from '../../../support/random.ts';
import { randomInput } from '../../../support/randomDecisions.ts';

const rule = (change: Change): string => decide(facts(change)).rule;
const unknown = { quality: null, estimateMs: 500 };

describe('a retry', () => {
  it('waits for the jitter or as long as Retry-After says, whichever is longer', () => {
    expect(decide(facts()).waitMs).toBe(100);
    expect(decide(facts({ fault: { class: 'T2', retryAfterMs: 3000 } })).waitMs).toBe(3000);
    expect(decide(facts({ fault: { retryAfterMs: 50 } })).waitMs).toBe(100);
  });

  it('goes to another healthy candidate at once, whatever the first one asked or is', () => {
    const elsewhere = {
      fault: { class: 'T2', retryAfterMs: 30_000, isRetryForbidden: true },
      breaker: 'open',
      options: { ...bare, otherCandidate: unknown },
    } as const;
    expect(decide(facts(elsewhere))).toMatchObject({
      rule: 'T2/elsewhere',
      target: 'other-candidate',
      waitMs: 0,
      takes: 1,
    });
  });

  it('stays where it is when the other candidate is expected below the floor, too slow, or no model is asked', () => {
    const other = (change: Partial<typeof unknown> | { readonly quality: number }): Change => ({
      options: { ...bare, otherCandidate: { ...unknown, ...change } },
    });
    expect(rule(other({ quality: 0.79 }))).toBe('T1/retry');
    expect(rule(other({ quality: 0.8 }))).toBe('T1/elsewhere');
    expect(rule(other({ estimateMs: 59_801 }))).toBe('T1/retry');
    expect(rule(other({ estimateMs: 59_800 }))).toBe('T1/elsewhere');
    expect(rule({ ...other({}), action: { kind: 'tool' } })).toBe('T1/retry');
  });

  it('stops for each condition of the document, and says which', () => {
    const table: readonly (readonly [Change, string])[] = [
      [{ budget: { step: 0 } }, 'step-budget'],
      [{ budget: { task: 0 } }, 'task-budget'],
      [{ budget: { tenant: 0 } }, 'tenant-budget'],
      [{ evidence: { sameFaults: 3 } }, 'same-fault'],
      [{ evidence: { sameFaults: 3, hasNewEvidence: true } }, 'retry'],
      [{ evidence: { sameRejections: 2 } }, 'same-rejection'],
      [{ fault: { isRetryForbidden: true } }, 'forbidden'],
      [{ breaker: 'open' }, 'breaker-open'],
      [{ breaker: 'half-open' }, 'retry'],
      [{ time: { deadlineMs: 1300 } }, 'retry'],
      [{ time: { deadlineMs: 1299 } }, 'deadline'],
      [{ action: { kind: 'tool', level: 'R3' }, effect: { entry: 'RECONCILED_ABSENT' } }, 'irreversible'],
    ];
    for (const [change, cause] of table) expect(rule(change), cause).toBe(`T1/${cause}`);
  });

  it('is stopped by safety before money, by money before worth, by worth before time', () => {
    const all: Change = {
      action: { kind: 'tool', level: 'R3' },
      effect: { entry: 'RECONCILED_ABSENT' },
      budget: { step: 0, task: 0, tenant: 0 },
      evidence: { sameFaults: 9, sameRejections: 9 },
      breaker: 'open',
      time: { deadlineMs: 0 },
    };
    const read = { ...all, action: { kind: 'tool' } } as const;
    const paid = { ...read, budget: { step: 1, task: 1, tenant: 1 } };
    const worth = { ...paid, evidence: {} };
    expect([all, read, paid, worth, { ...worth, breaker: 'closed' } as const].map(rule)).toEqual([
      'T1/irreversible',
      'T1/step-budget',
      'T1/same-rejection',
      'T1/breaker-open',
      'T1/deadline',
    ]);
  });

  it('takes a figure that is no number for the careful one', () => {
    const nan = Number.NaN;
    expect(rule({ budget: { step: nan } })).toBe('T1/step-budget');
    expect(rule({ budget: { task: nan } })).toBe('T1/task-budget');
    expect(rule({ budget: { tenant: nan } })).toBe('T1/tenant-budget');
    expect(rule({ time: { waitMs: nan } })).toBe('T1/deadline');
    expect(rule({ fault: { confidence: nan }, evidence: { sameFaults: 2 } })).toBe('T1/unreadable');
    expect(rule({ evidence: { sameFaults: nan } })).toBe('T1/same-fault');
    expect(rule({ evidence: { sameRejections: nan } })).toBe('T1/same-rejection');
  });

  it('keeps the last token of step and task for L3, where L3 could follow', () => {
    const lower = { ...bare, lower: unknown };
    const last = { options: lower, budget: { step: 1 } };
    expect(rule(last)).toBe('T1/degrade');
    expect(rule({ options: lower, budget: { task: 1 } })).toBe('T1/degrade');
    expect(rule({ options: lower, budget: { tenant: 1 } })).toBe('T1/retry');
    expect(rule({ ...last, action: { criticality: 'high' } })).toBe('T1/retry');
    expect(rule({ ...last, action: { criticality: 'low' } })).toBe('T1/degrade');
    expect(rule({ ...last, action: { criticality: 'low' }, options: { ...lower, fallback: unknown } })).toBe(
      'T1/retry',
    );
    expect(rule({ ...last, action: { isPinned: true } })).toBe('T1/retry');
    expect(rule({ ...last, options: { ...bare, lower: { quality: 0.5, estimateMs: 1 } } })).toBe('T1/retry');
  });

  it('is not made at a target that keeps failing in this task, where a substitute is there (preset plus)', () => {
    const failing = { action: { targetFaults: 1 }, options: { ...bare, alternate: rich.alternate } };
    expect(rule({ ...failing, policy: policies.plus })).toBe('T1/alternate');
    expect(rule(failing)).toBe('T1/retry');
    expect(rule({ action: { targetFaults: 1 }, policy: policies.plus })).toBe('T1/retry');
    const rejected = {
      ...failing,
      fault: { class: 'V1' },
      evidence: { hasNewEvidence: true },
      policy: policies.plus,
    } as const;
    expect(rule(rejected)).toBe('V1/alternate');
  });
});

/** should_retry of 4.3, line by line. */
function shouldRetry(input: DecisionInput): 'yes' | 'no' | 'reconcile-first' {
  const { fault, action, budget, time, breaker } = input;
  if (fault.class === 'T7' || fault.class === 'T8') return 'no';
  if (fault.class === 'T3' && (action.level === 'R2' || action.level === 'R3')) return 'reconcile-first';
  if (fault.class === 'T4' || fault.class === 'T5') return 'no';
  if (fault.class === 'T6' && !action.isCompressed) return 'no';
  if (budget.step <= 0 || budget.task <= 0) return 'no';
  const delayMs = Math.max(time.waitMs, fault.retryAfterMs ?? 0);
  if (time.nowMs + delayMs + time.stepMs > time.deadlineMs) return 'no';
  return breaker === 'open' ? 'no' : 'yes';
}

describe('every retry at the same target', () => {
  it('is one that should_retry allows, a repeat after the reconcile it asks for, or the wait that table 2 allows for T4', () => {
    const random = seededRandom(99);
    let retries = 0;
    for (let index = 0; index < 200_000; index++) {
      const input = randomInput(() => random.next(), [policies.document]);
      const { action, target, rule: id } = decide(input);
      if (action !== 'RETRY' || target !== 'same' || id.startsWith('V1/')) continue;
      retries++;
      const isReconciled = input.action.level === 'R2' && input.fault.class === 'T3';
      const wanted = id === 'T4/wait-for-capacity' ? 'no' : isReconciled ? 'reconcile-first' : 'yes';
      expect(shouldRetry(input), id).toBe(wanted);
      if (isReconciled) expect(input.effect.entry).toBe('RECONCILED_ABSENT');
    }
    expect(retries).toBeGreaterThan(2000);
  });

  it('is made wherever should_retry says yes and nothing else of the text stands against it', () => {
    const step = fc.integer({ min: 0, max: 4 });
    fc.assert(
      fc.property(
        fc.constantFrom('T1', 'T2', 'T3', 'T4', 'T5', 'T6', 'T7', 'T8'),
        fc.constantFrom('closed', 'half-open', 'open'),
        step,
        step,
        fc.integer({ min: 0, max: 70_000 }),
        fc.constantFrom('low', 'medium', 'high'),
        (faultClass, breaker, stepLeft, taskLeft, waitMs, criticality) => {
          const input = facts({
            fault: { class: faultClass },
            breaker,
            budget: { step: stepLeft, task: taskLeft },
            time: { waitMs, verifyMs: 0 },
            action: { criticality },
          });
          const decision = decide(input);
          const isWait = decision.rule === 'T4/wait-for-capacity';
          expect(decision.action === 'RETRY' && !isWait).toBe(shouldRetry(input) === 'yes');
        },
      ),
    );
  });
});

// Propositions 1 and 4 of the HFR document (4.10), with the assumptions they rest on said and tested: a task is driven by `decide`
// and the budgets through arbitrary faults.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckLevel, Rung } from '../../src/core/events.ts';
import { decideAfterVerification, requiredCheck } from '../../src/core/recovery/acceptance.ts';
import { budgetLeft, emptyTaskBudget, fullTenantBudget, takeRetry } from '../../src/core/recovery/budget.ts';
import { decide } from '../../src/core/recovery/decide.ts';
import type { DecisionInput } from '../../src/core/recovery/decision.ts';
import { policies } from '../support/decisionInputs.ts';
import { seededRandom } from '../support/random.ts';
import { randomInput } from '../support/randomDecisions.ts';

interface Walk {
  readonly attempts: number;
  readonly decisions: number;
}

/**
 * One task of `steps` steps whose attempts all fail in random ways, until each step ends or a coin says that it went well.
 * Assumptions of proposition 1: every execution after a step's first is one that a decision asked for, and the token it takes is
 * taken before it is made. A fallback (L4) is made without a model or tool, and a probe executes nothing: neither is an attempt.
 */
function walk(draw: () => number, steps: number, perStep: number, perTask: number, luck: number): Walk {
  const limits = { perStep, perTask, perTenantPerMinute: 1e9 };
  let task = emptyTaskBudget;
  let tenant = fullTenantBudget(limits, 0);
  let attempts = 0;
  let decisions = 0;
  const preset = draw() < 0.5 ? policies.document : policies.plus;
  for (let step = 1; step <= steps; step++) {
    attempts++;
    let rung: Rung = 'L0';
    let isProbed = false;
    while (draw() >= luck) {
      const left = budgetLeft(task, step, limits);
      const seen = randomInput(draw, [preset]);
      const input: DecisionInput = {
        ...seen,
        action: { ...seen.action, rung },
        effect: { ...seen.effect, isProbed },
        budget: { ...left, tenant: tenant.tokens },
      };
      const decision = decide(input);
      decisions++;
      // What the ledger knows as done is done.
      if (decision.rule.endsWith('/already-done')) break;
      if (decision.action === 'RECONCILE') {
        isProbed = true;
        continue;
      }
      if (decision.takes === 0) break;
      const answer = takeRetry(task, tenant, step, limits, 0);
      if (!answer.ok) throw new Error(`${decision.rule} asked for a token that is not there: ${answer.exhausted}`);
      ({ task, tenant } = answer);
      attempts++;
      isProbed = false;
      rung = decision.rung;
    }
  }
  return { attempts, decisions };
}

describe('proposition 1', () => {
  it('holds: all attempts of a task are at most min(n(1 + Bs), n + Bt), however it fails', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 8 }),
        fc.integer({ min: 0, max: 20 }),
        fc.constantFrom(0, 0.02, 0.2),
        (seed, steps, perStep, perTask, luck) => {
          const random = seededRandom(seed);
          const { attempts } = walk(() => random.next(), steps, perStep, perTask, luck);
          expect(attempts).toBeLessThanOrEqual(Math.min(steps * (1 + perStep), steps + perTask));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('is no empty bound: it is reached', () => {
    let most = 0;
    for (let seed = 0; seed < 3000 && most < 6; seed++) {
      const random = seededRandom(seed);
      most = Math.max(most, walk(() => random.next(), 3, 1, 9, 0).attempts);
    }
    expect(most).toBe(6);
  });

  it('bounds the decisions too: each attempt is probed at most once, so a task always ends', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = seededRandom(seed);
        const { attempts, decisions } = walk(() => random.next(), 6, 8, 20, 0);
        // One look at the effect and one decision on what it showed.
        expect(decisions).toBeLessThanOrEqual(2 * attempts);
      }),
      { numRuns: 1000 },
    );
  });
});

const check = fc.constantFrom<CheckLevel>('V0', 'V1', 'V2', 'V3');
const share = fc.double({ min: 0, max: 1, noNaN: true });
const output = fc.record({
  trueQuality: share,
  /** How far the verifier is off, for better or worse. */
  error: fc.double({ min: -0.5, max: 0.5, noNaN: true }),
  check,
  rung: fc.constantFrom<Rung>('L0', 'L1', 'L2', 'L3', 'L4'),
  criticality: fc.constantFrom('low', 'medium', 'high'),
  floor: share,
  canRetry: fc.boolean(),
  hasNewEvidence: fc.boolean(),
  canDegrade: fc.boolean(),
});
type Output = typeof output extends fc.Arbitrary<infer T> ? T : never;

/** Accepts by what the verifier says; `isHonest`: it never says more than is true (no false accept), though it may say less. */
function isAccepted(each: Output, isHonest: boolean): boolean {
  const said = each.trueQuality + (isHonest ? -Math.abs(each.error) : each.error);
  const result = { passed: said >= each.floor, quality: said, check: each.check };
  const required = requiredCheck(each.criticality, each.rung, policies.document);
  const { floor: qualityFloor, canRetry, hasNewEvidence, canDegrade } = each;
  return decideAfterVerification(result, { qualityFloor, required, canRetry, hasNewEvidence, canDegrade }) === 'accept';
}

describe('proposition 4', () => {
  it('holds for a verifier without false accepts: what is accepted at any rung has the quality that was asked for', () => {
    let accepted = 0;
    fc.assert(
      fc.property(output, (each) => {
        if (!isAccepted(each, true)) return;
        accepted++;
        expect(each.trueQuality).toBeGreaterThanOrEqual(each.floor);
      }),
      { numRuns: 5000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  it('needs that assumption: a verifier that says too much lets worse ones through', () => {
    const found = fc.sample(output, { numRuns: 5000, seed: 4 }).filter((each) => isAccepted(each, false));
    expect(found.some((each) => each.trueQuality < each.floor)).toBe(true);
  });

  it('is never got around by a lower check than the rung needs', () => {
    fc.assert(
      fc.property(output, (each) => {
        const needed = requiredCheck(each.criticality, each.rung, policies.document);
        if (isAccepted(each, true)) expect(each.check >= needed).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

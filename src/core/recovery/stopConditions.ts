// The stop conditions of a retry (HFR 4.3): what makes doing the same action once more wrong or worthless, first match first.
// Safety comes before money, money before worth, worth before time.
import type { DecisionInput } from './decision.ts';
import { fitsDeadline, reservedTokens } from './ladder.ts';
import { causes, type Cause } from './rules/causes.ts';
import { hasClass } from './rules/risk.ts';

/** One careful probe of what is not understood: the second failure ends it (4.2). */
const PROBE_LIMIT = 2;

/** A fault below the policy's confidence, or of no known class. Not a number counts as not understood. */
export function isNotUnderstood({ fault, policy }: DecisionInput): boolean {
  return fault.class === 'unknown' || !(fault.confidence >= policy.lowConfidence);
}

/**
 * Why the action must not be executed again in the place described; null: it may.
 * @param isElsewhere another candidate would do it: the target's breaker and the server's word bind only the target
 * @param waitMs wait before it
 * @param durationMs estimated duration of the attempt
 */
export function stopCondition(
  input: DecisionInput,
  isElsewhere: boolean,
  waitMs: number,
  durationMs: number,
): Cause | null {
  return (
    effectStop(input) ??
    budgetStop(input, 1 + reservedTokens(input)) ??
    evidenceStop(input) ??
    (isElsewhere ? null : targetStop(input)) ??
    (fitsDeadline(input, waitMs, durationMs) ? null : causes.deadline)
  );
}

/** Table 7, proposition 3: R3 never, R2 only after RECONCILED_ABSENT, R1 under the same key, and nothing that is done. */
export function effectStop({ action, effect }: DecisionInput): Cause | null {
  if (action.level === 'R0') return null;
  if (action.level === 'R3') return causes.irreversible;
  if (effect.entry === 'COMMITTED' || effect.entry === 'RECONCILED_COMMITTED') return causes.committed;
  if (effect.entry === 'COMPENSATED') return causes.compensated;
  return action.level === 'R2' && effect.entry !== 'RECONCILED_ABSENT' ? causes.notAbsent : null;
}

/** The budget that lacks the tokens needed, of step and task; null: none does. Not a number counts as lacking. */
export function budgetStop({ budget }: DecisionInput, needed: number): Cause | null {
  const { step, task, tenant } = budget;
  if (!(step >= needed)) return causes.stepBudget;
  if (!(task >= needed)) return causes.taskBudget;
  return tenant >= 1 ? null : causes.tenantBudget;
}

function evidenceStop(input: DecisionInput): Cause | null {
  const { evidence, policy } = input;
  if (hasClass(input, 'T6')) return causes.stillTooLarge;
  // Not a number counts as reached.
  if (!(evidence.sameRejections < policy.sameRejectionLimit)) return causes.sameRejection;
  if (isNotUnderstood(input) && !(evidence.sameFaults < PROBE_LIMIT)) return causes.probed;
  return isGoingRound(input) ? causes.sameFault : null;
}

/** K faults of the same class without anything new: doing more of the same changes nothing. */
export function isGoingRound({ evidence, policy }: DecisionInput): boolean {
  return !(evidence.sameFaults < policy.sameFaultLimit) && !evidence.hasNewEvidence;
}

function targetStop({ fault, breaker }: DecisionInput): Cause | null {
  if (breaker === 'open') return causes.breakerOpen;
  return fault.isRetryForbidden ? causes.forbidden : null;
}

/** The causes that mean "the retries are used up" (choose_degradation, 4.4). */
export function isExhaustion(cause: Cause): boolean {
  return cause === causes.stepBudget || cause === causes.taskBudget || cause === causes.tenantBudget;
}

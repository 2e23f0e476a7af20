// The retry controller (HFR 4.3): whether an action may be executed again, where, and after which wait.
import type { FaultClass } from '../faults/fault.ts';
import type { ActionFacts, Decision, DecisionInput } from './decision.ts';
import { canTake, fallDown, move, onExhausted, reachesFloor } from './ladder.ts';
import { causes, type Cause } from './rules/causes.ts';
import { goOn } from './rules/outcomes.ts';
import { isExhaustion, isNotUnderstood, stopCondition } from './stopConditions.ts';

/** max(d_k, Retry-After) of the target that failed, ms. */
export function sameTargetWaitMs({ time, fault }: DecisionInput): number {
  return Math.max(time.waitMs, fault.retryAfterMs ?? 0);
}

/**
 * Executes the action again: at another healthy candidate without a wait, else at the same target after `waitMs`. Where a
 * stop condition holds, the ladder answers.
 */
export function retryOrDegrade(
  input: DecisionInput,
  faultClass: FaultClass,
  cause: Cause = isNotUnderstood(input) ? causes.probe : causes.retry,
  waitMs: number = sameTargetWaitMs(input),
): Decision {
  const { options, action, time } = input;
  if (isTargetFailing(input) && canTake(input, 'L2')) return move(input, faultClass, 'L2');
  const other = options.otherCandidate;
  if (other !== null && isModelRead(action) && reachesFloor(input, other)) {
    const stop = stopCondition(input, true, 0, other.estimateMs);
    if (stop === null) return goOn(input, faultClass, causes.elsewhere, 'RETRY', 'other-candidate', action.rung, 0, 1);
  }
  const stop = stopCondition(input, false, waitMs, time.stepMs);
  if (stop === null) return goOn(input, faultClass, cause, 'RETRY', 'same', action.rung, waitMs, 1);
  return isExhaustion(stop) ? onExhausted(input, faultClass, stop) : fallDown(input, faultClass, stop);
}

/** Candidates are models, and a model call is R0: a write has no other candidate. */
export function isModelRead({ kind, level }: ActionFacts): boolean {
  return kind === 'model' && level === 'R0';
}

/** The task-local breaker: this target has failed with T4 or T5 so often in this task that another one is tried first. */
export function isTargetFailing({ action, policy }: DecisionInput): boolean {
  return action.targetFaults >= policy.targetFaultLimit;
}

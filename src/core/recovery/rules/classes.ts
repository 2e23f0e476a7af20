// What each class of fault asks for (HFR tables 2, 4, 11; should_retry; choose_degradation; decide_after_verification), once
// safety has had its say: a refusal is handed on before, and a write that may have happened is looked up before.
import type { FaultClass } from '../../faults/fault.ts';
import type { Decision, DecisionInput } from '../decision.ts';
import {
  canTake,
  compressedRung,
  fallDown,
  fitsDeadline,
  hasToken,
  move,
  onExhausted,
  reachesFloor,
} from '../ladder.ts';
import { isModelRead, isTargetFailing, retryOrDegrade, sameTargetWaitMs } from '../retry.ts';
import {
  budgetStop,
  effectStop,
  isExhaustion,
  isGoingRound,
  isNotUnderstood,
  stopCondition,
} from '../stopConditions.ts';
import { causes, type Cause } from './causes.ts';
import { end, goOn, RUNG_ORDER } from './outcomes.ts';
import { hasClass } from './risk.ts';

type Rule = (input: DecisionInput) => Decision;

/** T1, T2, T3 of what may be repeated, and what is not understood: again, within all stop conditions. */
const transient =
  (faultClass: FaultClass): Rule =>
  (input) =>
    retryOrDegrade(input, faultClass);

/** T4: another model, else wait; the same one is never hammered. A tool without capacity: an equivalent one. */
const overloaded: Rule = (input) => {
  if (isAtAlternate(input)) return retryOrDegrade(input, 'T4');
  const elsewhere = otherCandidate(input, 'T4', causes.otherModel);
  if (elsewhere) return elsewhere;
  if (canTake(input, 'L2')) return move(input, 'T4', 'L2');
  if (input.action.kind === 'model' && canTake(input, 'L3')) return move(input, 'T4', 'L3');
  return retryOrDegrade(input, 'T4', causes.waitForCapacity, input.policy.overloadWaitMs + sameTargetWaitMs(input));
};

/** T5: an equivalent tool, else the parameters are repaired, else a person. A model that cannot call tools: another one. */
const toolContract: Rule = (input) => {
  if (isAtAlternate(input)) return retryOrDegrade(input, 'T5');
  const elsewhere = otherCandidate(input, 'T5', causes.otherModel);
  if (elsewhere) return elsewhere;
  if (canTake(input, 'L2')) return move(input, 'T5', 'L2');
  const { canRepair, canReplan } = input.options;
  const repaired = canRepair && input.action.repairs < 1 ? planAgain(input, 'T5', causes.repair) : null;
  const replanned = canReplan ? planAgain(input, 'T5', causes.replan) : null;
  return repaired ?? replanned ?? end(input, 'T5', causes.noEquivalent);
};

/** T6: made strictly smaller, or taken to a larger window; never resent as it was. */
const overflow: Rule = (input) => {
  const { options, policy, action, time } = input;
  const forbidden = effectStop(input);
  if (forbidden) return fallDown(input, 'T6', forbidden);
  if (options.canCompress && policy.automatic[action.criticality].L1) {
    const missing = budgetStop(input, 1);
    if (missing) return onExhausted(input, 'T6', missing);
    const waitMs = hasClass(input, 'T2') && options.otherCandidate === null ? sameTargetWaitMs(input) : 0;
    if (fitsDeadline(input, waitMs, time.stepMs))
      return goOn(input, 'T6', causes.compress, 'COMPRESS', 'same', compressedRung(action.rung), waitMs, 1);
    return fallDown(input, 'T6', causes.deadline);
  }
  const elsewhere = otherCandidate(input, 'T6', causes.largerWindow);
  return elsewhere ?? fallDown(input, 'T6', action.isCompressed ? causes.stillTooLarge : causes.nothingToTrim);
};

/** T7: ends, unless what was wrong is changed: the input repaired once, or a quota taken from another account. */
const permanent: Rule = (input) => {
  const { fault, policy, options, action } = input;
  const detail = fault.class === 'T7' ? fault.detail : null;
  if (detail === 'permission') return end(input, 'T7', causes.permission);
  if (detail === 'quota') {
    const account = policy.usesOtherAccount && isModelRead(action) && !action.isPinned ? options.otherAccount : null;
    const isFree = account !== null && reachesFloor(input, account) && fitsDeadline(input, 0, account.estimateMs);
    return isFree && hasToken(input)
      ? goOn(input, 'T7', causes.otherAccount, 'DEGRADE_MODEL', 'other-account', action.rung, 0, 1)
      : end(input, 'T7', causes.quota);
  }
  if (detail !== 'fixable') return end(input, 'T7', causes.permanent);
  const mayRepair = action.repairs < policy.maxRepairs && !isNotUnderstood(input);
  return (mayRepair ? repair(input) : null) ?? end(input, 'T7', causes.fixable);
};

/**
 * V1: the one that was rejected again, with new evidence; else planned anew, else another one, else a person (4.6). The same
 * rejection twice is worth nothing (4.3), and what is committed is not made again.
 */
const rejected: Rule = (input) => {
  const { evidence, policy, options, time, action } = input;
  const waitMs = policy.waitsAfterRejection && options.otherCandidate === null ? sameTargetWaitMs(input) : 0;
  const stop = evidence.hasNewEvidence ? stopCondition(input, false, waitMs, time.stepMs) : causes.rejected;
  if (stop === null) {
    if (isTargetFailing(input) && canTake(input, 'L2')) return move(input, 'V1', 'L2');
    return goOn(input, 'V1', causes.evidence, 'RETRY', 'same', action.rung, waitMs, 1);
  }
  if (isExhaustion(stop)) return onExhausted(input, 'V1', causes.rejected);
  const replanned = options.canReplan ? planAgain(input, 'V1', causes.replan) : null;
  if (replanned) return replanned;
  if (stop === causes.committed) return end(input, 'V1', stop);
  return (
    otherCandidate(input, 'V1', causes.otherModel) ??
    fallDown(input, 'V1', stop.ends === 'ESCALATE' ? stop : causes.rejected)
  );
};

/** The rule of each class. T8 has none: `decide` ends it before anything else is looked at. */
export const classRules: Readonly<Record<Exclude<FaultClass, 'T8'>, Rule>> = {
  T1: transient('T1'),
  T2: transient('T2'),
  T3: transient('T3'),
  T4: overloaded,
  T5: toolContract,
  T6: overflow,
  T7: permanent,
  V1: rejected,
  unknown: transient('unknown'),
};

/** Preset `plus`: a fault of the substitute is a first one. */
function isAtAlternate({ action, policy }: DecisionInput): boolean {
  return policy.retriesOnAlternate && RUNG_ORDER[action.rung] >= RUNG_ORDER.L2;
}

/** Another candidate of the route at its tier. Of a pinned route it is the same model elsewhere: a retry, not a degradation. */
function otherCandidate(input: DecisionInput, faultClass: FaultClass, cause: Cause): Decision | null {
  const { options, action } = input;
  const other = options.otherCandidate;
  if (other === null || action.isPinned || !isModelRead(action) || !hasToken(input)) return null;
  if (!reachesFloor(input, other) || !fitsDeadline(input, 0, other.estimateMs)) return null;
  return goOn(input, faultClass, cause, 'DEGRADE_MODEL', 'other-candidate', action.rung, 0, 1);
}

/** T7 fixable: through another target where that may read what the first could not, else the input itself is changed. */
function repair(input: DecisionInput): Decision | null {
  if (input.policy.repairsThroughAlternate) {
    const elsewhere = otherCandidate(input, 'T7', causes.repair);
    if (elsewhere) return elsewhere;
    if (canTake(input, 'L2')) return move(input, 'T7', 'L2', causes.repair);
  }
  return input.options.canRepair ? planAgain(input, 'T7', causes.repair) : null;
}

/** REPLAN: a changed plan or input is executed, so it costs a token; not where the same fault keeps coming. */
function planAgain(input: DecisionInput, faultClass: FaultClass, cause: Cause): Decision | null {
  const { action, time } = input;
  // A changed irreversible action is still one that the program would do by itself.
  if (action.level === 'R3' && cause === causes.repair) return null;
  if (isGoingRound(input) || !hasToken(input) || !fitsDeadline(input, 0, time.stepMs)) return null;
  return goOn(input, faultClass, cause, 'REPLAN', 'same', action.rung, 0, 1);
}

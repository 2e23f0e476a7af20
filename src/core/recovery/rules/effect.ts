// A write that failed: what the ledger says of its effect decides before any class does (HFR 3.5 border 2, 4.5, table 7;
// DESIGN 7, 8). Side effects come before speed: what may have happened is looked up, and where nothing can tell it ends.
import type { Decision, DecisionInput } from '../decision.ts';
import type { FaultClass } from '../../faults/fault.ts';
import { isNotUnderstood } from '../stopConditions.ts';
import { causes } from './causes.ts';
import { end, goOn } from './outcomes.ts';
import { hasClass } from './risk.ts';

/** What to do about the effect first; null: it surely did not happen, or may be repeated under its key, and the class decides. */
export function effectFirst(input: DecisionInput, faultClass: FaultClass): Decision | null {
  const { level } = input.action;
  if (level === 'R0') return null;
  switch (input.effect.entry) {
    case 'COMMITTED':
    case 'RECONCILED_COMMITTED':
      // A rejected result of a committed write is a matter for the plan (V1); else the lost answer is in the ledger.
      return faultClass === 'V1' ? null : reconcile(input, faultClass, causes.alreadyDone);
    case 'COMPENSATED':
      return end(input, faultClass, causes.compensated);
    case 'RECONCILED_ABSENT':
      return null;
    case 'FAILED':
      return level === 'R2' && isSentAgain(faultClass) ? probeOr(input, faultClass, null) : null;
    case 'PREPARED':
    case 'UNKNOWN':
    case null:
      return inDoubt(input, faultClass);
  }
}

/** R1 may be repeated under the same key, so only a fault that does not say what became of it is looked up first. */
function inDoubt(input: DecisionInput, faultClass: FaultClass): Decision | null {
  if (input.action.level !== 'R1') return probeOr(input, faultClass, causes.effectUnknown);
  const isResultUnknown = hasClass(input, 'T3') || isNotUnderstood(input);
  if (isSentAgain(faultClass)) return isResultUnknown ? probeOr(input, faultClass, null) : null;
  return probeOr(input, faultClass, causes.effectUnknown);
}

/** The probe, once an attempt; after it the end, or (null) the class. */
function probeOr(
  input: DecisionInput,
  faultClass: FaultClass,
  otherwise: typeof causes.effectUnknown | null,
): Decision | null {
  const { canProbe, isProbed } = input.effect;
  if (canProbe && !isProbed) return reconcile(input, faultClass, causes.reconcile);
  return otherwise === null ? null : end(input, faultClass, otherwise);
}

function reconcile(input: DecisionInput, faultClass: FaultClass, cause: typeof causes.reconcile): Decision {
  return goOn(input, faultClass, cause, 'RECONCILE', 'same', input.action.rung, 0, 0);
}

/** Classes whose rule may send the same to the same target. */
function isSentAgain(faultClass: FaultClass): boolean {
  return faultClass === 'T1' || faultClass === 'T2' || faultClass === 'T3' || faultClass === 'unknown';
}

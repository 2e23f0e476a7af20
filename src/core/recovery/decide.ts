// What to do after a failed attempt (HFR 3.2-3.5, 4.1-4.4): facts in, one of the nine actions out. Pure and total: it waits
// for nothing, takes no budget, and has an answer for every input, the careful one where a figure is missing.
//
//   refused (T8)           -> ESCALATE, whatever else is true
//   not understood         -> high criticality ESCALATE; a write RECONCILE; a read is probed once (but see below)
//   write, may have acted  -> RECONCILE once an attempt, then ESCALATE (rules/effect.ts)
//   else                   -> the rule of the riskier class (rules/classes.ts): retry.ts, stopConditions.ts, ladder.ts
//
// Deviation from 3.2 and table 4 (a read of low confidence is probed once): at confidence 0 nothing at all could be read of the
// failure, so that it may have been a refusal (T8). A probe would send a refused request again, which border 1 (3.5) forbids;
// such a read ends with a person. With any confidence above 0 the document's rule holds to the letter.
import type { Decision, DecisionInput } from './decision.ts';
import { causes } from './rules/causes.ts';
import { classRules } from './rules/classes.ts';
import { effectFirst } from './rules/effect.ts';
import { end } from './rules/outcomes.ts';
import { decidingClass, isWrite } from './rules/risk.ts';
import { isNotUnderstood } from './stopConditions.ts';

/** The action for a failed attempt, with its rule, reason, cost and versions. */
export function decide(input: DecisionInput): Decision {
  const faultClass = decidingClass(input);
  if (faultClass === 'T8') return end(input, 'T8', causes.refusal);
  if (isNotUnderstood(input)) {
    if (input.action.criticality === 'high') return end(input, faultClass, causes.lowConfidence);
    if (!isWrite(input) && !(input.fault.confidence > 0)) return end(input, faultClass, causes.unreadable);
  }
  const effect = effectFirst(input, faultClass);
  if (effect) return effect;
  // The last rung gives the same each time: nothing is done again there.
  if (input.action.rung === 'L4') return end(input, faultClass, causes.fallbackFailed);
  return classRules[faultClass](input);
}

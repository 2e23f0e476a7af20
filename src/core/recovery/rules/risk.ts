// Which of two faults that came together decides (HFR 4.2, composite faults: the one with the higher side-effect risk first).
//
// The classifier has already put the riskier one of two signs of equal weight first, so its primary class decides. What a second
// class can still add is care: a refusal (T8) is one wherever it shows; an overflow (T6) forbids to send the same again; and of
// a write a possible T3 has it looked up first (rules/effect.ts). A second T7 adds none: a specific sign of it would have come
// first, and what is left is a bare 4xx status under which some vendors tell a passing fault (AWS throttles with 400).
import type { FaultClass } from '../../faults/fault.ts';
import type { DecisionInput, FaultFacts } from '../decision.ts';

/** Classes whose rule may send the same request again. */
const SENT_AGAIN: ReadonlySet<FaultClass> = new Set<FaultClass>(['T1', 'T2', 'T3', 'T4', 'V1', 'unknown']);

export function isWrite(input: DecisionInput): boolean {
  return input.action.level !== 'R0';
}

/** The class that decides. */
export function decidingClass({
  fault: { class: primary, secondary },
}: {
  readonly fault: Pick<FaultFacts, 'class' | 'secondary'>;
}): FaultClass {
  if (secondary === 'T8') return 'T8';
  return secondary === 'T6' && SENT_AGAIN.has(primary) ? 'T6' : primary;
}

/** True when either part of the fault is of this class. */
export function hasClass(input: DecisionInput, faultClass: FaultClass): boolean {
  return input.fault.class === faultClass || input.fault.secondary === faultClass;
}

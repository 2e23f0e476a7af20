// The only places where a decision is put together, so that rung, cost, check and versions are the same for every rule.
import type { CheckLevel, Rung } from '../../events.ts';
import type { FaultClass, RecoveryAction } from '../../faults/fault.ts';
import { requiredCheck } from '../acceptance.ts';
import type { Decision, DecisionInput, Target } from '../decision.ts';
import type { Cause } from './causes.ts';
import { isWrite } from './risk.ts';

/** Rungs from the top of the ladder down. */
export const RUNG_ORDER: Readonly<Record<Rung, number>> = { L0: 0, L1: 1, L2: 2, L3: 3, L4: 4 };

/** An action that goes on. `rung` is the rung of the next attempt. */
export function goOn(
  input: DecisionInput,
  faultClass: FaultClass,
  cause: Cause,
  action: RecoveryAction,
  target: Target,
  rung: Rung,
  waitMs: number,
  takes: 0 | 1,
): Decision {
  return {
    action,
    target,
    rung,
    waitMs,
    takes,
    check: checkAt(input, rung),
    proposes: null,
    rule: cause.rules[faultClass],
    reason: cause.reason,
    rulesVersion: input.policy.version,
  };
}

/**
 * FAIL or ESCALATE. A FAIL of high criticality is always a person's (4.4); the preset says what else is (study, row B).
 * `proposes`: the rung at which a person may let it go on.
 */
export function end(
  input: DecisionInput,
  faultClass: FaultClass,
  cause: Cause,
  proposes: Rung | null = null,
): Decision {
  const { action, policy } = input;
  const isPersons =
    cause.ends === 'ESCALATE' ||
    action.criticality === 'high' ||
    policy.escalates === 'always' ||
    (policy.escalates === 'critical-or-write' && isWrite(input)) ||
    isInDoubt(input);
  return {
    action: isPersons ? 'ESCALATE' : 'FAIL',
    target: 'nobody',
    rung: action.rung,
    waitMs: 0,
    takes: 0,
    check: checkAt(input, action.rung),
    proposes: isPersons ? proposes : null,
    rule: cause.rules[faultClass],
    reason: cause.reason,
    rulesVersion: policy.version,
  };
}

/** A write that may have happened is never told as failed (DESIGN, The way one command goes). */
function isInDoubt(input: DecisionInput): boolean {
  const { entry } = input.effect;
  return isWrite(input) && (entry === null || entry === 'PREPARED' || entry === 'UNKNOWN');
}

/** The lower one of two rungs on the ladder: a step never climbs back within itself. */
export function lowerRung(one: Rung, other: Rung): Rung {
  return RUNG_ORDER[one] >= RUNG_ORDER[other] ? one : other;
}

function checkAt(input: DecisionInput, rung: Rung): CheckLevel {
  return requiredCheck(input.action.criticality, rung, input.policy);
}

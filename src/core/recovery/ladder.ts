// The ladder L0-L4 (HFR 4.4, table 5): which rung may be taken now, under its three constraints. Quality floor: a substitute
// that is expected below it is passed over. Safety: no refusal, permission or pin is got around, and a write is never put
// through another tool unless it surely did not happen. Observability: what is degraded is flagged with all that led to it.
import { endsInTime } from './deadline.ts';
import type { Degradation, Rung } from '../events.ts';
import type { FaultClass, RecoveryAction } from '../faults/fault.ts';
import type { Decision, DecisionInput, Substitute, Target } from './decision.ts';
import { causes, type Cause } from './rules/causes.ts';
import { end, goOn, lowerRung, RUNG_ORDER } from './rules/outcomes.ts';
import { isWrite } from './rules/risk.ts';

type LowRung = 'L2' | 'L3' | 'L4';

const TARGETS: Readonly<Record<LowRung, Target>> = { L2: 'alternate', L3: 'lower', L4: 'fallback' };

const ACTIONS: Readonly<Record<'model' | 'tool', Readonly<Record<LowRung, RecoveryAction>>>> = {
  model: { L2: 'DEGRADE_MODEL', L3: 'DEGRADE_MODEL', L4: 'DEGRADE_SCOPE' },
  tool: { L2: 'DEGRADE_TOOL', L3: 'DEGRADE_SCOPE', L4: 'DEGRADE_SCOPE' },
};

const CAUSE_OF: Readonly<Record<LowRung, Cause>> = {
  L2: causes.alternate,
  L3: causes.degrade,
  L4: causes.fallback,
};

/** A token of each budget is there. Not a number counts as none. */
export function hasToken({ budget }: DecisionInput): boolean {
  return budget.step >= 1 && budget.task >= 1 && budget.tenant >= 1;
}

/** t + d + t_i + t_verify <= D (4.8). Not a number counts as too late. */
export function fitsDeadline({ time }: DecisionInput, waitMs: number, durationMs: number): boolean {
  return endsInTime(time.nowMs, waitMs, durationMs, time.verifyMs, time.deadlineMs);
}

/** Nothing is known of its quality, or it is expected to reach the floor. */
export function reachesFloor(input: DecisionInput, substitute: Substitute): boolean {
  return substitute.quality === null || substitute.quality >= input.qualityFloor;
}

/** True when the rung may be taken now, unasked. */
export function canTake(input: DecisionInput, rung: LowRung): boolean {
  return isPossible(input, rung) && isAutomatic(input, rung) && (rung === 'L4' || hasToken(input));
}

/** One move down the ladder. */
export function move(
  input: DecisionInput,
  faultClass: FaultClass,
  rung: LowRung,
  cause: Cause = CAUSE_OF[rung],
): Decision {
  const action = ACTIONS[input.action.kind][rung];
  // A fallback is made without a model or tool: nothing is executed again.
  return goOn(input, faultClass, cause, action, TARGETS[rung], rung, 0, rung === 'L4' ? 0 : 1);
}

/** The first rung that may be taken of those below the present one, else the end for `cause`. */
export function fallDown(input: DecisionInput, faultClass: FaultClass, cause: Cause): Decision {
  if (canTake(input, 'L2')) return move(input, faultClass, 'L2');
  if (canTake(input, 'L3')) return move(input, faultClass, 'L3');
  if (canTake(input, 'L4')) return move(input, faultClass, 'L4');
  return end(input, faultClass, cause, proposal(input));
}

/**
 * choose_degradation where the retries are used up: high escalates, medium goes to L3, low to the deterministic fallback
 * (and to L3 where there is none).
 */
export function onExhausted(input: DecisionInput, faultClass: FaultClass, cause: Cause): Decision {
  const { criticality } = input.action;
  if (criticality === 'low' && canTake(input, 'L4')) return move(input, faultClass, 'L4');
  if (criticality !== 'high' && canTake(input, 'L3')) return move(input, faultClass, 'L3');
  return end(input, faultClass, cause, proposal(input));
}

/**
 * Tokens a retry leaves untouched (1 or 0): retry and degradation share one budget (7.2), so where `onExhausted` would need a
 * token for L3, the last one is kept for it. That keeps all attempts of a step within 1 + B_s (proposition 1).
 */
export function reservedTokens(input: DecisionInput): 0 | 1 {
  const { criticality } = input.action;
  if (criticality === 'high' || (criticality === 'low' && canTake(input, 'L4'))) return 0;
  return isPossible(input, 'L3') && isAutomatic(input, 'L3') ? 1 : 0;
}

/** The highest rung that only lacks a person's word (require_human_for); null: there is none. */
function proposal(input: DecisionInput): Rung | null {
  for (const rung of ['L2', 'L3', 'L4'] as const) {
    if (isPossible(input, rung) && needsPerson(input, rung)) return rung;
  }
  return null;
}

/** Nothing stands in for an irreversible action unasked, whatever the settings say. */
function isAutomatic({ action, policy }: DecisionInput, rung: LowRung): boolean {
  return action.level !== 'R3' && policy.automatic[action.criticality][rung];
}

function needsPerson({ action, policy }: DecisionInput, rung: LowRung): boolean {
  return action.level === 'R3' ? policy.irreversible[rung] : policy.confirmable[action.criticality][rung];
}

/** There is a substitute at this rung, and no constraint that nobody can lift stands against it. */
function isPossible(input: DecisionInput, rung: LowRung): boolean {
  const { action } = input;
  const substitute = substituteAt(input, rung);
  if (substitute === null || RUNG_ORDER[rung] <= RUNG_ORDER[action.rung] || action.isPinned) return false;
  if (isWrite(input) && !mayStandInForWrite(input, rung)) return false;
  return reachesFloor(input, substitute) && fitsDeadline(input, 0, substitute.estimateMs);
}

/**
 * A write goes through another tool only where that means exactly the same, and the first one surely did nothing (table 6:
 * FAILED may degrade). Less than the write, or a made-up result, never stands in for it.
 */
function mayStandInForWrite({ effect, options }: DecisionInput, rung: LowRung): boolean {
  const isAbsent = effect.entry === 'FAILED' || effect.entry === 'RECONCILED_ABSENT';
  return rung === 'L2' && isAbsent && options.alternate?.match === 'equivalent';
}

function substituteAt({ options }: DecisionInput, rung: LowRung): Substitute | null {
  if (rung === 'L2') return options.alternate;
  return rung === 'L3' ? options.lower : options.fallback;
}

/** An answer below L0 is degraded and says so to its caller (4.4, third constraint). */
export function isDegraded(rung: Rung): boolean {
  return rung !== 'L0';
}

/** What an event says of a degradation beside its rung and reason; null where nothing stands in for anything (4.4). */
export function degradationOf(decision: Decision, substitute: string, quality: number | null): Degradation | null {
  const isMade = decision.takes === 1 || decision.target === 'fallback';
  if (!isMade || !isDegraded(decision.rung)) return null;
  return { substitute, quality, check: decision.check };
}

/** The rung of a compressed attempt: L1, or the lower one at which it already runs. */
export function compressedRung(rung: Rung): Rung {
  return lowerRung(rung, 'L1');
}

// Random facts of failed attempts, drawn over everything a decision looks at, with impossible and missing figures among them.
import type { FaultClass } from '../../src/core/faults/fault.ts';
import type { DecisionInput, Substitute } from '../../src/core/recovery/decision.ts';
import type { RecoveryPolicy } from '../../src/core/recovery/presets.ts';

/** A source of numbers in [0, 1). */
export type Draw = () => number;

const CLASSES: readonly FaultClass[] = ['T1', 'T2', 'T3', 'T4', 'T5', 'T6', 'T7', 'T8', 'V1', 'unknown'];
const ENTRIES = [
  null,
  'PREPARED',
  'COMMITTED',
  'FAILED',
  'UNKNOWN',
  'RECONCILED_COMMITTED',
  'RECONCILED_ABSENT',
  'COMPENSATED',
] as const;
const DETAILS = [null, 'fixable', 'permission', 'quota'] as const;
const RUNGS = ['L0', 'L0', 'L0', 'L1', 'L2', 'L3', 'L4'] as const;
const LEVELS = ['R0', 'R0', 'R1', 'R2', 'R3'] as const;
const CRITICALITIES = ['low', 'medium', 'high'] as const;
const BREAKERS = ['closed', 'closed', 'half-open', 'open'] as const;

function pick<T>(list: readonly [T, ...T[]] | readonly T[], draw: Draw): T {
  const item = list[Math.floor(draw() * list.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** Mostly a count from 0 to `most`, at times no number at all. */
function count(most: number, draw: Draw): number {
  const value = draw();
  if (value < 0.004) return Number.NaN;
  return value < 0.008 ? Number.POSITIVE_INFINITY : Math.floor(draw() * (most + 1));
}

function substitute(draw: Draw): Substitute | null {
  if (draw() < 0.4) return null;
  return { quality: draw() < 0.3 ? null : draw(), estimateMs: Math.floor(draw() * 4000) };
}

/** One input. */
export function randomInput(draw: Draw, allPolicies: readonly RecoveryPolicy[]): DecisionInput {
  const faultClass = pick(CLASSES, draw);
  const alternate = substitute(draw);
  const is = (share = 0.5): boolean => draw() < share;
  return {
    fault: {
      class: faultClass,
      confidence: is(0.8) ? 0.5 + draw() / 2 : is(0.1) ? 0 : is(0.05) ? Number.NaN : draw() / 2,
      secondary: is(0.25) ? pick(CLASSES, draw) : null,
      detail: faultClass === 'T7' ? pick(DETAILS, draw) : null,
      retryAfterMs: is(0.2) ? Math.floor(draw() * 30_000) : null,
      isRetryForbidden: is(0.1),
    },
    action: {
      kind: is() ? 'model' : 'tool',
      level: pick(LEVELS, draw),
      criticality: pick(CRITICALITIES, draw),
      isPinned: is(0.15),
      rung: pick(RUNGS, draw),
      isCompressed: is(0.2),
      repairs: is(0.8) ? 0 : 1,
      targetFaults: is(0.8) ? 0 : count(3, draw),
    },
    effect: { entry: pick(ENTRIES, draw), canProbe: is(), isProbed: is() },
    budget: { step: count(4, draw), task: count(6, draw), tenant: count(5, draw) },
    time: {
      nowMs: Math.floor(draw() * 10_000),
      deadlineMs: is(0.7) ? 60_000 : Math.floor(draw() * 20_000),
      waitMs: is(0.99) ? draw() * 2000 : Number.NaN,
      stepMs: Math.floor(draw() * 5000),
      verifyMs: Math.floor(draw() * 1000),
    },
    breaker: pick(BREAKERS, draw),
    evidence: { sameFaults: 1 + count(4, draw), sameRejections: count(3, draw), hasNewEvidence: is() },
    options: {
      otherCandidate: substitute(draw),
      otherAccount: substitute(draw),
      alternate: alternate && { ...alternate, match: is() ? 'equivalent' : 'similar' },
      lower: substitute(draw),
      fallback: substitute(draw),
      canCompress: is(),
      canRepair: is(),
      canReplan: is(),
    },
    qualityFloor: pick([0, 0.6, 0.8, 0.92], draw),
    policy: pick(allPolicies, draw),
  };
}

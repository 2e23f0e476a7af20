// A second opinion of a light model on failures that rules cannot tell apart (HFR document 4.2: rules for what is certain, a
// model for what is ambiguous). Where the two disagree, the more careful action for the side-effect level wins; the model
// reads untrusted text, so it can only ever make a verdict more careful, never less (DESIGN 13).
import type { EffectLevel } from '../ledger/entry.ts';
import { defaultAction, isRetryable, type Judged } from './actions.ts';
import type { Fault, FaultClass, Operation, PermanentDetail, RecoveryAction } from './fault.ts';

/** What a light model thinks. */
export interface Opinion {
  readonly class: FaultClass;
  /** Only for T7. */
  readonly detail: PermanentDetail | null;
  /** 0-1, as the model says it; values outside are clamped. */
  readonly confidence: number;
}

/** Above this confidence the rules are not questioned. */
const SURE = 0.7;
/** Certain by their form, whatever their confidence says: no opinion may touch them. */
const SETTLED: ReadonlySet<FaultClass> = new Set<FaultClass>(['T8', 'T3']);

/** Whether a fault is ambiguous enough to ask: not understood, or semantic, or not sure. */
export function needsOpinion(fault: Fault): boolean {
  if (SETTLED.has(fault.class)) return false;
  return fault.class === 'unknown' || fault.class === 'V1' || fault.confidence < SURE;
}

/** Most careful first: for what may have had an effect, and for what only costs time and money. */
const CAREFUL: Readonly<Record<'read' | 'write', readonly RecoveryAction[]>> = {
  read: [
    'ESCALATE',
    'FAIL',
    'REPLAN',
    'DEGRADE_SCOPE',
    'DEGRADE_TOOL',
    'DEGRADE_MODEL',
    'COMPRESS',
    'RECONCILE',
    'RETRY',
  ],
  // Before anything else, also before a person is told that it failed, it must be known what happened.
  write: [
    'RECONCILE',
    'ESCALATE',
    'FAIL',
    'REPLAN',
    'DEGRADE_SCOPE',
    'DEGRADE_TOOL',
    'DEGRADE_MODEL',
    'COMPRESS',
    'RETRY',
  ],
};

const carefulness = (action: RecoveryAction, level: EffectLevel): number =>
  CAREFUL[level === 'R0' ? 'read' : 'write'].indexOf(action);

/**
 * The fault after an opinion on it. The same class: surer. Another class: the one whose action is more careful for `level`
 * is the primary, the other the secondary, and what either forbids stays forbidden.
 */
export function withOpinion(fault: Fault, opinion: Opinion, operation: Operation, level: EffectLevel): Fault {
  const confidence = clamped(opinion.confidence);
  if (opinion.class === 'unknown') return fault;
  if (opinion.class === fault.class) {
    const surer = fault.confidence + (1 - fault.confidence) * confidence * MODEL_WEIGHT;
    return { ...fault, confidence: surer, evidence: [...fault.evidence, `opinion: ${opinion.class}`] };
  }
  const other = opinedFault(fault, opinion, confidence, operation);
  const isOtherCareful = carefulness(other.action, level) < carefulness(fault.action, level);
  const [primary, second] = isOtherCareful ? [other, fault] : [fault, other];
  return {
    ...primary,
    secondary: primary.secondary === 'T8' || second.class === 'unknown' ? primary.secondary : second.class,
    // A disagreement is no certainty, whoever prevails.
    confidence: Math.min(primary.confidence, SURE),
    retryable: fault.retryable && other.retryable,
    retryAfterMs: fault.retryAfterMs,
    evidence: [...fault.evidence, `opinion: ${opinion.class}`],
  };
}

/** A model's certainty counts half: it is not calibrated, and what it read may have been written for it. */
const MODEL_WEIGHT = 0.5;

function opinedFault(fault: Fault, opinion: Opinion, confidence: number, operation: Operation): Fault {
  const judged: Judged = {
    class: opinion.class,
    secondary: null,
    detail: opinion.class === 'T7' ? (opinion.detail ?? 'permission') : null,
    confidence: confidence * MODEL_WEIGHT,
    operation,
    isRetryForbidden: !fault.retryable && fault.class !== 'unknown',
    // What the rules hold for possible stays possible.
    isInDoubt: operation === 'tool_write' && (fault.action === 'RECONCILE' || fault.class === 'unknown'),
  };
  return {
    ...fault,
    class: opinion.class,
    confidence: judged.confidence,
    secondary: null,
    detail: judged.detail,
    retryable: isRetryable(judged),
    explicit: fault.explicit,
    action: defaultAction(judged),
  };
}

function clamped(value: number): number {
  return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0;
}

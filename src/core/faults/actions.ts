// Default action and retryability of each class (HFR document, tables 2, 4 and 11), by operation. A default is what to do
// when nothing else is known; budgets, deadlines, levels and criticality are weighed in core/recovery.
import type { FaultClass, Operation, PermanentDetail, RecoveryAction } from './fault.ts';

type ByOperation = Readonly<Record<Operation, RecoveryAction>>;

const same = (action: RecoveryAction): ByOperation => ({ model_read: action, tool_read: action, tool_write: action });

// A write is only repeated where it surely was not carried out (T1: never sent; T2: turned away).
const DEFAULT_ACTIONS: Readonly<Record<FaultClass, ByOperation>> = {
  T1: same('RETRY'),
  T2: same('RETRY'),
  T3: { model_read: 'RETRY', tool_read: 'RETRY', tool_write: 'RECONCILE' },
  T4: { model_read: 'DEGRADE_MODEL', tool_read: 'DEGRADE_TOOL', tool_write: 'RECONCILE' },
  T5: same('DEGRADE_TOOL'),
  T6: same('COMPRESS'),
  T7: same('FAIL'),
  T8: same('ESCALATE'),
  V1: { model_read: 'RETRY', tool_read: 'REPLAN', tool_write: 'REPLAN' },
  // Table 4: probe a read once, reconcile a write first.
  unknown: { model_read: 'RETRY', tool_read: 'RETRY', tool_write: 'RECONCILE' },
};

const PERMANENT_ACTIONS: Readonly<Record<PermanentDetail, RecoveryAction>> = {
  fixable: 'FAIL',
  permission: 'ESCALATE',
  quota: 'ESCALATE',
};

/** Below this confidence a write is reconciled first, whatever the class says (4.2, third hard case). */
export const LOW_CONFIDENCE = 0.5;

/** What decides the action. */
export interface Judged {
  readonly class: FaultClass;
  readonly secondary: FaultClass | null;
  readonly detail: PermanentDetail | null;
  readonly confidence: number;
  readonly operation: Operation;
  /** The server itself forbade a retry (`x-should-retry: false`). */
  readonly isRetryForbidden: boolean;
  /** A write that may have been carried out, by status and phase (writeSafety.ts). */
  readonly isInDoubt: boolean;
}

/** The default action. A write that may have happened is reconciled before anything else. */
export function defaultAction(judged: Judged): RecoveryAction {
  const { operation } = judged;
  if (judged.class === 'T8') return 'ESCALATE';
  // Nothing could be read, or not all: what was not read may have been a refusal.
  if (judged.confidence === 0 && operation !== 'tool_write') return 'ESCALATE';
  const isUnsure = judged.class === 'T3' || judged.secondary === 'T3' || judged.confidence < LOW_CONFIDENCE;
  const mayHaveHappened = isUnsure || judged.isInDoubt;
  if (operation === 'tool_write' && mayHaveHappened) return 'RECONCILE';
  if (judged.class === 'T7' && judged.detail !== null) return PERMANENT_ACTIONS[judged.detail];
  const action = DEFAULT_ACTIONS[judged.class][operation];
  if (action !== 'RETRY' || !judged.isRetryForbidden) return action;
  return operation === 'model_read' ? 'DEGRADE_MODEL' : 'ESCALATE';
}

// "May sending the same thing again help": T4 not at the same model, T5 not at the same tool, T6 not uncompressed (table 2).
const RETRYABLE: ReadonlySet<FaultClass> = new Set<FaultClass>(['T1', 'T2', 'T3', 'V1', 'unknown']);

/** Whether sending the same again may help and is safe. */
export function isRetryable(judged: Judged): boolean {
  if (!RETRYABLE.has(judged.class) || judged.isRetryForbidden || judged.secondary === 'T8') return false;
  // A tool that answered wrongly, or of which nothing is known, is asked again only by decision, and a write never.
  if (judged.class === 'V1' || judged.class === 'unknown')
    return judged.operation === 'model_read' && judged.confidence > 0;
  return judged.operation !== 'tool_write' || (defaultAction(judged) === 'RETRY' && judged.class !== 'T3');
}

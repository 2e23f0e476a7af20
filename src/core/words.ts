// The words people read for the codes: words first, the code in brackets for those who learn it (PANEL, Words before codes).
import type { Rung } from './events.ts';
import type { FaultClass, RecoveryAction } from './faults/fault.ts';
import type { EffectLevel, EntryState } from './ledger/entry.ts';

export const faultWords: Readonly<Record<FaultClass, string>> = {
  T1: 'transient error',
  T2: 'rate limited',
  T3: 'no answer in time',
  T4: 'overloaded',
  T5: 'broken tool contract',
  T6: 'context too large',
  T7: 'refused as invalid or not permitted',
  T8: 'refused by policy',
  V1: 'wrong answer',
  unknown: 'not understood',
};

export const actionWords: Readonly<Record<RecoveryAction | 'ACCEPT', string>> = {
  RETRY: 'try again',
  RECONCILE: 'look what happened',
  COMPRESS: 'shorten the context',
  DEGRADE_MODEL: 'use another model',
  DEGRADE_TOOL: 'use another tool',
  DEGRADE_SCOPE: 'do less',
  REPLAN: 'plan again',
  ESCALATE: 'ask a person',
  FAIL: 'stop',
  ACCEPT: 'accept',
};

export const rungWords: Readonly<Record<Rung, string>> = {
  L0: 'as asked',
  L1: 'a shorter context',
  L2: 'a substitute outside the route',
  L3: 'a smaller model or scope',
  L4: 'a stored or partial result',
};

export const levelWords: Readonly<Record<EffectLevel, string>> = {
  R0: 'only reads',
  R1: 'may be repeated',
  R2: 'can be checked afterwards',
  R3: 'cannot be undone',
};

export const stateWords: Readonly<Record<EntryState, string>> = {
  PREPARED: 'about to run',
  COMMITTED: 'done',
  FAILED: 'failed',
  UNKNOWN: 'may have happened',
  RECONCILED_COMMITTED: 'found to be done',
  RECONCILED_ABSENT: 'found not to have happened',
  COMPENSATED: 'undone',
};

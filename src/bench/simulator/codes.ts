// The small numbers that the simulator's hot loop uses for names: outcomes of an attempt, actions, kinds of a step.
// Numbers, because the loop makes tens of millions of them a second; the names beside them are for people.
import type { FaultClass } from '../../core/faults/fault.ts';

/** Outcome of one attempt. Right and silent (wrong, not noticed) let the task go on; every larger code is a failure. */
export const RIGHT = 0;
export const SILENT = 1;
export const V1 = 2;
export const T1 = 3;
export const T2 = 4;
export const T3 = 5;
export const T4 = 6;
export const T5 = 7;
export const T6 = 8;
export const T7 = 9;
export const T8 = 10;

/** How many outcomes there are. */
export const OUTCOME_COUNT = 11;

const FAULT_CLASSES: readonly FaultClass[] = [
  'unknown',
  'unknown',
  'V1',
  'T1',
  'T2',
  'T3',
  'T4',
  'T5',
  'T6',
  'T7',
  'T8',
];

/** Fault class of an outcome code from V1 up; `unknown` for what is no failure. */
export function faultClassOf(outcome: number): FaultClass {
  return FAULT_CLASSES[outcome] ?? 'unknown';
}

/** Kind of a step: model call 0, tool that reads 1, tool that writes 2 (document 6.2). */
export const MODEL = 0;
export const WRITE = 2;

/** Criticality of a task: low 0, medium 1, high 2. */
export const HIGH = 2;

/** What a policy answers to a failed attempt. The runner carries it out. */
export const FAIL = 0;
export const ESCALATE = 1;
/** Escalate with the world's probability for this failure and criticality, else fail. */
export const ESCALATE_OR_FAIL = 2;
export const RETRY = 3;
/** Ask the ledger whether the write happened: committed ends the step, absent asks the policy again. */
export const RECONCILE = 4;
export const COMPRESS = 5;
/** One tier down, and the step goes on. */
export const DEGRADE = 6;
/** One last attempt at the alternate, or at the cheap model or cache; its failure ends the task. */
export const LAST_TRY_ALTERNATE = 7;
export const LAST_TRY_CHEAP = 8;
/** Attempt again at the tier that the policy's session names. */
export const REEXECUTE = 9;

/** Stickiness and after-effects of the failure before this attempt; T4, T5, T7 and T8 stick to a step. */
export const AFTER_NOTHING = 0;
export const AFTER_TRANSIENT = 1;
export const AFTER_T4 = 2;
export const AFTER_T5 = 3;
export const AFTER_T7 = 4;
export const AFTER_T8 = 5;

/** What the next attempt of the step remembers of this outcome, by outcome code. */
export const MEMORY_OF = Uint8Array.of(
  AFTER_NOTHING,
  AFTER_NOTHING,
  AFTER_NOTHING,
  AFTER_TRANSIENT,
  AFTER_TRANSIENT,
  AFTER_TRANSIENT,
  AFTER_T4,
  AFTER_T5,
  AFTER_TRANSIENT,
  AFTER_T7,
  AFTER_T8,
);

/** True for the classes that stay with a step until model or tool change: T4, T5, T7, T8. */
export function isSticky(outcome: number): boolean {
  return (MEMORY_OF[outcome] ?? 0) >= AFTER_T4;
}

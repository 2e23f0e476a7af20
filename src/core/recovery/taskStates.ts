// The control states of a task and what may follow what (HFR 4.9, table 9), as data: for the loop that walks it, for what is
// saved, and for tests that no loop takes a way that is not there. It holds no state itself.
//
//   INIT -> RUN_STEP -> OBSERVE -> CLASSIFY -> CHECK -> DECIDE -> one state an action -> RUN_STEP ... -> DONE
//                          \-> VERIFY -> ACCEPT | DECIDE
import type { RecoveryAction } from '../faults/fault.ts';

/** The states by name, in the order of the table. */
export const taskStateNames = [
  'INIT',
  'RUN_STEP',
  'OBSERVE',
  'CLASSIFY',
  'CHECK',
  'DECIDE',
  'RETRY_WAIT',
  'RECONCILE',
  'COMPRESS',
  'DEGRADE',
  'REPLAN',
  'VERIFY',
  'COMMIT',
  'ACCEPT',
  'ESCALATE',
  'FAIL',
  'DONE',
] as const;

export type TaskStateName = (typeof taskStateNames)[number];

/** One row of table 9: when a state is entered, what is done in it, what may follow. */
export interface TaskStateRow {
  readonly entered: string;
  readonly does: string;
  readonly next: readonly TaskStateName[];
}

/**
 * Table 9. Two places where the printed table leaves a gap are filled from the text around it: an observation without a fault
 * is verified (pseudo-code of 4.9), and COMMIT, which RECONCILE leads to, commits the step like ACCEPT.
 */
export const taskStates: Readonly<Record<TaskStateName, TaskStateRow>> = {
  INIT: { entered: 'the task starts', does: 'makes budgets, ledger and breaker view', next: ['RUN_STEP'] },
  RUN_STEP: { entered: 'step i is due', does: 'calls the model or tool', next: ['OBSERVE'] },
  OBSERVE: { entered: 'a result or error came', does: 'collects signals, updates state', next: ['CLASSIFY', 'VERIFY'] },
  CLASSIFY: { entered: 'there is an observation', does: 'gives class and confidence', next: ['CHECK'] },
  CHECK: {
    entered: 'there is a class',
    does: 'checks budget, deadline, breaker and side-effect risk',
    next: ['DECIDE'],
  },
  DECIDE: {
    entered: 'the checks are made',
    does: 'chooses one of the nine actions',
    next: ['RETRY_WAIT', 'RECONCILE', 'COMPRESS', 'DEGRADE', 'REPLAN', 'ESCALATE', 'FAIL'],
  },
  RETRY_WAIT: { entered: 'RETRY was chosen', does: 'waits and takes the budget', next: ['RUN_STEP'] },
  RECONCILE: {
    entered: 'the result of a write is not known',
    does: 'asks ledger and outside',
    next: ['RETRY_WAIT', 'COMMIT', 'ESCALATE'],
  },
  COMPRESS: { entered: 'the context is too large', does: 'makes it smaller', next: ['RUN_STEP'] },
  DEGRADE: {
    entered: 'a degradation was chosen',
    does: 'takes the rung, adapts contracts',
    next: ['RUN_STEP', 'ESCALATE'],
  },
  REPLAN: {
    entered: 'the plan does not hold',
    does: 'keeps committed steps, plans the rest anew',
    next: ['RUN_STEP', 'ESCALATE'],
  },
  VERIFY: { entered: 'the action returned', does: 'makes the check V0-V3', next: ['ACCEPT', 'DECIDE'] },
  COMMIT: { entered: 'the effect is found committed', does: 'commits the step', next: ['RUN_STEP', 'DONE'] },
  ACCEPT: {
    entered: 'the check passed, the quality suffices',
    does: 'commits the step, logs it',
    next: ['RUN_STEP', 'DONE'],
  },
  ESCALATE: { entered: 'high risk or no safe alternative', does: 'packs the evidence for a person', next: ['DONE'] },
  FAIL: { entered: 'a fault for good, or budgets used up', does: 'gives a structured failure', next: ['DONE'] },
  DONE: { entered: 'the task has its end', does: 'nothing', next: [] },
};

/** The state that carries an action out. */
export const stateOfAction: Readonly<Record<RecoveryAction, TaskStateName>> = {
  RETRY: 'RETRY_WAIT',
  RECONCILE: 'RECONCILE',
  COMPRESS: 'COMPRESS',
  DEGRADE_MODEL: 'DEGRADE',
  DEGRADE_TOOL: 'DEGRADE',
  DEGRADE_SCOPE: 'DEGRADE',
  REPLAN: 'REPLAN',
  ESCALATE: 'ESCALATE',
  FAIL: 'FAIL',
};

/** Whether the table has this way. */
export function isLegalMove(from: TaskStateName, to: TaskStateName): boolean {
  return taskStates[from].next.includes(to);
}

// Whether an interrupted task may go on, and from where (HFR document 5.4): the ledger is looked through first, and nothing is
// taken up again before every effect of the task that was open is reconciled. What stays unknown stays with its entry: the
// same call is then answered with what is known instead of being made again.
import { loadCheckpoint } from './taskCheckpoint.ts';
import type { TaskState } from '../core/recovery/checkpoint.ts';
import type { Emit } from './eventLog.ts';
import type { Ports, Result } from './ports.ts';
import { underLease } from './effectLease.ts';
import { recoverOpen } from './recoverLedger.ts';
import type { TaskOutcome, TaskSpec } from './taskRunner.ts';

/** On what a task goes on. What is absent is as it was saved. */
export interface ResumeTerms extends Pick<TaskSpec, 'env'> {
  /** A new D, absolute; the saved one is not counted anew. */
  readonly deadlineMs?: number;
  /** A new q_min, 0-1, for the saved criticality. */
  readonly qualityFloor?: number;
}

/** D of a task that was saved before deadlines were, ms from now. */
const OLD_DEADLINE_MS = 3_600_000;

/** The task to go on with, or why it cannot be gone on with, for a person. */
export async function resumableTask(
  ports: Ports,
  id: string,
  { env, ...terms }: ResumeTerms,
  emit: Emit,
): Promise<Result<{ readonly spec: TaskSpec; readonly state: TaskState }, string>> {
  const loaded = await loadCheckpoint(ports.store, id);
  if (!loaded.ok) return loaded;
  const state = loaded.value;
  if (!state)
    return refusal(`there is no task ${id} to go on with; look at "belay ledger list" for the tasks there are`);
  if (state.status === 'finished') return refusal(`task ${id} has ended; start a new one with --goal`);
  const ids = { tenant: 'local', client: 'belay-agent', task: id, step: state.step };
  const recovered = await recoverOpen(ports, { task: id }, (body) => emit(ids, body));
  if (!recovered.ok) return refusal(recovered.error.message);
  const { busy, trouble } = recovered.value;
  if (trouble !== null) return refusal(trouble);
  const [running] = busy;
  if (running) return refusal(`task ${id} is still at work: ${running.words}`);
  const nowMs = ports.clock.nowMs();
  const deadlineMs = terms.deadlineMs ?? state.deadlineMs ?? nowMs + OLD_DEADLINE_MS;
  if (!(nowMs < deadlineMs))
    return refusal(
      `the deadline of task ${id} passed ${Math.ceil((nowMs - deadlineMs) / 1000)} s ago; give it a new one with --deadline-s`,
    );
  const floor = terms.qualityFloor ?? state.qualityFloor;
  const { goal, model, successCommand, criticality, workspace } = state;
  const asked = {
    goal,
    model,
    successCommand,
    criticality,
    workspace,
    ...(floor === null ? {} : { qualityFloor: floor }),
  };
  return { ok: true, value: { spec: { id, ...asked, deadlineMs, env }, state } };
}

/**
 * Works on a task while no other Belay does: two processes that go on with one task would ask and act twice. The work is
 * cancelled when another one has taken the task over meanwhile.
 */
export async function whileOwned(
  ports: Ports,
  id: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result<TaskOutcome, string>>,
): Promise<Result<TaskOutcome, string>> {
  const leased = await underLease(ports, `task:${id}`, (lease) => work(AbortSignal.any([signal, lease.signal])));
  if (!leased.ok) return refusal(leased.error.message);
  if (leased.value.kind === 'done') return leased.value.value;
  const by = leased.value.kind === 'held' ? 'is being worked on by' : 'was taken over by';
  return refusal(`task ${id} ${by} another Belay; wait for it, or end that one first`);
}

/** The outcome of a task that was not begun. */
export function notBegun(task: string, evidence: string): TaskOutcome {
  const nothing = { steps: 0, attempts: 0, degraded: 0, costUsd: 0 };
  return { task, outcome: 'failed', clean: false, ...nothing, evidence };
}

function refusal(error: string): Result<never, string> {
  return { ok: false, error };
}

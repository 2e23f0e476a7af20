// The constraints of HFR 3.4 as figures: E[C(T)] <= B_c, P(L(T) <= D) >= 1 - eps, E[DUP(T)] <= eps_d. A fold over decision
// events, by task (a foreign agent's task is its conversation). It judges; what to do about it is a person's matter. The fourth,
// Q(T) >= q_min, is no figure: what is known to be below the floor never passes acceptance (acceptance.ts).
import type { DecisionEvent } from '../events.ts';

/** What is known of one task. */
interface TaskFigures {
  readonly costUsd: number;
  /** A call of it ended after its deadline. */
  readonly isLate: boolean;
  readonly duplicates: number;
}

/** The fold's state: the last tasks by id, oldest first, and sums over all older ones. */
export interface ConstraintState {
  readonly recent: Readonly<Record<string, TaskFigures>>;
  /** Deadlines of running calls, by call; both by `named` ids. */
  readonly deadlines: Readonly<Record<string, number>>;
  /** Keys of effects that are committed, the latest: one that is committed twice is a duplicate. */
  readonly committed: readonly string[];
  readonly tasks: number;
  readonly costUsd: number;
  readonly late: number;
  readonly duplicates: number;
}

/** Limits; `costBudgetUsd` 0: none is set. */
export interface ConstraintLimits {
  /** B_c: dollars per task. */
  readonly costBudgetUsd: number;
  /** eps: share of tasks that may end after D, 0-1. */
  readonly tailTolerance: number;
  /** eps_d: duplicates that a task may have on average. */
  readonly duplicateTolerance: number;
  /** Fewer tasks say nothing of a mean or a tail. A duplicate needs no second one. */
  readonly leastTasks: number;
}

/** The figures a person reads, over all tasks of the session; null without any task. A share is 0-1. */
export interface ConstraintFigures {
  readonly tasks: number;
  readonly meanCostUsd: number | null;
  readonly lateShare: number | null;
  readonly meanDuplicates: number | null;
}

export type ConstraintName = 'cost' | 'tail' | 'duplicates';

/** Nothing has happened yet. */
export const noConstraintState: ConstraintState = {
  recent: {},
  deadlines: {},
  committed: [],
  tasks: 0,
  costUsd: 0,
  late: 0,
  duplicates: 0,
};

const MOST_TASKS = 200;
const MOST_CALLS = 500;
const MOST_KEYS = 500;
const newTask: TaskFigures = { costUsd: 0, isLate: false, duplicates: 0 };

/** Folds one event in; the same state where the event says nothing of the constraints. */
export function foldConstraints(state: ConstraintState, event: DecisionEvent): ConstraintState {
  const { body, ids, atMs } = event;
  const call = named(ids.call ?? '');
  switch (body.type) {
    case 'call-started': {
      const known = withTask(state, ids.task, (task) => task);
      if (body.deadlineMs === undefined) return known;
      return { ...known, deadlines: bounded({ ...known.deadlines, [call]: body.deadlineMs }, MOST_CALLS) };
    }
    case 'call-finished': {
      const { [call]: deadlineMs, ...deadlines } = state.deadlines;
      // A caller that went away waited for nothing any more.
      const isLate = body.outcome !== 'cancelled' && deadlineMs !== undefined && atMs > deadlineMs;
      return withTask({ ...state, deadlines }, ids.task, (task) => ({ ...task, isLate: task.isLate || isLate }));
    }
    case 'attempt-succeeded':
    case 'attempt-failed':
    case 'attempt-cancelled':
      return withTask(state, ids.task, (task) => ({ ...task, costUsd: task.costUsd + body.costUsd }));
    case 'cost-corrected':
      return withTask(state, ids.task, (task) => ({ ...task, costUsd: task.costUsd + body.changeUsd }));
    case 'effect-changed': {
      if (body.to !== 'COMMITTED') return state;
      // The ledger forbids it; this counts it all the same.
      if (state.committed.includes(body.key))
        return withTask(state, ids.task, (task) => ({ ...task, duplicates: task.duplicates + 1 }));
      return { ...state, committed: [...state.committed, body.key].slice(-MOST_KEYS) };
    }
    default:
      return state;
  }
}

function withTask(state: ConstraintState, id: string, change: (task: TaskFigures) => TaskFigures): ConstraintState {
  const name = named(id);
  const before = state.recent[name];
  const after = change(before ?? newTask);
  if (after === before) return state;
  const was = before ?? newTask;
  const count = (is: boolean, had: boolean): number => (is ? 1 : 0) - (had ? 1 : 0);
  return {
    ...state,
    recent: bounded({ ...state.recent, [name]: after }, MOST_TASKS),
    tasks: state.tasks + (before ? 0 : 1),
    costUsd: state.costUsd + after.costUsd - was.costUsd,
    late: state.late + count(after.isLate, was.isLate),
    duplicates: state.duplicates + after.duplicates - was.duplicates,
  };
}

/** Names come from callers: none may pass for one that every object has, or for a number, which goes before all others. */
const named = (id: string): string => `:${id}`;

/** The newest `most` entries. */
function bounded<V>(record: Readonly<Record<string, V>>, most: number): Readonly<Record<string, V>> {
  const entries = Object.entries(record);
  return entries.length <= most ? record : Object.fromEntries(entries.slice(-most));
}

/** The figures of the session so far. */
export function constraintFigures({ tasks, costUsd, late, duplicates }: ConstraintState): ConstraintFigures {
  const mean = (sum: number): number | null => (tasks === 0 ? null : sum / tasks);
  return { tasks, meanCostUsd: mean(costUsd), lateShare: mean(late), meanDuplicates: mean(duplicates) };
}

/** Which constraints do not hold. */
export function violatedConstraints(figures: ConstraintFigures, limits: ConstraintLimits): readonly ConstraintName[] {
  const { meanCostUsd, lateShare, meanDuplicates } = figures;
  const isEnough = figures.tasks >= limits.leastTasks;
  const names: ConstraintName[] = [];
  if (isEnough && limits.costBudgetUsd > 0 && (meanCostUsd ?? 0) > limits.costBudgetUsd) names.push('cost');
  if (isEnough && (lateShare ?? 0) > limits.tailTolerance) names.push('tail');
  if ((meanDuplicates ?? 0) > limits.duplicateTolerance) names.push('duplicates');
  return names;
}

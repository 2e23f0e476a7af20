// The four monitoring figures of redundant execution, as a fold over decision events: how many calls ran more than one attempt at one
// time, how long replicas take and how far they lie apart, how much their answers differ, and what serial retry would have saved.
// Bounded: running calls in the state, sums of all others. Source: the redundant-execution text (seed 004), 4.3.
import type { DecisionEvent } from '../../events.ts';
import { isOver, isRedundant, newCall, noteReplica, type CallReplicas } from './callReplicas.ts';
import { redundancyConstants } from './constants.ts';
import { addReturn, noReturn, type CopyReturn } from './returns.ts';

/** Observations by upper bound, in seconds. */
export interface Histogram {
  /** Per bucket of `bucketsS`, and one more for what is beyond; not cumulative. */
  readonly counts: readonly number[];
  readonly sumS: number;
}

/** How a replica ended; a cancelled one would have taken longer than was seen. */
export type ReplicaEnding = 'succeeded' | 'failed' | 'cancelled';

/**
 * How sure a delay difference is. measured: all that did not fail ended by themselves. at-least: a loser was cut off, so the slowest
 * would have taken longer; 0 where it was cut off before the winner's own time.
 */
export type DelayBound = 'measured' | 'at-least';

/** Sums over all ended calls. Counts and histograms only grow. */
export interface RedundancyTotals {
  readonly calls: number;
  readonly redundantCalls: number;
  /** Replicas of redundant calls, by how they ended. */
  readonly durations: Readonly<Record<ReplicaEnding, Histogram>>;
  readonly delayDiffs: Readonly<Record<DelayBound, Histogram>>;
  /** Sets of answers that were compared, and the sum of their disagreement. */
  readonly comparisons: number;
  readonly disagreement: number;
  /** Attempts of redundant calls, and how many of them serial retry would have made. */
  readonly executions: number;
  readonly serialExecutions: number;
  /** What the copies brought beside the chain of candidates that Belay would have asked anyway. */
  readonly returned: CopyReturn;
}

/** The fold's state. */
export interface RedundancyState {
  /** Running calls by id, oldest first. */
  readonly open: ReadonlyMap<string, CallReplicas>;
  readonly totals: RedundancyTotals;
}

const noObservations: Histogram = {
  counts: new Array<number>(redundancyConstants.bucketsS.length + 1).fill(0),
  sumS: 0,
};

/** Nothing has happened yet. */
export const noRedundancy: RedundancyState = {
  open: new Map(),
  totals: {
    calls: 0,
    redundantCalls: 0,
    durations: { succeeded: noObservations, failed: noObservations, cancelled: noObservations },
    delayDiffs: { measured: noObservations, 'at-least': noObservations },
    comparisons: 0,
    disagreement: 0,
    executions: 0,
    serialExecutions: 0,
    returned: noReturn,
  },
};

/** Calls that are followed at the same time; beyond them the oldest is counted as far as it was seen. */
export const MOST_OPEN_CALLS = 1000;

/** Folds one event in; the same state where it says nothing of replicas. Events of calls that were not seen to start are left out. */
export function foldRedundancy(state: RedundancyState, event: DecisionEvent): RedundancyState {
  const { body, ids } = event;
  if (body.type === 'replicas-compared') return { ...state, totals: compared(state.totals, body.disagreement) };
  if (ids.call === undefined) return state;
  if (body.type === 'call-started') return opened(state, ids.call);
  const before = state.open.get(ids.call);
  if (!before) return state;
  const call = noteReplica(before, event);
  if (call === before) return state;
  const open = new Map(state.open);
  if (!isOver(call)) return { ...state, open: open.set(ids.call, call) };
  open.delete(ids.call);
  return { open, totals: counted(state.totals, call) };
}

function opened(state: RedundancyState, id: string): RedundancyState {
  const open = new Map(state.open);
  let { totals } = state;
  if (!open.has(id) && open.size >= MOST_OPEN_CALLS) {
    const [oldest] = open;
    if (oldest) {
      open.delete(oldest[0]);
      totals = counted(totals, oldest[1]);
    }
  }
  return { open: open.set(id, open.get(id) ?? newCall), totals };
}

function compared(totals: RedundancyTotals, disagreement: number): RedundancyTotals {
  if (!(disagreement >= 0 && disagreement <= 1)) return totals;
  return {
    ...totals,
    comparisons: totals.comparisons + 1,
    disagreement: totals.disagreement + disagreement,
  };
}

/** A call without any attempt was no request of a model, and is not counted. */
function counted(totals: RedundancyTotals, call: CallReplicas): RedundancyTotals {
  if (call.replicas.length === 0) return totals;
  const calls = totals.calls + 1;
  if (!isRedundant(call)) return { ...totals, calls };
  const isGivenUp = call.outcome === 'cancelled';
  return {
    ...totals,
    calls,
    redundantCalls: totals.redundantCalls + 1,
    durations: withDurations(totals.durations, call),
    delayDiffs: isGivenUp ? totals.delayDiffs : withDelayDiff(totals.delayDiffs, call),
    // What would have become of a call that its caller gave up is not known.
    executions: totals.executions + (isGivenUp ? 0 : call.replicas.length),
    serialExecutions: totals.serialExecutions + (isGivenUp ? 0 : serialExecutions(call)),
    returned: addReturn(totals.returned, call, { baseline: 'chain' }),
  };
}

function withDurations(
  durations: RedundancyTotals['durations'],
  { replicas }: CallReplicas,
): RedundancyTotals['durations'] {
  let next = durations;
  for (const { status, elapsedMs } of replicas)
    if (status !== 'running' && elapsedMs !== null)
      next = { ...next, [status]: observed(next[status], elapsedMs / 1000) };
  return next;
}

/** Slowest minus fastest of the replicas that did not fail; none without a success to compare with. */
function withDelayDiff(
  diffs: RedundancyTotals['delayDiffs'],
  { replicas }: CallReplicas,
): RedundancyTotals['delayDiffs'] {
  const timesOf = (ending: ReplicaEnding): readonly number[] =>
    replicas.flatMap(({ status, elapsedMs }) => (status === ending && elapsedMs !== null ? [elapsedMs / 1000] : []));
  const succeeded = timesOf('succeeded');
  const cancelled = timesOf('cancelled');
  if (succeeded.length === 0 || succeeded.length + cancelled.length < 2) return diffs;
  const diffS = Math.max(...succeeded, ...cancelled) - Math.min(...succeeded);
  const bound: DelayBound = cancelled.length === 0 ? 'measured' : 'at-least';
  return { ...diffs, [bound]: observed(diffs[bound], diffS) };
}

/** Retry one after another stops at the first that does not fail; one that was cut off is taken to have been about to succeed. */
function serialExecutions({ replicas }: CallReplicas): number {
  const first = replicas.findIndex(({ status }) => status !== 'failed');
  return first < 0 ? replicas.length : first + 1;
}

function observed({ counts, sumS }: Histogram, seconds: number): Histogram {
  const place = redundancyConstants.bucketsS.findIndex((bound) => seconds <= bound);
  const bucket = place < 0 ? counts.length - 1 : place;
  return { counts: counts.map((count, index) => (index === bucket ? count + 1 : count)), sumS: sumS + seconds };
}

/** Shares that follow from the sums; null where nothing says them yet. */
export interface RedundancyFigures {
  /** Redundant calls over all calls, 0-1. */
  readonly redundancyRatio: number | null;
  /** Mean disagreement of the answers that were compared, 0-1. */
  readonly disagreement: number | null;
  /** 1 − executions over those of serial retry; below 0 where copies cost more, which is the rule. Worked: 2 of 1.2 -> −.67. */
  readonly resourceSaving: number | null;
}

export function redundancyFigures(totals: RedundancyTotals): RedundancyFigures {
  const { calls, redundantCalls, comparisons, disagreement, executions, serialExecutions: serial } = totals;
  return {
    redundancyRatio: calls > 0 ? redundantCalls / calls : null,
    disagreement: comparisons > 0 ? disagreement / comparisons : null,
    resourceSaving: serial > 0 ? 1 - executions / serial : null,
  };
}

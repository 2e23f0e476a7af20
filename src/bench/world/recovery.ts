// How fast a policy leaves a failed group of candidates and comes back (scheduler study 5.1), from the record of a run with one
// scheduled outage. Counted in steps; Infinity is never.
import type { RunRecord } from './record.ts';
import type { Scenario } from './scenarios.ts';

const WINDOW_STEPS = 20;
/** In a window of shift so many primaries may still go to the failed candidates. */
const MOST_STRAYS = 2;
/** In a window of heal the candidates have at least this part of their former share of the answers. */
const HEALED_PART = 0.5;
/** Shares before and at the end are those of so many steps: of a policy that learns they change with its history. */
const SHARE_STEPS = 100;

/** What one run shows of an outage. */
export interface OutageFigures {
  /** Steps of the outage before the first 20 in a row with at most 2 primaries on failed candidates. */
  readonly shiftSteps: number;
  /** Steps after the outage before the first 20 in a row with half of the former share; null: there was no former share. */
  readonly healSteps: number | null;
  /** Share of all-failed steps among those that began in the outage, percent. */
  readonly allFailedPct: number;
  /** Mean latency of its first 20 steps, seconds. */
  readonly firstLatencyS: number;
  /** Share of primaries on the failed candidates just before, during and at the end, percent. */
  readonly primaryPct: readonly [number, number, number];
}

/** Null where the scenario has no such outage, or no step began in it. */
export function outageFigures(record: RunRecord, { outage }: Scenario): OutageFigures | null {
  if (!outage) return null;
  const from = firstStepAt(record, outage.startS);
  const until = firstStepAt(record, outage.endS);
  if (until === from) return null;
  const isTarget = (candidate: number | undefined): boolean =>
    candidate !== undefined && candidate >= 0 && (outage.targets & (1 << candidate)) !== 0;
  const primaries = (index: number): boolean => isTarget(record.primary[index]);
  const winners = (index: number): boolean => isTarget(record.winner[index]);
  const former = share(0, from, winners);
  const firstSteps = Math.min(WINDOW_STEPS, until - from);
  return {
    shiftSteps: firstWindow(from, until, primaries, (count) => count <= MOST_STRAYS),
    healSteps:
      former > 0
        ? firstWindow(until, record.steps, winners, (count) => count >= HEALED_PART * former * WINDOW_STEPS)
        : null,
    allFailedPct: 100 * share(from, until, (index) => (record.winner[index] ?? -1) < 0),
    firstLatencyS: sum(from, from + firstSteps, (index) => record.latencyS[index] ?? 0) / firstSteps,
    primaryPct: [
      100 * share(Math.max(0, from - SHARE_STEPS), from, primaries),
      100 * share(from, until, primaries),
      100 * share(Math.max(until, record.steps - SHARE_STEPS), record.steps, primaries),
    ],
  };
}

/** Steps before the first window that is good; Infinity where none is. */
function firstWindow(
  from: number,
  until: number,
  isOne: (index: number) => boolean,
  isGood: (count: number) => boolean,
): number {
  for (let start = from; start + WINDOW_STEPS <= until; start++)
    if (isGood(sum(start, start + WINDOW_STEPS, (index) => (isOne(index) ? 1 : 0)))) return start - from;
  return Infinity;
}

function firstStepAt(record: RunRecord, atS: number): number {
  let index = 0;
  while (index < record.steps && (record.startedAtS[index] ?? 0) < atS) index++;
  return index;
}

function share(from: number, until: number, isOne: (index: number) => boolean): number {
  return until > from ? sum(from, until, (index) => (isOne(index) ? 1 : 0)) / (until - from) : 0;
}

function sum(from: number, until: number, valueOf: (index: number) => number): number {
  let total = 0;
  for (let index = from; index < until; index++) total += valueOf(index);
  return total;
}

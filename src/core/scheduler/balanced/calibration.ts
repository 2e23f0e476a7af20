// Does the scheduler keep its word? Promised against observed success, of single attempts by bin of the promise and of start sets by
// bin of the promised failure, with what independence would have promised beside it. Source: issue, Calibration; study 2.1, G11.
import type { SchedulerConstants } from './constants.ts';
import { bounded } from './numbers.ts';
import type { Calibration, CalibrationBin, SchedulerState } from './types.ts';

/** Upper edges of promised success; the last bin ends at 1. */
export const attemptEdges: readonly number[] = [0.5, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.99, 1];
/** Upper edges of the promised failure of a start set; the last bin ends at 1. */
export const startEdges: readonly number[] = [0.001, 0.003, 0.01, 0.03, 0.05, 0.1, 0.2, 0.5, 1];

const emptyBin: CalibrationBin = { n: 0, promised: 0, independent: 0, observed: 0 };

/** Nothing promised yet. */
export const emptyCalibration: Calibration = {
  attempts: attemptEdges.map(() => emptyBin),
  starts: startEdges.map(() => emptyBin),
};

/** What was promised, what independence would have promised, and whether it came true. */
export interface Pledge {
  readonly success: number;
  readonly independentSuccess: number;
  readonly isKept: boolean;
}

/** Adds a single attempt that ended by itself; cancelled and neutral ones say nothing. */
export function countAttempt(calibration: Calibration, pledge: Pledge, constants: SchedulerConstants): Calibration {
  return { ...calibration, attempts: counted(calibration.attempts, attemptEdges, pledge.success, pledge, constants) };
}

/**
 * Adds a start set: kept when one of it succeeded, broken when all of it failed. Where a hedge from outside ended it before
 * either is known, it must not be added.
 */
export function learnStart(state: SchedulerState, pledge: Pledge, constants: SchedulerConstants): SchedulerState {
  const { calibration } = state;
  const starts = counted(calibration.starts, startEdges, 1 - pledge.success, pledge, constants);
  return { ...state, calibration: { ...calibration, starts } };
}

function counted(
  bins: readonly CalibrationBin[],
  edges: readonly number[],
  place: number,
  pledge: Pledge,
  constants: SchedulerConstants,
): readonly CalibrationBin[] {
  if (place !== place || pledge.success !== pledge.success) return bins;
  const found = edges.findIndex((edge) => place <= edge);
  const chosen = found < 0 ? edges.length - 1 : found;
  const kept = 2 ** (-1 / constants.calibrationHalfLife);
  const success = bounded(pledge.success, 0, 1);
  return bins.map((bin, index) =>
    index === chosen
      ? {
          n: bin.n * kept + 1,
          promised: bin.promised * kept + success,
          independent: bin.independent * kept + bounded(pledge.independentSuccess, 0, 1, success),
          observed: bin.observed * kept + (pledge.isKept ? 1 : 0),
        }
      : bin,
  );
}

/** One row of the calibration table; shares 0-1, null where nothing was promised. */
export interface CalibrationRow {
  /** Bounds of the bin: promised success of an attempt, promised failure of a start set. */
  readonly from: number;
  readonly to: number;
  readonly n: number;
  readonly promised: number | null;
  readonly independent: number | null;
  readonly observed: number | null;
  /** Standard error of `observed`. */
  readonly standardError: number | null;
}

export interface CalibrationReport {
  readonly attempts: readonly CalibrationRow[];
  readonly starts: readonly CalibrationRow[];
  /** Mean of |promised − observed| over the bins, weighted by n; null where nothing was promised. */
  readonly attemptGap: number | null;
  readonly startGap: number | null;
  /** The same with what independence would have promised for the start sets. */
  readonly independentStartGap: number | null;
}

/** The calibration in figures for people. */
export function calibrationReport({ calibration }: Pick<SchedulerState, 'calibration'>): CalibrationReport {
  return {
    attempts: rowsOf(calibration.attempts, attemptEdges),
    starts: rowsOf(calibration.starts, startEdges),
    attemptGap: gapOf(calibration.attempts, 'promised'),
    startGap: gapOf(calibration.starts, 'promised'),
    independentStartGap: gapOf(calibration.starts, 'independent'),
  };
}

function rowsOf(bins: readonly CalibrationBin[], edges: readonly number[]): readonly CalibrationRow[] {
  return bins.map(({ n, promised, independent, observed }, index) => {
    const share = (sum: number): number | null => (n > 0 ? sum / n : null);
    const kept = share(observed);
    return {
      from: edges[index - 1] ?? 0,
      to: edges[index] ?? 1,
      n,
      promised: share(promised),
      independent: share(independent),
      observed: kept,
      standardError: kept === null ? null : Math.sqrt(Math.max(0, kept * (1 - kept)) / n),
    };
  });
}

function gapOf(bins: readonly CalibrationBin[], of: 'promised' | 'independent'): number | null {
  const total = bins.reduce((sum, { n }) => sum + n, 0);
  if (total === 0) return null;
  return bins.reduce((sum, bin) => sum + Math.abs(bin[of] - bin.observed), 0) / total;
}

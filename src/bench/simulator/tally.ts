// Sums over the tasks of one seed, and the figures of the document's Tables 12 and 13 that follow from them (document 3.4).
import { kthSmallest } from './quantile.ts';

/** Sums of one seed. Times in seconds, costs in primary model calls. */
export interface Tally {
  readonly taskCount: number;
  succeeded: number;
  cleanlySucceeded: number;
  escalated: number;
  cleanlyEscalated: number;
  /** All steps done, at least one of them wrong and not noticed. */
  silent: number;
  degraded: number;
  duplicates: number;
  cost: number;
  attempts: number;
  /** Times of escalated tasks: the first `escalated` places. */
  readonly escalatedSeconds: Float64Array;
  /** Times of all others: the first `taskCount - escalated` places. */
  readonly otherSeconds: Float64Array;
}

/** Figures in the units of the tables: percent, cost units, seconds, duplicates per 1,000 tasks. */
export interface Figures {
  readonly sr: number;
  readonly csr: number;
  readonly scr: number;
  readonly cps: number;
  readonly dup1000: number;
  readonly esc: number;
  readonly deg: number;
  readonly cost: number;
  readonly p95: number;
  readonly p95NonEscalated: number;
  readonly attempts: number;
}

/** The figures by their names, in the order of the tables. */
export const FIGURES = [
  'sr',
  'csr',
  'scr',
  'cps',
  'dup1000',
  'esc',
  'deg',
  'cost',
  'p95',
  'p95NonEscalated',
  'attempts',
] as const satisfies readonly (keyof Figures)[];

export function createTally(taskCount: number): Tally {
  return {
    taskCount,
    succeeded: 0,
    cleanlySucceeded: 0,
    escalated: 0,
    cleanlyEscalated: 0,
    silent: 0,
    degraded: 0,
    duplicates: 0,
    cost: 0,
    attempts: 0,
    escalatedSeconds: new Float64Array(taskCount),
    otherSeconds: new Float64Array(taskCount),
  };
}

/** The figures of one seed. `cps` is Infinity where no task succeeded. Reorders the tally's times. */
export function figuresOf(tally: Tally): Figures {
  const { taskCount } = tally;
  const percent = (count: number): number => (100 * count) / taskCount;
  const others = tally.otherSeconds.subarray(0, taskCount - tally.escalated);
  const all = new Float64Array(taskCount);
  all.set(others);
  all.set(tally.escalatedSeconds.subarray(0, tally.escalated), others.length);
  return {
    sr: percent(tally.succeeded),
    csr: percent(tally.cleanlySucceeded),
    scr: percent(tally.cleanlySucceeded + tally.cleanlyEscalated),
    cps: tally.cost / tally.succeeded,
    dup1000: (1000 * tally.duplicates) / taskCount,
    esc: percent(tally.escalated),
    deg: percent(tally.degraded),
    cost: tally.cost / taskCount,
    p95: percentile95(all),
    p95NonEscalated: percentile95(others),
    attempts: tally.attempts / taskCount,
  };
}

/** Mean over seeds and standard deviation between them (n - 1; 0 for one seed), figure by figure. */
export function overSeeds(seeds: readonly Figures[]): { readonly mean: Figures; readonly sd: Figures } {
  const meanOf = (figure: keyof Figures): number => seeds.reduce((sum, each) => sum + each[figure], 0) / seeds.length;
  const sdOf = (figure: keyof Figures): number => {
    if (seeds.length < 2) return 0;
    const mean = meanOf(figure);
    return Math.sqrt(seeds.reduce((sum, each) => sum + (each[figure] - mean) ** 2, 0) / (seeds.length - 1));
  };
  return { mean: mapFigures(meanOf), sd: mapFigures(sdOf) };
}

/** Figures computed one by one. */
export function mapFigures(valueOf: (figure: keyof Figures) => number): Figures {
  return {
    sr: valueOf('sr'),
    csr: valueOf('csr'),
    scr: valueOf('scr'),
    cps: valueOf('cps'),
    dup1000: valueOf('dup1000'),
    esc: valueOf('esc'),
    deg: valueOf('deg'),
    cost: valueOf('cost'),
    p95: valueOf('p95'),
    p95NonEscalated: valueOf('p95NonEscalated'),
    attempts: valueOf('attempts'),
  };
}

/** Nearest rank: the smallest value that at least 95 % do not exceed; 0 where there is none. */
function percentile95(values: Float64Array): number {
  return values.length === 0 ? 0 : kthSmallest(values, Math.ceil(0.95 * values.length) - 1);
}

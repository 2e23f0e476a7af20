// The figures of a contention run: goodput around the incident, recovery, wasted work, fairness; and what one policy's figures are
// beside another's over the same seeds (paired, since a seed has the same tasks for all). Arithmetic only.
import type { ContentionRun, TaskEnd } from './contentionRun.ts';
import type { ContentionWorld } from './contentionWorld.ts';
import { kthSmallest } from './quantile.ts';

/** How a figure is shown and judged. `least`: a smaller difference is of no consequence. */
interface FigureSpec {
  readonly head: string;
  readonly words: string;
  readonly unit: string;
  readonly digits: number;
  readonly better: 'higher' | 'lower';
  readonly least: number;
}

/** All figures by name, in the order of the report. Shares in percent. */
export const CONTENTION_FIGURES = {
  goodputBefore: figure('goodput before (tasks/s)', 'goodput before the incident', ' tasks/s', 2, 'higher', 0.1),
  goodputDuring: figure('during', 'goodput during the incident', ' tasks/s', 2, 'higher', 0.1),
  goodputAfter: figure('after', 'goodput after it', ' tasks/s', 2, 'higher', 0.1),
  recoverySeconds: figure('recovery (s)', 'the time to recover', ' s', 0, 'lower', 10),
  recovered: figure('recovered (% of seeds)', 'the share of seeds that recover', ' %', 0, 'higher', 10),
  sentPerCall: figure('sent/call', 'the load (requests sent for a call)', '', 2, 'lower', 0.05),
  wasted: figure('wasted work (%)', 'wasted work', ' %', 1, 'lower', 0.5),
  retriesPerSuccess: figure('retries/success', 'retries for a success', '', 2, 'lower', 0.02),
  p95Seconds: figure('p95 (s)', 'the p95 of successes', ' s', 1, 'lower', 1),
  high: figure('high (%)', 'success of high criticality in the incident', ' %', 1, 'higher', 1),
  low: figure('low (%)', 'success of low criticality', ' %', 1, 'higher', 1),
  others: figure('others (%)', 'success of the other tenants', ' %', 1, 'higher', 1),
  greedy: figure('greedy (%)', 'success of the greedy tenant', ' %', 1, 'higher', 1),
  dup1000: figure('DUP/1000', 'duplicates in 1,000 tasks', '', 2, 'lower', 0.01),
} as const satisfies Readonly<Record<string, FigureSpec>>;

export type ContentionFigure = keyof typeof CONTENTION_FIGURES;

export type ContentionFigures = Readonly<Record<ContentionFigure, number>>;

const NAMES = Object.keys(CONTENTION_FIGURES).filter((name): name is ContentionFigure => name in CONTENTION_FIGURES);
/** Success is looked at in stretches of so long; recovered is who keeps it up for three of them. */
const STRETCH_MS = 10_000;
const KEPT_UP = 3;
const RECOVERED_SHARE = 0.95;

/**
 * The figures of one run. A task belongs to the time at which it arrived. Goodput: tasks each second that succeeded.
 * `recoverySeconds`: from the end of the incident; where it never comes, the time until the last arrival. High, low, others,
 * greedy: of the tasks that arrived during the incident. `wasted`: share of the upstreams' work whose answer nobody got.
 */
export function contentionFigures(run: ContentionRun, world: ContentionWorld): ContentionFigures {
  const { incident, warmMs, endMs } = world;
  const arrived = (fromMs: number, toMs: number): readonly TaskEnd[] =>
    run.tasks.filter(({ startedMs }) => startedMs >= fromMs && startedMs < toMs);
  const goodput = (fromMs: number, toMs: number): number =>
    (1000 * succeeded(arrived(fromMs, toMs)).length) / (toMs - fromMs);
  const shareFrom = (fromMs: number, toMs: number): number => share(arrived(fromMs, toMs));
  const during = arrived(incident.fromMs, incident.toMs);
  const won = succeeded(run.tasks);
  const sum = (of: 'sent' | 'workMs' | 'wastedMs'): number =>
    run.upstreams.reduce((total, upstream) => total + upstream[of], 0);
  const recoveryMs = timeToRecover(world, shareFrom, RECOVERED_SHARE * shareFrom(warmMs, incident.fromMs));
  return {
    goodputBefore: goodput(warmMs, incident.fromMs),
    goodputDuring: goodput(incident.fromMs, incident.toMs),
    goodputAfter: goodput(incident.toMs, endMs),
    recoverySeconds: (recoveryMs ?? endMs - incident.toMs) / 1000,
    recovered: recoveryMs === null ? 0 : 100,
    sentPerCall: sum('sent') / run.calls.started,
    wasted: (100 * sum('wastedMs')) / sum('workMs'),
    retriesPerSuccess: run.tasks.reduce((total, { retries }) => total + retries, 0) / Math.max(1, won.length),
    p95Seconds: p95Seconds(won.filter(({ startedMs }) => startedMs >= warmMs)),
    high: 100 * share(during.filter(({ criticality }) => criticality === 'high')),
    low: 100 * share(during.filter(({ criticality }) => criticality === 'low')),
    others: 100 * share(during.filter(({ isGreedy }) => !isGreedy)),
    greedy: 100 * share(during.filter(({ isGreedy }) => isGreedy)),
    dup1000: (1000 * run.tasks.reduce((total, { duplicates }) => total + duplicates, 0)) / run.tasks.length,
  };
}

function timeToRecover(
  { incident, endMs }: ContentionWorld,
  shareFrom: (fromMs: number, toMs: number) => number,
  bar: number,
): number | null {
  let kept = 0;
  for (let fromMs = incident.toMs; fromMs + STRETCH_MS <= endMs; fromMs += STRETCH_MS) {
    kept = shareFrom(fromMs, fromMs + STRETCH_MS) >= bar ? kept + 1 : 0;
    if (kept === KEPT_UP) return fromMs - (KEPT_UP - 1) * STRETCH_MS - incident.toMs;
  }
  return null;
}

function succeeded(tasks: readonly TaskEnd[]): readonly TaskEnd[] {
  return tasks.filter(({ isSucceeded }) => isSucceeded);
}

/** 0-1; of nothing 1. */
function share(tasks: readonly TaskEnd[]): number {
  return tasks.length === 0 ? 1 : succeeded(tasks).length / tasks.length;
}

/** Nearest rank; 0 of nothing. */
function p95Seconds(tasks: readonly TaskEnd[]): number {
  const times = Float64Array.from(tasks, ({ elapsedMs }) => elapsedMs / 1000);
  return times.length === 0 ? 0 : kthSmallest(times, Math.ceil(0.95 * times.length) - 1);
}

/** Mean over seeds and standard deviation between them (n - 1; 0 for one seed). */
export function contentionOverSeeds(seeds: readonly ContentionFigures[]): {
  readonly mean: ContentionFigures;
  readonly sd: ContentionFigures;
} {
  return {
    mean: mapFigures((name) => spreadOf(seeds.map((each) => each[name])).mean),
    sd: mapFigures((name) => spreadOf(seeds.map((each) => each[name])).sd),
  };
}

/** One figure of two policies. */
export interface Difference {
  readonly figure: ContentionFigure;
  readonly from: number;
  readonly to: number;
  readonly isWorse: boolean;
}

/**
 * The figures in which `other` differs from `base` by more than three standard errors of the paired difference, and by enough to
 * matter. Both in the order of the seeds; one seed has no error, so that its differences count as they are.
 */
export function differences(
  base: readonly ContentionFigures[],
  other: readonly ContentionFigures[],
): readonly Difference[] {
  return NAMES.flatMap((name): readonly Difference[] => {
    const { least, better } = CONTENTION_FIGURES[name];
    const { mean, sd } = spreadOf(base.map((each, seed) => (other[seed]?.[name] ?? Number.NaN) - each[name]));
    if (!(Math.abs(mean) >= least) || Math.abs(mean) <= (3 * sd) / Math.sqrt(base.length)) return [];
    const from = spreadOf(base.map((each) => each[name])).mean;
    return [{ figure: name, from, to: from + mean, isWorse: better === 'higher' ? mean < 0 : mean > 0 }];
  });
}

function spreadOf(values: readonly number[]): { readonly mean: number; readonly sd: number } {
  const mean = values.reduce((sum, each) => sum + each, 0) / values.length;
  const squares = values.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  return { mean, sd: values.length < 2 ? 0 : Math.sqrt(squares / (values.length - 1)) };
}

/** Figures computed one by one. */
function mapFigures(valueOf: (name: ContentionFigure) => number): ContentionFigures {
  return {
    goodputBefore: valueOf('goodputBefore'),
    goodputDuring: valueOf('goodputDuring'),
    goodputAfter: valueOf('goodputAfter'),
    recoverySeconds: valueOf('recoverySeconds'),
    recovered: valueOf('recovered'),
    sentPerCall: valueOf('sentPerCall'),
    wasted: valueOf('wasted'),
    retriesPerSuccess: valueOf('retriesPerSuccess'),
    p95Seconds: valueOf('p95Seconds'),
    high: valueOf('high'),
    low: valueOf('low'),
    others: valueOf('others'),
    greedy: valueOf('greedy'),
    dup1000: valueOf('dup1000'),
  };
}

function figure(
  head: string,
  words: string,
  unit: string,
  digits: number,
  better: FigureSpec['better'],
  least: number,
): FigureSpec {
  return { head, words, unit, digits, better, least };
}

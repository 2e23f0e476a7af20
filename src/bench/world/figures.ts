// From the records of several seeds to one row of the tables (CONTRACTS, world): sums and quantiles over all steps together, as the
// study prints them, each with the standard error of its mean over seeds.
import { COLD_STEPS, FULL_CALL_TOKENS, MISS_AFTER_S, UTILITY } from './constants.ts';
import { medianOf, quantileOf } from './quantiles.ts';
import { outageFigures, type OutageFigures } from './recovery.ts';
import type { RunRecord } from './record.ts';
import type { Scenario, ScenarioName } from './scenarios.ts';

/** The figures of a row. Null: not defined in this scenario, or never. Times are seconds, Pct percent of steps (or workflows). */
export interface Figures {
  readonly allFailedPct: number;
  /** Workflows without any failed step. */
  readonly workflowSuccessPct: number;
  readonly miss30Pct: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly mean: number;
  /** Tokens per step in full calls. */
  readonly fullCalls: number;
  /** Tokens as a multiple of best-one's in the same runs. */
  readonly timesBestOne: number | null;
  /** Mean quality; a failed step has 0. */
  readonly quality: number;
  readonly j: number;
  /** 99 % of the steps hold a usable answer shorter than this. */
  readonly holdP99: number;
  /** Tokens of the first 60 steps as a multiple of best-one's. */
  readonly coldStartTimesBestOne: number | null;
  /** Expected over observed failures of the start set. */
  readonly calibration: number | null;
  /** Median over seeds. */
  readonly shiftSteps: number | null;
  readonly healSteps: number | null;
}

/** What a row says besides the contracted figures. */
export interface RowDetails {
  readonly calls: number;
  /** Cost (an output token counts four times) as a multiple of best-one's. */
  readonly costTimesBestOne: number | null;
  readonly predictedFailPct: number | null;
  readonly startSetFailedPct: number;
  readonly steps: number;
  readonly seeds: number;
  /** 90th percentiles over seeds, and in how many seeds it never happened. */
  readonly shiftP90: number | null;
  readonly healP90: number | null;
  readonly neverShifted: number | null;
  readonly neverHealed: number | null;
  readonly outageAllFailedPct: number | null;
  readonly outageFirstLatencyS: number | null;
  readonly outagePrimaryPct: readonly [number, number, number] | null;
}

export interface WorldRow extends Figures {
  readonly policy: string;
  readonly scenario: ScenarioName;
  readonly se: Readonly<Record<keyof Figures, number | null>>;
  readonly details: RowDetails;
}

/** One run with its scenario, and best-one's run of the same. */
export interface ComparedRun {
  readonly record: RunRecord;
  readonly base: RunRecord | null;
  readonly scenario: Scenario;
}

const FIGURE_NAMES: readonly (keyof Figures)[] = [
  'allFailedPct',
  'workflowSuccessPct',
  'miss30Pct',
  'p50',
  'p95',
  'p99',
  'mean',
  'fullCalls',
  'timesBestOne',
  'quality',
  'j',
  'holdP99',
  'coldStartTimesBestOne',
  'calibration',
  'shiftSteps',
  'healSteps',
];

/** The row of a policy. `runs` are of one scenario, one a seed. */
export function worldRow(policy: string, runs: readonly ComparedRun[]): WorldRow {
  const [first] = runs;
  if (!first) throw new Error('world: no run to make a row of');
  const perSeed = runs.map((run) => figuresOf([run]));
  return {
    policy,
    scenario: first.scenario.name,
    ...figuresOf(runs),
    se: Object.fromEntries(
      FIGURE_NAMES.map((name) => [name, standardError(perSeed.map((each) => each[name]))]),
    ) as Readonly<Record<keyof Figures, number | null>>, // fromEntries loses the names it was given
    details: detailsOf(runs),
  };
}

function figuresOf(runs: readonly ComparedRun[]): Figures {
  const records = runs.map(({ record }) => record);
  const steps = total(records, (record) => record.steps);
  const latencies = pooled(records, (record) => record.latencyS);
  const seconds = latencies.reduce((sum, each) => sum + each, 0);
  const tokens = total(records, tokensOf);
  const quality = total(records, (record) => record.quality) / steps;
  const priced = total(records, (record) => record.pricedTokens) / steps;
  const mean = seconds / steps;
  const failed = total(records, (record) => count(record, (index) => isFailed(record, index)));
  const missed = total(records, (record) => count(record, (index) => isMissed(record, index)));
  const workflows = total(records, (record) => record.workflows);
  const outages = runs.flatMap(({ record, scenario }) => outageFigures(record, scenario) ?? []);
  const expected = expectation(records);
  return {
    allFailedPct: (100 * failed) / steps,
    workflowSuccessPct: 100 * (1 - total(records, (record) => record.failedWorkflows) / workflows),
    miss30Pct: (100 * missed) / steps,
    p50: quantileOf(latencies, 0.5),
    p95: quantileOf(latencies, 0.95),
    p99: quantileOf(latencies, 0.99),
    mean,
    fullCalls: tokens / steps / FULL_CALL_TOKENS,
    timesBestOne: timesBase(runs, tokensOf),
    quality,
    j: quality - UTILITY.perS * mean - (UTILITY.perTokens * priced) / UTILITY.tokensUnit,
    holdP99: quantileOf(
      pooled(records, (record) => record.holdS),
      0.99,
    ),
    coldStartTimesBestOne: timesBase(runs, coldTokensOf),
    calibration: expected && expected.failed > 0 ? expected.predicted / expected.failed : null,
    shiftSteps: finite(medianOf(outages.map(({ shiftSteps }) => shiftSteps))),
    healSteps: finite(medianOf(outages.flatMap(({ healSteps }) => healSteps ?? []))),
  };
}

function detailsOf(runs: readonly ComparedRun[]): RowDetails {
  const records = runs.map(({ record }) => record);
  const steps = total(records, (record) => record.steps);
  const outages = runs.flatMap(({ record, scenario }) => outageFigures(record, scenario) ?? []);
  const shifts = outages.map(({ shiftSteps }) => shiftSteps);
  const heals = outages.flatMap(({ healSteps }) => healSteps ?? []);
  const expected = expectation(records);
  const meanOutage = (valueOf: (figures: OutageFigures) => number): number | null =>
    outages.length === 0 ? null : outages.reduce((sum, each) => sum + valueOf(each), 0) / outages.length;
  const primary = (when: 0 | 1 | 2): number => meanOutage(({ primaryPct }) => primaryPct[when]) ?? 0;
  return {
    calls: total(records, (record) => record.attempts) / steps,
    costTimesBestOne: timesBase(runs, (record) => record.cost),
    predictedFailPct: expected ? (100 * expected.predicted) / expected.steps : null,
    startSetFailedPct: (100 * total(records, (record) => count(record, (i) => record.startSetFailed[i] === 1))) / steps,
    steps,
    seeds: runs.length,
    shiftP90: percentile90(shifts),
    healP90: percentile90(heals),
    neverShifted: outages.length === 0 ? null : shifts.filter((each) => each === Infinity).length,
    neverHealed: outages.length === 0 ? null : heals.filter((each) => each === Infinity).length,
    outageAllFailedPct: meanOutage(({ allFailedPct }) => allFailedPct),
    outageFirstLatencyS: meanOutage(({ firstLatencyS }) => firstLatencyS),
    outagePrimaryPct: outages.length === 0 ? null : [primary(0), primary(1), primary(2)],
  };
}

/** Expected and observed failures of the start sets, over the steps for which something was expected. */
function expectation(records: readonly RunRecord[]): { predicted: number; failed: number; steps: number } | null {
  const sums = { predicted: 0, failed: 0, steps: 0 };
  for (const record of records)
    for (let index = 0; index < record.steps; index++) {
      const predicted = record.predicted[index] ?? Number.NaN;
      if (Number.isNaN(predicted)) continue;
      sums.predicted += predicted;
      sums.failed += record.startSetFailed[index] ?? 0;
      sums.steps++;
    }
  return sums.steps === 0 ? null : sums;
}

function timesBase(runs: readonly ComparedRun[], valueOf: (record: RunRecord) => number): number | null {
  let own = 0;
  let base = 0;
  for (const run of runs) {
    if (!run.base) return null;
    own += valueOf(run.record);
    base += valueOf(run.base);
  }
  return base > 0 ? own / base : null;
}

function tokensOf(record: RunRecord): number {
  return record.sideTokens + sumTo(record.tokens, record.steps);
}

function coldTokensOf(record: RunRecord): number {
  return sumTo(record.tokens, Math.min(COLD_STEPS, record.steps));
}

function sumTo(column: Float64Array, length: number): number {
  let sum = 0;
  for (let index = 0; index < length; index++) sum += column[index] ?? 0;
  return sum;
}

function isFailed(record: RunRecord, index: number): boolean {
  return (record.winner[index] ?? -1) < 0;
}

function isMissed(record: RunRecord, index: number): boolean {
  return isFailed(record, index) || (record.latencyS[index] ?? 0) > MISS_AFTER_S;
}

function count(record: RunRecord, isOne: (index: number) => boolean): number {
  let found = 0;
  for (let index = 0; index < record.steps; index++) if (isOne(index)) found++;
  return found;
}

function total(records: readonly RunRecord[], valueOf: (record: RunRecord) => number): number {
  return records.reduce((sum, record) => sum + valueOf(record), 0);
}

/** One column of all records together, ascending. */
function pooled(records: readonly RunRecord[], columnOf: (record: RunRecord) => Float64Array): Float64Array {
  const all = new Float64Array(total(records, (record) => record.steps));
  let at = 0;
  for (const record of records) {
    all.set(columnOf(record).subarray(0, record.steps), at);
    at += record.steps;
  }
  return all.sort();
}

/** Standard deviation over seeds / sqrt(seeds); null below two seeds that have the figure. */
function standardError(values: readonly (number | null)[]): number | null {
  const known = values.filter((value): value is number => value !== null && Number.isFinite(value));
  if (known.length < 2) return null;
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const variance = known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (known.length - 1);
  return Math.sqrt(variance / known.length);
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function percentile90(values: readonly number[]): number | null {
  const sorted = Float64Array.from(values).sort();
  return finite(sorted[Math.ceil(0.9 * sorted.length) - 1] ?? Number.NaN);
}

// The experiment: so many requests of each version with the same luck, as rows with intervals. n = 50 is the source's own size; the
// large run is also cut into batches of 50, to see what figures of 50 requests can be. Source: seed 004, 3.3.
import { quantileOf } from '../world/quantiles.ts';
import { drawLuck, LONG_S, serve, VERSIONS, type Served, type ServiceLuck, type Version } from './service.ts';
import { meanInterval, quantileInterval, wilson, type Interval } from './statistics.ts';

/** The source's number of requests, and one that leaves little to luck. */
export const SIZES = [50, 50_000] as const;

/** Figures of a row. Shares 0-1, times in seconds; NaN where nothing succeeded. Of successes where not said otherwise. */
export interface VersionFigures {
  readonly success: number;
  readonly meanS: number;
  readonly p99S: number;
  /** Over all requests, failures at their own time (0 s). */
  readonly p99AllS: number;
  readonly long: number;
  readonly longOfAll: number;
  /** Copies started, and seconds at work, per request. */
  readonly executions: number;
  readonly busyS: number;
}

/** 1 − own over serial retry's. */
export interface Saved {
  readonly executions: number;
  readonly busyS: number;
}

/** "Resource saving against serial retry" (4.3). Worked: 2 copies against 1.2: −.667. */
export function savedAgainst(
  serial: Pick<VersionFigures, 'executions' | 'busyS'>,
  own: Pick<VersionFigures, 'executions' | 'busyS'>,
): Saved {
  return { executions: 1 - own.executions / serial.executions, busyS: 1 - own.busyS / serial.busyS };
}

export interface RedundancyRow extends VersionFigures {
  readonly version: Version;
  readonly seed: number;
  readonly n: number;
  /** Share of the copies, and of the seconds at work, that serial retry would have needed; below 0: more than it. */
  readonly saved: Saved;
  readonly interval: Readonly<Record<keyof VersionFigures, Interval>>;
}

/** The luck of the large run, with which all versions and sizes of a seed are run. */
export function luckOf(seed: number): ServiceLuck {
  return drawLuck(seed, Math.max(...SIZES));
}

/** Rows of one seed: each version with each size. Both sizes begin with the same requests. */
export function redundancyRows(luck: ServiceLuck): readonly RedundancyRow[] {
  return SIZES.flatMap((n) => {
    const serial = figuresOf(servedOf('serial-retry', luck, 0, n));
    return VERSIONS.map((version) => rowOf(version, luck, n, serial));
  });
}

/** Figures of every batch of 50 requests within the large run of a seed, in order. */
export function batchFigures(version: Version, luck: ServiceLuck): readonly VersionFigures[] {
  const [size] = SIZES;
  return Array.from({ length: Math.floor(luck.requests.length / size) }, (_, batch) =>
    figuresOf(servedOf(version, luck, batch * size, size)),
  );
}

function servedOf(version: Version, { requests }: ServiceLuck, from: number, count: number): readonly Served[] {
  return requests.slice(from, from + count).map(([first, second]) => serve(version, first, second));
}

interface Times {
  readonly successS: Float64Array;
  readonly allS: Float64Array;
  readonly executions: Float64Array;
  readonly busyS: Float64Array;
  readonly long: number;
}

function timesOf(served: readonly Served[]): Times {
  const answered = served.filter(({ isAnswered }) => isAnswered);
  return {
    successS: Float64Array.from(answered, ({ latencyS }) => latencyS).sort(),
    allS: Float64Array.from(served, ({ latencyS }) => latencyS).sort(),
    executions: Float64Array.from(served, ({ executions }) => executions),
    busyS: Float64Array.from(served, ({ busyS }) => busyS),
    long: answered.filter(({ latencyS }) => latencyS > LONG_S).length,
  };
}

function figuresOf(served: readonly Served[], times = timesOf(served)): VersionFigures {
  const { successS, allS, executions, busyS, long } = times;
  return {
    success: successS.length / served.length,
    meanS: mean(successS),
    p99S: quantileOf(successS, 0.99),
    p99AllS: quantileOf(allS, 0.99),
    long: long / successS.length,
    longOfAll: long / served.length,
    executions: mean(executions),
    busyS: mean(busyS),
  };
}

function rowOf(version: Version, luck: ServiceLuck, n: number, serial: VersionFigures): RedundancyRow {
  const served = servedOf(version, luck, 0, n);
  const times = timesOf(served);
  const { successS, allS, executions, busyS, long } = times;
  const figures = figuresOf(served, times);
  return {
    version,
    seed: luck.seed,
    n,
    ...figures,
    saved: savedAgainst(serial, figures),
    interval: {
      success: wilson(successS.length, n),
      meanS: meanInterval(successS),
      p99S: quantileInterval(successS, 0.99),
      p99AllS: quantileInterval(allS, 0.99),
      long: wilson(long, successS.length),
      longOfAll: wilson(long, n),
      executions: meanInterval(executions),
      busyS: meanInterval(busyS),
    },
  };
}

const mean = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;

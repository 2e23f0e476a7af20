// How many copies of one request are started at the same time: the printed formula, and the degree that the request's own risk, loss
// and costs ask for. It must never ask for a second execution of a write, and it launches nothing.
// Source: the redundant-execution text (seed 004), 4.1 (where it fits), 4.2 (degree), 5.1 (paths), 7 (net gain), 8 (predicted risk).
import type { CandidateId } from '../../candidate.ts';
import type { Criticality } from '../../context.ts';
import type { EffectLevel } from '../../ledger/entry.ts';
import { bounded } from '../balanced/numbers.ts';
import { redundancyConstants, type RedundancyConstants } from './constants.ts';

/**
 * min(3, max(2, int(5·f))) exactly as printed (4.2); `failureRate` f is 0-1, anything else throws. It is 2 for every f below .6, also
 * for 0, and 3 from there on: a service that never fails is called twice, and at f = .59 35 % of the pairs still fail.
 * Worked: f = .2 -> int(1.0) -> 2; f = .6 -> 3.
 */
export function printedDegree(failureRate: number): number {
  if (!(failureRate >= 0 && failureRate <= 1)) throw new RangeError(`printedDegree: ${failureRate} is no share`);
  const { scale, least, most } = redundancyConstants.printedDegree;
  return Math.min(most, Math.max(least, Math.trunc(scale * failureRate)));
}

/** A figure of the first `count` copies together, count from 1: a function of the count, or the figures in order. */
export type ByCount = readonly number[] | ((count: number) => number);

/** One place at which a copy could run. */
export interface CopyCandidate {
  readonly id: CandidateId;
  /** What a copy here is expected to cost, whether it wins or is cancelled (then the prompt in full), USD; null: not known. */
  readonly costUsd: number | null;
  /** A model that computes on this machine: a copy takes its power from the first one. */
  readonly isComputeHeavyLocal: boolean;
}

/** What is known of one request before it starts. */
export interface DegreeRequest {
  /** Only R0 is a read. */
  readonly level: EffectLevel;
  readonly criticality: Criticality;
  /** Something waits for it; false: it may be late or fail without harm. */
  readonly isOnCriticalPath: boolean;
  /** In the order in which they would be started; the first one is the single execution. */
  readonly candidates: readonly CopyCandidate[];
  /** P(all of the first n fail), 0-1, with shared failure domains in it (`jointFailure` of the balanced scheduler). */
  readonly jointFailure: ByCount;
  /** Seconds that the caller waits with the first n, in the mean or at the quantile that counts; null: not predicted. */
  readonly waitS: ByCount | null;
  /** What a failed request costs, USD. */
  readonly lossUsd: number;
  /** What a second of waiting costs, USD. */
  readonly usdPerS: number;
}

/** What ended the choice: why there is not one copy more. */
export type DegreeRule =
  | 'write'
  | 'off-critical-path'
  | 'local-compute'
  | 'no-other-candidate'
  | 'criticality'
  | 'unpredicted'
  | 'unpriced'
  | 'does-not-pay';

/** Each rule in words for a person. */
export const degreeReasons: Readonly<Record<DegreeRule, string>> = {
  write: 'a write is executed once, whatever it is worth',
  'off-critical-path': 'nothing waits for it, so one execution is enough',
  'local-compute': 'a model on this machine would compute everything twice',
  'no-other-candidate': 'there is no other candidate to run a copy at',
  criticality: 'its criticality allows no more copies',
  unpredicted: 'nothing predicts what one more copy would mend',
  unpriced: 'the price of one more copy is not known',
  'does-not-pay': 'one more copy costs more than the failures and seconds it is expected to save',
};

/** One copy more, priced before it is made. All USD. */
export interface CopyWorth {
  /** Executions with it, from 2. */
  readonly count: number;
  /** loss · (P(all fail) before − after). */
  readonly failureGainUsd: number;
  /** Value of a second · seconds of waiting saved. */
  readonly timeGainUsd: number;
  readonly costUsd: number;
}

export interface DegreeChoice {
  /** Executions at the same time, from 1. */
  readonly degree: number;
  readonly bound: DegreeRule;
  readonly reason: string;
  /** Expected gain of the chosen copies after their costs, USD; 0 for one execution. */
  readonly netUsd: number;
  /** Every copy that was weighed, also those that were not chosen. */
  readonly weighed: readonly CopyWorth[];
}

/**
 * The smallest number of executions with the greatest expected net gain, Σ (failure gain + time gain − cost) over the copies beside
 * the first. Where gains diminish that is the last copy that pays for itself; a copy that shares its failures with the first
 * and does not pay is passed where the next one pays for both. More loss never lowers it, more cost never raises it. What is not
 * known ends it: without a copy a failure is still mended by the next candidate, only later.
 * Worked: P(fail) .2 and .04, loss $1, a copy $.05: gain .16 − .05 > 0 -> 2; at loss $.3: .048 − .05 < 0 -> 1.
 */
export function redundancyDegree(
  request: DegreeRequest,
  constants: RedundancyConstants = redundancyConstants,
): DegreeChoice {
  const limit = degreeLimit(request, constants);
  const { weighed, stop } = weigh(request, limit.count, constants);
  let degree = 1;
  let netUsd = 0;
  let sum = 0;
  for (const { count, failureGainUsd, timeGainUsd, costUsd } of weighed) {
    sum += failureGainUsd + timeGainUsd - costUsd;
    if (sum <= netUsd) continue;
    degree = count;
    netUsd = sum;
  }
  const isLast = degree === weighed.length + 1;
  const bound = isLast ? (stop ?? limit.rule) : 'does-not-pay';
  return { degree, bound, reason: degreeReasons[bound], netUsd, weighed };
}

/** What of a request says how many executions it may have at all. */
export type DegreeBorders = Pick<DegreeRequest, 'level' | 'criticality' | 'isOnCriticalPath'> & {
  readonly candidates: readonly Pick<CopyCandidate, 'isComputeHeavyLocal'>[];
};

/** A border of the degree, from 1, and why it is there. */
export interface DegreeLimit {
  readonly count: number;
  readonly rule: DegreeRule;
}

/** The tightest border, whatever a copy is worth; of equal ones the first, safety before worth. */
export function degreeLimit(
  request: DegreeBorders,
  { mostCopies }: Pick<RedundancyConstants, 'mostCopies'> = redundancyConstants,
): DegreeLimit {
  const { candidates } = request;
  const local = candidates.findIndex(({ isComputeHeavyLocal }) => isComputeHeavyLocal);
  const limits: readonly DegreeLimit[] = [
    { count: request.level === 'R0' ? Infinity : 1, rule: 'write' },
    { count: request.isOnCriticalPath ? Infinity : 1, rule: 'off-critical-path' },
    { count: local < 0 ? Infinity : Math.max(1, local), rule: 'local-compute' },
    { count: Math.max(1, candidates.length), rule: 'no-other-candidate' },
    { count: Math.max(1, mostCopies[request.criticality]), rule: 'criticality' },
  ];
  return limits.reduce((tightest, limit) => (limit.count < tightest.count ? limit : tightest));
}

/** The copies within the limit, until one of which something is not known. */
function weigh(
  request: DegreeRequest,
  most: number,
  { mostUsd }: RedundancyConstants,
): { readonly weighed: readonly CopyWorth[]; readonly stop: DegreeRule | null } {
  const lossUsd = bounded(request.lossUsd, 0, mostUsd);
  const usdPerS = bounded(request.usdPerS, 0, mostUsd);
  const weighed: CopyWorth[] = [];
  let failure = shareAt(request.jointFailure, 1);
  let waitS = secondsAt(request.waitS, 1);
  for (let count = 2; count <= most; count++) {
    const next = shareAt(request.jointFailure, count);
    if (failure === null || next === null) return { weighed, stop: 'unpredicted' };
    const cost = request.candidates[count - 1]?.costUsd ?? null;
    if (cost === null || !(cost >= 0)) return { weighed, stop: 'unpriced' };
    // One more copy mends or saves nothing at worst; figures that say otherwise are noise.
    const after = Math.min(failure, next);
    const nextS = secondsAt(request.waitS, count);
    const savedS = waitS !== null && nextS !== null ? Math.max(0, waitS - nextS) : 0;
    weighed.push({
      count,
      failureGainUsd: lossUsd * (failure - after),
      timeGainUsd: usdPerS * savedS,
      costUsd: Math.min(cost, mostUsd),
    });
    failure = after;
    if (nextS !== null) waitS = waitS === null ? nextS : Math.min(waitS, nextS);
  }
  return { weighed, stop: null };
}

const figureAt = (figures: ByCount, count: number): number | undefined =>
  typeof figures === 'function' ? figures(count) : figures[count - 1];

function shareAt(figures: ByCount, count: number): number | null {
  const share = figureAt(figures, count);
  return share !== undefined && share >= 0 && share <= 1 ? share : null;
}

function secondsAt(figures: ByCount | null, count: number): number | null {
  const seconds = figures === null ? undefined : figureAt(figures, count);
  return seconds !== undefined && seconds >= 0 && Number.isFinite(seconds) ? seconds : null;
}

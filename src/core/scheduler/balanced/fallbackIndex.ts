// The fallback-aware index I_i by which candidates are ranked: what its answer is worth, less the wait and the price, less what its
// failure costs when the next one takes over. Source: scheduler-study 6.2, index; affinity: issue, Cost-true; load: study 8.
import type { CandidateId } from '../../candidate.ts';
import { bounded } from './numbers.ts';
import { relativePrice, type CallFacts } from './pricing.ts';
import { detectionMs, expectedTotalMs, type PoolView } from './view.ts';

/** The terms of one index; `index` is their sum: quality − latency − money − failure + affinity. */
export interface IndexParts {
  readonly index: number;
  /** min(1, μ + .2·σ). */
  readonly quality: number;
  /** c_t·min(T, 60 s). */
  readonly latency: number;
  /** c_c·price. */
  readonly money: number;
  /** (1−a)/max(a, .002)·(c_t·det + c_f). */
  readonly failure: number;
  /** c_a·(cached share of the prompt). */
  readonly affinity: number;
}

/** One row of the ranking, with what its parts came from. */
export interface RankedRow extends IndexParts {
  readonly id: CandidateId;
  readonly position: number;
  readonly mu: number;
  readonly sigma: number;
  readonly availability: number;
  /** T: expected total, ms, at the present load. */
  readonly totalMs: number;
  /** det: how long a failure goes unseen, ms. */
  readonly detectionMs: number;
  /** price_i, reference = 1. */
  readonly price: number;
}

/** I_i of every candidate, by position. */
export function indexOf(view: PoolView, call: CallFacts): number[] {
  const { members, constants } = view.pool;
  const scores = new Array<number>(members.length).fill(0.5);
  const { ucb, ct, cc, cf, ca, latencyCapMs, availabilityFloor } = constants;
  for (let position = 0; position < scores.length; position++) {
    const a = view.availability[position] ?? 0;
    const quality = Math.min(1, (view.mu[position] ?? 0) + ucb * (view.sigma[position] ?? 0));
    const totalS = Math.min(loadedTotalMs(view, position, call), latencyCapMs) / 1000;
    const failure = ((1 - a) / Math.max(a, availabilityFloor)) * ((ct * detectionMs(view, position)) / 1000 + cf);
    const money = cc * relativePrice(view.pool, position, call) - ca * warmth(position, call);
    scores[position] = quality - ct * totalS - money - failure;
  }
  return scores;
}

/** The same for one candidate, with its parts. */
export function rowOf(view: PoolView, position: number, call: CallFacts): RankedRow {
  const { ucb, ct, cc, cf, ca, latencyCapMs, availabilityFloor } = view.pool.constants;
  const mu = view.mu[position] ?? 0;
  const sigma = view.sigma[position] ?? 0;
  const available = view.availability[position] ?? 0;
  const totalMs = loadedTotalMs(view, position, call);
  const unseenMs = detectionMs(view, position);
  const price = relativePrice(view.pool, position, call);
  const quality = Math.min(1, mu + ucb * sigma);
  const latency = (ct * Math.min(totalMs, latencyCapMs)) / 1000;
  const money = cc * price;
  const failure = ((1 - available) / Math.max(available, availabilityFloor)) * ((ct * unseenMs) / 1000 + cf);
  const affinity = ca * warmth(position, call);
  return {
    id: view.pool.members[position]?.facts.id ?? '',
    position,
    index: quality - latency - money - failure + affinity,
    quality,
    latency,
    money,
    failure,
    affinity,
    mu,
    sigma,
    availability: available,
    totalMs,
    detectionMs: unseenMs,
    price,
  };
}

/** More calls than any machine serves. */
const MOST_RUNNING = 1e6;

/** T at the present load: one more call than the capacity serves at full speed makes all of them slower in proportion. */
export function loadedTotalMs(view: PoolView, position: number, call: CallFacts): number {
  const idleMs = expectedTotalMs(view, position);
  const capacity = view.pool.members[position]?.facts.capacity ?? null;
  if (capacity === null || !(capacity > 0)) return idleMs;
  const running = bounded(call.inFlight(position), 0, MOST_RUNNING);
  return idleMs * Math.max(1, (running + 1) / Math.max(1, capacity));
}

/** Positions by falling score; equals keep the pool's order. Insertion, since pools are small and mostly in order already. */
export function orderOf(scores: readonly number[]): number[] {
  const order: number[] = [];
  for (let position = 0; position < scores.length; position++) {
    const score = scores[position] ?? 0;
    let place = position;
    while (place > 0 && (scores[order[place - 1] ?? 0] ?? 0) < score) {
      order[place] = order[place - 1] ?? 0;
      place--;
    }
    order[place] = position;
  }
  return order;
}

function warmth(position: number, call: CallFacts): number {
  const share = call.cachedShare(position);
  return share > 0 ? Math.min(1, share) : 0;
}

// A row of a balanced ranking as events, the panel and `belay plan` have it (CONTRACTS, plan).
import type { RankedCandidate } from '../../events.ts';
import type { RankedRow } from './fallbackIndex.ts';

/** A row under the names of the literal ranking: utility is the index, rho and the lower bound are the availability. */
export function rankedOf(row: RankedRow): RankedCandidate {
  const { id, mu, sigma, availability, totalMs, index, quality, latency, money, failure, affinity } = row;
  return {
    id,
    mu,
    sigma,
    rho: availability,
    latencyMs: totalMs,
    cost: latency + money,
    decay: 1,
    utility: index,
    lowerBound: availability,
    parts: { quality, latency, money, failure, affinity, availability },
  };
}

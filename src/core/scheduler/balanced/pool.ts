// A route's candidates made ready for planning: sources numbered, prices and priors looked up. Made once per route and settings;
// nothing learned is in it, so it stays valid while the state changes. Source: scheduler-study 6.2 (State), 1.1 (prices).
import type { CandidateId } from '../../candidate.ts';
import { latencyPrior, qualityPrior, sourcePrior } from './beliefs.ts';
import type { SchedulerConstants } from './constants.ts';
import { bounded } from './numbers.ts';
import type { BetaBelief, CandidateFacts, LatencyBelief, SourceName } from './types.ts';

/** Dollars per million tokens, always numbers. */
export interface PoolPrice {
  readonly inputUsdPerMTok: number;
  readonly outputUsdPerMTok: number;
  readonly cachedInputUsdPerMTok: number;
  /** False where the tier's usual price stands in for an unknown one, or the price is only relative. */
  readonly isKnownUsd: boolean;
}

/** A candidate with what can be worked out of it beforehand. Its number is its position in the pool. */
export interface PoolMember {
  readonly facts: CandidateFacts;
  /** Positions in `CandidatePool.sources`. */
  readonly sources: readonly number[];
  readonly price: PoolPrice;
  readonly totalPrior: LatencyBelief;
  readonly firstTokenPrior: LatencyBelief;
  readonly qualityPrior: BetaBelief;
}

export interface CandidatePool {
  readonly constants: SchedulerConstants;
  readonly members: readonly PoolMember[];
  readonly sources: readonly SourceName[];
  /** p0 of each source. */
  readonly sourcePriors: readonly number[];
  readonly positions: ReadonlyMap<CandidateId, number>;
}

/** Prepares candidates in the route's order, which decides ties. Of two with the same id the first counts. */
export function poolOf(candidates: readonly CandidateFacts[], constants: SchedulerConstants): CandidatePool {
  const numbers = new Map<SourceName, number>();
  const positions = new Map<CandidateId, number>();
  const numberOf = (source: SourceName): number => {
    const number = numbers.get(source) ?? numbers.size;
    numbers.set(source, number);
    return number;
  };
  const members: PoolMember[] = [];
  for (const facts of candidates) {
    if (positions.has(facts.id)) continue;
    positions.set(facts.id, members.length);
    members.push({
      facts,
      sources: [...new Set(facts.sources)].map(numberOf),
      price: priceOf(facts, constants),
      totalPrior: latencyPrior(facts.tier, 'total', constants),
      firstTokenPrior: latencyPrior(facts.tier, 'first-token', constants),
      qualityPrior: qualityPrior(facts.tier, constants),
    });
  }
  const sources = [...numbers.keys()];
  return { constants, members, sources, sourcePriors: sources.map((name) => sourcePrior(name, constants)), positions };
}

function priceOf({ price, tier }: CandidateFacts, constants: SchedulerConstants): PoolPrice {
  if (price && 'inputUsdPerMTok' in price) {
    const inputUsdPerMTok = usd(price.inputUsdPerMTok);
    return {
      inputUsdPerMTok,
      outputUsdPerMTok: usd(price.outputUsdPerMTok),
      cachedInputUsdPerMTok: Math.min(inputUsdPerMTok, usd(price.cachedInputUsdPerMTok ?? inputUsdPerMTok)),
      isKnownUsd: true,
    };
  }
  const factor = bounded(price?.relative ?? constants.tiers[tier].price, 0, constants.priceCap, 1);
  const inputUsdPerMTok = factor * constants.referenceInputUsdPerMTok;
  return {
    inputUsdPerMTok,
    outputUsdPerMTok: factor * constants.referenceOutputUsdPerMTok,
    cachedInputUsdPerMTok: inputUsdPerMTok,
    isKnownUsd: false,
  };
}

/** Greatest believable price, USD per million tokens; a figure beyond it is a slip of the keyboard. */
const MOST_USD = 1e6;
const usd = (value: number): number => bounded(value, 0, MOST_USD, MOST_USD);

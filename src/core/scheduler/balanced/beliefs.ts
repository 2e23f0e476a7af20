// What is believed of a candidate or source at a moment: its prior where nothing is known, else what was learned, relaxed towards
// the prior by the time that went by. Reading never changes the state. Source: scheduler-study 6.2 (relax), 2.4 (prior mass).
import type { SchedulerConstants } from './constants.ts';
import { kindOf } from './facts.ts';
import { bounded, decay, elapsedMs, mapValues } from './numbers.ts';
import type {
  BetaBelief,
  CandidateBelief,
  CandidateFacts,
  LatencyBelief,
  SourceBelief,
  SourceName,
  TierLetter,
} from './types.ts';

/** p0 of a source: less for a backbone. */
export function sourcePrior(source: SourceName, constants: SchedulerConstants): number {
  return kindOf(source) === 'backbone' ? constants.p0Backbone : constants.p0;
}

/** p_d ← p0 + (p_d − p0)·2^(−Δt/180 s), within its bounds; the prior where nothing was learned. */
export function relaxedSource(
  belief: SourceBelief | undefined,
  prior: number,
  nowMs: number,
  constants: SchedulerConstants,
): number {
  if (!belief) return prior;
  const kept = decay(elapsedMs(belief.atMs, nowMs), constants.beliefHalfLifeMs);
  return bounded(prior + (belief.p - prior) * kept, constants.pMin, constants.pMax, prior);
}

/** The latency prior of a tier: its median, in ln(ms), with the weight of one observation. */
export function latencyPrior(
  tier: TierLetter,
  part: 'total' | 'first-token',
  constants: SchedulerConstants,
): LatencyBelief {
  const medianMs = constants.tiers[tier].totalMs * (part === 'total' ? 1 : constants.firstTokenShare);
  return { m: Math.log(medianMs), s2: constants.latencyVariance, n: 1 };
}

/** Beta prior of a tier: 6·(μ_tier, 1 − μ_tier). */
export function qualityPrior(tier: TierLetter, constants: SchedulerConstants): BetaBelief {
  const { mu } = constants.tiers[tier];
  return { alpha: constants.qualityMass * mu, beta: constants.qualityMass * (1 - mu) };
}

/** A candidate of which nothing is known. */
export function priorBelief(tier: TierLetter, nowMs: number, constants: SchedulerConstants): CandidateBelief {
  return {
    atMs: nowMs,
    baseFail: constants.f0,
    total: latencyPrior(tier, 'total', constants),
    firstToken: latencyPrior(tier, 'first-token', constants),
    fast: 0,
    decode: { m: 0, n: 0 },
    quality: {},
    cooling: null,
  };
}

/** The belief as of `nowMs`, everything relaxed: x by its short half-life, the rest by the long one. */
export function relaxedBelief(
  belief: CandidateBelief | undefined,
  facts: CandidateFacts,
  nowMs: number,
  constants: SchedulerConstants,
): CandidateBelief {
  if (!belief) return priorBelief(facts.tier, nowMs, constants);
  const elapsed = elapsedMs(belief.atMs, nowMs);
  if (elapsed === 0) return belief;
  const kept = decay(elapsed, constants.longHalfLifeMs);
  const prior = qualityPrior(facts.tier, constants);
  return {
    atMs: nowMs,
    baseFail: mix(belief.baseFail, constants.f0, kept),
    total: mixedLatency(belief.total, latencyPrior(facts.tier, 'total', constants), kept),
    firstToken: mixedLatency(belief.firstToken, latencyPrior(facts.tier, 'first-token', constants), kept),
    fast: belief.fast * decay(elapsed, constants.fastHalfLifeMs),
    decode: { m: belief.decode.m, n: belief.decode.n * kept },
    quality: mapValues(belief.quality, (counts) => mixedBeta(counts, prior, kept)),
    cooling: isCooling(belief, nowMs) ? belief.cooling : null,
  };
}

/** Whether a provider's wish to be left alone still holds. A clock that jumped further than the wish ends it. */
export function isCooling(belief: CandidateBelief, nowMs: number): boolean {
  const { cooling } = belief;
  return cooling !== null && elapsedMs(cooling.fromMs, nowMs) < cooling.forMs;
}

/** kept·learned + (1 − kept)·prior. */
export function mix(learned: number, prior: number, kept: number): number {
  return prior + (learned - prior) * kept;
}

function mixedLatency(learned: LatencyBelief, prior: LatencyBelief, kept: number): LatencyBelief {
  return {
    m: mix(learned.m, prior.m, kept),
    s2: mix(learned.s2, prior.s2, kept),
    n: mix(learned.n, prior.n, kept),
  };
}

function mixedBeta(learned: BetaBelief, prior: BetaBelief, kept: number): BetaBelief {
  return { alpha: mix(learned.alpha, prior.alpha, kept), beta: mix(learned.beta, prior.beta, kept) };
}

// What Belay has learned of a candidate: Beta quality per role, failure counts, latency and link figures (HACO 1; DESIGN 14).
// Pure: an outcome and a profile give the next profile. Losers that were cancelled are censored: they teach nothing here yet.
import type { LiteralCandidate } from './literal.ts';

/** Soft counts of a Beta posterior. */
export interface BetaCounts {
  readonly alpha: number;
  readonly beta: number;
}

/** Saved per candidate; `version` is of this shape. */
export interface CandidateProfile {
  readonly version: 1;
  /** Per role; an absent role is Beta(1,1). */
  readonly quality: Readonly<Record<string, BetaCounts>>;
  readonly attempts: number;
  /** Ended by the candidate itself: 5xx, malformed, refused by its own contract (f_int). */
  readonly internalFailures: number;
  /** Ended by the way to it: connect, reset, silence, early end (l_net). */
  readonly linkFailures: number;
  /** Of the present model: what the means are over. */
  readonly successes: number;
  /** Mean over successes, in ms. */
  readonly meanTotalMs: number;
  readonly meanFirstTokenMs: number;
  /** Decayed mean and mean absolute deviation of received bytes per ms. */
  readonly bandwidth: number;
  readonly jitter: number;
  /** Mean bytes sent per request. */
  readonly meanBytes: number;
  /** Not to be started before this time where another is healthy (Retry-After). */
  readonly coolUntilMs: number;
}

/** Nothing known yet: quality Beta(1,1), no failures, no latency. */
export const unknownProfile: CandidateProfile = {
  version: 1,
  quality: {},
  attempts: 0,
  internalFailures: 0,
  linkFailures: 0,
  successes: 0,
  meanTotalMs: 0,
  meanFirstTokenMs: 0,
  bandwidth: 0,
  jitter: 0,
  meanBytes: 0,
  coolUntilMs: 0,
};

/** How one attempt ended, as the profile sees it. A cancelled loser is not an outcome. */
export type AttemptOutcome =
  | {
      readonly kind: 'success';
      readonly totalMs: number;
      readonly firstTokenMs: number;
      readonly sentBytes: number;
      readonly receivedBytes: number;
    }
  | { readonly kind: 'internal-failure' | 'link-failure'; readonly coolUntilMs: number }
  /** Answered, but not usable for reasons that say nothing of its health (refusal, our own bad request). */
  | { readonly kind: 'neutral'; readonly coolUntilMs: number };

const BANDWIDTH_WEIGHT = 0.2;

/** Adds one outcome. Means are cumulative, as the text has them; the balanced scheduler has its own state, which forgets. */
export function recordOutcome(profile: CandidateProfile, outcome: AttemptOutcome): CandidateProfile {
  switch (outcome.kind) {
    case 'success': {
      const successes = profile.successes + 1;
      const grow = (mean: number, value: number): number => mean + (value - mean) / successes;
      const rate = outcome.receivedBytes / Math.max(1, outcome.totalMs - outcome.firstTokenMs);
      const bandwidth =
        profile.successes === 0 ? rate : profile.bandwidth + BANDWIDTH_WEIGHT * (rate - profile.bandwidth);
      return {
        ...profile,
        attempts: profile.attempts + 1,
        successes,
        meanTotalMs: grow(profile.meanTotalMs, outcome.totalMs),
        meanFirstTokenMs: grow(profile.meanFirstTokenMs, outcome.firstTokenMs),
        meanBytes: grow(profile.meanBytes, outcome.sentBytes),
        bandwidth,
        jitter:
          profile.successes === 0
            ? 0
            : profile.jitter + BANDWIDTH_WEIGHT * (Math.abs(rate - bandwidth) - profile.jitter),
        coolUntilMs: 0,
      };
    }
    case 'internal-failure':
      return {
        ...profile,
        attempts: profile.attempts + 1,
        internalFailures: profile.internalFailures + 1,
        coolUntilMs: later(profile, outcome),
      };
    case 'link-failure':
      return {
        ...profile,
        attempts: profile.attempts + 1,
        linkFailures: profile.linkFailures + 1,
        coolUntilMs: later(profile, outcome),
      };
    case 'neutral':
      return { ...profile, coolUntilMs: later(profile, outcome) };
  }
}

const later = (profile: CandidateProfile, outcome: { readonly coolUntilMs: number }): number =>
  Math.max(profile.coolUntilMs, outcome.coolUntilMs);

/** Callers name the roles: one may be called as something that every object has. */
function qualityIn({ quality }: CandidateProfile, role: string): BetaCounts {
  return (Object.hasOwn(quality, role) ? quality[role] : undefined) ?? { alpha: 1, beta: 1 };
}

/** Soft count update: alpha += w·q, beta += w·(1 - q). `q` and the weight w are clamped to 0-1. */
export function recordQuality(profile: CandidateProfile, role: string, q: number, weight = 1): CandidateProfile {
  const before = qualityIn(profile, role);
  const w = Math.min(1, Math.max(0, weight));
  const good = w * Math.min(1, Math.max(0, q));
  return {
    ...profile,
    quality: { ...profile.quality, [role]: { alpha: before.alpha + good, beta: before.beta + (w - good) } },
  };
}

/** Verdicts a quality must rest on before it keeps a candidate from standing in. */
const FEWEST_VERDICTS = 10;

/** The share of good verdicts in a role, 0-1; null while there are too few to tell (HFR 4.4, historical quality). */
export function recordedQuality(profile: CandidateProfile, role: string): number | null {
  const { alpha, beta } = qualityIn(profile, role);
  const verdicts = alpha + beta - 2;
  return verdicts < FEWEST_VERDICTS ? null : (alpha - 1) / verdicts;
}

/**
 * Another model answers behind the same name: quality and speed are its own and are learned anew. Failures and cooling down
 * are kept, since availability belongs to the provider and not to the model.
 */
export function forgetModel(profile: CandidateProfile): CandidateProfile {
  const { attempts, internalFailures, linkFailures, coolUntilMs } = profile;
  return { ...unknownProfile, attempts, internalFailures, linkFailures, coolUntilMs };
}

/**
 * A profile as the literal formulas take it: rates as printed, none without data (rho = 1). Without latency T is `fallbackMs`, the
 * pool's middle, so that an unknown candidate is neither favoured nor punished for it. Transfer time is part of the measured total.
 */
export function toLiteral(id: string, profile: CandidateProfile, role: string, fallbackMs: number): LiteralCandidate {
  const { alpha, beta } = qualityIn(profile, role);
  const rate = (failures: number, attempts: number): number => (attempts > 0 ? failures / attempts : 0);
  const fInt = rate(profile.internalFailures, profile.attempts - profile.linkFailures);
  const lossNet = rate(profile.linkFailures, profile.attempts);
  const procMs = profile.successes > 0 ? profile.meanTotalMs : fallbackMs;
  return {
    id,
    alpha,
    beta,
    fInt,
    lossNet,
    procMs,
    bytes: 0,
    bandwidth: Math.max(1, profile.bandwidth),
    jitter: profile.jitter,
  };
}

// What Belay has learned of a candidate: Beta quality per role, failure counts, latency, tokens and link figures (HACO 1 and 3;
// DESIGN 14). Pure: an outcome and a profile give the next profile. An attempt that was cancelled teaches nothing here; the losers of
// literal mode are not cancelled, so each of them does.
import { stateBounds } from './balanced/savedState.ts';
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
  /** Decayed mean and mean absolute deviation of received bytes per ms, from chunk times; 0: not measured yet. */
  readonly bandwidth: number;
  readonly jitter: number;
  /** Decayed mean of round trips, measured where a connection was made, in ms; 0: not measured yet. */
  readonly rttMs: number;
  /** Mean bytes sent per request, and received per answer. */
  readonly meanBytes: number;
  readonly meanReceivedBytes: number;
  /** Mean tokens of request and answer, as billed. */
  readonly meanTokens: number;
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
  rttMs: 0,
  meanBytes: 0,
  meanReceivedBytes: 0,
  meanTokens: 0,
  coolUntilMs: 0,
};

/** How fast one answer came: bytes per ms, and how far the pace of its pieces was from that on average. */
export interface LinkFigures {
  readonly bandwidth: number;
  readonly jitter: number;
}

/** How one attempt ended, as the profile sees it. A cancelled loser is not an outcome. */
export type AttemptOutcome =
  | {
      readonly kind: 'success';
      readonly totalMs: number;
      readonly firstTokenMs: number;
      readonly sentBytes: number;
      readonly receivedBytes: number;
      readonly tokens: number;
      /** null: it came in too few pieces to tell. */
      readonly link: LinkFigures | null;
    }
  | { readonly kind: 'internal-failure' | 'link-failure'; readonly coolUntilMs: number }
  /** Answered, but not usable for reasons that say nothing of its health (refusal, our own bad request). */
  | { readonly kind: 'neutral'; readonly coolUntilMs: number };

/** Weight of the newest measurement in the decayed means of the link. */
const LINK_WEIGHT = 0.2;

/** Adds one outcome. Means are cumulative, as the text has them; the balanced scheduler has its own state, which forgets. */
export function recordOutcome(profile: CandidateProfile, outcome: AttemptOutcome): CandidateProfile {
  switch (outcome.kind) {
    case 'success': {
      const successes = profile.successes + 1;
      const grow = (mean: number, value: number): number => mean + (value - mean) / successes;
      return {
        ...profile,
        ...withLink(profile, outcome.link),
        attempts: profile.attempts + 1,
        successes,
        meanTotalMs: grow(profile.meanTotalMs, outcome.totalMs),
        meanFirstTokenMs: grow(profile.meanFirstTokenMs, outcome.firstTokenMs),
        meanBytes: grow(profile.meanBytes, outcome.sentBytes),
        meanReceivedBytes: grow(profile.meanReceivedBytes, outcome.receivedBytes),
        meanTokens: grow(profile.meanTokens, outcome.tokens),
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

/**
 * The mean deviation from the long-run pace is at most that within the answer plus that of its own pace (triangle inequality): so much
 * is counted, since jitter that is believed too great only costs a little rank.
 */
function withLink(profile: CandidateProfile, link: LinkFigures | null): LinkFigures {
  const { bandwidth: before, jitter } = profile;
  if (!link) return { bandwidth: before, jitter };
  if (before === 0) return link;
  const bandwidth = before + LINK_WEIGHT * (link.bandwidth - before);
  const deviation = link.jitter + Math.abs(link.bandwidth - bandwidth);
  return { bandwidth, jitter: jitter + LINK_WEIGHT * (deviation - jitter) };
}

/** Adds one measured round trip, ms, of an attempt however it ended. */
export function recordRoundTrip(profile: CandidateProfile, rttMs: number): CandidateProfile {
  const before = profile.rttMs;
  return { ...profile, rttMs: before === 0 ? rttMs : before + LINK_WEIGHT * (rttMs - before) };
}

/**
 * How literal HACO takes a failed call, which the document leaves open (study 1.4). A: it counts as quality 0. B: only answers are
 * judged, a failure lowers rho alone.
 */
export type FailedCallReading = 'A' | 'B';

/** Adds a call that failed to the quality of its role, as `reading` has it; what says nothing of the candidate changes nothing. */
export function recordFailedCall(
  profile: CandidateProfile,
  role: string,
  outcome: AttemptOutcome,
  reading: FailedCallReading,
): CandidateProfile {
  const isFailed = outcome.kind === 'internal-failure' || outcome.kind === 'link-failure';
  return isFailed && reading === 'A' ? recordQuality(profile, role, 0) : profile;
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
  const others = Object.hasOwn(profile.quality, role) ? profile.quality : withRoom(profile.quality);
  return {
    ...profile,
    quality: { ...others, [role]: { alpha: before.alpha + good, beta: before.beta + (w - good) } },
  };
}

/** Room for one more role, since callers may name ever new ones: that with the least behind it goes, the first among equals. */
function withRoom(quality: CandidateProfile['quality']): CandidateProfile['quality'] {
  const roles = Object.entries(quality);
  if (roles.length < stateBounds.roles) return quality;
  const mass = ({ alpha, beta }: BetaCounts): number => alpha + beta;
  const least = roles.reduce((found, role) => (mass(role[1]) < mass(found[1]) ? role : found));
  return Object.fromEntries(roles.filter((role) => role !== least));
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
  const { attempts, internalFailures, linkFailures, rttMs, coolUntilMs } = profile;
  return { ...unknownProfile, attempts, internalFailures, linkFailures, rttMs, coolUntilMs };
}

/**
 * A profile as the literal formulas take it: rates as printed, none without data (rho = 1). Without latency T is `fallbackMs`, the
 * pool's middle, so that an unknown candidate is neither favoured nor punished for it. The measured total holds the transfer of the
 * answer already: t_proc is the total less its bytes at the usual bandwidth, so that without jitter T is the measured mean.
 * `epsB`: least bandwidth, bytes per ms.
 */
export function toLiteral(
  id: string,
  profile: CandidateProfile,
  role: string,
  { fallbackMs, epsB }: { readonly fallbackMs: number; readonly epsB: number },
): LiteralCandidate {
  const { alpha, beta } = qualityIn(profile, role);
  const rate = (failures: number, attempts: number): number => (attempts > 0 ? failures / attempts : 0);
  const fInt = rate(profile.internalFailures, profile.attempts - profile.linkFailures);
  const lossNet = rate(profile.linkFailures, profile.attempts);
  const totalMs = profile.successes > 0 ? profile.meanTotalMs : fallbackMs;
  const { bandwidth, jitter } = profile;
  const usual = Math.max(epsB, bandwidth);
  const isMeasured = profile.successes > 0 && bandwidth > 0;
  const bytes = isMeasured ? Math.min(profile.meanReceivedBytes, totalMs * usual) : 0;
  return { id, alpha, beta, fInt, lossNet, procMs: totalMs - bytes / usual, bytes, bandwidth, jitter };
}

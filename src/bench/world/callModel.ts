// What becomes of one call, decided when it is launched (scheduler study 1.2): all its times and the way it ends, from the
// candidate, the state of its sources, its load and hashed chance. Nothing is decided by the policy but when to cut it off.
import { ROLE_OFFSETS, WORLD_LINKS, type WorldCandidate } from './candidates.ts';
import { CALL } from './constants.ts';
import type { Draws } from './draws.ts';
import type { CandidateState } from './faults.ts';

/** How a call ends when nobody cuts it off. */
export type CallEnd =
  'success' | 'refused' | 'rate-limited' | 'hang' | 'reset' | 'server-error' | 'broken' | 'invalid' | 'killed';

/** The course of a call; times are seconds after its launch, Infinity where it never gets there. */
export class CallPlan {
  end: CallEnd = 'success';
  endS = 0.5;
  /** From here on the prompt is billed. */
  sentS = 0.5;
  firstTokenS = 0.5;
  /** Decoding lasts so long after the first token. */
  decodeS = 0.5;
  bytesPerS = 0.5;
}

/** What the call carries. */
export interface CallLoad {
  readonly payloadBytes: number;
  readonly outputTokens: number;
}

/** Purposes of an attempt's numbers. */
const AT = {
  hangOrRefused: 0,
  refusedS: 1,
  loss: 2,
  lossHang: 3,
  hangBilled: 4,
  resetS: 5,
  internal: 6,
  internalKind: 7,
  serverErrorS: 8,
  brokenAt: 9,
  bandwidth: 10,
  firstToken: 12,
  decode: 14,
  slow: 16,
  slowFactor: 17,
  slowKind: 18,
  killed: 19,
  judge: 20,
  opinion: 22,
  quality: 1,
} as const;

/**
 * Fills `plan`. `draws` has the attempt's key. `loadFactor`: max(1, in flight / capacity). `isLimited`: a rate limit or the
 * overload answers 429. `nextOutageS`: seconds until an outage begins. The order of the checks is the study's failure order.
 */
export function planCall(
  plan: CallPlan,
  draws: Draws,
  candidate: WorldCandidate,
  state: CandidateState,
  load: CallLoad,
  loadFactor: number,
  isLimited: boolean,
  nextOutageS: number,
): void {
  plan.sentS = Infinity;
  plan.firstTokenS = Infinity;
  plan.decodeS = 1;
  plan.bytesPerS = Number.NaN;
  if (state.isDown) {
    const hangs = draws.uniform(AT.hangOrRefused) < state.hang;
    end(plan, hangs ? 'hang' : 'refused', hangs ? Infinity : draws.between(AT.refusedS, CALL.refusedS));
    return;
  }
  if (isLimited) {
    end(plan, 'rate-limited', CALL.rateLimitedS);
    return;
  }

  const link = WORLD_LINKS[candidate.region];
  plan.bytesPerS =
    (link.bytesPerS * Math.exp(link.bandwidthSd * draws.normal(AT.bandwidth))) /
    Math.min(CALL.mostLinkFactor, state.factor);
  const sentS = link.rttS + load.payloadBytes / plan.bytesPerS;
  if (draws.uniform(AT.loss) < candidate.lossShare + state.loss) {
    if (draws.uniform(AT.lossHang) >= CALL.lossHangShare) {
      end(plan, 'reset', draws.between(AT.resetS, CALL.resetS));
      return;
    }
    if (draws.uniform(AT.hangBilled) < CALL.lossHangBilledShare) plan.sentS = sentS;
    end(plan, 'hang', Infinity);
    return;
  }

  const { medianS, latencySd } = candidate;
  const slowdown = loadFactor * state.factor;
  let firstTokenS = CALL.firstTokenShare * medianS * Math.exp(latencySd * draws.normal(AT.firstToken));
  let decodeS =
    CALL.decodeShare *
    medianS *
    Math.pow(load.outputTokens / CALL.outputMedianTokens, CALL.decodePower) *
    Math.exp(latencySd * draws.normal(AT.decode));
  if (draws.uniform(AT.slow) < candidate.slowShare) {
    const factor = draws.between(AT.slowFactor, CALL.slowFactor);
    if (draws.uniform(AT.slowKind) < CALL.queueShare) firstTokenS += (factor - 1) * medianS;
    else decodeS *= factor;
  }
  const kind = draws.uniform(AT.internal) < candidate.internalFailureShare ? draws.uniform(AT.internalKind) : Infinity;
  if (kind < CALL.serverErrorShare) {
    end(plan, 'server-error', draws.between(AT.serverErrorS, CALL.serverErrorS));
    return;
  }
  plan.sentS = sentS;
  plan.firstTokenS = sentS + firstTokenS * slowdown;
  plan.decodeS = decodeS * slowdown;
  const wholeS = plan.firstTokenS + plan.decodeS;
  if (kind < CALL.serverErrorShare + CALL.brokenShare)
    end(plan, 'broken', plan.firstTokenS + draws.uniform(AT.brokenAt) * plan.decodeS);
  else end(plan, kind < Infinity ? 'invalid' : 'success', wholeS);
  if (nextOutageS < plan.endS && draws.uniform(AT.killed) < CALL.killShare) end(plan, 'killed', nextOutageS);
}

function end(plan: CallPlan, how: CallEnd, atS: number): void {
  plan.end = how;
  plan.endS = atS;
}

/** Share of the output that has been written so many seconds after the launch, 0-1. */
export function decodedShare(plan: CallPlan, elapsedS: number): number {
  const share = (elapsedS - plan.firstTokenS) / plan.decodeS;
  return share <= 0 || Number.isNaN(share) ? 0 : Math.min(1, share);
}

/** The quality of a success: Beta(12 m, 12 (1 - m)), m = q + role + difficulty. `draws` has the attempt's key. */
export function drawQuality(draws: Draws, candidate: WorldCandidate, role: number, difficulty: number): number {
  const [least, most] = CALL.qualityRange;
  const mean = candidate.quality + (ROLE_OFFSETS[candidate.tier][role] ?? 0) + difficulty;
  const m = Math.min(most, Math.max(least, mean));
  return draws.beta(AT.quality, CALL.qualityWeight * m, CALL.qualityWeight * (1 - m));
}

/** What the judge says of it, 0-1. */
export function drawJudged(draws: Draws, quality: number): number {
  return Math.min(1, Math.max(0, quality + CALL.judgeSd * draws.normal(AT.judge)));
}

/** A second opinion with noise of its own. */
export function drawOpinion(draws: Draws, quality: number, sd: number): number {
  return quality + sd * draws.normal(AT.opinion);
}

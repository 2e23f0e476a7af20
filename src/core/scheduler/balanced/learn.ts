// From the end of one attempt to the next state: sources, base failure rate, speed, quality, calibration. Pure; must not decide
// anything. A cancelled loser is censored and never lowers availability. Source: scheduler-study 6.2; DESIGN 9 and 14.
import type { Role } from '../../chat.ts';
import { isCooling, qualityPrior, relaxedBelief, relaxedSource, sourcePrior } from './beliefs.ts';
import { countAttempt } from './calibration.ts';
import type { SchedulerConstants } from './constants.ts';
import { kindOf } from './facts.ts';
import { afterFailure, afterSuccess, baseFailAfter } from './filter.ts';
import { learnCensored, learnDecode, learnFast, learnLatency, lnMs } from './latency.ts';
import { bounded, valueOf } from './numbers.ts';
import { judged } from './quality.ts';
import { stateBounds, withinBounds } from './savedState.ts';
import { momentOf, settled } from './settle.ts';
import type {
  BetaBelief,
  CallTrace,
  CandidateBelief,
  CandidateFacts,
  QualityEvidence,
  SchedulerState,
  SourceBelief,
} from './types.ts';

/** Longest wish to be left alone that is believed, ms: a week. */
const MOST_COOLING_MS = 604_800_000;

/** What an outcome says of the way to the candidate. */
type WayEvidence = { readonly kind: 'up' | 'down'; readonly weight: number } | null;

/**
 * Learns from one attempt of the candidate that `facts` describes. A trace of another candidate or a neutral one changes
 * nothing. `nowMs` may have jumped either way; not a number counts as no time gone by.
 */
export function learn(
  state: SchedulerState,
  facts: CandidateFacts,
  trace: CallTrace,
  nowMs: number,
  constants: SchedulerConstants,
): SchedulerState {
  if (trace.candidate !== facts.id || trace.outcome === 'neutral') return state;
  const moment = momentOf(state, nowMs);
  const before = settled(state, moment);
  const belief = relaxedBelief(valueOf(before.candidates, facts.id), facts, moment, constants);
  const down = facts.sources.map((source) =>
    relaxedSource(valueOf(before.sources, source), sourcePrior(source, constants), moment, constants),
  );
  const way = wayEvidence(trace, constants);
  const next = trace.isPing
    ? afterPing(belief, trace, constants)
    : afterCall(belief, facts, trace, { down, moment }, constants);
  return withinBounds({
    ...before,
    atMs: moment,
    sources: afterWay(before, facts, trace, { down, way, baseFail: belief.baseFail, moment }, constants),
    candidates: { ...before.candidates, [facts.id]: { ...next, atMs: moment } },
    calibration: calibrated(before, trace, constants),
  });
}

/** A judgement that comes after the call (a verifier, an edit accepted or rejected, a judge). */
export function learnQuality(
  state: SchedulerState,
  facts: CandidateFacts,
  role: Role,
  evidence: QualityEvidence,
  nowMs: number,
  constants: SchedulerConstants,
): SchedulerState {
  const moment = momentOf(state, nowMs);
  const before = settled(state, moment);
  const belief = relaxedBelief(valueOf(before.candidates, facts.id), facts, moment, constants);
  const next = { ...belief, quality: withJudgement(belief, facts, role, evidence, constants) };
  return withinBounds({ ...before, atMs: moment, candidates: { ...before.candidates, [facts.id]: next } });
}

function wayEvidence(trace: CallTrace, constants: SchedulerConstants): WayEvidence {
  switch (trace.outcome) {
    case 'success':
    case 'invalid-output':
      return { kind: 'up', weight: 1 };
    case 'hard-failure':
      return { kind: 'down', weight: 1 };
    case 'hang-cut':
      return { kind: 'down', weight: constants.hangWeight };
    case 'cancelled':
      return trace.firstTokenMs === null ? null : { kind: 'up', weight: constants.firstTokenWeight };
    case 'neutral':
      return null;
  }
}

interface WayBefore {
  readonly down: readonly number[];
  readonly way: WayEvidence;
  readonly moment: number;
}

function afterWay(
  state: SchedulerState,
  facts: CandidateFacts,
  trace: CallTrace,
  { down, way, baseFail, moment }: WayBefore & { readonly baseFail: number },
  constants: SchedulerConstants,
): Readonly<Record<string, SourceBelief>> {
  if (!way) return state.sources;
  const { blames } = trace;
  const mayBeAtFault = (index: number): boolean => {
    const source = facts.sources[index];
    return source !== undefined && (blames === undefined || blames.includes(kindOf(source)));
  };
  const after =
    way.kind === 'up'
      ? afterSuccess(down, way.weight, constants)
      : afterFailure(down, baseFail, way.weight, constants, mayBeAtFault);
  const sources: Record<string, SourceBelief> = { ...state.sources };
  facts.sources.forEach((source, index) => {
    if (way.kind === 'up' || mayBeAtFault(index)) sources[source] = { p: after[index] ?? 0, atMs: moment };
  });
  return sources;
}

/** A ping is a tiny call: it says how fast the candidate is now, and nothing of its long run. */
function afterPing(belief: CandidateBelief, trace: CallTrace, constants: SchedulerConstants): CandidateBelief {
  const ln = lnMs(trace.firstTokenMs);
  if (trace.outcome !== 'success' || ln === null) return belief;
  return { ...belief, fast: learnFast(belief.fast, ln, belief.firstToken.m, constants.pingGain, constants) };
}

function afterCall(
  belief: CandidateBelief,
  facts: CandidateFacts,
  trace: CallTrace,
  { down, moment }: Pick<WayBefore, 'down' | 'moment'>,
  constants: SchedulerConstants,
): CandidateBelief {
  const timed = withSpeed(belief, trace, constants);
  switch (trace.outcome) {
    case 'success':
      return {
        ...timed,
        baseFail: baseFailAfter(belief.baseFail, null, constants),
        quality: trace.quality.reduce(
          (quality, evidence) => withJudgement({ quality }, facts, trace.role, evidence, constants),
          belief.quality,
        ),
        cooling: null,
      };
    case 'invalid-output':
      return { ...timed, baseFail: baseFailAfter(belief.baseFail, { weight: 1, up: 1 }, constants) };
    case 'hard-failure':
    case 'hang-cut': {
      const up = down.reduce((product, p) => product * (1 - p), 1);
      const failure = { weight: trace.outcome === 'hang-cut' ? constants.hangBaseWeight : 1, up };
      const baseFail = baseFailAfter(belief.baseFail, failure, constants);
      return { ...timed, baseFail, cooling: coolingAfter(belief, trace, moment) };
    }
    case 'cancelled':
    case 'neutral':
      return timed;
  }
}

/** First token and decode speed wherever they were seen; the total of a success; x of a success or of a late cut. */
function withSpeed(belief: CandidateBelief, trace: CallTrace, constants: SchedulerConstants): CandidateBelief {
  const { outcome, firstTokenMs, outputTokens, totalMs } = trace;
  const lnFirst = lnMs(firstTokenMs);
  const lnTotal = lnMs(totalMs);
  const firstToken = lnFirst === null ? belief.firstToken : learnLatency(belief.firstToken, lnFirst, constants);
  const decode =
    firstTokenMs === null || lnFirst === null || outputTokens === null
      ? belief.decode
      : learnDecode(belief.decode, totalMs - firstTokenMs, outputTokens, constants);
  const seen = { ...belief, firstToken, decode };
  if (lnTotal === null) return seen;
  if (outcome === 'success') {
    const total = learnLatency(belief.total, lnTotal, constants);
    return { ...seen, total, fast: learnFast(belief.fast, lnTotal, total.m, constants.fastGain, constants) };
  }
  if (outcome === 'cancelled' || outcome === 'hang-cut')
    return { ...seen, fast: learnCensored(belief.fast, lnTotal, belief.total, constants) };
  return seen;
}

function coolingAfter(belief: CandidateBelief, trace: CallTrace, moment: number): CandidateBelief['cooling'] {
  const forMs = bounded(trace.retryAfterMs ?? 0, 0, MOST_COOLING_MS, 0);
  if (forMs > 0) return { fromMs: moment, forMs };
  return isCooling(belief, moment) ? belief.cooling : null;
}

function withJudgement(
  { quality }: Pick<CandidateBelief, 'quality'>,
  facts: CandidateFacts,
  role: Role,
  evidence: QualityEvidence,
  constants: SchedulerConstants,
): CandidateBelief['quality'] {
  const counts = valueOf(quality, role) ?? qualityPrior(facts.tier, constants);
  const roles = Object.hasOwn(quality, role) ? quality : withRoom(quality);
  return { ...roles, [role]: judged(counts, evidence, constants) };
}

/** Room for one more role: that with the least behind it goes, the first by name among equals. */
function withRoom(quality: CandidateBelief['quality']): CandidateBelief['quality'] {
  const roles = Object.entries(quality);
  if (roles.length < stateBounds.roles) return quality;
  const mass = ({ alpha, beta }: BetaBelief): number => alpha + beta;
  const [least] = roles.sort(([a, x], [b, y]) => mass(x) - mass(y) || (a < b ? -1 : 1));
  return Object.fromEntries(roles.filter((role) => role !== least));
}

function calibrated(
  { calibration }: SchedulerState,
  { outcome, isPing, promisedSuccess }: CallTrace,
  constants: SchedulerConstants,
): SchedulerState['calibration'] {
  if (isPing || promisedSuccess === null || outcome === 'cancelled' || outcome === 'hang-cut') return calibration;
  const pledge = { success: promisedSuccess, independentSuccess: promisedSuccess, isKept: outcome === 'success' };
  return countAttempt(calibration, pledge, constants);
}

// The state oracle: the study's policy class that is told how every candidate stands now (faults, limits, true quality and times),
// but neither its load nor what a call will bring. A bound for that class, not the best that could be done.
import { ROLE_OFFSETS, WORLD_LINKS, type WorldCandidate } from '../candidates.ts';
import { CALL } from '../constants.ts';
import type { PolicySpec, WorldTruth } from '../policy.ts';
import { HedgePolicy, type Belief, type Believe } from './hedge.ts';

/** The study's row, and the same with first-token timers that fire on calls that hang. */
export const stateOracles: readonly PolicySpec[] = [oracle('oracle', false), oracle('oracle-seeing', true)];

function oracle(name: string, seesHangs: boolean): PolicySpec {
  return { name, seesHangs, createKnowing: (world, truth) => new HedgePolicy(world, believeTruth(truth)) };
}

/** What does not change of a candidate. */
interface Nature {
  readonly upShare: number;
  readonly totalMean: number;
  readonly totalSd: number;
  readonly firstMean: number;
  readonly firstSd: number;
  readonly tokenS: number;
}

function believeTruth(truth: WorldTruth): Believe {
  const natures = truth.candidates.map(natureOf);
  return (index, role): Belief => {
    const candidate = truth.candidates[index];
    const nature = natures[index];
    if (!candidate || !nature) throw new Error(`world: no candidate ${index}`);
    const state = truth.state(index);
    const isShut = state.isDown || !truth.hasRateToken(index);
    const slower = Math.log(state.factor);
    const [least, most] = CALL.qualityRange;
    return {
      availability: isShut ? 0 : nature.upShare * (1 - Math.min(1, candidate.lossShare + state.loss)),
      quality: Math.min(most, Math.max(least, candidate.quality + (ROLE_OFFSETS[candidate.tier][role] ?? 0))),
      totalMean: nature.totalMean + slower,
      totalSd: nature.totalSd,
      firstMean: nature.firstMean + slower,
      firstSd: nature.firstSd,
      tokenS: nature.tokenS * state.factor,
    };
  };
}

/**
 * Times without slow events. The first token is lognormal but for the way there; the whole is matched by the moments of its two
 * lognormal parts (Fenton and Wilkinson), the length of the answer being a lognormal factor of the second.
 */
function natureOf(candidate: WorldCandidate): Nature {
  const { medianS, latencySd } = candidate;
  const link = WORLD_LINKS[candidate.region];
  const wayS = link.rttS + (CALL.payloadBytes[0] + CALL.payloadBytes[1]) / 2 / link.bytesPerS;
  const firstS = CALL.firstTokenShare * medianS;
  const decodeVariance = latencySd ** 2 + (CALL.decodePower * CALL.outputSd) ** 2;
  const part = (median: number, variance: number): { readonly mean: number; readonly variance: number } => {
    const mean = median * Math.exp(variance / 2);
    return { mean, variance: mean * mean * (Math.exp(variance) - 1) };
  };
  const first = part(firstS, latencySd ** 2);
  const decode = part(CALL.decodeShare * medianS, decodeVariance);
  const mean = wayS + first.mean + decode.mean;
  const variance = Math.log(1 + (first.variance + decode.variance) / (mean * mean));
  const firstMean = wayS + first.mean;
  const firstVariance = Math.log(1 + first.variance / (firstMean * firstMean));
  return {
    upShare: 1 - candidate.internalFailureShare,
    totalMean: Math.log(mean) - variance / 2,
    totalSd: Math.sqrt(variance),
    firstMean: Math.log(firstMean) - firstVariance / 2,
    firstSd: Math.sqrt(firstVariance),
    tokenS: (CALL.decodeShare * medianS) / CALL.outputMedianTokens,
  };
}

// Quality per role and candidate: a Beta belief that forgets by observations, fed by weighted judgements of answers. A failed call
// is no judgement: it lowers availability, and counting it twice would cost the best model its rank (scheduler-study 2.9).
import type { FaultClass } from '../../faults/fault.ts';
import type { SchedulerConstants } from './constants.ts';
import { bounded } from './numbers.ts';
import type { BetaBelief, QualityEvidence } from './types.ts';

/**
 * α ← α·2^(−w/300) + w·q, β ← β·2^(−w/300) + w·(1−q), w the weight of the judgement's source times its own.
 * With w = 1 this is the study's update; 300 is `qualityHalfLife`. A judgement that is not a number is left out.
 */
export function judged(counts: BetaBelief, evidence: QualityEvidence, constants: SchedulerConstants): BetaBelief {
  const weight = constants.evidence[evidence.source] * bounded(evidence.weight ?? 1, 0, 1, 0);
  if (!(weight > 0) || evidence.q !== evidence.q) return counts;
  const q = bounded(evidence.q, 0, 1);
  const kept = 2 ** (-weight / constants.qualityHalfLife);
  return { alpha: counts.alpha * kept + weight * q, beta: counts.beta * kept + weight * (1 - q) };
}

/** Mean and standard deviation of a Beta belief. */
export function betaMoments({ alpha, beta }: BetaBelief): { readonly mu: number; readonly sigma: number } {
  const total = alpha + beta;
  const mu = alpha / total;
  return { mu, sigma: Math.sqrt((mu * (1 - mu)) / (total + 1)) };
}

/** What a semantic kind of failure says of the answer: wrong is 0, a broken tool call little; null: nothing of its quality. */
export function faultQuality(fault: FaultClass): number | null {
  return qualityOfFault[fault] ?? null;
}

const qualityOfFault: Readonly<Partial<Record<FaultClass, number>>> = { V1: 0, T5: 0.2 };

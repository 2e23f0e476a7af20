// What copies are worth: the printed net gain with its rule of thumb, and what the rule implies when the printed formula itself is
// held against it. Belay's own figure, over calls that really happened, is in returns.ts.
// Source: the redundant-execution text (seed 004), section 7.
import { redundancyConstants } from './constants.ts';

/** Figures of the printed formula. */
export interface NetGainFacts {
  readonly lossUsd: number;
  /** Success with copies minus success without, 0-1. */
  readonly reliabilityGain: number;
  readonly costUsd: number;
  /** Executions at the same time. */
  readonly degree: number;
}

/**
 * Net gain = loss · reliability gain − cost · degree, as printed (7). It charges the first execution too, which is paid in any case:
 * see `Charged`. Worked: loss 10, gain .24 (the printed 62 -> 86 %), cost 1, degree 2: 2.4 − 2 = .4.
 */
export function printedNetGain({ lossUsd, reliabilityGain, costUsd, degree }: NetGainFacts): number {
  return lossUsd * reliabilityGain - costUsd * degree;
}

/** "Positive where the loss is more than 5 costs", as printed (7). It knows neither the failure rate nor the degree. */
export function printedRuleOfThumb(lossPerCost: number): boolean {
  return lossPerCost > redundancyConstants.thumbLossPerCost;
}

/** What is charged to redundancy: every execution, as printed, or only those beside the first. */
export type Charged = 'every-copy' | 'extra-copies';

/** Executions that are charged. */
const charges = (degree: number, charged: Charged): number => (charged === 'every-copy' ? degree : degree - 1);

/** f − f^degree: what copies that fail independently add to the success. At most .25 for two, .385 for three. */
export function independentGain(failureRate: number, degree: number): number {
  return failureRate - failureRate ** degree;
}

/**
 * Least reliability gain, 0-1, at which the copies pay: charged executions over loss per cost. Above 1: they never pay.
 * Worked: at the rule's 5 costs, two executions as printed: 2/5 = .4, more than independent copies can ever gain.
 */
export function breakEvenGain(lossPerCost: number, degree: number, charged: Charged = 'every-copy'): number {
  return charges(degree, charged) / lossPerCost;
}

/**
 * Least loss per cost at which independent copies pay at this failure rate; Infinity where there is nothing to gain.
 * Worked: f = .2, two as printed: 2/.16 = 12.5; f = .05: 42.1; the least there is, at f = .5: 8.
 */
export function breakEvenLossPerCost(failureRate: number, degree: number, charged: Charged = 'every-copy'): number {
  const gain = independentGain(failureRate, degree);
  return gain > 0 ? charges(degree, charged) / gain : Infinity;
}

/** right: rule and formula say the same. too-eager: the rule says yes, the formula no. too-timid: the other way round. */
export type ThumbVerdict = 'right' | 'too-eager' | 'too-timid';

/**
 * The rule of thumb against the formula, for a gain that is known. Exactly nothing gained is no gain.
 * Worked: 6 costs, f = .2, two executions: the rule says yes, 6 · .16 − 2 = −1.04: too-eager.
 */
export function judgeRuleOfThumb(
  {
    lossPerCost,
    reliabilityGain,
    degree,
  }: Omit<NetGainFacts, 'lossUsd' | 'costUsd'> & { readonly lossPerCost: number },
  charged: Charged = 'every-copy',
): ThumbVerdict {
  const pays = lossPerCost * reliabilityGain - charges(degree, charged) > 0;
  if (printedRuleOfThumb(lossPerCost) === pays) return 'right';
  return pays ? 'too-timid' : 'too-eager';
}

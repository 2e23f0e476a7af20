// The noisy-OR filter: from one attempt's end to the chance that each of its sources is down. A success clears all sources it went
// through; a hard failure is shared out by how well the others explain it. Source: scheduler-study 6.2, P(down) filter.
import type { SchedulerConstants } from './constants.ts';
import { bounded, timesOdds } from './numbers.ts';

/** a = (1 − f)·Π(1 − δ·p_d) over the candidate's sources. Worked: f .05, three sources at .005, δ .97 -> .9362. */
export function availability(baseFail: number, down: readonly number[], delta: number): number {
  let product = 1 - baseFail;
  for (const p of down) product *= 1 - delta * p;
  return product;
}

/** Beliefs after a success of weight w: odds(p_d) *= (1 − δ)^w. */
export function afterSuccess(down: readonly number[], weight: number, constants: SchedulerConstants): number[] {
  const factor = (1 - constants.delta) ** weight;
  return down.map((p) => bounded(timesOdds(p, factor), constants.pMin, constants.pMax, p));
}

/**
 * Beliefs after a failure of weight w: odds(p_d) *= ((1 − (1−δ)·A) / (1 − A))^w with A = (1−f)·Π over the other sources (1−δp_e),
 * all from the old beliefs. `mayBeAtFault` false: that source is left as it is, and still explains the failure of the others.
 */
export function afterFailure(
  down: readonly number[],
  baseFail: number,
  weight: number,
  constants: SchedulerConstants,
  mayBeAtFault: (index: number) => boolean = () => true,
): number[] {
  const { delta, pMin, pMax } = constants;
  return down.map((p, index) => {
    if (!mayBeAtFault(index)) return p;
    let others = 1 - baseFail;
    for (let other = 0; other < down.length; other++) if (other !== index) others *= 1 - delta * (down[other] ?? 0);
    // A perfect rest leaves no other explanation; f's floor keeps it from being quite perfect.
    const ratio = (1 - (1 - delta) * others) / Math.max(1 - others, Number.EPSILON);
    return bounded(timesOdds(p, ratio ** weight), pMin, pMax, p);
  });
}

/** f after a success, a failure of weight w while Π(1−p_d) = `up`, or an invalid output (w = 1, up = 1). */
export function baseFailAfter(
  baseFail: number,
  failure: { readonly weight: number; readonly up: number } | null,
  constants: SchedulerConstants,
): number {
  const { fGain, fMin } = constants;
  const next = failure ? baseFail + fGain * failure.weight * (1 - baseFail) * failure.up : baseFail * (1 - fGain);
  return bounded(next, fMin, 1 - fMin, baseFail);
}

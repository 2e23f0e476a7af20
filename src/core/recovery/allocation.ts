// How a task's re-executions are shared out among its steps (HFR 4.8): more to what matters and can be mended, and a last-step
// budget that earlier steps cannot use up. Pure arithmetic; taking is budget.ts.
import type { Criticality } from '../context.ts';
import type { FaultClass } from '../faults/fault.ts';

/** What a step's share depends on: w_i = c_i * rho_i. */
export interface StepWeight {
  /** c_i: how much the step matters, > 0 (see `criticalityWeight`). */
  readonly criticality: number;
  /** rho_i: chance that a fault of it can be mended, 0-1. */
  readonly recoverability: number;
}

/** c_i by the task's criticality, where nothing finer is known. */
export const criticalityWeight: Readonly<Record<Criticality, number>> = { low: 1, medium: 2, high: 3 };

/**
 * rho before anything was seen, by class (HFR table 2, "retryable": yes .9, conditional about half, no 0 for the same way; T4
 * and T5 can be mended by another model or tool).
 */
const priorRecoverability: Readonly<Record<FaultClass, number>> = {
  T1: 0.9,
  T2: 0.9,
  T3: 0.6,
  T4: 0.6,
  T5: 0.5,
  T6: 0.6,
  T7: 0,
  T8: 0,
  V1: 0.5,
  unknown: 0.3,
};
/** Weight of that prior, in faults seen. */
const PRIOR_WEIGHT = 4;

/** Faults of one class so far, and how many of them ended well. */
export interface MendedCounts {
  readonly seen: number;
  readonly mended: number;
}

/** rho_i out of class and history: (4 * prior + mended) / (4 + seen). T7 and T8 are never mended by trying again: 0. */
export function recoverability(faultClass: FaultClass, history: MendedCounts): number {
  const prior = priorRecoverability[faultClass];
  if (prior === 0) return 0;
  return (PRIOR_WEIGHT * prior + history.mended) / (PRIOR_WEIGHT + history.seen);
}

/**
 * B_i = max(0, floor(B_t * w_i / sum w)) over what is not reserved; the last step gets the reserve on top. The sum never
 * exceeds `perTask`. No step has any weight: all get 0 but the last its reserve. Worked: B_t = 10, reserve 1, weights 1, 2, 1
 * -> 2, 4, 2 + 1.
 */
export function allocate(perTask: number, reserve: number, steps: readonly StepWeight[]): readonly number[] {
  const kept = Math.min(Math.max(0, reserve), Math.max(0, perTask));
  const weights = steps.map(({ criticality, recoverability: rho }) => Math.max(0, criticality) * Math.max(0, rho));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight, index) => {
    const share = sum > 0 ? Math.max(0, Math.floor((perTask - kept) * (weight / sum))) : 0;
    return index === steps.length - 1 ? share + kept : share;
  });
}

/**
 * B_i of a step of a task whose length is not known: as if `stepsAhead` more like the average of those seen would come.
 * `isLast`: nothing comes after it. Worked: B_t = 10, reserve 1, this step weighs 2 of steps 1, 2 and two more of 1.5 ->
 * floor(9 * 2 / 6) = 3.
 */
export function allocateOpenEnded(
  perTask: number,
  reserve: number,
  seen: readonly StepWeight[],
  stepsAhead: number,
  isLast: boolean,
): number {
  const weights = seen.map(({ criticality, recoverability: rho }) => criticality * rho);
  const mean = weights.reduce((total, weight) => total + weight, 0) / Math.max(1, weights.length);
  const ahead = Array.from({ length: isLast ? 0 : Math.max(1, stepsAhead) }, () => ({
    criticality: mean,
    recoverability: 1,
  }));
  return allocate(perTask, reserve, [...seen, ...ahead])[seen.length - 1] ?? 0;
}

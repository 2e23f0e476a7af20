// What one attempt costs, takes and counts for, by kind, tier and outcome (Table B1; billing as in study 2.1). A table, so that
// the runner and the exact expectation bill alike.
import { OUTCOME_COUNT, T3, V1, isSticky } from './codes.ts';
import type { SimulationParameters } from './parameters.ts';
import type { SimulatedPolicy } from './policies.ts';
import { TABLE_B1 } from './world.ts';

/** Index of every table: (isTool * 3 + tier) * OUTCOME_COUNT + outcome. */
export interface AttemptPrices {
  /** In units of one primary model call. */
  readonly cost: Float64Array;
  /** Attempts counted, 0-1. */
  readonly attempts: Float64Array;
  readonly seconds: Float64Array;
}

/** The prices that a policy pays: a completed attempt in full, a faulted one by who pays for it. */
export function attemptPrices(
  policy: Pick<SimulatedPolicy, 'paysEveryAttempt'>,
  { billed, latency }: SimulationParameters,
): AttemptPrices {
  const size = 2 * 3 * OUTCOME_COUNT;
  const prices = { cost: new Float64Array(size), attempts: new Float64Array(size), seconds: new Float64Array(size) };
  for (const [isTool, { cost, seconds }] of [TABLE_B1.model, TABLE_B1.tool].entries())
    for (let tier = 0; tier < 3; tier++)
      for (let outcome = 0; outcome < OUTCOME_COUNT; outcome++) {
        const at = (isTool * 3 + tier) * OUTCOME_COUNT + outcome;
        const isCompleted = outcome <= V1;
        let part = 1;
        let pace = 1;
        if (!isCompleted && policy.paysEveryAttempt) {
          part = billed.withoutRetry;
          pace = outcome === T3 ? latency.timeoutFactor : 1;
        } else if (!isCompleted) {
          part = isSticky(outcome) ? billed.sticky : billed.transient;
          pace = isSticky(outcome) ? latency.stickyFactor : latency.transientFactor;
        }
        prices.cost[at] = part * (cost[tier] ?? 0);
        prices.attempts[at] = part;
        prices.seconds[at] = pace * (seconds[tier] ?? 0) + (isCompleted ? latency.verifySeconds : 0);
      }
  return prices;
}

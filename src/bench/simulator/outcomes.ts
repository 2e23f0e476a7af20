// What one attempt may end in, and how likely: one row of probabilities for every situation an attempt can be in (study 2.2).
// The runner draws from these rows and the exact expectation sums over them, so both speak of the same world.
import {
  AFTER_NOTHING,
  AFTER_T4,
  AFTER_T7,
  AFTER_TRANSIENT,
  OUTCOME_COUNT,
  RIGHT,
  SILENT,
  T4,
  T5,
  T6,
  T7,
  T8,
  V1,
} from './codes.ts';
import { MAX_FAULT_RATE, TABLE_B1, type World } from './world.ts';

const TIERS = 3;
const MEMORIES = 6;
const ROWS = 3 * 2 * 2 * TIERS * 2 * MEMORIES;

/** How a policy's verifier sees outputs. */
export interface Verification {
  /** `never`: every completed output is accepted. `primary`: outputs of degraded attempts are accepted unseen. */
  readonly looksAt: 'everything' | 'primary' | 'nothing';
  /** Factors on Table B1's detection and false-reject rates. */
  readonly detectionFactor: number;
  readonly falseRejectFactor: number;
}

/** Number of the row of a situation; flags are 0 or 1, `memory` is one of the AFTER_ codes. */
export function rowOf(
  criticality: number,
  isInIncident: number,
  isTool: number,
  tier: number,
  isCompressed: number,
  memory: number,
): number {
  return ((((criticality * 2 + isInIncident) * 2 + isTool) * TIERS + tier) * 2 + isCompressed) * MEMORIES + memory;
}

/** Probabilities of all rows, one after another: row * OUTCOME_COUNT + outcome. Each row adds up to 1. */
export function outcomeProbabilities(world: World, verification: Verification): Float64Array {
  const all = new Float64Array(ROWS * OUTCOME_COUNT);
  for (let criticality = 0; criticality < 3; criticality++)
    for (let isInIncident = 0; isInIncident < 2; isInIncident++)
      for (let isTool = 0; isTool < 2; isTool++)
        for (let tier = 0; tier < TIERS; tier++)
          for (let isCompressed = 0; isCompressed < 2; isCompressed++)
            for (let memory = 0; memory < MEMORIES; memory++) {
              const start = rowOf(criticality, isInIncident, isTool, tier, isCompressed, memory) * OUTCOME_COUNT;
              fillRow(
                all.subarray(start, start + OUTCOME_COUNT),
                { criticality, isInIncident, isTool, tier, isCompressed, memory },
                world,
                verification,
              );
            }
  return all;
}

/** The same rows summed up from the left, for drawing; the last of a row is 1. */
export function cumulative(probabilities: Float64Array): Float64Array {
  const sums = new Float64Array(probabilities.length);
  for (let start = 0; start < probabilities.length; start += OUTCOME_COUNT) {
    let sum = 0;
    for (let outcome = 0; outcome < OUTCOME_COUNT; outcome++) {
      sum += probabilities[start + outcome] ?? 0;
      sums[start + outcome] = outcome === OUTCOME_COUNT - 1 ? 1 : sum;
    }
  }
  return sums;
}

interface Situation {
  readonly criticality: number;
  readonly isInIncident: number;
  readonly isTool: number;
  readonly tier: number;
  readonly isCompressed: number;
  readonly memory: number;
}

/** A sticky fault comes again; else a fault of incident or chance; else an output, right or wrong, and what is seen of it. */
function fillRow(row: Float64Array, at: Situation, world: World, verification: Verification): void {
  const { stickiness, isStickyOnAlternates } = world.parameters;
  const sticks = at.memory >= AFTER_T4 && (at.tier === 0 || (isStickyOnAlternates && at.memory >= AFTER_T7));
  const again = sticks ? stickiness : 0;
  fillFaults(row, at, world, 1 - again);
  let faulted = 0;
  for (const probability of row) faulted += probability;
  const completed = 1 - again - faulted;
  if (sticks) row[STICKY_FAULT[at.memory] ?? T8] = (row[STICKY_FAULT[at.memory] ?? T8] ?? 0) + again;
  const right = completed * rightShare(at, world);
  const wrong = completed - right;
  const base = at.isTool === 1 ? TABLE_B1.detection.tool : TABLE_B1.detection.model;
  const isSeen = verification.looksAt === 'everything' || (verification.looksAt === 'primary' && at.tier === 0) ? 1 : 0;
  const caught = wrong * Math.min(1, base * verification.detectionFactor) * isSeen;
  const rejected = right * Math.min(1, TABLE_B1.falseReject * verification.falseRejectFactor) * isSeen;
  row[RIGHT] = right - rejected;
  row[SILENT] = wrong - caught;
  row[V1] = caught + rejected;
}

const STICKY_FAULT: Readonly<Record<number, number>> = {
  [AFTER_T4]: T4,
  [AFTER_T4 + 1]: T5,
  [AFTER_T7]: T7,
  [AFTER_T7 + 1]: T8,
};

/** Faults of the incident and of chance, in `share` of the cases. The cache never faults; compressed text does not overflow. */
function fillFaults(row: Float64Array, at: Situation, world: World, share: number): void {
  const { incident, faultShares, afterTransientFactor } = world.parameters;
  if (at.isTool === 1 && at.tier === 2) return;
  const extra =
    at.isInIncident *
    (at.isTool === 1 ? incident.extraToolFault : incident.extraModelFault) *
    (at.tier > 0 ? incident.alternateShare : 1);
  const likely = world.faultRate + extra;
  if (likely === 0) return;
  const rate = share * Math.min(MAX_FAULT_RATE, likely) * (at.memory === AFTER_TRANSIENT ? afterTransientFactor : 1);
  const unavailable = rate * (extra / likely) * incident.unavailableShare;
  const shares = at.isTool === 1 ? faultShares.tool : faultShares.model;
  for (let outcome = V1 + 1; outcome < OUTCOME_COUNT; outcome++)
    row[outcome] = (rate - unavailable) * (shares[outcome] ?? 0);
  const down = at.isTool === 1 ? T5 : T4;
  row[down] = (row[down] ?? 0) + unavailable;
  if (at.isCompressed === 1) row[T6] = 0;
}

/** Probability that a completed output is right. */
function rightShare(at: Situation, world: World): number {
  const { penalty, incident } = world.parameters;
  const alternate = at.tier > 0;
  const kind = at.isTool === 1 ? TABLE_B1.tool : TABLE_B1.model;
  let share: number = kind.right[at.tier] ?? 0;
  if (alternate) {
    const cheap = at.isTool === 0 && at.tier === 2 ? penalty.cheapModelFactor : 1;
    share -= (penalty.byCriticality[at.criticality] ?? 0) * cheap * (at.isTool === 1 ? penalty.toolFactor : 1);
  }
  if (at.isTool === 0 && at.isCompressed === 1) share -= penalty.compressed;
  if (at.isInIncident === 1) share -= incident.wrongOutput * (alternate ? incident.alternateShare : 1);
  return Math.min(1, Math.max(0, share));
}

/** Memory of the first attempt of a step. */
export const FRESH = AFTER_NOTHING;

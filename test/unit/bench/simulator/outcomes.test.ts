import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OUTCOME_COUNT, RIGHT, SILENT, T4, T6, T8, V1 } from '../../../../src/bench/simulator/codes.ts';
import { cumulative, outcomeProbabilities, rowOf } from '../../../../src/bench/simulator/outcomes.ts';
import { worldOf } from '../../../../src/bench/simulator/world.ts';
import { parameterSet } from './parameterSet.ts';

const everything = { looksAt: 'everything', detectionFactor: 1, falseRejectFactor: 1 } as const;
const world = worldOf(parameterSet('J'), 0.14, null);
const rows = outcomeProbabilities(world, everything);
const at = (...situation: Parameters<typeof rowOf>): ((outcome: number) => number) => {
  const start = rowOf(...situation) * OUTCOME_COUNT;
  return (outcome) => rows[start + outcome]!;
};

describe('the outcomes of an attempt', () => {
  it('are probabilities that add up to 1, in every situation and at every fault rate', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.97, noNaN: true }), fc.constantFrom('J', 'A'), (faultRate, set) => {
        const all = outcomeProbabilities(worldOf(parameterSet(set), faultRate, 0.4), everything);
        for (let start = 0; start < all.length; start += OUTCOME_COUNT) {
          const row = all.subarray(start, start + OUTCOME_COUNT);
          if (row.some((probability) => probability < -1e-12)) return false;
          if (Math.abs(row.reduce((sum, probability) => sum + probability, 0) - 1) > 1e-9) return false;
        }
        return true;
      }),
      { numRuns: 30 },
    );
  });

  it('are never a fault of the cache', () => {
    const cache = at(0, 1, 1, 2, 0, 1);
    expect(cache(RIGHT) + cache(SILENT) + cache(V1)).toBeCloseTo(1, 12);
  });

  it('are never an overflow once the context is compressed', () => {
    expect(at(1, 0, 0, 0, 0, 0)(T6)).toBeCloseTo(0.14 * 0.26, 12);
    expect(at(1, 0, 0, 0, 1, 0)(T6)).toBe(0);
  });

  it('are the same sticky fault in nine of ten cases at the primary, and not at the alternate', () => {
    expect(at(1, 0, 0, 0, 0, 5)(T8)).toBeCloseTo(0.9 + 0.1 * 0.14 * 0.03, 12);
    expect(at(1, 0, 0, 1, 0, 5)(T8)).toBeCloseTo(0.14 * 0.03, 12);
  });

  it('are faults of the incident beside those of chance', () => {
    expect(at(1, 1, 0, 0, 0, 0)(T4)).toBeCloseTo(0.36 + 0.14 * 0.02, 12);
    expect(at(1, 1, 0, 1, 0, 0)(T4)).toBeCloseTo(0.56 * 0.36 + 0.14 * 0.02, 12);
  });

  it('let one wrong model output in ten pass unseen', () => {
    const calm = at(0, 0, 0, 0, 0, 0);
    expect(calm(SILENT)).toBeCloseTo(0.86 * 0.06 * 0.1, 12);
    expect(calm(V1)).toBeCloseTo(0.86 * (0.06 * 0.9 + 0.94 * 0.02), 12);
  });

  it('end every row of sums at 1', () => {
    const sums = cumulative(rows);
    for (let last = OUTCOME_COUNT - 1; last < sums.length; last += OUTCOME_COUNT) expect(sums[last]).toBe(1);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allocate,
  allocateOpenEnded,
  criticalityWeight,
  recoverability,
} from '../../../../src/core/recovery/allocation.ts';

const step = (criticality: number, rho = 1): { criticality: number; recoverability: number } => ({
  criticality,
  recoverability: rho,
});
const none = { seen: 0, mended: 0 };

describe('the allocation of a task’s budget', () => {
  it('is B_i = max(0, floor(B_t * w_i / sum w)) where nothing is reserved', () => {
    expect(allocate(10, 0, [step(1), step(2), step(1)])).toEqual([2, 5, 2]);
    expect(allocate(10, 0, [step(1, 0.9), step(3, 0.5), step(2, 0)])).toEqual([3, 6, 0]);
    expect(allocate(0, 0, [step(1)])).toEqual([0]);
    expect(allocate(10, 0, [])).toEqual([]);
  });

  it('gives the last step its reserve on top', () => {
    expect(allocate(10, 1, [step(1), step(2), step(1)])).toEqual([2, 4, 3]);
    expect(allocate(10, 2, [step(1, 0), step(1, 0)])).toEqual([0, 2]);
    expect(allocate(1, 5, [step(1), step(1)])).toEqual([0, 1]);
  });

  it('never gives out more than there is, never less than nothing, and always the reserve', () => {
    const weight = fc.double({ min: 0, max: 10, noNaN: true });
    const steps = fc.array(fc.record({ criticality: weight, recoverability: weight }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 5 }), steps, (perTask, reserve, all) => {
        const shares = allocate(perTask, reserve, all);
        expect(shares.every((share) => share >= 0 && Number.isInteger(share))).toBe(true);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(perTask);
        expect(shares.at(-1)).toBeGreaterThanOrEqual(Math.min(reserve, perTask));
      }),
    );
  });

  it('shares out a task of unknown length as if more like the average would come', () => {
    expect(allocateOpenEnded(10, 1, [step(1), step(2)], 2, false)).toBe(3);
    expect(allocateOpenEnded(10, 1, [step(1), step(2)], 0, true)).toBe(7);
    expect(allocateOpenEnded(10, 1, [], 3, false)).toBe(0);
  });
});

describe('recoverability', () => {
  it('follows the table before anything was seen, and history after', () => {
    expect(recoverability('T1', none)).toBe(0.9);
    expect(recoverability('V1', none)).toBe(0.5);
    expect(recoverability('T1', { seen: 16, mended: 0 })).toBeCloseTo(0.18);
    expect(recoverability('T5', { seen: 96, mended: 96 })).toBeGreaterThan(0.95);
  });

  it('of what no resending mends is 0 whatever was seen (border 1)', () => {
    expect(recoverability('T7', { seen: 9, mended: 9 })).toBe(0);
    expect(recoverability('T8', { seen: 9, mended: 9 })).toBe(0);
  });

  it('counts the more the more a step matters', () => {
    expect(criticalityWeight.high).toBeGreaterThan(criticalityWeight.medium);
    expect(criticalityWeight.medium).toBeGreaterThan(criticalityWeight.low);
  });
});

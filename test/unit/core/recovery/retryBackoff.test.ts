// Full jitter as a distribution, its worked number, and figures that are out of range (HFR 4.3).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../../../src/core/recovery/backoff.ts';
import { seededRandom } from '../../../support/random.ts';

const printed = { baseDelayMs: 200, maxDelayMs: 2000 };

describe('the wait before a retry', () => {
  it('doubles its ceiling from 200 ms to 2 s', () => {
    expect([1, 2, 3, 4, 5, 60, 2000].map((k) => backoffMs(k, 1, null, printed))).toEqual([
      200, 400, 800, 1600, 2000, 2000, 2000,
    ]);
    expect(backoffMs(3, 0.5, null, printed)).toBe(400);
  });

  it('is uniform from 0 to its ceiling', () => {
    const random = seededRandom(1);
    const waits = Array.from({ length: 40_000 }, () => backoffMs(3, random.next(), null, printed));
    const tenths = Array.from(
      { length: 10 },
      (_, tenth) => waits.filter((wait) => Math.floor(wait / 80) === tenth).length,
    );
    for (const count of tenths) expect(Math.abs(count - 4000)).toBeLessThan(300);
    expect(waits.reduce((sum, wait) => sum + wait, 0) / waits.length).toBeCloseTo(400, -1);
  });

  it('is never less than Retry-After, and never negative', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -5, max: 2000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.option(fc.integer({ min: -1000, max: 1e7 })),
        (k, draw, asked) => {
          const wait = backoffMs(k, draw, asked, printed);
          expect(wait).toBeGreaterThanOrEqual(Math.max(0, asked ?? 0));
          expect(wait).toBeLessThanOrEqual(Math.max(2000, asked ?? 0));
        },
      ),
    );
  });
});

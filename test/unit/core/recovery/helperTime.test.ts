import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { helperLimitMs } from '../../../../src/core/recovery/helperTime.ts';

const time = { patienceMs: 30_000, nowMs: 1000, deadlineMs: 121_000, stepMs: 1000, verifyMs: 0 };

describe('the time of a helper', () => {
  it.each([
    ['is its own limit where there is plenty', {}, 30_000],
    ['is half of what is left at most', { deadlineMs: 6000 }, 2500],
    ['leaves the answer its expected duration', { deadlineMs: 21_000, stepMs: 15_000 }, 4000],
    ['leaves the check behind the answer its own', { deadlineMs: 21_000, stepMs: 15_000, verifyMs: 3000 }, 1000],
    ['is none where hardly any would be', { deadlineMs: 1900 }, 0],
    ['is none after the deadline', { deadlineMs: 500 }, 0],
    ['is none where somebody cannot count', { stepMs: Number.NaN }, 0],
  ])('%s', (_, change, expected) => {
    expect(helperLimitMs({ ...time, ...change })).toBe(expected);
  });

  it('never takes what the answer is expected to need', () => {
    const ms = fc.integer({ min: 0, max: 200_000 });
    fc.assert(
      fc.property(ms, ms, ms, ms, ms, (patienceMs, nowMs, deadlineMs, stepMs, verifyMs) => {
        const limitMs = helperLimitMs({ patienceMs, nowMs, deadlineMs, stepMs, verifyMs });
        expect(limitMs).toBeLessThanOrEqual(patienceMs);
        if (limitMs > 0) expect(nowMs + limitMs + stepMs + verifyMs).toBeLessThan(deadlineMs);
      }),
    );
  });
});

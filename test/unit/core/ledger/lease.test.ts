import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideLease, isLeaseOver, MAX_LEASE_MS } from '../../../../src/core/ledger/lease.ts';
import type { LeaseRow } from '../../../../src/core/ledger/lease.ts';

const row: LeaseRow = { key: 'k', holder: 'one', token: 7, expiresAtMs: 1000 };
const wish = { key: 'k', holder: 'two', nowMs: 500, ttlMs: 300 };

describe('a lease', () => {
  it('of a free key is granted with the next token', () => {
    expect(decideLease(null, 7, wish)).toEqual({
      granted: true,
      save: { key: 'k', holder: 'two', token: 8, expiresAtMs: 800 },
    });
  });

  it('is refused while another holds it, up to the millisecond it ends', () => {
    expect(decideLease(row, 9, { ...wish, nowMs: 999 })).toEqual({ granted: false, holder: 'one', expiresAtMs: 1000 });
    expect(decideLease(row, 9, { ...wish, nowMs: 1000 })).toMatchObject({ granted: true, save: { token: 10 } });
  });

  it('is renewed by its holder under the same token, before and after its end', () => {
    const own = { ...wish, holder: 'one' };
    expect(decideLease(row, 9, own)).toMatchObject({ granted: true, save: { token: 7, expiresAtMs: 800 } });
    expect(decideLease(row, 9, { ...own, nowMs: 5000 })).toMatchObject({ granted: true, save: { token: 7 } });
  });

  it('lasts no longer than an hour and no shorter than nothing, in whole milliseconds', () => {
    const end = (ttlMs: number, nowMs = 0): unknown => {
      const decided = decideLease(null, 0, { ...wish, nowMs, ttlMs });
      return decided.granted ? decided.save.expiresAtMs : null;
    };
    expect(end(MAX_LEASE_MS + 1)).toBe(MAX_LEASE_MS);
    expect(end(Number.POSITIVE_INFINITY)).toBe(MAX_LEASE_MS);
    expect(end(-5)).toBe(0);
    expect(end(Number.NaN)).toBe(0);
    expect(end(10.9, 1.7)).toBe(11);
  });

  it('that ends later than any lease can is over: a wrong clock wrote it', () => {
    expect(isLeaseOver({ ...row, expiresAtMs: MAX_LEASE_MS }, 0)).toBe(false);
    expect(isLeaseOver({ ...row, expiresAtMs: MAX_LEASE_MS + 1 }, 0)).toBe(true);
    expect(isLeaseOver({ ...row, expiresAtMs: Number.NaN }, 0)).toBe(true);
  });

  it('has one holder at a time and tokens that only grow, whatever is asked for in whatever order', () => {
    const ask = fc.record({
      holder: fc.constantFrom('a', 'b', 'c'),
      stepMs: fc.nat({ max: 400 }),
      ttlMs: fc.nat({ max: 300 }),
    });
    fc.assert(
      fc.property(fc.array(ask, { maxLength: 40 }), (asks) => {
        let stored: LeaseRow | null = null;
        let last = 0;
        let nowMs = 0;
        for (const { holder, stepMs, ttlMs } of asks) {
          nowMs += stepMs;
          const before: LeaseRow | null = stored;
          const decided = decideLease(stored, last, { key: 'k', holder, nowMs, ttlMs });
          if (!decided.granted) {
            expect(before?.holder).not.toBe(holder);
            expect(nowMs).toBeLessThan(before?.expiresAtMs ?? 0);
            continue;
          }
          if (before && before.holder !== holder) expect(nowMs).toBeGreaterThanOrEqual(before.expiresAtMs);
          expect(decided.save.token > last).toBe(before?.holder !== holder);
          last = Math.max(last, decided.save.token);
          stored = decided.save;
        }
      }),
    );
  });
});

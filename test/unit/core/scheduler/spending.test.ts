import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayOf, spendingRefusal, spendingText, type Spent } from '../../../../src/core/scheduler/spending.ts';

const nothing: Spent = { usd: 0, pledgedUsd: 0 };
const free = { perCallUsd: 0, perTaskUsd: 0, perDayUsd: 0 };
const extra = (worstUsd: number | null) => ({ isExtra: true, worstUsd });
const needed = (worstUsd: number | null) => ({ isExtra: false, worstUsd });

describe('one more attempt', () => {
  it('may always start where no limit is set', () => {
    const much = { usd: 1e6, pledgedUsd: 1e6 };
    expect(spendingRefusal({ call: much, task: much, day: much }, free, extra(1e6))).toBeNull();
  });

  it('that is an extra must fit worst case, what runs included', () => {
    const spent = { call: nothing, task: { usd: 0.5, pledgedUsd: 0.3 }, day: nothing };
    const limits = { ...free, perTaskUsd: 1 };
    expect(spendingRefusal(spent, limits, extra(0.2))).toBeNull();
    expect(spendingRefusal(spent, limits, extra(0.21))).toEqual({ scope: 'task', limitUsd: 1, spentUsd: 0.5 });
  });

  it('that is needed starts until the limit is spent', () => {
    const limits = { ...free, perDayUsd: 1 };
    const day = (usd: number) => ({ call: nothing, task: nothing, day: { usd, pledgedUsd: 5 } });
    expect(spendingRefusal(day(0.99), limits, needed(2))).toBeNull();
    expect(spendingRefusal(day(1), limits, needed(0))?.scope).toBe('day');
  });

  it('is refused by the narrowest limit', () => {
    const over = { usd: 2, pledgedUsd: 0 };
    const limits = { perCallUsd: 1, perTaskUsd: 1, perDayUsd: 1 };
    expect(spendingRefusal({ call: over, task: over, day: over }, limits, needed(0))?.scope).toBe('call');
  });

  it('that costs nothing, or nothing that is known, starts until the limit is spent, whatever runs', () => {
    const limits = { ...free, perCallUsd: 0.01 };
    for (const asked of [extra(null), extra(0)]) {
      const beside = (usd: number) => ({ call: { usd, pledgedUsd: 5 }, task: nothing, day: nothing });
      expect(spendingRefusal(beside(0.009), limits, asked)).toBeNull();
      expect(spendingRefusal(beside(0.01), limits, asked)?.scope).toBe('call');
    }
  });

  it('never takes extras past a limit, in whatever order they come and end', () => {
    const attempt = fc.record({
      worst: fc.double({ min: 0, max: 1, noNaN: true }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      ends: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(attempt, { maxLength: 40 }),
        fc.double({ min: 0.01, max: 3, noNaN: true }),
        (attempts, perCallUsd) => {
          let usd = 0;
          let pledgedUsd = 0;
          for (const { worst, share, ends } of attempts) {
            const spent = { call: { usd, pledgedUsd }, task: nothing, day: nothing };
            if (spendingRefusal(spent, { ...free, perCallUsd }, extra(worst))) continue;
            if (ends) usd += worst * share;
            else pledgedUsd += worst;
          }
          expect(usd + pledgedUsd).toBeLessThanOrEqual(perCallUsd + 1e-6);
        },
      ),
    );
  });
});

describe('a limit that is spent', () => {
  it('is named with what was spent and the setting', () => {
    expect(spendingText({ scope: 'day', limitUsd: 5, spentUsd: 5.02 })).toBe(
      "The day's budget of $5.00 is spent ($5.02). Raise belay.advanced.spending.perDayUsd, or set it to 0 for no limit; the day ends at 00:00 UTC.",
    );
    expect(spendingText({ scope: 'call', limitUsd: 0.002, spentUsd: 0.0031 })).toBe(
      "The call's budget of $0.0020 is spent ($0.0031). Raise belay.advanced.spending.perCallUsd, or set it to 0 for no limit.",
    );
  });
});

describe('a day', () => {
  it('ends at midnight UTC', () => {
    expect(dayOf(0)).toBe(0);
    expect(dayOf(86_399_999)).toBe(0);
    expect(dayOf(86_400_000)).toBe(1);
    expect(dayOf(-1)).toBe(-1);
  });
});

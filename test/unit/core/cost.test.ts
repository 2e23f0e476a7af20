import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Usage } from '../../../src/core/chat.ts';
import { believableUsage, billedUsage, costUsd, type BillBasis } from '../../../src/core/cost.ts';
import { noSize, sizeOfText, totalChars } from '../../../src/core/textSize.ts';

const price = { inputUsdPerMTok: 3, outputUsdPerMTok: 15, cachedInputUsdPerMTok: 0.3 };

describe('the cost of usage', () => {
  const cases: readonly [string, Usage, number][] = [
    ['plain input and output', { inputTokens: 1000, outputTokens: 100 }, 0.0045],
    ['cached input at its own price', { inputTokens: 1000, outputTokens: 0, cachedInputTokens: 900 }, 0.00057],
    [
      'what was written to the cache a quarter dearer',
      { inputTokens: 1000, outputTokens: 0, cacheWriteInputTokens: 400 },
      0.0033,
    ],
    [
      'what is kept for an hour twice as dear',
      { inputTokens: 1000, outputTokens: 0, cacheWriteInputTokens: 400, longCacheWriteInputTokens: 400 },
      0.0042,
    ],
  ];
  it.each(cases)('counts %s', (_what, usage, usd) => {
    expect(costUsd(usage, price)).toBeCloseTo(usd, 12);
  });

  it('adds all of them up: 200 plain, 500 cached, 200 and 100 written, 10 out', () => {
    const usage = { inputTokens: 1000, outputTokens: 10, cachedInputTokens: 500, cacheWriteInputTokens: 300 };
    const usd = (200 * 3 + 500 * 0.3 + 200 * 3.75 + 100 * 6 + 10 * 15) / 1e6;
    expect(costUsd({ ...usage, longCacheWriteInputTokens: 100 }, price)).toBeCloseTo(usd, 12);
  });

  it('takes cached tokens at the full price where no other is known', () => {
    const usage = { inputTokens: 1000, outputTokens: 0, cachedInputTokens: 900 };
    expect(costUsd(usage, { inputUsdPerMTok: 3, outputUsdPerMTok: 15 })).toBeCloseTo(0.003, 12);
  });

  it('is never negative and never more than twice the price of input, whatever parts are claimed', () => {
    const tokens = fc.integer({ min: 0, max: 1e6 });
    fc.assert(
      fc.property(
        tokens,
        tokens,
        tokens,
        tokens,
        (inputTokens, cachedInputTokens, cacheWriteInputTokens, longCacheWriteInputTokens) => {
          const usd = costUsd(
            { inputTokens, outputTokens: 0, cachedInputTokens, cacheWriteInputTokens, longCacheWriteInputTokens },
            price,
          );
          expect(usd).toBeGreaterThanOrEqual((inputTokens * 0.3) / 1e6 - 1e-12);
          expect(usd).toBeLessThanOrEqual((inputTokens * 6) / 1e6 + 1e-12);
        },
      ),
    );
  });

  it('believes no part that cannot be', () => {
    const plain = { inputTokens: 10, outputTokens: 1 };
    for (const name of ['cachedInputTokens', 'cacheWriteInputTokens', 'longCacheWriteInputTokens'])
      for (const tokens of [-1, 0.5, NaN, 1e10]) expect(believableUsage({ ...plain, [name]: tokens })).toBeNull();
    expect(believableUsage({ ...plain, cacheWriteInputTokens: 5 })).not.toBeNull();
  });
});

describe('what is to be paid', () => {
  const basis: BillBasis = {
    kind: 'estimated',
    usage: null,
    leastOutputTokens: 0,
    sent: sizeOfText('x'.repeat(1000)),
    received: sizeOfText('y'.repeat(30)),
  };

  it('is nothing where nothing can have been billed', () => {
    expect(billedUsage({ ...basis, kind: 'none' }, totalChars)).toEqual({ inputTokens: 0, outputTokens: 0 });
  });

  it('is what the provider counted, where it counted to the end', () => {
    const usage = { inputTokens: 7, outputTokens: 8, cachedInputTokens: 3 };
    expect(billedUsage({ ...basis, kind: 'counted', usage }, totalChars)).toBe(usage);
  });

  it('is the whole prompt and all that came of an answer that was cut off', () => {
    expect(billedUsage(basis, totalChars)).toEqual({ inputTokens: 1000, outputTokens: 30 });
    expect(billedUsage({ ...basis, received: noSize }, totalChars)).toEqual({ inputTokens: 1000, outputTokens: 0 });
  });

  it('keeps what the provider had counted by then: the prompt with its cached part, and output beyond what was seen', () => {
    const usage = { inputTokens: 7, outputTokens: 1, cachedInputTokens: 3 };
    expect(billedUsage({ ...basis, usage }, totalChars)).toEqual({ ...usage, outputTokens: 30 });
    expect(billedUsage({ ...basis, usage, leastOutputTokens: 99 }, totalChars)).toEqual({ ...usage, outputTokens: 99 });
  });
});

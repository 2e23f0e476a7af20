import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNearLimit, isTooLarge, targetTokens } from '../../../../src/core/recovery/nearLimit.ts';

const use = (inputTokens: number, outputTokens: number, windowTokens: number) => ({
  inputTokens,
  outputTokens,
  windowTokens,
});

describe('the limit of a window', () => {
  it('is near above the share, the room of the answer included', () => {
    expect(isNearLimit(use(95, 0, 100), 0.9)).toBe(true);
    expect(isNearLimit(use(90, 0, 100), 0.9)).toBe(false);
    expect(isNearLimit(use(80, 11, 100), 0.9)).toBe(true);
  });

  it('is never near at a share of 1, nor where the window is not known', () => {
    expect(isNearLimit(use(1000, 0, 100), 1)).toBe(false);
    expect(isNearLimit(use(1000, 0, 0), 0.9)).toBe(false);
    expect(isNearLimit(use(1000, 0, Number.NaN), 0.9)).toBe(false);
  });

  it('is passed where prompt and answer are larger than the window', () => {
    expect(isTooLarge(use(90, 11, 100))).toBe(true);
    expect(isTooLarge(use(90, 10, 100))).toBe(false);
    expect(isTooLarge(use(90, 10, 0))).toBe(false);
  });

  it('is not near any more at the target, for every share below', () => {
    const share = fc.double({ min: 0.1, max: 0.99, noNaN: true });
    fc.assert(
      fc.property(
        fc.nat(100_000),
        fc.integer({ min: 1, max: 1_000_000 }),
        share,
        share,
        (output, window, near, part) => {
          const inputTokens = targetTokens({ outputTokens: output, windowTokens: window }, Math.min(part, near));
          expect(inputTokens).toBeGreaterThanOrEqual(0);
          if (output <= near * window) expect(isNearLimit(use(inputTokens, output, window), near)).toBe(false);
        },
      ),
    );
  });
});

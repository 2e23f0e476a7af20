import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  breakEvenGain,
  breakEvenLossPerCost,
  independentGain,
  judgeRuleOfThumb,
  printedNetGain,
  printedRuleOfThumb,
} from '../../../../../src/core/scheduler/redundancy/roi.ts';

describe('the printed net gain', () => {
  it('is loss times gain minus cost times degree', () => {
    expect(printedNetGain({ lossUsd: 10, reliabilityGain: 0.24, costUsd: 1, degree: 2 })).toBeCloseTo(0.4, 12);
  });
});

describe('the rule of thumb', () => {
  it('says yes above 5 costs', () => {
    expect([4.9, 5, 5.1].map(printedRuleOfThumb)).toEqual([false, false, true]);
  });

  it('implies a gain of degree/5, which independent copies never have', () => {
    expect(breakEvenGain(5, 2)).toBe(0.4);
    expect(breakEvenGain(5, 3)).toBe(0.6);
    expect(breakEvenGain(5, 2, 'extra-copies')).toBe(0.2);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(2, 3), (rate, degree) => {
        expect(independentGain(rate, degree)).toBeLessThan(breakEvenGain(5, degree));
      }),
    );
  });

  it('asks for 12.5 costs at the printed failure rate, 42 at 5 %, and 8 at the best there is', () => {
    expect(breakEvenLossPerCost(0.2, 2)).toBeCloseTo(12.5, 10);
    expect(breakEvenLossPerCost(0.05, 2)).toBeCloseTo(42.105, 3);
    expect(breakEvenLossPerCost(0.5, 2)).toBe(8);
    expect(breakEvenLossPerCost(0.2, 2, 'extra-copies')).toBeCloseTo(6.25, 10);
    expect([breakEvenLossPerCost(0, 2), breakEvenLossPerCost(1, 2)]).toEqual([Infinity, Infinity]);
  });

  it('is too eager between 5 costs and the break-even, and too timid where the first execution is not charged', () => {
    const reliabilityGain = independentGain(0.2, 2);
    expect(judgeRuleOfThumb({ lossPerCost: 6, reliabilityGain, degree: 2 })).toBe('too-eager');
    expect(judgeRuleOfThumb({ lossPerCost: 13, reliabilityGain, degree: 2 })).toBe('right');
    expect(judgeRuleOfThumb({ lossPerCost: 4, reliabilityGain, degree: 2 })).toBe('right');
    const best = independentGain(0.5, 2);
    expect(judgeRuleOfThumb({ lossPerCost: 4.5, reliabilityGain: best, degree: 2 }, 'extra-copies')).toBe('too-timid');
  });

  it('is judged by the sign of the printed formula', () => {
    const ratio = fc.double({ min: 0, max: 100, noNaN: true });
    fc.assert(
      fc.property(
        ratio,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.constantFrom(2, 3),
        (lossPerCost, gain, degree) => {
          const pays = printedNetGain({ lossUsd: lossPerCost, reliabilityGain: gain, costUsd: 1, degree }) > 0;
          const verdict = judgeRuleOfThumb({ lossPerCost, reliabilityGain: gain, degree });
          expect(verdict === 'right').toBe(pays === lossPerCost > 5);
          if (verdict === 'too-timid') expect(gain).toBeGreaterThan(0.4);
        },
      ),
    );
  });
});

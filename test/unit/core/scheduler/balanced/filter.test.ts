import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { relaxedSource, sourcePrior } from '../../../../../src/core/scheduler/balanced/beliefs.ts';
import { balancedConstants } from '../../../../../src/core/scheduler/balanced/constants.ts';
import {
  afterFailure,
  afterSuccess,
  availability,
  baseFailAfter,
} from '../../../../../src/core/scheduler/balanced/filter.ts';
import { anyNumber } from './samples.ts';

const { delta } = balancedConstants;

/** Posterior that each source is down, by going through every on/off state: Bayes without any formula of the filter. */
function posterior(down: readonly number[], baseFail: number, isSuccess: boolean): number[] {
  const mass = down.map(() => 0);
  let total = 0;
  for (let state = 0; state < 2 ** down.length; state++) {
    let weight = 1;
    let success = 1 - baseFail;
    down.forEach((p, bit) => {
      const isDown = Math.floor(state / 2 ** bit) % 2 === 1;
      weight *= isDown ? p : 1 - p;
      if (isDown) success *= 1 - delta;
    });
    weight *= isSuccess ? success : 1 - success;
    total += weight;
    down.forEach((_, bit) => {
      if (Math.floor(state / 2 ** bit) % 2 === 1) mass[bit] = (mass[bit] ?? 0) + weight;
    });
  }
  return mass.map((value) => value / total);
}

const beliefs = fc.array(fc.double({ min: 0.01, max: 0.6, noNaN: true }), { minLength: 1, maxLength: 4 });

describe('the P(down) filter', () => {
  it('is Bayes over all states of the sources, to 1e-9, for a success and for a failure', () => {
    fc.assert(
      fc.property(beliefs, fc.double({ min: 0.01, max: 0.5, noNaN: true }), (down, baseFail) => {
        const lost = posterior(down, baseFail, false);
        afterFailure(down, baseFail, 1, balancedConstants).forEach((p, index) =>
          expect(Math.abs(p - Math.min(0.995, lost[index]!))).toBeLessThan(1e-9),
        );
        const kept = posterior(down, baseFail, true);
        afterSuccess(down, 1, balancedConstants).forEach((p, index) =>
          expect(Math.abs(p - Math.max(1e-4, kept[index]!))).toBeLessThan(1e-9),
        );
      }),
    );
  });

  it('counts a hung call by its weight of .6: the odds ratio to that power', () => {
    const [hard] = afterFailure([0.005, 0.01], 0.05, 1, balancedConstants);
    const [hung] = afterFailure([0.005, 0.01], 0.05, 0.6, balancedConstants);
    const odds = (p: number): number => p / (1 - p);
    expect(odds(hung!) / odds(0.005)).toBeCloseTo((odds(hard!) / odds(0.005)) ** 0.6, 9);
  });

  it('leaves a source alone that cannot be at fault', () => {
    const after = afterFailure([0.005, 0.005], 0.05, 1, balancedConstants, (index) => index === 0);
    expect(after[0]).toBeGreaterThan(0.05);
    expect(after[1]).toBe(0.005);
  });

  it('stays within its bounds for any belief, rate and weight', () => {
    fc.assert(
      fc.property(
        fc.array(anyNumber, { maxLength: 5 }),
        anyNumber,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (...all) => {
          const [raw, rate, weight] = all;
          const down = raw.map((p) => (p >= 0 && p <= 1 ? p : 0.5));
          const baseFail = rate >= 0 && rate <= 1 ? rate : 0.5;
          for (const p of [
            ...afterFailure(down, baseFail, weight, balancedConstants),
            ...afterSuccess(down, weight, balancedConstants),
          ])
            expect(p >= 1e-4 && p <= 0.995).toBe(true);
        },
      ),
    );
  });
});

describe('availability and the base failure rate', () => {
  it('solves the worked number: f .05 and three sources at .005 give .9362', () => {
    expect(availability(0.05, [0.005, 0.005, 0.005], delta)).toBeCloseTo(0.9362, 4);
  });

  it('moves f by the printed gains', () => {
    expect(baseFailAfter(0.05, null, balancedConstants)).toBeCloseTo(0.05 * 0.995, 12);
    expect(baseFailAfter(0.05, { weight: 0.6, up: 0.9 }, balancedConstants)).toBeCloseTo(
      0.05 + 0.005 * 0.6 * 0.95 * 0.9,
      12,
    );
  });

  it('settles f near the true rate of failures', () => {
    let f = 0.05;
    for (let call = 0; call < 20_000; call++)
      f = baseFailAfter(f, call % 5 === 0 ? { weight: 1, up: 1 } : null, balancedConstants);
    expect(f).toBeCloseTo(0.2, 2);
  });

  it('never lets f reach 0 or 1', () => {
    let f = 0.05;
    for (let call = 0; call < 5000; call++) f = baseFailAfter(f, null, balancedConstants);
    expect(f).toBe(balancedConstants.fMin);
  });
});

describe('relaxing', () => {
  it('goes half of the way to the prior in 180 s, and all of it in the end', () => {
    const belief = { p: 0.805, atMs: 0 };
    expect(relaxedSource(belief, 0.005, 180_000, balancedConstants)).toBeCloseTo(0.405, 12);
    expect(relaxedSource(belief, 0.005, 1e9, balancedConstants)).toBeCloseTo(0.005, 12);
    expect(relaxedSource(undefined, 0.005, 0, balancedConstants)).toBe(0.005);
  });

  it('has a smaller prior for a backbone', () => {
    expect(sourcePrior('backbone:x', balancedConstants)).toBe(0.0025);
    expect(sourcePrior('region:x', balancedConstants)).toBe(0.005);
  });
});

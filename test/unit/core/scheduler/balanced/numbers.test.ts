import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { medianResidualMs, survival } from '../../../../../src/core/scheduler/balanced/latency.ts';
import {
  bounded,
  elapsedMs,
  normalCdf,
  normalQuantile,
  timesOdds,
} from '../../../../../src/core/scheduler/balanced/numbers.ts';
import { anyNumber } from './samples.ts';

/** Φ by Simpson's rule over the density, from so far left that nothing is missing. */
function integratedCdf(z: number): number {
  const from = -12;
  const steps = 20_000;
  const width = (z - from) / steps;
  let sum = 0;
  for (let step = 0; step <= steps; step++) {
    const x = from + step * width;
    const weight = step === 0 || step === steps ? 1 : step % 2 === 1 ? 4 : 2;
    sum += weight * Math.exp((-x * x) / 2);
  }
  return (sum * width) / 3 / Math.sqrt(2 * Math.PI);
}

describe('the normal distribution', () => {
  it.each([-6, -3.5, -2.5001, -2.4999, -1, -0.1, 0, 0.7, 1.645, 2.33, 4])('agrees with an integral at %d', (z) => {
    expect(Math.abs(normalCdf(z) - integratedCdf(z))).toBeLessThan(1e-10);
    expect(Math.abs(normalCdf(z) / integratedCdf(z) - 1)).toBeLessThan(1e-6);
  });

  it('knows the figures of the tables', () => {
    expect(normalCdf(1.645)).toBeCloseTo(0.9500151, 7);
    expect(normalQuantile(0.05)).toBeCloseTo(-1.6448536, 7);
    expect(normalQuantile(0.99)).toBeCloseTo(2.3263479, 7);
    expect(normalCdf(-10) / 7.61985302416e-24).toBeCloseTo(1, 9);
  });

  it('is undone by its quantile', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 0.5, noNaN: true }), (p) => {
        expect(Math.abs(normalCdf(normalQuantile(p)) / p - 1)).toBeLessThan(1e-9);
      }),
    );
  });

  it('stays a probability for any number', () => {
    fc.assert(
      fc.property(anyNumber, (z) => {
        const p = normalCdf(z);
        expect(p >= 0 && p <= 1).toBe(true);
      }),
    );
  });
});

describe('the median residual life', () => {
  it('leaves half of the survivors', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 60_000, noNaN: true }),
        fc.double({ min: 5, max: 11, noNaN: true }),
        fc.double({ min: 0.2, max: 1, noNaN: true }),
        (elapsed, center, s) => {
          const alive = survival(elapsed, center, s);
          fc.pre(alive > 1e-9);
          const residual = medianResidualMs(elapsed, center, s);
          expect(survival(elapsed + residual, center, s) / alive).toBeCloseTo(0.5, 9);
        },
      ),
    );
  });

  it('is the median itself before anything has passed', () => {
    expect(medianResidualMs(0, Math.log(4000), 0.5)).toBeCloseTo(4000, 6);
  });
});

describe('bounds and odds', () => {
  it('lets no number past its bounds', () => {
    fc.assert(
      fc.property(anyNumber, anyNumber, (value, factor) => {
        const p = bounded(value, 0, 1, 0.5);
        expect(p >= 0 && p <= 1).toBe(true);
        const moved = timesOdds(bounded(value, 1e-4, 0.995, 0.5), Math.abs(bounded(factor, 0, 1e300)));
        expect(moved >= 0 && moved <= 1).toBe(true);
      }),
    );
  });

  it('takes time in either direction as time, and no time for what is no number', () => {
    expect(elapsedMs(1000, 400)).toBe(600);
    expect(elapsedMs(NaN, 5)).toBe(0);
    expect(elapsedMs(Infinity, Infinity)).toBe(0);
  });
});

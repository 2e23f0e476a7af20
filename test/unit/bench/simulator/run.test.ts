import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGenerator } from '../../../../src/bench/simulator/generator.ts';
import { documentPolicies, type SimulatedPolicy } from '../../../../src/bench/simulator/policies.ts';
import { kthSmallest } from '../../../../src/bench/simulator/quantile.ts';
import { simulateSeed } from '../../../../src/bench/simulator/run.ts';
import { figuresOf, overSeeds } from '../../../../src/bench/simulator/tally.ts';
import { worldOf } from '../../../../src/bench/simulator/world.ts';
import { parameterSet } from './parameterSet.ts';

const J = parameterSet('J');
const policy = (name: string): SimulatedPolicy => documentPolicies(J).find((each) => each.name === name)!;
const calm = worldOf({ ...J, incident: { ...J.incident, wrongOutput: 0 } }, 0, 0);

describe('a seed', () => {
  it('gives the same tasks again, and another seed others', () => {
    const run = (seed: number): unknown => figuresOf(simulateSeed(policy('hfr'), worldOf(J, 0.14, null), seed, 2000));
    expect(run(7)).toEqual(run(7));
    expect(run(7)).not.toEqual(run(8));
  });

  it('accounts for every task once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 40 }), fc.constantFrom(...documentPolicies(J)), (seed, each) => {
        const tally = simulateSeed(each, worldOf(J, 0.3, 0.2), seed, 500);
        const others = tally.otherSeconds.subarray(0, 500 - tally.escalated);
        return (
          tally.succeeded + tally.silent + tally.escalated <= 500 &&
          tally.cleanlySucceeded <= tally.succeeded &&
          tally.cleanlyEscalated <= tally.escalated &&
          others.every((seconds) => seconds >= 0) &&
          tally.escalatedSeconds.subarray(0, tally.escalated).every((seconds) => seconds >= 10)
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe('a world without faults', () => {
  it('leaves NoRetry with wrong and wrongly rejected outputs only', () => {
    const figures = figuresOf(simulateSeed(policy('no-retry'), calm, 1, 20_000));
    // Six steps or so, each right in 0.94 or 0.95 of the cases and then rejected in one of fifty.
    const perStep = (0.35 * 0.94 + 0.65 * 0.95) * 0.98;
    expect(figures.sr / 100).toBeGreaterThan(perStep ** 8);
    expect(figures.sr / 100).toBeLessThan(perStep ** 4);
    expect(figures.dup1000).toBe(0);
  });

  it('never escalates HFR but for outputs that are rejected again and again', () => {
    const figures = figuresOf(simulateSeed(policy('hfr'), calm, 1, 20_000));
    expect(figures.esc).toBeLessThan(0.3);
    expect(figures.sr).toBeGreaterThan(97);
  });
});

describe('the generator', () => {
  it('draws evenly from 0 up to 1 and never 1', () => {
    const { next } = createGenerator(42);
    const bins = new Array<number>(10).fill(0);
    for (let draw = 0; draw < 100_000; draw++) {
      const value = next();
      bins[Math.floor(value * 10)]!++;
    }
    // A draw of 1 or below 0 would have no bin.
    expect(bins.reduce((sum, count) => sum + count, 0)).toBe(100_000);
    // Chi-square with 9 degrees of freedom: 27.9 is passed once in a thousand seeds.
    expect(bins.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0)).toBeLessThan(27.9);
  });

  it('gives neighbouring and far seeds streams of their own', () => {
    const first = new Set(Array.from({ length: 5000 }, (_, seed) => createGenerator(seed).next()));
    expect(first.size).toBeGreaterThan(4995);
    expect(createGenerator(2 ** 40 + 1).next()).not.toBe(createGenerator(1).next());
  });
});

describe('figures', () => {
  it('take the value of a rank that sorting would give', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 1, maxLength: 200 }),
        fc.nat(),
        (values, pick) => {
          const rank = pick % values.length;
          const sorted = [...values].sort((a, b) => a - b);
          return kthSmallest(Float64Array.from(values), rank) === sorted[rank];
        },
      ),
    );
  });

  it('have mean and standard deviation between seeds', () => {
    const base = figuresOf(simulateSeed(policy('hfr'), worldOf(J, 0.14, null), 1, 100));
    const { mean, sd } = overSeeds([
      { ...base, sr: 80 },
      { ...base, sr: 90 },
    ]);
    expect(mean.sr).toBe(85);
    expect(sd.sr).toBeCloseTo(Math.sqrt(50), 12);
    expect(overSeeds([base]).sd.sr).toBe(0);
  });
});

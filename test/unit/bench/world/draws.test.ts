import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Draws, KEY } from '../../../../src/bench/world/draws.ts';

const many = Array.from({ length: 20_000 }, (_, index) => index);

function moments(valueOf: (draws: Draws) => number): { mean: number; sd: number } {
  const draws = new Draws();
  const values = many.map((index) => valueOf(draws.key(5, KEY.attempt, index)));
  const mean = values.reduce((sum, each) => sum + each, 0) / values.length;
  return { mean, sd: Math.sqrt(values.reduce((sum, each) => sum + (each - mean) ** 2, 0) / values.length) };
}

describe('draws of the world', () => {
  it('are the same for the same key, in whatever order they are asked for', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(5000), { minLength: 4, maxLength: 4 }),
        fc.nat(40),
        fc.nat(40),
        ([a, b, c, d], p, q) => {
          const one = new Draws().key(7, KEY.attempt, a, b, c, d);
          const first = [one.uniform(p), one.uniform(q)];
          const other = new Draws().key(1, KEY.step, 2).key(7, KEY.attempt, a, b, c, d);
          expect([other.uniform(q), other.uniform(p)].reverse()).toEqual(first);
        },
      ),
    );
  });

  it('differ when any part of the key differs', () => {
    const base = [7, KEY.attempt, 3, 4, 5, 6] as const;
    const values = new Set([new Draws().key(...base).uniform(0)]);
    for (let part = 0; part < base.length; part++) {
      const [seed, kind, a, b, c, d] = base.map((each, at) => (at === part ? each + 1 : each));
      values.add(new Draws().key(seed!, kind!, a, b, c, d).uniform(0));
    }
    expect(values.size).toBe(base.length + 1);
  });

  it('have the moments of their distributions', () => {
    const uniform = moments((draws) => draws.uniform(3));
    expect(uniform.mean).toBeCloseTo(0.5, 1.7);
    expect(uniform.sd).toBeCloseTo(Math.sqrt(1 / 12), 2);
    const normal = moments((draws) => draws.normal(4));
    expect(Math.abs(normal.mean)).toBeLessThan(0.02);
    expect(normal.sd).toBeCloseTo(1, 1.7);
    const waiting = moments((draws) => draws.exponential(9, 600));
    expect(waiting.mean / 600).toBeCloseTo(1, 1.5);
  });

  it.each([
    [0.9, 12],
    [0.97, 12],
    [0.03, 12],
  ])('draws Beta qualities of mean %f and weight %d', (m, weight) => {
    const { mean, sd } = moments((draws) => draws.beta(1, weight * m, weight * (1 - m)));
    expect(mean).toBeCloseTo(m, 2);
    expect(sd).toBeCloseTo(Math.sqrt((m * (1 - m)) / (weight + 1)), 2);
  });
});

// Seeded chance for tests: a failing run prints its seed and can be repeated.
import { xorshift128plus } from 'pure-rand/generator/xorshift128plus';
import type { RandomPort } from '../../src/engine/ports.ts';

/** A random port whose draws are fixed by `seed`. */
export function seededRandom(seed: number): RandomPort {
  const generator = xorshift128plus(seed);
  return { next: () => (generator.next() >>> 0) / 2 ** 32 };
}

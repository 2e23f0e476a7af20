// Chance of the world: every number is hashed from what it is for (seed, workflow, step, candidate, attempt, purpose), so that
// every policy meets the same luck whatever it does (scheduler study 1.2). Nothing here has a state that draws could use up.

/** What a key is for; keys of different kinds never meet. */
export const KEY = { environment: 1, workflow: 2, step: 3, attempt: 4, policy: 5, side: 6 } as const;

const TWO_PI = 2 * Math.PI;
/** Golden ratio of 2^32: steps of a well-spread counter. */
const GOLDEN = 0x9e3779b9;
/** Numbers a rejection may use up before the next purpose's begin. */
const STREAM = 4096;

/** One key at a time; numbered numbers of it. */
export class Draws {
  private high = 0;
  private low = 0;

  /** Turns to the numbers of (seed, kind, a, b, c, d). */
  key(seed: number, kind: number, a = 0, b = 0, c = 0, d = 0): this {
    let high = mix(Math.imul(seed | 0, 0x85ebca6b) ^ kind);
    let low = mix((seed | 0) + Math.imul(kind, GOLDEN));
    high = mix(high ^ Math.imul(a, 0xc2b2ae35));
    low = mix((low + Math.imul(a, 0x27d4eb2f)) | 0);
    high = mix(high ^ Math.imul(b, 0x165667b1));
    low = mix((low + Math.imul(b, 0x9e3779b1)) | 0);
    const pair = Math.imul(c, 0x2545f491) ^ Math.imul(d, 0x7feb352d);
    this.high = mix(high ^ pair);
    this.low = mix((low + pair) | 0);
    return this;
  }

  /** In (0, 1), of 32 bits. */
  uniform(purpose: number): number {
    return ((mix(mix(this.low + Math.imul(purpose, GOLDEN)) ^ this.high) >>> 0) + 0.5) / 4294967296;
  }

  /** Uniform in a range. */
  between(purpose: number, range: readonly [number, number]): number {
    return range[0] + (range[1] - range[0]) * this.uniform(purpose);
  }

  /** N(0, 1), by Box and Muller; uses the numbers `purpose` and `purpose + 1`. */
  normal(purpose: number): number {
    return Math.sqrt(-2 * Math.log(this.uniform(purpose))) * Math.cos(TWO_PI * this.uniform(purpose + 1));
  }

  /** Exponential with this mean. */
  exponential(purpose: number, mean: number): number {
    return -mean * Math.log(this.uniform(purpose));
  }

  /** Beta(alpha, beta), both above 0. */
  beta(purpose: number, alpha: number, beta: number): number {
    const a = this.gamma((purpose + 1) * STREAM, alpha);
    const b = this.gamma((purpose + 2) * STREAM, beta);
    return a + b > 0 ? a / (a + b) : 0.5;
  }

  /** Gamma(shape, 1) by Marsaglia and Tsang (2000); a shape below 1 through shape + 1. */
  private gamma(from: number, shape: number): number {
    if (shape < 1) return this.gamma(from + 1, shape + 1) * Math.pow(this.uniform(from), 1 / shape);
    const d = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (let index = from + 1; ; index += 3) {
      const x = this.normal(index);
      const root = 1 + c * x;
      if (root <= 0) continue;
      const v = root * root * root;
      const u = this.uniform(index + 2);
      const x2 = x * x;
      if (u < 1 - 0.0331 * x2 * x2 || Math.log(u) < 0.5 * x2 + d * (1 - v + Math.log(v))) return d * v;
    }
  }
}

/** Avalanche of 32 bits; the constants are of the public search for mixers of low bias (hash-prospector). */
function mix(bits: number): number {
  let h = bits | 0;
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  return h ^ (h >>> 15);
}

// Exact arithmetic for checking formulas by another route: fractions of whole numbers of any size, and roots and logarithms to 2^-256.
// Slow and plain; no formula of the product uses it.

/** n/d with d > 0. */
export interface Fraction {
  readonly n: bigint;
  readonly d: bigint;
}

/** Fractional bits of roots and logarithms. */
const BITS = 256n;
const ONE = 1n << BITS;

/** The number that a double stands for, which is always a fraction of a power of two. */
export function exactly(value: number): Fraction {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is no number`);
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = (bits >> 52n) & 0x7ffn;
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  const mantissa = exponent === 0n ? fraction : fraction | (1n << 52n);
  const shift = (exponent === 0n ? 1n : exponent) - 1075n;
  const n = bits >> 63n === 1n ? -mantissa : mantissa;
  return shift >= 0n ? { n: n << shift, d: 1n } : { n, d: 1n << -shift };
}

export const plus = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.d + b.n * a.d, d: a.d * b.d });
export const minus = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.d - b.n * a.d, d: a.d * b.d });
export const times = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.n, d: a.d * b.d });
export const isLess = (a: Fraction, b: Fraction): boolean => a.n * b.d < b.n * a.d;
export const least = (a: Fraction, b: Fraction): Fraction => (isLess(b, a) ? b : a);
export const greatest = (a: Fraction, b: Fraction): Fraction => (isLess(a, b) ? b : a);

export function over(a: Fraction, b: Fraction): Fraction {
  if (b.n === 0n) throw new RangeError('division by zero');
  return b.n > 0n ? { n: a.n * b.d, d: a.d * b.n } : { n: -a.n * b.d, d: a.d * -b.n };
}

/** Cut off after `BITS` fractional bits. */
const cut = ({ n, d }: Fraction): bigint => (n << BITS) / d;

/** Square root of a fraction >= 0, by Newton's method on whole numbers. */
export function rootOf({ n, d }: Fraction): Fraction {
  const square = (n << (2n * BITS)) / d;
  if (square < 2n) return { n: square, d: ONE };
  let root = 1n << (BigInt(square.toString(2).length) / 2n + 1n);
  for (;;) {
    const next = (root + square / root) >> 1n;
    if (next >= root) return { n: root, d: ONE };
    root = next;
  }
}

/** ln of a fraction >= 1: its power of two apart, then 2·artanh((m − 1)/(m + 1)) as a series. */
export function logOf(value: Fraction): Fraction {
  let powers = 0n;
  let rest = value;
  const excess = BigInt(value.n.toString(2).length - value.d.toString(2).length);
  if (excess > 1n) {
    powers = excess - 1n;
    rest = { n: value.n, d: value.d << powers };
  }
  for (; rest.n >= 2n * rest.d; powers++) rest = { n: rest.n, d: rest.d << 1n };
  return {
    n: powers * artanhTwice({ n: 1n, d: 3n }) + artanhTwice({ n: rest.n - rest.d, d: rest.n + rest.d }),
    d: ONE,
  };
}

function artanhTwice(value: Fraction): bigint {
  const x = cut(value);
  const square = (x * x) >> BITS;
  let sum = 0n;
  let power = x;
  for (let odd = 1n; power > 0n; odd += 2n) {
    sum += power / odd;
    power = (power * square) >> BITS;
  }
  return 2n * sum;
}

/** The nearest double, or one beside it. */
export function toNumber({ n, d }: Fraction): number {
  if (n < 0n) return -toNumber({ n: -n, d });
  if (n === 0n) return 0;
  // 64 significant bits, then scaled by powers that are exact.
  const shift = 64 - (n.toString(2).length - d.toString(2).length);
  const quotient = shift >= 0 ? (n << BigInt(shift)) / d : n / (d << BigInt(-shift));
  const half = Math.trunc(shift / 2);
  return Number(quotient) * 2 ** -half * 2 ** -(shift - half);
}

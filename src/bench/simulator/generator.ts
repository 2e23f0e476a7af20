// Seeded chance for the simulator: sfc32 (Doty-Humphrey, PractRand), its state filled by a mixing counter. pure-rand is too slow
// here: a task takes some fifteen draws and half a microsecond, and a draw of this one costs about half of pure-rand's
// (measured in test/bench/simulator.ts).

/** A stream of numbers fixed by its seed. */
export interface Generator {
  /** A number in [0, 1), of 32 bits. */
  next: () => number;
}

/** A generator of its own stream for `seed` (any safe integer). */
export function createGenerator(seed: number): Generator {
  const state = new Int32Array(4);
  let mixed = (seed ^ Math.floor(seed / 2 ** 32)) | 0;
  for (let word = 0; word < 3; word++) {
    mixed = (mixed + 0x9e3779b9) | 0;
    let bits = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
    state[word] = bits ^ (bits >>> 15);
  }
  state[3] = 1;
  const next = (): number => {
    const a = state[0] ?? 0;
    const b = state[1] ?? 0;
    const c = state[2] ?? 0;
    const d = state[3] ?? 0;
    const sum = (((a + b) | 0) + d) | 0;
    state[3] = (d + 1) | 0;
    state[0] = b ^ (b >>> 9);
    state[1] = (c + (c << 3)) | 0;
    state[2] = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4294967296;
  };
  for (let warm = 0; warm < 12; warm++) next();
  return { next };
}

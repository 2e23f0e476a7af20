// What the experiment gives with endlessly many requests, in closed form: no luck, no simulation. With s(t) = P(a copy succeeds and
// takes longer than t), every version answers later than t with the chance a·s + b·s²:
//   single s; serial retry s + f·s; first wins s² + 2f·s (both later, or one failed); as printed 1 − (1 − s)² = 2s − s² (either later).
import type { VersionFigures } from './experiment.ts';
import { LONG_S, SERVICE, type Version } from './service.ts';

const { failShare: f, slowShare, slowS, usualS } = SERVICE;
/** s at the corners between which it is linear: P(success), and P(slow). */
const S_START = 1 - f;
const S_SLOW = slowShare;

interface Form {
  readonly a: number;
  readonly b: number;
  readonly executions: number;
  /** Seconds at work, as a·∫s + b·∫s². */
  readonly busy: { readonly a: number; readonly b: number };
}

const FORMS: Readonly<Record<Version, Form>> = {
  single: { a: 1, b: 0, executions: 1, busy: { a: 1, b: 0 } },
  // The loser works until the winner answers: both for the shorter time, or the one that did not fail.
  'first-wins': { a: 2 * f, b: 1, executions: 2, busy: { a: 2 * f, b: 2 } },
  'as-printed': { a: 2, b: -1, executions: 2, busy: { a: 2, b: 0 } },
  'serial-retry': { a: 1 + f, b: 0, executions: 1 + f, busy: { a: 1 + f, b: 0 } },
};

/** Worked: first wins: success .96, mean .977 s, P99 6.55 s, longer than 5 s 5.2 %; as printed 1.835 s, 6.90 s, 19.8 %. */
export function expectationOf(version: Version): VersionFigures {
  const { a, b, executions, busy } = FORMS[version];
  const chance = (s: number): number => a * s + b * s * s;
  const success = chance(S_START);
  const longOfAll = chance(S_SLOW);
  return {
    success,
    meanS: (a * INTEGRAL.s + b * INTEGRAL.square) / success,
    p99S: timeAt(a, b, 0.01 * success),
    p99AllS: timeAt(a, b, 0.01),
    long: longOfAll / success,
    longOfAll,
    executions,
    busyS: busy.a * INTEGRAL.s + busy.b * INTEGRAL.square,
  };
}

/** Pieces over which s is linear: length, s at the start, s at the end. */
const PIECES: readonly (readonly [number, number, number])[] = [
  [usualS[0], S_START, S_START],
  [usualS[1] - usualS[0], S_START, S_SLOW],
  [slowS[0] - usualS[1], S_SLOW, S_SLOW],
  [slowS[1] - slowS[0], S_SLOW, 0],
];

/** ∫s and ∫s² over all times. */
const INTEGRAL = {
  s: PIECES.reduce((sum, [length, from, to]) => sum + (length * (from + to)) / 2, 0),
  square: PIECES.reduce((sum, [length, from, to]) => sum + (length * (from * from + from * to + to * to)) / 3, 0),
} as const;

/** The time beyond which answers come with this chance, which must be one of the slow piece (longer than `LONG_S`). */
function timeAt(a: number, b: number, chance: number): number {
  const s = b === 0 ? chance / a : (-a + Math.sqrt(a * a + 4 * b * chance)) / (2 * b);
  if (!(s >= 0 && s <= S_SLOW))
    throw new RangeError(`timeAt: the chance ${chance} is not of the part beyond ${LONG_S} s`);
  return slowS[1] - ((slowS[1] - slowS[0]) * s) / S_SLOW;
}

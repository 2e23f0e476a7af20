// Where two lists of lines differ. The one place that knows the library node-diff3 (pure; the longest common subsequence of
// Hunt and McIlroy 1976). Its time grows with the pairs of equal lines times the lines: 14,000 lines of eight kinds took it
// 100 s. So long lists are first cut at lines that both have exactly once, as patience diff does, the work of each part is
// reckoned before, and a part that is still too much counts as wholly different, which is true, only coarse.
import { diffIndices } from 'node-diff3';

/** A run of lines of `a` that became a run of lines of `b`; one of the lengths may be 0. Line numbers from 0. */
export interface Difference {
  readonly aStart: number;
  readonly aLength: number;
  readonly bStart: number;
  readonly bLength: number;
  /** The run was too long to be looked into: it may hold equal lines. */
  readonly isCoarse: boolean;
}

/** Steps that one call may take, as `workOf` reckons them: less than a second. */
const MAX_WORK = 400_000_000;

/** Lists that need less are handed to the library as they are. */
const SMALL_WORK = 2_000_000;

interface Range {
  readonly aStart: number;
  readonly aEnd: number;
  readonly bStart: number;
  readonly bEnd: number;
}

/** In order, never touching each other. */
export function differencesOf(a: readonly string[], b: readonly string[]): readonly Difference[] {
  const whole = trimmed(a, b, { aStart: 0, aEnd: a.length, bStart: 0, bEnd: b.length });
  const parts = workOf(a, b, whole) <= SMALL_WORK ? [whole] : cutAtAnchors(a, b, whole);
  const found: Difference[] = [];
  let workLeft = MAX_WORK;
  for (const part of parts.map((range) => trimmed(a, b, range))) {
    const work = workOf(a, b, part);
    const isFine = work <= workLeft;
    if (isFine) workLeft -= work;
    found.push(...differencesIn(a, b, part, isFine));
  }
  return found;
}

/** The most steps that the library takes: every pair of equal lines may have to pass all candidates. */
function workOf(a: readonly string[], b: readonly string[], { aStart, aEnd, bStart, bEnd }: Range): number {
  const counts = new Map<string, number>();
  for (let i = bStart; i < bEnd; i++) {
    const line = b[i] ?? '';
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  let pairs = 0;
  for (let i = aStart; i < aEnd; i++) pairs += counts.get(a[i] ?? '') ?? 0;
  return pairs * Math.min(aEnd - aStart, bEnd - bStart);
}

/** The range without equal lines at its start and its end. */
function trimmed(a: readonly string[], b: readonly string[], range: Range): Range {
  let { aStart, aEnd, bStart, bEnd } = range;
  while (aStart < aEnd && bStart < bEnd && a[aStart] === b[bStart]) {
    aStart++;
    bStart++;
  }
  while (aStart < aEnd && bStart < bEnd && a[aEnd - 1] === b[bEnd - 1]) {
    aEnd--;
    bEnd--;
  }
  return { aStart, aEnd, bStart, bEnd };
}

function differencesIn(
  a: readonly string[],
  b: readonly string[],
  { aStart, aEnd, bStart, bEnd }: Range,
  isFine: boolean,
): readonly Difference[] {
  const whole = { aStart, aLength: aEnd - aStart, bStart, bLength: bEnd - bStart };
  if (whole.aLength === 0 && whole.bLength === 0) return [];
  if (whole.aLength === 0 || whole.bLength === 0) return [{ ...whole, isCoarse: false }];
  if (!isFine) return [{ ...whole, isCoarse: true }];
  return diffIndices(a.slice(aStart, aEnd), b.slice(bStart, bEnd)).map(({ buffer1, buffer2 }) => ({
    aStart: aStart + buffer1[0],
    aLength: buffer1[1],
    bStart: bStart + buffer2[0],
    bLength: buffer2[1],
    isCoarse: false,
  }));
}

/** The ranges between lines that stand exactly once on both sides, as many of them as keep their order. */
function cutAtAnchors(a: readonly string[], b: readonly string[], range: Range): readonly Range[] {
  const inA = singlePlaces(a, range.aStart, range.aEnd);
  const inB = singlePlaces(b, range.bStart, range.bEnd);
  const pairs: (readonly [number, number])[] = [];
  for (const [line, aAt] of inA) {
    const bAt = inB.get(line);
    if (aAt >= 0 && bAt !== undefined && bAt >= 0) pairs.push([aAt, bAt]);
  }
  const ranges: Range[] = [];
  let { aStart, bStart } = range;
  for (const [aAt, bAt] of longestRising(pairs)) {
    ranges.push({ aStart, aEnd: aAt, bStart, bEnd: bAt });
    aStart = aAt + 1;
    bStart = bAt + 1;
  }
  ranges.push({ aStart, aEnd: range.aEnd, bStart, bEnd: range.bEnd });
  return ranges;
}

/** Place of every line, in order of the first one; -1 for lines that stand there more than once. */
function singlePlaces(lines: readonly string[], start: number, end: number): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (let i = start; i < end; i++) {
    const line = lines[i] ?? '';
    places.set(line, places.has(line) ? -1 : i);
  }
  return places;
}

type Pair = readonly [number, number];

/** The longest choice of pairs whose second numbers rise, too (patience sorting). The first numbers rise already. */
function longestRising(pairs: readonly Pair[]): readonly Pair[] {
  /** For each length the pair that ends the best run so far, by its index. */
  const tails: number[] = [];
  const before = new Int32Array(pairs.length).fill(-1);
  for (const [i, [, second]] of pairs.entries()) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tails[middle] ?? 0]?.[1] ?? 0) < second) low = middle + 1;
      else high = middle;
    }
    before[i] = tails[low - 1] ?? -1;
    tails[low] = i;
  }
  const chosen: Pair[] = [];
  for (let i = tails.at(-1) ?? -1; i >= 0; i = before[i] ?? -1) {
    const pair = pairs[i];
    if (pair) chosen.push(pair);
  }
  return chosen.reverse();
}

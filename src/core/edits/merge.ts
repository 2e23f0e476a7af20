// Three-way merge of texts: what two sides made of one base (diff3: Khanna, Kunal and Pierce 2007). Lines are compared without
// their endings and the endings are merged by themselves, so that a buffer with other line endings is not all conflict.
// Nothing of ours is lost: where both changed the same lines differently, the text keeps ours and the conflict tells the rest.
import { cutLines } from './lines.ts';
import type { TextLines } from './lines.ts';
import { differencesOf } from './lineDiff.ts';
import type { Difference } from './lineDiff.ts';

/** A place where both sides changed the same lines. `line` (from 1) is where `ours` stands in the merged text. */
export interface MergeConflict {
  readonly line: number;
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** `text` is right where there are no conflicts; else it has ours in each of them, without markers. */
export interface Merge {
  readonly text: string;
  readonly conflicts: readonly MergeConflict[];
  /** Why a conflict may be larger than it must be, for a person; absent otherwise. */
  readonly limit?: string;
}

const LIMIT =
  'The texts differ in too many lines to be compared one by one, so a conflict may hold more than what really conflicts.';

interface Sides {
  readonly base: TextLines;
  readonly ours: TextLines;
  readonly theirs: TextLines;
}

/** Lines `start` up to, not with, `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
}

interface Line {
  readonly text: string;
  readonly end: string;
}

/** Merges the changes from `base` to `ours` with those from `base` to `theirs`. Equal changes on both sides are one. */
export function mergeThreeWay(base: string, ours: string, theirs: string): Merge {
  if (ours === theirs || theirs === base) return { text: ours, conflicts: [] };
  if (ours === base) return { text: theirs, conflicts: [] };
  const sides = { base: cutLines(base), ours: cutLines(ours), theirs: cutLines(theirs) };
  const lines: Line[] = [];
  const conflicts: (MergeConflict & { readonly at: number })[] = [];
  let isLimited = false;
  for (const region of regionsOf(sides)) {
    if (region.kind === 'same') {
      for (let i = 0; i < region.length; i++)
        lines.push(sameLine(sides, region.base + i, region.ours + i, region.theirs + i));
      continue;
    }
    const { kind, isCoarse } = region;
    if (kind === 'theirs') lines.push(...changedLines(sides, 'theirs', region.theirs));
    else lines.push(...changedLines(sides, 'ours', region.ours));
    if (kind !== 'both' || isEqual(sides, region.ours, region.theirs)) continue;
    isLimited ||= isCoarse;
    conflicts.push({
      at: lines.length - (region.ours.end - region.ours.start),
      line: 0,
      base: textOf(sides.base, region.base),
      ours: textOf(sides.ours, region.ours),
      theirs: textOf(sides.theirs, region.theirs),
    });
  }
  return {
    text: joined(lines, sides.ours.usualEnd),
    conflicts: conflicts.map(({ at, ...conflict }) => ({ ...conflict, line: at + 1 })),
    ...(isLimited && { limit: LIMIT }),
  };
}

type Region =
  | {
      readonly kind: 'same';
      readonly length: number;
      readonly base: number;
      readonly ours: number;
      readonly theirs: number;
    }
  | {
      readonly kind: 'ours' | 'theirs' | 'both';
      readonly base: Span;
      readonly ours: Span;
      readonly theirs: Span;
      readonly isCoarse: boolean;
    };

interface SideDifference extends Difference {
  readonly side: 'ours' | 'theirs';
}

/** The merged text as runs: unchanged ones, and groups of changes that touch each other. */
function regionsOf({ base, ours, theirs }: Sides): readonly Region[] {
  const baseLines = contentOf(base);
  const changes = [
    ...differencesOf(baseLines, contentOf(ours)).map((change): SideDifference => ({ ...change, side: 'ours' })),
    ...differencesOf(baseLines, contentOf(theirs)).map((change): SideDifference => ({ ...change, side: 'theirs' })),
  ].sort((a, b) => a.aStart - b.aStart);
  const regions: Region[] = [];
  let at = 0;
  /** How many lines each side has more than the base, up to `at`. */
  const ahead = { ours: 0, theirs: 0 };
  const same = (until: number): void => {
    if (until > at)
      regions.push({ kind: 'same', length: until - at, base: at, ours: at + ahead.ours, theirs: at + ahead.theirs });
  };
  for (const group of touching(changes)) {
    const start = group[0]?.aStart ?? 0;
    const end = Math.max(...group.map(({ aStart, aLength }) => aStart + aLength));
    same(start);
    const before = { ...ahead };
    for (const { side, aLength, bLength } of group) ahead[side] += bLength - aLength;
    const isBoth = group.some(({ side }) => side !== group[0]?.side);
    regions.push({
      kind: isBoth ? 'both' : (group[0]?.side ?? 'both'),
      base: { start, end },
      ours: { start: start + before.ours, end: end + ahead.ours },
      theirs: { start: start + before.theirs, end: end + ahead.theirs },
      isCoarse: group.some(({ isCoarse }) => isCoarse),
    });
    at = end;
  }
  same(baseLines.length);
  return regions;
}

/** Changes in groups; those of a group overlap or stand side by side. */
function touching(changes: readonly SideDifference[]): readonly (readonly SideDifference[])[] {
  const groups: SideDifference[][] = [];
  let end = -1;
  for (const change of changes) {
    if (change.aStart > end || groups.length === 0) groups.push([]);
    groups.at(-1)?.push(change);
    end = Math.max(end, change.aStart + change.aLength);
  }
  return groups;
}

/** Lines without endings; without the empty rest after the last ending. */
function contentOf({ texts, count }: TextLines): readonly string[] {
  return texts.slice(0, count);
}

function isEqual({ ours, theirs }: Sides, a: Span, b: Span): boolean {
  if (a.end - a.start !== b.end - b.start) return false;
  for (let i = 0; i < a.end - a.start; i++) if (ours.texts[a.start + i] !== theirs.texts[b.start + i]) return false;
  return true;
}

/** A line that nobody changed, with the ending of the side that changed that. */
function sameLine({ base, ours, theirs }: Sides, baseAt: number, oursAt: number, theirsAt: number): Line {
  const end = ours.ends[oursAt] ?? '';
  return {
    text: base.texts[baseAt] ?? '',
    end: end === base.ends[baseAt] ? (theirs.ends[theirsAt] ?? '') : end,
  };
}

/** New lines of one side. Where the other side gave the whole text another line ending, they get it, too. */
function changedLines(sides: Sides, side: 'ours' | 'theirs', { start, end }: Span): readonly Line[] {
  const { base } = sides;
  const other = side === 'ours' ? sides.theirs : sides.ours;
  const isUniform = base.count > 1 && other.count > 1 && !base.isMixed && !other.isMixed;
  const lines: Line[] = [];
  for (let i = start; i < end; i++) {
    const given = sides[side].ends[i] ?? '';
    const moves = isUniform && given === base.usualEnd;
    lines.push({ text: sides[side].texts[i] ?? '', end: moves ? other.usualEnd : given });
  }
  return lines;
}

function textOf({ text, starts }: TextLines, { start, end }: Span): string {
  return text.slice(starts[start] ?? text.length, starts[end] ?? text.length);
}

/** A line without an ending can only be the last one. */
function joined(lines: readonly Line[], usualEnd: string): string {
  const last = lines.length - 1;
  return lines.map(({ text, end }, i) => text + (end === '' && i < last ? usualEnd : end)).join('');
}

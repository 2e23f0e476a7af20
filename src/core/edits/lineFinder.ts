// Finds runs of lines in a text by an index of its lines: the rarest wanted line is looked up, its neighbours are compared.
// The work is counted, so that a text made to be slow (the same line a million times) ends in a refusal instead of a hang.
import type { TextLines } from './lines.ts';

/** How lines are compared: as they are; without trailing white space; without indentation as well. */
export type View = 'exact' | 'trailing' | 'indent';

/** Compared lines that one plan may spend. */
export const WORK_LIMIT = 40_000_000;

/** Places beyond these are not listed: so many are ambiguous anyway. */
const MAX_PLACES = 200;

export interface Places {
  /** First lines, from 0, in order. */
  readonly at: readonly number[];
  /** There are more than listed. */
  readonly isCut: boolean;
}

export interface LineFinder {
  find(wanted: readonly string[], view: View): Places;
  stands(wanted: readonly string[], at: number, view: View): boolean;
  /** Whether the work is used up; answers since then are not to be trusted. */
  isSpent(): boolean;
}

const NONE: Places = { at: [], isCut: false };

interface Index {
  readonly ids: ReadonlyMap<string, number>;
  readonly lines: Int32Array;
  /** Lines of each id, in order. */
  readonly places: readonly (readonly number[])[];
}

export function seenAs(line: string, view: View): string {
  if (view === 'exact') return line;
  return view === 'trailing' ? line.trimEnd() : line.trim();
}

export function lineFinder(file: TextLines): LineFinder {
  const indexes = new Map<View, Index>();
  let work = 0;
  const indexOf = (view: View): Index => {
    const known = indexes.get(view);
    if (known) return known;
    const index = buildIndex(file, view);
    indexes.set(view, index);
    return index;
  };
  const standsAt = ({ lines }: Index, ids: readonly number[], at: number): boolean => {
    if (at < 0 || at + ids.length > file.count) return false;
    for (let i = 0; i < ids.length; i++) {
      work++;
      if (lines[at + i] !== ids[i]) return false;
    }
    return true;
  };
  const isSpent = (): boolean => work > WORK_LIMIT;
  return {
    isSpent,
    stands(wanted, at, view) {
      const index = indexOf(view);
      const ids = idsOf(index, wanted, view);
      return ids !== null && !isSpent() && standsAt(index, ids, at);
    },
    find(wanted, view) {
      const index = indexOf(view);
      work += wanted.length;
      const ids = wanted.length === 0 || isSpent() ? null : idsOf(index, wanted, view);
      if (!ids) return NONE;
      const { offset, lines } = rarest(index, ids);
      const at: number[] = [];
      for (const line of lines) {
        work++;
        if (isSpent()) return NONE;
        if (!standsAt(index, ids, line - offset)) continue;
        if (at.length === MAX_PLACES) return { at, isCut: true };
        at.push(line - offset);
      }
      return { at, isCut: false };
    },
  };
}

function buildIndex({ texts, count }: TextLines, view: View): Index {
  const ids = new Map<string, number>();
  const places: number[][] = [];
  const lines = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    const key = seenAs(texts[i] ?? '', view);
    let id = ids.get(key);
    if (id === undefined) {
      id = places.length;
      ids.set(key, id);
      places.push([]);
    }
    lines[i] = id;
    places[id]?.push(i);
  }
  return { ids, lines, places };
}

function idsOf({ ids }: Index, wanted: readonly string[], view: View): readonly number[] | null {
  const found: number[] = [];
  for (const line of wanted) {
    const id = ids.get(seenAs(line, view));
    if (id === undefined) return null;
    found.push(id);
  }
  return found;
}

function rarest({ places }: Index, ids: readonly number[]): { offset: number; lines: readonly number[] } {
  let best = { offset: 0, lines: places[ids[0] ?? 0] ?? [] };
  for (const [offset, id] of ids.entries()) {
    const lines = places[id] ?? [];
    if (lines.length < best.lines.length) best = { offset, lines };
  }
  return best;
}

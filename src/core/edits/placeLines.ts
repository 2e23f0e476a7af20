// Where a change of whole lines goes: as written, else with other white space at the ends of lines, else with another
// indentation, each only where it fits in one place; the last only where the new lines can be indented by a clear rule.
// Says as well when the change is there already. Nothing else is lenient: a wrong place is worse than none.
import { reindent } from './indentation.ts';
import type { LineFinder, Places, View } from './lineFinder.ts';
import type { TextLines } from './lines.ts';
import { addedLines, hasWord, insertionOffset, isTelling, newLines, oldLines } from './steps.ts';
import type { Step } from './steps.ts';

/** Lines count from 0. `steps` are those to carry out: their new lines are indented as the file is. */
export type LinePlace =
  | { readonly kind: 'at'; readonly at: number; readonly view: View; readonly steps: readonly Step[] }
  | { readonly kind: 'applied'; readonly at: number }
  | { readonly kind: 'several'; readonly places: Places; readonly view: View }
  /** It fits here but for its indentation, and how the new lines are to be indented is not clear. */
  | { readonly kind: 'unclear'; readonly at: number }
  | { readonly kind: 'none' };

/** What a place is looked for in. */
export interface PlaceSource {
  readonly file: TextLines;
  readonly finder: LineFinder;
}

const LENIENT: readonly View[] = ['trailing', 'indent'];

/** Places the change of `steps`; which of several places is meant is not decided here. */
export function placeLines(source: PlaceSource, steps: readonly Step[]): LinePlace {
  const { finder } = source;
  const wanted = oldLines(steps);
  const exact = finder.find(wanted, 'exact');
  if (exact.at.length > 0) return onlyPlace(source, steps, exact, 'exact');
  const applied = appliedPlace(source, steps);
  const length = newLines(steps).length;
  for (const view of LENIENT) {
    if (view === 'indent' && !wanted.some(hasWord)) break;
    const places = finder.find(wanted, view);
    if (places.at.length === 0) continue;
    // The new lines may look like the old ones, e.g. where only white space was changed.
    const isSame = places.at.every((at) => applied !== null && at < applied + length && applied < at + wanted.length);
    if (applied !== null && isSame) break;
    return onlyPlace(source, steps, places, view);
  }
  return applied === null ? { kind: 'none' } : { kind: 'applied', at: applied };
}

function onlyPlace(source: PlaceSource, steps: readonly Step[], places: Places, view: View): LinePlace {
  const [at] = places.at;
  return at === undefined || places.at.length > 1
    ? { kind: 'several', places, view }
    : placeAt(source, steps, at, view);
}

/** The change at a place where its old lines stand. */
export function placeAt({ file, finder }: PlaceSource, steps: readonly Step[], at: number, view: View): LinePlace {
  const offset = insertionOffset(steps);
  if (offset !== null && finder.stands(newLines(steps), at - offset, view)) return { kind: 'applied', at: at - offset };
  if (view !== 'indent') return { kind: 'at', at, view, steps };
  const wanted = oldLines(steps);
  const added = reindent(file.texts.slice(at, at + wanted.length), wanted, addedLines(steps));
  if (!added) return { kind: 'unclear', at };
  let next = 0;
  const fitted = steps.map((step) => (step.kind === 'add' ? { ...step, text: added[next++] ?? '' } : step));
  return { kind: 'at', at, view, steps: fitted };
}

/** The one place where the new lines stand already and the old ones do not. */
function appliedPlace({ finder }: PlaceSource, steps: readonly Step[]): number | null {
  if (!isTelling(steps)) return null;
  const { at, isCut } = finder.find(newLines(steps), 'exact');
  return at.length === 1 && !isCut ? (at[0] ?? null) : null;
}

/**
 * The one place of the new lines, when every place of the old ones is in it: an insertion that repeats what it stands at and
 * was made already. Where it adds nothing but such repetitions, that cannot be known.
 */
export function coveringPlace(
  { finder }: PlaceSource,
  steps: readonly Step[],
  { places, view }: Extract<LinePlace, { kind: 'several' }>,
): number | null {
  const old = new Set(oldLines(steps));
  const isNew = addedLines(steps).some((line) => hasWord(line) && !old.has(line));
  if (insertionOffset(steps) === null || places.isCut || !isNew) return null;
  const fresh = newLines(steps);
  const found = finder.find(fresh, view);
  const [at] = found.at;
  if (at === undefined || found.at.length !== 1) return null;
  const end = at + fresh.length - oldLines(steps).length;
  return places.at.every((place) => place >= at && place <= end) ? at : null;
}

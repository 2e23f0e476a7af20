// Where the hunks of a diff go in a text: by their lines, not by their numbers. Where the lines are there more than once, the
// numbers decide if they prove right, then the anchors, then the order of the hunks; else the hunk is refused.
import { scopesOf } from './anchors.ts';
import { isUnended, replacementOf } from './carryOut.ts';
import type { BlockReport, Hunk } from './editSet.ts';
import { lineFinder } from './lineFinder.ts';
import type { View } from './lineFinder.ts';
import { cutLines } from './lines.ts';
import { leniencyNote, notFoundMessage, severalMessage, TOO_MUCH, unclearMessage } from './messages.ts';
import { nearestFinder } from './nearest.ts';
import type { NearestFinder } from './nearest.ts';
import { coveringPlace, placeAt, placeLines } from './placeLines.ts';
import type { LinePlace, PlaceSource } from './placeLines.ts';
import { isIdentical, isTelling, newLines, oldLines } from './steps.ts';
import { textPlan } from './textPlan.ts';
import type { Placed, TextPlan } from './textPlan.ts';

interface Source extends PlaceSource {
  readonly nearest: NearestFinder;
}

/** Plans all hunks on the text as it is; a hunk that cannot be placed fails them all. */
export function planHunks(text: string, hunks: readonly Hunk[]): TextPlan {
  const file = cutLines(text);
  const source = { file, finder: lineFinder(file), nearest: nearestFinder(file) };
  const places: LinePlace[] = hunks.map((hunk) => placeHunk(source, hunk));
  narrowPlaces(source, hunks, places);
  const placed = hunks.map((hunk, index) => reportOf(source, hunk, places[index] ?? NONE, index));
  if (source.finder.isSpent()) return { kind: 'failed', blocks: placed.map(({ report }) => report), reason: TOO_MUCH };
  return textPlan(text, placed, 'hunk');
}

const NONE: LinePlace = { kind: 'none' };

function placeHunk(source: Source, hunk: Hunk): LinePlace {
  const wanted = oldLines(hunk.lines);
  if (wanted.length === 0) return placeAddition(source, hunk);
  if (isLast(hunk)) return placeLast(source, hunk, wanted);
  return placeLines(source, hunk.lines);
}

/** The hunk can only stand at the end of the file. */
function isLast({ isAtEnd, noNewlineAtEnd }: Hunk): boolean {
  return isAtEnd === true || noNewlineAtEnd?.old === true || noNewlineAtEnd?.new === true;
}

/** New lines without any line around them: only the end of a file is a place for them. */
function placeAddition({ file, finder }: Source, hunk: Hunk): LinePlace {
  const fresh = newLines(hunk.lines);
  if (file.count > 0 && !hunk.isAtEnd) return NONE;
  const before = file.count - fresh.length;
  if (isTelling(hunk.lines) && finder.stands(fresh, before, 'exact')) return { kind: 'applied', at: before };
  return { kind: 'at', at: file.count, view: 'exact', steps: hunk.lines };
}

/** The old lines first, as everywhere: the new ones may be no more than the last of them. */
function placeLast(source: Source, { lines, noNewlineAtEnd: marks }: Hunk, wanted: readonly string[]): LinePlace {
  const { file, finder } = source;
  const fresh = newLines(lines);
  const at = file.count - wanted.length;
  const freshAt = file.count - fresh.length;
  const isEndOld = !marks || marks.old === isUnended(file);
  const isEndDone = !marks || marks.new === isUnended(file);
  const view = (['exact', 'trailing', 'indent'] as const).find((one) => finder.stands(wanted, at, one));
  if (view === 'exact' && isEndOld) return placeAt(source, lines, at, view);
  const canTell = isTelling(lines) || marks?.old !== marks?.new;
  if (isEndDone && canTell && finder.stands(fresh, freshAt, 'exact')) return { kind: 'applied', at: freshAt };
  return view && (isEndOld || isEndDone) ? placeAt(source, lines, at, view) : NONE;
}

/** Decides between several places, where that can be done without a guess. */
function narrowPlaces(source: Source, hunks: readonly Hunk[], places: LinePlace[]): void {
  const sure = places.flatMap((place, i) =>
    place.kind === 'at' ? [[place.at, hunks[i]?.oldStart ?? null] as const] : [],
  );
  const doNumbersHold = sure.every(([at, stated]) => stated === at + 1);
  for (const [i, place] of places.entries()) {
    const hunk = hunks[i];
    if (place.kind !== 'several' || !hunk) continue;
    const size = oldLines(hunk.lines).length;
    const stated = doNumbersHold ? statedPlace(source, hunk, place.view) : null;
    const at = stated ?? narrowed(source, { hunk, place, size }, surroundings(places, hunks, i));
    const applied = at === null ? coveringPlace(source, hunk.lines, place) : null;
    if (at !== null) places[i] = placeAt(source, hunk.lines, at, place.view);
    else if (applied !== null) places[i] = { kind: 'applied', at: applied };
  }
}

function statedPlace({ finder }: Source, { oldStart, lines }: Hunk, view: View): number | null {
  return oldStart !== null && finder.stands(oldLines(lines), oldStart - 1, view) ? oldStart - 1 : null;
}

interface Ambiguous {
  readonly hunk: Hunk;
  readonly place: Extract<LinePlace, { kind: 'several' }>;
  readonly size: number;
}

function narrowed(source: Source, { hunk, place, size }: Ambiguous, between: readonly [number, number]): number | null {
  if (place.places.isCut) return null;
  const scopes = hunk.anchors.length > 0 ? scopesOf(source.file, hunk.anchors) : [];
  const inOrder = place.places.at.filter((at) => at >= between[0] && at + size <= between[1]);
  const inScope = place.places.at.filter((at) =>
    scopes.some(({ start, end }) => at + size > start && at + size <= end),
  );
  if (scopes.length > 0 && inScope.length === 1) return inScope[0] ?? null;
  const both = scopes.length > 0 ? inOrder.filter((at) => inScope.includes(at)) : inOrder;
  return both.length === 1 ? (both[0] ?? null) : null;
}

/** Where a hunk can be if all stand in the order in which they are written: behind the last sure one and before the next. */
function surroundings(places: readonly LinePlace[], hunks: readonly Hunk[], index: number): readonly [number, number] {
  let start = 0;
  let end = Number.POSITIVE_INFINITY;
  for (let i = index - 1; i >= 0; i--) {
    const place = places[i];
    if (place?.kind !== 'at') continue;
    start = place.at + oldLines(hunks[i]?.lines ?? []).length;
    break;
  }
  for (let i = index + 1; i < places.length; i++) {
    const place = places[i];
    if (place?.kind !== 'at') continue;
    end = place.at;
    break;
  }
  return [start, end];
}

function reportOf(source: Source, hunk: Hunk, place: LinePlace, index: number): Placed {
  const { file } = source;
  const without = (outcome: BlockReport['outcome'], at: number | null, message: string): Placed => ({
    report: { index, outcome, line: at === null ? null : at + 1, message },
    replacements: [],
  });
  const { old: oldMark = false, new: newMark = false } = hunk.noNewlineAtEnd ?? {};
  if (isIdentical(hunk.lines) && oldMark === newMark)
    return without(
      'identical',
      place.kind === 'at' || place.kind === 'applied' ? place.at : null,
      'The hunk changes nothing.',
    );
  switch (place.kind) {
    case 'at': {
      const above = place.view === 'exact' && hunk.anchors.length > 0 ? aboveAnchors(source, hunk, place.at) : null;
      if (above) return without('not-found', place.at, above);
      const replacement = replacementOf(file, place.at, place.steps, hunk.noNewlineAtEnd);
      return {
        report: { index, outcome: 'applied', line: place.at + 1, message: leniencyNote(place.view) },
        replacements: [replacement],
      };
    }
    case 'applied':
      return without('already-applied', place.at, '');
    case 'several':
      return without('several', place.places.at[0] ?? null, severalMessage(place.places, true));
    case 'unclear':
      return without('not-found', place.at, unclearMessage(place.at));
    case 'none':
      return without('not-found', null, missingMessage(source, hunk));
  }
}

/** Every anchor of the hunk is below the place of its lines: then it is not the place that was meant. */
function aboveAnchors({ file }: Source, { anchors, lines, oldStart }: Hunk, at: number): string | null {
  if (oldStart !== null) return null;
  const scopes = scopesOf(file, anchors);
  const end = at + oldLines(lines).length;
  if (scopes.length === 0 || scopes.some(({ start }) => start < end)) return null;
  return `The lines of the hunk are at line ${at + 1}, above "${anchors.at(-1) ?? ''}". Leave the anchor out, or correct it.`;
}

function missingMessage({ file, finder, nearest }: Source, hunk: Hunk): string {
  const wanted = oldLines(hunk.lines);
  if (wanted.length === 0)
    return 'The hunk only adds lines and has no line around them to say where. Add the line above or below as context.';
  const [elsewhere] = isLast(hunk) ? finder.find(wanted, 'trailing').at : [];
  if (elsewhere === undefined) return notFoundMessage(nearest.nearest(wanted));
  const isThere = elsewhere + wanted.length === file.count;
  return isThere
    ? `The hunk says how the file ends, but the file ${isUnended(file) ? 'does not end' : 'ends'} with a line ending. Read it again, or leave that mark out.`
    : `The hunk must stand at the end of the file, but its lines are at line ${elsewhere + 1}. Leave the mark of the end out, or correct the lines.`;
}

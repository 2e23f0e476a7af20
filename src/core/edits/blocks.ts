// Where search/replace blocks go in a text: each in exactly one place of the text as it is, or an answer that says why not.
// A block that stands for whole lines is placed by lines; any other may begin and end within a line. Pure; writes nothing.
import { replacementOf } from './carryOut.ts';
import type { Replacement } from './carryOut.ts';
import type { BlockReport, EditBlock } from './editSet.ts';
import { fragmentsOf } from './fragments.ts';
import type { Fragments } from './fragments.ts';
import { lineFinder } from './lineFinder.ts';
import { cutLines, plainLines, withLf } from './lines.ts';
import { leniencyNote, notFoundMessage, severalMessage, TOO_MUCH, unclearMessage } from './messages.ts';
import { nearestFinder } from './nearest.ts';
import type { NearestFinder } from './nearest.ts';
import { coveringPlace, placeLines } from './placeLines.ts';
import type { LinePlace, PlaceSource } from './placeLines.ts';
import { hasWord, stepsBetween } from './steps.ts';
import { textPlan } from './textPlan.ts';
import type { Placed, TextPlan } from './textPlan.ts';

interface Source extends PlaceSource {
  readonly fragments: Fragments;
  readonly nearest: NearestFinder;
  readonly blocks: readonly EditBlock[];
}

/** Plans all blocks on the text as it is; a block that cannot be placed fails them all. */
export function planBlocks(text: string, blocks: readonly EditBlock[]): TextPlan {
  const file = cutLines(text);
  const source = {
    file,
    blocks,
    finder: lineFinder(file),
    fragments: fragmentsOf(file),
    nearest: nearestFinder(file),
  };
  const placed = blocks.map((block, index) => placeBlock(source, block, index));
  if (source.finder.isSpent() || source.fragments.isSpent())
    return { kind: 'failed', blocks: placed.map(({ report }) => report), reason: TOO_MUCH };
  return textPlan(text, placed, 'block');
}

function placeBlock(source: Source, block: EditBlock, index: number): Placed {
  const search = withLf(block.search);
  const replace = withLf(block.replace);
  const { file, fragments } = source;
  if (search === '') return fill(source, replace, index);
  if (search === replace) {
    const [at] = fragments.find(search).at;
    const message = 'The old and the new text are the same, so nothing needs to change.';
    return without(index, 'identical', at === undefined ? null : fragments.lineOf(at), message);
  }
  if (block.occurrence === 'all') return placeAll(source, { search, replace }, index);
  if (block.isWholeLines) return lineBlock(source, placeWhole(source, { search, replace }), { search, replace }, index);
  const found = fragments.find(search);
  const [only] = found.at;
  if (only === undefined) return lenientBlock(source, { search, replace }, index);
  if (found.at.length === 1) {
    if (standsAround(fragments.text, only, search, replace))
      return without(index, 'already-applied', fragments.lineOf(only), '');
    return applied(index, fragments.lineOf(only), '', [fragments.replacement(only, search.length, replace)]);
  }
  const around = hasWord(replace.replaceAll(search, '')) ? fragments.find(replace).at : [];
  if (around.length === 1 && found.at.every((at) => standsAround(fragments.text, at, search, replace)))
    return without(index, 'already-applied', fragments.lineOf(around[0] ?? 0), '');
  const lines = found.at.map((at) => lineAtOf(file.count, fragments.lineOf(at)));
  return without(index, 'several', lines[0] ?? null, severalMessage({ at: lines, isCut: found.isCut }, false));
}

/** A block that is nowhere as written: applied already, or there with other white space, or not at all. */
function lenientBlock(source: Source, texts: Texts, index: number): Placed {
  const { fragments } = source;
  const { search, replace } = texts;
  const hasSameShape = search.endsWith('\n') ? replace === '' || replace.endsWith('\n') : true;
  const place: LinePlace = hasSameShape ? placeWhole(source, texts) : { kind: 'none' };
  if (place.kind === 'none') {
    const [at, other] = isTellingFragment(texts) ? fragments.find(replace).at : [];
    const isWhole = at !== undefined && isWholeWord(fragments.text, at, replace);
    if (isWhole && other === undefined && !isNearElsewhere(source, search, fragments.lineOf(at), replace))
      return without(index, 'already-applied', fragments.lineOf(at), '');
  }
  return lineBlock(source, place, texts, index);
}

interface Texts {
  readonly search: string;
  readonly replace: string;
}

/** The place of whole lines. A search text without a last line ending leaves its last line there, if empty. */
function placeWhole(source: Source, { search, replace }: Texts): LinePlace {
  const isEnded = search.endsWith('\n') || replace.endsWith('\n');
  const steps = stepsBetween(plainLines(search), isEnded ? plainLines(replace) : replace.split('\n'));
  const place = placeLines(source, steps);
  const applied = place.kind === 'several' ? coveringPlace(source, steps, place) : null;
  return applied === null ? place : { kind: 'applied', at: applied };
}

function lineBlock(source: Source, place: LinePlace, { search, replace }: Texts, index: number): Placed {
  const lines = plainLines(search);
  switch (place.kind) {
    case 'at':
      return applied(index, place.at, leniencyNote(place.view), [replacementOf(source.file, place.at, place.steps)]);
    case 'applied':
      if (!isNearElsewhere(source, search, place.at, replace)) return without(index, 'already-applied', place.at, '');
      return without(index, 'not-found', null, notFoundMessage(source.nearest.nearest(lines)));
    case 'several':
      return without(index, 'several', place.places.at[0] ?? null, severalMessage(place.places, false));
    case 'unclear':
      return without(index, 'not-found', place.at, unclearMessage(place.at));
    case 'none':
      return without(
        index,
        'not-found',
        null,
        hintFromBlocks(source, search, index) ?? notFoundMessage(source.nearest.nearest(lines)),
      );
  }
}

/** Every place of the text, but for those where the new text stands already. */
function placeAll({ fragments, nearest }: Source, { search, replace }: Texts, index: number): Placed {
  const { at, isCut } = fragments.find(search, true);
  if (isCut) return without(index, 'several', null, TOO_MUCH);
  const [first] = at;
  if (first === undefined) {
    const known = isTellingFragment({ search, replace }) ? fragments.find(replace).at[0] : undefined;
    if (known !== undefined && isWholeWord(fragments.text, known, replace))
      return without(index, 'already-applied', fragments.lineOf(known), '');
    return without(index, 'not-found', null, notFoundMessage(nearest.nearest(plainLines(search))));
  }
  const open = at.filter((place) => !standsAround(fragments.text, place, search, replace));
  const left = at.length - open.length;
  const note = left === 0 ? '' : `${left} of ${at.length} places have the new text already and were left alone.`;
  if (open.length === 0) return without(index, 'already-applied', fragments.lineOf(first), '');
  const replacements = open.map((place) => fragments.replacement(place, search.length, replace));
  return applied(index, fragments.lineOf(open[0] ?? first), note, replacements);
}

/** An empty search text: only an empty text has a place for it. */
function fill({ file, blocks }: Source, replace: string, index: number): Placed {
  const now = withLf(file.text);
  if (now === replace) return without(index, replace === '' ? 'identical' : 'already-applied', 0, '');
  if (now === '' && blocks.length === 1)
    return applied(index, 0, '', [{ start: 0, end: 0, from: 0, to: 0, text: replace }]);
  const message =
    now === ''
      ? 'Only one block can fill an empty file. Put all of the text into one.'
      : 'The file is not empty, so a block needs the text to replace. Name it, or send the whole new file.';
  return without(index, 'not-found', null, message);
}

/** Does the new text, which contains the old, stand there in full already? Then doing it again would repeat the insertion. */
function standsAround(text: string, place: number, search: string, replace: string): boolean {
  for (let i = replace.indexOf(search); i >= 0; i = replace.indexOf(search, i + 1)) {
    if (place >= i && text.startsWith(replace, place - i)) return true;
  }
  return false;
}

/** Whether finding the new text says that the edit was made: it must not be a part of the old one, nor next to nothing. */
function isTellingFragment({ search, replace }: Texts): boolean {
  const isWholeLine = search.includes('\n') || replace.includes('\n');
  return (
    !search.includes(replace) && (isWholeLine ? hasWord(replace) : (replace.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 3)
  );
}

/** The text is not only a part of longer words. */
function isWholeWord(text: string, at: number, fragment: string): boolean {
  const isWord = (character: string | undefined): boolean =>
    character !== undefined && /[\p{L}\p{N}_]/u.test(character);
  const end = at + fragment.length;
  return !(isWord(text[at - 1]) && isWord(text[at])) && !(isWord(text[end - 1]) && isWord(text[end]));
}

const ALIKE = 0.8;

/** Something very like the old text stands elsewhere: then finding the new text proves nothing. */
function isNearElsewhere({ nearest }: Source, search: string, at: number, replace: string): boolean {
  const wanted = plainLines(search);
  const place = nearest.nearest(wanted);
  if (!place || place.likeness < ALIKE) return false;
  const line = place.line - 1;
  return line + wanted.length <= at || at + plainLines(replace).length <= line;
}

/** A block that needs what an earlier block writes. */
function hintFromBlocks({ blocks }: Source, search: string, index: number): string | null {
  const wanted = search.trimEnd();
  const earlier = blocks.slice(0, Math.min(index, 200)).findIndex(({ replace }) => withLf(replace).includes(wanted));
  if (earlier < 0) return null;
  return `The text to replace is in what block ${earlier + 1} writes. All blocks are placed on the file as it is; put the two into one.`;
}

function lineAtOf(count: number, line: number): number {
  return Math.min(line, Math.max(count - 1, 0));
}

function applied(index: number, at: number, message: string, replacements: readonly Replacement[]): Placed {
  return { report: { index, outcome: 'applied', line: at + 1, message }, replacements };
}

/** A block that writes nothing. `at`: its line, from 0. */
function without(index: number, outcome: BlockReport['outcome'], at: number | null, message: string): Placed {
  return { report: { index, outcome, line: at === null ? null : at + 1, message }, replacements: [] };
}

// What the agent is told about a block or hunk that has no place: what is there, where, and what to send instead.
import type { Places } from './lineFinder.ts';
import type { Nearest } from './nearest.ts';

/** Lines that a message lists. */
const LISTED = 20;

/** For a text that is there more than once. Lines are counted from 0 in `places`. */
export function severalMessage({ at, isCut }: Places, isHunk: boolean): string {
  const lines = at
    .slice(0, LISTED)
    .map((line) => line + 1)
    .join(', ');
  const count = isCut ? `more than ${at.length}` : at.length;
  const more = isCut || at.length > LISTED ? ', ...' : '';
  const remedy = isHunk
    ? 'Add lines of context, or name the function or class above it after @@.'
    : 'Add lines around it until it is unique.';
  return `The text to replace is there ${count} times (lines ${lines}${more}). ${remedy}`;
}

/** For a text that is not there. */
export function notFoundMessage(nearest: Nearest | null): string {
  if (!nearest) return 'The text to replace is not there, nor anything like it. Read the file again.';
  const { line, excerpt, difference } = nearest;
  const how = difference === '' ? '' : `\n${difference}`;
  return `The text to replace is not there. Nearest is line ${line}:\n${excerpt}${how}\nUse the text of the file exactly, with its white space.`;
}

/** For a text that is there with another indentation, where the new lines cannot be indented without a guess. */
export function unclearMessage(at: number): string {
  return `The text to replace is at line ${at + 1} with another indentation, and how the new lines are to be indented is not clear. Send both as the file is indented.`;
}

/** What leniency was needed to place a text; empty for none. */
export function leniencyNote(view: 'exact' | 'trailing' | 'indent'): string {
  if (view === 'exact') return '';
  return view === 'trailing'
    ? 'Placed although white space at the ends of lines differs from the file.'
    : 'Placed although the indentation differs from the file; the new lines were indented as the file is.';
}

/** For an edit that compares too much. */
export const TOO_MUCH =
  'The text repeats itself so often that the places cannot be found in reasonable time. Send fewer changes at a time, or the whole file.';

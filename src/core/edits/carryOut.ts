// Carries planned changes out on the text they were planned on. Lines that stay keep their bytes, whatever the edit wrote of
// them; new lines get the line ending of the line they stand for, else of their neighbour; a missing last line ending stays
// missing unless the edit says otherwise.
import { endNear } from './lines.ts';
import type { TextLines } from './lines.ts';
import type { Step } from './steps.ts';

/** Characters `start` up to `end` of a text become `text`. `from` up to `to` is what the edit took for granted around them. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** Whether the old or new side of a change is said to end without a line ending. */
export interface EndMarks {
  readonly old: boolean;
  readonly new: boolean;
}

const NO_MARKS: EndMarks = { old: false, new: false };

/** The replacement for steps whose old lines stand at line `at` (from 0). */
export function replacementOf(
  file: TextLines,
  at: number,
  steps: readonly Step[],
  marks: EndMarks = NO_MARKS,
): Replacement {
  const first = steps.findIndex(({ kind }) => kind !== 'keep');
  const last = steps.findLastIndex(({ kind }) => kind !== 'keep');
  const core = first < 0 ? [] : steps.slice(first, last + 1);
  const coreAt = at + Math.max(first, 0);
  const coreEnd = coreAt + core.filter(({ kind }) => kind !== 'add').length;
  const pieces = piecesOf(file, coreAt, core);
  const isAtEnd = coreEnd === file.count;
  if (isAtEnd) endLast(file, pieces, marks);
  const text = pieces
    .map((piece, i) => piece.text + (piece.end === '' && i < pieces.length - 1 ? file.usualEnd : piece.end))
    .join('');
  const start = offsetOf(file, coreAt);
  // Lines behind a last line that was not ended.
  const opening = coreAt === file.count && isUnended(file) && pieces.length > 0 ? endNear(file, coreAt - 1) : '';
  const size = steps.filter(({ kind }) => kind !== 'add').length;
  return {
    start,
    end: offsetOf(file, coreEnd),
    text: opening + text,
    from: offsetOf(file, at),
    to: offsetOf(file, at + size),
  };
}

interface Piece {
  readonly text: string;
  readonly isNew: boolean;
  end: string;
}

function piecesOf(file: TextLines, coreAt: number, core: readonly Step[]): Piece[] {
  const pieces: Piece[] = [];
  let cursor = coreAt;
  for (let i = 0; i < core.length;) {
    if (core[i]?.kind === 'keep') {
      pieces.push({ text: file.texts[cursor] ?? '', isNew: false, end: file.ends[cursor] ?? '' });
      cursor++;
      i++;
      continue;
    }
    // All that goes and comes between two lines that stay; the n-th new line stands for the n-th old one.
    const gapAt = cursor;
    let added = 0;
    for (; i < core.length && core[i]?.kind !== 'keep'; i++) {
      if (core[i]?.kind === 'remove') cursor++;
    }
    const gone = cursor - gapAt;
    for (const step of gapSteps(core, i)) {
      const model = gone > 0 ? gapAt + Math.min(added, gone - 1) : gapAt - 1;
      pieces.push({ text: step.text, isNew: true, end: endNear(file, model) });
      added++;
    }
  }
  return pieces;
}

/** The new lines of the gap that ends before step `end`. */
function gapSteps(core: readonly Step[], end: number): readonly Step[] {
  let start = end;
  while (start > 0 && core[start - 1]?.kind !== 'keep') start--;
  return core.slice(start, end).filter(({ kind }) => kind === 'add');
}

/** Gives the last line of the new text its ending. */
function endLast(file: TextLines, pieces: readonly Piece[], marks: EndMarks): void {
  const last = pieces.at(-1);
  if (!last) return;
  if (marks.new) last.end = '';
  else if (marks.old) last.end ||= endNear(file, file.count - 1);
  else if (isUnended(file) && last.isNew) last.end = '';
}

/** Whether the text does not end with a line ending. An empty text needs none. */
export function isUnended(file: TextLines): boolean {
  return file.count === file.texts.length;
}

function offsetOf({ starts, count, text }: TextLines, line: number): number {
  return line < count ? (starts[line] ?? text.length) : text.length;
}

/** The text with all replacements made; they must not overlap. */
export function carriedOut(text: string, replacements: readonly Replacement[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text: fresh } of [...replacements].sort((a, b) => a.start - b.start || a.end - b.end)) {
    parts.push(text.slice(at, start), fresh);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

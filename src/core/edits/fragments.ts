// Search texts that may begin and end in the middle of a line: where they are, whatever the line endings, and what putting
// the new text there does to them. Lines that the new text leaves as they are keep their bytes.
import type { Replacement } from './carryOut.ts';
import { endNear, lineAt } from './lines.ts';
import type { TextLines } from './lines.ts';
import { stepsBetween } from './steps.ts';

/** A text with LF line endings in which fragments are looked for. */
export interface Fragments {
  readonly text: string;
  /** Places (offsets in `text`) of a fragment, overlapping ones too; at most `MAX_PLACES`. */
  find(wanted: string, isApart?: boolean): FoundFragments;
  /** Line (from 0) of an offset. */
  lineOf(at: number): number;
  /** The replacement, in the original text, of the fragment of `length` at `at`. */
  replacement(at: number, length: number, fresh: string): Replacement;
  /** Whether so much was searched that answers are not to be trusted any more. */
  isSpent(): boolean;
}

export interface FoundFragments {
  readonly at: readonly number[];
  readonly isCut: boolean;
}

const MAX_PLACES = 200;
/** Where every place is meant, and is not looked at twice. */
const MAX_ALL = 1_000_000;
/** Characters that one plan may search through: some seconds. */
const SEARCH_LIMIT = 3_000_000_000;

export function fragmentsOf(file: TextLines): Fragments {
  const { text, starts } = inLf(file);
  let searched = 0;
  const isSpent = (): boolean => searched > SEARCH_LIMIT;
  return {
    text,
    isSpent,
    lineOf: (at) => lineAt(starts, at),
    find(wanted, isApart = false) {
      if (wanted === '' || isSpent()) return { at: [], isCut: false };
      searched += text.length;
      const at: number[] = [];
      const limit = isApart ? MAX_ALL : MAX_PLACES;
      for (let i = text.indexOf(wanted); i >= 0; i = text.indexOf(wanted, i + (isApart ? wanted.length : 1))) {
        if (at.length === limit) return { at, isCut: true };
        at.push(i);
      }
      return { at, isCut: false };
    },
    replacement: (at, length, fresh) => replacementAt({ file, text, starts }, at, length, fresh),
  };
}

interface LfText {
  readonly text: string;
  readonly starts: readonly number[];
}

function inLf({ text, texts, starts, ends }: TextLines): LfText {
  if (!text.includes('\r\n')) return { text: ends[0] === '\r' ? text.replaceAll('\r', '\n') : text, starts };
  const lfStarts: number[] = [];
  let at = 0;
  for (const line of texts) {
    lfStarts.push(at);
    at += line.length + 1;
  }
  return { text: texts.join('\n'), starts: lfStarts };
}

function replacementAt(
  { file, text, starts }: LfText & { readonly file: TextLines },
  at: number,
  length: number,
  fresh: string,
): Replacement {
  const original = (offset: number): number => {
    const line = lineAt(starts, offset);
    return (file.starts[line] ?? 0) + offset - (starts[line] ?? 0);
  };
  const start = original(at);
  const end = original(at + length);
  return { start, end, from: start, to: end, text: inEndingsOf({ file, text, starts }, at, length, fresh) };
}

/** The new text in the line endings of the lines that it stands for. */
function inEndingsOf(
  { file, text, starts }: LfText & { readonly file: TextLines },
  at: number,
  length: number,
  fresh: string,
): string {
  if (!fresh.includes('\n')) return fresh;
  if (!file.isMixed) return file.usualEnd === '\n' ? fresh : fresh.replaceAll('\n', file.usualEnd);
  const first = lineAt(starts, at);
  const last = lineAt(starts, at + length);
  const head = text.slice(starts[first] ?? 0, at);
  const lastStart = starts[last] ?? 0;
  const tail = text.slice(at + length, lastStart + (file.texts[last] ?? '').length);
  const before = file.texts.slice(first, last + 1);
  const after = (head + fresh + tail).split('\n');
  const ends = endsOf(file, first, before, after);
  const whole = after.map((line, i) => (i < after.length - 1 ? line + (ends[i] ?? file.usualEnd) : line)).join('');
  return whole.slice(head.length, whole.length - tail.length);
}

/** The ending of each new line: its own where it stays, else that of the line it stands for. */
function endsOf(
  file: TextLines,
  first: number,
  before: readonly string[],
  after: readonly string[],
): readonly string[] {
  const ends: string[] = [];
  let old = first;
  for (const { kind } of stepsBetween(before, after)) {
    if (kind !== 'remove') ends.push(endNear(file, kind === 'keep' ? old : Math.max(first, old - 1)));
    if (kind !== 'add') old++;
  }
  return ends;
}

// One hunk of a unified diff. Its counts say where it ends; models often count wrong, and then the lines themselves say it.
// Numbers of a hunk whose counts are wrong are not believed. A hunk that the text cuts off is refused.
import type { Hunk } from './editSet.ts';
import { refusedAt, shown } from './parsedFiles.ts';

export const HUNK_START = /^@@(?:$|[^@])/;
const NUMBERS = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;
const NO_NEWLINE = '\\ ';

/** A hunk as read, with where its new side starts by its own words. */
export interface ReadHunk {
  readonly ok: true;
  readonly hunk: Hunk;
  readonly newStart: number | null;
  /** The line behind it. */
  readonly end: number;
}

type Step = Hunk['lines'][number];

interface Header {
  readonly oldStart: number | null;
  readonly newStart: number | null;
  readonly oldCount: number;
  readonly newCount: number;
  readonly heading: string;
}

/** Reads the hunk whose `@@` is line `start`. */
export function readHunk(
  lines: readonly string[],
  start: number,
): ReadHunk | { readonly ok: false; readonly error: string } {
  const header = headerOf(lines[start] ?? '');
  const counted = header.oldStart === null ? null : readCounted(lines, start + 1, header);
  const body = counted ?? readUncounted(lines, start + 1);
  const { steps, end } = body;
  if (steps.length === 0)
    return refusedAt(start, 'the hunk has no lines. Expected lines that start with " ", "-" or "+".');
  const has = countsOf(steps);
  const isCounted = header.oldStart !== null && has.old === header.oldCount && has.new === header.newCount;
  const isCut =
    header.oldStart !== null &&
    !isCounted &&
    isTextEnd(lines, end) &&
    has.old <= header.oldCount &&
    has.new <= header.newCount;
  if (isCut)
    return refusedAt(
      start,
      `the hunk names ${header.oldCount} old and ${header.newCount} new lines but the text ends after ${has.old} and ${has.new}. If nothing is missing, correct the counts, or leave the numbers out ("@@").`,
    );
  if (body.badMark !== null)
    return refusedAt(body.badMark, 'this mark can only follow the last old or the last new line of a hunk.');
  const anchors = header.heading.trim() === '' ? [] : [header.heading.trim()];
  const marks = body.marks.old || body.marks.new ? { noNewlineAtEnd: body.marks } : {};
  const hunk = { oldStart: isCounted ? header.oldStart : null, anchors, lines: steps, ...marks };
  return { ok: true, hunk, newStart: isCounted ? header.newStart : null, end };
}

function headerOf(line: string): Header {
  const match = NUMBERS.exec(line);
  if (match) {
    const [, oldStart, oldCount = '1', newStart, newCount = '1', heading = ''] = match;
    // A side without lines is named by the line before it.
    const first = Number(oldStart) + (oldCount === '0' ? 1 : 0);
    return {
      oldStart: first,
      newStart: Number(newStart) + (newCount === '0' ? 1 : 0),
      oldCount: Number(oldCount),
      newCount: Number(newCount),
      heading,
    };
  }
  const heading = line
    .slice(2)
    .replace(/^[ \d,+-]*@@/, '')
    .replace(/@@\s*$/, '');
  const isHeading = !/^[\s\d,.+-]*$/.test(heading);
  return { oldStart: null, newStart: null, oldCount: 0, newCount: 0, heading: isHeading ? heading : '' };
}

interface Body {
  readonly steps: readonly Step[];
  readonly marks: { readonly old: boolean; readonly new: boolean };
  /** Line of a mark that stands where it cannot. */
  readonly badMark: number | null;
  readonly end: number;
}

/** Reads as many lines as the counts say; null where that does not come out. */
function readCounted(lines: readonly string[], start: number, { oldCount, newCount }: Header): Body | null {
  const reader = bodyReader();
  let at = start;
  while (reader.old() < oldCount || reader.new() < newCount) {
    // What is behind the last line ending is no line: a cut hunk must not be completed by it.
    const isBehind = at >= lines.length || (at === lines.length - 1 && lines[at] === '');
    if (isBehind || !reader.take(lines[at] ?? '', at)) return null;
    at++;
  }
  if ((lines[at] ?? '').startsWith(NO_NEWLINE)) reader.take(lines[at] ?? '', at++);
  const isOver = reader.old() === oldCount && reader.new() === newCount;
  return isOver && !goesOn(lines, at) ? reader.body(at) : null;
}

/** More lines of the same hunk follow: the counts were too small. */
function goesOn(lines: readonly string[], at: number): boolean {
  const line = lines[at];
  return line !== undefined && /^[ +-]/.test(line) && !isFileStart(lines, at) && !/^-- ?$/.test(line);
}

/** Reads up to the next hunk, file, fence or other text. Empty lines at the end belong to no hunk. */
function readUncounted(lines: readonly string[], start: number): Body {
  const reader = bodyReader();
  let at = start;
  while (at < lines.length) {
    let next = at;
    while (next < lines.length && lines[next] === '') next++;
    if (!isHunkLine(lines, next)) break;
    for (; at <= next; at++) reader.take(lines[at] ?? '', at);
  }
  return reader.body(at);
}

function isHunkLine(lines: readonly string[], at: number): boolean {
  const line = lines[at];
  return line !== undefined && /^[ +\\-]/.test(line) && line !== '-- ' && !isFileStart(lines, at);
}

function bodyReader() {
  const steps: Step[] = [];
  const marks = { old: false, new: false };
  let badMark: number | null = null;
  let old = 0;
  let fresh = 0;
  return {
    old: () => old,
    new: () => fresh,
    /** Takes a line of the hunk; false where it is none. */
    take(line: string, at: number): boolean {
      if (line.startsWith(NO_NEWLINE)) {
        const kind = steps.at(-1)?.kind;
        if (kind === undefined) return false;
        if (kind !== 'add') marks.old = true;
        if (kind !== 'remove') marks.new = true;
        return true;
      }
      const step = stepOf(line);
      if (!step) return false;
      if ((step.kind !== 'add' && marks.old) || (step.kind !== 'remove' && marks.new)) badMark ??= at;
      steps.push(step);
      if (step.kind !== 'add') old++;
      if (step.kind !== 'remove') fresh++;
      return true;
    },
    body: (end: number): Body => ({ steps, marks, badMark, end }),
  };
}

function stepOf(line: string): Step | null {
  const text = line.slice(1);
  if (line === '' || line.startsWith(' ')) return { kind: 'keep', text };
  if (line.startsWith('-')) return { kind: 'remove', text };
  return line.startsWith('+') ? { kind: 'add', text } : null;
}

function countsOf(steps: readonly Step[]): { readonly old: number; readonly new: number } {
  const count = (not: Step['kind']): number => steps.filter(({ kind }) => kind !== not).length;
  return { old: count('add'), new: count('remove') };
}

/** Nothing follows but blank lines: where a cut text would end. */
function isTextEnd(lines: readonly string[], at: number): boolean {
  let next = at;
  while (next < lines.length && (lines[next] ?? '').trim() === '') next++;
  return next === lines.length;
}

/** A new file's header starts here. Within a hunk, `--- ` and `+++ ` may be lines of it: only with a hunk behind they are not. */
export function isFileStart(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  if (/^diff --git |^diff -|^Index: |^Only in /.test(line)) return true;
  return line.startsWith('--- ') && (lines[at + 1] ?? '').startsWith('+++ ') && /^@@|^\s*$/.test(lines[at + 2] ?? '');
}

/** What a line between hunks is told to be. */
export function strayMessage(line: string): string {
  return `${shown(line)} belongs to no hunk. Expected "@@", the header of a file, or " ", "-" or "+" at its start.`;
}

// The `apply_patch` text of Codex and its kin: an envelope of file sections (Add, Delete, Update with an optional Move) whose
// hunks have no numbers but anchors after `@@`. Read as its published grammar says, with the ways models wrap it: a heredoc,
// a fence, a `cd` before. Stricter than the original where that guesses: nothing is dropped in silence.
import type { FileEdit, Hunk } from './editSet.ts';
import { isFence } from './fileNames.ts';
import { editLines, isPath, refusedAt, shown } from './parsedFiles.ts';
import type { ParsedFiles } from './parsedFiles.ts';

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const END_OF_FILE = '*** End of File';
const SECTION = /^\*\*\* (Add|Delete|Update) File: *(.*)$/;
const MOVE = /^\*\*\* Move to: *(.*)$/;
const HEREDOC =
  /^(?:cd\s+(?:'([^']+)'|"([^"]+)"|(\S+))\s*&&\s*)?(?:apply_?patch\b)?\s*(?:<<-?\s*(?:'\w+'|"\w+"|\w+))?\s*["']?$/;

/** Where an envelope starts; -1: nowhere. */
export function hasPatchMarker(text: string): number {
  return text.search(/^\s{0,3}\*\*\* Begin Patch[ \t]*\r?$/m);
}

/** Parses an `apply_patch` text. Its paths are its own; a path the caller knows is not needed. */
export function parsePatch(text: string): ParsedFiles {
  const lines = editLines(text);
  const begin = lines.findIndex((line) => line.trim() === BEGIN);
  if (begin < 0) return refusedAt(0, `expected "${BEGIN}" on a line of its own.`);
  const folder = folderAbove(lines, begin);
  if (folder === null)
    return refusedAt(begin, `expected nothing before "${BEGIN}" but the start of a heredoc or a fence.`);
  const end = endOf(lines, begin);
  if (end < 0) return refusedAt(lines.length - 1, `the patch is cut off. Expected "${END}" at its end.`);
  const extra = lines.findIndex((line, i) => i > end && !isClosing(line));
  if (extra >= 0)
    return refusedAt(
      extra,
      `${shown(lines[extra] ?? '')} stands behind "${END}". Expected nothing; send one patch at a time.`,
    );
  return readSections(lines, begin + 1, end, folder);
}

/** The end of the envelope. One that is indented counts only where no other is: it may be a line of a file. */
function endOf(lines: readonly string[], begin: number): number {
  const end = lines.findIndex((line, i) => i > begin && line.trimEnd() === END);
  return end >= 0 ? end : lines.findLastIndex((line, i) => i > begin && line.trim() === END);
}

/** The folder that a `cd` before the patch goes to; empty for none; null where something else stands above. */
function folderAbove(lines: readonly string[], begin: number): string | null {
  const above = lines.slice(0, begin).filter((line) => line.trim() !== '');
  let folder = '';
  for (const line of above) {
    if (isFence(line)) continue;
    const match = HEREDOC.exec(line.trim());
    if (!match) return above.some((one) => /apply_?patch|<</.test(one)) ? null : '';
    folder = match[1] ?? match[2] ?? match[3] ?? folder;
  }
  return folder;
}

/** What may stand behind the patch: the end of a heredoc, a quote, a fence. */
function isClosing(line: string): boolean {
  return /^\s*(?:[A-Z_]{2,20}|["')\]}]+|`{3,}|~{3,})?\s*$/.test(line);
}

interface Cursor {
  readonly lines: readonly string[];
  readonly end: number;
  at: number;
  /** Behind the run of blank lines that was looked at last. */
  blankUntil: number;
}

function readSections(lines: readonly string[], start: number, end: number, folder: string): ParsedFiles {
  const files: FileEdit[] = [];
  const cursor: Cursor = { lines, end, at: start, blankUntil: -1 };
  while (cursor.at < end) {
    const line = lines[cursor.at] ?? '';
    if (line.trim() === '') {
      cursor.at++;
      continue;
    }
    const [, verb, name = ''] = SECTION.exec(line.trim()) ?? [];
    if (verb === undefined)
      return refusedAt(
        cursor.at,
        `${shown(line)} starts no file. Expected "*** Add File: ", "*** Update File: " or "*** Delete File: ".`,
      );
    const path = placed(folder, name.trim());
    if (!isPath(path)) return refusedAt(cursor.at, 'expected the path of a file after the colon.');
    cursor.at++;
    const read = readSection(cursor, verb, path, folder);
    if (!read.ok) return read;
    files.push(...read.files);
  }
  return files.length > 0
    ? { ok: true, files }
    : refusedAt(
        end,
        'the patch holds no file. Expected at least one "*** Add File: ", "*** Update File: " or "*** Delete File: ".',
      );
}

function placed(folder: string, path: string): string {
  const isAbsolute = /^(?:[/\\]|[A-Za-z]:)/.test(path);
  return folder === '' || isAbsolute || path === '' ? path : `${folder.replace(/[/\\]$/, '')}/${path}`;
}

function readSection(cursor: Cursor, verb: string, path: string, folder: string): ParsedFiles {
  if (verb === 'Add') return readAddition(cursor, path);
  if (verb === 'Delete') return { ok: true, files: [{ kind: 'delete', path }] };
  const target = MOVE.exec((cursor.lines[cursor.at] ?? '').trim())?.[1];
  const moveTo = target === undefined || cursor.at >= cursor.end ? undefined : placed(folder, target.trim());
  if (moveTo !== undefined) {
    if (!isPath(moveTo)) return refusedAt(cursor.at, 'expected the new path of the file after the colon.');
    cursor.at++;
  }
  const start = cursor.at;
  const hunks = readHunks(cursor);
  if (!hunks.ok) return hunks;
  if (hunks.hunks.length > 0)
    return { ok: true, files: [{ kind: 'hunks', path, hunks: hunks.hunks, ...(moveTo !== undefined && { moveTo }) }] };
  if (moveTo !== undefined) return { ok: true, files: [{ kind: 'move', path, moveTo }] };
  return refusedAt(start, `the update of ${path} is empty. Expected "@@" and lines that start with " ", "-" or "+".`);
}

function isSectionEnd({ lines, at, end }: Pick<Cursor, 'lines' | 'at' | 'end'>): boolean {
  const line = lines[at] ?? '';
  return at >= end || SECTION.test(line.trimEnd());
}

function readAddition(cursor: Cursor, path: string): ParsedFiles {
  const texts: string[] = [];
  for (; !isSectionEnd(cursor); cursor.at++) {
    const line = cursor.lines[cursor.at] ?? '';
    if (line.startsWith('+')) texts.push(`${line.slice(1)}\n`);
    else if (line.trimEnd() === END_OF_FILE) continue;
    else if (line.trim() !== '' || !isLastOf(cursor))
      return refusedAt(
        cursor.at,
        `${shown(line)} is no line of a new file. Expected "+" at the start of each of its lines.`,
      );
  }
  return { ok: true, files: [{ kind: 'create', path, text: texts.join('') }] };
}

/** Whether only blank lines follow in the section. */
function isLastOf(cursor: Cursor): boolean {
  const { lines, at, end } = cursor;
  // A run of blank lines is gone through once, not once for each of its lines.
  if (cursor.blankUntil <= at) {
    let next = at;
    while (next < end && (lines[next] ?? '').trim() === '') next++;
    cursor.blankUntil = next;
  }
  return isSectionEnd({ lines, at: cursor.blankUntil, end });
}

type ReadHunks =
  { readonly ok: true; readonly hunks: readonly Hunk[] } | { readonly ok: false; readonly error: string };

interface Open {
  anchors: string[];
  lines: Hunk['lines'][number][];
  isAtEnd: boolean;
}

function readHunks(cursor: Cursor): ReadHunks {
  const hunks: Hunk[] = [];
  let open: Open = { anchors: [], lines: [], isAtEnd: false };
  const close = (): void => {
    if (open.lines.length > 0) hunks.push(hunkOf(open));
    open = { anchors: [], lines: [], isAtEnd: false };
  };
  for (; !isSectionEnd(cursor); cursor.at++) {
    const line = cursor.lines[cursor.at] ?? '';
    if (line.startsWith('@@')) {
      if (open.lines.length > 0) close();
      const anchor = anchorIn(line);
      if (anchor !== '') open.anchors.push(anchor);
    } else if (line.trimEnd() === END_OF_FILE) {
      if (open.lines.length === 0) return refusedAt(cursor.at, `expected lines of a hunk before "${END_OF_FILE}".`);
      open.isAtEnd = true;
      close();
    } else if (line === '' && (isLastOf(cursor) || open.lines.length === 0)) {
      continue;
    } else {
      const step = stepOf(line);
      if (!step)
        return refusedAt(
          cursor.at,
          `${shown(line)} is no line of a hunk. Expected "@@", or " ", "-" or "+" at its start.`,
        );
      open.lines.push(step);
    }
  }
  if (open.lines.length === 0 && open.anchors.length > 0)
    return refusedAt(
      cursor.at - 1,
      'the patch is cut off in a hunk. Expected lines that start with " ", "-" or "+" after "@@".',
    );
  close();
  return { ok: true, hunks };
}

/** The text behind `@@`; models also write the numbers of a diff there, which say nothing here. */
function anchorIn(line: string): string {
  const text = line.slice(2).replace(/^ ?-\d+(?:,\d+)? \+\d+(?:,\d+)?(?: @@)?/, '');
  const heading = text.trim();
  return (heading.endsWith('@@') ? heading.slice(0, -2) : heading).trim();
}

function stepOf(line: string): Hunk['lines'][number] | null {
  const text = line.slice(1);
  if (line === '' || line.startsWith(' ')) return { kind: 'keep', text };
  if (line.startsWith('-')) return { kind: 'remove', text };
  return line.startsWith('+') ? { kind: 'add', text } : null;
}

/** A hunk that only adds and names no place goes to the end, as the original does it. */
function hunkOf({ anchors, lines, isAtEnd }: Open): Hunk {
  const isAddition = anchors.length === 0 && lines.every(({ kind }) => kind === 'add');
  return { oldStart: null, anchors, lines, ...((isAtEnd || isAddition) && { isAtEnd: true }) };
}

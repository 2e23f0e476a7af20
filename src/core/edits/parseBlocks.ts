// Search/replace blocks as aider, Cline and Roo Code have their models write them: markers alone on their lines, the file's
// name above, fences around or not, line headers (`:start_line:`) that are not trusted, and a backslash before a line of the
// text that looks like a marker. Names and markers: aider's and Roo Code's edit prompts, Cline's replace_in_file.
import type { EditBlock, FileEdit } from './editSet.ts';
import { fileNameIn, isFence } from './fileNames.ts';
import { editLines, refusedAt, shown } from './parsedFiles.ts';
import type { ParsedFiles } from './parsedFiles.ts';

const OPEN = /^\s{0,3}([<-])\1{4,8}[ \t]*(?:SEARCH|ORIGINAL)\b[ \t]*>?[ \t]*$/;
const CLOSE = /^\s{0,3}(?:>{5,9}|\+{5,9})[ \t]*(?:REPLACE|UPDATED)\b[ \t]*$/;
const DIVIDER = /^\s{0,3}={5,9}[ \t]*$/;
const HEADER = /^:(?:start|end)_line:[ \t]*\d*[ \t]*$/;
const RULE = /^-{5,9}[ \t]*$/;
/** A line of the text that would be taken for a marker, with the backslash that says it is none. */
const ESCAPED = /^\\+(?:[<>=+-]{5,}(?:[ \t]|$)|:(?:start|end)_line:)/;
/** The length of an ordinary marker; other dividers count only where none of this length is there. */
const USUAL = 7;

/** Where the first marker of a block is; -1: nowhere. */
export function hasSearchMarker(text: string): number {
  return text.search(/^\s{0,3}(?:<{5,9}|-{5,9})[ \t]*(?:SEARCH|ORIGINAL)\b[ \t]*>?[ \t]*\r?$/m);
}

/** Parses blocks. `path`: the file that they are all for; otherwise its name stands above them. */
export function parseBlocks(text: string, path?: string): ParsedFiles {
  const lines = editLines(text);
  const files: FileEdit[] = [];
  let current = path ?? null;
  let floor = 0;
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? '';
    if (CLOSE.test(line))
      return refusedAt(i, `${shown(line)} ends a block that has no start. Expected "<<<<<<< SEARCH" first.`);
    if (isBrokenStart(lines, i))
      return refusedAt(i, `${shown(line)} is no marker, but like the start of one. Expected "<<<<<<< SEARCH".`);
    if (!OPEN.test(line)) continue;
    current = path ?? nameAbove(lines, { at: i, floor }, current);
    if (current === null) return refusedAt(i, 'a block needs the name of its file, alone on the line above.');
    const block = readBlock(lines, i);
    if (!block.ok) return block;
    files.push({ kind: 'blocks', path: current, blocks: [block.block] });
    i = block.end;
    floor = i + 1;
  }
  if (files.length > 0) return { ok: true, files };
  return refusedAt(
    0,
    'there is no block. Expected "<<<<<<< SEARCH", "=======" and ">>>>>>> REPLACE", each alone on its line.',
  );
}

/** A start marker with another word, or without one, or cut off at the end of the text. */
function isBrokenStart(lines: readonly string[], at: number): boolean {
  const line = (lines[at] ?? '').trim();
  if (OPEN.test(line)) return false;
  if (/^<{5}/.test(line)) return true;
  if (at < lines.length - 3 || !/^(?:<{1,9}|-{3,9})(?: S\w{0,5})?$/.test(line)) return false;
  const isLast = lines.slice(at + 1).every((rest) => rest.trim() === '');
  return isLast && (line.startsWith('<') || lines.some((one) => /^-{5,9} SEARCH/.test(one)));
}

type Read =
  | { readonly ok: true; readonly block: EditBlock; readonly end: number }
  | { readonly ok: false; readonly error: string };

function readBlock(lines: readonly string[], start: number): Read {
  const dividers: number[] = [];
  for (let i = start + 1; i < lines.length; i++) {
    const line = lines[i] ?? '';
    if (OPEN.test(line))
      return refusedAt(
        i,
        `a block starts inside of the one of line ${start + 1}. Expected its ${dividers.length > 0 ? 'end, ">>>>>>> REPLACE"' : 'divider, "======="'}; put a backslash before a line of the text that looks like a marker.`,
      );
    if (DIVIDER.test(line)) dividers.push(i);
    if (CLOSE.test(line)) return blockOf(lines, { start, end: i, dividers });
  }
  const missing = dividers.length > 0 ? '>>>>>>> REPLACE' : '=======';
  return refusedAt(lines.length - 1, `the text ends inside of the block of line ${start + 1}. Expected "${missing}".`);
}

interface Marks {
  readonly start: number;
  readonly end: number;
  readonly dividers: readonly number[];
}

function blockOf(lines: readonly string[], { start, end, dividers }: Marks): Read {
  const usual = dividers.filter((at) => lines[at]?.trim().length === USUAL);
  const chosen = usual.length > 0 ? usual : dividers;
  const [divider, second] = chosen;
  if (divider === undefined)
    return refusedAt(
      end,
      `the block of line ${start + 1} has no divider. Expected "=======" between the old and the new text.`,
    );
  if (second !== undefined)
    return refusedAt(
      second,
      `the block of line ${start + 1} has a second divider. Expected ">>>>>>> REPLACE"; put a backslash before a line of the text that looks like a divider.`,
    );
  const search = lines.slice(start + 1, divider);
  const body = search.slice(headerSize(search));
  const block = { search: joined(body), replace: joined(lines.slice(divider + 1, end)), isWholeLines: true };
  return { ok: true, block, end };
}

/** Lines `:start_line:` and `:end_line:`, and the rule that may close them. */
function headerSize(lines: readonly string[]): number {
  let size = 0;
  while (HEADER.test(lines[size] ?? '')) size++;
  return size > 0 && RULE.test(lines[size] ?? '') ? size + 1 : size;
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => `${ESCAPED.test(line) ? line.slice(1) : line}\n`).join('');
}

/** The file named nearest above a block; else the one of the block before. */
function nameAbove(
  lines: readonly string[],
  { at, floor }: { at: number; floor: number },
  current: string | null,
): string | null {
  let seen = 0;
  for (let i = at - 1; i >= floor && seen < 3; i--) {
    const line = lines[i] ?? '';
    if (line.trim() === '') continue;
    seen++;
    const name = fileNameIn(line, current !== null);
    if (name !== null) return name;
    if (!isFence(line)) break;
  }
  return current;
}

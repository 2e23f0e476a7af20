// Whole files: the text itself where the caller names the file, else fenced blocks with the file's name above them or behind
// the fence. A fence that does not end, or that another one of its length interrupts, leaves open where the file ends: refused.
import type { FileEdit } from './editSet.ts';
import { fileNameIn, isFence } from './fileNames.ts';
import { editLines, refusedAt, shown } from './parsedFiles.ts';
import type { ParsedFiles } from './parsedFiles.ts';

/** Parses whole files. With a `path` the text is that file's, without the fence around it if there is one. */
export function parseWhole(text: string, path?: string): ParsedFiles {
  if (path !== undefined) return parseOne(text, path);
  const lines = editLines(text);
  const files: FileEdit[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? '';
    if (!isFence(line)) continue;
    const block = readFence(lines, i);
    if (!block.ok) return block;
    const name = fileNameIn(line, true) ?? nameAbove(lines, i);
    if (name === null) return refusedAt(i, 'a whole file needs its name, alone on the line above its fence.');
    files.push({ kind: 'whole', path: name, text: textOf(lines, i, block.end) });
    i = block.end;
  }
  return files.length > 0
    ? { ok: true, files }
    : refusedAt(0, 'there is no file. Expected its name and its text between two fences ("```").');
}

/** A text that is wholly in one fence is what is inside, but for Markdown, whose own text may be so. */
function parseOne(text: string, path: string): ParsedFiles {
  const lines = editLines(text);
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  const whole: ParsedFiles = { ok: true, files: [{ kind: 'whole', path, text }] };
  const opening = lines[first] ?? '';
  if (first < 0 || !isFence(opening)) return whole;
  const isMarkdown = /\.(?:md|mdx|markdown|mdown)$/i.test(path);
  if (isMarkdown && !/^\s*[`~]{3,}\s*(?:md|markdown)\b/i.test(opening)) return whole;
  const block = readFence(lines, first);
  if (!block.ok) return block;
  if (block.end !== last)
    return refusedAt(block.end, `text follows the fence of ${path}. Expected the fence around all of it, or none.`);
  return { ok: true, files: [{ kind: 'whole', path, text: textOf(lines, first, block.end) }] };
}

type Fence = { readonly ok: true; readonly end: number } | { readonly ok: false; readonly error: string };

function readFence(lines: readonly string[], start: number): Fence {
  const [, mark = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(lines[start] ?? '') ?? [];
  for (let i = start + 1; i < lines.length; i++) {
    const [, run = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(lines[i] ?? '') ?? [];
    if (!run.startsWith(mark)) continue;
    if (info.trim() === '') return { ok: true, end: i };
    return refusedAt(
      i,
      `${shown(lines[i] ?? '')} opens a fence inside of the one of line ${start + 1}. Expected a longer fence around a text that has fences.`,
    );
  }
  return refusedAt(
    lines.length - 1,
    `the text ends inside of the fence of line ${start + 1}. Expected "${mark}" behind the whole file.`,
  );
}

function textOf(lines: readonly string[], start: number, end: number): string {
  return lines
    .slice(start + 1, end)
    .map((line) => `${line}\n`)
    .join('');
}

function nameAbove(lines: readonly string[], at: number): string | null {
  let above = at - 1;
  while (above >= 0 && (lines[above] ?? '').trim() === '') above--;
  const line = lines[above] ?? '';
  return above < 0 || isFence(line) ? null : fileNameIn(line, false);
}

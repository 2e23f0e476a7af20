// The reading tools of Belay's own agent loop: what the model is shown of the workspace, without what `.belayignore` keeps,
// and the note of it in the read book. Never writes.
import { assessTool } from '../core/guard/tools.ts';
import type { Ports } from './ports.ts';
import type { ReadBook } from './readBook.ts';

/** A tool's answer. */
export interface FileAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** Lines of a file, from 1; absent: from the first, to the last. */
export interface LineRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

type FilePorts = Pick<Ports, 'files' | 'ignore'>;

/** A result longer than this is cut in the middle; the model may read the rest of a file in parts. */
const MAX_RESULT_CHARS = 80_000;
const MAX_MATCHES = 200;

const failed = (text: string): FileAnswer => ({ text, isError: true });

/** What a tool answers about a file that `.belayignore` keeps. */
export const kept = (path: string): string => `${path} is kept from you by .belayignore; go on without it`;

/** Whether `.belayignore` keeps one of these paths, as written or under the name it has on the disk. The first such, or null. */
export async function keptPath({ files, ignore }: FilePorts, paths: readonly string[]): Promise<string | null> {
  if (!ignore) return null;
  for (const path of paths) {
    const located = await files.locate(path);
    const names = located.ok ? [path, located.value] : [path];
    const { words } = await ignore.ignored(names);
    if (names.some((name) => words.has(name))) return path;
  }
  return null;
}

/** Shows a file, and notes in the book what of it was shown. */
export async function readFile(
  ports: FilePorts,
  book: ReadBook,
  path: string,
  { from, to }: LineRange,
): Promise<FileAnswer> {
  if ((await keptPath(ports, [path])) !== null) return failed(kept(path));
  const located = await ports.files.locate(path);
  if (!located.ok) return failed(located.error);
  const read = await ports.files.read(path);
  if (!read.ok) return failed(read.error);
  const { exists, text } = read.value;
  const isAll = from === undefined && to === undefined;
  const lines = text.split('\n');
  const shown = isAll ? text : lines.slice((from ?? 1) - 1, to ?? lines.length).join('\n');
  const isSecret = assessTool('read_file', { path: located.value }).effects.some(({ kind }) => kind === 'read-secret');
  const isWhole = shown.length === text.length && shown.length <= MAX_RESULT_CHARS;
  await book.saw(located.value, read.value, { isWhole: isWhole || !exists, mayKeep: !isSecret });
  if (!exists) return failed(`there is no file ${path}`);
  if (shown === '' && text !== '') return failed(`${path} has ${lines.length} lines; ask for some of those`);
  return { text: cut(shown), isError: false };
}

/** The files of the workspace without those that `.belayignore` keeps. */
export async function visibleFiles({ files, ignore }: FilePorts): Promise<readonly string[]> {
  const all = await files.list();
  if (!ignore) return all;
  const { words } = await ignore.ignored(all);
  return all.filter((path) => !words.has(path));
}

/** Lines of visible files that hold a text. */
export async function searchFiles(ports: FilePorts, pattern: string): Promise<string> {
  if (pattern === '') return 'no text to look for was given';
  const hits: string[] = [];
  for (const path of await visibleFiles(ports)) {
    const file = await ports.files.read(path);
    if (!file.ok) continue;
    for (const [index, line] of file.value.text.split('\n').entries()) {
      if (line.includes(pattern)) hits.push(`${path}:${index + 1}: ${line.trim().slice(0, 200).toWellFormed()}`);
      if (hits.length >= MAX_MATCHES) return `${hits.join('\n')}\n(more than ${MAX_MATCHES} lines match)`;
    }
  }
  return hits.length > 0 ? hits.join('\n') : 'no line matches';
}

/** A text as a tool's result: not longer than a model should get at once. */
export function cut(value: string): string {
  if (value.length <= MAX_RESULT_CHARS) return value;
  const half = MAX_RESULT_CHARS / 2;
  const left = value.length - MAX_RESULT_CHARS;
  // A cut may go through the middle of a character.
  return `${value.slice(0, half)}\n[... ${left} characters left out ...]\n${value.slice(-half)}`.toWellFormed();
}

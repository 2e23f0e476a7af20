// What every parser of edits gives back, and the words of its errors.
import type { FileEdit } from './editSet.ts';

export type ParsedFiles =
  { readonly ok: true; readonly files: readonly FileEdit[] } | { readonly ok: false; readonly error: string };

/** A refusal. `line` counts from 0. */
export function refusedAt(line: number, problem: string): { readonly ok: false; readonly error: string } {
  return { ok: false, error: `Line ${line + 1} of the edit: ${problem}` };
}

/** The start of a line, for a message. */
export function shown(line: string): string {
  const text = line.trim();
  return text.length > 80 ? `"${text.slice(0, 80).toWellFormed()}..."` : `"${text}"`;
}

/** The lines of an edit, without line endings of any kind. */
export function editLines(text: string): readonly string[] {
  return text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** Whether a path can be meant: not empty, and without characters that no path has. */
export function isPath(path: string): boolean {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  return path !== '' && path.length <= 4096 && !/[\u0000-\u001f]/.test(path);
}

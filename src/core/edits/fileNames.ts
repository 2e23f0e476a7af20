// File names as models write them around code: alone on a line, in bold, in backticks, as a heading, or behind a fence.
// A sentence that mentions a file is no file name: a wrong guess would change the wrong file.
import { isPath } from './parsedFiles.ts';

/** Longer lines name no file. */
const MAX_CHARS = 5000;

/** A line of three or more backticks or tildes. */
export function isFence(line: string): boolean {
  return /^ {0,3}(?:`{3,}|~{3,})/.test(line);
}

/**
 * The file that a line names, or null. Behind a fence it may follow the language. `isStrict`: only what looks like a path,
 * with a slash or an extension; else one word is enough (`Makefile`).
 */
export function fileNameIn(line: string, isStrict: boolean): string | null {
  if (line.length > MAX_CHARS) return null;
  if (isFence(line)) return nameBehindFence(line);
  const plain = line
    .trim()
    .replace(/^#{1,6}\s+/, '')
    .replace(/^(?:[-*]|\d+\.)\s+(?=[`*\w./])/, '')
    .replace(/^\*\*(.*)\*\*:?$/, '$1')
    .trim();
  const labelled = /^(?:file ?(?:name|path)?|path)\s*:\s*(.+)$/i.exec(plain);
  const text = (labelled?.[1] ?? plain).replace(/^\*\*(.*)\*\*$/, '$1').trim();
  const quoted = /^`([^`]+)`:?$/.exec(text)?.[1] ?? /^"([^"]+)":?$/.exec(text)?.[1];
  const name = (quoted ?? text.replace(/^\[([^\]]+)\]:?$/, '$1').replace(/:$/, '')).trim();
  if (!isPath(name)) return null;
  if (/\s/.test(name) && quoted === undefined && !labelled) return null;
  if (/[<>|"*?`]/.test(name) || /[.,;!]$/.test(name)) return null;
  if (!isStrict || quoted !== undefined || labelled) return name;
  return /[/\\]|\.[A-Za-z0-9_]{1,12}$/.test(name) ? name : null;
}

/** ```` ```ts src/a.ts ````, ```` ```src/a.ts ````, ```` ```ts:src/a.ts ````, ```` ```ts title="src/a.ts" ````. */
function nameBehindFence(line: string): string | null {
  const info = line
    .trim()
    .replace(/^[`~]+/, '')
    .trim();
  const named = /(?:title|file|filename|path)\s*=\s*"([^"]+)"/i.exec(info)?.[1];
  const words = info.split(/\s+/);
  const candidate =
    named ?? (words.length <= 2 ? words.at(-1) : undefined)?.replace(/^[a-z+#]{1,12}:(?=[^\\/])/i, '') ?? '';
  return isPath(candidate) && /[/\\]|\.[A-Za-z0-9_]{1,12}$/.test(candidate) && !/[<>|"*?`{}]/.test(candidate)
    ? candidate
    : null;
}

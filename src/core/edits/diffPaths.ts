// The paths in the headers of diffs: quoted as git quotes them, with `a/` and `b/` or another pair before them or none, with a
// time behind them. Formats: git-diff(1), "generating patch text with -p"; GNU diffutils, unified format.
import { isPath } from './parsedFiles.ts';

/** No file: the old side of a new one, the new side of a deleted one. */
export const NO_FILE = '/dev/null';

/** Longer lines name no path, and patterns would be slow on them. */
const MAX_CHARS = 5000;

/** The path in a `--- ` or `+++ ` line, or behind another header word; null where it is none. */
export function headerPath(text: string): string | null {
  if (text.length > MAX_CHARS) return null;
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  if (quoted !== undefined) return unquoted(quoted);
  const [plain = ''] = text.split('\t');
  const path = plain
    .replace(/\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[+-]\d{4}| ?Z)?\s*$/, '')
    .trimEnd();
  return isPath(path) ? path : null;
}

const ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  '\\': 92,
};

/** Git quotes bytes: an escape is a letter or three octal digits, and the bytes are UTF-8. */
function unquoted(text: string): string | null {
  const bytes: number[] = [];
  for (const [part] of text.matchAll(/\\[0-3][0-7]{2}|\\.|[^\\]+/gsu)) {
    const code = part.startsWith('\\') ? escaped(part.slice(1)) : null;
    if (part.startsWith('\\') && code === null) return null;
    if (code === null) bytes.push(...new TextEncoder().encode(part));
    else bytes.push(code);
  }
  try {
    const path = new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes));
    return isPath(path) ? path : null;
  } catch {
    // Not UTF-8: no path that could be named here.
    return null;
  }
}

function escaped(code: string): number | null {
  return /^[0-7]{3}$/.test(code) ? Number.parseInt(code, 8) : (ESCAPES[code] ?? null);
}

/** What git puts before the old and the new path (`diff.mnemonicPrefix` gives the others). */
const PREFIXES: readonly (readonly [string, string])[] = [
  ['a/', 'b/'],
  ['b/', 'a/'],
  ['i/', 'w/'],
  ['w/', 'i/'],
  ['c/', 'i/'],
  ['i/', 'c/'],
  ['c/', 'w/'],
  ['w/', 'c/'],
  ['o/', 'w/'],
  ['w/', 'o/'],
  ['1/', '2/'],
];

/** Both paths without the pair of prefixes, where they have one. */
export function withoutPrefixes(before: string, after: string): readonly [string, string] {
  for (const [old, fresh] of PREFIXES) {
    const isOld = before === NO_FILE ? after !== NO_FILE : before.startsWith(old);
    const isFresh = after === NO_FILE ? before !== NO_FILE : after.startsWith(fresh);
    // One side alone tells less: only the usual pair is believed then.
    const isPair = before !== NO_FILE && after !== NO_FILE;
    if (!isOld || !isFresh || (!isPair && old !== 'a/')) continue;
    return [before === NO_FILE ? before : before.slice(2), after === NO_FILE ? after : after.slice(2)];
  }
  return [before, after];
}

/** The paths of a `diff --git ` line: two quoted ones, or two equal ones; null where they cannot be told apart. */
export function gitLinePaths(text: string): readonly [string, string] | null {
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(text.trim());
  if (quoted) {
    const before = headerPath(quoted[1] ?? '');
    const after = headerPath(quoted[2] ?? '');
    return before === null || after === null ? null : withoutPrefixes(before, after);
  }
  const plain = text.trim();
  const middle = (plain.length - 1) / 2;
  if (!Number.isInteger(middle) || plain[middle] !== ' ') return null;
  const [before, after] = withoutPrefixes(plain.slice(0, middle), plain.slice(middle + 1));
  return before === after && isPath(before) ? [before, after] : null;
}

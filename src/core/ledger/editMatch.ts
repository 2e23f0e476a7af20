// Where a search/replace edit goes in a text: exactly one place, or an answer that says why not. Pure; writes nothing.
// Line endings of the file are kept: a search text with LF matches a file that uses only CRLF, and the new text becomes CRLF.

/** What an edit would do. Lines count from 1. */
export type EditMatch =
  | { readonly kind: 'single'; readonly text: string; readonly line: number }
  | { readonly kind: 'already-applied'; readonly line: number }
  | { readonly kind: 'none'; readonly nearest: Nearest | null }
  | { readonly kind: 'several'; readonly count: number; readonly lines: readonly number[] };

/** The place that looks most like the search text. */
export interface Nearest {
  readonly line: number;
  readonly excerpt: string;
  /** 0-1: share of the search text's lines that are there, give or take white space. */
  readonly likeness: number;
}

/** Finds the place of `search` in `text`. An empty search matches only an empty text. */
export function matchEdit(text: string, search: string, replace: string): EditMatch {
  const [needle, fresh] = inLineEndingsOf(text, search, replace);
  const places = placesOf(text, needle);
  const [place] = places;
  if (places.length > 1) return { kind: 'several', count: places.length, lines: places.map((at) => lineAt(text, at)) };
  if (place !== undefined) {
    if (standsAround(text, place, needle, fresh)) return { kind: 'already-applied', line: lineAt(text, place) };
    const changed = text.slice(0, place) + fresh + text.slice(place + needle.length);
    return { kind: 'single', text: changed, line: lineAt(text, place) };
  }
  const applied = fresh.trim() === '' ? [] : placesOf(text, fresh);
  if (applied.length === 1 && applied[0] !== undefined)
    return { kind: 'already-applied', line: lineAt(text, applied[0]) };
  return { kind: 'none', nearest: nearestPlace(text, needle) };
}

function inLineEndingsOf(text: string, search: string, replace: string): readonly [string, string] {
  const usesOnlyCrlf = text.includes('\r\n') && !/(^|[^\r])\n/.test(text);
  if (!usesOnlyCrlf) return [search, replace];
  return [search.replaceAll(/\r?\n/g, '\r\n'), replace.replaceAll(/\r?\n/g, '\r\n')];
}

function placesOf(text: string, needle: string): readonly number[] {
  if (needle === '') return text === '' ? [0] : [];
  const places: number[] = [];
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) places.push(at);
  return places;
}

/** Does the new text, which contains the old, stand there in full already? Then doing it again would repeat the insertion. */
function standsAround(text: string, place: number, needle: string, fresh: string): boolean {
  if (needle === '' || fresh === needle) return fresh === needle;
  return placesOf(fresh, needle).some((offset) => place >= offset && text.startsWith(fresh, place - offset));
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let i = text.indexOf('\n'); i >= 0 && i < at; i = text.indexOf('\n', i + 1)) line++;
  return line;
}

/** Bounds the work on long files: lines compared times lines of the search text. */
const MAX_COMPARISONS = 2_000_000;
const EXCERPT_LINES = 12;

function nearestPlace(text: string, search: string): Nearest | null {
  const lines = text.split(/\r?\n/);
  const wanted = search.split(/\r?\n/).map((line) => line.trim());
  while (wanted.length > 1 && wanted.at(-1) === '') wanted.pop();
  if (wanted.every((line) => line === '') || lines.length * wanted.length > MAX_COMPARISONS) return null;
  const trimmed = lines.map((line) => line.trim());
  let best = { at: -1, score: 0 };
  for (let at = 0; at < trimmed.length; at++) {
    let score = 0;
    for (const [i, line] of wanted.entries()) score += lineLikeness(line, trimmed[at + i] ?? '');
    if (score > best.score) best = { at, score };
  }
  const likeness = best.score / wanted.length;
  if (best.at < 0 || likeness < 0.3) return null;
  const excerpt = lines.slice(best.at, best.at + Math.min(wanted.length, EXCERPT_LINES)).join('\n');
  return { line: best.at + 1, excerpt, likeness };
}

/** 1 for equal lines, else the share of words in common (of the longer line). Empty lines say nothing. */
function lineLikeness(a: string, b: string): number {
  if (a === b) return a === '' ? 0.5 : 1;
  const words = new Set(a.match(/\w+/g) ?? []);
  const others = new Set(b.match(/\w+/g) ?? []);
  const larger = Math.max(words.size, others.size);
  if (larger === 0) return 0;
  let common = 0;
  for (const word of words) if (others.has(word)) common++;
  return common / larger;
}

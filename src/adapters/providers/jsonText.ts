// Looks at the text of upstream JSON before and after it is parsed: whether it nests deeper than anything honest, and
// whether another parser could read another document in it (RFC 8259, 4: names should be unique, or readers differ).

/** Deepest nesting that is parsed. Tool arguments and their schemas stay far below. */
export const DEPTH_LIMIT = 200;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Whether the text nests deeper than `DEPTH_LIMIT`. Reads no further than it must; valid JSON is not needed. */
export function isTooDeep(text: string): boolean {
  // Each level takes a bracket at both ends.
  if (text.length <= DEPTH_LIMIT) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (isOpening(code)) {
      depth++;
      if (depth > DEPTH_LIMIT) return true;
    } else if (isClosing(code)) depth--;
  }
  return false;
}

/**
 * Whether every parser reads `value` in `text`: no name stands twice in one object (parsers take the first, the last, or
 * fold their case), and no byte was lost in decoding. `value` is what `JSON.parse` read.
 */
export function isPlainJson(text: string, value: unknown): boolean {
  if (text.includes('\uFFFD')) return false;
  // Most servers write JSON as we would; then no name can stand twice.
  return JSON.stringify(value) === text || !hasDoubledName(text);
}

/** Whether a record has a name that is one of `names` in another case: some parsers would take it for that one. */
export function hasNameVariant(record: Readonly<Record<string, unknown>>, names: ReadonlySet<string>): boolean {
  for (const name in record) {
    if (!names.has(name) && names.has(name.toLowerCase())) return true;
  }
  return false;
}

function hasDoubledName(text: string): boolean {
  /** The names so far of each open object; null for a list. */
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      const names = open.at(-1);
      if (names && isName(text, end)) {
        const name = nameIn(text.slice(at, end + 1)).toLowerCase();
        if (names.has(name)) return true;
        names.add(name);
      }
      at = end;
    } else if (isOpening(code)) open.push(text[at] === '{' ? new Set() : null);
    else if (isClosing(code)) open.pop();
  }
  return false;
}

function isName(text: string, end: number): boolean {
  let at = end + 1;
  while (SPACES.has(text.charCodeAt(at))) at++;
  return text.charCodeAt(at) === COLON;
}

function nameIn(quoted: string): string {
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
}

/** Where the string that begins at `start` has its closing quote; the text's length where it has none. */
function endOfString(text: string, start: number): number {
  let at = start;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at === -1) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
}

function isOpening(code: number): boolean {
  return code === 0x7b || code === 0x5b;
}

function isClosing(code: number): boolean {
  return code === 0x7d || code === 0x5d;
}

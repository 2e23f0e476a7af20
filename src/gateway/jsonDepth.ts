// How deep the JSON of a request may nest, told from its bytes before it is parsed: parsing, checking and writing such a
// body takes seconds or overflows the stack, and that would be found inside an attempt and blamed on a provider.

/** Deepest nesting that is taken. A JSON schema of a tool, the deepest honest thing, stays far below. */
export const MAX_DEPTH = 200;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);

/** Whether UTF-8 bytes nest deeper than `MAX_DEPTH`. Text inside strings is skipped; valid JSON is not needed. */
export function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (OPENING.has(byte)) {
      depth++;
      if (depth > MAX_DEPTH) return true;
    } else if (CLOSING.has(byte)) depth--;
  }
  return false;
}

/** Where the string that begins at `start` has its closing quote; the length of all where it has none. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start;
  for (;;) {
    at = bytes.indexOf(QUOTE, at + 1);
    if (at === -1) return bytes.length;
    let backslashes = 0;
    while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
}

// Text files as bytes and back, byte for byte. A file that would not come back exactly as it was is not a text file here:
// it is refused before anything could be written (a search/replace must never change a byte that it does not name).
// UTF-8 and UTF-16 by mark and by content; other single-byte text as Windows-1252 (WHATWG Encoding).

/** How a text is written as bytes. */
export interface TextFormat {
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
  /** Whether a byte order mark stands before the text. */
  readonly hasMark: boolean;
}

/** Format of new files. */
export const PLAIN_FORMAT: TextFormat = { encoding: 'utf-8', hasMark: false };

export type Decoded =
  | { readonly ok: true; readonly text: string; readonly format: TextFormat }
  | { readonly ok: false; readonly reason: 'binary' | 'undecodable' };

const MARKS: readonly (readonly [TextFormat['encoding'], readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** The text of some bytes, without a mark; only where writing it again gives exactly the same bytes. */
export function decodeText(bytes: Uint8Array): Decoded {
  const format = formatOf(bytes);
  if (!format) return { ok: false, reason: bytes.includes(0) ? 'binary' : 'undecodable' };
  const text = textOf(bytes, format);
  if (text === null) return { ok: false, reason: 'undecodable' };
  // Behind a mark, too: UTF-32 starts like UTF-16.
  if (text.includes('\0')) return { ok: false, reason: 'binary' };
  const again = encodeText(text, format);
  return again !== null && isEqual(again, bytes) ? { ok: true, text, format } : { ok: false, reason: 'undecodable' };
}

/** The bytes of a text in a format; null where the format cannot hold it (a character outside it, a lone surrogate). */
export function encodeText(text: string, { encoding, hasMark }: TextFormat): Uint8Array | null {
  if (!text.isWellFormed()) return null;
  const body = bodyOf(text, encoding);
  if (body === null || !hasMark) return body;
  const mark = MARKS.find(([name]) => name === encoding)?.[1] ?? [];
  const bytes = new Uint8Array(mark.length + body.length);
  bytes.set(mark);
  bytes.set(body, mark.length);
  return bytes;
}

function formatOf(bytes: Uint8Array): TextFormat | null {
  for (const [encoding, mark] of MARKS)
    if (mark.every((byte, i) => bytes[i] === byte)) return { encoding, hasMark: true };
  if (bytes.includes(0)) return null;
  if (decoded(bytes, 'utf-8') !== null) return PLAIN_FORMAT;
  return isSingleByteText(bytes) ? { encoding: 'windows-1252', hasMark: false } : null;
}

function textOf(bytes: Uint8Array, { encoding, hasMark }: TextFormat): string | null {
  const mark = hasMark ? (MARKS.find(([name]) => name === encoding)?.[1].length ?? 0) : 0;
  return decoded(bytes.subarray(mark), encoding);
}

function decoded(bytes: Uint8Array, encoding: TextFormat['encoding']): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not in this encoding.
    return null;
  }
}

/** Control characters other than tab, line feed, form feed, carriage return and escape are no text. */
function isSingleByteText(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte >= 0x20 || [0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte));
}

function bodyOf(text: string, encoding: TextFormat['encoding']): Uint8Array | null {
  switch (encoding) {
    case 'utf-8':
      return new TextEncoder().encode(text);
    case 'utf-16le':
    case 'utf-16be':
      return utf16Of(text, encoding === 'utf-16le');
    case 'windows-1252':
      return singleBytesOf(text);
  }
}

function utf16Of(text: string, isLittleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let i = 0; i < text.length; i++) view.setUint16(i * 2, text.charCodeAt(i), isLittleEndian);
  return new Uint8Array(view.buffer);
}

let singleBytes: ReadonlyMap<string, number> | null = null;

function singleBytesOf(text: string): Uint8Array | null {
  singleBytes ??= new Map(
    Array.from({ length: 256 }, (_, byte) => [new TextDecoder('windows-1252').decode(Uint8Array.of(byte)), byte]),
  );
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const byte = singleBytes.get(text.charAt(i));
    if (byte === undefined) return null;
    bytes[i] = byte;
  }
  return bytes;
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

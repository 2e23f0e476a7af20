// Tool-call ids in the grammar of the provider that receives them. Ids that fit travel unchanged; others are escaped so
// that the same id always becomes the same text and can be turned back. Both wires accept [a-zA-Z0-9_-], 1 to 64 long.
import { createHash } from 'node:crypto';

const PLAIN = /^[a-zA-Z0-9_-]{1,64}$/;
const ESCAPED = 'bly_';
const HASHED = 'blyh_';
const LIMIT_CHARS = 64;

/** Ids of one conversation, both ways. */
export interface PortableIds {
  /** The id as sent. `occurrence` counts earlier calls of the conversation with the same id (some providers start at `call_0` each turn). */
  outgoing(id: string, occurrence: number): string;
  /** The id and occurrence that were sent as `wireId`; null where nothing was. */
  original(wireId: string): { readonly id: string; readonly occurrence: number } | null;
}

/** Ids for one request. Only ids longer than 45 bytes need the table it keeps; all others are decoded from their text. */
export function portableIds(): PortableIds {
  const hashed = new Map<string, string>();
  return {
    outgoing(id, occurrence) {
      // A second call with the same id gets a text no plain id can have, so that two calls never share one.
      const source = occurrence === 0 && !id.includes('\u0000') ? id : `${id}\u0000${occurrence}`;
      if (PLAIN.test(source) && !source.startsWith(ESCAPED) && !source.startsWith(HASHED)) return source;
      const escaped = ESCAPED + Buffer.from(source, 'utf8').toString('base64url');
      if (escaped.length <= LIMIT_CHARS && isWellFormed(source)) return escaped;
      const short = HASHED + createHash('sha256').update(source, 'utf16le').digest('base64url');
      hashed.set(short, source);
      return short;
    },
    original(wireId) {
      if (!PLAIN.test(wireId)) return null;
      const source = sourceOf(wireId, hashed);
      if (source === null) return null;
      const cut = source.lastIndexOf('\u0000');
      return cut === -1
        ? { id: source, occurrence: 0 }
        : { id: source.slice(0, cut), occurrence: Number(source.slice(cut + 1)) };
    },
  };
}

function sourceOf(wireId: string, hashed: ReadonlyMap<string, string>): string | null {
  if (wireId.startsWith(HASHED)) return hashed.get(wireId) ?? null;
  if (!wireId.startsWith(ESCAPED)) return wireId;
  return Buffer.from(wireId.slice(ESCAPED.length), 'base64url').toString('utf8');
}

/** Half a surrogate pair would not survive UTF-8. */
function isWellFormed(text: string): boolean {
  return Buffer.from(text, 'utf8').toString('utf8') === text;
}

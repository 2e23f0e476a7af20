// Tool-call ids in the grammar of the provider that receives them. Ids that fit travel unchanged; others are escaped or
// hashed, so that the same id always becomes the same text (prompt caches hold). Two calls of a conversation never share
// a text: where a short grammar makes two alike, the later one gets the next hash. The table turns every text back.
import { createHash } from 'node:crypto';
import type { IdGrammar } from '../../core/providers/dialects.ts';

const ESCAPED = 'bly_';
const HASHED = 'blyh_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Letters and digits of a hash that are used; 43 of base64url are all of SHA-256. */
const HASH_CHARS = 43;

/** Ids of one conversation, both ways. */
export interface PortableIds {
  /** The id as sent. `occurrence` counts earlier calls of the conversation with the same id (some providers start at `call_0` each turn). */
  outgoing(id: string, occurrence: number): string;
  /** The id and occurrence that were sent as `wireId`; null where nothing was. */
  original(wireId: string): { readonly id: string; readonly occurrence: number } | null;
}

/** No ids are given out yet. Calls must be asked for in the order of the conversation. */
export function portableIds(grammar: IdGrammar): PortableIds {
  const sent = new Map<string, string>();
  const taken = new Map<string, { readonly id: string; readonly occurrence: number }>();
  return {
    outgoing(id, occurrence) {
      // A second call with the same id gets a source no plain id can be.
      const source = occurrence === 0 && !id.includes('\u0000') ? id : `${id}\u0000${occurrence}`;
      const known = sent.get(source);
      if (known !== undefined) return known;
      let text = firstText(source, grammar);
      for (let round = 1; taken.has(text); round++) text = hashed(`${source}\u0000\u0000${round}`, grammar);
      sent.set(source, text);
      taken.set(text, { id, occurrence });
      return text;
    },
    original: (wireId) => taken.get(wireId) ?? null,
  };
}

function firstText(source: string, grammar: IdGrammar): string {
  if (grammar.shape.test(source) && !source.startsWith(ESCAPED) && !source.startsWith(HASHED)) return source;
  if (grammar.alphabet === 'letters') return hashed(source, grammar);
  const escaped = ESCAPED + Buffer.from(source, 'utf8').toString('base64url');
  return escaped.length <= grammar.maxChars && source.isWellFormed() ? escaped : hashed(source, grammar);
}

function hashed(source: string, { alphabet, maxChars }: IdGrammar): string {
  // Half a surrogate pair would not survive UTF-8.
  const digest = createHash('sha256').update(source, 'utf16le').digest();
  if (alphabet === 'plain') {
    return HASHED + digest.toString('base64url').slice(0, Math.min(HASH_CHARS, maxChars - HASHED.length));
  }
  let rest = BigInt(`0x${digest.toString('hex')}`);
  let text = '';
  while (text.length < maxChars) {
    text += DIGITS.charAt(Number(rest % 62n));
    rest /= 62n;
  }
  return text;
}

// How large a text is, by kinds of characters that models cut into tokens differently: prose is mostly letters, code and JSON
// have many signs and blanks, CJK text has few characters to a token. Told apart character by character and not by a guess at
// the whole, so that sizes add up and a longer text is never smaller. A request is scanned once, however often it is asked.
import type { ChatMessage, ChatRequest, ToolSpec } from './chat.ts';

/** Kinds of characters, in the order of `TextSize.chars`. `signs`: digits and ASCII punctuation. `other`: all that is left. */
export const CHAR_KINDS = ['letters', 'blanks', 'signs', 'wide', 'other'] as const;

/** Characters (UTF-16 units) by kind, and images. */
export interface TextSize {
  readonly chars: readonly number[];
  readonly images: number;
}

/** The size of nothing. */
export const noSize: TextSize = { chars: CHAR_KINDS.map(() => 0), images: 0 };

/** Size of one text. */
export function sizeOfText(text: string): TextSize {
  const chars = [0, 0, 0, 0, 0];
  count(text, chars);
  return { chars, images: 0 };
}

/** Share of each kind in the JSON of a tool call's arguments, for arguments of which only the length is known yet. */
const ARGUMENT_SHARES = [0.65, 0.1, 0.25, 0, 0];

/** Size of so many characters of arguments. */
export function sizeOfArguments(length: number): TextSize {
  return length === 0 ? noSize : { chars: ARGUMENT_SHARES.map((share) => share * length), images: 0 };
}

/** Sum of two sizes. */
export function addSizes(a: TextSize, b: TextSize): TextSize {
  return { chars: a.chars.map((n, kind) => n + (b.chars[kind] ?? 0)), images: a.images + b.images };
}

/** A share or multiple of a size. */
export function scaleSize({ chars }: TextSize, factor: number): TextSize {
  return { chars: chars.map((n) => n * factor), images: 0 };
}

/** Characters of all kinds together. */
export function totalChars({ chars }: TextSize): number {
  return chars.reduce((sum, n) => sum + n, 0);
}

/** What was measured before. Requests and messages never change, so neither does their size; nothing is kept alive by this. */
const known = new WeakMap<object, TextSize>();

function once<T extends object>(thing: T, measure: (thing: T) => TextSize): TextSize {
  const before = known.get(thing);
  if (before) return before;
  const size = measure(thing);
  known.set(thing, size);
  return size;
}

/** All that a model reads of a request: system prompt, tool definitions, messages. The same object for the same request. */
export function sizeOfRequest(request: ChatRequest): TextSize {
  return once(request, ({ system, tools, messages }) => {
    const chars = [0, 0, 0, 0, 0];
    for (const part of system) count(part.text, chars);
    const parts = [once(tools, sizeOfTools), ...messages.map(sizeOfMessage)];
    return parts.reduce(addSizes, { chars, images: 0 });
  });
}

function sizeOfTools(tools: readonly ToolSpec[]): TextSize {
  const chars = [0, 0, 0, 0, 0];
  for (const tool of tools) {
    count(tool.name, chars);
    count(tool.description ?? '', chars);
    count(JSON.stringify(tool.parameters), chars);
  }
  return { chars, images: 0 };
}

/** Size of one message, tool calls and results included. */
export function sizeOfMessage(message: ChatMessage): TextSize {
  return once(message, ({ content }) => sizeOfParts(content));
}

/** Size of parts of messages. */
export function sizeOfParts(parts: readonly ChatMessage['content'][number][]): TextSize {
  const chars = [0, 0, 0, 0, 0];
  let images = 0;
  for (const part of parts) {
    if (part.type === 'tool-call') {
      count(part.name, chars);
      count(part.argsText, chars);
      continue;
    }
    for (const piece of part.type === 'tool-result' ? part.content : [part]) {
      if (piece.type === 'image') images++;
      else count(piece.text, chars);
    }
  }
  return { chars, images };
}

/** Scripts without blanks between words: CJK, kana, hangul, and their full-width signs. First and last code unit. */
const WIDE_RANGES = [
  [0x1100, 0x11ff],
  [0x2e80, 0xd7af],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe4f],
  [0xff00, 0xffef],
] as const;

/** Bits of one counter in a packed sum, and the most characters that such a sum can count. */
const FIELD_BITS = 7;
const BLOCK_CHARS = 2 ** FIELD_BITS - 1;
const BLANK = 1 << FIELD_BITS;
const WIDE = 1 << (2 * FIELD_BITS);
const OTHER = 1 << (3 * FIELD_BITS);

let table: Int32Array | null = null;

/** Per code unit a one in the field of its kind (signs have none). Made when first needed: 256 KB. */
function kindTable(): Int32Array {
  if (table) return table;
  const made = new Int32Array(0x10000).fill(OTHER);
  made.fill(0, 0, 0x80);
  made.fill(BLANK, 0, 0x21);
  made.fill(1, 0x41, 0x5b);
  made.fill(1, 0x61, 0x7b);
  for (const [first, last] of WIDE_RANGES) made.fill(WIDE, first, last + 1);
  table = made;
  return made;
}

/** Adds a text to `chars`. Without branches, two characters a turn: about 1.5 µs a KB where an `if` per kind needs 4. */
function count(text: string, chars: number[]): void {
  const kinds = kindTable();
  const { length } = text;
  let [letters, blanks, wide, other] = [0, 0, 0, 0];
  for (let at = 0; at < length;) {
    const end = Math.min(length, at + BLOCK_CHARS);
    let sum = 0;
    let second = 0;
    for (; at + 1 < end; at += 2) {
      sum = (sum + (kinds[text.charCodeAt(at)] ?? 0)) | 0;
      second = (second + (kinds[text.charCodeAt(at + 1)] ?? 0)) | 0;
    }
    if (at < end) sum += kinds[text.charCodeAt(at++)] ?? 0;
    sum += second;
    letters += sum & BLOCK_CHARS;
    blanks += (sum >>> FIELD_BITS) & BLOCK_CHARS;
    wide += (sum >>> (2 * FIELD_BITS)) & BLOCK_CHARS;
    other += sum >>> (3 * FIELD_BITS);
  }
  const signs = length - letters - blanks - wide - other;
  for (const [kind, n] of [letters, blanks, signs, wide, other].entries()) chars[kind] = (chars[kind] ?? 0) + n;
}

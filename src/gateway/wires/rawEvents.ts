// Tells what the bytes of a same-wire event are, so that they can be passed on without being parsed.
import type { StreamEvent, Wire } from '../../core/chat.ts';

const OPEN_BRACE = 0x7b;
/** `data: [DONE]` with its blank line, comments and CRLF included, is far shorter. */
const MAX_DONE_BYTES = 64;
const decoder = new TextDecoder();

/** The event's bytes when they are a server-sent event of `wire`; null where the parts must be written instead. */
export function sseBytes(event: StreamEvent, wire: Wire): Uint8Array | null {
  return event.raw?.wire === wire && !startsAsJson(event.raw.bytes) ? event.raw.bytes : null;
}

/** The event's bytes when they are a whole JSON body of `wire`. */
export function jsonBytes(event: StreamEvent, wire: Wire): Uint8Array | null {
  return event.raw?.wire === wire && startsAsJson(event.raw.bytes) ? event.raw.bytes : null;
}

/** An SSE event never starts with a brace, and a JSON body of the wires always does. */
function startsAsJson(bytes: Uint8Array): boolean {
  for (const byte of bytes) {
    if (byte === OPEN_BRACE) return true;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return false;
  }
  return false;
}

/** True for OpenAI's terminal event `data: [DONE]`. */
export function isDone(bytes: Uint8Array): boolean {
  return bytes.length <= MAX_DONE_BYTES && /^data: ?\[DONE\]\s*$/m.test(decoder.decode(bytes));
}

/** What must follow `bytes` so that the next event is one of its own: nothing after a blank line. */
export function gapAfter(bytes: Uint8Array): '' | '\n\n' {
  return /(\n\n|\r\r|\n\r\n)$/.test(decoder.decode(bytes.subarray(-3))) ? '' : '\n\n';
}

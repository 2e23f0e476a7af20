// Tells what the bytes of a same-wire event are, so that they can be passed on without being parsed. A provider's adapter
// hands bytes on in two forms only: whole `data:` frames of JSON, each with its blank line, or one JSON document. Nothing
// else is passed on, above all no comments and no end mark: the end of an answer is told by the gateway alone.
import type { StreamEvent, Wire } from '../../core/chat.ts';

const FRAME_START = new TextEncoder().encode('data: {');
const DOCUMENT_START = new TextEncoder().encode('{');
const LF = 0x0a;

/** The event's bytes when they are server-sent events of `wire`; null where the parts must be written instead. */
export function sseBytes(event: StreamEvent, wire: Wire): Uint8Array | null {
  const bytes = bytesOf(event, wire, FRAME_START);
  return bytes?.at(-1) === LF && bytes.at(-2) === LF ? bytes : null;
}

/** The event's bytes when they are a whole JSON body of `wire`. */
export function jsonBytes(event: StreamEvent, wire: Wire): Uint8Array | null {
  return bytesOf(event, wire, DOCUMENT_START);
}

function bytesOf(event: StreamEvent, wire: Wire, start: Uint8Array): Uint8Array | null {
  if (event.raw?.wire !== wire) return null;
  const { bytes } = event.raw;
  return start.every((byte, at) => bytes[at] === byte) ? bytes : null;
}

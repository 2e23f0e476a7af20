// How much of one upstream answer is taken, counted after decompression, so that no answer can fill the memory.
import type { Trouble } from './trouble.ts';
import { TROUBLE_CODES, trouble, TroubleError } from './trouble.ts';

const MIB = 1024 * 1024;

/** One event of a stream. The largest honest ones hold a picture. */
export const EVENT_LIMIT_BYTES = 32 * MIB;
/** An answer that came as one JSON document. */
export const WHOLE_LIMIT_BYTES = 64 * MIB;
/** All events of a stream. An answer of 128,000 tokens, each in an event of its own, is about 45 MiB. */
export const STREAM_LIMIT_BYTES = 128 * MIB;
/** A provider that has said why it stopped may take so long for its usage and its end mark. */
export const FINISH_GRACE_MS = 1000;

/** One of the limits was passed; `what` is the thing that was too large. */
export function tooLarge(what: string, limitBytes: number): Trouble {
  return trouble(TROUBLE_CODES.eventTooLarge, `${what} is larger than ${limitBytes / MIB} MiB.`);
}

/** Counts the bytes of one thing and throws a `TroubleError` when there are more than `limitBytes`. */
export function byteMeter(what: string, limitBytes: number): (bytes: number) => void {
  let total = 0;
  return (bytes) => {
    total += bytes;
    if (total > limitBytes) throw new TroubleError(tooLarge(what, limitBytes));
  };
}

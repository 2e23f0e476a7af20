// What both wires' readers share: the shape of a reader, the marks of an answer that has begun, and the few ways in which
// a chunk may be of another shape than its wire's.
import type { StreamPart } from '../../core/chat.ts';
import { TROUBLE_CODES, trouble, TroubleError, type Trouble } from './trouble.ts';

/**
 * What one chunk of an answer means, or what is wrong with it. `isFaithful`: the parts say all that the chunk says to a
 * client; false where something in it was left out, changed or not understood, so that its bytes may not be passed on.
 */
export type Reading =
  { readonly parts: readonly StreamPart[]; readonly isFaithful: boolean } | { readonly trouble: Trouble };

/** Reads one answer, chunk by chunk, in the order of arrival. Holds the state of that answer only. */
export interface AnswerReader {
  /** One parsed chunk; `event` is the name of its server-sent event, where it has one. */
  read(chunk: unknown, event: string | null): Reading;
  /** A whole answer that was not streamed. */
  readWhole(answer: unknown): Reading;
  /** Whether this `data:` text ends the stream without being a chunk itself. */
  isEndMark(data: string): boolean;
  /** Whether this parsed chunk is the last of the stream. */
  isLast(chunk: unknown): boolean;
}

/** Notes while a chunk is read whether all of it is in the parts. */
export interface Fidelity {
  isFaithful: boolean;
}

/** Reads one chunk: its parts, and whether they are all of it; a `TroubleError` becomes the trouble it holds. */
export function readingOf(fidelity: Fidelity, read: () => readonly StreamPart[]): Reading {
  fidelity.isFaithful = true;
  try {
    const parts = read();
    return { parts, isFaithful: fidelity.isFaithful };
  } catch (error) {
    if (error instanceof TroubleError) return { trouble: error.trouble };
    // An SDK parses what nests too deep to be written again.
    if (error instanceof RangeError) return { trouble: malformed('The answer nests too deep.').trouble };
    throw error;
  }
}

/** JSON that breaks the wire's rules; to be thrown. */
export function malformed(message: string): TroubleError {
  return new TroubleError(trouble(TROUBLE_CODES.malformedStream, message));
}

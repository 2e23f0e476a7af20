// What both wires' readers share: the shape of a reader and the marks of an answer that has begun.
import type { StreamPart } from '../../core/chat.ts';
import type { Trouble } from './trouble.ts';

/** What one chunk of an answer means, or what is wrong with it. */
export type Reading = { readonly parts: readonly StreamPart[] } | { readonly trouble: Trouble };

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

/** A chunk that means nothing (a ping). */
export const NOTHING: Reading = { parts: [] };

// Ties one attempt together: chunks go in, provider events come out, and whatever breaks becomes one observation.
// Used alike by the raw path and by the SDK path, so that both see the same answer the same way.
import type { Candidate, ProviderPath } from '../../core/candidate.ts';
import type { Wire } from '../../core/chat.ts';
import type { Observation } from '../../core/faults/fault.ts';
import type { ProviderEvent } from '../../engine/ports.ts';
import { anthropicAnswerReader } from './anthropicAnswer.ts';
import type { AnswerReader, Reading } from './answerReader.ts';
import { trackAnswer } from './answerTracker.ts';
import { issuerOf } from './endpoint.ts';
import { parseJson, recordOf } from './json.ts';
import { isPlainJson } from './jsonText.ts';
import type { AnswerHead, ClientError } from './observation.ts';
import { bodyOf, clientErrorOf, observe } from './observation.ts';
import { openaiAnswerReader } from './openaiAnswer.ts';
import { rawPassage } from './rawPassage.ts';
import type { SseFrame } from './sseFramer.ts';
import type { Trouble } from './trouble.ts';
import { TROUBLE_CODES, trouble, TroubleError } from './trouble.ts';

/** A final event. */
export interface FailedEvent {
  readonly failed: Observation;
}

/** How the bytes of a 200 answer are to be read. */
export type BodyKind = 'events' | 'json' | 'aws-events' | 'other';

/** One attempt's way from chunks to events. */
export interface AnswerRelay {
  /** The provider has said why it stopped: what is there is the whole answer. */
  readonly hasFinished: boolean;
  sawHeaders(head: AnswerHead): void;
  /** Part of a whole (not streamed) answer arrived before the connection broke. */
  sawBody(): void;
  /**
   * A server-sent event of the raw path; `isLast` when the stream is over with it. Its own JSON text is passed on in a
   * frame of ours where the parts say all of it; comments, other fields and the end mark are not.
   */
  frame(frame: SseFrame): { readonly event: ProviderEvent; readonly isLast: boolean };
  /** The unfinished rest of a stream that came to its end; null where it is half a chunk, which is a cut. */
  rest(frame: SseFrame): ProviderEvent | null;
  /** A chunk that an SDK has parsed. */
  chunk(chunk: unknown): ProviderEvent;
  /** A whole answer. On the raw path its bytes are passed on where the parts say all of it. */
  whole(bytes: Uint8Array, path: ProviderPath): ProviderEvent;
  /** The stream is over; null when it ended well. */
  ended(): FailedEvent | null;
  /** An answer with another status than 2xx. */
  failedByStatus(bodyText: string): FailedEvent;
  /** An answer that is neither events nor JSON. */
  failedByContentType(bodyText: string): FailedEvent;
  /** An error inside the answer, as an SDK tells it. */
  failedInBand(body: unknown): FailedEvent;
  /** A complete chunk, or a whole answer, that is not JSON. */
  failedByMalformedChunk(): FailedEvent;
  /** A network error, or whatever else was thrown. */
  failedBy(error: unknown): FailedEvent;
}

/** Whether an event is the last one, a failure. */
export function isFailure(event: ProviderEvent): event is FailedEvent {
  return 'failed' in event;
}

/** A relay for one attempt. `secrets` must not appear in any observation. */
export function createRelay(candidate: Candidate, secrets: readonly string[]): AnswerRelay {
  const reader = readerOf(candidate);
  const tracker = trackAnswer();
  const passage = rawPassage(candidate.wire);
  let head: AnswerHead | null = null;

  const fail = (body: unknown, clientError: ClientError | null, finishReason: string | null = null): FailedEvent => ({
    failed: observe({
      provider: candidate.family,
      head,
      body,
      clientError,
      phase: tracker.phase,
      finishReason: finishReason ?? tracker.finishReason,
      secrets,
    }),
  });
  const failTrouble = ({ code, message, body, finishReason }: Trouble): FailedEvent =>
    fail(body, { name: 'ProviderError', code, message }, finishReason);
  const eventOf = (reading: Reading, bytesOf: (() => Uint8Array | null) | null): ProviderEvent => {
    const accepted = 'trouble' in reading ? reading : tracker.accept(reading.parts);
    if ('trouble' in accepted) return failTrouble(accepted.trouble);
    if (!bytesOf) return { parts: accepted.parts };
    const isFaithful = accepted.isFaithful && !('trouble' in reading) && reading.isFaithful;
    return passage.pass(accepted.parts, isFaithful ? bytesOf() : null);
  };

  const failMalformed = (): FailedEvent =>
    failTrouble(trouble(TROUBLE_CODES.malformedChunk, 'A chunk of the stream is not JSON.'));
  const readFrame = (frame: SseFrame): { event: ProviderEvent; isLast: boolean } => {
    const { event, data } = frame;
    if (data === null || data === '') return { event: { parts: [] }, isLast: false };
    if (reader.isEndMark(data)) return { event: { parts: [] }, isLast: true };
    const chunk = parseJson(data);
    if (chunk === undefined)
      return { event: event === 'error' ? failTrouble(errorText(data)) : failMalformed(), isLast: true };
    const bytes = (): Uint8Array | null => frameOf(candidate.wire, frame, data, chunk);
    return { event: eventOf(reader.read(chunk, event), bytes), isLast: reader.isLast(chunk) };
  };

  return {
    get hasFinished() {
      return tracker.phase === 'after_finish';
    },
    sawHeaders(seen) {
      head = seen;
      // The headers of an error or of a proxy's page are not those of an answer: no answer has begun.
      if (isSuccess(seen.status) && bodyKind(seen.headers) !== 'other') tracker.sawHeaders();
    },
    sawBody: () => {
      tracker.sawBody();
    },
    frame: readFrame,
    rest: (frame) => {
      const isHalf = frame.data !== null && !reader.isEndMark(frame.data) && parseJson(frame.data) === undefined;
      return isHalf ? null : readFrame(frame).event;
    },
    chunk: (chunk) => eventOf(reader.read(chunk, null), null),
    whole(bytes, path) {
      const own = withoutMark(bytes);
      const text = Buffer.from(own.buffer, own.byteOffset, own.byteLength).toString('utf8');
      const answer = parseJson(text);
      if (answer === undefined) {
        if (text.trim() !== '') tracker.sawBody();
        return failTrouble(trouble(TROUBLE_CODES.malformedChunk, 'The answer is not JSON.', { body: bodyOf(text) }));
      }
      const passed = (): Uint8Array | null => (isPlainJson(text, answer) ? own : null);
      return eventOf(reader.readWhole(answer), path === 'raw' ? passed : null);
    },
    ended() {
      const found = tracker.end();
      return found && failTrouble(found);
    },
    failedByStatus: (bodyText) => fail(bodyOf(bodyText), null),
    failedByContentType: (bodyText) =>
      failTrouble(
        trouble(TROUBLE_CODES.wrongContentType, 'The answer is neither an event stream nor JSON.', {
          body: bodyOf(bodyText),
        }),
      ),
    failedInBand: (body) =>
      failTrouble(trouble(TROUBLE_CODES.inBandError, 'The provider reported an error inside its answer.', { body })),
    failedByMalformedChunk: failMalformed,
    failedBy: (error) =>
      error instanceof TroubleError ? failTrouble(error.trouble) : fail(null, clientErrorOf(error)),
  };
}

function readerOf(candidate: Candidate): AnswerReader {
  const issuer = issuerOf(candidate);
  return candidate.wire === 'anthropic-messages' ? anthropicAnswerReader(issuer) : openaiAnswerReader(issuer);
}

function errorText(data: string): Trouble {
  return trouble(TROUBLE_CODES.inBandError, 'The provider reported an error inside its answer.', { body: data });
}

/** The event as it is passed on: the provider's own JSON text on one line, in the plainest frame of the wire. */
function frameOf(wire: Wire, { bytes, isPlain }: SseFrame, data: string, chunk: unknown): Uint8Array | null {
  if (data.includes('\n') || !isPlainJson(data, chunk)) return null;
  if (wire !== 'anthropic-messages') return isPlain ? bytes : Buffer.from(`data: ${data}\n\n`);
  const type = recordOf(chunk)?.type;
  return typeof type === 'string' ? Buffer.from(`event: ${type}\ndata: ${data}\n\n`) : null;
}

/** A byte order mark is no part of a text, and clients that join answers would find it inside. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** Whether a status promises an answer. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** How to read a 200 answer. Servers that name no type, or a vague one, are believed to stream as asked. */
export function bodyKind(headers: Readonly<Record<string, string>>): BodyKind {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'text/event-stream') return 'events';
  if (type === 'application/vnd.amazon.eventstream') return 'aws-events';
  if (type === 'application/json' || type.endsWith('+json')) return 'json';
  return type === '' || type === 'text/plain' || type === 'application/octet-stream' ? 'events' : 'other';
}

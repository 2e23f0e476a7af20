// Ties one attempt together: chunks go in, provider events come out, and whatever breaks becomes one observation.
// Used alike by the raw path and by the SDK path, so that both see the same answer the same way.
import type { Candidate } from '../../core/candidate.ts';
import type { StreamEvent, Wire } from '../../core/chat.ts';
import type { Observation } from '../../core/faults/fault.ts';
import type { ProviderEvent } from '../../engine/ports.ts';
import { anthropicAnswerReader } from './anthropicAnswer.ts';
import type { AnswerReader, Reading } from './answerReader.ts';
import { trackAnswer } from './answerTracker.ts';
import { issuerOf } from './endpoint.ts';
import { parseJson } from './json.ts';
import type { AnswerHead, ClientError } from './observation.ts';
import { bodyOf, clientErrorOf, observe, providerFamily } from './observation.ts';
import { openaiAnswerReader } from './openaiAnswer.ts';
import type { SseFrame } from './sseFramer.ts';
import type { Trouble } from './trouble.ts';
import { TROUBLE_CODES, trouble, TroubleError } from './trouble.ts';

/** A final event. */
export interface FailedEvent {
  readonly failed: Observation;
}

/** How the bytes of a 200 answer are to be read. */
export type BodyKind = 'events' | 'json' | 'other';

/** One attempt's way from chunks to events. */
export interface AnswerRelay {
  sawHeaders(head: AnswerHead): void;
  /** Part of a whole (not streamed) answer arrived before the connection broke. */
  sawBody(): void;
  /** A server-sent event of the raw path; `isLast` when the stream is over with it. */
  frame(frame: SseFrame): { readonly event: ProviderEvent; readonly isLast: boolean };
  /** The unfinished rest of a stream that came to its end; null where it is half a chunk, which is a cut. */
  rest(frame: SseFrame): ProviderEvent | null;
  /** A chunk that an SDK has parsed. */
  chunk(chunk: unknown): ProviderEvent;
  /** A whole answer. On the raw path its bytes are passed on. */
  whole(text: string, bytes?: Uint8Array): ProviderEvent;
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

/** A relay for one attempt. `key` is the secret that must not appear in any observation. */
export function createRelay(candidate: Candidate, key: string): AnswerRelay {
  const reader = readerOf(candidate);
  const tracker = trackAnswer();
  let head: AnswerHead | null = null;

  const fail = (body: unknown, clientError: ClientError | null, finishReason: string | null = null): FailedEvent => ({
    failed: observe({
      provider: providerFamily(candidate),
      head,
      body,
      clientError,
      phase: tracker.phase,
      finishReason: finishReason ?? tracker.finishReason,
      key,
    }),
  });
  const failTrouble = ({ code, message, body, finishReason }: Trouble): FailedEvent =>
    fail(body, { name: 'ProviderError', code, message }, finishReason);
  const eventOf = (reading: Reading, bytes: Uint8Array | undefined): ProviderEvent => {
    const accepted = 'trouble' in reading ? reading : tracker.accept(reading.parts);
    if ('trouble' in accepted) return failTrouble(accepted.trouble);
    return streamEvent(accepted.parts, candidate.wire, bytes);
  };

  const failMalformed = (): FailedEvent =>
    failTrouble(trouble(TROUBLE_CODES.malformedChunk, 'A chunk of the stream is not JSON.'));
  const readFrame = ({ bytes, event, data }: SseFrame): { event: ProviderEvent; isLast: boolean } => {
    if (data === null || data === '') return { event: streamEvent([], candidate.wire, bytes), isLast: false };
    if (reader.isEndMark(data)) return { event: streamEvent([], candidate.wire, bytes), isLast: true };
    const chunk = parseJson(data);
    if (chunk === undefined)
      return { event: event === 'error' ? failTrouble(errorText(data)) : failMalformed(), isLast: true };
    return { event: eventOf(reader.read(chunk, event), bytes), isLast: reader.isLast(chunk) };
  };

  return {
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
    chunk: (chunk) => eventOf(reader.read(chunk, null), undefined),
    whole(text, bytes) {
      const answer = parseJson(text);
      if (answer === undefined) {
        if (text.trim() !== '') tracker.sawBody();
        return failTrouble(trouble(TROUBLE_CODES.malformedChunk, 'The answer is not JSON.', { body: bodyOf(text) }));
      }
      return eventOf(reader.readWhole(answer), bytes);
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

function streamEvent(parts: StreamEvent['parts'], wire: Wire, bytes: Uint8Array | undefined): StreamEvent {
  return bytes === undefined ? { parts } : { parts, raw: { wire, bytes } };
}

/** Whether a status promises an answer. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** How to read a 200 answer. Servers that name no type, or a vague one, are believed to stream as asked. */
export function bodyKind(headers: Readonly<Record<string, string>>): BodyKind {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'text/event-stream') return 'events';
  if (type === 'application/json' || type.endsWith('+json')) return 'json';
  return type === '' || type === 'text/plain' || type === 'application/octet-stream' ? 'events' : 'other';
}

// What a wire module gives the gateway: how a request body is read, and how an answer and a failure are written.
// The server knows no JSON shape; another wire (Responses, Messages) is another module behind this interface.
import type { ChatRequest, StreamEvent, Wire } from '../../core/chat.ts';
import type { Result } from '../../engine/ports.ts';
import type { CallSummary } from '../../engine/controller.ts';

/** A failure to be told to a client, free of the wire's shape. `message` is for a person; no secrets, no internals. */
export interface WireProblem {
  /** HTTP status, 400-599. */
  readonly status: number;
  readonly message: string;
  /** Machine word in snake_case, e.g. `invalid_body`. */
  readonly code: string;
  /** The part of the request it is about (a JSON path or header name), where there is one. */
  readonly param: string | null;
  readonly retryAfterMs: number | null;
}

/** What an answer says of itself besides its content. */
export interface AnswerFacts {
  readonly requestId: string;
  /** Seconds since the epoch of the clock port. */
  readonly createdSeconds: number;
}

export type AnswerChunk = string | Uint8Array;

/** Writes one streamed answer, event by event. Chunks are whole server-sent events, in order. */
export interface StreamEncoder {
  encode(event: StreamEvent): readonly AnswerChunk[];
  /** The last chunks of a good answer; a problem when the answer never said that it was finished. */
  finish(summary: CallSummary): Result<readonly AnswerChunk[], WireProblem>;
  /** An in-stream error event. Nothing may follow it. */
  fail(problem: WireProblem): AnswerChunk;
}

/** Collects one answer that is sent whole. */
export interface AnswerCollector {
  add(event: StreamEvent): void;
  /** The body; a problem when the answer never said that it was finished. */
  finish(summary: CallSummary): Result<AnswerChunk, WireProblem>;
}

/** A request as one wire understood it. */
export interface WireCall {
  readonly request: ChatRequest;
  readonly isStream: boolean;
  /** Top-level fields that the neutral request has no word for: only a candidate that gets the raw body sees them. */
  readonly rawOnlyFields: readonly string[];
  stream(facts: AnswerFacts): StreamEncoder;
  collect(facts: AnswerFacts): AnswerCollector;
}

/** One request wire of the gateway. */
export interface GatewayWire {
  readonly wire: Wire;
  /** Paths that take its POST requests. */
  readonly paths: readonly string[];
  /** Sent while nothing else is, so that clients with a silence timer stay. */
  readonly keepAlive: string;
  /** Reads a parsed JSON body; a problem names the JSON path and what was expected there. */
  parse(body: unknown, headers: Readonly<Record<string, string>>): Result<WireCall, WireProblem>;
  /** The JSON body of a failure that is answered with an HTTP status. */
  errorBody(problem: WireProblem): string;
}

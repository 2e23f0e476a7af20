// What a wire and a vendor must provide to stand in the wall. A wire is one POST path: it checks a body as strictly as the real
// vendor does, and writes answers as that vendor does. To add a wire (Responses), write one of these and list it at its vendor.
import type { ChatMessage, ToolChoice, ToolSpec, Wire } from '../../core/chat.ts';
import type { Answer } from './answer.ts';
import type { FrontDoorKind } from './faults.ts';
import type { WallModel, WallVendor } from './places.ts';

/** A checked request, free of its wire. */
export interface WallRequest {
  readonly model: WallModel;
  readonly system: readonly string[];
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls: boolean;
  /** Upper bound of the answer's tokens; `null`: the model's own. */
  readonly maxOutputTokens: number | null;
  readonly stopSequences: readonly string[];
  readonly isStreaming: boolean;
  /** Whether the stream ends with a usage event (always so on Anthropic's wire). */
  readonly includeUsage: boolean;
}

/** An error as a vendor answers it: status and the fields of its body. */
export interface WireError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  /** OpenAI's `code` and `param`; not sent on Anthropic's wire. */
  readonly code: string | null;
  readonly param: string | null;
  /** Headers beyond the vendor's usual ones. */
  readonly headers: Readonly<Record<string, string>>;
}

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: WireError };

/** Names and counts that go into an answer. */
export interface AnswerMeta {
  readonly answerId: string;
  readonly model: string;
  /** Seconds since the epoch. */
  readonly createdSeconds: number;
  readonly inputTokens: number;
  readonly includeUsage: boolean;
}

/** One server-sent event and how many tokens of the answer it carries. */
export interface Frame {
  readonly text: string;
  readonly tokens: number;
}

export interface WallWire {
  readonly wire: Wire;
  readonly path: string;
  /** Beginning of the ids this wire gives to tool calls. */
  readonly callIdPrefix: string;
  /** Beginning of the ids this wire gives to answers. */
  readonly answerIdPrefix: string;
  parse(body: unknown, models: readonly WallModel[]): Checked<WallRequest>;
  /** The answer as events, terminal marker included. */
  frames(answer: Answer, meta: AnswerMeta): readonly Frame[];
  /** The answer as one JSON value. */
  whole(answer: Answer, meta: AnswerMeta): unknown;
  /** The refusal of a prompt of `promptTokens` that does not fit `windowTokens` together with `answerTokens` asked for. */
  tooLong(promptTokens: number, answerTokens: number, windowTokens: number): WireError;
}

/** A side door of a vendor that answers at once and is not billed: model lists, token counts. */
export interface FreeDoor {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  answer(body: unknown, models: readonly WallModel[]): Checked<unknown>;
}

export interface WallVendorRules {
  readonly vendor: WallVendor;
  /** What follows the origin in the base URL that the vendor's official client takes. */
  readonly basePath: string;
  readonly wires: readonly WallWire[];
  readonly freeDoors: readonly FreeDoor[];
  /** Checks key and mandatory headers (names in lower case); `null` when all is well. */
  authorize(headers: Readonly<Record<string, string | string[] | undefined>>, apiKey: string): WireError | null;
  readonly frontDoor: Readonly<Record<FrontDoorKind, WireError>>;
  readonly notJson: WireError;
  readonly tooLarge: WireError;
  unknownPath(method: string, path: string): WireError;
  errorBody(error: WireError, requestId: string): unknown;
  /** Headers of every answer. */
  headers(requestId: string): Readonly<Record<string, string>>;
}

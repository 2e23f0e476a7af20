// The neutral chat model: what a caller asks of a model and what comes back, free of any vendor's wire.
// Wires are translated to and from this at the edge (gateway, adapters/providers); nothing here knows JSON shapes.

/** What the call is for (chat, planner, coder, debugger, reviewer, judge, ...). Quality is learned per role and candidate. */
export type Role = string;

/** The three request wires Belay speaks. */
export type Wire = 'openai-chat' | 'openai-responses' | 'anthropic-messages';

/** Plain text of a message. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** An image: base64 data or an address the provider can fetch. */
export interface ImagePart {
  readonly type: 'image';
  readonly source:
    | { readonly kind: 'base64'; readonly mediaType: string; readonly data: string }
    | { readonly kind: 'url'; readonly url: string };
}

/** A model's private reasoning. `signature` proves its origin; it may be sent only to `issuer` (a vendor name). */
export interface ThinkingPart {
  readonly type: 'thinking';
  readonly text: string;
  readonly signature?: string;
  readonly issuer?: string;
}

/** A complete tool call. `argsText` is the JSON text exactly as the model wrote it. */
export interface ToolCallPart {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  readonly argsText: string;
}

/** The answer to a tool call, paired by `callId`. */
export interface ToolResultPart {
  readonly type: 'tool-result';
  readonly callId: string;
  readonly content: readonly (TextPart | ImagePart)[];
  readonly isError: boolean;
}

export interface UserMessage {
  readonly role: 'user';
  /** Belay put it in place of others (core/recovery/turns). No wire has it, so nothing that a person writes can pass for one. */
  readonly isNote?: true;
  readonly content: readonly (TextPart | ImagePart)[];
}
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: readonly (TextPart | ThinkingPart | ToolCallPart)[];
}
export interface ToolMessage {
  readonly role: 'tool';
  readonly content: readonly ToolResultPart[];
}
export type ChatMessage = UserMessage | AssistantMessage | ToolMessage;

/** A tool offered to the model; `parameters` is a JSON Schema object. */
export interface ToolSpec {
  readonly name: string;
  readonly description?: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export type ToolChoice =
  | { readonly type: 'auto' }
  | { readonly type: 'none' }
  | { readonly type: 'required' }
  | { readonly type: 'tool'; readonly name: string };

/** The caller's own bytes, kept so that a candidate of the same wire receives them unchanged but for the model name. */
export interface RawRequest {
  readonly wire: Wire;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** One model request as the caller sees it (a logical call). */
export interface ChatRequest {
  /** The name the caller asked for; a route maps it to candidates. */
  readonly model: string;
  readonly system: readonly TextPart[];
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: ToolChoice;
  /** Upper bound of output tokens; absent: the provider's own. */
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly stop?: readonly string[];
  readonly parallelToolCalls?: boolean;
  readonly raw?: RawRequest;
}

/** Tokens as the provider counted them. Absent figures are unknown, not zero. */
export interface Usage {
  /** The whole prompt, cached or not. */
  readonly inputTokens: number;
  /** All that was written, hidden reasoning included. */
  readonly outputTokens: number;
  /** Part of `inputTokens` that was read from the provider's prompt cache. */
  readonly cachedInputTokens?: number;
  /** Part of `inputTokens` that was written to the prompt cache, and of that the part kept for an hour; both are dearer. */
  readonly cacheWriteInputTokens?: number;
  readonly longCacheWriteInputTokens?: number;
}

/** Why a model stopped. `truncated` = token limit; `refusal` and `content-filter` are T8. */
export type FinishReason = 'stop' | 'tool-calls' | 'truncated' | 'refusal' | 'content-filter' | 'other';

/** What an answer is made of, in order of arrival. A stream is good only if a `finish` part was seen before its end. */
export type StreamPart =
  | {
      readonly type: 'response-start';
      readonly responseId?: string;
      readonly servedModel?: string;
      readonly fingerprint?: string;
    }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'thinking-delta'; readonly text: string }
  | { readonly type: 'thinking-end'; readonly signature?: string; readonly issuer?: string }
  | { readonly type: 'refusal-delta'; readonly text: string }
  /** Some of a tool call arrived (`chars` of its name and arguments); proves life, carries nothing that may be executed. */
  | { readonly type: 'tool-call-progress'; readonly chars: number }
  | ToolCallPart
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly rawReason?: string };

/** The bytes of one server-sent event as the provider framed it, for a client of the same wire. */
export interface RawChunk {
  readonly wire: Wire;
  readonly bytes: Uint8Array;
}

/** One event of a provider's stream: the parts it means and, on the raw path, the bytes it was. */
export interface StreamEvent {
  readonly parts: readonly StreamPart[];
  readonly raw?: RawChunk;
}

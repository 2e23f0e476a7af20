// The few classes of VS Code that a request to one of its models is made of, and a model that is scripted. The real ones are
// used in the host tests; here they only have the same fields.
import type { EditorApi } from '../../src/adapters/vscode/languageModelCandidates.ts';

class TextPart {
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
}
class ToolCallPart {
  readonly callId: string;
  readonly name: string;
  readonly input: object;
  constructor(callId: string, name: string, input: object) {
    this.callId = callId;
    this.name = name;
    this.input = input;
  }
}
class ToolResultPart {
  readonly callId: string;
  readonly content: readonly unknown[];
  constructor(callId: string, content: readonly unknown[]) {
    this.callId = callId;
    this.content = content;
  }
}
class DataPart {
  readonly data: Uint8Array;
  readonly mimeType: string;
  constructor(data: Uint8Array, mimeType: string) {
    this.data = data;
    this.mimeType = mimeType;
  }
  static image(data: Uint8Array, mimeType: string): DataPart {
    return new DataPart(data, mimeType);
  }
}
const message = (role: number) => (content: unknown) => ({
  role,
  content: typeof content === 'string' ? [new TextPart(content)] : content,
});

class TokenSource {
  readonly #listeners = new Set<() => void>();
  isCancelled = false;
  readonly token = {
    onCancellationRequested: (listener: () => void) => {
      this.#listeners.add(listener);
      return { dispose: () => this.#listeners.delete(listener) };
    },
  };
  cancel(): void {
    this.isCancelled = true;
    for (const listener of this.#listeners) listener();
  }
  dispose(): void {
    this.#listeners.clear();
  }
}

/** What a scripted model does with a request. */
export interface FakeModel {
  readonly id: string;
  readonly vendor?: string;
  readonly family?: string;
  readonly version?: string;
  readonly maxInputTokens?: number;
  readonly tokensOf?: (message: unknown) => number;
  readonly answer: (request: SentRequest) => AsyncIterable<unknown>;
  /** Thrown by sendRequest itself. */
  readonly refusal?: Error;
}

/** A request as it arrived. */
export interface SentRequest {
  readonly messages: readonly { readonly role: number; readonly content: readonly Record<string, unknown>[] }[];
  readonly options: Record<string, unknown>;
  readonly token: { readonly onCancellationRequested: (listener: () => void) => void };
}

/** VS Code with these models, and the requests they got. */
export function fakeEditor(models: readonly FakeModel[]): { readonly api: EditorApi; readonly sent: SentRequest[] } {
  const sent: SentRequest[] = [];
  const api = {
    LanguageModelTextPart: TextPart,
    LanguageModelToolCallPart: ToolCallPart,
    LanguageModelToolResultPart: ToolResultPart,
    LanguageModelDataPart: DataPart,
    LanguageModelChatMessage: { User: message(1), Assistant: message(2) },
    LanguageModelChatToolMode: { Auto: 1, Required: 2 },
    CancellationTokenSource: TokenSource,
    lm: {
      selectChatModels: ({ vendor }: { readonly vendor: string }) =>
        Promise.resolve(models.filter((model) => (model.vendor ?? 'copilot') === vendor).map(modelOf)),
    },
  };
  function modelOf({ id, vendor = 'copilot', family = id, version = '', ...rest }: FakeModel): unknown {
    return {
      id,
      vendor,
      family,
      version,
      maxInputTokens: rest.maxInputTokens ?? 100_000,
      countTokens: (value: unknown) => Promise.resolve(rest.tokensOf?.(value) ?? 1),
      sendRequest: (
        messages: SentRequest['messages'],
        options: SentRequest['options'],
        token: SentRequest['token'],
      ) => {
        if (rest.refusal !== undefined) return Promise.reject(rest.refusal); // Whatever the test throws.
        const request = { messages, options, token };
        sent.push(request);
        return Promise.resolve({ stream: rest.answer(request) });
      },
    };
  }
  return { api: api as unknown as EditorApi, sent }; // Only the fields that are used.
}

/** An answer of these parts; a text stands for a text part, an error is thrown at its place. */
export async function* answerOf(...parts: readonly unknown[]): AsyncGenerator {
  for (const part of parts) {
    await Promise.resolve();
    if (part instanceof Error) throw part;
    yield typeof part === 'string' ? new TextPart(part) : part;
  }
}

// VS Code's chat messages to the neutral chat model. Parts are told apart by their shape, so that parts made by another
// copy of the API are understood too; nothing here needs VS Code at run time. What has no neutral form is left out.
import type * as vscode from 'vscode';
import type {
  ChatMessage,
  ChatRequest,
  ImagePart,
  TextPart,
  ToolCallPart,
  ToolChoice,
  ToolResultPart,
  ToolSpec,
} from '../../core/chat.ts';
import { sizeOfParts, sizeOfText, type TextSize } from '../../core/textSize.ts';
import { carefulEstimator, estimateTokens } from '../../core/tokens.ts';

/** The role number of an assistant's message; 1 is the user's (vscode.LanguageModelChatMessageRole). */
const ASSISTANT_ROLE = 2;
/** vscode.LanguageModelChatToolMode.Required. */
const TOOL_MODE_REQUIRED = 2;

type Part = TextPart | ImagePart | ToolCallPart | ToolResultPart;

/** The part of VS Code's request options that has a neutral form. */
export interface ChatOptions {
  readonly tools?: readonly vscode.LanguageModelChatTool[] | undefined;
  /** vscode.LanguageModelChatToolMode */
  readonly toolMode: number;
  readonly modelOptions?: Readonly<Record<string, unknown>>;
}

/** A message of VS Code by its shape (vscode.LanguageModelChatRequestMessage). */
export interface ChatInput {
  readonly role: number;
  readonly content: readonly unknown[];
}

/** A whole request. `model` is the name that routes know (`*` for every candidate). */
export function toChatRequest(model: string, messages: readonly ChatInput[], options: ChatOptions): ChatRequest {
  const temperature = numberOption(options, 'temperature');
  const maxOutputTokens = numberOption(options, 'max_tokens') ?? numberOption(options, 'maxOutputTokens');
  return {
    model,
    system: [],
    messages: messages.flatMap(toMessages),
    tools: (options.tools ?? []).map(toToolSpec),
    toolChoice: toolChoice(options),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

/** One message becomes up to two: a user's message may carry tool results, which the neutral model keeps apart, first. */
function toMessages(message: ChatInput): readonly ChatMessage[] {
  const parts = message.content.flatMap(toPart);
  if (message.role === ASSISTANT_ROLE) {
    const content = parts.filter((part) => part.type === 'text' || part.type === 'tool-call');
    return content.length > 0 ? [{ role: 'assistant', content }] : [];
  }
  const results = parts.filter((part) => part.type === 'tool-result');
  const content = parts.filter((part) => part.type === 'text' || part.type === 'image');
  return [
    ...(results.length > 0 ? [{ role: 'tool' as const, content: results }] : []),
    ...(content.length > 0 ? [{ role: 'user' as const, content }] : []),
  ];
}

function toPart(part: unknown): readonly Part[] {
  if (typeof part === 'string') return part === '' ? [] : [{ type: 'text', text: part }];
  if (!isRecord(part)) return [];
  const { value, callId, name, input, content, mimeType, data, isError } = part;
  if (typeof callId === 'string' && typeof name === 'string') {
    return [{ type: 'tool-call', id: callId, name, argsText: JSON.stringify(input ?? {}) }];
  }
  if (typeof callId === 'string' && Array.isArray(content)) {
    const inner = content.flatMap(toPart).filter((piece) => piece.type === 'text' || piece.type === 'image');
    return [{ type: 'tool-result', callId, content: inner, isError: isError === true }];
  }
  if (typeof mimeType === 'string' && data instanceof Uint8Array) return dataPart(mimeType, data);
  if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }];
  // A prompt-tsx part of a tool result carries a tree that only its maker can print; its JSON still says something.
  return isRecord(value) ? [{ type: 'text', text: JSON.stringify(value) }] : [];
}

function dataPart(mimeType: string, data: Uint8Array): readonly (TextPart | ImagePart)[] {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (mimeType.startsWith('image/'))
    return [{ type: 'image', source: { kind: 'base64', mediaType: mimeType, data: bytes.toString('base64') } }];
  const isText = mimeType.startsWith('text/') || /[/+]json$/.test(mimeType);
  return isText ? [{ type: 'text', text: bytes.toString('utf8') }] : [];
}

function toToolSpec(tool: vscode.LanguageModelChatTool): ToolSpec {
  const schema: unknown = tool.inputSchema;
  return {
    name: tool.name,
    description: tool.description,
    parameters: isRecord(schema) ? schema : { type: 'object', properties: {} },
  };
}

function toolChoice({ tools, toolMode }: ChatOptions): ToolChoice {
  return tools !== undefined && tools.length > 0 && toolMode === TOOL_MODE_REQUIRED
    ? { type: 'required' }
    : { type: 'auto' };
}

function numberOption(options: ChatOptions, name: string): number | undefined {
  const value: unknown = options.modelOptions?.[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Tokens of a text or message by `count`, the engine's; careful where there is none yet. Never 0 for what is not empty. */
export function tokensOf(content: string | ChatInput, count: ((size: TextSize) => number) | null): number {
  const size = typeof content === 'string' ? sizeOfText(content) : sizeOfParts(content.content.flatMap(toPart));
  return count ? count(size) : estimateTokens(carefulEstimator, size);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Neutral request -> body of Anthropic's Messages wire (docs.anthropic.com/en/api/messages).
// Reasoning goes only to its issuer and only with its signature. Pure; the history is made portable first.
import type Anthropic from '@anthropic-ai/sdk';
import type { Candidate } from '../../core/candidate.ts';
import type { ChatRequest, ImagePart, TextPart, ThinkingPart, ToolSpec } from '../../core/chat.ts';
import { issuerOf, upstreamModel } from './endpoint.ts';
import type { PortableAssistantTurn, PortableTurn, PortableUserTurn } from './portableHistory.ts';
import { argsObject, portableHistory } from './portableHistory.ts';

type Body = Anthropic.MessageCreateParamsStreaming;
type UserBlock = Anthropic.TextBlockParam | Anthropic.ImageBlockParam;

/** The wire demands a limit; this one is accepted by every model still served. */
export const DEFAULT_MAX_TOKENS = 8192;
/** Marks the signature of reasoning that the provider encrypted as a whole (`redacted_thinking`). */
export const REDACTED_PREFIX = 'redacted_thinking:';

const MEDIA_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;
const DATA_URL = /^data:([^;,]+);base64,(.*)$/s;

/** The streaming body for `candidate`. */
export function anthropicBody(request: ChatRequest, candidate: Pick<Candidate, 'kind' | 'model'>): Body {
  const issuer = issuerOf(candidate);
  const { turns } = portableHistory(request.messages, (p) => p.issuer === issuer && p.signature !== undefined);
  const system = request.system.flatMap(textBlock);
  return {
    model: upstreamModel(candidate, request.model),
    max_tokens: request.maxOutputTokens ?? DEFAULT_MAX_TOKENS,
    ...(system.length === 0 ? {} : { system }),
    messages: turns.flatMap((turn, i) => message(turn, i === turns.length - 1)),
    stream: true,
    ...toolFields(request, turns),
    ...samplingFields(request),
  };
}

function toolFields(request: ChatRequest, turns: readonly PortableTurn[]): Partial<Body> {
  if (request.tools.length === 0) {
    // A history with tool calls is refused unless the tools are declared.
    const names = new Set(turns.flatMap((t) => t.content.flatMap((p) => (p.type === 'tool-call' ? [p.name] : []))));
    if (names.size === 0) return {};
    const tools = [...names].map((name) => ({ name, input_schema: { type: 'object' as const } }));
    return { tools, tool_choice: { type: 'none' } };
  }
  return { tools: request.tools.map(tool), tool_choice: toolChoice(request) };
}

function tool(spec: ToolSpec): Anthropic.Tool {
  return {
    name: spec.name,
    ...(spec.description === undefined ? {} : { description: spec.description }),
    input_schema: { ...spec.parameters, type: 'object' },
  };
}

function toolChoice(request: ChatRequest): Anthropic.ToolChoice {
  const serial = request.parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  const choice = request.toolChoice;
  switch (choice.type) {
    case 'none':
      return { type: 'none' };
    case 'auto':
      return { type: 'auto', ...serial };
    case 'required':
      return { type: 'any', ...serial };
    case 'tool':
      return { type: 'tool', name: choice.name, ...serial };
  }
}

function samplingFields(request: ChatRequest): Partial<Body> {
  const { temperature, topP } = request;
  const stop = (request.stop ?? []).filter((s) => s.trim() !== '');
  return {
    // The range ends at 1 here and at 2 elsewhere. Newer models refuse both settings at once.
    ...(temperature === undefined ? {} : { temperature: Math.min(1, Math.max(0, temperature)) }),
    ...(topP === undefined || temperature !== undefined ? {} : { top_p: topP }),
    ...(stop.length === 0 ? {} : { stop_sequences: stop }),
  };
}

function message(turn: PortableTurn, isLast: boolean): Anthropic.MessageParam[] {
  if (turn.role === 'user') return [{ role: 'user', content: userContent(turn) }];
  const content = assistantContent(turn, isLast);
  return content.length === 0 ? [] : [{ role: 'assistant', content }];
}

function userContent(turn: PortableUserTurn): Anthropic.ContentBlockParam[] {
  return [
    ...turn.results.map((result): Anthropic.ToolResultBlockParam => {
      const content = result.content.flatMap(block);
      return {
        type: 'tool_result',
        tool_use_id: result.wireId,
        ...(content.length === 0 ? {} : { content }),
        ...(result.isError ? { is_error: true } : {}),
      };
    }),
    ...turn.content.flatMap(block),
  ];
}

function assistantContent(turn: PortableAssistantTurn, isLast: boolean): Anthropic.ContentBlockParam[] {
  const blocks = turn.content.flatMap((part): Anthropic.ContentBlockParam[] => {
    switch (part.type) {
      case 'text':
        return textBlock(part);
      case 'thinking':
        return thinkingBlock(part);
      case 'tool-call':
        return [{ type: 'tool_use', id: part.wireId, name: part.name, input: argsObject(part.argsText) }];
    }
  });
  const end = blocks.at(-1);
  // A turn to be continued may not end in white space.
  if (isLast && end?.type === 'text') blocks[blocks.length - 1] = { ...end, text: end.text.trimEnd() };
  return blocks;
}

function thinkingBlock(part: ThinkingPart): Anthropic.ContentBlockParam[] {
  const { signature } = part;
  if (signature === undefined) return [];
  return signature.startsWith(REDACTED_PREFIX)
    ? [{ type: 'redacted_thinking', data: signature.slice(REDACTED_PREFIX.length) }]
    : [{ type: 'thinking', thinking: part.text, signature }];
}

function textBlock(part: TextPart): Anthropic.TextBlockParam[] {
  return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
}

function block(part: TextPart | ImagePart): UserBlock[] {
  return part.type === 'text' ? textBlock(part) : [imageBlock(part)];
}

function imageBlock(part: ImagePart): UserBlock {
  const { source } = part;
  if (source.kind === 'base64') return base64Block(source.mediaType, source.data);
  const inline = DATA_URL.exec(source.url);
  if (inline) return base64Block(inline[1] ?? '', inline[2] ?? '');
  if (source.url.startsWith('https://')) return { type: 'image', source: { type: 'url', url: source.url } };
  return { type: 'text', text: '[an image was left out: this provider fetches images by https only]' };
}

function base64Block(mediaType: string, data: string): UserBlock {
  const wanted = mediaType.toLowerCase() === 'image/jpg' ? 'image/jpeg' : mediaType.toLowerCase();
  const media_type = MEDIA_TYPES.find((m) => m === wanted);
  if (media_type) return { type: 'image', source: { type: 'base64', media_type, data } };
  return { type: 'text', text: '[an image was left out: this provider accepts JPEG, PNG, GIF and WebP]' };
}

// Neutral request -> body of Anthropic's Messages wire (docs.anthropic.com/en/api/messages).
// Reasoning goes only to its issuer and only with its signature. Pure; the history is made portable first.
import type Anthropic from '@anthropic-ai/sdk';
import type { Candidate } from '../../core/candidate.ts';
import type { ChatRequest, ImagePart, TextPart, ThinkingPart, ToolSpec } from '../../core/chat.ts';
import { dialectOf, type Dialect } from '../../core/providers/dialects.ts';
import { CLAUDE_ISSUER, issuerOf, upstreamModel } from './endpoint.ts';
import type { PortableAssistantTurn, PortableTurn, PortableUserTurn } from './portableHistory.ts';
import { argsObject, portableHistory } from './portableHistory.ts';
import { portableImage } from './portableImages.ts';
import { portableNames, type PortableNames } from './portableNames.ts';
import { toolSchema } from './toolSchema.ts';

type Body = Anthropic.MessageCreateParamsStreaming;
type UserBlock = Anthropic.TextBlockParam | Anthropic.ImageBlockParam;

/** The wire demands a limit; this one is accepted by every model still served. */
export const DEFAULT_MAX_TOKENS = 8192;
/** Marks the signature of reasoning that the provider encrypted as a whole (`redacted_thinking`). */
export const REDACTED_PREFIX = 'redacted_thinking:';

const MEDIA_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

type Receiver = Pick<Candidate, 'kind' | 'family' | 'model' | 'wire' | 'baseUrl' | 'capabilities'>;

/** What the parts of one body share. */
interface Setting {
  readonly dialect: Dialect;
  readonly capabilities: Candidate['capabilities'];
  readonly names: PortableNames;
}

/** The streaming body for `candidate`. */
export function anthropicBody(request: ChatRequest, candidate: Receiver): Body {
  const model = upstreamModel(candidate, request.model);
  const dialect = dialectOf({ ...candidate, model });
  const names = portableNames(request, dialect.toolNames);
  const setting: Setting = { dialect, capabilities: candidate.capabilities, names };
  const issuer = issuerOf(candidate);
  const { turns } = portableHistory(request.messages, {
    callIds: dialect.callIds,
    names,
    keepThinking: (part) => part.issuer === issuer && (part.signature !== undefined || isKeptUnsigned(part)),
    takesPrefill: candidate.capabilities.prefill === true && dialect.prefill !== 'none',
  });
  const system = request.system.flatMap(textBlock);
  return {
    model,
    max_tokens: request.maxOutputTokens ?? DEFAULT_MAX_TOKENS,
    ...(system.length === 0 ? {} : { system }),
    messages: turns.flatMap((turn, i) => message(turn, setting, i === turns.length - 1)),
    stream: true,
    ...toolFields(request, turns, setting),
    ...samplingFields(request, dialect),
  };
}

/** Claude refuses reasoning without a signature; other servers of this wire do not sign, and some want theirs back. */
function isKeptUnsigned(part: ThinkingPart): boolean {
  return part.issuer !== CLAUDE_ISSUER && part.text.trim() !== '';
}

function toolFields(request: ChatRequest, turns: readonly PortableTurn[], { dialect, names }: Setting): Partial<Body> {
  if (request.tools.length === 0) {
    // A history with tool calls is refused unless the tools are declared.
    const called = new Set(turns.flatMap((t) => t.content.flatMap((p) => (p.type === 'tool-call' ? [p.name] : []))));
    if (called.size === 0) return {};
    const tools = [...called].map((name) => ({ name, input_schema: { type: 'object' as const } }));
    return { tools, tool_choice: { type: 'none' } };
  }
  const distinct = request.tools.filter((tool, i, all) => all.findIndex(({ name }) => name === tool.name) === i);
  return {
    tools: distinct.map((spec) => tool(spec, names.outgoing(spec.name), dialect)),
    tool_choice: toolChoice(request, names),
  };
}

function tool({ description, parameters }: ToolSpec, name: string, { schemas }: Dialect): Anthropic.Tool {
  return {
    name,
    ...(description === undefined || description === '' ? {} : { description }),
    input_schema: { ...toolSchema(parameters, schemas), type: 'object' },
  };
}

function toolChoice(request: ChatRequest, names: PortableNames): Anthropic.ToolChoice {
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
      return { type: 'tool', name: names.outgoing(choice.name), ...serial };
  }
}

function samplingFields(request: ChatRequest, { temperatureMax, bothSamplings, stopLimit }: Dialect): Partial<Body> {
  const { temperature, topP } = request;
  const stop = (request.stop ?? []).filter((s) => s.trim() !== '').slice(0, stopLimit);
  const takesTopP = temperatureMax !== null && (bothSamplings || temperature === undefined);
  return {
    // The range ends at 1 here and at 2 elsewhere.
    ...(temperature === undefined || temperatureMax === null
      ? {}
      : { temperature: Math.min(temperatureMax, Math.max(0, temperature)) }),
    ...(topP === undefined || !takesTopP ? {} : { top_p: topP }),
    ...(stop.length === 0 ? {} : { stop_sequences: stop }),
  };
}

function message(turn: PortableTurn, setting: Setting, isLast: boolean): Anthropic.MessageParam[] {
  if (turn.role === 'user') return [{ role: 'user', content: userContent(turn, setting) }];
  const content = assistantContent(turn, isLast);
  return content.length === 0 ? [] : [{ role: 'assistant', content }];
}

function userContent(turn: PortableUserTurn, setting: Setting): Anthropic.ContentBlockParam[] {
  return [
    ...turn.results.map((result): Anthropic.ToolResultBlockParam => {
      const content = result.content.flatMap((part) => block(part, setting));
      return {
        type: 'tool_result',
        tool_use_id: result.wireId,
        ...(content.length === 0 ? {} : { content }),
        ...(result.isError ? { is_error: true } : {}),
      };
    }),
    ...turn.content.flatMap((part) => block(part, setting)),
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
  // Reasoning may not be the end of a message: what it led to was cut.
  while (isThinking(blocks.at(-1))) blocks.pop();
  const end = blocks.at(-1);
  // A turn to be continued may not end in white space.
  if (isLast && end?.type === 'text') blocks[blocks.length - 1] = { ...end, text: end.text.trimEnd() };
  return blocks;
}

function isThinking(block: Anthropic.ContentBlockParam | undefined): boolean {
  return block?.type === 'thinking' || block?.type === 'redacted_thinking';
}

function thinkingBlock({ text, signature = '' }: ThinkingPart): Anthropic.ContentBlockParam[] {
  return signature.startsWith(REDACTED_PREFIX)
    ? [{ type: 'redacted_thinking', data: signature.slice(REDACTED_PREFIX.length) }]
    : [{ type: 'thinking', thinking: text, signature }];
}

function textBlock(part: TextPart): Anthropic.TextBlockParam[] {
  return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
}

function block(part: TextPart | ImagePart, setting: Setting): UserBlock[] {
  return part.type === 'text' ? textBlock(part) : [imageBlock(part, setting)];
}

function imageBlock(part: ImagePart, { dialect, capabilities }: Setting): UserBlock {
  const image = portableImage(part, dialect, capabilities);
  if (image.kind === 'words') return { type: 'text', text: image.text };
  if (image.kind === 'url') return { type: 'image', source: { type: 'url', url: image.url } };
  // The dialect's list holds no other types; the SDK's type wants to see it.
  const media_type = MEDIA_TYPES.find((m) => m === image.mediaType) ?? 'image/png';
  return { type: 'image', source: { type: 'base64', media_type, data: image.data } };
}

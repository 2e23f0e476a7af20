// Neutral request -> body of OpenAI's Chat Completions wire (platform.openai.com/docs/api-reference/chat/create) in the
// dialect of the server that receives it. Reasoning is sent only where the receiver demands its own back, and as text.
// Pure; the history is made portable first.
import type OpenAI from 'openai';
import type { Candidate } from '../../core/candidate.ts';
import type { ChatRequest, ImagePart, TextPart, ToolChoice, ToolSpec } from '../../core/chat.ts';
import { dialectOf, type Dialect } from '../../core/providers/dialects.ts';
import { issuerOf, upstreamModel } from './endpoint.ts';
import type {
  PortableAssistantTurn,
  PortableCall,
  PortableResult,
  PortableTurn,
  PortableUserTurn,
} from './portableHistory.ts';
import { argsObject, portableHistory } from './portableHistory.ts';
import { portableImage } from './portableImages.ts';
import { portableNames, type PortableNames } from './portableNames.ts';
import { toolSchema } from './toolSchema.ts';

/** Fields that some servers know beside OpenAI's. */
interface ServerFields {
  thinking?: { type: 'disabled' };
  continue_final_message?: true;
  add_generation_prompt?: false;
}
type Body = OpenAI.ChatCompletionCreateParamsStreaming & ServerFields;
type Message = OpenAI.ChatCompletionMessageParam;
type AssistantMessage = OpenAI.ChatCompletionAssistantMessageParam & { reasoning_content?: string; prefix?: true };
type FunctionCall = OpenAI.ChatCompletionMessageFunctionToolCall & {
  extra_content?: { google: { thought_signature: string } };
};
type Receiver = Pick<Candidate, 'kind' | 'family' | 'model' | 'wire' | 'baseUrl' | 'capabilities'>;

/** Stands where the wire wants text and there is none. */
const NO_OUTPUT = '(no output)';
/** Stands between a tool's result and the user where the server wants the assistant to speak first. */
export const BRIDGE = '(noted)';
/** Google's documented mark for a call that its model did not sign (ai.google.dev, thought signatures). */
export const UNSIGNED_CALL = 'skip_thought_signature_validator';
/** Some servers refuse 0. */
const TOP_P_MIN = 0.01;

/** What the parts of one body share. */
interface Setting {
  readonly dialect: Dialect;
  readonly capabilities: Candidate['capabilities'];
  readonly names: PortableNames;
  /** Whether every assistant message carries its reasoning. */
  readonly sendsReasoning: boolean;
}

/** The streaming body for `candidate`. */
export function openaiBody(request: ChatRequest, candidate: Receiver): Body {
  const model = upstreamModel(candidate, request.model);
  const dialect = dialectOf({ ...candidate, model });
  const isForced = request.toolChoice.type === 'tool' || request.toolChoice.type === 'required';
  const endsThinking = isForced && request.tools.length > 0 && dialect.forcedChoiceEndsThinking;
  const setting: Setting = {
    dialect,
    capabilities: candidate.capabilities,
    names: portableNames(request, dialect.toolNames),
    sendsReasoning: dialect.reasoning === 'with-tools' && request.tools.length > 0 && !endsThinking,
  };
  const issuer = issuerOf(candidate);
  const takesPrefill = candidate.capabilities.prefill === true && dialect.prefill !== 'none';
  const { turns } = portableHistory(request.messages, {
    callIds: dialect.callIds,
    names: setting.names,
    keepThinking: (part) => setting.sendsReasoning && part.issuer === issuer,
    takesPrefill,
  });
  const system = joinText(request.system);
  return {
    model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system } satisfies Message]),
      ...turns.flatMap((turn, i) => messagesOf(turn, i, { setting, isLast: i === turns.length - 1 })),
    ],
    stream: true,
    ...(dialect.streamOptions ? { stream_options: { include_usage: true } } : {}),
    ...toolFields(request, setting),
    ...limitFields(request, dialect),
    ...(endsThinking ? { thinking: { type: 'disabled' } } : {}),
    ...(dialect.prefill === 'continue-flag' && turns.at(-1)?.role === 'assistant'
      ? { continue_final_message: true, add_generation_prompt: false }
      : {}),
  };
}

function toolFields(request: ChatRequest, { dialect, names }: Setting): Partial<Body> {
  const { toolChoice: choice, parallelToolCalls } = request;
  const isNamed = choice.type === 'tool' && dialect.namedToolChoice;
  // Where no tool can be named, the only one that is offered is the one to call.
  const offered = distinct(request.tools).filter((t) => choice.type !== 'tool' || isNamed || t.name === choice.name);
  if (offered.length === 0) return {};
  return {
    tools: offered.map(({ name, description, parameters }) => ({
      type: 'function',
      function: {
        name: names.outgoing(name),
        ...(description === undefined ? {} : { description }),
        parameters: toolSchema(parameters, dialect.schemas),
      },
    })),
    tool_choice: toolChoice(choice, isNamed, names),
    ...(parallelToolCalls === undefined || !dialect.parallelToolCalls
      ? {}
      : { parallel_tool_calls: parallelToolCalls }),
  };
}

/** Two tools of one name are refused everywhere. */
function distinct(tools: readonly ToolSpec[]): ToolSpec[] {
  return [...new Map(tools.toReversed().map((tool) => [tool.name, tool])).values()].reverse();
}

function toolChoice(choice: ToolChoice, isNamed: boolean, names: PortableNames): OpenAI.ChatCompletionToolChoiceOption {
  if (choice.type !== 'tool') return choice.type;
  return isNamed ? { type: 'function', function: { name: names.outgoing(choice.name) } } : 'required';
}

function limitFields(request: ChatRequest, dialect: Dialect): Partial<Body> {
  const { maxOutputTokens, temperature, topP } = request;
  const { temperatureMax } = dialect;
  const stop = (request.stop ?? []).filter((s) => s !== '').slice(0, dialect.stopLimit);
  return {
    ...(maxOutputTokens === undefined ? {} : { [dialect.outputLimitName]: maxOutputTokens }),
    ...(temperature === undefined || temperatureMax === null
      ? {}
      : { temperature: Math.min(temperatureMax, Math.max(0, temperature)) }),
    // Beside temperature 0 it means nothing, and Mistral refuses it.
    ...(topP === undefined || temperatureMax === null || temperature === 0
      ? {}
      : { top_p: Math.min(1, Math.max(TOP_P_MIN, topP)) }),
    ...(stop.length === 0 ? {} : { stop }),
  };
}

interface Place {
  readonly setting: Setting;
  readonly isLast: boolean;
}

function messagesOf(turn: PortableTurn, index: number, { setting, isLast }: Place): Message[] {
  return turn.role === 'user' ? userMessages(turn, setting) : [assistantMessage(turn, index, { setting, isLast })];
}

function assistantMessage(turn: PortableAssistantTurn, index: number, { setting, isLast }: Place): AssistantMessage {
  const text = joinText(turn.content.filter((p) => p.type === 'text'));
  const calls = turn.content.filter((p) => p.type === 'tool-call');
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(setting.sendsReasoning ? { reasoning_content: reasoningText(turn, index) } : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call, i) => toolCall(call, i, setting)) }),
    ...(isLast && setting.dialect.prefill === 'prefix-flag' ? { prefix: true } : {}),
  };
}

function reasoningText({ content }: PortableAssistantTurn, index: number): string {
  const own = content.flatMap((p) => (p.type === 'thinking' && p.text.trim() !== '' ? [p.text] : [])).join('\n\n');
  if (own !== '') return own;
  return unknownReasoning(
    index,
    content.flatMap((p) => (p.type === 'tool-call' ? [p.name] : [])),
  );
}

/**
 * Words for the reasoning of a turn that another model wrote. The field must not be empty, and models fall into repeating
 * a text that is the same in every turn.
 */
export function unknownReasoning(index: number, called: readonly string[]): string {
  const calls = called.length === 0 ? '' : `; it called ${called.join(', ')}`;
  return `(The reasoning of turn ${index + 1} is not available${calls}.)`;
}

function toolCall(call: PortableCall, index: number, { dialect }: Setting): FunctionCall {
  return {
    id: call.wireId,
    type: 'function',
    function: { name: call.name, arguments: argumentsText(call.argsText) },
    // Of calls side by side only the first is signed.
    ...(dialect.callSignatures && index === 0
      ? { extra_content: { google: { thought_signature: UNSIGNED_CALL } } }
      : {}),
  };
}

/** The model's own text where it is a JSON object: re-writing it would change what the prompt cache knows. */
function argumentsText(argsText: string): string {
  const parsed = argsObject(argsText);
  const isOwnText = argsText.trim() !== '' && !('malformed_arguments' in parsed);
  return isOwnText ? argsText : JSON.stringify(parsed);
}

function userMessages(turn: PortableUserTurn, setting: Setting): Message[] {
  const results = turn.results.map((result) => ({ result, fitted: fit(result.content, setting) }));
  const images = results.flatMap(({ result, fitted }) => imagesOfResult(result, fitted));
  const content = [...images, ...fit(turn.content, setting)];
  const tools = results.map(({ result, fitted }) => toolMessage(result, fitted));
  const bridge: Message = { role: 'assistant', content: BRIDGE };
  const bridges = setting.dialect.assistantAfterTool && tools.length > 0 && content.length > 0 ? [bridge] : [];
  return [
    ...tools,
    ...bridges,
    ...(content.length === 0 ? [] : [{ role: 'user', content: userContent(content) } satisfies Message]),
  ];
}

/** Text, or an image as an address (`data:` for bytes). */
type FittedPart = TextPart | { readonly type: 'image'; readonly url: string };

function fit(content: readonly (TextPart | ImagePart)[], { dialect, capabilities }: Setting): FittedPart[] {
  return content.map((part) => {
    if (part.type === 'text') return part;
    const image = portableImage(part, dialect, capabilities);
    if (image.kind === 'words') return { type: 'text', text: image.text };
    return { type: 'image', url: image.kind === 'url' ? image.url : `data:${image.mediaType};base64,${image.data}` };
  });
}

/** A tool message holds text only; its images follow in the next user message. */
function toolMessage(result: PortableResult, fitted: readonly FittedPart[]): Message {
  const text = joinText(fitted.filter((p) => p.type === 'text'));
  const hasImage = fitted.some((p) => p.type === 'image');
  const shown = text === '' ? (hasImage ? '(see the image below)' : NO_OUTPUT) : text;
  return { role: 'tool', tool_call_id: result.wireId, content: result.isError ? `[tool error] ${shown}` : shown };
}

function imagesOfResult(result: PortableResult, fitted: readonly FittedPart[]): FittedPart[] {
  const images = fitted.filter((p) => p.type === 'image');
  return images.length === 0 ? [] : [{ type: 'text', text: `[image of tool result ${result.wireId}]` }, ...images];
}

function userContent(content: readonly FittedPart[]): string | OpenAI.ChatCompletionContentPart[] {
  // Plain strings are understood by every compatible server, lists only by some.
  const texts = content.filter((p) => p.type === 'text');
  if (texts.length === content.length) return joinText(texts);
  return content.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text } : { type: 'image_url', image_url: { url: part.url } },
  );
}

function joinText(parts: readonly TextPart[]): string {
  return parts
    .map((p) => p.text)
    .filter((t) => t.trim() !== '')
    .join('\n\n');
}

// Neutral request -> body of OpenAI's Chat Completions wire (platform.openai.com/docs/api-reference/chat/create).
// Reasoning is never sent: this wire has no place for it. Pure; the history is made portable first.
import type OpenAI from 'openai';
import type { Candidate } from '../../core/candidate.ts';
import type { ChatRequest, ImagePart, TextPart, ToolChoice } from '../../core/chat.ts';
import { upstreamModel } from './endpoint.ts';
import type { PortableAssistantTurn, PortableCall, PortableResult, PortableUserTurn } from './portableHistory.ts';
import { argsObject, portableHistory } from './portableHistory.ts';

type Body = OpenAI.ChatCompletionCreateParamsStreaming;
type Message = OpenAI.ChatCompletionMessageParam;

/** The wire accepts at most this many stop sequences. */
const STOP_LIMIT = 4;
/** Stands where the wire wants text and there is none. */
const NO_OUTPUT = '(no output)';

/** The streaming body for `candidate`. */
export function openaiBody(request: ChatRequest, candidate: Pick<Candidate, 'kind' | 'model'>): Body {
  const { turns } = portableHistory(request.messages, () => false);
  const system = joinText(request.system);
  const messages: Message[] = [
    ...(system === '' ? [] : [{ role: 'system', content: system } satisfies Message]),
    ...turns.flatMap((turn) => (turn.role === 'assistant' ? assistantMessages(turn) : userMessages(turn))),
  ];
  return {
    model: upstreamModel(candidate, request.model),
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...toolFields(request),
    ...limitFields(request, candidate),
  };
}

function toolFields(request: ChatRequest): Partial<Body> {
  if (request.tools.length === 0) return {};
  return {
    tools: request.tools.map((tool) => ({
      type: 'function',
      function: {
        name: tool.name,
        ...(tool.description === undefined ? {} : { description: tool.description }),
        parameters: { ...tool.parameters },
      },
    })),
    tool_choice: toolChoice(request.toolChoice),
    ...(request.parallelToolCalls === undefined ? {} : { parallel_tool_calls: request.parallelToolCalls }),
  };
}

function toolChoice(choice: ToolChoice): OpenAI.ChatCompletionToolChoiceOption {
  return choice.type === 'tool' ? { type: 'function', function: { name: choice.name } } : choice.type;
}

function limitFields(request: ChatRequest, candidate: Pick<Candidate, 'kind'>): Partial<Body> {
  const { maxOutputTokens, temperature, topP } = request;
  const stop = (request.stop ?? []).filter((s) => s !== '').slice(0, STOP_LIMIT);
  // OpenAI's own models want the new name; most compatible servers know only the old one.
  const limitName = candidate.kind === 'openai' ? 'max_completion_tokens' : 'max_tokens';
  return {
    ...(maxOutputTokens === undefined ? {} : { [limitName]: maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(stop.length === 0 ? {} : { stop }),
  };
}

function assistantMessages(turn: PortableAssistantTurn): Message[] {
  const text = joinText(turn.content.filter((p) => p.type === 'text'));
  const calls = turn.content.filter((p) => p.type === 'tool-call');
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(calls.length === 0 ? {} : { tool_calls: calls.map(toolCall) }),
    },
  ];
}

function toolCall(call: PortableCall): OpenAI.ChatCompletionMessageFunctionToolCall {
  return { id: call.wireId, type: 'function', function: { name: call.name, arguments: argumentsText(call.argsText) } };
}

/** The model's own text where it is a JSON object: re-writing it would change what the prompt cache knows. */
function argumentsText(argsText: string): string {
  const parsed = argsObject(argsText);
  const isOwnText = argsText.trim() !== '' && !('malformed_arguments' in parsed);
  return isOwnText ? argsText : JSON.stringify(parsed);
}

function userMessages(turn: PortableUserTurn): Message[] {
  const images = turn.results.flatMap(imagesOfResult);
  const content = [...images, ...turn.content];
  return [
    ...turn.results.map(toolMessage),
    ...(content.length === 0 ? [] : [{ role: 'user', content: userContent(content) } satisfies Message]),
  ];
}

/** A tool message holds text only; its images follow in the next user message. */
function toolMessage(result: PortableResult): Message {
  const text = joinText(result.content.filter((p) => p.type === 'text'));
  const hasImage = result.content.some((p) => p.type === 'image');
  const shown = text === '' ? (hasImage ? '(see the image below)' : NO_OUTPUT) : text;
  return { role: 'tool', tool_call_id: result.wireId, content: result.isError ? `[tool error] ${shown}` : shown };
}

function imagesOfResult(result: PortableResult): (TextPart | ImagePart)[] {
  const images = result.content.filter((p) => p.type === 'image');
  return images.length === 0 ? [] : [{ type: 'text', text: `[image of tool result ${result.wireId}]` }, ...images];
}

function userContent(content: readonly (TextPart | ImagePart)[]): string | OpenAI.ChatCompletionContentPart[] {
  // Plain strings are understood by every compatible server, lists only by some.
  const texts = content.filter((p) => p.type === 'text');
  if (texts.length === content.length) return joinText(texts);
  return content.map((part) =>
    part.type === 'text'
      ? { type: 'text', text: part.text }
      : { type: 'image_url', image_url: { url: imageUrl(part) } },
  );
}

function imageUrl(part: ImagePart): string {
  const { source } = part;
  return source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

function joinText(parts: readonly TextPart[]): string {
  return parts
    .map((p) => p.text)
    .filter((t) => t.trim() !== '')
    .join('\n\n');
}

// From a Chat Completions body to the neutral request. The body itself travels along unchanged as `raw`.
// System and developer messages keep their authority and order but not their place between other messages.
import type {
  AssistantMessage,
  ChatMessage,
  ChatRequest,
  ImagePart,
  RawRequest,
  TextPart,
  ToolChoice,
  ToolResultPart,
  ToolSpec,
} from '../../core/chat.ts';
import type { OpenaiChatBody, OpenaiChatMessage } from './openaiChatSchema.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The neutral request for a body that passed the schema. */
export function toChatRequest(body: OpenaiChatBody, raw: RawRequest): ChatRequest {
  const request: Mutable<ChatRequest> = {
    model: body.model,
    system: body.messages.flatMap((message) =>
      message.role === 'system' || message.role === 'developer' ? textsOf(message.content) : [],
    ),
    messages: toMessages(body.messages),
    tools: (body.tools ?? []).map(toTool),
    toolChoice: toToolChoice(body.tool_choice),
    raw,
  };
  const maxOutputTokens = body.max_completion_tokens ?? body.max_tokens;
  if (typeof maxOutputTokens === 'number') request.maxOutputTokens = maxOutputTokens;
  if (typeof body.temperature === 'number') request.temperature = body.temperature;
  if (typeof body.top_p === 'number') request.topP = body.top_p;
  if (typeof body.stop === 'string') request.stop = [body.stop];
  else if (body.stop) request.stop = body.stop;
  if (typeof body.parallel_tool_calls === 'boolean') request.parallelToolCalls = body.parallel_tool_calls;
  return request;
}

function toMessages(messages: readonly OpenaiChatMessage[]): readonly ChatMessage[] {
  const result: ChatMessage[] = [];
  for (const message of messages) {
    switch (message.role) {
      case 'system':
      case 'developer':
        break;
      case 'user':
        result.push({ role: 'user', content: userParts(message.content) });
        break;
      case 'assistant':
        result.push(toAssistant(message));
        break;
      case 'tool': {
        const part: ToolResultPart = {
          type: 'tool-result',
          callId: message.tool_call_id,
          content: textsOf(message.content),
          isError: false,
        };
        const last = result.at(-1);
        // Results of parallel calls are one turn in the neutral model.
        if (last?.role === 'tool') result[result.length - 1] = { role: 'tool', content: [...last.content, part] };
        else result.push({ role: 'tool', content: [part] });
        break;
      }
      default:
        message satisfies never;
    }
  }
  return result;
}

function textsOf(content: string | readonly { readonly text: string }[]): TextPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map(({ text }) => ({ type: 'text', text }));
}

function userParts(content: Extract<OpenaiChatMessage, { role: 'user' }>['content']): (TextPart | ImagePart)[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part): TextPart | ImagePart =>
    part.type === 'text'
      ? { type: 'text', text: part.text }
      : { type: 'image', source: imageSource(part.image_url.url) },
  );
}

/** A `data:` address becomes its bytes; anything else stays an address. */
function imageSource(url: string): ImagePart['source'] {
  const match = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  if (match?.[1] === undefined || match[2] === undefined) return { kind: 'url', url };
  return { kind: 'base64', mediaType: match[1], data: match[2] };
}

function toAssistant(message: Extract<OpenaiChatMessage, { role: 'assistant' }>): AssistantMessage {
  const { content } = message;
  const texts: TextPart[] =
    typeof content === 'string'
      ? [{ type: 'text', text: content }]
      : (content ?? []).map((part) => ({ type: 'text', text: part.type === 'text' ? part.text : part.refusal }));
  if (typeof message.refusal === 'string') texts.push({ type: 'text', text: message.refusal });
  const calls = (message.tool_calls ?? []).map(
    (call) =>
      ({ type: 'tool-call', id: call.id, name: call.function.name, argsText: call.function.arguments }) as const,
  );
  return { role: 'assistant', content: [...texts.filter((part) => part.text !== ''), ...calls] };
}

function toTool(tool: NonNullable<OpenaiChatBody['tools']>[number]): ToolSpec {
  const { name, description, parameters } = tool.function;
  const spec = { name, parameters: parameters ?? { type: 'object', properties: {} } };
  return typeof description === 'string' ? { ...spec, description } : spec;
}

function toToolChoice(choice: OpenaiChatBody['tool_choice']): ToolChoice {
  if (choice === undefined || choice === null) return { type: 'auto' };
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', name: choice.function.name };
}

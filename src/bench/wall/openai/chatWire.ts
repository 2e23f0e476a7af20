// POST /v1/chat/completions in the wall: checks a body as strictly as the vendor and turns it into a neutral request.
import type { ChatMessage, ImagePart, TextPart, ToolChoice } from '../../../core/chat.ts';
import { complaintOf } from '../complaint.ts';
import type { WallModel } from '../places.ts';
import type { Checked, WallRequest, WallWire } from '../wire.ts';
import { chatFrames, chatWhole } from './chatFrames.ts';
import { brokenRule } from './chatOrder.ts';
import { chatBody, type ChatBody } from './chatSchema.ts';
import { fromComplaint, invalid, modelNotFound } from './errors.ts';

type WireMessage = ChatBody['messages'][number];

export const openaiChatWire: WallWire = {
  wire: 'openai-chat',
  path: '/v1/chat/completions',
  callIdPrefix: 'call_',
  answerIdPrefix: 'chatcmpl-',
  parse: parseChat,
  frames: chatFrames,
  whole: chatWhole,
  tooLong: (promptTokens, answerTokens, windowTokens) => {
    const message =
      answerTokens === 0
        ? `This model's maximum context length is ${windowTokens} tokens. However, your messages resulted in ${promptTokens} tokens. Please reduce the length of the messages.`
        : `This model's maximum context length is ${windowTokens} tokens. However, you requested ${promptTokens + answerTokens} tokens (${promptTokens} in the messages, ${answerTokens} in the completion). Please reduce the length of the messages or completion.`;
    return invalid(message, 'messages', 'context_length_exceeded');
  },
};

function parseChat(raw: unknown, models: readonly WallModel[]): Checked<WallRequest> {
  const parsed = chatBody.safeParse(raw, { reportInput: true });
  if (!parsed.success) return { ok: false, error: fromComplaint(complaintOf(parsed.error)) };
  const body = parsed.data;
  const model = models.find((each) => each.name === body.model);
  if (!model) return { ok: false, error: modelNotFound(body.model) };
  const maxOutputTokens = body.max_completion_tokens ?? body.max_tokens ?? null;
  const broken = brokenRule(body) ?? tooMuchAsked(maxOutputTokens, model, body);
  if (broken) return { ok: false, error: broken };
  return {
    ok: true,
    value: {
      model,
      system: body.messages.flatMap((message) => (isSystem(message) ? [textOf(message.content)] : [])),
      messages: neutral(body.messages),
      tools: (body.tools ?? []).map(({ function: tool }) => ({
        name: tool.name,
        ...(tool.description === undefined ? {} : { description: tool.description }),
        parameters: tool.parameters ?? {},
      })),
      toolChoice: choiceOf(body.tool_choice),
      parallelToolCalls: body.parallel_tool_calls ?? true,
      maxOutputTokens,
      stopSequences: typeof body.stop === 'string' ? [body.stop] : (body.stop ?? []),
      isStreaming: body.stream ?? false,
      includeUsage: body.stream_options?.include_usage ?? false,
    },
  };
}

function tooMuchAsked(
  maxOutputTokens: number | null,
  model: WallModel,
  body: ChatBody,
): ReturnType<typeof invalid> | null {
  if (maxOutputTokens === null || maxOutputTokens <= model.maxOutputTokens) return null;
  const param = body.max_completion_tokens == null ? 'max_tokens' : 'max_completion_tokens';
  const message = `${param} is too large: ${maxOutputTokens}. This model supports at most ${model.maxOutputTokens} completion tokens, whereas you provided ${maxOutputTokens}.`;
  return invalid(message, param, 'invalid_value');
}

function choiceOf(choice: ChatBody['tool_choice']): ToolChoice {
  return typeof choice === 'object' ? { type: 'tool', name: choice.function.name } : { type: choice ?? 'auto' };
}

type SystemMessage = Extract<WireMessage, { role: 'system' | 'developer' }>;

function isSystem(message: WireMessage): message is SystemMessage {
  return message.role === 'system' || message.role === 'developer';
}

/** Neighbouring tool messages become one; system messages are left out. */
function neutral(messages: readonly WireMessage[]): readonly ChatMessage[] {
  const result: ChatMessage[] = [];
  for (const message of messages) {
    if (isSystem(message)) continue;
    if (message.role === 'user') {
      result.push({ role: 'user', content: userParts(message.content) });
    } else if (message.role === 'assistant') {
      const text = message.content == null ? '' : textOf(message.content);
      const calls = message.tool_calls ?? [];
      result.push({
        role: 'assistant',
        content: [
          ...(text === '' ? [] : [{ type: 'text' as const, text }]),
          ...calls.map((call) => ({
            type: 'tool-call' as const,
            id: call.id,
            name: call.function.name,
            argsText: call.function.arguments,
          })),
        ],
      });
    } else {
      const part = {
        type: 'tool-result' as const,
        callId: message.tool_call_id,
        content: [{ type: 'text' as const, text: textOf(message.content) }],
        isError: false,
      };
      const last = result.at(-1);
      if (last?.role === 'tool') result[result.length - 1] = { role: 'tool', content: [...last.content, part] };
      else result.push({ role: 'tool', content: [part] });
    }
  }
  return result;
}

function userParts(content: Extract<WireMessage, { role: 'user' }>['content']): readonly (TextPart | ImagePart)[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part) =>
    part.type === 'text'
      ? { type: 'text', text: part.text }
      : { type: 'image', source: { kind: 'url', url: part.image_url.url } },
  );
}

function textOf(content: string | readonly ({ readonly text: string } | { readonly refusal: string })[]): string {
  if (typeof content === 'string') return content;
  return content.map((part) => ('text' in part ? part.text : part.refusal)).join('');
}

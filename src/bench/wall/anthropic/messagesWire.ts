// POST /v1/messages in the wall: checks a body as strictly as the vendor and turns it into a neutral request.
import type { ChatMessage, ImagePart, TextPart, ToolCallPart, ToolChoice } from '../../../core/chat.ts';
import { complaintOf } from '../complaint.ts';
import type { WallModel } from '../places.ts';
import type { Checked, WallRequest, WallWire } from '../wire.ts';
import { fromComplaint, invalid, modelNotFound } from './errors.ts';
import { messagesFrames, messagesWhole } from './messagesFrames.ts';
import { brokenRule, joinedTurns } from './messagesOrder.ts';
import { countBody, messagesBody, type CountBody, type WireBlock } from './messagesSchema.ts';

/** The part of a request that is read as a prompt. */
type WallPrompt = Pick<WallRequest, 'model' | 'system' | 'messages' | 'tools' | 'toolChoice' | 'parallelToolCalls'>;

export const anthropicMessagesWire: WallWire = {
  wire: 'anthropic-messages',
  path: '/v1/messages',
  callIdPrefix: 'toolu_',
  answerIdPrefix: 'msg_',
  parse: parseMessages,
  frames: messagesFrames,
  whole: messagesWhole,
  tooLong: (promptTokens, answerTokens, windowTokens) =>
    invalid(
      promptTokens > windowTokens
        ? `prompt is too long: ${promptTokens} tokens > ${windowTokens} maximum`
        : `input length and \`max_tokens\` exceed context limit: ${promptTokens} + ${answerTokens} > ${windowTokens}, decrease input length or \`max_tokens\` and try again`,
    ),
};

/** Checks the body of a token count. */
export function parseCount(raw: unknown, models: readonly WallModel[]): Checked<WallPrompt> {
  const parsed = countBody.safeParse(raw, { reportInput: true });
  return parsed.success
    ? promptOf(parsed.data, models)
    : { ok: false, error: fromComplaint(complaintOf(parsed.error)) };
}

function parseMessages(raw: unknown, models: readonly WallModel[]): Checked<WallRequest> {
  const parsed = messagesBody.safeParse(raw, { reportInput: true });
  if (!parsed.success) return { ok: false, error: fromComplaint(complaintOf(parsed.error)) };
  const body = parsed.data;
  const prompt = promptOf(body, models);
  if (!prompt.ok) return prompt;
  const { model } = prompt.value;
  if (body.max_tokens > model.maxOutputTokens) {
    const message = `max_tokens: ${body.max_tokens} > ${model.maxOutputTokens}, which is the maximum allowed number of output tokens for ${model.name}`;
    return { ok: false, error: invalid(message) };
  }
  return {
    ok: true,
    value: {
      ...prompt.value,
      maxOutputTokens: body.max_tokens,
      stopSequences: body.stop_sequences ?? [],
      isStreaming: body.stream ?? false,
      includeUsage: true,
    },
  };
}

function promptOf(body: CountBody, models: readonly WallModel[]): Checked<WallPrompt> {
  const model = models.find((each) => each.name === body.model);
  if (!model) return { ok: false, error: modelNotFound(body.model) };
  const broken = brokenRule(body, model);
  if (broken) return { ok: false, error: broken };
  const choice = body.tool_choice;
  return {
    ok: true,
    value: {
      model,
      system: systemOf(body.system),
      messages: joinedTurns(body.messages).flatMap(({ role, blocks }) =>
        role === 'user' ? userMessages(blocks) : [assistantMessage(blocks)],
      ),
      tools: (body.tools ?? []).map((tool) => ({
        name: tool.name,
        ...(tool.description === undefined ? {} : { description: tool.description }),
        parameters: tool.input_schema,
      })),
      toolChoice: choiceOf(choice),
      parallelToolCalls: !(
        choice &&
        'disable_parallel_tool_use' in choice &&
        choice.disable_parallel_tool_use === true
      ),
    },
  };
}

function systemOf(system: CountBody['system']): readonly string[] {
  if (system === undefined) return [];
  return typeof system === 'string' ? [system] : system.map((block) => block.text);
}

function choiceOf(choice: CountBody['tool_choice']): ToolChoice {
  if (!choice || choice.type === 'auto') return { type: 'auto' };
  if (choice.type === 'tool') return { type: 'tool', name: choice.name };
  return { type: choice.type === 'any' ? 'required' : 'none' };
}

function assistantMessage(blocks: readonly WireBlock[]): ChatMessage {
  return {
    role: 'assistant',
    content: blocks.flatMap((block): readonly (TextPart | ToolCallPart)[] => {
      if (block.type === 'text') return [{ type: 'text', text: block.text }];
      if (block.type !== 'tool_use') return [];
      return [{ type: 'tool-call', id: block.id, name: block.name, argsText: JSON.stringify(block.input) }];
    }),
  };
}

/** Tool results become a message of their own before what the person says. */
function userMessages(blocks: readonly WireBlock[]): readonly ChatMessage[] {
  const results = blocks.flatMap((block) =>
    block.type === 'tool_result'
      ? [
          {
            type: 'tool-result' as const,
            callId: block.tool_use_id,
            content:
              typeof block.content === 'string'
                ? [{ type: 'text' as const, text: block.content }]
                : shownParts(block.content ?? []),
            isError: block.is_error ?? false,
          },
        ]
      : [],
  );
  const said = shownParts(blocks);
  return [
    ...(results.length > 0 ? [{ role: 'tool' as const, content: results }] : []),
    ...(said.length > 0 ? [{ role: 'user' as const, content: said }] : []),
  ];
}

function shownParts(blocks: readonly WireBlock[]): readonly (TextPart | ImagePart)[] {
  return blocks.flatMap((block): readonly (TextPart | ImagePart)[] => {
    if (block.type === 'text') return [{ type: 'text', text: block.text }];
    if (block.type !== 'image') return [];
    const { source } = block;
    return [
      {
        type: 'image',
        source:
          source.type === 'url'
            ? { kind: 'url', url: source.url }
            : { kind: 'base64', mediaType: source.media_type, data: source.data },
      },
    ];
  });
}

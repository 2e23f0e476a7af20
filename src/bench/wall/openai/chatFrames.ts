// Answers of the OpenAI-like vendor on the Chat Completions wire: `chat.completion.chunk` events ended by `[DONE]`, or one
// `chat.completion`. Usage comes only where it was asked for, in a last chunk without choices.
import { assemble, type Answer, type AnswerEnd, type AnswerPiece } from '../answer.ts';
import type { AnswerMeta, Frame } from '../wire.ts';

const FINISH: Readonly<Record<AnswerEnd, string>> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  'tool-calls': 'tool_calls',
  truncated: 'length',
  refusal: 'content_filter',
};

const FINGERPRINT = 'fp_wall0001';

/** The answer as events. */
export function chatFrames(answer: Answer, meta: AnswerMeta): readonly Frame[] {
  const usageField = meta.includeUsage ? { usage: null } : {};
  const chunk = (delta: unknown, finish: string | null, tokens: number): Frame =>
    event(
      {
        ...head('chat.completion.chunk', meta),
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
        ...usageField,
      },
      tokens,
    );
  return [
    chunk({ role: 'assistant', content: startsWithCall(answer) ? null : '', refusal: null }, null, 0),
    ...answer.pieces.map((piece) => chunk(deltaOf(piece), null, piece.tokens)),
    chunk({}, FINISH[answer.end], 0),
    ...(meta.includeUsage
      ? [event({ ...head('chat.completion.chunk', meta), choices: [], usage: usageOf(answer, meta) }, 0)]
      : []),
    { text: 'data: [DONE]\n\n', tokens: 0 },
  ];
}

/** The answer as one `chat.completion`. */
export function chatWhole(answer: Answer, meta: AnswerMeta): unknown {
  const { text, refusal, calls } = assemble(answer.pieces);
  const toolCalls = calls.map(({ id, name, argsText }) => ({
    id,
    type: 'function',
    function: { name, arguments: argsText },
  }));
  return {
    ...head('chat.completion', meta),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text === '' ? null : text,
          refusal: refusal === '' ? null : refusal,
          annotations: [],
          ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
        },
        logprobs: null,
        finish_reason: FINISH[answer.end],
      },
    ],
    usage: usageOf(answer, meta),
  };
}

function head(object: string, meta: AnswerMeta): Readonly<Record<string, unknown>> {
  return {
    id: meta.answerId,
    object,
    created: meta.createdSeconds,
    model: meta.model,
    service_tier: 'default',
    system_fingerprint: FINGERPRINT,
  };
}

function deltaOf(piece: AnswerPiece): unknown {
  switch (piece.type) {
    case 'text':
      return { content: piece.text };
    case 'refusal':
      return { refusal: piece.text };
    case 'call-start':
      return {
        tool_calls: [
          { index: piece.index, id: piece.id, type: 'function', function: { name: piece.name, arguments: '' } },
        ],
      };
    case 'call-args':
      return { tool_calls: [{ index: piece.index, function: { arguments: piece.text } }] };
  }
}

function startsWithCall(answer: Answer): boolean {
  return answer.pieces[0]?.type === 'call-start';
}

function usageOf(answer: Answer, meta: AnswerMeta): unknown {
  return {
    prompt_tokens: meta.inputTokens,
    completion_tokens: answer.outputTokens,
    total_tokens: meta.inputTokens + answer.outputTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function event(value: unknown, tokens: number): Frame {
  return { text: `data: ${JSON.stringify(value)}\n\n`, tokens };
}

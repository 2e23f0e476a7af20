// Answers of the Anthropic-like vendor on the Messages wire: message_start, blocks, message_delta, message_stop, or one message.
// A refusal is its stop reason, with the reason in `stop_details` and what was already written as text.
import { assemble, type Answer, type AnswerEnd, type AnswerPiece } from '../answer.ts';
import type { AnswerMeta, Frame } from '../wire.ts';

const STOP: Readonly<Record<AnswerEnd, string>> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  'tool-calls': 'tool_use',
  truncated: 'max_tokens',
  refusal: 'refusal',
};

/** The answer as events. */
export function messagesFrames(answer: Answer, meta: AnswerMeta): readonly Frame[] {
  const start = {
    ...head(meta),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: usageOf(meta, 1),
  };
  return [
    event({ type: 'message_start', message: start }, 0),
    event({ type: 'ping' }, 0),
    ...blockFrames(answer.pieces),
    event({ type: 'message_delta', delta: ending(answer), usage: { output_tokens: answer.outputTokens } }, 0),
    event({ type: 'message_stop' }, 0),
  ];
}

/** The answer as one message. */
export function messagesWhole(answer: Answer, meta: AnswerMeta): unknown {
  const { text, refusal, calls } = assemble(answer.pieces);
  const words = text + refusal;
  return {
    ...head(meta),
    content: [
      ...(words === '' ? [] : [{ type: 'text', text: words }]),
      ...calls.map(({ id, name, argsText }) => ({ type: 'tool_use', id, name, input: parsedInput(argsText) })),
    ],
    ...ending(answer),
    usage: usageOf(meta, answer.outputTokens),
  };
}

function head(meta: AnswerMeta): Readonly<Record<string, unknown>> {
  return { id: meta.answerId, type: 'message', role: 'assistant', model: meta.model };
}

function ending(answer: Answer): Readonly<Record<string, unknown>> {
  return {
    stop_reason: STOP[answer.end],
    stop_sequence: answer.stopSequence,
    stop_details: answer.end === 'refusal' ? { type: 'refusal', category: null, explanation: answer.refusal } : null,
  };
}

/** Text first, then one block for each call; a block ends where the next begins. */
function blockFrames(pieces: readonly AnswerPiece[]): readonly Frame[] {
  const frames: Frame[] = [];
  let block = -1;
  let isText = false;
  const close = (): void => {
    if (block >= 0) frames.push(event({ type: 'content_block_stop', index: block }, 0));
  };
  for (const piece of pieces) {
    if (piece.type === 'call-start') {
      close();
      block += 1;
      isText = false;
      const content_block = { type: 'tool_use', id: piece.id, name: piece.name, input: {} };
      frames.push(event({ type: 'content_block_start', index: block, content_block }, piece.tokens));
      frames.push(
        event({ type: 'content_block_delta', index: block, delta: { type: 'input_json_delta', partial_json: '' } }, 0),
      );
    } else if (piece.type === 'call-args') {
      const delta = { type: 'input_json_delta', partial_json: piece.text };
      frames.push(event({ type: 'content_block_delta', index: block, delta }, piece.tokens));
    } else {
      if (!isText) {
        close();
        block += 1;
        isText = true;
        frames.push(event({ type: 'content_block_start', index: block, content_block: { type: 'text', text: '' } }, 0));
      }
      frames.push(
        event(
          { type: 'content_block_delta', index: block, delta: { type: 'text_delta', text: piece.text } },
          piece.tokens,
        ),
      );
    }
  }
  close();
  return frames;
}

/** Arguments cut off by the token limit cannot be sent whole: the vendor then sends an empty input. */
function parsedInput(argsText: string): unknown {
  try {
    return JSON.parse(argsText);
  } catch {
    return {};
  }
}

function usageOf(meta: AnswerMeta, outputTokens: number): unknown {
  return {
    input_tokens: meta.inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: outputTokens,
    service_tier: 'standard',
  };
}

function event(value: { readonly type: string } & Readonly<Record<string, unknown>>, tokens: number): Frame {
  return { text: `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`, tokens };
}

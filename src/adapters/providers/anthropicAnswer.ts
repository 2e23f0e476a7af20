// Anthropic Messages events -> parts. The finish is given out at `message_stop`, the wire's terminal marker; a tool call
// at the end of its block if its arguments are whole JSON, else when the stop reason tells what became of it.
import type { FinishReason, StreamPart, Usage } from '../../core/chat.ts';
import { REDACTED_PREFIX } from './anthropicRequest.ts';
import type { AnswerReader, Reading } from './answerReader.ts';
import { NOTHING } from './answerReader.ts';
import type { JsonRecord } from './json.ts';
import { isRecord, listOf, numberOf, parseJson, recordOf, textOf } from './json.ts';
import { TROUBLE_CODES, trouble, TroubleError } from './trouble.ts';

const REASONS: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'truncated',
  model_context_window_exceeded: 'truncated',
  tool_use: 'tool-calls',
  refusal: 'refusal',
};

type Block =
  | { readonly kind: 'text' | 'opaque' }
  | { readonly kind: 'thinking'; signature: string | undefined }
  | { readonly kind: 'tool'; readonly id: string; readonly name: string; args: string };

interface State {
  readonly issuer: string;
  readonly blocks: Map<number, Block>;
  /** Calls whose arguments are no whole JSON: cut by the token limit, or badly written. */
  readonly doubtful: StreamPart[];
  readonly usage: { input: number; written: number; cached: number | undefined; output: number };
  stopReason: string | undefined;
}

/** A reader for one answer. `issuer`: whose reasoning it is. */
export function anthropicAnswerReader(issuer: string): AnswerReader {
  const state: State = {
    issuer,
    blocks: new Map(),
    doubtful: [],
    usage: { input: 0, written: 0, cached: undefined, output: 0 },
    stopReason: undefined,
  };
  return {
    read: (chunk, event) => reading(() => readEvent(state, chunk, event)),
    readWhole: (answer) => reading(() => readWhole(state, answer)),
    isEndMark: () => false,
    isLast: (chunk) => isRecord(chunk) && chunk.type === 'message_stop',
  };
}

function reading(read: () => StreamPart[]): Reading {
  try {
    const parts = read();
    return parts.length === 0 ? NOTHING : { parts };
  } catch (error) {
    if (error instanceof TroubleError) return { trouble: error.trouble };
    throw error;
  }
}

const EVENTS: Readonly<Record<string, (state: State, event: JsonRecord) => StreamPart[]>> = {
  message_start: (state, event) => startMessage(state, recordOf(event.message) ?? {}),
  content_block_start: (state, event) => startBlock(state, indexOf(event), recordOf(event.content_block) ?? {}),
  content_block_delta: (state, event) => readDelta(state, indexOf(event), recordOf(event.delta) ?? {}),
  content_block_stop: (state, event) => stopBlock(state, indexOf(event)),
  message_delta: (state, event) => {
    state.stopReason = textOf(recordOf(event.delta)?.stop_reason) ?? state.stopReason;
    return usageParts(state, recordOf(event.usage));
  },
  message_stop: (state) => stopMessage(state),
};

function readEvent(state: State, event: unknown, name: string | null): StreamPart[] {
  if (!isRecord(event))
    throw new TroubleError(trouble(TROUBLE_CODES.malformedStream, 'An event of the stream is no JSON object.'));
  if (name === 'error' || event.type === 'error' || isRecord(event.error)) throw inBand(event, state);
  const type = textOf(event.type) ?? '';
  // Pings, and kinds of events that are newer than this reader.
  return Object.hasOwn(EVENTS, type) ? (EVENTS[type]?.(state, event) ?? []) : [];
}

function inBand(body: JsonRecord, state: State): TroubleError {
  return new TroubleError(
    trouble(TROUBLE_CODES.inBandError, 'The provider reported an error inside its answer.', {
      body,
      finishReason: state.stopReason ?? null,
    }),
  );
}

function broken(message: string): TroubleError {
  return new TroubleError(trouble(TROUBLE_CODES.malformedStream, message));
}

function indexOf(event: JsonRecord): number {
  return numberOf(event.index) ?? 0;
}

function startMessage(state: State, message: JsonRecord): StreamPart[] {
  const responseId = textOf(message.id);
  const servedModel = textOf(message.model);
  return [
    {
      type: 'response-start',
      ...(responseId === undefined ? {} : { responseId }),
      ...(servedModel === undefined ? {} : { servedModel }),
    },
    ...usageParts(state, recordOf(message.usage)),
  ];
}

function startBlock(state: State, index: number, block: JsonRecord): StreamPart[] {
  if (state.blocks.has(index)) throw broken('A content block began while another of its number was open.');
  switch (block.type) {
    case 'text': {
      state.blocks.set(index, { kind: 'text' });
      const text = textOf(block.text);
      return text === undefined ? [] : [{ type: 'text-delta', text }];
    }
    case 'thinking': {
      state.blocks.set(index, { kind: 'thinking', signature: textOf(block.signature) });
      const text = textOf(block.thinking);
      return text === undefined ? [] : [{ type: 'thinking-delta', text }];
    }
    case 'redacted_thinking': {
      const data = textOf(block.data);
      state.blocks.set(index, { kind: 'thinking', signature: data === undefined ? undefined : REDACTED_PREFIX + data });
      return [];
    }
    case 'tool_use': {
      const input = recordOf(block.input);
      // Some proxies send the arguments whole, at the start.
      const args = input && Object.keys(input).length > 0 ? JSON.stringify(input) : '';
      state.blocks.set(index, { kind: 'tool', id: textOf(block.id) ?? '', name: textOf(block.name) ?? '', args });
      return [{ type: 'tool-call-progress', chars: args.length }];
    }
    default:
      // Tools that the provider runs itself, and kinds of blocks that are newer than this reader.
      state.blocks.set(index, { kind: 'opaque' });
      return [{ type: 'tool-call-progress', chars: 0 }];
  }
}

function readDelta(state: State, index: number, delta: JsonRecord): StreamPart[] {
  const block = state.blocks.get(index);
  const text = textOf(delta.text) ?? textOf(delta.thinking) ?? textOf(delta.partial_json) ?? '';
  switch (delta.type) {
    case 'text_delta':
      return text === '' ? [] : [{ type: 'text-delta', text }];
    case 'thinking_delta':
      return text === '' ? [] : [{ type: 'thinking-delta', text }];
    case 'signature_delta':
      if (block?.kind === 'thinking') block.signature = (block.signature ?? '') + (textOf(delta.signature) ?? '');
      return [];
    case 'input_json_delta':
      if (!block || block.kind === 'text' || block.kind === 'thinking') {
        throw broken('Arguments came for a tool call that never began.');
      }
      if (block.kind === 'tool') block.args += text;
      return [{ type: 'tool-call-progress', chars: text.length }];
    default:
      return [];
  }
}

function stopBlock(state: State, index: number): StreamPart[] {
  const block = state.blocks.get(index);
  state.blocks.delete(index);
  if (block?.kind === 'thinking') {
    const { signature } = block;
    return [{ type: 'thinking-end', issuer: state.issuer, ...(signature === undefined ? {} : { signature }) }];
  }
  if (block?.kind !== 'tool') return [];
  const argsText = block.args.trim() === '' ? '{}' : block.args;
  const call: StreamPart = { type: 'tool-call', id: block.id, name: block.name, argsText };
  if (parseJson(argsText) !== undefined) return [call];
  state.doubtful.push(call);
  return [];
}

function stopMessage(state: State): StreamPart[] {
  if ([...state.blocks.values()].some((b) => b.kind === 'tool')) throw broken('The answer ended inside a tool call.');
  const rawReason = state.stopReason;
  const reason = rawReason === undefined ? 'other' : (REASONS[rawReason] ?? 'other');
  return [
    ...(reason === 'truncated' ? [] : state.doubtful),
    { type: 'finish', reason, ...(rawReason === undefined ? {} : { rawReason }) },
  ];
}

/** Figures of later events replace earlier ones; the last `usage` part of an answer is the whole. */
function usageParts(state: State, told: JsonRecord | undefined): StreamPart[] {
  if (!told) return [];
  const { usage } = state;
  usage.input = numberOf(told.input_tokens) ?? usage.input;
  usage.written = numberOf(told.cache_creation_input_tokens) ?? usage.written;
  usage.cached = numberOf(told.cache_read_input_tokens) ?? usage.cached;
  usage.output = numberOf(told.output_tokens) ?? usage.output;
  const total: Usage = {
    // This wire counts cached tokens beside `input_tokens`, the neutral model counts them in.
    inputTokens: usage.input + usage.written + (usage.cached ?? 0),
    outputTokens: usage.output,
    ...(usage.cached === undefined ? {} : { cachedInputTokens: usage.cached }),
  };
  return [{ type: 'usage', usage: total }];
}

/** A whole message is read as the events that would have told it. */
function readWhole(state: State, answer: unknown): StreamPart[] {
  if (!isRecord(answer) || answer.type === 'error' || !Array.isArray(answer.content)) {
    throw inBand(recordOf(answer) ?? {}, state);
  }
  const parts = startMessage(state, answer);
  for (const [index, block] of listOf(answer.content).entries()) {
    parts.push(...startBlock(state, index, recordOf(block) ?? {}), ...stopBlock(state, index));
  }
  state.stopReason = textOf(answer.stop_reason);
  // Without a stop reason it is not known to be whole: no finish, so the caller reports an early end.
  return state.stopReason === undefined ? parts : [...parts, ...stopMessage(state)];
}

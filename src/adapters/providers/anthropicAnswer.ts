// Anthropic Messages events -> parts. The finish is given out at `message_stop`, the wire's terminal marker; a tool call
// at the end of its block if its arguments are whole JSON, else when the stop reason tells what became of it. What is left
// out, changed or newer than this reader makes an event unfaithful; what breaks the wire's order is a trouble.
import type { FinishReason, StreamPart, Usage } from '../../core/chat.ts';
import { REDACTED_PREFIX } from './anthropicRequest.ts';
import { malformed, readingOf, type AnswerReader, type Fidelity } from './answerReader.ts';
import { callIds, type CallIds } from './callIds.ts';
import type { JsonRecord } from './json.ts';
import { countOf, entryOf, isAbsent, isRecord, labelOf, listOf, parseJson, recordOf, textOf } from './json.ts';
import { hasNameVariant } from './jsonText.ts';
import { TROUBLE_CODES, trouble, TroubleError } from './trouble.ts';

const REASONS: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'truncated',
  model_context_window_exceeded: 'truncated',
  tool_use: 'tool-calls',
  refusal: 'refusal',
};

const EVENT_NAMES = new Set(['type', 'index', 'message', 'content_block', 'delta', 'usage', 'error', 'content']);
const CONTENT_NAMES = new Set(['type', 'text', 'thinking', 'id', 'name', 'input', 'partial_json', 'stop_reason']);

type Block =
  | { readonly kind: 'text' | 'opaque' }
  | { readonly kind: 'thinking'; signature: string | undefined }
  | { readonly kind: 'tool'; readonly id: string; readonly name: string; args: string };

interface State extends Fidelity {
  readonly issuer: string;
  readonly blocks: Map<number, Block>;
  readonly ids: CallIds;
  /** Calls whose arguments are no whole JSON: cut by the token limit, or badly written. */
  readonly doubtful: StreamPart[];
  usage: { input: number; written: number; writtenLong: number; cached: number | undefined; output: number };
  hasStarted: boolean;
  stopReason: string | undefined;
}

/** A reader for one answer. `issuer`: whose reasoning it is. */
export function anthropicAnswerReader(issuer: string): AnswerReader {
  const state: State = {
    isFaithful: true,
    issuer,
    blocks: new Map(),
    ids: callIds(),
    doubtful: [],
    usage: { input: 0, written: 0, writtenLong: 0, cached: undefined, output: 0 },
    hasStarted: false,
    stopReason: undefined,
  };
  return {
    read: (chunk, event) => readingOf(state, () => readEvent(state, chunk, event)),
    readWhole: (answer) => readingOf(state, () => readWhole(state, answer)),
    isEndMark: () => false,
    isLast: (chunk) => isRecord(chunk) && chunk.type === 'message_stop',
  };
}

const EVENTS: Readonly<Record<string, (state: State, event: JsonRecord) => StreamPart[]>> = {
  ping: () => [],
  message_start: (state, event) => {
    const message = contentOf(state, event.message);
    // Clients begin with what stands here; the content must come in blocks of its own.
    if (!isAbsent(message.content) && !(Array.isArray(message.content) && message.content.length === 0))
      throw malformed('A message began with content in it.');
    return startMessage(state, message);
  },
  content_block_start: (state, event) => startBlock(state, indexOf(event), contentOf(state, event.content_block)),
  content_block_delta: (state, event) => readDelta(state, indexOf(event), contentOf(state, event.delta)),
  content_block_stop: (state, event) => stopBlock(state, indexOf(event)),
  message_delta: (state, event) => {
    state.stopReason = stopReasonOf(contentOf(state, event.delta)) ?? state.stopReason;
    return usageParts(state, event.usage);
  },
  message_stop: (state) => stopMessage(state),
};

function readEvent(state: State, event: unknown, name: string | null): StreamPart[] {
  if (!isRecord(event)) throw malformed('An event of the stream is no JSON object.');
  if (name === 'error' || event.type === 'error' || isRecord(event.error)) throw inBand(event, state);
  const read = entryOf(EVENTS, textOf(event.type) ?? '');
  // Kinds of events that are newer than this reader; and clients go by the event's name where it has one.
  doubt(state, !read || (name !== null && name !== event.type) || hasNameVariant(event, EVENT_NAMES));
  return read ? read(state, event) : [];
}

function doubt(state: State, isDoubtful: boolean): void {
  if (isDoubtful) state.isFaithful = false;
}

function contentOf(state: State, value: unknown): JsonRecord {
  if (!isAbsent(value) && !isRecord(value)) throw malformed('A part of an event is no JSON object.');
  const content = recordOf(value) ?? {};
  doubt(state, hasNameVariant(content, CONTENT_NAMES));
  return content;
}

function inBand(body: JsonRecord, state: State): TroubleError {
  return new TroubleError(
    trouble(TROUBLE_CODES.inBandError, 'The provider reported an error inside its answer.', {
      body,
      finishReason: state.stopReason ?? null,
    }),
  );
}

function indexOf(event: JsonRecord): number {
  if (isAbsent(event.index)) return 0;
  const index = countOf(event.index);
  if (index === undefined) throw malformed('The index of a content block is no whole number.');
  return index;
}

function stopReasonOf(content: JsonRecord): string | undefined {
  if (!isAbsent(content.stop_reason) && typeof content.stop_reason !== 'string')
    throw malformed('A stop reason is no text.');
  return labelOf(content.stop_reason);
}

function startMessage(state: State, message: JsonRecord): StreamPart[] {
  if (state.hasStarted) throw malformed('A message began inside another one.');
  state.hasStarted = true;
  const responseId = labelOf(message.id);
  const servedModel = labelOf(message.model);
  return [
    {
      type: 'response-start',
      ...(responseId === undefined ? {} : { responseId }),
      ...(servedModel === undefined ? {} : { servedModel }),
    },
    ...usageParts(state, message.usage),
  ];
}

/** A text of the wire, which may be absent or empty. */
function wireText(value: unknown): string {
  if (!isAbsent(value) && typeof value !== 'string') throw malformed('A text of the answer is no text.');
  return textOf(value) ?? '';
}

function textPart(text: string): StreamPart[] {
  return text === '' ? [] : [{ type: 'text-delta', text }];
}

function thinkingPart(text: string): StreamPart[] {
  return text === '' ? [] : [{ type: 'thinking-delta', text }];
}

function startBlock(state: State, index: number, block: JsonRecord): StreamPart[] {
  if (state.blocks.has(index)) throw malformed('A content block began while another of its number was open.');
  switch (block.type) {
    case 'text':
      state.blocks.set(index, { kind: 'text' });
      return textPart(wireText(block.text));
    case 'thinking':
      state.blocks.set(index, { kind: 'thinking', signature: textOf(block.signature) });
      return thinkingPart(wireText(block.thinking));
    case 'redacted_thinking': {
      const data = textOf(block.data);
      state.blocks.set(index, { kind: 'thinking', signature: data === undefined ? undefined : REDACTED_PREFIX + data });
      return [];
    }
    case 'tool_use': {
      if (!isAbsent(block.input) && !isRecord(block.input)) throw malformed('The input of a tool call is no object.');
      const input = recordOf(block.input) ?? {};
      // Some proxies send the arguments whole, at the start.
      const args = Object.keys(input).length > 0 ? JSON.stringify(input) : '';
      const told = wireText(block.id);
      const id = state.ids.idOf(told);
      doubt(state, id !== told);
      const name = wireText(block.name);
      state.blocks.set(index, { kind: 'tool', id, name, args });
      return [{ type: 'tool-call-progress', chars: name.length + args.length }];
    }
    default:
      // Tools that the provider runs itself, and kinds of blocks that are newer than this reader.
      doubt(state, true);
      state.blocks.set(index, { kind: 'opaque' });
      return [{ type: 'tool-call-progress', chars: 0 }];
  }
}

/** Which kind of block a delta belongs to. */
const DELTA_KINDS: Readonly<Record<string, Block['kind']>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'thinking',
  input_json_delta: 'tool',
};

function readDelta(state: State, index: number, delta: JsonRecord): StreamPart[] {
  const block = state.blocks.get(index);
  const type = textOf(delta.type) ?? '';
  // A delta in a block of another kind, or in none, means different things to different clients.
  doubt(state, entryOf(DELTA_KINDS, type) !== block?.kind);
  switch (type) {
    case 'text_delta':
      return textPart(wireText(delta.text));
    case 'thinking_delta':
      return thinkingPart(wireText(delta.thinking));
    case 'signature_delta':
      if (block?.kind === 'thinking') block.signature = (block.signature ?? '') + wireText(delta.signature);
      return [];
    case 'input_json_delta': {
      if (!block || block.kind === 'text' || block.kind === 'thinking') {
        throw malformed('Arguments came for a tool call that never began.');
      }
      const json = wireText(delta.partial_json);
      if (block.kind === 'tool') block.args += json;
      return [{ type: 'tool-call-progress', chars: json.length }];
    }
    default:
      doubt(state, true);
      return [];
  }
}

function stopBlock(state: State, index: number): StreamPart[] {
  const block = state.blocks.get(index);
  state.blocks.delete(index);
  doubt(state, !block);
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

/** Reasons for which a call whose arguments are no JSON was cut: it is no call then. */
const CUTTING = new Set<FinishReason>(['truncated', 'refusal']);

function stopMessage(state: State): StreamPart[] {
  if ([...state.blocks.values()].some((b) => b.kind === 'tool'))
    throw malformed('The answer ended inside a tool call.');
  const rawReason = state.stopReason;
  const reason = entryOf(REASONS, rawReason ?? '') ?? 'other';
  const isCut = CUTTING.has(reason);
  // The calls that were badly written go out now, after those that followed them.
  doubt(state, state.doubtful.length > 0);
  return [
    ...(isCut ? [] : state.doubtful.splice(0)),
    { type: 'finish', reason, ...(rawReason === undefined ? {} : { rawReason }) },
  ];
}

/** Figures of later events replace earlier ones; the last `usage` part of an answer is the whole. */
function usageParts(state: State, told: unknown): StreamPart[] {
  if (isAbsent(told)) return [];
  const { usage: before } = state;
  const figures = recordOf(told) ?? {};
  let isTrue = isRecord(told);
  const figure = <T>(name: string, known: T): number | T => {
    const value = figures[name];
    const count = countOf(value);
    isTrue &&= isAbsent(value) || count !== undefined;
    return count ?? known;
  };
  const usage = {
    input: figure('input_tokens', before.input),
    written: figure('cache_creation_input_tokens', before.written),
    // How much of it is kept for an hour, at a higher price, stands apart.
    writtenLong: countOf(recordOf(figures.cache_creation)?.ephemeral_1h_input_tokens) ?? before.writtenLong,
    cached: figure('cache_read_input_tokens', before.cached),
    output: figure('output_tokens', before.output),
  };
  // Figures that cannot be true are no usage, and the client does not get them either.
  doubt(state, !isTrue);
  if (!isTrue) return [];
  state.usage = usage;
  const total: Usage = {
    // This wire counts cached tokens beside `input_tokens`, the neutral model counts them in.
    inputTokens: usage.input + usage.written + (usage.cached ?? 0),
    outputTokens: usage.output,
    ...(usage.cached === undefined ? {} : { cachedInputTokens: usage.cached }),
    ...(usage.written === 0 ? {} : { cacheWriteInputTokens: usage.written }),
    ...(usage.writtenLong === 0 ? {} : { longCacheWriteInputTokens: Math.min(usage.written, usage.writtenLong) }),
  };
  return [{ type: 'usage', usage: total }];
}

/** A whole message is read as the events that would have told it. */
function readWhole(state: State, answer: unknown): StreamPart[] {
  if (!isRecord(answer) || answer.type === 'error' || isAbsent(answer.content)) {
    throw inBand(recordOf(answer) ?? {}, state);
  }
  if (!Array.isArray(answer.content)) throw malformed('The content of the answer is no list.');
  doubt(state, hasNameVariant(answer, EVENT_NAMES));
  const parts = startMessage(state, answer);
  for (const [index, block] of listOf(answer.content).entries()) {
    if (!isRecord(block)) throw malformed('A content block is no JSON object.');
    parts.push(...startBlock(state, index, contentOf(state, block)), ...stopBlock(state, index));
  }
  state.stopReason = stopReasonOf(answer);
  // Without a stop reason it is not known to be whole: no finish, so the caller reports an early end.
  return state.stopReason === undefined ? parts : [...parts, ...stopMessage(state)];
}

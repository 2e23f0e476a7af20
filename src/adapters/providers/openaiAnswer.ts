// OpenAI Chat chunks -> parts. Tool calls are given out when the finish reason is known, never in pieces.
// Tolerates what compatible servers do (no index, one index for all, repeated ids, reasoning under several names) and
// refuses what could show the caller another call than the one Belay judged.
import { randomUUID } from 'node:crypto';
import type { FinishReason, StreamPart, Usage } from '../../core/chat.ts';
import type { AnswerReader, Reading } from './answerReader.ts';
import { NOTHING } from './answerReader.ts';
import type { JsonRecord } from './json.ts';
import { isRecord, listOf, numberOf, parseJson, recordOf, textOf } from './json.ts';
import type { Trouble } from './trouble.ts';
import { TROUBLE_CODES, trouble, TroubleError } from './trouble.ts';

/** Finish reasons by OpenAI and by compatible servers; what is not here is `other`. */
const REASONS: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  stop_sequence: 'stop',
  end_turn: 'stop',
  length: 'truncated',
  max_tokens: 'truncated',
  model_length: 'truncated',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
  content_filtered: 'content-filter',
  safety: 'content-filter',
  sensitive: 'content-filter',
  recitation: 'content-filter',
  refusal: 'refusal',
};

/** Finish reasons that mean the server broke off. */
const BROKEN = new Set(['error', 'abort', 'insufficient_system_resource', 'network_error']);

interface PendingCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  args: string;
}

interface State {
  readonly issuer: string;
  hasStarted: boolean;
  isThinking: boolean;
  hasRefused: boolean;
  responseId: string | undefined;
  readonly calls: PendingCall[];
}

/** A reader for one answer. `issuer`: whose reasoning it is. */
export function openaiAnswerReader(issuer: string): AnswerReader {
  const state: State = {
    issuer,
    hasStarted: false,
    isThinking: false,
    hasRefused: false,
    responseId: undefined,
    calls: [],
  };
  return {
    read: (chunk, event) => reading(() => readChunk(state, chunk, event)),
    readWhole: (answer) =>
      reading(() => {
        if (isRecord(answer) && !Array.isArray(answer.choices)) throw new TroubleError(inBand(answer));
        return readChunk(state, answer, null);
      }),
    isEndMark: (data) => data.trim() === '[DONE]',
    isLast: () => false,
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

function readChunk(state: State, chunk: unknown, event: string | null): StreamPart[] {
  if (!isRecord(chunk))
    throw new TroubleError(trouble(TROUBLE_CODES.malformedStream, 'A chunk of the stream is no JSON object.'));
  if (hasError(chunk) || event === 'error') throw new TroubleError(inBand(chunk));
  const parts: StreamPart[] = [];
  const finishes: (() => void)[] = [];
  if (!state.hasStarted) start(state, chunk, parts);
  for (const choice of listOf(chunk.choices)) {
    if (isRecord(choice)) readChoice(state, choice, chunk, parts, finishes);
  }
  const usage = usageOf(recordOf(chunk.usage) ?? recordOf(recordOf(chunk.x_groq)?.usage));
  if (usage) parts.push({ type: 'usage', usage });
  for (const finish of finishes) finish();
  return parts;
}

/** An `error` field, or a business error in place of a chunk (code and message, no choices). */
function hasError(chunk: JsonRecord): boolean {
  if (chunk.error !== undefined && chunk.error !== null && chunk.error !== false) return true;
  if (Array.isArray(chunk.choices) || chunk.usage !== undefined) return false;
  return (
    textOf(chunk.message) !== undefined || textOf(chunk.detail) !== undefined || textOf(chunk.error_msg) !== undefined
  );
}

function inBand(chunk: JsonRecord): Trouble {
  const choice = recordOf(listOf(chunk.choices)[0]);
  return trouble(TROUBLE_CODES.inBandError, 'The provider reported an error inside its answer.', {
    body: chunk,
    finishReason: textOf(choice?.finish_reason) ?? null,
  });
}

function start(state: State, chunk: JsonRecord, parts: StreamPart[]): void {
  const responseId = textOf(chunk.id);
  const servedModel = textOf(chunk.model);
  const fingerprint = textOf(chunk.system_fingerprint);
  // Azure opens with a chunk that has neither id nor choices.
  if (responseId === undefined && listOf(chunk.choices).length === 0) return;
  state.hasStarted = true;
  state.responseId = responseId;
  parts.push({
    type: 'response-start',
    ...(responseId === undefined ? {} : { responseId }),
    ...(servedModel === undefined ? {} : { servedModel }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
  });
}

function readChoice(
  state: State,
  choice: JsonRecord,
  chunk: JsonRecord,
  parts: StreamPart[],
  finishes: (() => void)[],
): void {
  const delta = recordOf(choice.delta) ?? recordOf(choice.message);
  if ((numberOf(choice.index) ?? 0) !== 0) {
    // One answer was asked for. Text of a second one is harmless, a tool call in it would pass unjudged.
    if (listOf(delta?.tool_calls).length > 0 || isRecord(delta?.function_call)) {
      throw new TroubleError(
        trouble(TROUBLE_CODES.malformedStream, 'A tool call came in a second choice of the answer.'),
      );
    }
    return;
  }
  if (delta) readDelta(state, delta, parts);
  const rawReason = textOf(choice.finish_reason);
  if (rawReason === undefined) return;
  if (BROKEN.has(rawReason)) throw new TroubleError(inBand(chunk));
  finishes.push(() => {
    finish(state, rawReason, parts);
  });
}

function readDelta(state: State, delta: JsonRecord, parts: StreamPart[]): void {
  const thought = textOf(delta.reasoning_content) ?? textOf(delta.reasoning);
  if (thought !== undefined) think(state, thought, parts);
  if (typeof delta.content === 'string') say(state, delta.content, parts);
  else for (const item of listOf(delta.content)) readContentItem(state, item, parts);
  const refusal = textOf(delta.refusal);
  if (refusal !== undefined) {
    state.hasRefused = true;
    parts.push({ type: 'refusal-delta', text: refusal });
  }
  for (const fragment of listOf(delta.tool_calls)) {
    if (isRecord(fragment)) readFragment(state, fragment, parts);
  }
  // The form of 2023, still written by some servers.
  if (isRecord(delta.function_call)) readFragment(state, { index: 0, function: delta.function_call }, parts);
}

/** Mistral's reasoning models send content as a list. */
function readContentItem(state: State, item: unknown, parts: StreamPart[]): void {
  if (!isRecord(item)) return;
  if (item.type === 'text') say(state, textOf(item.text) ?? '', parts);
  if (item.type !== 'thinking') return;
  for (const inner of listOf(item.thinking)) {
    const text = textOf(recordOf(inner)?.text);
    if (text !== undefined) think(state, text, parts);
  }
}

function think(state: State, text: string, parts: StreamPart[]): void {
  state.isThinking = true;
  parts.push({ type: 'thinking-delta', text });
}

function say(state: State, text: string, parts: StreamPart[]): void {
  if (text === '') return;
  endThinking(state, parts);
  parts.push({ type: 'text-delta', text });
}

function endThinking(state: State, parts: StreamPart[]): void {
  if (!state.isThinking) return;
  state.isThinking = false;
  parts.push({ type: 'thinking-end', issuer: state.issuer });
}

function readFragment(state: State, fragment: JsonRecord, parts: StreamPart[]): void {
  endThinking(state, parts);
  const id = textOf(fragment.id) ?? '';
  const call = recordOf(fragment.function);
  const name = textOf(call?.name) ?? '';
  const written = call?.arguments;
  const args = typeof written === 'string' ? written : isRecord(written) ? JSON.stringify(written) : '';
  const pending = pendingCall(state, numberOf(fragment.index), id);
  if (pending.id === '') pending.id = id;
  if (pending.name === '') pending.name = name;
  if (name !== '' && pending.name !== name) {
    throw new TroubleError(
      trouble(TROUBLE_CODES.malformedStream, 'A tool call changed its name while it was being written.'),
    );
  }
  pending.args += args;
  parts.push({ type: 'tool-call-progress', chars: args.length });
}

function pendingCall(state: State, index: number | undefined, id: string): PendingCall {
  const known = index === undefined ? state.calls.at(-1) : state.calls.findLast((c) => c.index === index);
  // A new id under a known index is a new call: some servers number every call 0.
  if (known && (id === '' || known.id === '' || known.id === id)) return known;
  const fresh = { index, id, name: '', args: '' };
  state.calls.push(fresh);
  return fresh;
}

function finish(state: State, rawReason: string, parts: StreamPart[]): void {
  endThinking(state, parts);
  const told = REASONS[rawReason.toLowerCase()] ?? 'other';
  const calls = state.calls.splice(0);
  for (const [i, call] of calls.entries()) {
    const argsText = call.args.trim() === '' ? '{}' : call.args;
    // At the token limit the last call may be cut in the middle: it is no call then.
    if (told === 'truncated' && parseJson(argsText) === undefined) continue;
    const id = call.id === '' ? `call_${state.responseId ?? randomUUID()}_${i}` : call.id;
    parts.push({ type: 'tool-call', id, name: call.name, argsText });
  }
  const saidStop = told === 'stop' ? stopReason(state, calls.length) : told;
  parts.push({ type: 'finish', reason: saidStop, rawReason });
}

/** Some servers say `stop` whatever happened. */
function stopReason(state: State, callCount: number): FinishReason {
  if (callCount > 0) return 'tool-calls';
  return state.hasRefused ? 'refusal' : 'stop';
}

function usageOf(usage: JsonRecord | undefined): Usage | null {
  const inputTokens = numberOf(usage?.prompt_tokens);
  const outputTokens = numberOf(usage?.completion_tokens);
  if (!usage || inputTokens === undefined || outputTokens === undefined) return null;
  const cached =
    numberOf(recordOf(usage.prompt_tokens_details)?.cached_tokens) ?? numberOf(usage.prompt_cache_hit_tokens);
  return { inputTokens, outputTokens, ...(cached === undefined ? {} : { cachedInputTokens: cached }) };
}

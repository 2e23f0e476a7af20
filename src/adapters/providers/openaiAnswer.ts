// OpenAI Chat chunks -> parts. Tolerates what compatible servers do and refuses what could show the caller another answer
// than the one Belay judged: fields of the wire in another shape are a trouble; whatever is left out, changed or unknown
// where content stands makes the chunk unfaithful, so that its bytes are not passed on.
import type { FinishReason, StreamPart, Usage } from '../../core/chat.ts';
import { malformed, readingOf, type AnswerReader, type Fidelity } from './answerReader.ts';
import type { JsonRecord } from './json.ts';
import { countOf, entryOf, errorInList, isAbsent, isRecord, labelOf, listOf, recordOf, textOf } from './json.ts';
import { hasNameVariant } from './jsonText.ts';
import { openaiCalls, type CallForm, type OpenaiCalls } from './openaiCalls.ts';
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

const CHUNK_NAMES = new Set(['id', 'model', 'choices', 'usage', 'error']);
const CHOICE_NAMES = new Set(['index', 'delta', 'message', 'finish_reason']);
const DELTA_NAMES = new Set(['role', 'content', 'refusal', 'reasoning_content', 'tool_calls', 'function_call']);

interface State extends Fidelity {
  readonly issuer: string;
  readonly calls: OpenaiCalls;
  hasStarted: boolean;
  isThinking: boolean;
  hasRefused: boolean;
}

/** A reader for one answer. `issuer`: whose reasoning it is. */
export function openaiAnswerReader(issuer: string): AnswerReader {
  const fidelity: Fidelity = { isFaithful: true };
  const state: State = Object.assign(fidelity, {
    issuer,
    calls: openaiCalls(fidelity),
    hasStarted: false,
    isThinking: false,
    hasRefused: false,
  });
  return {
    read: (chunk, event) => readingOf(state, () => readChunk(state, errorInList(chunk), event, 'stream')),
    readWhole: (listed) =>
      readingOf(state, () => {
        const answer = errorInList(listed);
        if (isRecord(answer) && isAbsent(answer.choices)) throw new TroubleError(inBand(answer));
        return readChunk(state, answer, null, 'whole');
      }),
    isEndMark: (data) => data.trim() === '[DONE]',
    isLast: () => false,
  };
}

function readChunk(state: State, chunk: unknown, event: string | null, form: CallForm): StreamPart[] {
  if (!isRecord(chunk)) throw malformed('A chunk of the stream is no JSON object.');
  if (hasError(chunk) || event === 'error') throw new TroubleError(inBand(chunk));
  const parts: StreamPart[] = [];
  const finishes: (() => void)[] = [];
  if (!state.hasStarted) start(state, chunk, parts);
  const choices = wireList(chunk.choices, 'The choices of the answer are');
  doubt(state, !Array.isArray(chunk.choices) || choices.length > 1 || hasNameVariant(chunk, CHUNK_NAMES));
  for (const choice of choices) readChoice(state, choice, { chunk, form, parts, finishes });
  readUsage(state, chunk, parts);
  for (const finish of finishes) finish();
  return parts;
}

function doubt(state: State, isDoubtful: boolean): void {
  if (isDoubtful) state.isFaithful = false;
}

/** A list of the wire, which may be absent; anything else in its place is not this wire. */
function wireList(value: unknown, subject: string): readonly unknown[] {
  if (!isAbsent(value) && !Array.isArray(value)) throw malformed(`${subject} no list.`);
  return listOf(value);
}

/** An object of the wire, which may be absent. */
function wireRecord(value: unknown, subject: string): JsonRecord | undefined {
  if (!isAbsent(value) && !isRecord(value)) throw malformed(`${subject} no JSON object.`);
  return recordOf(value);
}

/** A text of the wire, which may be absent or empty. */
function wireText(value: unknown, subject: string): string | undefined {
  if (!isAbsent(value) && typeof value !== 'string') throw malformed(`${subject} no text.`);
  return textOf(value);
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
    finishReason: labelOf(choice?.finish_reason) ?? null,
  });
}

function start(state: State, chunk: JsonRecord, parts: StreamPart[]): void {
  const responseId = labelOf(chunk.id);
  const servedModel = labelOf(chunk.model);
  const fingerprint = labelOf(chunk.system_fingerprint);
  // Azure opens with a chunk that has neither id nor choices.
  if (responseId === undefined && listOf(chunk.choices).length === 0) return;
  state.hasStarted = true;
  parts.push({
    type: 'response-start',
    ...(responseId === undefined ? {} : { responseId }),
    ...(servedModel === undefined ? {} : { servedModel }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
  });
}

interface Place {
  readonly chunk: JsonRecord;
  readonly form: CallForm;
  readonly parts: StreamPart[];
  /** What is to be done after the usage: the finish comes last. */
  readonly finishes: (() => void)[];
}

function readChoice(state: State, choice: unknown, place: Place): void {
  if (!isRecord(choice)) throw malformed('A choice of the answer is no JSON object.');
  if (!isAbsent(choice.index) && countOf(choice.index) === undefined)
    throw malformed('The index of a choice is no whole number.');
  doubt(state, hasNameVariant(choice, CHOICE_NAMES));
  const content = contentOf(state, choice, place.form);
  if ((countOf(choice.index) ?? 0) !== 0) {
    // One answer was asked for. Text of a second one is left out, a tool call in it would pass unjudged.
    if (hasCall(content)) throw malformed('A tool call came in a second choice of the answer.');
    doubt(state, true);
    return;
  }
  if (content) readDelta(state, content, place);
  const rawReason = wireText(choice.finish_reason, 'A finish reason is');
  if (rawReason === undefined) return;
  if (BROKEN.has(rawReason)) throw new TroubleError(inBand(place.chunk));
  doubt(state, labelOf(rawReason) === undefined);
  place.finishes.push(() => {
    finish(state, labelOf(rawReason) ?? 'other', place.parts);
  });
}

/** A stream has `delta` and a whole answer `message`; clients read only the one they expect. */
function contentOf(state: State, choice: JsonRecord, form: CallForm): JsonRecord | undefined {
  const delta = wireRecord(choice.delta, 'The delta of a choice is');
  const message = wireRecord(choice.message, 'The message of a choice is');
  const [expected, other] = form === 'stream' ? [delta, message] : [message, delta];
  if (!other) return expected;
  doubt(state, true);
  if (!expected) return other;
  // Some servers repeat the answer so far in every chunk; that is never passed on. A call in it would be told twice.
  if (form === 'whole' || hasCall(other)) throw malformed('A choice has both a delta and a message.');
  return expected;
}

function hasCall(content: JsonRecord | undefined): boolean {
  if (!content) return false;
  return wireList(content.tool_calls, 'The tool calls are').length > 0 || isRecord(content.function_call);
}

function readDelta(state: State, delta: JsonRecord, { form, parts }: Place): void {
  doubt(state, hasNameVariant(delta, DELTA_NAMES));
  doubt(state, !isAbsent(delta.role) && delta.role !== 'assistant' && delta.role !== '');
  readReasoning(state, delta, parts);
  if (typeof delta.content === 'string') say(state, delta.content, parts);
  else for (const item of wireList(delta.content, 'The content is')) readContentItem(state, item, parts);
  const refusal = wireText(delta.refusal, 'The refusal is');
  if (refusal !== undefined) {
    state.hasRefused = true;
    parts.push({ type: 'refusal-delta', text: refusal });
  }
  const fragments = wireList(delta.tool_calls, 'The tool calls are');
  // The form of 2023, still written by some servers.
  const called = wireRecord(delta.function_call, 'A function call is');
  if (fragments.length > 0 || called) endThinking(state, parts);
  for (const fragment of fragments) parts.push(state.calls.add(fragment, form));
  if (called) parts.push(state.calls.add({ index: 0, function: called }, 'function_call'));
}

/** Two names are in use for the same; a server that writes both writes the same text. */
function readReasoning(state: State, delta: JsonRecord, parts: StreamPart[]): void {
  const told = [delta.reasoning_content, delta.reasoning].filter((value) => !isAbsent(value));
  const texts = told.flatMap((value) => textOf(value) ?? []);
  doubt(state, told.some((value) => typeof value !== 'string') || new Set(texts).size > 1);
  if (texts[0] !== undefined) think(state, texts[0], parts);
}

/** Mistral's reasoning models send content as a list. */
function readContentItem(state: State, item: unknown, parts: StreamPart[]): void {
  if (isRecord(item) && item.type === 'text' && typeof item.text === 'string') {
    say(state, item.text, parts);
    return;
  }
  if (!isRecord(item) || item.type !== 'thinking') {
    doubt(state, true);
    return;
  }
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

function finish(state: State, rawReason: string, parts: StreamPart[]): void {
  endThinking(state, parts);
  const told = entryOf(REASONS, rawReason.toLowerCase()) ?? 'other';
  const calls = state.calls.take(told);
  parts.push(...calls);
  // Some servers say `stop` whatever happened; a client that believes it would not run the calls.
  doubt(state, told === 'stop' && calls.length > 0);
  const reason = told === 'stop' ? stopReason(state, calls.length) : told;
  parts.push({ type: 'finish', reason, rawReason });
}

function stopReason(state: State, callCount: number): FinishReason {
  if (callCount > 0) return 'tool-calls';
  return state.hasRefused ? 'refusal' : 'stop';
}

/**
 * Reasoning that is billed as output and not counted in `completion_tokens`: xAI names it, Gemini's compatible endpoint has it
 * in the total only. OpenAI counts it in, and then the total leaves nothing over.
 */
function hiddenTokens(usage: JsonRecord, told: number): number {
  const left = (countOf(usage.total_tokens) ?? told) - told;
  const reasoning = countOf(recordOf(usage.completion_tokens_details)?.reasoning_tokens) ?? left;
  return Math.max(0, Math.min(left, reasoning));
}

/** Figures that cannot be true are no usage, and the client does not get them either. */
function readUsage(state: State, chunk: JsonRecord, parts: StreamPart[]): void {
  const told = isAbsent(chunk.usage) ? recordOf(chunk.x_groq)?.usage : chunk.usage;
  if (isAbsent(told)) return;
  const usage = recordOf(told);
  const { prompt_tokens, completion_tokens } = usage ?? {};
  if (usage && isAbsent(prompt_tokens) && isAbsent(completion_tokens)) return;
  const inputTokens = countOf(prompt_tokens);
  const outputTokens = countOf(completion_tokens);
  if (!usage || inputTokens === undefined || outputTokens === undefined) {
    doubt(state, true);
    return;
  }
  const cachedTold = recordOf(usage.prompt_tokens_details)?.cached_tokens ?? usage.prompt_cache_hit_tokens;
  const cached = countOf(cachedTold);
  const isCachedTrue = cached !== undefined && cached <= inputTokens;
  doubt(state, !isAbsent(cachedTold) && !isCachedTrue);
  // OpenRouter's name for what Anthropic's models wrote to their cache; like the cached tokens it is part of the prompt.
  const written = countOf(recordOf(usage.prompt_tokens_details)?.cache_write_tokens) ?? 0;
  const isWrittenTrue = written > 0 && written + (isCachedTrue ? cached : 0) <= inputTokens;
  const total: Usage = {
    inputTokens,
    outputTokens: outputTokens + hiddenTokens(usage, inputTokens + outputTokens),
    ...(isCachedTrue ? { cachedInputTokens: cached } : {}),
    ...(isWrittenTrue ? { cacheWriteInputTokens: written } : {}),
  };
  parts.push({ type: 'usage', usage: total });
}

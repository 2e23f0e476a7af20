// Reads what a 200 contains when it is a model's answer: is there text, are tool calls complete, was it refused, why did it
// stop. Shapes: OpenAI Chat and Responses, Anthropic, Gemini, Bedrock Converse, Ollama; whole answers and stream events.
import { elements, field, isObject, parseWhole, textOf } from './json.ts';
import type { JsonObject } from './json.ts';

/** An answer as far as faults can be told from it. */
export interface Answer {
  /** Some answer shape was recognised. */
  isAnswer: boolean;
  hasText: boolean;
  /** The beginning of the text, at most `HEAD_CHARS`, for telling a refusal from an answer. */
  head: string;
  textChars: number;
  /** The provider itself marked the answer as refused, blocked or filtered. */
  isRefused: boolean;
  /** Argument texts of tool calls, by their place. */
  readonly toolArguments: Map<string, string>;
  /** A tool call whose arguments came as an object, so that they are whole. */
  hasWholeToolCall: boolean;
  /** The stop reason in lower case. */
  finish: string | null;
}

const HEAD_CHARS = 400;

/** Folds the answer objects of one body (one object, or the events of a stream) into one answer. */
export function readAnswer(objects: readonly unknown[]): Answer {
  const answer: Answer = {
    isAnswer: false,
    hasText: false,
    head: '',
    textChars: 0,
    isRefused: false,
    toolArguments: new Map(),
    hasWholeToolCall: false,
    finish: null,
  };
  for (const value of objects) if (isObject(value)) readObject(answer, value);
  return answer;
}

/** Longer arguments are judged by their first and last character alone. */
const MAX_PARSED_CHARS = 1 << 18;

/** True when a tool call's arguments are not JSON, so that the call cannot be executed. */
export function hasBrokenToolCall(answer: Answer): boolean {
  for (const text of answer.toolArguments.values()) {
    if (text.length > MAX_PARSED_CHARS ? !/^\s{0,99}\{/.test(text) || !text.trimEnd().endsWith('}') : isBroken(text))
      return true;
  }
  return false;
}

function isBroken(text: string): boolean {
  return text !== '' && parseWhole(text) === undefined;
}

/** True when there is something in the answer that a caller can use. */
export function hasContent(answer: Answer): boolean {
  return answer.hasText || answer.hasWholeToolCall || answer.toolArguments.size > 0;
}

function readObject(answer: Answer, value: JsonObject): void {
  for (const [index, choice] of elements(value.choices).entries()) readChoice(answer, choice, index);
  for (const candidate of elements(value.candidates)) readCandidate(answer, candidate);
  for (const result of elements(value.results)) readResult(answer, result);
  if (textOf(field(value.promptFeedback, 'blockReason')) !== null) answer.isRefused = true;
  readAnthropic(answer, value);
  readResponses(answer, value);
  readOthers(answer, value);
}

function readChoice(answer: Answer, choice: unknown, index: number): void {
  answer.isAnswer = true;
  noteFinish(answer, field(choice, 'finish_reason'));
  addText(answer, field(choice, 'text'));
  if (isFiltered(field(choice, 'content_filter_results'))) answer.isRefused = true;
  const message = field(choice, 'message') ?? field(choice, 'delta');
  const content = field(message, 'content');
  addText(answer, content);
  for (const part of elements(content)) addText(answer, field(part, 'text'));
  if (textOf(field(message, 'refusal')) !== null) answer.isRefused = true;
  for (const [position, call] of elements(field(message, 'tool_calls')).entries()) {
    const place = field(call, 'index') ?? position;
    addArguments(
      answer,
      `${index}/${typeof place === 'number' ? place : position}`,
      field(field(call, 'function'), 'arguments'),
    );
  }
}

function readCandidate(answer: Answer, candidate: unknown): void {
  answer.isAnswer = true;
  noteFinish(answer, field(candidate, 'finishReason'));
  for (const part of elements(field(field(candidate, 'content'), 'parts'))) {
    if (field(part, 'thought') !== true) addText(answer, field(part, 'text'));
    if (isObject(field(part, 'functionCall'))) answer.hasWholeToolCall = true;
  }
}

// watsonx: {results: [{generated_text, stop_reason}]}
function readResult(answer: Answer, result: unknown): void {
  if (field(result, 'generated_text') === undefined) return;
  answer.isAnswer = true;
  noteFinish(answer, field(result, 'stop_reason'));
  addText(answer, field(result, 'generated_text'));
}

function readAnthropic(answer: Answer, value: JsonObject): void {
  const type = value.type;
  const delta = value.delta;
  if (type === 'message' || type === 'message_delta' || type === 'message_start') {
    answer.isAnswer = true;
    noteFinish(answer, value.stop_reason ?? field(delta, 'stop_reason'));
    readBlocks(answer, value.content);
  } else if (type === 'content_block_start') {
    answer.isAnswer = true;
    if (field(value.content_block, 'type') === 'tool_use') addArguments(answer, String(value.index), '');
  } else if (type === 'content_block_delta') {
    addText(answer, field(delta, 'text'));
    addArguments(answer, String(value.index), field(delta, 'partial_json'));
  }
}

function readResponses(answer: Answer, value: JsonObject): void {
  const type = value.type;
  if (type === 'response.output_text.delta') addText(answer, value.delta);
  if (type === 'response.output_text.done') addText(answer, value.text);
  if (type === 'response.refusal.delta' || type === 'response.refusal.done') answer.isRefused = true;
  if (typeof type === 'string' && type.startsWith('response.')) answer.isAnswer = true;
  if (!Array.isArray(value.output)) return;
  answer.isAnswer = true;
  noteFinish(answer, field(value.incomplete_details, 'reason') ?? (value.status === 'completed' ? 'completed' : null));
  for (const [index, item] of elements(value.output).entries()) {
    readBlocks(answer, field(item, 'content'));
    if (field(item, 'type') === 'function_call') addArguments(answer, String(index), field(item, 'arguments'));
  }
}

// Bedrock Converse ({output: {message}, stopReason}) and Ollama ({message, done_reason}).
function readOthers(answer: Answer, value: JsonObject): void {
  const stop = value.stopReason ?? value.done_reason;
  const message = field(value.output, 'message') ?? (stop === undefined ? undefined : value.message);
  if (stop === undefined && message === undefined) return;
  answer.isAnswer = true;
  noteFinish(answer, stop);
  addText(answer, field(message, 'content'));
  readBlocks(answer, field(message, 'content'));
  if (elements(field(message, 'tool_calls')).length > 0) answer.hasWholeToolCall = true;
}

function readBlocks(answer: Answer, blocks: unknown): void {
  for (const block of elements(blocks)) {
    const type = field(block, 'type');
    if (type === 'refusal') answer.isRefused = true;
    else if (type !== 'thinking' && type !== 'reasoning') addText(answer, field(block, 'text'));
    if (type === 'tool_use' || isObject(field(block, 'toolUse'))) answer.hasWholeToolCall = true;
  }
}

function noteFinish(answer: Answer, reason: unknown): void {
  if (typeof reason === 'string' && reason !== '') answer.finish = reason.toLowerCase();
}

function addText(answer: Answer, text: unknown): void {
  if (typeof text !== 'string' || text === '') return;
  if (text.trim() !== '') answer.hasText = true;
  answer.textChars += text.length;
  if (answer.head.length < HEAD_CHARS) answer.head += text.slice(0, HEAD_CHARS - answer.head.length).toLowerCase();
}

function addArguments(answer: Answer, place: string, text: unknown): void {
  if (isObject(text)) answer.hasWholeToolCall = true;
  if (typeof text === 'string') answer.toolArguments.set(place, (answer.toolArguments.get(place) ?? '') + text);
}

// Azure: {"hate": {"filtered": true, ...}, ...}
function isFiltered(results: unknown): boolean {
  return isObject(results) && Object.values(results).some((result) => field(result, 'filtered') === true);
}

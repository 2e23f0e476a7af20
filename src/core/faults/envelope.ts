// Takes an error body apart: code words, status numbers, prose and delays, from any nesting of objects, arrays and JSON
// in strings. It knows names of fields, not vendors. It must not read what a model said or what a user sent: those
// fields are passed over, since their text would otherwise be mistaken for the provider's.
import { capLines, capText } from './capText.ts';
import { foldText } from './foldText.ts';
import { isObject, looksLikeJson, parseWhole } from './json.ts';
import { isDelayName } from './retryAfter.ts';
import { parseServerSentEvents } from './serverSentEvents.ts';

/** What was found in a body. All words and prose are in lower case. */
export interface Envelope {
  /** Code words of the provider's own structure (code, type, status, reason, ...). */
  readonly tokens: Set<string>;
  /** Code words of JSON that was quoted inside a message: no more to be trusted than prose. */
  readonly quotedTokens: Set<string>;
  /** HTTP statuses told by the structure. */
  readonly statuses: Set<number>;
  /** HTTP statuses told by quoted JSON. */
  readonly quotedStatuses: Set<number>;
  readonly prose: string[];
  readonly delays: (readonly [string, string | number])[];
  /** Objects that may be a model's answer; several where the body was a stream. */
  readonly answers: unknown[];
  /** The request field the provider complains of, e.g. `tools[0].function.parameters`. */
  param: string | null;
  exitCode: number | null;
  /** An error object, an error event or a tool result that is marked as an error was met. */
  hasError: boolean;
  isToolError: boolean;
  isStream: boolean;
  /** A stream's terminal marker was met. */
  isTerminated: boolean;
  /** Where a limit stopped the reading: what was not read may have been what matters. */
  isIncomplete: boolean;
  /** The middle of a stream was left out, so that what it put together piece by piece cannot be judged. */
  isStreamCut: boolean;
  nodes: number;
  jsonChars: number;
  proseChars: number;
}

const MAX_DEPTH = 12;
const MAX_NODES = 4000;
/** JSON in texts is parsed up to this many characters in all. */
const MAX_JSON_CHARS = 1 << 20;
/** Prose is kept up to this many characters in all; more is no error message. */
const MAX_PROSE_CHARS = 128 * 1024;
const MAX_TOKEN_CHARS = 80;
const MAX_DELAY_CHARS = 100;

const TOKEN_FIELDS = new Set(
  (
    'code type status reason errortype errorcode errcode type name exceptiontype kind blockreason quotaid quotalimit ' +
    'statuscode httpstatus httpcode upstreamstatus rawstatuscode responsestatus state errorname xamznerrortype limitsource ' +
    'amazonbedrockguardrailaction guardrailaction guardrailresult'
  ).split(' '),
);
const STATUS_FIELDS = new Set(
  'code status statuscode httpstatus httpcode upstreamstatus rawstatuscode responsestatus errorcode'.split(' '),
);
const PROSE_FIELDS = new Set(
  (
    'message msg detail details error errormessage errormsg errmsg errordescription description raw title statusmsg ' +
    'statusmessage statustext reason stderr stdout explanation cause body response failure upstreamstatustext errors ' +
    'hint output result'
  ).split(' '),
);
// A user's or a model's own words, identifiers, and echoes of the request.
const PASSED_OVER = new Set(
  (
    'flaggedinput failedgeneration prompt input messages request requestid arguments choices candidates delta ' +
    'prediction tools headers model usage id url link helplink documentationurl param'
  ).split(' '),
);

/** Reads a body of any shape. */
export function readEnvelope(body: unknown): Envelope {
  const found: Envelope = {
    tokens: new Set(),
    quotedTokens: new Set(),
    statuses: new Set(),
    quotedStatuses: new Set(),
    prose: [],
    delays: [],
    answers: [],
    param: null,
    exitCode: null,
    hasError: false,
    isToolError: false,
    isStream: false,
    isTerminated: false,
    isIncomplete: false,
    isStreamCut: false,
    nodes: 0,
    jsonChars: 0,
    proseChars: 0,
  };
  if (typeof body === 'string') readText(found, body, 0, false);
  else readValue(found, body, 0, false);
  return found;
}

// A text is JSON as a whole, a stream of events, or prose. JSON in the middle of prose stays prose: whoever can write
// into a message could write that too.
function readText(found: Envelope, text: string, depth: number, quoted: boolean): void {
  if (text === '' || isFull(found, depth)) return;
  found.nodes += 1;
  const parsed = looksLikeJson(text) ? parseWithin(found, text) : undefined;
  if (parsed !== undefined) {
    if (typeof parsed === 'string') readText(found, parsed, depth + 1, quoted);
    else readValue(found, parsed, depth + 1, quoted);
    return;
  }
  const lines = depth === 0 ? capLines(text) : null;
  const stream = lines && parseServerSentEvents(lines.text);
  if (!lines || !stream) {
    addProse(found, text);
    return;
  }
  found.isStream = true;
  found.isStreamCut = lines.isCut;
  for (const line of stream.strayLines) addProse(found, line);
  for (const event of stream.events) readEvent(found, event.name, event.data);
}

function parseWithin(found: Envelope, text: string): unknown {
  if (found.jsonChars + text.length > MAX_JSON_CHARS) return undefined;
  found.jsonChars += text.length;
  return parseWhole(text);
}

function addProse(found: Envelope, text: string): void {
  const { text: capped, isCut } = capText(text);
  const hasRoom = found.proseChars + capped.length <= MAX_PROSE_CHARS;
  if (isCut || !hasRoom) found.isIncomplete = true;
  if (!hasRoom) return;
  found.proseChars += capped.length;
  found.prose.push(capped);
}

/** A limit that stops the reading; what is left unread may have mattered. */
function isFull(found: Envelope, depth: number): boolean {
  if (depth <= MAX_DEPTH && found.nodes <= MAX_NODES) return false;
  found.isIncomplete = true;
  return true;
}

function readEvent(found: Envelope, name: string, data: string): void {
  if (data === '[DONE]') {
    found.isTerminated = true;
    return;
  }
  const parsed = parseWhole(data);
  if (name === 'error' || name === 'exception') found.hasError = true;
  if (parsed === undefined) addProse(found, data);
  else readValue(found, parsed, 1, false);
}

function readValue(found: Envelope, value: unknown, depth: number, quoted: boolean): void {
  if (isFull(found, depth)) return;
  found.nodes += 1;
  if (Array.isArray(value)) {
    for (const element of value) {
      if (isFull(found, depth)) return;
      if (typeof element === 'string') readText(found, element, depth + 1, true);
      else readValue(found, element, depth + 1, quoted);
    }
    return;
  }
  if (!isObject(value)) return;
  if (!quoted) noteShape(found, value);
  for (const name of Object.keys(value)) {
    if (isFull(found, depth)) return;
    readField(found, name, value[name], depth, quoted);
  }
}

const TERMINAL_TYPES = new Set(['message_stop', 'response.completed', 'response.incomplete', 'response.failed']);

function noteShape(found: Envelope, value: Readonly<Record<string, unknown>>): void {
  const type = value.type;
  if (typeof type === 'string' && TERMINAL_TYPES.has(type)) found.isTerminated = true;
  if (type === 'error' || type === 'response.failed') found.hasError = true;
  const error = value.error;
  if (error !== undefined && error !== null && error !== false && error !== '') found.hasError = true;
  if (value.isError === true || value.is_error === true) {
    found.hasError = true;
    found.isToolError = true;
  }
  const exitCode = value.exit_code ?? value.exitCode ?? value.exitcode;
  if (typeof exitCode === 'number') found.exitCode = exitCode;
  if (typeof value.param === 'string') found.param = value.param.slice(0, 200).toLowerCase();
  found.answers.push(value);
}

function readField(found: Envelope, name: string, value: unknown, depth: number, quoted: boolean): void {
  if (value === null || value === undefined || typeof value === 'boolean') return;
  const key = plainName(name);
  if (PASSED_OVER.has(key)) return;
  if (isDelayName(key) && isShort(value)) found.delays.push([key, value]);
  if (typeof value === 'number') {
    if (TOKEN_FIELDS.has(key)) noteCode(found, key, String(value), quoted);
  } else if (typeof value === 'string') {
    if (TOKEN_FIELDS.has(key)) noteCode(found, key, value, quoted);
    // `raw` and `body` carry an upstream's whole answer; a message is prose even when it is JSON.
    if (PROSE_FIELDS.has(key) || (key === 'text' && found.isToolError))
      readText(found, value, depth + 1, quoted || (key !== 'raw' && key !== 'body'));
  } else if ((key !== 'content' && key !== 'output') || found.isToolError) {
    readValue(found, value, depth + 1, quoted);
  }
}

function isShort(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_DELAY_CHARS);
}

const plainNames = new Map<string, string>();

// `error_type`, `errorType` and `:exception-type` are one name. The few names that occur are remembered.
function plainName(name: string): string {
  if (name.length > MAX_TOKEN_CHARS) return '';
  const remembered = plainNames.get(name);
  if (remembered !== undefined) return remembered;
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (plainNames.size < 2000) plainNames.set(name, plain);
  return plain;
}

function noteCode(found: Envelope, key: string, value: string, quoted: boolean): void {
  if (value.length > MAX_TOKEN_CHARS) return;
  (quoted ? found.quotedTokens : found.tokens).add(plainCode(value));
  if (!STATUS_FIELDS.has(key) || !/^[45]\d\d$/.test(value)) return;
  (quoted ? found.quotedStatuses : found.statuses).add(Number(value));
}

/** A code word in plain spelling, without an AWS namespace before it or an address behind it. */
export function plainCode(value: string): string {
  const code = foldText(value).trim();
  const start = code.indexOf('#') + 1;
  const end = code.includes('exception:') ? code.indexOf(':', start) : code.length;
  return code.slice(start, end);
}

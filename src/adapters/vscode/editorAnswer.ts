// What comes back from VS Code's language model API, read by shape: parts of the answer become neutral ones, what was
// thrown becomes an observation. Parts that only the model's own extension understands are passed over. Decides nothing.
import type { StreamPart } from '../../core/chat.ts';
import type { Observation, StreamPhase } from '../../core/faults/fault.ts';
import { isRecord, textOf, type JsonRecord } from '../providers/json.ts';

/** The dialect in which errors of this API are told, whoever's model it is. */
const DIALECT = 'copilot';
const CAUSE_DEPTH = 8;
const MESSAGE_CHARS = 2000;
const WORD = /^[a-z]+(?:_[a-z]+)+$/;
/** Names that every error has and that say nothing. */
const PLAIN_NAMES: ReadonlySet<string> = new Set(['Error', 'LanguageModelError']);

/** The neutral parts of one part of an answer. `nameOf` turns the name of a tool back into the caller's. */
export function partsOfAnswer(part: unknown, nameOf: (wireName: string) => string): readonly StreamPart[] {
  if (!isRecord(part)) return [];
  const { callId, name, input, value, mimeType, data } = part;
  if (typeof callId === 'string' && typeof name === 'string')
    return [{ type: 'tool-call', id: callId, name: nameOf(name), argsText: argsText(input) }];
  // A thinking part has the fields of its own even where they are empty.
  if ('metadata' in part || 'id' in part) return thinking(value);
  if (typeof value === 'string') return value === '' ? [] : [{ type: 'text-delta', text: value }];
  if (typeof mimeType === 'string' && mimeType.startsWith('text/') && data instanceof Uint8Array)
    return [{ type: 'text-delta', text: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8') }];
  return [];
}

function thinking(value: unknown): readonly StreamPart[] {
  const text = Array.isArray(value) ? value.filter((piece) => typeof piece === 'string').join('') : value;
  return typeof text === 'string' && text !== '' ? [{ type: 'thinking-delta', text }] : [];
}

/** JSON of the arguments; a call without any is called with none. */
function argsText(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input ?? {});
}

/** What was thrown, for the classifier. Errors that crossed a process are plain objects; both kinds have causes. */
export function editorObservation(thrown: unknown, phase: StreamPhase): Observation {
  const chain = causesOf(thrown);
  const texts = (read: (error: JsonRecord) => unknown): string[] => chain.flatMap((error) => textOf(read(error)) ?? []);
  const names = texts(({ name }) => name);
  // Some causes are one word, and that word is the code (`off_topic`).
  const [code] = [
    ...texts((error) => error.code),
    ...texts((error) => error.message).filter((text) => WORD.test(text)),
  ];
  const message = [...new Set(texts((error) => error.message))].join(': ').slice(0, MESSAGE_CHARS);
  const told = chain.map(statusOf).find((status) => status !== null);
  return observed(phase, {
    httpStatus: told ?? null,
    clientError: {
      name: names.find((name) => !PLAIN_NAMES.has(name)) ?? names[0] ?? 'Error',
      ...(code === undefined ? {} : { code }),
      message: chain.length > 0 ? message : String(thrown).slice(0, MESSAGE_CHARS),
    },
  });
}

/** Something that the adapter itself found wrong. */
export function editorTrouble(code: string, message: string, phase: StreamPhase): Observation {
  return observed(phase, { httpStatus: null, clientError: { name: 'ProviderError', code, message } });
}

function observed(phase: StreamPhase, seen: Pick<Observation, 'httpStatus' | 'clientError'>): Observation {
  return {
    provider: DIALECT,
    ...seen,
    headers: {},
    body: null,
    streamPhase: phase,
    finishReason: null,
    operation: 'model_read',
  };
}

function causesOf(thrown: unknown): readonly JsonRecord[] {
  const chain: JsonRecord[] = [];
  for (let at = thrown; chain.length < CAUSE_DEPTH; at = chain.at(-1)?.cause) {
    if (!isRecord(at) || chain.includes(at)) break;
    chain.push(at);
  }
  return chain;
}

/** Some models pass the status of their own server on. */
function statusOf({ status, statusCode }: JsonRecord): number | null {
  const told = status ?? statusCode;
  return typeof told === 'number' && Number.isInteger(told) && told >= 400 && told <= 599 ? told : null;
}

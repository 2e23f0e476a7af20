// Turns what went wrong with one attempt into an Observation for the classifier (CONTRACTS, classify).
// It decides nothing; it keeps what helps (status, limits, ids, codes) and drops what must not travel (cookies, keys).
import type { Observation, StreamPhase } from '../../core/faults/fault.ts';
import { errorInList, isRecord, parseJson, textOf } from './json.ts';

/** Characters (and bytes) of an error body that are kept. */
export const BODY_LIMIT = 64 * 1024;

const KEPT_HEADERS = new Set([
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'request-id',
  'x-request-id',
  'content-type',
  // AWS says the kind of an error here only; the ids are for support.
  'x-amzn-errortype',
  'x-amzn-requestid',
  'apim-request-id',
]);
const KEPT_PREFIXES = ['x-ratelimit-', 'anthropic-ratelimit-'];
const CAUSE_DEPTH = 8;

/** Status and headers of an answer; `null` while there is none. */
export interface AnswerHead {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** How an error is told to the classifier. */
export interface ClientError {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
}

/** The headers that tell when and whether to try again, and the ids for support; nothing else. */
export function usefulHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const isKept = (name: string): boolean => KEPT_HEADERS.has(name) || KEPT_PREFIXES.some((p) => name.startsWith(p));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name)));
}

/** An error body as parsed JSON where it is JSON, as text otherwise, `null` where it is empty. */
export function bodyOf(text: string): unknown {
  const short = text.slice(0, BODY_LIMIT);
  if (short.trim() === '') return null;
  return errorInList(parseJson(short)) ?? short;
}

/** Replaces every occurrence of the key, as it is and as addresses write it: providers and proxies quote it back. */
export function withoutKey(text: string, key: string): string {
  return key.length < 4 ? text : text.replaceAll(key, '[key]').replaceAll(encodeURIComponent(key), '[key]');
}

/** The same for a parsed body. */
export function bodyWithoutKey(body: unknown, key: string): unknown {
  if (body === null || body === undefined || key.length < 4) return body ?? null;
  const text = writtenBody(body);
  if (text === null) return null;
  // The key as it stands inside a JSON text, where quotes and backslashes are escaped.
  const written = JSON.stringify(key).slice(1, -1);
  const clean = withoutKey(text, written);
  return clean === text ? body : parseJson(clean);
}

/** Null where the body nests too deep to be written: nobody could read it either. */
function writtenBody(body: unknown): string | null {
  try {
    return JSON.stringify(body);
  } catch {
    return null;
  }
}

/** Name, code and message of an error, with the code taken from the nearest cause that has one (ECONNRESET, ENOTFOUND, ...). */
export function clientErrorOf(error: unknown): ClientError {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < CAUSE_DEPTH; at = nextCause(at)) chain.push(at);
  const first = chain[0];
  if (!first) return { name: 'Error', message: String(error) };
  const coded = chain.find((e) => codeOf(e) !== undefined);
  const code = coded && codeOf(coded);
  const messages = chain.slice(0, coded ? chain.indexOf(coded) + 1 : 1).map((e) => e.message);
  const message = [...new Set(messages.filter((m) => m !== ''))].join(': ');
  return { name: (coded ?? first).name, ...(code === undefined ? {} : { code }), message };
}

function nextCause(error: Error): unknown {
  // Connecting to several addresses fails with an AggregateError that has the parts in `errors`.
  return error.cause ?? (error instanceof AggregateError ? error.errors[0] : undefined);
}

function codeOf(error: Error): string | undefined {
  return isRecord(error) ? textOf(error.code) : undefined;
}

/** Puts an observation of a model call together. */
export function observe(seen: {
  readonly provider: string;
  readonly head: AnswerHead | null;
  readonly body: unknown;
  readonly clientError: ClientError | null;
  readonly phase: StreamPhase;
  readonly finishReason: string | null;
  /** What must not appear in it. */
  readonly secrets: readonly string[];
}): Observation {
  const { clientError, secrets } = seen;
  return {
    provider: seen.provider,
    httpStatus: seen.head?.status ?? null,
    headers: seen.head ? textsWithout(secrets, usefulHeaders(seen.head.headers)) : {},
    body: secrets.reduce(bodyWithoutKey, seen.body ?? null),
    clientError: clientError && textsWithout(secrets, clientError),
    streamPhase: seen.phase,
    finishReason: seen.finishReason === null ? null : secrets.reduce(withoutKey, seen.finishReason),
    operation: 'model_read',
  };
}

/** The texts of an object without the secrets. */
function textsWithout<T extends Readonly<Record<string, string>> | ClientError>(
  secrets: readonly string[],
  texts: T,
): T {
  const clean = Object.entries(texts).map(([name, text]) => [name, secrets.reduce(withoutKey, String(text))]);
  return Object.fromEntries(clean) as T; // The same names, and all of them texts.
}

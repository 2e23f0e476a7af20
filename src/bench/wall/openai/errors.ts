// How the OpenAI-like vendor says no: statuses, types, codes and texts as its API sends them.
// Shapes follow the vendor's public error reference and answers quoted in public issue threads; no account or host names.
import { RETRY_AFTER_SECONDS, type FrontDoorKind } from '../faults.ts';
import type { Complaint } from '../complaint.ts';
import type { WireError } from '../wire.ts';

/** A 400 that names a parameter. */
export function invalid(message: string, param: string | null, code: string | null): WireError {
  return { status: 400, type: 'invalid_request_error', message, code, param, headers: {} };
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  array: 'an array',
  object: 'an object',
  number: 'a decimal',
  int: 'an integer',
  integer: 'an integer',
  boolean: 'a boolean',
  null: 'null',
};

const named = (type: string): string => TYPE_NAMES[type] ?? `a ${type}`;

/** `messages[1].content[0].text`. */
export function openaiPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? key : `${text}.${key}`;
  }, '');
}

/** A schema's complaint in the vendor's words. */
export function fromComplaint(complaint: Complaint): WireError {
  const at = openaiPath(complaint.path);
  switch (complaint.kind) {
    case 'missing':
      return at === 'model'
        ? invalid('you must provide a model parameter', null, null)
        : invalid(`Missing required parameter: '${at}'.`, at, 'missing_required_parameter');
    case 'type':
      return invalid(
        `Invalid type for '${at}': expected ${named(complaint.expected)}, but got ${named(complaint.actual)} instead.`,
        at,
        'invalid_type',
      );
    case 'unknown-field':
      return invalid(`Unknown parameter: '${at}'.`, at, 'unknown_parameter');
    case 'choice':
      return invalid(
        `Invalid value: '${complaint.actual}'. Supported values are: ${complaint.options.map((each) => `'${each}'`).join(', ')}.`,
        at,
        'invalid_value',
      );
    case 'too-small':
    case 'too-big':
      return outOfBounds(complaint, at);
    case 'pattern':
      return invalid(
        `Invalid '${at}': string does not match pattern. Expected a string that matches the pattern '${complaint.expected}'.`,
        at,
        'invalid_value',
      );
    case 'other':
      return invalid(`Invalid value for '${at}'.`, at, 'invalid_value');
  }
}

function outOfBounds(complaint: Complaint, at: string): WireError {
  const { kind, origin, expected, size } = complaint;
  const isBig = kind === 'too-big';
  const bound = isBig ? 'maximum' : 'minimum';
  if (origin === 'array' && size === 0) {
    const message = `Invalid '${at}': empty array. Expected an array with minimum length ${expected}, but got an empty array instead.`;
    return invalid(message, at, 'empty_array');
  }
  if (origin === 'array' || origin === 'string') {
    const long = isBig ? 'long' : 'short';
    const message = `Invalid '${at}': ${origin} too ${long}. Expected ${named(origin)} with ${bound} length ${expected}, but got ${named(origin)} with length ${size} instead.`;
    return invalid(message, at, `${origin}_${isBig ? 'above_max' : 'below_min'}_length`);
  }
  const type = Number.isInteger(Number(expected)) && Number.isInteger(size) ? 'integer' : 'decimal';
  const message = `Invalid '${at}': ${type} ${isBig ? 'above maximum' : 'below minimum'} value. Expected a value ${isBig ? '<=' : '>='} ${expected}, but got ${size} instead.`;
  return invalid(message, at, `${type}_${isBig ? 'above_max' : 'below_min'}_value`);
}

const failure = (status: number, type: string, message: string, code: string | null, headers = {}): WireError => ({
  status,
  type,
  message,
  code,
  param: null,
  headers,
});

/** Faults at the front door, as this vendor words them. It has no 529: overload is a 503 with its own text. */
export const OPENAI_FRONT_DOOR: Readonly<Record<FrontDoorKind, WireError>> = {
  'rate-limit-with-retry-after': failure(
    429,
    'tokens',
    `Rate limit reached on tokens per min (TPM): Limit 30000, Used 29120, Requested 1370. Please try again in ${RETRY_AFTER_SECONDS}s.`,
    'rate_limit_exceeded',
    {
      'retry-after': String(RETRY_AFTER_SECONDS),
      'retry-after-ms': String(RETRY_AFTER_SECONDS * 1000),
      'x-ratelimit-limit-tokens': '30000',
      'x-ratelimit-remaining-tokens': '880',
      'x-ratelimit-reset-tokens': `${RETRY_AFTER_SECONDS}s`,
    },
  ),
  'rate-limit-bare': failure(
    429,
    'requests',
    'Rate limit reached for requests. Limit: 60 / min. Please slow down.',
    'rate_limit_exceeded',
  ),
  'server-error': failure(
    500,
    'server_error',
    'The server had an error while processing your request. Sorry about that! You can retry your request if the error persists.',
    null,
  ),
  unavailable: failure(503, 'server_error', 'That service is temporarily unavailable. Please try again later.', null),
  overloaded: failure(
    503,
    'server_error',
    'The engine is currently overloaded, please try again later.',
    'server_is_overloaded',
  ),
};

/** Wrong or missing key. The key itself is masked. */
export function unauthorized(sentKey: string | null): WireError {
  return sentKey === null
    ? failure(
        401,
        'invalid_request_error',
        "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth.",
        null,
      )
    : failure(401, 'invalid_request_error', `Incorrect API key provided: ${'*'.repeat(8)}.`, 'invalid_api_key');
}

export function modelNotFound(name: string): WireError {
  return failure(
    404,
    'invalid_request_error',
    `The model \`${name}\` does not exist or you do not have access to it.`,
    'model_not_found',
  );
}

/** A path this vendor does not have. */
export function unknownUrl(method: string, path: string): WireError {
  return failure(404, 'invalid_request_error', `Invalid URL (${method} ${path})`, null);
}

export const OPENAI_NOT_JSON: WireError = failure(
  400,
  'invalid_request_error',
  "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The API expects a JSON payload, but what was sent was not valid JSON.)",
  null,
);

export const OPENAI_TOO_LARGE: WireError = failure(413, 'invalid_request_error', 'Request body too large.', null);

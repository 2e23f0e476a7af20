// How the Anthropic-like vendor says no: `{"type":"error","error":{type,message},"request_id"}` with its own texts.
// Shapes follow the vendor's public error reference and answers quoted in public issue threads.
import type { Complaint } from '../complaint.ts';
import { RETRY_AFTER_SECONDS, type FrontDoorKind } from '../faults.ts';
import type { WireError } from '../wire.ts';

const failure = (
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): WireError => ({
  status,
  type,
  message,
  code: null,
  param: null,
  headers,
});

/** A 400 with the vendor's usual type. */
export function invalid(message: string): WireError {
  return failure(400, 'invalid_request_error', message);
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'string',
  array: 'list',
  object: 'dictionary',
  record: 'dictionary',
  number: 'number',
  int: 'integer',
  boolean: 'boolean',
};

/** A schema's complaint in the vendor's words. */
export function fromComplaint(complaint: Complaint): WireError {
  const at = complaint.path.join('.');
  const say = (text: string): WireError => invalid(at === '' ? text : `${at}: ${text}`);
  switch (complaint.kind) {
    case 'missing':
      return say('Field required');
    case 'type':
      return say(`Input should be a valid ${TYPE_NAMES[complaint.expected] ?? complaint.expected}`);
    case 'unknown-field':
      return say('Extra inputs are not permitted');
    case 'choice':
      return choice(complaint, at);
    case 'too-small':
    case 'too-big':
      return say(outOfBounds(complaint));
    case 'pattern':
      return say(`String should match pattern '${complaint.expected}'`);
    case 'other':
      return say('Input is not valid');
  }
}

function choice(complaint: Complaint, at: string): WireError {
  const { actual, options, path } = complaint;
  if (path.at(-1) === 'role' && actual === 'system') {
    const message =
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.';
    return invalid(message);
  }
  const quoted = options.map((each) => `'${each}'`);
  if (path.at(-1) === 'type') {
    const where = path.slice(0, -1).join('.');
    return invalid(
      `${where}: Input tag '${actual}' found using 'type' does not match any of the expected tags: ${quoted.join(', ')}`,
    );
  }
  const last = quoted.at(-1) ?? '';
  const list = quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')} or ${last}` : last;
  return invalid(`${at}: Input should be ${list}`);
}

function outOfBounds({ kind, origin, expected, size }: Complaint): string {
  const isBig = kind === 'too-big';
  if (origin === 'string')
    return `String should have at ${isBig ? 'most' : 'least'} ${expected} character${expected === '1' ? '' : 's'}`;
  if (origin === 'array') {
    return `List should have at ${isBig ? 'most' : 'least'} ${expected} item${expected === '1' ? '' : 's'} after validation, not ${size}`;
  }
  return `Input should be ${isBig ? 'less' : 'greater'} than or equal to ${expected}`;
}

/** Faults at the front door, as this vendor words them. */
export const ANTHROPIC_FRONT_DOOR: Readonly<Record<FrontDoorKind, WireError>> = {
  'rate-limit-with-retry-after': failure(
    429,
    'rate_limit_error',
    "This request would exceed your account's rate limit. Please try again later.",
    {
      'retry-after': String(RETRY_AFTER_SECONDS),
      'anthropic-ratelimit-input-tokens-limit': '40000',
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'x-should-retry': 'true',
    },
  ),
  'rate-limit-bare': failure(429, 'rate_limit_error', 'Number of concurrent connections has exceeded your rate limit.'),
  'server-error': failure(500, 'api_error', 'Internal server error', { 'x-should-retry': 'true' }),
  unavailable: failure(503, 'api_error', 'Service temporarily unavailable', { 'x-should-retry': 'true' }),
  overloaded: failure(529, 'overloaded_error', 'Overloaded', { 'x-should-retry': 'true' }),
};

/** Wrong or missing key. */
export function unauthorized(sent: 'nothing' | 'key' | 'bearer'): WireError {
  const messages = {
    nothing: 'x-api-key header is required',
    key: 'invalid x-api-key',
    bearer: 'Invalid bearer token',
  };
  return failure(401, 'authentication_error', messages[sent]);
}

export function modelNotFound(name: string): WireError {
  return failure(404, 'not_found_error', `model: ${name}`);
}

/** A path this vendor does not have. */
export function notFound(): WireError {
  return failure(404, 'not_found_error', 'Not Found');
}

export const ANTHROPIC_NOT_JSON: WireError = invalid(
  'The request body is not valid JSON: expected value at line 1 column 1',
);

export const ANTHROPIC_TOO_LARGE: WireError = failure(413, 'request_too_large', 'Request exceeds the maximum size');

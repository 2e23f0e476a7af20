// The problems every wire shares, and the one way from a zod issue to the place in the JSON body and what belongs there.
// Messages name the place and what was expected, never what was found: bodies hold prompts.
import type * as z from 'zod';
import type { WireProblem } from './wire.ts';

/** A 400 about one place in the request. `param` is a JSON path (`messages[2].content`) or a header name. */
export function badRequest(param: string | null, message: string, code = 'invalid_request'): WireProblem {
  return { status: 400, message, code, param, retryAfterMs: null };
}

/** Something went wrong inside the gateway: the id is all a client learns. */
export function internalProblem(requestId: string): WireProblem {
  return {
    status: 500,
    message: `Belay had an internal error. Its log has the details under the request id ${requestId}.`,
    code: 'internal_error',
    param: null,
    retryAfterMs: null,
  };
}

/** The answer ended, but the provider never said that it was complete: not an answer. */
export function unfinishedProblem(requestId: string): WireProblem {
  return {
    status: 502,
    message: `The answer ended before it was complete, so it is not passed off as one (request ${requestId}). Send the request again.`,
    code: 'incomplete_answer',
    param: null,
    retryAfterMs: null,
  };
}

/** The answer is larger than what is held for a client that wants it whole. */
export function tooLongProblem(requestId: string): WireProblem {
  return {
    status: 502,
    message: `The answer is too large to be sent as a whole (request ${requestId}). Ask for it with stream: true.`,
    code: 'answer_too_large',
    param: null,
    retryAfterMs: null,
  };
}

/** One problem for the first thing that is wrong with a body. */
export function bodyProblem(error: z.ZodError): WireProblem {
  const found = deepest(error.issues, []);
  const path = jsonPath(found.path);
  return badRequest(path, `${path}: ${found.expected}.`, 'invalid_body');
}

interface Found {
  readonly path: readonly PropertyKey[];
  readonly expected: string;
}

function deepest(issues: readonly z.core.$ZodIssue[], base: readonly PropertyKey[]): Found {
  const first = issues[0];
  if (!first) return { path: base, expected: 'is not valid' };
  return describe(first, base);
}

function describe(issue: z.core.$ZodIssue, base: readonly PropertyKey[]): Found {
  const path = [...base, ...issue.path];
  if (issue.code !== 'invalid_union') return { path, expected: lowerFirst(issue.message) };
  // Of the branches of a union the one that got furthest is the one that was meant.
  const branches = issue.errors.map((issues) => deepest(issues, path));
  const longest = Math.max(path.length, ...branches.map((branch) => branch.path.length));
  const meant = branches.filter((branch) => branch.path.length === longest);
  if (longest > path.length && meant[0]) return meant[0];
  return {
    path,
    expected:
      branches.length > 0
        ? [...new Set(branches.map((branch) => branch.expected))].join(', or ')
        : lowerFirst(issue.message),
  };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** `['messages', 2, 'content']` -> `messages[2].content`; the root is `body`. */
export function jsonPath(path: readonly PropertyKey[]): string {
  const text = path
    .map((step) =>
      typeof step === 'number'
        ? `[${step}]`
        : /^[A-Za-z_][\w-]{0,63}$/.test(String(step))
          ? `.${String(step)}`
          : `[${JSON.stringify(String(step).slice(0, 64))}]`,
    )
    .join('');
  return text === '' ? 'body' : text.replace(/^\./, '');
}

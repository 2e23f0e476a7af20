// What is known of a request that got no proper answer: was it ever sent, and did the headers say when to come back?
import { familyOf } from './family.ts';
import type { Observation } from './fault.ts';
import { isBlank, isSuccess } from './factSources.ts';
import type { FactSources } from './factSources.ts';

const NEVER_SENT_CODES = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/**
 * The connection never came to be, so that nothing can have happened. Only the code says so: a message is anybody's, and
 * where a body came, somebody answered.
 */
export function isNeverSent({ observation }: FactSources): boolean {
  const { clientError, httpStatus, streamPhase, body } = observation;
  if (clientError === null || httpStatus !== null || !isBlank(body)) return false;
  if (streamPhase !== null && streamPhase !== 'before_headers') return false;
  return (
    typeof clientError.code === 'string' &&
    clientError.code.length < 40 &&
    NEVER_SENT_CODES.has(clientError.code.toUpperCase())
  );
}

/** A client error without a complete HTTP answer, after which a request may have been carried out. */
export function isMaybeSent(sources: FactSources): boolean {
  const { clientError, httpStatus } = sources.observation;
  return clientError !== null && (httpStatus === null || isSuccess(sources.observation)) && !isNeverSent(sources);
}

/** OpenRouter's words for a budget that frees itself when running requests end; its other 402s want money. */
const IN_FLIGHT = ['openrouter_in_flight_budget', 'in_flight_budget_exhausted'];

/**
 * A rate limit that was turned away with 403, as GitHub does (docs.github.com, rate limits of the REST API); elsewhere a 403
 * is about rights. Only headers tell: a body is anybody's.
 */
export function isToldToComeBack({ observation: { headers, httpStatus, provider } }: FactSources): boolean {
  if (httpStatus !== 403) return false;
  if (familyOf(provider) !== 'github' && headers['x-github-request-id'] === undefined) return false;
  return saysWhen(headers) || /^\s*0\s*$/.test(String(headers['x-ratelimit-remaining']));
}

/** A 402 of a router that frees itself when running requests end, with the header that says when. */
export function isInFlightBudget({ envelope, observation: { headers, httpStatus, provider } }: FactSources): boolean {
  if (httpStatus !== 402 || familyOf(provider) !== 'router' || !saysWhen(headers)) return false;
  return IN_FLIGHT.some((code) => envelope.tokens.has(code));
}

function saysWhen(headers: Observation['headers']): boolean {
  return /^\s*\d/.test(String(headers['retry-after']));
}

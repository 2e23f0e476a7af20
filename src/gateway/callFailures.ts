// From a call's failure to what a client is told: status, machine word, Retry-After. Never a stack, never a provider's body.
import type { FaultClass } from '../core/faults/fault.ts';
import type { CallFailure, CallSummary } from '../engine/controller.ts';
import type { HeaderValues } from './responseWriter.ts';
import type { WireProblem } from './wires/wire.ts';

const codeByClass: Readonly<Record<FaultClass, string>> = {
  T1: 'provider_unavailable',
  T2: 'rate_limit_exceeded',
  T3: 'provider_timeout',
  T4: 'provider_overloaded',
  T5: 'tool_contract_broken',
  T6: 'context_length_exceeded',
  T7: 'request_rejected',
  T8: 'content_refused',
  V1: 'answer_not_accepted',
  unknown: 'unknown_failure',
};

/** The problem to answer a failed call with. A status outside 400-599 would look like a success and becomes 500. */
export function failureProblem(failure: CallFailure): WireProblem {
  const { fault, message, retryAfterMs, status } = failure;
  return {
    status: Number.isInteger(status) && status >= 400 && status <= 599 ? status : 500,
    message,
    code: fault ? codeByClass[fault.class] : 'call_failed',
    param: null,
    retryAfterMs,
  };
}

/** The gateway is being stopped while the call runs. */
export const stoppingProblem: WireProblem = {
  status: 503,
  message: 'The Belay gateway is stopping. Send the request again when it is back.',
  code: 'gateway_stopping',
  param: null,
  retryAfterMs: 1000,
};

/** `retry-after` in whole seconds, rounded up, where there is one. */
export function retryHeaders(problem: WireProblem): HeaderValues {
  const { retryAfterMs } = problem;
  return retryAfterMs === null ? {} : { 'retry-after': String(Math.max(0, Math.ceil(retryAfterMs / 1000))) };
}

/** What an answer says of how it came about (DESIGN, fixed semantics 15). */
export function summaryHeaders(summary: CallSummary): HeaderValues {
  return {
    ...(summary.candidate === null ? {} : { 'x-belay-candidate': summary.candidate }),
    'x-belay-rung': summary.rung,
    'x-belay-attempts': String(summary.attempts),
    'x-belay-cost-usd': String(summary.costUsd),
    ...(summary.unpricedAttempts === undefined
      ? {}
      : { 'x-belay-unpriced-attempts': String(summary.unpricedAttempts) }),
  };
}

// A model call whose answer is being written, and what its client must be told about it.
import { candidatesOf } from '../core/routes.ts';
import type { CallEvent } from '../engine/controller.ts';
import type { Exchange, GatewayParts } from './exchange.ts';
import type { AnswerFacts, WireCall } from './wires/wire.ts';

/** A call whose answer is being written. */
export interface RunningCall {
  readonly exchange: Exchange;
  readonly parts: GatewayParts;
  readonly call: WireCall;
  readonly facts: AnswerFacts;
  readonly events: AsyncIterable<CallEvent>;
  /** Aborted when the client has gone or the gateway must stop. */
  readonly signal: AbortSignal;
}

/** Names of request fields that this candidate will not see, since it gets a translated request. */
export function ignoredFields(running: RunningCall, candidateId: string): Readonly<Record<string, string>> {
  const { rawOnlyFields } = running.call;
  if (rawOnlyFields.length === 0) return {};
  const candidate = candidatesOf(running.parts.controller.settings).find(({ id }) => id === candidateId);
  const getsRawBody = candidate?.path === 'raw' && candidate.wire === running.exchange.wire.wire;
  return getsRawBody ? {} : { 'x-belay-ignored-fields': rawOnlyFields.slice(0, 32).join(', ') };
}

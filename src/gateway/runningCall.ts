// A model call whose answer is being written, and what its client must be told about it.
import type { CallEvent } from '../engine/controller.ts';
import type { Exchange, GatewayParts } from './exchange.ts';
import { headerText } from './responseWriter.ts';
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
  const candidate = running.parts.controller.candidates().find(({ id }) => id === candidateId);
  const getsRawBody = candidate?.path === 'raw' && candidate.wire === running.exchange.wire.wire;
  return getsRawBody ? {} : { 'x-belay-ignored-fields': boundedList(rawOnlyFields) };
}

/** Bytes of a list of names in a header; many clients take no more than a few kB of headers in all. */
const MAX_LIST_BYTES = 1000;
const MAX_NAME_BYTES = 100;

/** The names, as many as fit, and how many more there are. Names come from a request's body. */
export function boundedList(names: readonly string[]): string {
  const shown: string[] = [];
  let bytes = 0;
  for (const name of names) {
    const text = headerText(name.slice(0, MAX_NAME_BYTES));
    const isCut = name.length > MAX_NAME_BYTES || text.length > MAX_NAME_BYTES;
    // Never cut inside an encoded character.
    const short = isCut ? `${text.slice(0, MAX_NAME_BYTES).replace(/%[0-9A-F]?$/, '')}...` : text;
    bytes += short.length + 2;
    if (bytes > MAX_LIST_BYTES) break;
    shown.push(short);
  }
  const more = names.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}

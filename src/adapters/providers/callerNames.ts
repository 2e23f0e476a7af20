// Gives the tools of an answer the names that the caller knows them by, where the provider was told others.
import type { Candidate } from '../../core/candidate.ts';
import type { ChatRequest, StreamPart } from '../../core/chat.ts';
import { dialectOf } from '../../core/providers/dialects.ts';
import type { ProviderEvent } from '../../engine/ports.ts';
import { upstreamModel } from './endpoint.ts';
import { portableNames, type PortableNames } from './portableNames.ts';

/** The events of `candidate`'s answer to `request`, in the caller's names. */
export function withCallerNames(
  events: AsyncGenerator<ProviderEvent, void, undefined>,
  request: ChatRequest,
  candidate: Pick<Candidate, 'kind' | 'family' | 'model' | 'wire' | 'path'>,
): AsyncGenerator<ProviderEvent, void, undefined> {
  // The caller's own bytes hold the caller's own names.
  const isOwnBody = candidate.path === 'raw' && request.raw?.wire === candidate.wire;
  if (request.tools.length === 0 || isOwnBody) return events;
  const { toolNames } = dialectOf({ ...candidate, model: upstreamModel(candidate, request.model) });
  const names = portableNames(request, toolNames);
  return names.isChanged ? renamed(events, names) : events;
}

async function* renamed(
  events: AsyncGenerator<ProviderEvent, void, undefined>,
  names: PortableNames,
): AsyncGenerator<ProviderEvent, void, undefined> {
  // What the provider's bytes say is in its names, so they are not passed on.
  for await (const event of events)
    yield 'failed' in event ? event : { parts: event.parts.map((p) => ownName(p, names)) };
}

function ownName(part: StreamPart, names: PortableNames): StreamPart {
  return part.type === 'tool-call' ? { ...part, name: names.original(part.name) } : part;
}

// The four provider paths and how the contract suites run them: against the strict wire server, over real sockets.
import { expect } from 'vitest';
import type { Candidate, ProviderKind, ProviderPath } from '../../src/core/candidate.ts';
import type { ChatRequest, StreamPart, Wire } from '../../src/core/chat.ts';
import type { Observation } from '../../src/core/faults/fault.ts';
import type { ProviderEvent } from '../../src/engine/ports.ts';
import type { Providers } from '../../src/adapters/providers/createProviders.ts';
import { createProviders } from '../../src/adapters/providers/createProviders.ts';
import type { FetchFunction } from '../../src/adapters/providers/httpFetch.ts';
import type { WireAnswer, WireServer } from './wireServer.ts';
import { startWireServer, WIRE_KEY } from './wireServer.ts';

/** One way from the port to the network. */
export interface Path {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly wire: Wire;
  readonly path: ProviderPath;
}

/** All of them. */
export const PATHS: readonly Path[] = [
  { name: 'raw, OpenAI wire', kind: 'openai', wire: 'openai-chat', path: 'raw' },
  { name: 'raw, Anthropic wire', kind: 'anthropic', wire: 'anthropic-messages', path: 'raw' },
  { name: 'openai SDK', kind: 'openai-compatible', wire: 'openai-chat', path: 'sdk' },
  { name: 'Anthropic SDK', kind: 'anthropic', wire: 'anthropic-messages', path: 'sdk' },
];

/** A small request that both wires accept. */
export const REQUEST: ChatRequest = {
  model: 'asked',
  system: [{ type: 'text', text: 'Be brief.' }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Read a.ts' }] }],
  tools: [{ name: 'read', parameters: { type: 'object', properties: { path: { type: 'string' } } } }],
  toolChoice: { type: 'auto' },
};

/** Text with characters of two, three and four bytes, in pieces. */
export const TEXTS = ['Grüße', ' – 你好', ' 👋 \u2028end'];
export const WHOLE_TEXT = TEXTS.join('');

/** What one attempt gave. */
export interface Run {
  readonly parts: StreamPart[];
  readonly failed: Observation | null;
}

/** A candidate that takes `path` to `baseUrl`. */
export function candidateOf(path: Path, baseUrl: string): Candidate {
  return {
    ...{ id: 'vendor/main/model@test', providerId: 'vendor', account: 'main', model: 'upstream-{model}' },
    ...{ kind: path.kind, path: path.path, wire: path.wire, baseUrl },
    ...{ family: path.kind === 'openai-compatible' ? 'vendor' : path.kind, auth: 'key', cloud: {}, capabilities: {} },
    ...{ region: 'test', environment: 'local', residency: null, tier: 'medium', priceSource: 'settings' },
    domains: { own: 'own', region: 'test', vendor: 'vendor' },
    price: { inputUsdPerMTok: 1, outputUsdPerMTok: 2 },
    contextWindowTokens: 100_000,
  };
}

/** What a test is given. */
export interface Bench {
  readonly server: WireServer;
  readonly candidate: Candidate;
  readonly providers: Providers;
}

/** Runs `work` with a server that answers its n-th request by `script`, and closes everything. */
export async function withServer<T>(
  path: Path,
  script: (n: number) => WireAnswer,
  work: (bench: Bench) => Promise<T>,
  key: string | null = WIRE_KEY,
  fetch?: FetchFunction,
): Promise<T> {
  const server = await startWireServer(path.wire, script);
  const secrets = (id: string, account: string): Promise<string | null> =>
    Promise.resolve(id === 'vendor' && account === 'main' ? key : null);
  const providers = createProviders({ secrets, ...(fetch ? { fetch } : {}) });
  try {
    return await work({ server, candidate: candidateOf(path, server.baseUrl), providers });
  } finally {
    providers.dispose();
    await server.close();
  }
}

/** All events of one attempt. */
export async function collect(events: AsyncIterable<ProviderEvent>): Promise<ProviderEvent[]> {
  const all: ProviderEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** Parts and failure of the events; a failure must be the last. */
export function runOf(events: readonly ProviderEvent[]): Run {
  const failures = events.flatMap((e, i) => ('failed' in e ? [{ i, failed: e.failed }] : []));
  expect(failures.map((f) => f.i)).toEqual(failures.length === 0 ? [] : [events.length - 1]);
  return { parts: events.flatMap((e) => ('failed' in e ? [] : e.parts)), failed: failures[0]?.failed ?? null };
}

/** One attempt after another at one server; each must ask it exactly once. */
export async function runAll(path: Path, answers: readonly WireAnswer[]): Promise<Run[]> {
  const script = (n: number): WireAnswer => answers[n] ?? { reset: true };
  return withServer(path, script, async ({ server, candidate, providers }) => {
    const runs: Run[] = [];
    for (const [n] of answers.entries()) {
      runs.push(runOf(await collect(providers.stream(REQUEST, candidate, new AbortController().signal))));
      expect(server.seen.length).toBe(n + 1);
    }
    return runs;
  });
}

/** One attempt. */
export async function run(path: Path, answer: WireAnswer): Promise<Run> {
  const [only] = await runAll(path, [answer]);
  if (!only) throw new Error('one answer must give one run');
  return only;
}

/** The types of the parts, in order. */
export function typesOf(parts: readonly StreamPart[]): string[] {
  return parts.map((p) => p.type);
}

/** How many finishes there are. */
export function countFinishes(parts: readonly StreamPart[]): number {
  return parts.filter((p) => p.type === 'finish').length;
}

// All provider paths and how the contract suites run them: against the strict wire server, over real sockets.
import { expect } from 'vitest';
import type { Candidate, CloudFacts, ProviderAuth, ProviderKind, ProviderPath } from '../../src/core/candidate.ts';
import type { ChatRequest, StreamPart, Wire } from '../../src/core/chat.ts';
import type { Observation } from '../../src/core/faults/fault.ts';
import type { ProviderEvent } from '../../src/engine/ports.ts';
import type { ProviderOptions, Providers } from '../../src/adapters/providers/createProviders.ts';
import { createProviders } from '../../src/adapters/providers/createProviders.ts';
import type { SignIn } from '../../src/adapters/providers/signIn.ts';
import { AWS_KEYS, AWS_REGION, framed } from './awsWire.ts';
import { routes, WIRE_PROJECT, WIRE_TOKEN, type WireRoute } from './wireRoutes.ts';
import type { WireAnswer, WireServer, WireStep } from './wireServer.ts';
import { startWireServer, streamed, WIRE_KEY } from './wireServer.ts';

/** One way from the port to the network. */
export interface Path {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly wire: Wire;
  readonly path: ProviderPath;
  readonly route: WireRoute;
  readonly auth: ProviderAuth;
  readonly cloud: CloudFacts;
  readonly region: string;
  /** The name in the settings, and what it must be upstream when `asked` is asked for. */
  readonly model: string;
  readonly upstream: string;
  /** How a stream is framed: as server-sent events, or as AWS's messages. */
  readonly framing: 'sse' | 'aws';
}

type Row = Pick<Path, 'name' | 'kind' | 'route'> & Partial<Path>;

const row = (given: Row): Path => ({
  ...{ wire: given.route.wire, path: 'raw', auth: 'key', cloud: {}, region: 'test', framing: 'sse' },
  ...{ model: 'upstream-{model}', upstream: 'upstream-asked' },
  ...given,
});
const sdk = { path: 'sdk' } as const;
const dated = { cloud: { apiVersion: '2025-04-01-preview' } } as const;
const signedIn = { auth: 'sign-in' } as const;
const bedrock = { kind: 'bedrock', region: AWS_REGION } as const;
const claude = {
  path: 'sdk',
  framing: 'aws',
  model: 'eu.anthropic.claude-{model}-v1:0',
  upstream: 'eu.anthropic.claude-asked-v1:0',
} as const;
const vertex = { kind: 'vertex', region: 'europe-west4', cloud: { project: WIRE_PROJECT }, auth: 'sign-in' } as const;
const google = { model: 'gemini-{model}', upstream: 'google/gemini-asked' } as const;
const prefixed = { model: 'models/upstream-{model}' } as const;

/** All of them. The first four carry most of the load: raw and through the client, either wire. */
export const PATHS: readonly Path[] = [
  row({ name: 'raw, OpenAI wire', kind: 'openai', route: routes.openai }),
  row({ name: 'raw, Anthropic wire', kind: 'anthropic', route: routes.anthropic }),
  row({ name: 'openai SDK', kind: 'openai-compatible', route: routes.openai, ...sdk }),
  row({ name: 'Anthropic SDK', kind: 'anthropic', route: routes.anthropic, ...sdk }),
  row({ name: 'Bedrock Claude, key', route: routes.bedrock, ...bedrock, ...claude }),
  row({ name: 'Bedrock Claude, signed', route: routes.bedrockSigned, ...bedrock, ...claude, ...signedIn }),
  row({ name: 'Bedrock OpenAI wire, raw, key', route: routes.bedrockOpenai, ...bedrock }),
  row({ name: 'Bedrock OpenAI wire, raw, signed', route: routes.bedrockOpenaiSigned, ...bedrock, ...signedIn }),
  row({ name: 'Bedrock OpenAI wire, SDK, signed', route: routes.bedrockOpenaiSigned, ...bedrock, ...signedIn, ...sdk }),
  row({ name: 'Vertex Claude', route: routes.vertex, ...vertex, ...sdk }),
  row({ name: 'Vertex OpenAI wire, raw', route: routes.vertexOpenai, ...vertex, ...google }),
  row({ name: 'Vertex OpenAI wire, SDK', route: routes.vertexOpenai, ...vertex, ...google, ...sdk }),
  row({ name: 'Azure v1, raw', kind: 'azure', route: routes.azure }),
  row({ name: 'Azure v1, SDK', kind: 'azure', route: routes.azure, ...sdk }),
  row({ name: 'Azure v1, raw, Entra', kind: 'azure', route: routes.azureEntra, ...signedIn }),
  row({ name: 'Azure v1, SDK, Entra', kind: 'azure', route: routes.azureEntra, ...signedIn, ...sdk }),
  row({ name: 'Azure deployments, raw', kind: 'azure', route: routes.deployments, ...dated }),
  row({ name: 'Azure deployments, SDK', kind: 'azure', route: routes.deployments, ...dated, ...sdk }),
  row({ name: 'Gemini, raw', kind: 'gemini', route: routes.gemini, ...prefixed }),
  row({ name: 'Gemini, SDK', kind: 'gemini', route: routes.gemini, ...prefixed, ...sdk }),
  row({ name: 'raw, compatible server', kind: 'openai-compatible', route: routes.openai }),
  row({ name: 'openai SDK, OpenAI', kind: 'openai', route: routes.openai, ...sdk }),
];

/** The paths of which every other one is a variant in address or proof: enough for what depends on neither. */
export const MAIN_PATHS = PATHS.slice(0, 5);

/** What must be in the headers of a request, and in no message. */
export function secretOf(path: Path): string {
  if (path.route.proof === 'signature') return AWS_KEYS.sessionToken;
  return path.auth === 'sign-in' ? WIRE_TOKEN : WIRE_KEY;
}

/** The family in observations. */
export function familyOf({ kind }: Path): string {
  return kind === 'openai-compatible' ? 'vendor' : kind;
}

/** Everybody is signed in. */
export const SIGNED_IN: SignIn = {
  entraToken: () => Promise.resolve({ secret: WIRE_TOKEN, expiresAtMs: null }),
  googleToken: () => Promise.resolve({ secret: WIRE_TOKEN, expiresAtMs: null }),
  awsKeys: () => Promise.resolve({ ...AWS_KEYS, expiresAtMs: null }),
};

/** Bytes of an event of the wire's script as this path's server frames it. */
export function encoded({ framing }: Path, event: string): Uint8Array {
  return framing === 'aws' ? framed(event) : Buffer.from(event);
}

/** An answer that sends each event as one write. */
export function answered(path: Path, events: readonly string[], end?: WireStep): WireAnswer {
  return answeredBytes(
    path,
    events.map((event) => encoded(path, event)),
    end,
  );
}

/** An answer of bytes that are framed already. */
export function answeredBytes(path: Path, writes: readonly (string | Uint8Array)[], end?: WireStep): WireAnswer {
  return { ...streamed(writes, end), headers: { 'content-type': streamType(path) } };
}

/** The content type of a stream. */
export function streamType({ framing }: Path): string {
  return framing === 'aws' ? 'application/vnd.amazon.eventstream' : 'text/event-stream; charset=utf-8';
}

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
    ...{ id: 'vendor/main/model@test', providerId: 'vendor', account: 'main', model: path.model, baseUrl },
    ...{ kind: path.kind, path: path.path, wire: path.wire, auth: path.auth, cloud: path.cloud, region: path.region },
    ...{ family: familyOf(path), capabilities: {}, environment: 'local', residency: null, tier: 'medium' },
    domains: { own: 'own', region: 'test', vendor: 'vendor' },
    price: { inputUsdPerMTok: 1, outputUsdPerMTok: 2 },
    priceSource: 'settings',
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
  options: Partial<ProviderOptions> = {},
): Promise<T> {
  const server = await startWireServer(path.route, script, key === '');
  const secrets = (id: string, account: string): Promise<string | null> =>
    Promise.resolve(id === 'vendor' && account === 'main' ? key : null);
  const providers = createProviders({ secrets, signIn: SIGNED_IN, ...options });
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

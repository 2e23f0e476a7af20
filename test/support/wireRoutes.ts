// The addresses, credentials and forms of request that the wire server knows, one per kind of provider and API.
import type { IncomingHttpHeaders } from 'node:http';
import type { Wire } from '../../src/core/chat.ts';
import { signatureViolations } from './awsWire.ts';

/** The only key the server accepts. */
export const WIRE_KEY = 'sk-test-key-0123456789';
/** The only token of a cloud's sign-in the server accepts. */
export const WIRE_TOKEN = 'ya29.test-token-0123456789';
/** The project that pays. */
export const WIRE_PROJECT = 'project-1';

/** How a request must prove who it is from. */
export type Proof = 'bearer-key' | 'bearer-token' | 'api-key' | 'x-api-key' | 'signature';

/** One API. */
export interface WireRoute {
  readonly wire: Wire;
  /** What the candidate's base URL has after the server's own address. */
  readonly base: string;
  /** The path that is asked; `model` is a name in it. */
  readonly path: RegExp;
  /** The whole query. */
  readonly query?: string;
  readonly proof: Proof;
  /** Claude in a cloud: the version in the body, and what else of the body is in the path instead. */
  readonly claude?: { readonly version: string; readonly inPath: readonly string[] };
}

const OPENAI = { wire: 'openai-chat', base: '/v1', path: /^\/v1\/chat\/completions$/, proof: 'bearer-key' } as const;
const AZURE = { wire: 'openai-chat', base: '', path: /^\/openai\/v1\/chat\/completions$/, proof: 'api-key' } as const;
const DEPLOYMENTS = {
  ...AZURE,
  base: '/',
  path: /^\/openai\/deployments\/(?<model>[^/]+)\/chat\/completions$/,
  query: 'api-version=2025-04-01-preview',
} as const;
const BEDROCK = {
  wire: 'anthropic-messages',
  base: '',
  path: /^\/model\/(?<model>[^/]+)\/invoke-with-response-stream$/,
  proof: 'bearer-key',
  claude: { version: 'bedrock-2023-05-31', inPath: ['model', 'stream'] },
} as const;
const BEDROCK_OPENAI = { ...OPENAI, base: '/openai/v1', path: /^\/openai\/v1\/chat\/completions$/ } as const;
const VERTEX = {
  wire: 'anthropic-messages',
  base: '/v1',
  path: new RegExp(
    `^/v1/projects/${WIRE_PROJECT}/locations/europe-west4/publishers/anthropic/models/(?<model>[^/]+):streamRawPredict$`,
  ),
  proof: 'bearer-token',
  claude: { version: 'vertex-2023-10-16', inPath: ['model'] },
} as const;
const VERTEX_BASE = `/v1/projects/${WIRE_PROJECT}/locations/europe-west4/endpoints/openapi`;

/** All of them by name. */
export const routes = {
  openai: OPENAI,
  anthropic: { wire: 'anthropic-messages', base: '', path: /^\/v1\/messages$/, proof: 'x-api-key' },
  azure: AZURE,
  azureEntra: { ...AZURE, base: '/openai/v1/', proof: 'bearer-token' },
  deployments: DEPLOYMENTS,
  bedrock: BEDROCK,
  bedrockSigned: { ...BEDROCK, proof: 'signature' },
  bedrockOpenai: BEDROCK_OPENAI,
  bedrockOpenaiSigned: { ...BEDROCK_OPENAI, proof: 'signature' },
  vertex: VERTEX,
  vertexOpenai: {
    wire: 'openai-chat',
    base: VERTEX_BASE,
    path: new RegExp(`^${VERTEX_BASE}/chat/completions$`),
    proof: 'bearer-token',
  },
  gemini: { ...OPENAI, base: '/v1beta/openai', path: /^\/v1beta\/openai\/chat\/completions$/ },
} as const satisfies Record<string, WireRoute>;

/** The route of a wire's own vendor. */
export function routeOf(wire: Wire): WireRoute {
  return wire === 'anthropic-messages' ? routes.anthropic : routes.openai;
}

const AUTHENTICATION = ['authorization', 'x-api-key', 'api-key'] as const;
const EXPECTED: Readonly<Record<Exclude<Proof, 'signature'>, readonly [string, string]>> = {
  'bearer-key': ['authorization', `Bearer ${WIRE_KEY}`],
  'bearer-token': ['authorization', `Bearer ${WIRE_TOKEN}`],
  'api-key': ['api-key', WIRE_KEY],
  'x-api-key': ['x-api-key', WIRE_KEY],
};

/** What is wrong with a request's proof; a server without keys wants none at all. */
export function proofViolations(
  { proof }: WireRoute,
  isKeyless: boolean,
  request: {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly bodyText: string;
  },
): string[] {
  const given = AUTHENTICATION.filter((name) => request.headers[name] !== undefined);
  if (isKeyless) return given.map((name) => `authentication: ${name} to a server without keys`);
  if (proof === 'signature') {
    const more = given.filter((name) => name !== 'authorization').map((name) => `authentication: ${name}`);
    return [...more, ...signatureViolations(request).map((violation) => `signature: ${violation}`)];
  }
  const [name, value] = EXPECTED[proof];
  const isRight = request.headers[name] === value && given.length === 1;
  return isRight ? [] : [`authentication: ${given.join() || 'none'}`];
}

/** A body as the wire's own vendor would get it, and what is wrong with the cloud's form of it. */
export function plainBody(
  { path: pattern, claude }: WireRoute,
  path: string,
  body: unknown,
): { readonly body: unknown; readonly violations: readonly string[] } {
  const named = pattern.exec(path.split('?', 1)[0] ?? '')?.groups?.model;
  const model = named === undefined ? {} : { model: decodeURIComponent(named) };
  if (typeof body !== 'object' || body === null) return { body, violations: [] };
  if (!claude) return { body: { ...body, ...model }, violations: [] };
  const { anthropic_version: version, ...rest } = body as Readonly<Record<string, unknown>>; // An object, see above.
  const stray = claude.inPath.filter((field) => field in rest);
  return {
    body: { ...rest, ...model, ...(claude.inPath.includes('stream') ? { stream: true } : {}) },
    violations: [
      ...(version === claude.version ? [] : [`anthropic_version: ${String(version)}`]),
      ...stray.map((field) => `${field}: not in this body`),
    ],
  };
}

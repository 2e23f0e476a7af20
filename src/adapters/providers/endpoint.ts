// Where a request goes and under whose name: addresses, authentication and the caller's headers that may travel.
// The caller's own credentials never do.
import type { Candidate } from '../../core/candidate.ts';
import type { Wire } from '../../core/chat.ts';

/** The version of the Messages wire that our translators write; a caller's own version goes first. */
const ANTHROPIC_VERSION = '2023-06-01';

const WIRE_PATHS: Readonly<Record<Wire, string>> = {
  'openai-chat': '/chat/completions',
  'openai-responses': '/responses',
  'anthropic-messages': '/v1/messages',
};

/** Headers of the caller that change how the wire is spoken or who it is spoken for, and hold no secret. */
const CALLER_HEADERS = [
  'anthropic-beta',
  'anthropic-version',
  'openai-beta',
  'openai-organization',
  'openai-project',
  'user-agent',
  'http-referer',
  'x-title',
];

/** The base URL as the wire's paths are added to it: no slash at the end, and no `/v1` where the paths bring it. */
export function baseOf(baseUrl: string, wire: Wire): string {
  const trimmed = baseUrl.trim().replace(/\/+$/, '');
  return wire === 'anthropic-messages' ? trimmed.replace(/\/v1$/, '') : trimmed;
}

/** A full address, or null where the base URL is no http(s) address. A query of the base URL is kept. */
export function urlOf(baseUrl: string, wire: Wire, path: string): URL | null {
  const [address = '', query] = baseUrl.split('?', 2);
  const text = `${baseOf(address, wire)}${path}${query === undefined ? '' : `?${query}`}`;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : null;
}

/** The address that a candidate's requests are sent to, or null (see `urlOf`). */
export function endpointOf(candidate: Pick<Candidate, 'baseUrl' | 'wire'>): URL | null {
  return urlOf(candidate.baseUrl, candidate.wire, WIRE_PATHS[candidate.wire]);
}

/** Authentication by wire; an empty key means a server that wants none. */
export function authHeaders(wire: Wire, key: string): Record<string, string> {
  if (key === '') return {};
  // OAuth tokens of Anthropic are bearer tokens, its API keys have their own header.
  if (wire === 'anthropic-messages' && !key.startsWith('sk-ant-oat')) return { 'x-api-key': key };
  return { authorization: `Bearer ${key}` };
}

/** Headers every request of a wire carries. */
export function wireHeaders(wire: Wire): Record<string, string> {
  return wire === 'anthropic-messages' ? { 'anthropic-version': ANTHROPIC_VERSION } : {};
}

/** The part of the caller's headers that may go to the provider. */
export function callerHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(
    CALLER_HEADERS.flatMap((name) => {
      const value = lower.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The model name sent upstream. */
export function upstreamModel(candidate: Pick<Candidate, 'model'>, askedModel: string): string {
  return candidate.model.replaceAll('{model}', () => askedModel);
}

/** Whose thinking signatures a candidate makes and accepts. */
export function issuerOf(candidate: Pick<Candidate, 'kind'>): string {
  return candidate.kind;
}

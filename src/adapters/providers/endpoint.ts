// Where a request goes and under whose name: addresses, the name of the model and the caller's headers that may travel.
// The caller's own credentials never do. Azure's addresses: learn.microsoft.com/azure/foundry/openai/api-version-lifecycle.
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

/** What an address depends on. */
export type Placed = Pick<Candidate, 'kind' | 'wire' | 'baseUrl' | 'cloud'>;

/** A base URL in two parts: its address without a slash at the end, and its query without the question mark. */
function partsOf(baseUrl: string): { readonly address: string; readonly query: string } {
  const text = baseUrl.trim();
  const end = text.indexOf('?');
  const address = end === -1 ? text : text.slice(0, end);
  return { address: address.replace(/\/+$/, ''), query: end === -1 ? '' : text.slice(end + 1) };
}

/** What the wire's own paths are added to. The same for both paths of a provider. */
export function baseOf({ kind, wire, baseUrl, cloud }: Placed): string {
  const { address } = partsOf(baseUrl);
  // The paths of Anthropic's own API bring the version with them; those of Google's copy of it do not.
  if (kind === 'anthropic') return address.replace(/\/v1$/, '');
  // Bedrock's Claude has no version in its address.
  if (kind === 'bedrock' && wire === 'anthropic-messages') return address.replace(/\/openai(?:\/v1)?$/, '');
  if (kind !== 'azure') return address;
  return `${azureRoot(baseUrl)}/openai${cloud.apiVersion === undefined ? '/v1' : ''}`;
}

/** An Azure resource without what people paste after it (`/openai/v1`, `/openai/deployments/...`). */
export function azureRoot(baseUrl: string): string {
  return partsOf(baseUrl).address.replace(/\/openai(?:\/.*)?$/, '');
}

/** The query of every request: that of the base URL, and the version of Azure's older API. */
function queryOf({ kind, baseUrl, cloud }: Placed): Record<string, string> {
  const own = Object.fromEntries(new URLSearchParams(partsOf(baseUrl).query));
  return kind === 'azure' && cloud.apiVersion !== undefined ? { ...own, 'api-version': cloud.apiVersion } : own;
}

/** The full address of a path below the base, or null where the base URL is no http(s) address. */
export function urlOf(placed: Placed, path: string): URL | null {
  const text = `${baseOf(placed)}${path}`;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  for (const [name, value] of Object.entries(queryOf(placed))) url.searchParams.set(name, value);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : null;
}

/** The address that a candidate's requests for `askedModel` are sent to, or null (see `urlOf`). Names in it: see target. */
export function endpointOf(candidate: Placed & Pick<Candidate, 'model' | 'region'>, askedModel: string): URL | null {
  return urlOf(candidate, pathOf(candidate, inPath(upstreamModel(candidate, askedModel))));
}

function pathOf({ kind, wire, cloud, region }: Placed & Pick<Candidate, 'region'>, model: string): string {
  if (kind === 'azure' && cloud.apiVersion !== undefined) return `/deployments/${model}${WIRE_PATHS[wire]}`;
  if (wire !== 'anthropic-messages') return WIRE_PATHS[wire];
  if (kind === 'bedrock') return `/model/${model}/invoke-with-response-stream`;
  if (kind !== 'vertex') return WIRE_PATHS[wire];
  const place = `/projects/${inPath(cloud.project ?? '')}/locations/${inPath(region)}`;
  return `${place}/publishers/anthropic/models/${model}:streamRawPredict`;
}

/** One segment of a path; the clouds' own names have colons and at-signs, which may stand there as they are. */
function inPath(name: string): string {
  return encodeURIComponent(name).replaceAll('%3A', ':').replaceAll('%40', '@');
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

/** The model name sent upstream. Google lists its models as `models/NAME` and, on Vertex, knows them as `google/NAME`. */
export function upstreamModel({ kind, model }: Pick<Candidate, 'kind' | 'model'>, askedModel: string): string {
  const name = model.replaceAll('{model}', () => askedModel);
  if (kind === 'gemini') return name.replace(/^models\//, '');
  return kind === 'vertex' && name.startsWith('gemini-') ? `google/${name}` : name;
}

/** Where Claude's own signatures are made and checked: one on each platform is good on the others (docs.claude.com, extended thinking). */
const CLAUDE_HOSTS: Readonly<Partial<Record<Candidate['kind'], RegExp>>> = {
  anthropic: /^api\.anthropic\.com$/,
  bedrock: /\.amazonaws\.com(?:\.cn)?$/,
  vertex: /(?:^|[.-])aiplatform(?:\.[a-z]+\.rep)?\.googleapis\.com$/,
};

/** The issuer of Claude's signatures on Anthropic's own API and on both clouds. */
export const CLAUDE_ISSUER = 'anthropic';

/**
 * Whose reasoning a candidate makes and accepts. Another server that speaks Anthropic's wire, a proxy included, is an
 * issuer of its own: whether it passes signatures on is not known.
 */
export function issuerOf({
  kind,
  family,
  wire,
  baseUrl,
}: Pick<Candidate, 'kind' | 'family' | 'wire' | 'baseUrl'>): string {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
  const isClaude = wire === 'anthropic-messages' && (CLAUDE_HOSTS[kind]?.test(host) ?? false);
  return isClaude ? CLAUDE_ISSUER : `${family}@${host}`;
}

// Where data is processed, as a tag that a residency rule can name. Read from the cloud's own region names, and from models
// and addresses that say otherwise; what cannot be told for sure has no tag, and a rule lets nothing pass that has none.
// Sources: AWS on cross-region inference profiles (`eu.`, `global.` before a model's id), OpenAI on data residency (a host per
// place), Azure on deployment types (a global deployment is processed anywhere, whatever the region of its resource).
import type { Candidate } from '../candidate.ts';

/** Region name patterns of AWS, Azure and Google, and the tag they stand for. The first that matches decides. */
const TAGS: readonly (readonly [RegExp, string])[] = [
  // "global" and cross-region profiles may run anywhere.
  [/^(?:global|default|auto|any)$/, ''],
  [/^(?:us-gov-|usgov)/, 'us-gov'],
  [/^(?:cn-|china)/, 'cn'],
  [/^(?:us$|us-|northamerica-south|(?:east|west|central|northcentral|southcentral|westcentral)us\d?$)/, 'us'],
  [/^(?:ca-|northamerica-northeast|canada)/, 'ca'],
  [/^(?:uk|europe-west2$|eu-west-2$)/, 'uk'],
  [/^(?:ch|switzerland|europe-west6$|eu-central-2$)/, 'ch'],
  [/^norway/, 'no'],
  [
    /^(?:eu$|eu-|europe-|(?:north|west)europe$|france|germany|sweden|italy|poland|spain|austria|belgium|denmark|finland)/,
    'eu',
  ],
  [/^(?:ap-northeast-[13]$|asia-northeast[12]$|japan)/, 'jp'],
  [/^(?:ap-south-|asia-south[12]$|(?:central|south|west)india$|jioindia)/, 'in'],
  [/^(?:ap-southeast-[24]$|australia)/, 'au'],
];

/** The residency tag of a region's name, or null where it does not say for sure. Lower and upper case are one. */
export function residencyOf(region: string): string | null {
  const name = region.trim().toLowerCase();
  const tag = TAGS.find(([pattern]) => pattern.test(name))?.[1];
  return tag === undefined || tag === '' ? null : tag;
}

/** What of a candidate says where its data is processed. `baseUrl`: the address in use, after all defaults. */
type Whereabouts = Pick<Candidate, 'baseUrl' | 'kind' | 'model' | 'region'>;

/** Hosts that serve the whole world under one name; what a person calls their region says nothing. */
const WORLDWIDE =
  /(?:^|\.)(?:api\.openai\.com|anthropic\.com|generativelanguage\.googleapis\.com|openrouter\.ai|groq\.com|mistral\.ai|deepseek\.com|x\.ai|together\.(?:xyz|ai)|fireworks\.ai|cerebras\.ai|github\.ai)$/;
/** OpenAI's hosts of one place. Its other places are not listed here: their names do not say enough. */
const OPENAI_PLACES: Readonly<Record<string, string>> = { 'eu.api.openai.com': 'eu', 'us.api.openai.com': 'us' };

/** Makers of Bedrock's models: an id that begins with another word begins with the name of a cross-region profile. */
const BEDROCK_MAKERS =
  /^(?:ai21|amazon|anthropic|cohere|deepseek|google|luma|meta|minimax|mistral|moonshot|moonshotai|nvidia|openai|qwen|stability|twelvelabs|writer|zai)$/;
/** Profiles that are known to leave every single place. */
const WORLDWIDE_PROFILE = /^global\./i;

/**
 * The residency tag of a candidate, or null where nobody knows for sure. `claim` is what the settings say of the region: it
 * counts but where the model alone shows that it cannot be so (a worldwide profile, a name that each caller chooses).
 *
 * Bedrock, Vertex: the region's name, where the address in use is that region's and the model is no profile of another place.
 * OpenAI, Anthropic, Gemini and presets at the vendor's own address: the host alone. Azure and VS Code: nothing but a claim,
 * for neither a deployment's type nor the editor's server can be seen. Any other server: the name, which is its owner's word.
 */
export function processedIn({ baseUrl, kind, model, region }: Whereabouts, claim?: string): string | null {
  if (kind === 'bedrock' && (WORLDWIDE_PROFILE.test(model) || model.includes('{'))) return null;
  if (claim !== undefined) return claim.trim().toLowerCase();
  const named = residencyOf(region);
  switch (kind) {
    case 'vscode':
    case 'azure':
      return null;
    case 'bedrock':
      return isAddressOf(baseUrl, region) && isWithin(model, named) ? named : null;
    case 'vertex':
      return isAddressOf(baseUrl, region) ? named : null;
    case 'openai':
    case 'anthropic':
    case 'gemini':
    case 'openai-compatible': {
      const host = hostOf(baseUrl);
      const place = Object.hasOwn(OPENAI_PLACES, host) ? OPENAI_PLACES[host] : undefined;
      return place ?? (WORLDWIDE.test(host) ? null : named);
    }
  }
}

/** Whether the id of a Bedrock model is served within the place: a model of the region, or a profile of the same place. */
function isWithin(model: string, named: string | null): boolean {
  const [first = '', ...rest] = model.toLowerCase().split('.');
  // An ARN, or the id of a profile that somebody made.
  if (model.startsWith('arn:') || /^[a-z0-9]{12}$/.test(model)) return false;
  return rest.length === 0 || BEDROCK_MAKERS.test(first) || first === named;
}

/** An address that does not name the region may be anywhere: a proxy, or another region. */
function isAddressOf(baseUrl: string, region: string): boolean {
  const name = region.trim().toLowerCase();
  return baseUrl
    .toLowerCase()
    .split(/[./:?#]/)
    .some((part) => part === name || part === `${name}-aiplatform`);
}

function hostOf(baseUrl: string): string {
  const place = /^https?:[/\\]*(?:[^/\\?#]*@)?([^/\\?#:]*)/i.exec(baseUrl.trim())?.[1] ?? '';
  return place.toLowerCase().replace(/\.$/, '');
}

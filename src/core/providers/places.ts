// Names that become part of an address: regions, projects, models, and base URLs as a person writes them. A name that could
// change the host or the path would send code to somebody else, so only what a cloud's own names are made of is let through.
// Sources: the clouds' rules for names (AWS Regions; Google Cloud projects; Azure deployments; Bedrock model ids and ARNs).
import type { Candidate, ProviderKind } from '../candidate.ts';
import { kindFacts } from './kinds.ts';

/** `eu-central-1`, `global`. */
const REGION = /^[a-z0-9]{1,30}(?:-[a-z0-9]{1,30}){0,5}$/;
/** `my-project`, a project's number, or `example.com:my-project` of old. */
const PROJECT = /^(?:[a-z0-9][a-z0-9.-]{0,62}:)?[a-z0-9][a-z0-9-]{0,62}$/;
/** URL parsers take any number of slashes, and backslashes for slashes. */
const SCHEME = /^https?:[/\\]*/i;

/** What a model's name may be made of where it stands in an address. */
interface PathName {
  readonly shape: RegExp;
  readonly meant: string;
}

const DEPLOYMENT: PathName = {
  shape: /^[\w.-]+$/,
  meant: 'a deployment has letters, digits, dots, dashes and underscores',
};
const BEDROCK_CLAUDE: PathName = {
  shape: /^[\w.:/-]+$/,
  meant: 'a Bedrock model is an id like anthropic.claude-sonnet-4-5-20250929-v1:0 or an ARN',
};
const VERTEX_CLAUDE: PathName = {
  shape: /^[\w.@-]+$/,
  meant: 'a Vertex model of Anthropic is a name like claude-sonnet-4-5@20250929',
};

/** What decides whether the name of the model stands in the address. */
type Placed = Pick<Candidate, 'kind' | 'wire'> & { readonly apiVersion: string | undefined };

function pathNameOf({ kind, wire, apiVersion }: Placed): PathName | null {
  if (kind === 'azure' && apiVersion !== undefined) return DEPLOYMENT;
  if (wire !== 'anthropic-messages') return null;
  return kind === 'bedrock' ? BEDROCK_CLAUDE : kind === 'vertex' ? VERTEX_CLAUDE : null;
}

/** What is wrong with a model's name for the address it stands in, and the remedy; null: nothing. */
export function modelMisfit(name: string, placed: Placed): string | null {
  const pathName = pathNameOf(placed);
  if (pathName === null) return null;
  const isStep = name.split('/').some((part) => part === '' || part === '.' || part === '..');
  return isStep || !pathName.shape.test(name) ? `is no name of a model: ${pathName.meant}` : null;
}

/** What is wrong with the name of a cloud's region; null: nothing, or the kind has no regions of its own. */
export function regionMisfit(name: string, kind: ProviderKind): string | null {
  if (!kindFacts[kind].needsRegion || REGION.test(name)) return null;
  return `is no name of a region of ${kindFacts[kind].label}: it has small letters, digits and dashes only`;
}

/** What is wrong with the name of a Google project; null: nothing, or none is needed. */
export function projectMisfit(name: string | undefined, kind: ProviderKind): string | null {
  if (kind !== 'vertex' || name === undefined || PROJECT.test(name)) return null;
  return 'is no id of a Google Cloud project: it has small letters, digits and dashes only';
}

/** What is wrong with a base URL that is an http(s) address; null: nothing. Its text is never part of the answer. */
export function baseUrlMisfit(baseUrl: string): string | null {
  const address = baseUrl.trim();
  if (!SCHEME.test(address)) return 'is no http or https address; correct it';
  const [place = ''] = address.replace(SCHEME, '').split(/[/\\?#]/, 1);
  if (place.includes('@'))
    return 'holds a user name or a password, which settings do not keep secret; take it out and store a key instead';
  return address.includes('#') ? 'has a fragment (#...), which no server is ever told; take it out' : null;
}

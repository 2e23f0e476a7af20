// Where one attempt goes, or why it goes nowhere. The settings name such problems beforehand; this is the check that nothing
// gets past, for candidates from wherever: no region, project or model (which a caller may name) changes the host or the path.
import type { Candidate } from '../../core/candidate.ts';
import { baseUrlMisfit, modelMisfit, projectMisfit, regionMisfit } from '../../core/providers/places.ts';
import { endpointOf, upstreamModel } from './endpoint.ts';
import { TROUBLE_CODES, trouble, type Trouble } from './trouble.ts';

const SECRET_NAME = /key|token|secret|sig|code|auth|pass/i;

/** What of a candidate names a place. */
export type Place = Pick<Candidate, 'kind' | 'region' | 'baseUrl' | 'cloud'>;

/** What is wrong with a place, as a sentence that shows no address (it may hold a secret); null: nothing. */
export function placeTrouble({ kind, region, baseUrl, cloud }: Place, owner: string): Trouble | null {
  const address = baseUrlMisfit(baseUrl) ?? (isPlain(baseUrl) ? null : 'is no http or https address; correct it');
  if (address !== null) return trouble(TROUBLE_CODES.badBaseUrl, `The base URL of ${owner} ${address}.`);
  const name = regionMisfit(region, kind);
  if (name !== null) return unusable(`Region ${JSON.stringify(region)} of ${owner} ${name}.`);
  const project = projectMisfit(cloud.project, kind);
  return project === null ? null : unusable(`Project ${JSON.stringify(cloud.project)} of ${owner} ${project}.`);
}

/** The same question put to the parser that the request will go through. */
function isPlain(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl.trim())) return false;
  const { protocol, username, password, hash } = new URL(baseUrl.trim());
  return /^https?:$/.test(protocol) && `${username}${password}${hash}` === '';
}

/** The address of an attempt. */
export function targetOf(candidate: Candidate, askedModel: string): URL | Trouble {
  const { id, providerId, kind, wire, cloud } = candidate;
  const why = placeTrouble(candidate, `provider "${providerId}"`);
  if (why) return why;
  const model = upstreamModel(candidate, askedModel);
  const name = modelMisfit(model, { kind, wire, apiVersion: cloud.apiVersion });
  if (name !== null) return unusable(`${JSON.stringify(model)}, asked of candidate "${id}", ${name}.`);
  if (kind === 'vertex' && wire === 'anthropic-messages' && cloud.project === undefined)
    return unusable(
      `Candidate "${id}" has no Google Cloud project. Name the one that pays in the provider's "project".`,
    );
  return (
    endpointOf(candidate, askedModel) ??
    trouble(TROUBLE_CODES.badBaseUrl, `The base URL of provider "${providerId}" is no http or https address.`)
  );
}

function unusable(message: string): Trouble {
  return trouble(TROUBLE_CODES.unsupportedCandidate, message);
}

/** Keys that a base URL has in its query, which servers quote back in their errors. */
export function secretsInQuery(url: URL): readonly string[] {
  return [...url.searchParams].flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : []));
}

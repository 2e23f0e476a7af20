// What each kind is asked to see whether it works: which addresses, and what in the answer is a model that can be used.
// No prompt is sent anywhere. Sources: the kinds' own references for listing models; learn.microsoft.com (deployments),
// docs.aws.amazon.com/bedrock/latest/APIReference (ListFoundationModels), docs.cloud.google.com/vertex-ai (publishers.models).
import type { Candidate } from '../../core/candidate.ts';
import { azureRoot, baseOf, urlOf, wireHeaders, type Placed } from './endpoint.ts';
import { listOf, recordOf, textOf, type JsonRecord } from './json.ts';

/** What is checked. */
export type ProbeTarget = Pick<Candidate, 'kind' | 'baseUrl' | 'auth' | 'cloud' | 'region'>;

/** One GET. */
export interface ProbeCall {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The models in a parsed answer; null where it is something else. */
  readonly read: (answer: unknown) => string[] | null;
}

/** How a kind is checked. */
export interface ProbePlan {
  /** Its answer decides. */
  readonly main: ProbeCall;
  /** Adds to the list; its failure is no failure. */
  readonly more: readonly ProbeCall[];
  /** Whether an answer of `main` means only that listing is not for this account, and what may show the rest then. */
  readonly unlisted?: {
    readonly isMeant: (status: number, text: string) => boolean;
    /** Asked next; null: nothing more needs to be shown. */
    readonly url: URL | null;
  };
}

/** Lists deployments by name; newer versions of the API have no such list. */
const AZURE_DEPLOYMENTS_VERSION = '2022-12-01';

/** The plan for a provider, or null where its base URL is no http(s) address. */
export function probePlan(target: ProbeTarget): ProbePlan | null {
  switch (target.kind) {
    case 'azure':
      return azurePlan(target);
    case 'bedrock':
      return bedrockPlan(target);
    case 'vertex':
      return vertexPlan(target);
    case 'anthropic':
      return plainPlan({ ...target, wire: 'anthropic-messages' }, '/v1/models?limit=1000');
    case 'openai':
    case 'gemini':
    case 'openai-compatible':
    case 'vscode':
      return plainPlan({ ...target, wire: 'openai-chat' }, '/models');
  }
}

function plainPlan(placed: Placed, path: string): ProbePlan | null {
  const url = urlOf(placed, path);
  return url && { main: { url, headers: wireHeaders(placed.wire), read: idsOfData }, more: [] };
}

/** The ids of `{"data": [{"id": ...}]}`. */
function idsOfData(answer: unknown): string[] | null {
  // Google's list has its own prefix before each name.
  return textsOf(recordOf(answer)?.data, (model) => textOf(model.id)?.replace(/^models\//, ''));
}

/** One text of every item; null where it is no list, or an item has none. */
function textsOf(list: unknown, read: (item: JsonRecord) => string | undefined): string[] | null {
  if (!Array.isArray(list)) return null;
  const texts = listOf(list).map((item) => read(recordOf(item) ?? {}));
  return texts.every((text) => text !== undefined) ? texts : null;
}

/** Azure's models are a resource's deployments; the list of what could be deployed names nothing that can be asked. */
function azurePlan(target: ProbeTarget): ProbePlan | null {
  const placed = { ...target, wire: 'openai-chat' } as const;
  const check = urlOf(placed, '/models');
  if (!check) return null;
  const url = new URL(`${azureRoot(target.baseUrl)}/openai/deployments`);
  url.searchParams.set('api-version', AZURE_DEPLOYMENTS_VERSION);
  return {
    main: { url, headers: {}, read: idsOfData },
    more: [],
    unlisted: { isMeant: (status) => status === 400 || status === 404 || status === 405, url: check },
  };
}

/** Bedrock's list is on another host than its models. */
function bedrockPlan(target: ProbeTarget): ProbePlan | null {
  const base = urlOf({ ...target, wire: 'anthropic-messages' }, '');
  if (!base) return null;
  const root = new URL(base.origin);
  root.hostname = root.hostname.replace(/^bedrock-(?:runtime|mantle)(?=[.-])/, 'bedrock');
  return {
    main: { url: new URL('/foundation-models?byOutputModality=TEXT', root), headers: {}, read: foundationModels },
    more: [{ url: new URL('/inference-profiles?maxResults=1000', root), headers: {}, read: inferenceProfiles }],
    unlisted: {
      // AWS knows who asks and says what exactly is not allowed; a wrong key is answered in other words.
      isMeant: (status, text) => status === 403 && text.includes('not authorized to perform: bedrock:List'),
      url: null,
    },
  };
}

function foundationModels(answer: unknown): string[] | null {
  const models = recordOf(answer)?.modelSummaries;
  if (!Array.isArray(models)) return null;
  const usable = listOf(models).filter((model) => {
    const { inferenceTypesSupported, responseStreamingSupported } = recordOf(model) ?? {};
    // The others are reached by an inference profile only.
    return responseStreamingSupported !== false && listOf(inferenceTypesSupported).includes('ON_DEMAND');
  });
  return textsOf(usable, (model) => textOf(model.modelId));
}

function inferenceProfiles(answer: unknown): string[] | null {
  return textsOf(recordOf(answer)?.inferenceProfileSummaries, (profile) => textOf(profile.inferenceProfileId));
}

/** Google lists models by publisher, on behalf of a project. */
function vertexPlan(target: ProbeTarget): ProbePlan | null {
  const base = urlOf({ ...target, wire: 'openai-chat' }, '');
  if (!base) return null;
  const { project = '' } = target.cloud;
  const [before = ''] = baseOf({ ...target, wire: 'openai-chat' }).split(/\/v1(?:beta1)?(?:\/|$)/);
  const call = (publisher: string): ProbeCall => ({
    url: new URL(`${before}/v1beta1/publishers/${publisher}/models?pageSize=300`),
    headers: project === '' ? {} : { 'x-goog-user-project': project },
    read: publisherModels,
  });
  return {
    main: call('google'),
    more: [call('anthropic')],
    unlisted: {
      // Listing needs a right that using the models does not: then whether the project may be used in the region.
      isMeant: (status) => status === 403 || status === 404,
      url: new URL(
        `${before}/v1/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(target.region)}`,
      ),
    },
  };
}

function publisherModels(answer: unknown): string[] | null {
  return textsOf(recordOf(answer)?.publisherModels, (model) => nameOfPublished(textOf(model.name) ?? ''));
}

/** `publishers/google/models/NAME` as the model is asked for: Claude by its name, the others as `publisher/NAME`. */
function nameOfPublished(name: string): string | undefined {
  const [, publisher, model] = /^publishers\/([^/]+)\/models\/([^/]+)$/.exec(name) ?? [];
  return publisher === 'anthropic' ? model : publisher && model && `${publisher}/${model}`;
}

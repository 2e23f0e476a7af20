// The `candidates` shorthand of a gateway file: one flat item for one candidate, turned into a provider of the settings.
// The values themselves are judged by the settings schema; here only the names of the fields are.
import { isObject } from './configKeys.ts';

/** Where a field of an item goes in a provider. */
const fieldPlaces: Readonly<Record<string, readonly string[]>> = {
  id: ['id'],
  kind: ['kind'],
  account: ['account'],
  baseUrl: ['baseUrl'],
  keyEnv: ['keyEnv'],
  keyless: ['keyless'],
  path: ['path'],
  vendor: ['vendor'],
  region: ['regions', '0', 'name'],
  environment: ['regions', '0', 'environment'],
  backbone: ['regions', '0', 'backbone'],
  model: ['models', '0', 'name'],
  tier: ['models', '0', 'tier'],
  price: ['models', '0', 'price'],
  contextWindowTokens: ['models', '0', 'contextWindowTokens'],
};

const defaultKeyEnv: ReadonlyMap<unknown, string> = new Map([
  ['openai', 'OPENAI_API_KEY'],
  ['anthropic', 'ANTHROPIC_API_KEY'],
]);

/** A provider made from an item, and the full id its candidate will have. */
export interface ShorthandCandidate {
  readonly id: string;
  readonly candidateId: string;
  readonly provider: Readonly<Record<string, unknown>>;
}

/** What is wrong with an item: the field (or '' for the whole item) and why. */
export interface ItemProblem {
  readonly field: string;
  readonly message: string;
}

/** One item, by its position from 0. Problems empty: the candidate can be judged by the schema. */
export function shorthandCandidate(
  item: unknown,
  index: number,
): { readonly candidate: ShorthandCandidate | null; readonly problems: readonly ItemProblem[] } {
  if (!isObject(item)) return { candidate: null, problems: [{ field: '', message: 'expected an object' }] };
  const problems = fieldProblems(item);
  if (problems.length > 0) return { candidate: null, problems };
  const id = textOr(item.id, `candidate-${index + 1}`);
  const account = textOr(item.account, 'main');
  const region = textOr(item.region, 'default');
  const provider: Record<string, unknown> = {
    id,
    ...pick(item, ['kind', 'account', 'baseUrl', 'path', 'keyless']),
    ...keyFields(item),
    ...vendorField(item),
    regions: [{ name: region, ...pick(item, ['environment', 'backbone']) }],
    models: [{ name: item.model, ...pick(item, ['tier', 'price', 'contextWindowTokens']) }],
  };
  // What is not text is left for the schema to refuse.
  if (item.id !== undefined) provider.id = item.id;
  if (item.region !== undefined) provider.regions = [{ name: item.region, ...pick(item, ['environment', 'backbone']) }];
  return {
    candidate: { id, candidateId: `${id}/${account}/${textOr(item.model, '')}@${region}`, provider },
    problems: [],
  };
}

function fieldProblems(item: Readonly<Record<string, unknown>>): readonly ItemProblem[] {
  const unknown = Object.keys(item)
    .filter((field) => !Object.hasOwn(fieldPlaces, field))
    .map((field) => ({ field, message: unknownFieldMessage(field) }));
  const missing = ['kind', 'model']
    .filter((field) => item[field] === undefined)
    .map((field) => ({ field, message: 'is missing' }));
  const hasKey = item.keyEnv !== undefined || item.keyless === true || defaultKeyEnv.has(item.kind);
  const key = hasKey
    ? []
    : [
        {
          field: 'keyEnv',
          message: 'is missing: name the environment variable that holds the key, or set keyless: true',
        },
      ];
  return [...unknown, ...missing, ...key];
}

function unknownFieldMessage(field: string): string {
  return /key|token|secret|password/i.test(field)
    ? 'keys are never written into the file; put the key into an environment variable and name that in keyEnv'
    : `unknown field; known are ${Object.keys(fieldPlaces).join(', ')}`;
}

function keyFields(item: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (item.keyEnv !== undefined) return { keyEnv: item.keyEnv };
  const standard = defaultKeyEnv.get(item.kind);
  return item.keyless === true || standard === undefined ? {} : { keyEnv: standard };
}

/** Items at one address share its failures: the address is their vendor unless the file names one. */
function vendorField(item: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (item.vendor !== undefined) return { vendor: item.vendor };
  const baseUrl = item.baseUrl;
  return typeof baseUrl === 'string' && URL.canParse(baseUrl) ? { vendor: new URL(baseUrl).host } : {};
}

function pick(item: Readonly<Record<string, unknown>>, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.filter((field) => item[field] !== undefined).map((field) => [field, item[field]]));
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback;
}

/** `['models', '0', 'tier']` of a provider is `['tier']` of its item; null where the item has no such place. */
export function itemPlace(providerPath: readonly string[]): readonly string[] {
  for (const [field, place] of Object.entries(fieldPlaces)) {
    if (place.every((step, index) => providerPath[index] === step)) return [field, ...providerPath.slice(place.length)];
  }
  return [];
}

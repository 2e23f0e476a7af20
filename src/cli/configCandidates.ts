// The `candidates` shorthand of a gateway file: one flat item for one candidate, turned into a provider of the settings.
// The values themselves are judged by the settings schema; here only the names of the fields are.
import type { ProviderKind } from '../core/candidate.ts';
import { authOf, keyVariable } from '../core/providers/keys.ts';
import { kindFacts, presetFacts, type PresetName } from '../core/providers/kinds.ts';
import { isObject } from './configKeys.ts';

/** Where a field of an item goes in a provider. */
const fieldPlaces: Readonly<Record<string, readonly string[]>> = {
  id: ['id'],
  kind: ['kind'],
  preset: ['preset'],
  account: ['account'],
  baseUrl: ['baseUrl'],
  keyEnv: ['keyEnv'],
  keyless: ['keyless'],
  signIn: ['signIn'],
  project: ['project'],
  profile: ['profile'],
  apiVersion: ['apiVersion'],
  path: ['path'],
  vendor: ['vendor'],
  region: ['regions', '0', 'name'],
  environment: ['regions', '0', 'environment'],
  backbone: ['regions', '0', 'backbone'],
  residency: ['regions', '0', 'residency'],
  model: ['models', '0', 'name'],
  tier: ['models', '0', 'tier'],
  price: ['models', '0', 'price'],
  contextWindowTokens: ['models', '0', 'contextWindowTokens'],
  capabilities: ['models', '0', 'capabilities'],
};

const PROVIDER_FIELDS = fieldsAt('');
const REGION_FIELDS = fieldsAt('regions');
const MODEL_FIELDS = fieldsAt('models');
/** Kinds that are one service wherever their address is; with the others the address says who stands behind it. */
const CLOUDS: ReadonlySet<unknown> = new Set<ProviderKind>(['azure', 'bedrock', 'vertex', 'gemini', 'vscode']);

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
    id: item.id ?? id,
    ...pick(item, PROVIDER_FIELDS),
    ...keyFields(item),
    ...vendorField(item),
    // What is not text is left for the schema to refuse.
    regions: [{ name: item.region ?? region, ...pick(item, REGION_FIELDS) }],
    models: [{ name: item.model, ...pick(item, MODEL_FIELDS) }],
  };
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
  return [...unknown, ...missing, ...keyProblems(item)];
}

/** An item whose preset is unknown has that problem only. */
function keyProblems(item: Readonly<Record<string, unknown>>): readonly ItemProblem[] {
  const isGiven = item.keyEnv !== undefined || item.keyless === true || item.signIn === true;
  if (isGiven || (item.preset !== undefined && !isPreset(item.preset))) return [];
  const who = whoOf(item);
  // Vertex takes no key at all, which the settings say in better words.
  if (who && (authOf(who) === 'none' || keyVariable(who) !== null || who.kind === 'vertex')) return [];
  const message = 'is missing: name the environment variable that holds the key, or set keyless: true';
  return [{ field: 'keyEnv', message }];
}

/** The parts of an item that say which key it wants; null: its kind is not known. */
function whoOf(item: Readonly<Record<string, unknown>>): Parameters<typeof authOf>[0] | null {
  const { kind, preset } = item;
  if (!isKind(kind)) return null;
  return {
    kind,
    keyless: item.keyless === true,
    signIn: item.signIn === true,
    ...(isPreset(preset) ? { preset } : {}),
    ...(typeof item.keyEnv === 'string' ? { keyEnv: item.keyEnv } : {}),
  };
}

const isKind = (value: unknown): value is ProviderKind => typeof value === 'string' && Object.hasOwn(kindFacts, value);
const isPreset = (value: unknown): value is PresetName =>
  typeof value === 'string' && Object.hasOwn(presetFacts, value);

function unknownFieldMessage(field: string): string {
  return /key|token|secret|password/i.test(field)
    ? 'keys are never written into the file; put the key into an environment variable and name that in keyEnv'
    : `unknown field; known are ${Object.keys(fieldPlaces).join(', ')}`;
}

function keyFields(item: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (item.keyEnv !== undefined) return { keyEnv: item.keyEnv };
  const who = whoOf(item);
  const standard = who && authOf(who) === 'key' ? keyVariable(who) : null;
  return standard === null ? {} : { keyEnv: standard };
}

/** Items at one address share its failures: the address is their vendor unless the file names one, or says which it is. */
function vendorField(item: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { baseUrl } = item;
  if (item.vendor !== undefined) return { vendor: item.vendor };
  if (item.preset !== undefined || CLOUDS.has(item.kind)) return {};
  return typeof baseUrl === 'string' && URL.canParse(baseUrl) ? { vendor: new URL(baseUrl).host } : {};
}

/** The fields of an item that go below `place` of a provider under their own name. */
function fieldsAt(place: string): readonly string[] {
  const own = ['id', 'keyEnv', 'vendor'];
  return Object.entries(fieldPlaces)
    .filter(
      ([field, path]) => !own.includes(field) && path.at(-1) === field && (path.length === 1 ? '' : path[0]) === place,
    )
    .map(([field]) => field);
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
  // A whole region or model stands for its name.
  const [named] = Object.entries(fieldPlaces).filter(
    ([, place]) => providerPath.length > 0 && providerPath.every((step, index) => place[index] === step),
  );
  return named === undefined ? [] : [named[0]];
}

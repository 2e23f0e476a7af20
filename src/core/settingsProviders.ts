// The settings of providers, their regions and models: schema, and the checks that need more than one field.
// A provider that cannot be used is a named problem and left out; the others keep working.
import * as z from 'zod';
import { kindFacts, presetFacts, presetNames, wireOf } from './providers/kinds.ts';
import { baseUrlMisfit, modelMisfit, projectMisfit, regionMisfit } from './providers/places.ts';

const environment = z.enum(['local', 'regional', 'global']);
/** Capability tiers. */
export const tierSchema = z.enum(['small', 'medium', 'large']);
const id = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'letters, digits, dot, dash and underscore, at most 64, starting with a letter or digit',
  );
const address = z.url({ protocol: /^https?$/ });

const priceSchema = z.object({
  inputUsdPerMTok: z.number().min(0),
  outputUsdPerMTok: z.number().min(0),
  cachedInputUsdPerMTok: z.number().min(0).optional(),
});

const regionSchema = z.object({
  name: z
    .string()
    .min(1)
    .describe('Name of the region, e.g. us-east; for the clouds their own name, e.g. eu-central-1.'),
  environment: environment.optional().describe('local, regional or global: how far away it is.'),
  baseUrl: address.optional().describe('Address of this region, where it differs from the provider.'),
  backbone: z.string().min(1).optional().describe('Network that several regions share and fail with.'),
  residency: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Where data is processed, e.g. eu. Read from the region where that says so for sure (Bedrock, Vertex); azure and worldwide addresses need it.',
    ),
});

const capabilitiesSchema = z.object({
  tools: z.boolean().optional(),
  images: z.boolean().optional(),
  prefill: z.boolean().optional(),
  thinking: z.boolean().optional(),
  structuredOutput: z.boolean().optional(),
});

const modelSchema = z.object({
  name: z.string().min(1).describe('The name the provider knows; {model} stands for the name that was asked for.'),
  tier: tierSchema.optional().describe('Capability tier. A lower tier than asked for is a degradation (L3).'),
  contextWindowTokens: z.int().min(1024).optional().describe('Tokens of prompt and answer together.'),
  price: priceSchema.optional().describe('Dollars per million tokens.'),
  capabilities: capabilitiesSchema
    .optional()
    .describe('What the model can do, where the catalogue is wrong or does not know it.'),
});

const kinds = ['openai', 'azure', 'anthropic', 'bedrock', 'vertex', 'gemini', 'openai-compatible', 'vscode'] as const;

/** What is said of a name that is not one of `names`. */
function oneOf(what: string, names: readonly string[]): string {
  return `there is no such ${what}; use ${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;
}

/** One provider with one account. */
export const providerSchema = z.object({
  id: id.describe('Your name for it; unique.'),
  kind: z.enum(kinds, { error: oneOf('kind', kinds) }).describe('Which API it speaks.'),
  preset: z
    .enum(presetNames, { error: oneOf('preset', presetNames) })
    .optional()
    .describe('Which server is behind openai-compatible: gives the address and the words of its errors.'),
  account: id.default('main').describe('Which key: several accounts of one provider may be used.'),
  baseUrl: address
    .optional()
    .describe('Address of the API; needed for azure, and for openai-compatible without preset.'),
  keyEnv: z
    .string()
    .min(1)
    .optional()
    .describe('Environment variable that holds the key, where it is not in the secret storage.'),
  keyless: z.boolean().default(false).describe('The provider wants no key (a local server).'),
  signIn: z
    .boolean()
    .default(false)
    .describe(
      "Use the cloud's own sign-in instead of a key: Entra (azure), AWS profile or SSO (bedrock), Google (vertex).",
    ),
  project: z.string().min(1).optional().describe('Google Cloud project; needed for vertex.'),
  profile: z.string().min(1).optional().describe('AWS profile for bedrock; default: the usual AWS order.'),
  apiVersion: z.string().min(1).optional().describe('api-version of azure; default: its version-less v1 API.'),
  path: z
    .enum(['raw', 'sdk'])
    .default('raw')
    .describe("raw passes a same-wire caller's bytes on; sdk always translates through the vendor's client."),
  vendor: z
    .string()
    .min(1)
    .optional()
    .describe('Who stands behind it, for shared failures; default: by kind or preset, else the id.'),
  regions: z
    .array(regionSchema)
    .min(1)
    .default([{ name: 'default' }]),
  models: z.array(modelSchema).min(1),
  enabled: z.boolean().default(true),
});

export type ProviderSettings = z.infer<typeof providerSchema>;
export type RegionSettings = ProviderSettings['regions'][number];
export type ModelSettings = ProviderSettings['models'][number];

/** What is wrong with a provider, below its own path (`regions.0.name`), and what to do. */
interface Misfit {
  readonly field: string;
  readonly message: string;
}

/** A provider as it was read, with its place in the list as a person wrote it. */
export interface PlacedProvider {
  readonly index: number;
  readonly provider: ProviderSettings;
}

/** Leaves out what cannot be used; `report` gets the path in the settings and the remedy. */
export function usableProviders(
  providers: readonly PlacedProvider[],
  report: (path: string, message: string) => void,
): ProviderSettings[] {
  const seen = new Set<string>();
  return providers.flatMap(({ index, provider }) => {
    const name = `${provider.id}/${provider.account}`;
    const misfits = seen.has(name)
      ? [{ field: 'id', message: `${name} is used twice; give one of them another id or account` }]
      : misfitsOf(provider);
    seen.add(name);
    for (const { field, message } of misfits) report(`belay.providers.${index}.${field}`, message);
    return misfits.length > 0 ? [] : [provider];
  });
}

function misfitsOf(provider: ProviderSettings): readonly Misfit[] {
  return [...CHECKS.flatMap((check) => check(provider) ?? []), ...placeMisfits(provider)];
}

const CHECKS: readonly ((provider: ProviderSettings) => Misfit | null)[] = [
  ({ preset, kind }) =>
    preset !== undefined && kind !== 'openai-compatible'
      ? { field: 'preset', message: `is for kind openai-compatible, not ${kind}; leave it out` }
      : null,
  (provider) => (isAddressMissing(provider) ? addressMisfit(provider) : null),
  ({ kind, signIn }) =>
    signIn && kindFacts[kind].signIn === null
      ? { field: 'signIn', message: `${kind} has no sign-in; leave it out and give a key` }
      : null,
  ({ kind, signIn }) =>
    kind === 'vertex' && !signIn
      ? {
          field: 'signIn',
          message: 'vertex takes no keys; set it to true and run "gcloud auth application-default login"',
        }
      : null,
  ({ kind, project }) =>
    kind === 'vertex' && project === undefined
      ? { field: 'project', message: 'is missing; name the Google Cloud project that pays' }
      : null,
  ({ kind, regions }) => {
    if (!kindFacts[kind].needsRegion) return null;
    const at = regions.findIndex(({ name }) => name === 'default');
    return at === -1
      ? null
      : {
          field: `regions.${at}.name`,
          message: `is missing; name a region of ${kindFacts[kind].label}, ${EXAMPLES[kind]}`,
        };
  },
  (provider) => doubleOf(provider.regions, 'regions'),
  (provider) => doubleOf(provider.models, 'models'),
];

/** Names that must not become part of an address, in the order of the fields. */
function placeMisfits({ kind, baseUrl, project, apiVersion, regions, models }: ProviderSettings): readonly Misfit[] {
  const found = (field: string, message: string | null): readonly Misfit[] =>
    message === null ? [] : [{ field, message }];
  const address = (field: string, value: string | undefined): readonly Misfit[] =>
    found(field, value === undefined ? null : baseUrlMisfit(value));
  return [
    ...address('baseUrl', baseUrl),
    ...found('project', projectMisfit(project, kind)),
    ...regions.flatMap((region, at) => [
      ...found(`regions.${at}.name`, regionMisfit(region.name, kind)),
      ...address(`regions.${at}.baseUrl`, region.baseUrl),
    ]),
    ...models.flatMap(({ name }, at) => {
      // What a caller asks for in its place is checked when it is asked for.
      const sample = name.replaceAll('{model}', 'model');
      return found(`models.${at}.name`, modelMisfit(sample, { kind, wire: wireOf(kind, name), apiVersion }));
    }),
  ];
}

const EXAMPLES: Readonly<Partial<Record<ProviderSettings['kind'], string>>> = {
  bedrock: 'e.g. us-east-1',
  vertex: 'e.g. europe-west4 or global',
};

function isAddressMissing({ kind, preset, baseUrl, regions }: ProviderSettings): boolean {
  const hasOwn = kind !== 'azure' && (kind !== 'openai-compatible' || preset !== undefined);
  return !hasOwn && baseUrl === undefined && regions.some((region) => region.baseUrl === undefined);
}

function addressMisfit({ kind }: ProviderSettings): Misfit {
  const message =
    kind === 'azure'
      ? 'is missing; give the address of your resource, e.g. https://NAME.openai.azure.com'
      : `an openai-compatible provider needs a baseUrl, e.g. ${presetFacts.ollama.baseUrl}, or a preset`;
  return { field: 'baseUrl', message };
}

function doubleOf(members: readonly { readonly name: string }[], field: string): Misfit | null {
  const at = members.findIndex(({ name }, index) => members.findIndex((other) => other.name === name) !== index);
  return at === -1
    ? null
    : { field: `${field}.${at}.name`, message: `"${members[at]?.name ?? ''}" is listed twice; remove one of them` };
}

// A provider while a person puts it together, and what is written of it in the end. The key stands apart from what goes to
// the settings, from the first step on. Pure.
import type { Candidate, ProviderKind } from '../../../core/candidate.ts';
import { candidatesOf } from '../../../core/providers/candidates.ts';
import { kindFacts, presetFacts, type PresetName } from '../../../core/providers/kinds.ts';
import { providerSchema, type ProviderSettings } from '../../../core/settingsProviders.ts';
import type { WrittenProvider } from '../../imports/gather.ts';

/** What a person adds: a kind, or one of the well-known servers behind `openai-compatible`. */
export interface Source {
  readonly kind: ProviderKind;
  readonly preset?: PresetName;
}

/** How a provider's requests will prove who they are. */
export type KeyChoice =
  | { readonly how: 'stored'; readonly key: string }
  | { readonly how: 'variable'; readonly name: string }
  | { readonly how: 'sign-in' }
  | { readonly how: 'none' };

/** A model with what is known of it besides the catalogue. */
export interface ModelChoice {
  readonly name: string;
  readonly contextWindowTokens?: number;
}

/** The answers so far. */
export interface ProviderDraft {
  readonly source: Source;
  readonly id: string;
  readonly account: string;
  readonly key: KeyChoice;
  readonly baseUrl?: string;
  readonly project?: string;
  readonly profile?: string;
  readonly apiVersion?: string;
  /** Whose models of VS Code. */
  readonly vendor?: string;
  /** Empty: the one address for the whole world. */
  readonly regions: readonly string[];
  /** What the live check listed; null: it lists none. */
  readonly listed: readonly ModelChoice[] | null;
  /** How fast each region answered, in ms. */
  readonly latencies: Readonly<Record<string, number>>;
  readonly models: readonly ModelChoice[];
}

/** The account that a provider has unless it is named. */
export const ACCOUNT = 'main';

/** Before the first question. */
export const emptyDraft: ProviderDraft = {
  source: { kind: 'openai' },
  id: '',
  account: ACCOUNT,
  key: { how: 'none' },
  regions: [],
  listed: null,
  latencies: {},
  models: [],
};

/** The name a person knows it by. */
export function labelOf({ kind, preset }: Source): string {
  return preset === undefined ? kindFacts[kind].label : presetFacts[preset].label;
}

/** The variable its vendor's tools read the key from; null: there is none. */
export function variableOf({ kind, preset }: Source): string | null {
  return preset === undefined ? kindFacts[kind].keyEnv : presetFacts[preset].keyEnv;
}

/** Whether it runs on this machine and wants no key. */
export function isOwnServer({ preset }: Source): boolean {
  return preset !== undefined && presetFacts[preset].environment === 'local' && presetFacts[preset].keyEnv === null;
}

/** The entry of `belay.providers`; never with the key. */
export function writtenProvider(draft: ProviderDraft): WrittenProvider {
  const { source, id, account, key, baseUrl, project, profile, apiVersion, vendor, regions, models } = draft;
  const keyEnv = keyVariable(draft);
  return {
    id,
    kind: source.kind,
    ...(source.preset === undefined ? {} : { preset: source.preset }),
    ...(account === ACCOUNT ? {} : { account }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(keyEnv === undefined ? {} : { keyEnv }),
    ...(key.how === 'none' && source.kind !== 'vscode' && !isOwnServer(source) ? { keyless: true } : {}),
    ...(key.how === 'sign-in' ? { signIn: true } : {}),
    ...(project === undefined ? {} : { project }),
    ...(profile === undefined ? {} : { profile }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(vendor === undefined ? {} : { vendor }),
    ...(regions.length > 0 ? { regions: regions.map((name) => ({ name })) } : placeOf(draft)),
    models: models.map(({ name, contextWindowTokens }) => ({
      name,
      ...(contextWindowTokens === undefined ? {} : { contextWindowTokens }),
    })),
  };
}

/** A key for a server that usually wants none is looked for only where a variable is named. */
function keyVariable({ key, source, id }: ProviderDraft): string | undefined {
  if (key.how === 'variable') return key.name;
  return key.how === 'stored' && isOwnServer(source)
    ? `${id.replace(/[^A-Za-z0-9]/g, '_').toUpperCase()}_KEY`
    : undefined;
}

/** A compatible server whose address is on this machine is near, whatever it is. */
function placeOf({ source, baseUrl }: ProviderDraft): Pick<WrittenProvider, 'regions'> {
  const isNamed = source.kind === 'openai-compatible' && source.preset === undefined && baseUrl !== undefined;
  if (!isNamed || !URL.canParse(baseUrl)) return {};
  return LOOPBACK.test(new URL(baseUrl).hostname) ? { regions: [{ name: 'local', environment: 'local' }] } : {};
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The provider as the product will read it; models that are still to be picked count as one. */
export function parsedProvider(draft: ProviderDraft): ProviderSettings {
  const models = draft.models.length > 0 ? draft.models : [{ name: 'any' }];
  return providerSchema.parse(writtenProvider({ ...draft, models }));
}

/** One candidate a region, with the address and credentials that requests will have. */
export function checkedCandidates(provider: ProviderSettings): readonly Candidate[] {
  const [model] = provider.models;
  return candidatesOf({ providers: [{ ...provider, enabled: true, models: model ? [model] : [] }] });
}

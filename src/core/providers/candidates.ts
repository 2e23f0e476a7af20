// From settings and catalogue to candidates: provider x region x model, each with all that an adapter and the scheduler need.
// What settings leave open comes from the catalogue, then from careful defaults. Pure.
import type { Candidate, ProviderPath } from '../candidate.ts';
import { emptyCatalogue, UNKNOWN_WINDOW_TOKENS, type Catalogue, type ModelFacts } from '../catalogue.ts';
import type { Wire } from '../chat.ts';
import type { Settings } from '../settings.ts';
import type { ModelSettings, ProviderSettings, RegionSettings } from '../settingsProviders.ts';
import { authOf } from './keys.ts';
import { defaultBaseUrl, kindFacts, presetFacts, wireOf } from './kinds.ts';
import { processedIn } from './residency.ts';

/**
 * Every enabled provider x region x model as a candidate, in the order of the settings. Ids: `provider/account/model@region`.
 * A model that a route names by its whole id is one that a person chose: only the settings may call it less than large.
 */
export function candidatesOf(
  settings: Pick<Settings, 'providers'> & Partial<Pick<Settings, 'routes'>>,
  catalogue: Catalogue = emptyCatalogue,
): readonly Candidate[] {
  const chosen = new Set(Object.values(settings.routes ?? {}).flatMap((route) => route.candidates));
  return settings.providers
    .filter((provider) => provider.enabled)
    .flatMap((provider) =>
      provider.regions.flatMap((region) =>
        provider.models.map((model) => toCandidate(provider, region, model, catalogue, chosen)),
      ),
    );
}

function toCandidate(
  provider: ProviderSettings,
  region: RegionSettings,
  model: ModelSettings,
  catalogue: Catalogue,
  chosen: ReadonlySet<string>,
): Candidate {
  const id = `${provider.id}/${provider.account}/${model.name}@${region.name}`;
  const vendor = vendorOf(provider);
  const family = familyOf(provider, vendor);
  const wire = wireOf(provider.kind, model.name);
  const baseUrl = baseUrlOf(provider, region, wire);
  const facts = catalogue.find(family, model.name);
  return {
    id,
    providerId: provider.id,
    kind: provider.kind,
    family,
    path: pathOf(provider, wire),
    auth: authOf(provider),
    account: provider.account,
    model: model.name,
    region: region.name,
    environment: region.environment ?? defaultEnvironment(provider),
    residency: processedIn({ baseUrl, kind: provider.kind, model: model.name, region: region.name }, region.residency),
    tier: model.tier ?? (chosen.has(id) ? undefined : facts.tier) ?? 'large',
    wire,
    baseUrl,
    domains: {
      own: id,
      region: `${vendor}:${region.name}`,
      vendor,
      ...(region.backbone === undefined ? {} : { backbone: region.backbone }),
    },
    ...priceOf(model, facts),
    capabilities: capabilitiesOf(model, facts),
    cloud: cloudOf(provider),
    contextWindowTokens: model.contextWindowTokens ?? facts.contextWindowTokens ?? UNKNOWN_WINDOW_TOKENS,
  };
}

/** Who stands behind a provider, for failures that are shared. */
function vendorOf({ vendor, preset, kind, id }: ProviderSettings): string {
  if (vendor !== undefined) return vendor;
  return preset ?? (kind === 'openai-compatible' ? id : kindFacts[kind].vendor);
}

function familyOf({ preset, kind }: ProviderSettings, vendor: string): string {
  return preset ?? (kind === 'openai-compatible' || kind === 'vscode' ? vendor.toLowerCase() : kind);
}

/** The clouds' Claude needs their own client (signatures, framing); VS Code's models need the editor. */
function pathOf({ kind, path }: ProviderSettings, wire: Wire): ProviderPath {
  if (kind === 'vscode') return 'editor';
  const needsClient = (kind === 'bedrock' || kind === 'vertex') && wire === 'anthropic-messages';
  return needsClient ? 'sdk' : path;
}

function defaultEnvironment({ preset, kind }: ProviderSettings): Candidate['environment'] {
  if (preset !== undefined) return presetFacts[preset].environment;
  return kindFacts[kind].needsRegion ? 'regional' : 'global';
}

function baseUrlOf({ kind, preset, baseUrl, project }: ProviderSettings, region: RegionSettings, wire: Wire): string {
  return (
    region.baseUrl ??
    baseUrl ??
    (preset === undefined ? null : presetFacts[preset].baseUrl) ??
    defaultBaseUrl(kind, wire, region.name, project ?? '') ??
    ''
  );
}

function priceOf(model: ModelSettings, facts: ModelFacts): Pick<Candidate, 'price' | 'priceSource'> {
  if (model.price !== undefined) {
    const { cachedInputUsdPerMTok, ...price } = model.price;
    return {
      price: cachedInputUsdPerMTok === undefined ? price : { ...price, cachedInputUsdPerMTok },
      priceSource: 'settings',
    };
  }
  return facts.price === undefined
    ? { price: { inputUsdPerMTok: 0, outputUsdPerMTok: 0 }, priceSource: 'unknown' }
    : { price: facts.price, priceSource: 'catalogue' };
}

function capabilitiesOf(model: ModelSettings, facts: ModelFacts): Candidate['capabilities'] {
  const own = Object.entries(model.capabilities ?? {}).filter(([, value]) => value !== undefined);
  return { ...facts.capabilities, ...Object.fromEntries(own) };
}

function cloudOf({ project, profile, apiVersion }: ProviderSettings): Candidate['cloud'] {
  return {
    ...(project === undefined ? {} : { project }),
    ...(profile === undefined ? {} : { profile }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
  };
}

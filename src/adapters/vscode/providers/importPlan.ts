// What an import would add to the settings: nothing that is there is changed. A provider that is configured already is left
// out, a name that is taken gives way, and routes follow the names. Pure.
import { authOf } from '../../../core/providers/keys.ts';
import { providerSchema } from '../../../core/settingsProviders.ts';
import { freeId, type ImportedKey, type ImportResult, type WrittenProvider } from '../../imports/gather.ts';

/** What may be added, each with a name of its own. */
export interface ImportPlan {
  readonly providers: readonly PlannedProvider[];
  readonly routes: readonly PlannedRoute[];
  /** Providers that the settings have already, by the file's names of them. */
  readonly known: readonly string[];
}

/** A provider, and its key for the secret storage. */
export interface PlannedProvider {
  readonly provider: WrittenProvider;
  readonly key: ImportedKey | null;
  readonly labels: readonly string[];
}

/** A route, and the providers it needs. */
export interface PlannedRoute {
  readonly name: string;
  readonly route: { readonly candidates: readonly string[]; readonly order: 'ranked' | 'listed' };
  readonly ids: readonly string[];
}

/** The plan over what is written in the settings now. */
export function planImport(
  { providers, keys, routes }: ImportResult,
  written: { readonly providers: readonly unknown[]; readonly routes: Readonly<Record<string, unknown>> },
): ImportPlan {
  const existing = written.providers.flatMap((value) => {
    const parsed = providerSchema.safeParse(value);
    return parsed.success ? [parsed.data] : [];
  });
  const taken = new Set([...written.providers.flatMap(idOf), ...providers.map(({ provider }) => provider.id)]);
  const free = new Set(written.providers.flatMap(idOf));
  const renamed = new Map<string, string>();
  const known: string[] = [];
  const planned: PlannedProvider[] = [];
  for (const { provider, labels } of providers) {
    if (existing.some((other) => covers(other, provider))) {
      known.push(...labels);
      continue;
    }
    const id = free.has(provider.id) ? freeId(provider.id, taken) : provider.id;
    taken.add(id);
    renamed.set(provider.id, id);
    const key = keys.find((each) => each.id === provider.id);
    planned.push({ provider: { ...provider, id }, key: key ? { ...key, id } : null, labels });
  }
  const plannedRoutes = routes.flatMap(({ name, candidates, order }): PlannedRoute[] => {
    if (Object.hasOwn(written.routes, name)) return [];
    const placed = candidates.flatMap(({ id, account, model, region }) => {
      const now = renamed.get(id);
      return now === undefined ? [] : [{ id: now, candidate: `${now}/${account}/${model}@${region}` }];
    });
    if (placed.length !== candidates.length) return [];
    const route = { candidates: placed.map(({ candidate }) => candidate), order };
    return [{ name, route, ids: [...new Set(placed.map(({ id }) => id))] }];
  });
  return { providers: planned, routes: plannedRoutes, known };
}

/** Whether a configured provider is the same one and has all of its models. */
function covers(existing: ReturnType<typeof providerSchema.parse>, imported: WrittenProvider): boolean {
  const parsed = providerSchema.safeParse(
    imported.models.length > 0 ? imported : { ...imported, models: [{ name: 'any' }] },
  );
  if (!parsed.success) return false;
  const { data } = parsed;
  const same = (['kind', 'preset', 'baseUrl', 'project', 'profile', 'keyEnv', 'vendor'] as const).every(
    (field) => existing[field] === data[field],
  );
  const regions = new Set(existing.regions.map(({ name }) => name));
  const models = new Set(existing.models.map(({ name }) => name));
  return (
    same &&
    authOf(existing) === authOf(data) &&
    data.regions.every(({ name }) => regions.has(name)) &&
    imported.models.every(({ name }) => models.has(name))
  );
}

function idOf(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string' ? [value.id] : [];
}

// Puts entries together to providers as `belay.providers` has them: what shares address, account and place is one provider
// with several models. Keys go beside the settings, never into them; what the settings would refuse becomes a note.
import type * as z from 'zod';
import { redactSecrets } from '../../core/ledger/redact.ts';
import { providerSchema, usableProviders } from '../../core/settingsProviders.ts';
import type { EntryRoute, ImportedEntry, ImportNote, ReadEntries } from './entry.ts';

/** One provider as a person writes it in the settings. */
export type WrittenProvider = z.input<typeof providerSchema>;

/** A provider that may be added. `models` is empty where a person must pick from a live list first. */
export interface ImportedProvider {
  readonly provider: WrittenProvider;
  /** The tool's own names of its entries. */
  readonly labels: readonly string[];
}

/** A key for the secret storage. */
export interface ImportedKey {
  readonly id: string;
  readonly account: string;
  readonly key: string;
}

/** A route that the tool had, by the candidates of the imported providers. */
export interface ImportedRoute {
  readonly name: string;
  readonly candidates: readonly {
    readonly id: string;
    readonly account: string;
    readonly model: string;
    readonly region: string;
  }[];
  readonly order: 'ranked' | 'listed';
}

/** All that a configuration holds. */
export interface ImportResult {
  readonly providers: readonly ImportedProvider[];
  readonly keys: readonly ImportedKey[];
  readonly routes: readonly ImportedRoute[];
  readonly notes: readonly ImportNote[];
}

/** The account of an imported provider. */
const ACCOUNT = 'main';
const WHOLE_REGION = 'default';
const LEAST_SECRET_CHARS = 8;

/** Providers, keys, routes and notes. Ids are unique within the result; they may be in use in the settings already. */
export function gather(read: ReadEntries): ImportResult {
  const groups = new Map<string, ImportedEntry[]>();
  for (const entry of read.entries) {
    const name = groupOf(entry);
    const group = groups.get(name);
    if (group) group.push(entry);
    else groups.set(name, [entry]);
  }
  const isClean = (value: unknown): boolean => holdsNone(value, read.secrets);
  const taken = new Set<string>();
  const notes = read.notes.filter(isClean);
  const providers: ImportedProvider[] = [];
  const keys: ImportedKey[] = [];
  const ids = new Map<ImportedEntry, string>();
  for (const group of groups.values()) {
    const [first] = group;
    if (!first) continue;
    const id = freeId(baseIdOf(first), taken);
    const provider = toProvider(id, first, group);
    if (!isUsable(provider) || !isClean(provider)) {
      notes.push(...group.map(({ label }): ImportNote => ({ entry: label, reason: 'unusable' })).filter(isClean));
      continue;
    }
    taken.add(id);
    providers.push({ provider, labels: group.map(({ label }) => label).filter(isClean) });
    if (first.key.from === 'text') keys.push({ id, account: ACCOUNT, key: first.key.key });
    for (const entry of group) ids.set(entry, id);
  }
  return { providers, keys, routes: read.routes.flatMap((route) => routeOf(route, ids)).filter(isClean), notes };
}

/** Ids that are not in `taken`: the base, then base-2, base-3, ... */
export function freeId(base: string, taken: ReadonlySet<string>): string {
  let id = base;
  for (let number = 2; taken.has(id); number += 1) id = `${base}-${number}`;
  return id;
}

function groupOf({ target, baseUrl, key, region, project, profile, apiVersion, vendor }: ImportedEntry): string {
  return JSON.stringify([target, baseUrl, key, region, project, profile, apiVersion, vendor]);
}

function baseIdOf({ target, baseUrl }: ImportedEntry): string {
  if (target.kind !== 'openai-compatible') return target.kind;
  if (target.preset !== undefined) return target.preset;
  const host = baseUrl === undefined ? 'server' : new URL(baseUrl).hostname;
  const name = host.replace(/[^A-Za-z0-9.-]/g, '').slice(0, 48);
  return /^(?:localhost|127\.|$)/.test(name) || !/^[A-Za-z0-9]/.test(name) ? 'local' : name;
}

function toProvider(id: string, first: ImportedEntry, group: readonly ImportedEntry[]): WrittenProvider {
  const { target, baseUrl, key, region, project, profile, apiVersion, vendor } = first;
  return {
    id,
    kind: target.kind,
    ...('preset' in target ? { preset: target.preset } : {}),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(key.from === 'variable' ? { keyEnv: key.name } : {}),
    ...(key.from === 'none' && target.kind !== 'vscode' ? { keyless: true } : {}),
    ...(key.from === 'sign-in' ? { signIn: true } : {}),
    ...(project === undefined ? {} : { project }),
    ...(profile === undefined ? {} : { profile }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(vendor === undefined ? {} : { vendor }),
    ...(region === undefined ? {} : { regions: [{ name: region }] }),
    models: modelsOf(group),
  };
}

function modelsOf(group: readonly ImportedEntry[]): WrittenProvider['models'] {
  const models = new Map<string, WrittenProvider['models'][number]>();
  for (const { model, contextWindowTokens, price, capabilities } of group) {
    if (model === null || models.has(model)) continue;
    models.set(model, {
      name: model,
      ...(contextWindowTokens === undefined ? {} : { contextWindowTokens }),
      ...(price === undefined ? {} : { price }),
      ...(capabilities === undefined ? {} : { capabilities }),
    });
  }
  return [...models.values()];
}

/** Whether the settings take it; models that are still to be picked count as picked. */
function isUsable(provider: WrittenProvider): boolean {
  const models = provider.models.length > 0 ? provider.models : [{ name: 'any' }];
  const parsed = providerSchema.safeParse({ ...provider, models });
  return parsed.success && usableProviders([{ index: 0, provider: parsed.data }], () => undefined).length === 1;
}

function routeOf({ name, entries, order }: EntryRoute, ids: ReadonlyMap<ImportedEntry, string>): ImportedRoute[] {
  const candidates = entries.flatMap((entry) => {
    const id = ids.get(entry);
    return id === undefined || entry.model === null
      ? []
      : [{ id, account: ACCOUNT, model: entry.model, region: entry.region ?? WHOLE_REGION }];
  });
  return candidates.length > 0 ? [{ name, candidates, order }] : [];
}

/** No text in the value holds a secret or has the form of one. Shorter keys are placeholders ("none", "ollama"). */
function holdsNone(value: unknown, secrets: readonly string[]): boolean {
  return textsIn(value).every(
    (text) =>
      redactSecrets(text) === text &&
      !secrets.some((secret) => secret.length >= LEAST_SECRET_CHARS && text.includes(secret)),
  );
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

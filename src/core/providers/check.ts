// What can be told about configured providers beyond what their schema says: regions that the residency rule keeps unused,
// models that a provider does not list. Each with its path in the settings, as a person wrote them, and the remedy. Pure.
import type { Candidate } from '../candidate.ts';
import { isOwnPlace, residencyTagOf } from '../disclosure/place.ts';
import type { SettingProblem, Settings } from '../settings.ts';
import { candidatesOf } from './candidates.ts';

/** Whose provider: id and account. */
type Owner = Pick<Candidate, 'providerId' | 'account'>;

/**
 * `belay.providers.<place in the list as it was written>`. `raw` is that list before anything was left out of it; absent:
 * the place among those that can be used.
 */
export function providerPath(
  { providerId, account }: Owner,
  settings: Pick<Settings, 'providers'>,
  raw?: unknown,
): string {
  const written: readonly unknown[] = Array.isArray(raw) ? raw : settings.providers;
  const index = written.findIndex((item) => {
    if (typeof item !== 'object' || item === null) return false;
    const itemId = 'id' in item ? item.id : undefined;
    const itemAccount = 'account' in item ? item.account : undefined;
    return itemId === providerId && (itemAccount ?? 'main') === account;
  });
  return `belay.providers.${Math.max(0, index)}`;
}

/** Regions that `belay.disclosure.residency` forbids: nothing is sent there, which a person should know beforehand. */
export function residencyWarnings(settings: Settings, raw?: unknown): readonly SettingProblem[] {
  const { residency, providers } = settings;
  if (residency.length === 0) return [];
  const seen = new Set<string>();
  return candidatesOf(settings).flatMap((candidate): SettingProblem[] => {
    const tag = residencyTagOf(candidate);
    if (isOwnPlace(candidate) || (tag !== null && residency.includes(tag))) return [];
    const provider = providers.find(({ id, account }) => id === candidate.providerId && account === candidate.account);
    const regionIndex = provider?.regions.findIndex(({ name }) => name === candidate.region) ?? 0;
    const path = `${providerPath(candidate, settings, raw)}.regions.${regionIndex}`;
    if (seen.has(path)) return [];
    seen.add(path);
    return [{ path, message: residencyMessage(candidate.region, tag, residency) }];
  });
}

function residencyMessage(region: string, tag: string | null, residency: readonly string[]): string {
  const rule = `${residency.join('/')}-only rule forbids ${region}; it is not used`;
  return tag === null
    ? `${rule}. Nobody knows for sure where it is: set its residency where you know it`
    : `${rule}, for it is in ${tag}. Name another region, or widen belay.disclosure.residency`;
}

/** Models of one place (provider, account, region) that its provider does not list. */
export function missingModels(
  candidates: readonly Candidate[],
  listed: readonly string[],
  settings: Pick<Settings, 'providers'>,
  raw?: unknown,
): readonly SettingProblem[] {
  const names = new Set(listed.map(plainName));
  return candidates
    .filter(({ model }) => !/\{|^arn:/.test(model) && !isListed(plainName(model), names))
    .map((candidate) => {
      const provider = settings.providers.find(
        ({ id, account }) => id === candidate.providerId && account === candidate.account,
      );
      const index = provider?.models.findIndex(({ name }) => name === candidate.model) ?? 0;
      const near = nearestName(candidate.model, listed);
      const remedy = near === null ? 'choose one of those it lists' : `did you mean "${near}"?`;
      return {
        path: `${providerPath(candidate, settings, raw)}.models.${index}.name`,
        message: `"${candidate.model}" is not among its models; ${remedy}`,
      };
    });
}

/** Prefixes, dates and tags that providers put around one name. */
function plainName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/^(?:models|publishers\/[^/]+\/models)\//, '')
    .replace(/^google\//, '')
    .replace(/:latest$/, '');
}

/** `claude-opus-4-1` and `grok-4-latest` are other names of a dated model; OpenRouter's variants of the plain one. */
function isListed(name: string, listed: ReadonlySet<string>): boolean {
  const bare = name.replace(/@.*$/, '').replace(/:(?:nitro|floor|online|exacto|extended|beta)$/, '');
  if (listed.has(name) || listed.has(bare)) return true;
  const stem = bare.replace(/-latest$/, '');
  return [...listed].some(
    (other) => other.startsWith(stem) && /^[-@](?:20)?\d{2}[\d-]*$/.test(other.slice(stem.length)),
  );
}

/** Names longer than this are not compared letter by letter. */
const MAX_COMPARED_CHARS = 200;
/** As many names are compared; a list may be long. */
const MAX_COMPARED_NAMES = 2000;

/** The name that a person most likely meant; null: none is near (more than a third of its letters differ). */
export function nearestName(wanted: string, names: readonly string[]): string | null {
  const name = wanted.toLowerCase().slice(0, MAX_COMPARED_CHARS);
  const limit = Math.max(1, Math.floor(name.length / 3));
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const candidate of names.slice(0, MAX_COMPARED_NAMES)) {
    const other = candidate.toLowerCase().slice(0, MAX_COMPARED_CHARS);
    // What was left out at an end (a date, a vendor) is nearer than letters that differ.
    const distance = other.includes(name) || name.includes(other) ? 1 : editDistance(name, other);
    if (distance <= limit && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { name: candidate, distance };
  }
  return best?.name ?? null;
}

/** Letters to insert, delete or replace (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

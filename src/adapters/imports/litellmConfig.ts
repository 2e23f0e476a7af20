// LiteLLM's config.yaml: `model_list` with what each model name stands for, keys as text or os.environ/NAME, and the
// router's fallbacks, which become routes. A model without a provider before its slash is a note: LiteLLM guesses, Belay not.
// Source: LiteLLM's documentation of the proxy configuration.
import { countOf, isRecord, listOf, recordOf, textOf, type JsonRecord } from '../providers/json.ts';
import { readConfigText } from './configText.ts';
import {
  keyOf,
  nameOf,
  safeLabel,
  variableOf,
  type EntryRoute,
  type ImportedEntry,
  type ImportNote,
  type KeySource,
  type NoteReason,
} from './entry.ts';
import { gather, type ImportResult } from './gather.ts';
import { keyOrNone, litellmTargets, placedAt, targetOf } from './targets.ts';

const FROM_ENVIRONMENT = 'os.environ/';
const TOKENS_PER_MILLION = 1e6;
const MOST_USD_PER_MTOK = 1e6;
/** What `mode` may say of a model that answers chats. */
const CHAT_MODES: ReadonlySet<unknown> = new Set(['chat', 'completion', 'responses']);
/** Ways of the tool to reach the same model, between provider and model. */
const BEDROCK_WAYS = /^(?:converse|invoke|converse_like)\//;

/** Reads one file; `variables` are the names of environment variables that are set. Never throws. */
export function readLitellm(text: string, variables: ReadonlySet<string>): ImportResult {
  const read = readConfigText(text);
  const root = recordOf(read.ok ? read.value.root : undefined);
  if (!root || !Array.isArray(root.model_list))
    return gather({ entries: [], notes: [{ entry: 'LiteLLM', reason: 'unreadable' }], routes: [], secrets: [] });
  const stored = recordOf(root.environment_variables) ?? {};
  const notes: ImportNote[] = [];
  const named: { readonly name: string; readonly entry: ImportedEntry }[] = [];
  root.model_list.forEach((item: unknown, index: number) => {
    const name = nameOf(recordOf(item)?.model_name);
    const label = name === undefined ? `model_list.${index}` : safeLabel(name);
    const found = readDeployment(item, stored);
    if (typeof found === 'string') {
      notes.push({ entry: label, reason: found });
      return;
    }
    const entry = { ...found, label };
    if (entry.key.from === 'variable' && !variables.has(entry.key.name))
      notes.push({ entry: label, reason: 'variable-not-set' });
    if (name !== undefined) named.push({ name, entry });
  });
  const { routes, notes: routeNotes } = routesOf(root, named);
  return gather({
    entries: named.map(({ entry }) => entry),
    notes: [...notes, ...routeNotes],
    routes,
    secrets: secretsIn(root, stored),
  });
}

/** Keys as text, in whatever part of the file, and variables of the file that hold one. */
function secretsIn(root: JsonRecord, stored: JsonRecord): readonly string[] {
  const written = [
    recordOf(root.general_settings)?.master_key,
    ...listOf(root.model_list).map((item) => recordOf(recordOf(item)?.litellm_params)?.api_key),
  ];
  const values = written.map((value) =>
    typeof value === 'string' && value.startsWith(FROM_ENVIRONMENT)
      ? ownValue(stored, value.slice(FROM_ENVIRONMENT.length))
      : value,
  );
  return values.flatMap((value) => keyOf(value) ?? []);
}

function readDeployment(item: unknown, stored: JsonRecord): Omit<ImportedEntry, 'label'> | NoteReason {
  if (!isRecord(item) || !isRecord(item.litellm_params)) return 'unreadable';
  const { litellm_params: written, model_name: asked } = item;
  const info = recordOf(item.model_info) ?? {};
  if (info.mode !== undefined && !CHAT_MODES.has(info.mode)) return 'not-chat';
  const params = resolved(written, stored);
  const [provider, model] = splitModel(params.model, written.custom_llm_provider);
  if (model === undefined) return 'no-model';
  if (provider === undefined) return 'no-provider';
  const target = targetOf(litellmTargets, provider);
  if (!target) return 'unknown-provider';
  // Only where every name goes through unchanged is the asked name the one to be sent.
  if (model.includes('*') && !(model === '*' && asked === '*')) return 'pattern';
  const placed = placedAt(target, params.api_base ?? params.base_url);
  if ('reason' in placed) return placed.reason;
  const key = keySourceOf(written.api_key, stored);
  if (!key) return 'bad-key';
  const cloud = cloudFacts(placed.target.kind, params, key);
  if (typeof cloud === 'string') return cloud;
  return {
    ...placed,
    model: model === '*' ? '{model}' : model,
    key: keyOrNone(placed.target, key),
    ...cloud,
    ...windowOf(info),
    ...priceOf({ ...info, ...params }),
  };
}

/** Values by name from the environment that the file itself gives; keys are read apart. */
function resolved(params: JsonRecord, stored: JsonRecord): JsonRecord {
  const value = (written: unknown): unknown =>
    typeof written === 'string' && written.startsWith(FROM_ENVIRONMENT)
      ? ownValue(stored, written.slice(FROM_ENVIRONMENT.length))
      : written;
  return Object.fromEntries(Object.entries(params).map(([name, written]) => [name, value(written)]));
}

function ownValue(stored: JsonRecord, name: string): unknown {
  return Object.hasOwn(stored, name) ? stored[name] : undefined;
}

/** `provider/model`; the provider may be given apart. */
function splitModel(
  written: unknown,
  provider: unknown,
): readonly [provider: string | undefined, model: string | undefined] {
  const text = nameOf(written);
  if (text === undefined) return [undefined, undefined];
  const at = text.indexOf('/');
  const before = at === -1 ? undefined : text.slice(0, at).toLowerCase();
  const own = textOf(provider)?.toLowerCase();
  if (before === undefined || (own !== undefined && own !== before)) return [own, text];
  const model = text.slice(at + 1);
  return [before, nameOf(before === 'bedrock' ? model.replace(BEDROCK_WAYS, '') : model)];
}

function keySourceOf(written: unknown, stored: JsonRecord): KeySource | null {
  if (written === undefined || written === null || written === '') return { from: 'usual' };
  if (typeof written === 'string' && written.startsWith(FROM_ENVIRONMENT)) {
    const name = variableOf(written.slice(FROM_ENVIRONMENT.length));
    if (name === undefined) return null;
    const key = keyOf(ownValue(stored, name));
    return key === undefined ? { from: 'variable', name } : { from: 'text', key };
  }
  const key = keyOf(written);
  return key === undefined ? null : { from: 'text', key };
}

function cloudFacts(kind: string, params: JsonRecord, key: KeySource): Partial<ImportedEntry> | NoteReason {
  const apiVersion = nameOf(params.api_version);
  if (kind === 'azure') return apiVersion === undefined ? {} : { apiVersion };
  const signIn: Partial<ImportedEntry> = key.from === 'usual' ? { key: { from: 'sign-in' } } : {};
  if (kind === 'bedrock') {
    if (params.aws_access_key_id !== undefined || params.aws_secret_access_key !== undefined) return 'cloud-keys';
    const [region, profile] = [nameOf(params.aws_region_name), nameOf(params.aws_profile_name)];
    return region === undefined ? 'no-region' : { ...signIn, region, ...(profile === undefined ? {} : { profile }) };
  }
  if (kind !== 'vertex') return {};
  const [region, project] = [nameOf(params.vertex_location), nameOf(params.vertex_project)];
  if (region === undefined) return 'no-region';
  if (project === undefined) return 'no-project';
  return params.vertex_credentials === undefined ? { ...signIn, region, project } : 'cloud-keys';
}

function windowOf(info: JsonRecord): Pick<ImportedEntry, 'contextWindowTokens'> {
  const tokens = countOf(info.max_input_tokens);
  return tokens === undefined || tokens < 1024 ? {} : { contextWindowTokens: tokens };
}

function priceOf(values: JsonRecord): Pick<ImportedEntry, 'price'> {
  const [input, output] = [usdPerMTok(values.input_cost_per_token), usdPerMTok(values.output_cost_per_token)];
  return input === undefined || output === undefined
    ? {}
    : { price: { inputUsdPerMTok: input, outputUsdPerMTok: output } };
}

/** Dollars a token as dollars a million of them, without the dust of binary fractions. */
function usdPerMTok(perToken: unknown): number | undefined {
  const usd = typeof perToken === 'string' ? Number(perToken) : perToken;
  if (typeof usd !== 'number' || !(usd >= 0) || usd * TOKENS_PER_MILLION > MOST_USD_PER_MTOK) return undefined;
  return Number((usd * TOKENS_PER_MILLION).toPrecision(12));
}

interface Named {
  readonly name: string;
  readonly entry: ImportedEntry;
}

/** A route for each name that differs from its model, has several deployments, or falls back to others. */
function routesOf(
  root: JsonRecord,
  named: readonly Named[],
): { readonly routes: readonly EntryRoute[]; readonly notes: readonly ImportNote[] } {
  const notes: ImportNote[] = [];
  const groups = new Map<string, ImportedEntry[]>();
  for (const { name, entry } of named) groups.set(name, [...(groups.get(name) ?? []), entry]);
  const fallbacks = fallbacksOf(root);
  const routes = [...groups].flatMap(([name, entries]): EntryRoute[] => {
    const others = (fallbacks.get(name) ?? []).flatMap((other) => {
      const found = groups.get(other);
      if (!found) notes.push({ entry: `${safeLabel(name)} → ${safeLabel(other)}`, reason: 'fallback' });
      return found ?? [];
    });
    const isItself = entries.length === 1 && others.length === 0 && entries[0]?.model === name;
    if (isItself || name === '*') return [];
    return [{ name, entries: [...new Set([...entries, ...others])], order: others.length > 0 ? 'listed' : 'ranked' }];
  });
  return { routes, notes };
}

/** `fallbacks: [{a: [b, c]}]` of both sections. */
function fallbacksOf(root: JsonRecord): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const section of [root.litellm_settings, root.router_settings]) {
    for (const item of listOf(recordOf(section)?.fallbacks)) {
      for (const [name, others] of Object.entries(recordOf(item) ?? {})) {
        const names = listOf(others).flatMap((other) => nameOf(other) ?? []);
        if (names.length > 0) found.set(name, names);
      }
    }
  }
  return found;
}

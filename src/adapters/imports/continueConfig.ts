// Continue's configuration (config.yaml, and config.json before it): `models` with provider, model, key and address.
// Hub blocks name models that only the hub knows, and models for autocompletion or embeddings are no chat models: notes.
// Source: Continue's reference of config.yaml and of the deprecated config.json.
import { countOf, isRecord, listOf, parseJson, recordOf, type JsonRecord } from '../providers/json.ts';
import { readConfigText } from './configText.ts';
import {
  keyOf,
  nameOf,
  safeLabel,
  variableOf,
  type ImportedEntry,
  type ImportNote,
  type KeySource,
  type NoteReason,
  type ReadEntries,
} from './entry.ts';
import { gather, type ImportResult } from './gather.ts';
import { continueTargets, keyOrNone, placedAt, targetOf } from './targets.ts';

/** What the reader needs besides the file. */
export interface ContinueFiles {
  /** The file's text; JSON is YAML too. */
  readonly text: string;
  /** Text of `.env` beside it, which holds the secrets by name; null: there is none. */
  readonly secretsText: string | null;
  /** Names of environment variables that are set. */
  readonly variables: ReadonlySet<string>;
}

const MAX_SECRETS_CHARS = 65_536;
/** `${{ secrets.NAME }}`, the way the file names a secret. */
const SECRET = /^\$\{\{\s*(?:secrets|env)\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}$/;
const CHAT_ROLES = new Set(['chat', 'edit', 'apply', 'summarize']);

/** Reads one file; never throws, whatever is in it. */
export function readContinue(files: ContinueFiles): ImportResult {
  const root = rootOf(files.text);
  const models = recordOf(root)?.models;
  if (!Array.isArray(models)) return gather(unreadable());
  const secrets = secretsIn(files.secretsText);
  const notes: ImportNote[] = [];
  const entries = models.flatMap((model: unknown, index) => {
    const read = readModel(model, secrets, files.variables);
    const label = labelOf(model, index);
    notes.push(...read.notes.map((reason): ImportNote => ({ entry: label, reason })));
    return read.entry ? [{ ...read.entry, label }] : [];
  });
  const written = models.flatMap((model: unknown) => keyOf(recordOf(model)?.apiKey) ?? []);
  return gather({ entries, notes, routes: [], secrets: [...written, ...secrets.values()] });
}

function rootOf(text: string): unknown {
  if (text.trimStart().startsWith('{')) return parseJson(text);
  const read = readConfigText(text);
  return read.ok ? read.value.root : undefined;
}

const unreadable = (): ReadEntries => ({
  entries: [],
  notes: [{ entry: 'Continue', reason: 'unreadable' }],
  routes: [],
  secrets: [],
});

interface ReadModel {
  readonly entry?: Omit<ImportedEntry, 'label'>;
  readonly notes: readonly NoteReason[];
}

function readModel(model: unknown, secrets: ReadonlyMap<string, string>, variables: ReadonlySet<string>): ReadModel {
  if (!isRecord(model)) return { notes: ['unreadable'] };
  if (model.uses !== undefined) return { notes: ['hub-block'] };
  if (!isForChat(model.roles)) return { notes: ['not-chat'] };
  const target = targetOf(continueTargets, model.provider);
  if (!target) return { notes: [model.provider === undefined ? 'no-provider' : 'unknown-provider'] };
  const placed = placedAt(target, model.apiBase);
  if ('reason' in placed) return { notes: [placed.reason] };
  const cloud = { ...model, ...recordOf(model.env) };
  const name = nameOf(target.kind === 'azure' ? (cloud.deployment ?? cloud.engine ?? model.model) : model.model);
  if (name === undefined) return { notes: ['no-model'] };
  const key = keySourceOf(model.apiKey, secrets);
  if (!key) return { notes: ['bad-key'] };
  const facts = cloudFacts(placed.target.kind, cloud);
  if (typeof facts === 'string') return { notes: [facts] };
  return {
    entry: {
      ...placed,
      ...facts,
      model: name,
      key: signInOr(placed.target.kind, keyOrNone(placed.target, key)),
      ...windowOf(model),
      ...capabilitiesOf(model.capabilities),
    },
    notes: [
      ...(hasHeaders(model) ? (['headers'] as const) : []),
      ...(key.from === 'variable' && !variables.has(key.name) ? (['variable-not-set'] as const) : []),
    ],
  };
}

function labelOf(model: unknown, index: number): string {
  const { name, title, uses, provider, model: id } = recordOf(model) ?? {};
  const known = name ?? title ?? uses ?? id ?? provider;
  return known === undefined ? `models.${index}` : safeLabel(known);
}

/** No roles: all of them. */
function isForChat(roles: unknown): boolean {
  return !Array.isArray(roles) || roles.some((role) => typeof role === 'string' && CHAT_ROLES.has(role));
}

/** Where the key comes from; null where the file says it in a way that is not known. */
function keySourceOf(written: unknown, secrets: ReadonlyMap<string, string>): KeySource | null {
  if (written === undefined || written === null || written === '') return { from: 'usual' };
  const name = variableOf(typeof written === 'string' ? SECRET.exec(written.trim())?.[1] : undefined);
  if (name !== undefined) {
    const stored = keyOf(secrets.get(name));
    return stored === undefined ? { from: 'variable', name } : { from: 'text', key: stored };
  }
  const key = keyOf(written);
  return key === undefined || key.includes('${{') ? null : { from: 'text', key };
}

function cloudFacts(kind: string, cloud: JsonRecord): Partial<ImportedEntry> | NoteReason {
  const region = nameOf(cloud.region);
  const project = nameOf(cloud.projectId);
  const profile = nameOf(cloud.profile);
  const apiVersion = nameOf(cloud.apiVersion);
  if (kind === 'bedrock')
    return region === undefined ? 'no-region' : { region, ...(profile === undefined ? {} : { profile }) };
  if (kind === 'vertex') {
    if (region === undefined) return 'no-region';
    return project === undefined ? 'no-project' : { region, project };
  }
  return kind === 'azure' && apiVersion !== undefined ? { apiVersion } : {};
}

/** The clouds' own sign-in where no key is given: Continue leaves it to their usual order too. */
function signInOr(kind: string, key: KeySource): KeySource {
  const isCloud = kind === 'bedrock' || kind === 'vertex';
  return isCloud && key.from === 'usual' ? { from: 'sign-in' } : key;
}

function windowOf(model: JsonRecord): Pick<ImportedEntry, 'contextWindowTokens'> {
  const tokens = countOf(recordOf(model.defaultCompletionOptions)?.contextLength ?? model.contextLength);
  return tokens === undefined || tokens < 1024 ? {} : { contextWindowTokens: tokens };
}

function capabilitiesOf(capabilities: unknown): Pick<ImportedEntry, 'capabilities'> {
  const names = listOf(capabilities);
  if (names.length === 0) return {};
  return {
    capabilities: {
      ...(names.includes('tool_use') ? { tools: true } : {}),
      ...(names.includes('image_input') ? { images: true } : {}),
    },
  };
}

function hasHeaders(model: JsonRecord): boolean {
  const headers = recordOf(recordOf(model.requestOptions)?.headers);
  return headers !== undefined && Object.keys(headers).length > 0;
}

/** `NAME=value` lines; quotes around a value are taken off. */
function secretsIn(text: string | null): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  if (text === null || text.length > MAX_SECRETS_CHARS) return secrets;
  for (const line of text.split(/\r?\n/)) {
    const at = line.indexOf('=');
    const name = variableOf(line.slice(0, Math.max(at, 0)).replace(/^\s*export\s+/, ''));
    if (at > 0 && name !== undefined)
      secrets.set(
        name,
        line
          .slice(at + 1)
          .trim()
          .replace(/^(["'])(.*)\1$/, '$2'),
      );
  }
  return secrets;
}

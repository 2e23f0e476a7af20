// What every reader of another tool's configuration makes of it: entries, one a model, in Belay's words, and notes about
// what could not be taken. Nothing is guessed: what is not known by name is a note. Keys stand in `key` and nowhere else.
import type { ProviderKind } from '../../core/candidate.ts';
import { redactSecrets } from '../../core/ledger/redact.ts';
import type { PresetName } from '../../core/providers/kinds.ts';

/** A kind of provider, or one of the well-known servers behind `openai-compatible`. */
export type Target =
  | { readonly kind: Exclude<ProviderKind, 'openai-compatible'> }
  | { readonly kind: 'openai-compatible'; readonly preset?: PresetName };

/** Where an entry's key comes from. */
export type KeySource =
  | { readonly from: 'text'; readonly key: string }
  | { readonly from: 'variable'; readonly name: string }
  | { readonly from: 'sign-in' }
  | { readonly from: 'none' }
  /** The tool relies on the variable that the vendor's own tools read. */
  | { readonly from: 'usual' };

/** One model of another tool's configuration. */
export interface ImportedEntry {
  /** How the tool itself calls it; shown to a person, so it went through `safeLabel`. */
  readonly label: string;
  readonly target: Target;
  /** Null: every model of the provider; a person picks from a live list. */
  readonly model: string | null;
  readonly key: KeySource;
  readonly baseUrl?: string;
  readonly region?: string;
  readonly project?: string;
  readonly profile?: string;
  readonly apiVersion?: string;
  /** Whose models of VS Code they are. */
  readonly vendor?: string;
  readonly contextWindowTokens?: number;
  readonly price?: { readonly inputUsdPerMTok: number; readonly outputUsdPerMTok: number };
  readonly capabilities?: { readonly tools?: boolean; readonly images?: boolean };
}

/** Why something was not taken, or was taken with something missing. */
export type NoteReason =
  | 'unreadable'
  | 'unknown-provider'
  | 'no-provider'
  | 'no-model'
  | 'no-address'
  | 'bad-address'
  | 'no-region'
  | 'no-project'
  | 'bad-key'
  | 'cloud-keys'
  | 'other-sign-in'
  | 'key-without-model'
  | 'hub-block'
  | 'not-chat'
  | 'pattern'
  | 'fallback'
  | 'unusable'
  /** Taken, but its variable is not set here. */
  | 'variable-not-set'
  /** Taken, without the headers of its own that it had. */
  | 'headers';

/** One thing a person should know about an import. */
export interface ImportNote {
  /** The entry by the tool's own name; safe to show. */
  readonly entry: string;
  readonly reason: NoteReason;
}

/** What a reader found, before it is put together. */
export interface ReadEntries {
  readonly entries: readonly ImportedEntry[];
  readonly notes: readonly ImportNote[];
  readonly routes: readonly EntryRoute[];
  /** Every key that the file holds, also of entries that were not taken: none of them may be shown. */
  readonly secrets: readonly string[];
}

/** A name that several entries serve, in order of preference. */
export interface EntryRoute {
  readonly name: string;
  readonly entries: readonly ImportedEntry[];
  /** `listed` where the tool falls back in order, `ranked` where it balances. */
  readonly order: 'ranked' | 'listed';
}

const LABEL_CHARS = 60;
const NAME_CHARS = 256;
const KEY_CHARS = 8192;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** A text of the file as a person may see it: short, on one line, without what looks like a secret. */
export function safeLabel(text: unknown): string {
  if (typeof text !== 'string' && typeof text !== 'number') return '?';
  const line = redactSecrets(String(text).slice(0, 4 * LABEL_CHARS))
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return line.length > LABEL_CHARS ? `${line.slice(0, LABEL_CHARS - 1).toWellFormed()}…` : line === '' ? '?' : line;
}

/** A name that may stand in the settings (a model, region, project): one line, and not the shape of a secret. */
export function nameOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const name = value.trim();
  const isName = name !== '' && name.length <= NAME_CHARS && !/[\p{Cc}\p{Cf}]/u.test(name);
  return isName && redactSecrets(name) === name ? name : undefined;
}

/** The name of an environment variable, or undefined. */
export function variableOf(value: unknown): string | undefined {
  const name = nameOf(value);
  return name !== undefined && VARIABLE.test(name) ? name : undefined;
}

/** A key as it may be sent in a header: printable ASCII on one line; undefined for anything else. */
export function keyOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const key = value.trim();
  return /^[\x21-\x7e]+$/.test(key) && key.length <= KEY_CHARS ? key : undefined;
}

/**
 * An address that may stand in the settings, without the slash at its end; undefined where it is no http(s) address or
 * carries a name, password, query or fragment: such an address may hold a key.
 */
export function addressOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value.trim())) return undefined;
  const url = new URL(value.trim());
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!isPlain || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  const text = url.href.replace(/\/+$/, '');
  return redactSecrets(text) === text ? text : undefined;
}

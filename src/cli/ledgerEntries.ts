// Entries of the ledger for the command line: found by whole or short keys, read page by page, told as JSON or as a table.
import type { LedgerEntry } from '../core/ledger/entry.ts';
import { followedKey } from '../core/ledger/retention.ts';
import { redactSecrets } from '../core/ledger/redact.ts';
import { shortKey } from '../core/ledger/transition.ts';
import type { EntryFilter, Result, StorePort } from '../engine/ports.ts';

const KEY = /^[0-9a-f]{4,64}$/i;
const MAX_NAMED = 8;

/** The entry of a key, which may be cut short. The error is for a person: unknown or ambiguous. Throws `LedgerTrouble`. */
export async function entryOfKey(store: StorePort, key: string): Promise<Result<LedgerEntry, string>> {
  if (!KEY.test(key))
    return { ok: false, error: `"${key}" is no key; keys are 4 to 64 hex digits, as "belay ledger list" tells them` };
  const found = await store.entries({ keyPrefix: key.toLowerCase(), limit: MAX_NAMED + 1 });
  if (!found.ok) throw new LedgerTrouble(found.error.message);
  const [first] = found.value;
  if (!first) return { ok: false, error: `the ledger has no entry ${key}; "belay ledger list" tells what it has` };
  if (found.value.length === 1) return { ok: true, value: first };
  const named = found.value
    .slice(0, MAX_NAMED)
    .map((entry) => `${entry.key.slice(0, key.length + 6)} (${entry.title})`);
  const more = found.value.length > MAX_NAMED ? ', and more' : '';
  return {
    ok: false,
    error: `"${key}" is the beginning of several keys: ${named.join(', ')}${more}. Give more digits`,
  };
}

const PAGE = 500;

/** All entries that match, newest first, page by page. Throws the ledger's trouble as `LedgerTrouble`. */
export async function* allEntries(store: StorePort, filter: EntryFilter): AsyncGenerator<LedgerEntry> {
  let left = filter.limit ?? Number.POSITIVE_INFINITY;
  let beforeKey = filter.beforeKey;
  while (left > 0) {
    const limit = Math.min(PAGE, left);
    const page = await store.entries({ ...filter, limit, ...(beforeKey === undefined ? {} : { beforeKey }) });
    if (!page.ok) throw new LedgerTrouble(page.error.message);
    yield* page.value;
    left -= page.value.length;
    beforeKey = page.value.at(-1)?.key;
    if (page.value.length < limit) return;
  }
}

/** The ledger could not be read; the message is for a person. */
export class LedgerTrouble extends Error {}

/** The fields of CONTRACTS, ledger list. `follows`: key of the entry that answers for it, the same effect asked for before. */
export function entryLine(entry: LedgerEntry): Readonly<Record<string, unknown>> {
  const { key, task, step, tool, level, state, preparedAtMs, evidence } = entry;
  const followed = followedKey(entry);
  const follows = followed === null ? {} : { follows: followed };
  return { key, task, step, tool, level, state, preparedAt: timeOf(preparedAtMs), evidence, ...follows };
}

/** ISO 8601 in UTC. */
export function timeOf(atMs: number): string {
  const time = new Date(atMs);
  return Number.isNaN(time.getTime()) ? String(atMs) : time.toISOString();
}

/** A value with everything masked that looks like a secret, in every text of it. */
export function redacted(value: unknown): unknown {
  if (typeof value === 'string') return redactSecrets(value);
  if (Array.isArray(value)) return value.map(redacted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, redacted(one)]));
}

const COLUMNS = ['KEY', 'WHEN', 'TASK', 'STEP', 'LEVEL', 'STATE', 'WHAT'] as const;

/** A line of the table for a person. */
export function tableRow(entry: LedgerEntry): readonly string[] {
  const { key, preparedAtMs, task, step, level, state, title } = entry;
  const when = timeOf(preparedAtMs).slice(0, 19).replace('T', ' ');
  const followed = followedKey(entry);
  const same = followed === null ? '' : ` (same effect as ${shortKey(followed)}, decided there)`;
  return [shortKey(key), when, cut(plain(task), 24), String(step), level, state, `${plain(title)}${same}`];
}

/** A table with aligned columns; the last one is as long as it is. */
export function tableOf(rows: readonly (readonly string[])[]): readonly string[] {
  const all = [COLUMNS, ...rows];
  const widths = COLUMNS.map((_, i) => Math.max(...all.map((row) => (row[i] ?? '').length)));
  return all.map((row) => row.map((cell, i) => (i < row.length - 1 ? cell.padEnd(widths[i] ?? 0) : cell)).join('  '));
}

function cut(text: string, chars: number): string {
  return text.length > chars ? `${text.slice(0, chars - 1).toWellFormed()}…` : text;
}

/** One line, without what a terminal would act on. */
export function plain(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}

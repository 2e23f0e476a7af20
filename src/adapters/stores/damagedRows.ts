// Which rows of the ledger a damaged database still holds: every page is looked at, whether the way to it is damaged or not.
// A row's table is known by the tree that its page hangs in, else by its shape. Pages on the free list hold what was deleted,
// so they are left alone; where that list itself is damaged, rows on pages without a way may be old, and `isReached` says so.
import { contentOf } from './damagedRecords.ts';
import type { DamagedRecord, PageContent, RecordValue } from './damagedRecords.ts';
import type { DamagedPages } from './damagedPages.ts';
import type { Row } from './sqliteRows.ts';

/** A row by column names; or the key of an entry that an index names. */
export type FoundRow =
  | { readonly table: SavedTable; readonly row: Row; readonly isReached: boolean }
  | { readonly table: 'key'; readonly key: string };

export type SavedTable = 'entries' | 'history' | 'events' | 'checkpoints' | 'budgets' | 'documents';

/** What the search came across. */
export interface PagesReport {
  readonly pages: number;
  /** Pages that should hold rows or the way to them and could not be read, or not as a whole. */
  readonly damagedPages: number;
  /** Whether everything that was deleted could be told from what was not. */
  readonly isFreeListKnown: boolean;
}

const ENTRY = `id key tenant task step tool ids level args_text title paths prepared_at_ms owner probe state evidence
  updated_at_ms fence compensates follows checksum`.split(/\s+/);
/** Columns of every table, in order; later schemas only added to their end. */
const COLUMNS: Readonly<Record<SavedTable, readonly string[]>> = {
  entries: ENTRY,
  history: ['id', 'key', 'at_ms', 'from_state', 'to_state', 'evidence'],
  events: ['id', 'task', 'event', 'at_ms'],
  checkpoints: ['task', 'version', 'state', 'is_finished'],
  budgets: ['task', 'row'],
  documents: ['name', 'text'],
};
const LEAST_ENTRY_COLUMNS = 18;
/** Indexes that begin with the key of an entry. */
const KEY_INDEXES: ReadonlySet<string> = new Set(['sqlite_autoindex_entries_1', 'history_key']);

/** Every row that can be read. */
export function* foundRows(pages: DamagedPages): Generator<FoundRow, PagesReport> {
  const free = freePages(pages);
  const owners = new Map<number, string>();
  const bad = new Set<number>();
  for (const [name, root] of roots(pages)) reach(pages, { name, root, owners, bad });
  for (let number = 2; number <= pages.count; number++) {
    if (free.pages.has(number) || isPointerMap(pages, number)) continue;
    const content = contentOf(pages, number);
    if (!content || content.kind === 'way') continue;
    const owner = owners.get(number) ?? null;
    if (!content.isWhole) bad.add(number);
    yield* content.kind === 'index' ? keysOf(content, owner) : rowsOf(content, owner);
  }
  return { pages: pages.count, damagedPages: bad.size, isFreeListKnown: free.isKnown };
}

function* keysOf(content: PageContent, owner: string | null): Generator<FoundRow> {
  if (owner === null || !KEY_INDEXES.has(owner)) return;
  for (const { values } of content.records) {
    if (typeof values[0] === 'string') yield { table: 'key', key: values[0] };
  }
}

function* rowsOf(content: PageContent, owner: string | null): Generator<FoundRow> {
  for (const record of content.records) {
    const table = owner === null ? tableOf(record.values) : isSaved(owner) ? owner : null;
    if (table !== null) yield { table, row: namedRow(table, record), isReached: owner !== null };
  }
}

function isSaved(name: string): name is SavedTable {
  return Object.hasOwn(COLUMNS, name);
}

/** The table of a row whose page hangs in no tree. */
function tableOf(values: readonly RecordValue[]): SavedTable | null {
  const [first, second] = values;
  if (values.length >= LEAST_ENTRY_COLUMNS && values.length <= ENTRY.length) return 'entries';
  if (first === null && values.length === COLUMNS.history.length) return 'history';
  if (first === null && (values.length === 3 || values.length === 4)) return 'events';
  if (typeof first !== 'string') return null;
  if (typeof second === 'number' && (values.length === 3 || values.length === 4)) return 'checkpoints';
  if (typeof second !== 'string' || values.length !== 2) return null;
  return second.startsWith('{"task":') ? 'budgets' : 'documents';
}

function namedRow(table: SavedTable, { rowId, values }: DamagedRecord): Row {
  const named = COLUMNS[table].map((name, i) => [name, values[i] ?? null] as const);
  // A column `id` is stored as the number of the row.
  return { ...Object.fromEntries(named), ...(COLUMNS[table][0] === 'id' ? { id: rowId } : {}) };
}

/** Tables and indexes by the page that their tree begins at, as far as the schema can be read. */
function roots(pages: DamagedPages): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const schema = new Map<number, string>();
  reach(pages, { name: 'sqlite_schema', root: 1, owners: schema, bad: new Set() });
  for (const number of schema.keys()) {
    for (const { values } of contentOf(pages, number)?.records ?? []) {
      const [, name, , root] = values;
      if (typeof name === 'string' && typeof root === 'number' && root > 1 && root <= pages.count)
        found.set(name, root);
    }
  }
  return found;
}

interface Reach {
  readonly name: string;
  readonly root: number;
  readonly owners: Map<number, string>;
  readonly bad: Set<number>;
}

/** Marks every page of a tree; one that cannot be read ends the way there. */
function reach(pages: DamagedPages, { name, root, owners, bad }: Reach): void {
  const open = [root];
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    if (number < 1 || number > pages.count || owners.has(number)) continue;
    const content = contentOf(pages, number);
    if (!content?.isWhole) bad.add(number);
    if (!content) continue;
    owners.set(number, name);
    open.push(...content.children);
  }
}

/** Pages that were given back. Not known as a whole where the list leads astray or is not as long as the header says. */
function freePages(pages: DamagedPages): { readonly pages: ReadonlySet<number>; readonly isKnown: boolean } {
  const free = new Set<number>();
  const header = pages.page(1);
  if (!header || !pages.hasHeader) return { pages: free, isKnown: false };
  const total = header.readUInt32BE(36);
  const mostLeaves = pages.usableBytes / 4 - 2;
  let trunk = header.readUInt32BE(32);
  while (trunk > 1 && trunk <= pages.count && !free.has(trunk)) {
    free.add(trunk);
    const page = pages.page(trunk);
    const leaves = page?.readUInt32BE(4) ?? 0;
    if (!page || leaves > mostLeaves) break;
    for (let i = 0; i < leaves; i++) free.add(page.readUInt32BE(8 + i * 4));
    trunk = page.readUInt32BE(0);
  }
  return { pages: free, isKnown: trunk === 0 && free.size === total };
}

/** A page that says which page leads to which; the first is page 2. */
function isPointerMap(pages: DamagedPages, number: number): boolean {
  const each = Math.floor(pages.usableBytes / 5) + 1;
  return pages.hasPointerMap && (number - 2) % each === 0;
}

// The new ledger that a rescue fills. Rows come in any order and perhaps twice; then entries are held against their history,
// which has one line for every change: an entry with fewer changes than lines is an old copy, and a key without an entry is
// one that was lost. In doubt an entry becomes one that is not repeated unasked.
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { EntryState, LedgerEntry } from '../../core/ledger/entry.ts';
import { shortKey } from '../../core/ledger/transition.ts';
import type { EntryHistory } from '../../engine/ports.ts';
import type { FoundRow, SavedTable } from './damagedRows.ts';
import {
  budgetOf,
  checkpointOf,
  DamagedRow,
  documentOf,
  ENTRY_COLUMNS,
  entryOf,
  entryValues,
  eventOf,
  historyOf,
} from './sqliteRows.ts';
import type { Row } from './sqliteRows.ts';
import { openDatabase } from './sqliteSchema.ts';
import { isFinished } from '../../core/ledger/retention.ts';
import { ZodError } from 'zod';

/** What came of the rows. */
export interface RescuedRows {
  /** Entries that were read, with those that were old copies brought up to date by their history. */
  readonly entries: number;
  readonly history: number;
  readonly events: number;
  readonly checkpoints: number;
  readonly budgets: number;
  readonly documents: number;
  /** Rows that were found and do not parse. */
  readonly damagedRows: number;
  /** Entries that are known by their key alone and got one in their place. */
  readonly lostEntries: number;
  /** Entries that may be old copies and became UNKNOWN, since their state would let them run again. */
  readonly doubtfulEntries: number;
}

export interface RescuedLedger {
  /** Takes one row; a damaged one is counted. */
  add(found: FoundRow): void;
  /** Settles what hangs together and makes the file whole. */
  finish(isFreeListKnown: boolean): RescuedRows;
  close(): void;
}

/** States in which the same effect may run again, or a person may let it. */
const RUNS_AGAIN: ReadonlySet<EntryState> = new Set(['FAILED', 'RECONCILED_ABSENT', 'COMPENSATED']);
const RESCUE = 'rescue';

/** A new ledger in `file`, which must not exist. Throws SQLite's errors. */
export function rescuedLedger(file: string): RescuedLedger {
  const { database } = openDatabase({ file });
  // A file that did not become whole is thrown away, so it needs no journal. From WAL it comes to OFF by way of DELETE only.
  database.exec('PRAGMA journal_mode = DELETE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
  database.exec('PRAGMA cache_size = -65536');
  database.exec(
    'BEGIN; CREATE TEMP TABLE seen_keys (key TEXT PRIMARY KEY); CREATE TEMP TABLE orphans (key TEXT PRIMARY KEY)',
  );
  const run = runner(database);
  let damagedRows = 0;
  const adders = addersOf(database);
  return {
    add(found) {
      if (found.table === 'key') {
        run('INSERT OR IGNORE INTO seen_keys VALUES (?)', found.key);
        return;
      }
      try {
        adders[found.table](found.row, found.isReached);
      } catch (error) {
        if (!isRowDamage(error)) throw error;
        damagedRows += 1;
      }
    },
    finish(isFreeListKnown) {
      const count = (table: string): number => Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
      const entries = count('entries');
      updateOldCopies(database);
      const doubtfulEntries = isFreeListKnown ? 0 : doubtOrphans(database);
      const lostEntries = replaceLost(database);
      database.exec('COMMIT; PRAGMA journal_mode = DELETE');
      const [history, events] = [count('history'), count('events')];
      const small = { checkpoints: count('checkpoints'), budgets: count('budgets'), documents: count('documents') };
      return { entries, history, events, ...small, damagedRows, lostEntries, doubtfulEntries };
    },
    close: () => database.close(),
  };
}

const SQLITE_CONSTRAINT = 19;

/** A row that does not parse, or that the schema does not take. */
function isRowDamage(error: unknown): boolean {
  if (error instanceof ZodError || error instanceof DamagedRow) return true;
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_CONSTRAINT;
}

type Run = (sql: string, ...values: readonly SQLInputValue[]) => void;

function runner(database: DatabaseSync): Run {
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  return (sql, ...values) => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    statement.run(...values);
  };
}

/** Parses and stores a row of each table; throws on one that does not parse. The first row under a key or number stays. */
function addersOf(database: DatabaseSync): Readonly<Record<SavedTable, (row: Row, isReached: boolean) => void>> {
  const run = runner(database);
  const fenceOf = database.prepare('SELECT fence FROM entries WHERE key = ?');
  const placed = database.prepare('SELECT 1 FROM entries WHERE id = ?');
  const plain = (value: unknown): SQLInputValue =>
    typeof value === 'string' || typeof value === 'number' ? value : null;
  return {
    entries: (row, isReached) => {
      const entry = entryOf(row);
      const known = fenceOf.get(entry.key);
      if (known && Number(known.fence) >= entry.fence) return;
      if (known) removeEntry(run, entry.key);
      const id = typeof row.id === 'number' && !placed.get(row.id) ? row.id : null;
      insertEntry(run, entry, id);
      run(isReached ? 'DELETE FROM orphans WHERE key = ?' : 'INSERT OR IGNORE INTO orphans VALUES (?)', entry.key);
    },
    history: (row) => {
      const { atMs, from, to, evidence } = historyOf(row);
      const text = evidence === null ? null : JSON.stringify(evidence);
      run(
        'INSERT OR IGNORE INTO history VALUES (?, ?, ?, ?, ?, ?)',
        plain(row.id),
        plain(row.key),
        atMs,
        from,
        to,
        text,
      );
    },
    events: (row) => {
      const event = eventOf(row);
      const values = [plain(row.id), event.ids.task, JSON.stringify(event), Math.trunc(event.atMs)];
      run('INSERT OR IGNORE INTO events (id, task, event, at_ms) VALUES (?, ?, ?, ?)', ...values);
    },
    checkpoints: (row) => {
      const { task, version, state } = checkpointOf(row);
      const isOver = isFinished(state) ? 1 : 0;
      run('INSERT OR IGNORE INTO checkpoints VALUES (?, ?, ?, ?)', task, version, state, isOver);
    },
    budgets: (row) => {
      const budget = budgetOf(row);
      run('INSERT OR IGNORE INTO budgets VALUES (?, ?)', budget.task, JSON.stringify(budget));
    },
    documents: (row) => {
      const { name, text } = documentOf(row);
      run('INSERT OR IGNORE INTO documents VALUES (?, ?)', name, text);
    },
  };
}

function insertEntry(run: Run, entry: LedgerEntry, id: number | null): void {
  const columns = ['id', ...ENTRY_COLUMNS];
  run(
    `INSERT INTO entries (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    id,
    ...entryValues(entry),
  );
  for (const path of entry.paths) {
    run('INSERT OR IGNORE INTO entry_paths SELECT ?, id FROM entries WHERE key = ?', path, entry.key);
  }
}

function removeEntry(run: Run, key: string): void {
  run('DELETE FROM entries WHERE key = ?', key);
}

/** Saves an entry over the one of its key, in its place. */
function replaceEntry(run: Run, entry: LedgerEntry): void {
  const sets = ENTRY_COLUMNS.map((name) => `${name} = ?`).join(', ');
  run(`UPDATE entries SET ${sets} WHERE key = ?`, ...entryValues(entry), entry.key);
}

/** An entry with fewer changes than its history has lines was read from an old copy: the history goes on from there. */
function updateOldCopies(database: DatabaseSync): void {
  const run = runner(database);
  const old = database.prepare(
    `SELECT entries.*, lines FROM entries
     JOIN (SELECT key AS of_key, count(*) AS lines FROM history GROUP BY key) ON of_key = entries.key
     WHERE lines > fence`,
  );
  for (const { lines, id: _, ...row } of old.all()) {
    const entry = entryOf(row);
    const last = lastLine(database, entry.key);
    if (last)
      replaceEntry(run, {
        ...entry,
        state: last.to,
        evidence: last.evidence,
        updatedAtMs: last.atMs,
        fence: Number(lines),
      });
  }
}

/** Entries from pages without a way, not confirmed by their history, in a state that would let them run again. */
function doubtOrphans(database: DatabaseSync): number {
  const run = runner(database);
  let doubtful = 0;
  for (const { id: _, ...row } of database
    .prepare('SELECT * FROM entries WHERE key IN (SELECT key FROM orphans)')
    .all()) {
    const entry = entryOf(row);
    const lines = database.prepare('SELECT count(*) AS n FROM history WHERE key = ?').get(entry.key)?.n;
    const isConfirmed = lines === entry.fence && lastLine(database, entry.key)?.to === entry.state;
    if (isConfirmed || !RUNS_AGAIN.has(entry.state)) continue;
    const detail = `read from a damaged ledger as ${entry.state}; it may have changed since`;
    replaceEntry(run, { ...entry, state: 'UNKNOWN', evidence: { source: RESCUE, detail }, fence: entry.fence + 1 });
    run(ADD_LINE, entry.key, entry.updatedAtMs, entry.state, 'UNKNOWN', JSON.stringify({ source: RESCUE, detail }));
    doubtful += 1;
  }
  return doubtful;
}

const ADD_LINE = 'INSERT INTO history (key, at_ms, from_state, to_state, evidence) VALUES (?, ?, ?, ?, ?)';

/** An entry in the place of each that was lost: irreversible, and UNKNOWN unless the history says how it ended. */
function replaceLost(database: DatabaseSync): number {
  const run = runner(database);
  const lost = database.prepare(
    `SELECT key FROM (SELECT key FROM seen_keys UNION SELECT key FROM history) WHERE key NOT IN (SELECT key FROM entries)`,
  );
  const keys = lost.all().map((row) => String(row.key));
  for (const key of keys) {
    const last = lastLine(database, key);
    const lines = Number(database.prepare('SELECT count(*) AS n FROM history WHERE key = ?').get(key)?.n);
    insertEntry(run, lostEntry(key, last, lines), null);
  }
  return keys.length;
}

function lostEntry(key: string, last: EntryHistory | null, lines: number): LedgerEntry {
  const detail = 'its entry was lost when the ledger was damaged; nobody knows what it was';
  const isOpen = last === null || last.to === 'PREPARED';
  return {
    key,
    tenant: RESCUE,
    task: RESCUE,
    step: 0,
    tool: RESCUE,
    ids: { client: RESCUE, call: null, attempt: null, toolCall: null },
    level: 'R3',
    argsText: '{}',
    title: `lost entry ${shortKey(key)}`,
    paths: [],
    preparedAtMs: last?.atMs ?? 0,
    owner: null,
    probe: null,
    state: isOpen ? 'UNKNOWN' : last.to,
    evidence: isOpen ? { source: RESCUE, detail } : (last.evidence ?? { source: RESCUE, detail }),
    updatedAtMs: last?.atMs ?? 0,
    fence: Math.max(lines, 1),
  };
}

function lastLine(database: DatabaseSync, key: string): EntryHistory | null {
  const row = database.prepare('SELECT * FROM history WHERE key = ? ORDER BY id DESC LIMIT 1').get(key);
  return row ? historyOf(row) : null;
}

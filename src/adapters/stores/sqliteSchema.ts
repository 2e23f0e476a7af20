// Opens the ledger's database and brings its schema up to date. A newer schema, another program's file and a damaged file
// are refused and left exactly as they are.
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StoreFault } from '../../engine/ports.ts';
import { corruptFault, foreignFault, newerSchemaFault, StoreTrouble } from './sqliteFaults.ts';
import type { SqliteOptions } from './storeProtocol.ts';

/** Marks the file as Belay's (`BLAY`), see https://www.sqlite.org/pragma.html#pragma_application_id. */
const APPLICATION_ID = 0x424c4159;
/** Files up to this size are checked as a whole when they are opened (about 0.1 s). */
const CHECK_LIMIT_BYTES = 32 * 1024 * 1024;

/** Step n leads from schema n to n + 1. Steps are never changed once shipped. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE entries (
     id INTEGER PRIMARY KEY,
     key TEXT NOT NULL UNIQUE,
     tenant TEXT NOT NULL, task TEXT NOT NULL, step INTEGER NOT NULL, tool TEXT NOT NULL, ids TEXT NOT NULL,
     level TEXT NOT NULL CHECK (level IN ('R0','R1','R2','R3')),
     args_text TEXT NOT NULL, title TEXT NOT NULL, paths TEXT NOT NULL,
     prepared_at_ms INTEGER NOT NULL, owner TEXT, probe TEXT,
     state TEXT NOT NULL CHECK (state IN
       ('PREPARED','COMMITTED','FAILED','UNKNOWN','RECONCILED_COMMITTED','RECONCILED_ABSENT','COMPENSATED')),
     evidence TEXT, updated_at_ms INTEGER NOT NULL, fence INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX entries_task ON entries (task, id);
   CREATE INDEX entries_state ON entries (state, id);
   CREATE TABLE entry_paths (
     path TEXT NOT NULL, entry_id INTEGER NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
     PRIMARY KEY (path, entry_id)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE history (
     id INTEGER PRIMARY KEY, key TEXT NOT NULL, at_ms INTEGER NOT NULL,
     from_state TEXT, to_state TEXT NOT NULL, evidence TEXT
   ) STRICT;
   CREATE INDEX history_key ON history (key, id);
   CREATE TABLE budgets (task TEXT PRIMARY KEY, row TEXT NOT NULL) STRICT;
   CREATE TABLE checkpoints (task TEXT PRIMARY KEY, version INTEGER NOT NULL, state TEXT NOT NULL) STRICT;
   CREATE TABLE events (id INTEGER PRIMARY KEY, task TEXT NOT NULL, event TEXT NOT NULL) STRICT;
   CREATE INDEX events_task ON events (task, id);
   CREATE TABLE documents (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;`,
];

/** The schema this version writes. */
const SCHEMA_VERSION = MIGRATIONS.length;

export interface OpenDatabase {
  readonly database: DatabaseSync;
  /** Set when a check found damage: reading is tried, writing is refused. */
  readonly damage: StoreFault | null;
  /** False: the file system cannot do WAL, so every commit has to be synced. */
  readonly isWal: boolean;
}

/** Opens or makes the database. Throws StoreTrouble or SQLite's error; the file is then unchanged. */
export function openDatabase(options: SqliteOptions): OpenDatabase {
  const { file } = options;
  const readOnly = (options.readOnly ?? false) || isWriteProtected(file);
  if (!readOnly) mkdirSync(dirname(file), { recursive: true });
  const sizeBytes = existsSync(file) ? statSync(file).size : 0;
  const database = new DatabaseSync(file, { timeout: options.busyTimeoutMs ?? 5000, readOnly });
  try {
    refuseForeign(database, file);
    const damage = sizeBytes > 0 && sizeBytes <= CHECK_LIMIT_BYTES && isDamaged(database) ? corruptFault(file) : null;
    if (readOnly || damage) return { database, damage, isWal: true };
    if (options.maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${Math.trunc(options.maxPages)}`);
    const isWal = pragma(database, 'journal_mode = WAL') === 'wal';
    database.exec('PRAGMA foreign_keys = ON; PRAGMA fullfsync = 1');
    migrate(database, file);
    return { database, damage, isWal };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Reads one PRAGMA's value. */
function pragma(database: DatabaseSync, text: string): unknown {
  const row = database.prepare(`PRAGMA ${text}`).get();
  return row && Object.values(row)[0];
}

function isWriteProtected(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    accessSync(file, constants.W_OK);
    return false;
  } catch {
    // No permission to write: it is opened for reading, so that the ledger can still be looked at.
    return true;
  }
}

function refuseForeign(database: DatabaseSync, file: string): void {
  const version = Number(pragma(database, 'user_version'));
  const isOurs = pragma(database, 'application_id') === APPLICATION_ID;
  const isEmpty = database.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.n === 0;
  if (!isOurs && !isEmpty) throw new StoreTrouble(foreignFault(file));
  if (version > SCHEMA_VERSION) throw new StoreTrouble(newerSchemaFault(file, version, SCHEMA_VERSION));
}

function isDamaged(database: DatabaseSync): boolean {
  try {
    return pragma(database, 'quick_check(1)') !== 'ok';
  } catch {
    // The check itself stumbled over the damage.
    return true;
  }
}

function migrate(database: DatabaseSync, file: string): void {
  if (pragma(database, 'user_version') === SCHEMA_VERSION) return;
  database.exec('PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
  try {
    // Another process may have done it, or gone further, while this one waited for the lock.
    refuseForeign(database, file);
    const version = Number(pragma(database, 'user_version'));
    for (const step of MIGRATIONS.slice(version)) database.exec(step);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

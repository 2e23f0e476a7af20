// Opens the ledger's database and brings its schema up to date. A newer schema, another program's file and a damaged file
// are refused and left exactly as they are: whatever exists is looked at through a read-only connection first.
import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { StoreFault } from '../../engine/ports.ts';
import { makePrivate, tightenAccess } from './sqliteAccess.ts';
import {
  corruptFault,
  folderFault,
  foreignFault,
  lostWalFault,
  newerSchemaFault,
  StoreTrouble,
} from './sqliteFaults.ts';
import { isWriteProtected, openForReading } from './sqliteReading.ts';
import { MIGRATIONS, SCHEMA_VERSION } from './sqliteMigrations.ts';
import type { SqliteOptions } from './storeProtocol.ts';

/** Marks the file as Belay's (`BLAY`), see https://www.sqlite.org/pragma.html#pragma_application_id. */
const APPLICATION_ID = 0x424c4159;
/** Files up to these sizes are checked as a whole when they are opened, with their indexes or without (about 0.1 s). */
const FULL_CHECK_LIMIT_BYTES = 8 * 1024 * 1024;
const CHECK_LIMIT_BYTES = 32 * 1024 * 1024;
/** Files of an old version up to this size are written anew so that they can shrink (about 1 s). */
const VACUUM_LIMIT_BYTES = 64 * 1024 * 1024;
/** Pages kept in memory, in KiB (so SQLite wants it: below zero); a ledger of a million entries touches many. */
const CACHE_KIB = -8192;
const INCREMENTAL = 2;

export interface OpenDatabase {
  readonly database: DatabaseSync;
  /** Set when a check found damage: reading is tried, writing is refused. */
  readonly damage: StoreFault | null;
  /** Opened for reading only: by the caller's wish, by the file's permissions, or since it is damaged. */
  readonly isReadOnly: boolean;
  /** False: the file system cannot do WAL, so every commit has to be synced. */
  readonly isWal: boolean;
}

/** Opens or makes the database. Throws StoreTrouble or SQLite's error; the file is then unchanged. */
export function openDatabase(options: SqliteOptions): OpenDatabase {
  const { file } = options;
  const readOnly = (options.readOnly ?? false) || isWriteProtected(file);
  if (!readOnly) makePrivate(file);
  const sizeBytes = existsSync(file) ? sizeOf(file) : 0;
  if (sizeBytes > 0 || readOnly) {
    const looked = look(options, sizeBytes);
    if (readOnly || looked.damage) return looked;
    looked.database.close();
  }
  tightenAccess(file);
  return openForWriting(options, sizeBytes === 0);
}

function sizeOf(file: string): number {
  const found = statSync(file);
  if (found.isDirectory()) throw new StoreTrouble(folderFault(file));
  return found.size;
}

/** A read-only connection, with what a check of the file says. */
function look(options: SqliteOptions, sizeBytes: number): OpenDatabase {
  const { file } = options;
  // SQLite removes the first before the second, and makes the second before the first.
  const isWalLost = existsSync(`${file}-shm`) && !existsSync(`${file}-wal`);
  const database = openForReading(options);
  try {
    const reads = { database, isReadOnly: true, isWal: true };
    if (isWalLost) return { ...reads, damage: lostWalFault(file) };
    refuseForeign(database, file);
    const isBad = sizeBytes <= CHECK_LIMIT_BYTES && isDamaged(database, sizeBytes <= FULL_CHECK_LIMIT_BYTES);
    return { ...reads, damage: isBad ? corruptFault(file) : null };
  } catch (error) {
    database.close();
    throw error;
  }
}

function openForWriting(options: SqliteOptions, isNew: boolean): OpenDatabase {
  const { file } = options;
  const database = new DatabaseSync(file, { timeout: options.busyTimeoutMs ?? 5000 });
  try {
    // Before anything is written: so that the file can shrink after a prune.
    if (isNew) database.exec('PRAGMA auto_vacuum = INCREMENTAL');
    if (options.maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${Math.trunc(options.maxPages)}`);
    refuseForeign(database, file);
    const isWal = pragma(database, 'journal_mode = WAL') === 'wal';
    database.exec(`PRAGMA foreign_keys = ON; PRAGMA fullfsync = 1; PRAGMA cache_size = ${CACHE_KIB}`);
    migrate(database, file);
    return { database, damage: null, isReadOnly: false, isWal };
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

function refuseForeign(database: DatabaseSync, file: string): void {
  const version = Number(pragma(database, 'user_version'));
  const isOurs = pragma(database, 'application_id') === APPLICATION_ID;
  const isEmpty = database.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.n === 0;
  if (!isOurs && !isEmpty) throw new StoreTrouble(foreignFault(file));
  if (version > SCHEMA_VERSION) throw new StoreTrouble(newerSchemaFault(file, version, SCHEMA_VERSION));
}

function isDamaged(database: DatabaseSync, isFull: boolean): boolean {
  try {
    return pragma(database, isFull ? 'integrity_check(1)' : 'quick_check(1)') !== 'ok';
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

/**
 * Lets the file shrink after a prune: what was freed is cut off the file, and a small file of an old version is written
 * anew, once, so that it can. Outside a transaction. Others who are reading only put it off to the next time.
 */
export function compact(database: DatabaseSync): void {
  const sizeBytes = Number(pragma(database, 'page_count')) * Number(pragma(database, 'page_size'));
  if (pragma(database, 'auto_vacuum') !== INCREMENTAL && sizeBytes <= VACUUM_LIMIT_BYTES) {
    database.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM');
  }
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}

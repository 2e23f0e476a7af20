// Read-only connections: for a ledger that may not be written, is damaged, or lies in a folder where nothing may be made.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { SqliteOptions } from './storeProtocol.ts';

/** SQLITE_CANTOPEN and SQLITE_READONLY: what reading in such a folder ends with. */
const NO_PLACE: ReadonlySet<number> = new Set([8, 14]);

/** May this process not write the file, or its folder, where SQLite keeps two files beside it? */
export function isWriteProtected(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    accessSync(file, constants.W_OK);
    accessSync(dirname(file), constants.W_OK);
    return false;
  } catch {
    // No permission to write: it is opened for reading, so that the ledger can still be looked at.
    return true;
  }
}

/** Opens for reading. Where the files beside it can neither be found nor made, the database is read as it lies there. */
export function openForReading({ file, busyTimeoutMs = 5000 }: SqliteOptions): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs, readOnly: true });
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return database;
  } catch (error) {
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : -1;
    if (!NO_PLACE.has(code) || hasWal(file)) {
      database.close();
      throw error;
    }
  }
  database.close();
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { timeout: busyTimeoutMs, readOnly: true });
}

/** Are there entries in the write-ahead log, which could not be seen without it? */
function hasWal(file: string): boolean {
  const wal = `${file}-wal`;
  return existsSync(wal) && statSync(wal).size > 0;
}

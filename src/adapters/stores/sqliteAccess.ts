// Who may read the ledger: it holds commands and their output, so its files are the owner's alone (0600, their folder 0700).
// SQLite gives `-wal` and `-shm` the mode of the database. Windows has no such modes: there the user's own folder protects it.
import { chmodSync, closeSync, existsSync, lstatSync, openSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { makeFoldersSync } from '../files/makeFolders.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const OWNER_ONLY = 0o700;
/** Belay's own data folder of the command line and of VS Code; any other may be anybody's and keeps its mode. */
const OWN_FOLDER = /^(?:belay|[\w-]+\.belay)$/;

/** Makes what is missing of folder and file, for the owner alone. Throws where the folder cannot be made. */
export function makePrivate(file: string): void {
  makeFoldersSync(dirname(file), { mode: FOLDER_MODE });
  if (existsSync(file)) return;
  try {
    closeSync(openSync(file, 'a', FILE_MODE));
  } catch {
    // SQLite meets the same trouble next, and says it as a fault of the ledger.
  }
}

/**
 * Takes the rights of others from a ledger's files, and from its folder where that is Belay's own. Only what this user owns
 * is changed; a link is not followed. What cannot be changed stays as it is: the ledger must still open.
 */
export function tightenAccess(file: string): void {
  for (const path of [file, `${file}-wal`, `${file}-shm`]) tighten(path, 'file');
  const folder = dirname(file);
  if (OWN_FOLDER.test(basename(folder))) tighten(folder, 'folder');
}

function tighten(path: string, kind: 'file' | 'folder'): void {
  const uid = process.getuid?.();
  if (uid === undefined) return;
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.uid !== uid || !(kind === 'file' ? found.isFile() : found.isDirectory())) return;
    if ((found.mode & 0o077) !== 0) chmodSync(path, found.mode & OWNER_ONLY);
  } catch {
    // E.g. a disk without modes, or a read-only one.
  }
}

// The file port on a folder: text files of the workspace, changed only by compare-and-swap on their SHA-256.
// UTF-8 only; a byte order mark, line endings and the mode stay as they are. An error always means: not written.
import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { mkdir, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { FilePort, FileState, Result } from '../../engine/ports.ts';
import { UNFINISHED, writeAtomically } from './atomicWrite.ts';
import { realPlace } from './workspacePaths.ts';

export interface WorkspaceFilesOptions {
  /** Absolute folder of the workspace. */
  readonly root: string;
  /** Absolute folder for the bytes of files before they are edited; made when missing. Equal bytes are kept once. */
  readonly beforeDirectory: string;
}

/** Larger files are refused: they are not source text, and they would be held in memory several times. */
const MAX_BYTES = 32 * 1024 * 1024;
const SKIPPED = new Set(['.git', 'node_modules']);
const NEW_FILE_MODE = 0o644;

type Bytes = { readonly bytes: Buffer; readonly mode: number } | null;

/** The file port of one workspace folder. */
export function workspaceFiles(options: WorkspaceFilesOptions): FilePort {
  const { root, beforeDirectory } = options;
  let lastWrite: Promise<unknown> = Promise.resolve();
  /** Writes of this process come one after the other, so that none slips between another's check and its rename. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = lastWrite.then(work, work);
    lastWrite = turn;
    return turn;
  };
  const at = async <T>(
    path: string,
    work: (place: string) => Promise<Result<T, string>>,
  ): Promise<Result<T, string>> => {
    try {
      const place = await realPlace(root, path);
      return place.ok ? await work(place.value) : place;
    } catch (error) {
      return no(messageOf(error, path));
    }
  };
  return {
    read: (path) => at(path, async (place) => stateOf(path, await bytesOf(place))),
    replace: (path, text, expectedHash) =>
      at(path, (place) => inTurn(() => replace({ root, path, place, text, expectedHash }))),
    saveBefore: (path) =>
      at(path, async (place) => {
        const found = await bytesOf(place);
        return { ok: true, value: found && (await keep(beforeDirectory, found.bytes)) };
      }),
    list: () => list(root),
  };
}

interface Replacement {
  readonly root: string;
  readonly path: string;
  readonly place: string;
  readonly text: string;
  readonly expectedHash: string | null;
}

async function replace({
  root,
  path,
  place,
  text,
  expectedHash,
}: Replacement): Promise<Result<{ readonly hash: string }, string>> {
  const segments = [
    ...relative(root, join(root, path)).split(sep),
    ...relative(await realpath(root), place).split(sep),
  ];
  if (segments.includes('.git')) {
    return no(`${path} belongs to Git itself and was not written. Use a git command instead.`);
  }
  if (!text.isWellFormed())
    return no(`The new text for ${path} is not valid Unicode and was not written. Send valid text.`);
  const found = await bytesOf(place);
  if (hashOf(found) !== expectedHash) return no(conflict(path, found));
  if (found && (found.mode & 0o222) === 0)
    return no(`${path} is write-protected and was not written. Allow writing to it first.`);
  const bytes = Buffer.from(text, 'utf8');
  await mkdir(dirname(place), { recursive: true });
  const isWritten = await writeAtomically({
    target: place,
    bytes,
    mode: found ? found.mode & 0o7777 : NEW_FILE_MODE,
    isNew: found === null,
    confirm: async () => hashOf(await bytesOf(place)) === expectedHash,
  });
  return isWritten ? { ok: true, value: { hash: sha256(bytes) } } : no(conflict(path, await bytesOf(place)));
}

function conflict(path: string, found: Bytes): string {
  const what = found ? 'was changed by somebody else' : 'was deleted';
  return `${path} ${what} since it was read, so it was not written. Read it again and make the edit anew.`;
}

/** Null when there is no such file. Throws on everything that is not a plain file. */
async function bytesOf(place: string): Promise<Bytes> {
  const found = await stat(place).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
  if (!found) return null;
  if (!found.isFile()) throw new Error('not a plain file');
  if (found.size > MAX_BYTES) throw new Error(`larger than ${MAX_BYTES / 1024 / 1024} MiB`);
  return { bytes: await readFile(place), mode: found.mode };
}

function stateOf(path: string, found: Bytes): Result<FileState, string> {
  if (!found) return { ok: true, value: { exists: false, text: '', hash: null, dirtyVersion: null } };
  if (found.bytes.includes(0)) return no(`${path} is a binary file. Only text files can be read and edited here.`);
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(found.bytes);
    return { ok: true, value: { exists: true, text, hash: sha256(found.bytes), dirtyVersion: null } };
  } catch {
    return no(`${path} is not UTF-8 text. Convert it to UTF-8, or edit it by hand.`);
  }
}

/** Keeps bytes under their hash; bytes that are there already are not written again. */
async function keep(directory: string, bytes: Buffer): Promise<string> {
  const hash = sha256(bytes);
  const folder = join(directory, hash.slice(0, 2));
  const target = join(folder, hash);
  const known = await stat(target).catch(() => null);
  if (known?.size === bytes.length) return hash;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeAtomically({ target, bytes, mode: 0o600, isNew: false, confirm: () => Promise.resolve(true) });
  return hash;
}

/** Every file below the root with `/` between folders, sorted; links are listed but not followed. */
async function list(root: string): Promise<readonly string[]> {
  const files: string[] = [];
  const visit = async (folder: string, prefix: string): Promise<void> => {
    for (const item of await itemsOf(folder)) {
      if (SKIPPED.has(item.name) || item.name.endsWith(UNFINISHED)) continue;
      if (item.isDirectory()) await visit(join(folder, item.name), `${prefix}${item.name}/`);
      else files.push(`${prefix}${item.name}`);
    }
  };
  await visit(root, '');
  return files.sort();
}

async function itemsOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    // Gone meanwhile or not ours to read: it has no files that could be edited here.
    return [];
  }
}

function hashOf(found: Bytes): string | null {
  return found && sha256(found.bytes);
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const BY_CODE: Readonly<Record<string, string>> = {
  EACCES: 'may not be read or written by this user. Change its permissions',
  EPERM: 'may not be changed by this user. Change its permissions',
  EROFS: 'is on a read-only disk. Make the disk writable',
  ENOSPC: 'could not be written since the disk is full. Free some space and try again',
  EDQUOT: 'could not be written since the disk quota is used up. Free some space and try again',
  EISDIR: 'is a folder. Name a file',
  ENOTDIR: 'lies below something that is not a folder. Check the path',
  EEXIST: 'appeared meanwhile and was not overwritten. Read it and make the edit anew',
  ELOOP: 'is a circle of symbolic links. Remove one of them',
  ENAMETOOLONG: 'has a name that is too long. Choose a shorter one',
};

function messageOf(error: unknown, path: string): string {
  for (const [code, words] of Object.entries(BY_CODE)) if (hasCode(error, code)) return `${path} ${words}.`;
  const why = error instanceof Error ? error.message : 'unknown error';
  return `${path} could not be used (${why}). Nothing was written; check the file.`;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function no(error: string): Result<never, string> {
  return { ok: false, error };
}

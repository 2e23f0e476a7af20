// The single steps of a safe write: bytes go into a file of their own, with the mode and the owner of the file they will
// replace, and are on the disk before the file gets its name. Source: rename(2), fsync(2), chown(2).
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Disk } from './disk.ts';
import { hasCode } from './fileTrouble.ts';

/** What a file is to have besides its bytes. */
export interface FileTraits {
  /** Permission bits; null: what the system gives new files. */
  readonly mode: number | null;
  readonly owner: { readonly uid: number; readonly gid: number } | null;
}

const SET_ID_BITS = 0o6000;
const RETRIES_MS = [20, 40, 80, 160, 320] as const;

/** Makes a file that must not be there yet. */
export async function makeFile(disk: Disk, path: string, mode: number): Promise<void> {
  await (await disk.open(path, 'wx', mode)).close();
}

/** Fills a file that was made, and puts it on the disk. */
export async function fillFile(disk: Disk, path: string, bytes: Uint8Array, traits: FileTraits): Promise<void> {
  const file = await disk.open(path, constants.O_WRONLY | constants.O_TRUNC | (constants.O_NOFOLLOW || 0));
  try {
    await file.writeFile(bytes);
    await giveTraits(file, traits);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** chown clears the set-id bits, so the mode comes after it. Where the owner cannot be kept, those bits are not kept either. */
async function giveTraits(file: FileHandle, { mode, owner }: FileTraits): Promise<void> {
  let isKept = true;
  if (owner) {
    const now = await file.stat();
    if (now.uid !== owner.uid || now.gid !== owner.gid) isKept = await giveOwner(file, now.uid, owner);
  }
  if (mode !== null) await file.chmod(isKept ? mode : mode & ~SET_ID_BITS);
}

async function giveOwner(
  file: FileHandle,
  uid: number,
  owner: { readonly uid: number; readonly gid: number },
): Promise<boolean> {
  try {
    await file.chown(owner.uid, owner.gid);
    return true;
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'EINVAL', 'ENOSYS', 'ENOTSUP')) throw error;
  }
  // Only root may give a file away; a group that this user is in may still be kept.
  await file.chown(uid, owner.gid).catch((error: unknown) => {
    if (!hasCode(error, 'EPERM', 'EINVAL', 'ENOSYS', 'ENOTSUP')) throw error;
  });
  return false;
}

/** Runs a step again where another program has the file open for a moment (virus scanners and indexers on Windows). */
export async function patiently<T>(disk: Disk, step: () => Promise<T>): Promise<T> {
  for (const waitMs of RETRIES_MS) {
    try {
      return await step();
    } catch (error) {
      const isBusy = hasCode(error, 'EBUSY') || (disk.platform === 'win32' && hasCode(error, 'EPERM', 'EACCES'));
      if (!isBusy) throw error;
      await disk.pause(waitMs);
    }
  }
  return step();
}

/**
 * Gives a file a second name, which must not be there yet. False: this disk knows no second names, or not for this file.
 * A disk that has them refuses an existing name, where renaming would overwrite.
 */
export async function linkFile(disk: Disk, path: string, name: string): Promise<boolean> {
  try {
    await disk.link(path, name);
    return true;
  } catch (error) {
    if (hasCode(error, 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EXDEV', 'EISDIR', 'UNKNOWN'))
      return false;
    throw error;
  }
}

/** Removes a file of ours; one that is gone is as well. */
export async function removeFile(disk: Disk, path: string): Promise<void> {
  await patiently(disk, () => disk.unlink(path)).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
}

/** Makes names themselves durable. Windows and some network disks cannot sync a folder; they order this themselves. */
export async function syncFolder(disk: Disk, folder: string): Promise<void> {
  if (disk.platform === 'win32') return;
  try {
    const handle = await disk.open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!hasCode(error, 'EINVAL', 'ENOTSUP', 'ENOSYS', 'EPERM', 'EACCES', 'EISDIR', 'EBADF')) throw error;
  }
}

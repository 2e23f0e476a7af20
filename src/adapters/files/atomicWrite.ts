// Writes a file so that a reader, or a crash, sees the old bytes or the new ones and never anything between.
import { randomBytes } from 'node:crypto';
import { link, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Names of unfinished files end in this; one may be left behind by a crash and is never listed as a file. */
export const UNFINISHED = '.belay-tmp';

export interface AtomicWrite {
  readonly target: string;
  readonly bytes: Buffer;
  /** Permission bits of the new file. */
  readonly mode: number;
  /** True: there must be no file yet, and none that appears meanwhile is overwritten. */
  readonly isNew: boolean;
  /** Called when all is on the disk but the last step; false gives up and leaves the target alone. */
  readonly confirm: () => Promise<boolean>;
}

/** True when the target has the new bytes; false when `confirm` said no. Throws the file system's error; then nothing changed. */
export async function writeAtomically({ target, bytes, mode, isNew, confirm }: AtomicWrite): Promise<boolean> {
  const folder = dirname(target);
  const unfinished = join(folder, `.${basename(target).slice(0, 80)}.${randomBytes(6).toString('hex')}${UNFINISHED}`);
  const file = await open(unfinished, 'wx', mode);
  try {
    try {
      await file.writeFile(bytes);
      await file.chmod(mode);
      await file.sync();
    } finally {
      await file.close();
    }
    if (!(await confirm())) return false;
    // link() fails where a file has appeared, which rename() would overwrite.
    if (isNew) await link(unfinished, target);
    else await rename(unfinished, target);
  } finally {
    await unlink(unfinished).catch(ignoreMissing);
  }
  await syncFolder(folder);
  return true;
}

/** After a rename the unfinished name is gone already. */
function ignoreMissing(error: unknown): void {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
  // What is left is an extra file that is never listed; the write itself succeeded or failed on its own account.
}

/** Makes the new name itself durable; some systems cannot sync a folder, and the content is safe without. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // Windows and some network file systems refuse; the file is already in place.
  }
}

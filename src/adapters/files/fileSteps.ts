// The one step that changes a file, and the one that takes it back. A reader, or a crash, sees the old bytes or the new ones
// and nothing between: writes are renames over the target, deletions are renames of the target. What Node cannot keep: on
// Linux extended attributes and POSIX ACLs of a file that is written (macOS and Windows copy theirs); and a foreign program
// that renames a file of its own over the target in the instant between the last look and the rename is overwritten.
import { dirname } from 'node:path';
import { conflictMessage, type FileJob, JobTrouble, MAX_DELETE_BYTES } from './fileJob.ts';
import { FileTrouble, missing, shown } from './fileTrouble.ts';
import type { FileWorld } from './fileWorld.ts';
import { noBytes, scanFile } from './scanFile.ts';
import { editId, unfinishedPath } from './unfinished.ts';
import { fillFile, linkFile, makeFile, patiently, removeFile } from './writeFile.ts';

/** Puts the new bytes into the unfinished file beside the target, with the mode and owner of the old file. */
export async function stageFile({ disk }: FileWorld, job: FileJob): Promise<void> {
  if (!job.newBytes || job.write.kind !== 'write') return;
  const bytes = await job.newBytes();
  const { found } = job;
  // Their system calls for copying keep what Node has no names for: attributes, access lists, hidden streams.
  if (found && (disk.platform === 'darwin' || disk.platform === 'win32'))
    await disk.copyFile(job.place.path, job.claim);
  await fillFile(disk, job.claim, bytes, {
    mode: found ? Number(found.mode) & 0o7777 : (job.write.mode ?? null),
    owner: found && disk.platform !== 'win32' ? { uid: Number(found.uid), gid: Number(found.gid) } : null,
  });
}

/** Changes the file if it is still as expected. Throws otherwise; `job.state` says how far it came. */
export async function changeFile(world: FileWorld, job: FileJob): Promise<void> {
  if (job.write.kind === 'delete') await removeTarget(world, job);
  else if (job.found) await replaceTarget(world, job);
  else await makeTarget(world, job);
}

async function replaceTarget(world: FileWorld, job: FileJob): Promise<void> {
  const { disk } = world;
  const { path } = job.place;
  const aside = unfinishedPath(path, 'old', job.edit);
  job.aside = (await linkFile(disk, path, aside)) ? aside : null;
  await confirm(world, job, path);
  job.state = 'changing';
  await patiently(disk, () => disk.rename(job.claim, path));
  job.state = 'changed';
  // Whoever wrote into the old file meanwhile would lose it: it goes back then.
  if (job.aside !== null) await confirm(world, job, job.aside);
}

async function makeTarget(world: FileWorld, job: FileJob): Promise<void> {
  const { disk } = world;
  const { path } = job.place;
  await confirm(world, job, path);
  job.state = 'changing';
  try {
    if (!(await linkFile(disk, job.claim, path))) {
      await confirm(world, job, path);
      await patiently(disk, () => disk.rename(job.claim, path));
    }
  } catch (error) {
    if (await isOther(world, job)) job.state = 'waiting';
    throw error;
  }
  job.state = 'changed';
}

async function removeTarget(world: FileWorld, job: FileJob): Promise<void> {
  const { disk } = world;
  await confirm(world, job, job.place.path);
  const aside = unfinishedPath(job.place.path, 'old', job.edit);
  job.aside = aside;
  job.state = 'changing';
  await patiently(disk, () => disk.rename(job.place.path, aside));
  job.state = 'changed';
  await confirm(world, job, aside);
}

/** The folder is still the real one, and the file at `path` holds what is expected and nothing else. */
export async function confirm(world: FileWorld, { write, place }: FileJob, path: string): Promise<void> {
  const { disk } = world;
  const folder = dirname(place.path);
  const realFolder = await disk.realpath(folder).catch(missing);
  if (realFolder !== folder) {
    throw new FileTrouble(
      `The folder of ${shown(write.path)} was moved or became a symbolic link meanwhile, so the file was not changed. Look at it again.`,
    );
  }
  const hash = await hashAt(world, write.path, path);
  if (hash !== write.expectedHash) throw new FileTrouble(conflictMessage(write.path, write.expectedHash, hash));
}

/** SHA-256 hex of what stands at an absolute path; null: nothing. */
export async function hashAt({ disk }: FileWorld, name: string, path: string): Promise<string | null> {
  return (await scanFile(disk, path, { name, limitBytes: MAX_DELETE_BYTES }, noBytes))?.hash ?? null;
}

/** A step that failed has surely left alone what is not the file that it would have made. */
async function isOther({ disk }: FileWorld, { claim, place }: FileJob): Promise<boolean> {
  const own = await disk.lstat(claim, { bigint: true }).catch(missing);
  const there = await disk.lstat(place.path, { bigint: true }).catch(missing);
  if (!own) return false;
  return there?.ino !== own.ino || there.dev !== own.dev;
}

/** Takes a change back. True: there was one. Throws JobTrouble when it cannot be taken back. */
export async function revertFile(world: FileWorld, job: FileJob): Promise<boolean> {
  if (job.state === 'waiting') return false;
  const { write, place } = job;
  try {
    const now = await hashAt(world, write.path, place.path);
    if (job.state === 'changing' && now === write.expectedHash) return false;
    if (now !== job.newHash) throw new FileTrouble('somebody else has changed it since');
    await putBack(world, job);
    return true;
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown error';
    throw new JobTrouble(write.path, `${shown(write.path)} ${leftover(world, job)} (${why}).`, error);
  }
}

function leftover({ images }: FileWorld, { write, newHash }: FileJob): string {
  const done = newHash === null ? 'was deleted' : write.expectedHash === null ? 'was made' : 'was changed';
  if (write.expectedHash === null) return `${done} and could not be removed again. Delete it if you do not want it`;
  return `${done} and could not be brought back. Its old bytes are kept as ${write.expectedHash} in ${shown(images.directory)}`;
}

async function putBack(world: FileWorld, job: FileJob): Promise<void> {
  const { disk } = world;
  const { path } = job.place;
  if (job.write.expectedHash === null) {
    await removeFile(disk, path);
  } else if (job.aside === null) {
    await putBackImage(world, job, job.write.expectedHash);
  } else if (job.newHash !== null || !(await linkFile(disk, job.aside, path))) {
    const { aside } = job;
    await patiently(disk, () => disk.rename(aside, path));
    job.aside = null;
  }
  job.state = 'waiting';
}

/** Where the disk knows no second names there is no old file to put back, but its bytes are kept. */
async function putBackImage(world: FileWorld, job: FileJob, hash: string): Promise<void> {
  const { disk, images } = world;
  const unfinished = unfinishedPath(job.place.path, 'new', editId());
  try {
    await makeFile(disk, unfinished, 0o600);
    const mode = job.found ? Number(job.found.mode) & 0o7777 : null;
    const owner = job.found ? { uid: Number(job.found.uid), gid: Number(job.found.gid) } : null;
    await fillFile(disk, unfinished, await images.read(hash), { mode, owner });
    await patiently(disk, () => disk.rename(unfinished, job.place.path));
  } finally {
    await removeFile(disk, unfinished).catch(() => undefined);
  }
}

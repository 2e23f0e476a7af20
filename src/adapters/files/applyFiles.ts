// Several files changed together, or none: look at all, keep what is there, claim the targets, put all new bytes on the disk,
// and only then change one file after the other, deletions last. Any trouble takes back what was changed.
// A crash in between leaves each file with its old bytes or its new ones, and unfinished files that the next write removes.
import { dirname } from 'node:path';
import type { AppliedFiles, FileReport, FileWrite } from '../../engine/ports.ts';
import { blaming, type FileJob, jobOf, JobTrouble, placesOf } from './fileJob.ts';
import { changeFile, hashAt, revertFile, stageFile } from './fileSteps.ts';
import { FileTrouble, messageOf, shown } from './fileTrouble.ts';
import type { FileWorld } from './fileWorld.ts';
import { makeFolders } from './makeFolders.ts';
import { claimTargets, releaseTargets } from './targetClaims.ts';
import { editId } from './unfinished.ts';
import { placeOf } from './workspacePaths.ts';
import { removeFile, syncFolder } from './writeFile.ts';

/** Applies changes as the file port promises. Never throws for what a disk may do. */
export async function applyFiles(world: FileWorld, writes: readonly FileWrite[]): Promise<AppliedFiles> {
  let jobs: readonly FileJob[];
  try {
    jobs = await jobsOf(world, writes);
  } catch (error) {
    return await refused(world, writes, error);
  }
  const open = jobs.filter(({ newHash, write }) => newHash !== write.expectedHash);
  const folders: string[] = [];
  try {
    await prepare(world, open, folders);
    for (const job of inOrder(open)) await blaming(world, job, () => changeFile(world, job));
    await syncFolders(world, open, folders);
  } catch (error) {
    return await takenBack(world, { jobs, open, folders, error });
  }
  await tidyUp(world, open);
  const files = jobs.map(({ write, newHash }) => report(write.path, 'changed', newHash));
  return { ok: true, files, error: null };
}

async function jobsOf(world: FileWorld, writes: readonly FileWrite[]): Promise<readonly FileJob[]> {
  const places = await placesOf(world, writes);
  const leaving = new Set(places.filter((_, i) => writes[i]?.kind === 'delete').map(({ path }) => path));
  const facts = { id: editId(), leaving };
  const jobs: FileJob[] = [];
  for (const [i, write] of writes.entries()) {
    const place = places[i];
    if (place) jobs.push(await blaming(world, { write }, () => jobOf(world, write, place, facts)));
  }
  return jobs;
}

/** All that can fail without a trace. Folders that had to be made are added to `folders`. */
async function prepare(world: FileWorld, jobs: readonly FileJob[], folders: string[]): Promise<void> {
  for (const job of jobs) await blaming(world, job, () => keepOld(world, job));
  for (const job of jobs)
    if (!job.found)
      await blaming(world, job, () => makeFolders(dirname(job.place.path), { made: folders }, world.disk));
  await claimTargets(world, jobs);
  for (const job of jobs) await blaming(world, job, () => stageFile(world, job));
}

/** What stood there can be had again, whatever happens from here on. */
async function keepOld({ images }: FileWorld, { write, place }: FileJob): Promise<void> {
  if (write.expectedHash === null || (await images.has(write.expectedHash))) return;
  const name = write.path;
  let kept: string | null;
  try {
    kept = await images.keepFile(place.path, name);
  } catch (error) {
    throw new FileTrouble(keepingMessage(error, name, images.directory));
  }
  if (kept !== write.expectedHash)
    throw new FileTrouble(
      `${shown(name)} was changed by somebody else meanwhile, so it was not changed. Read it again.`,
    );
}

/** Trouble on the way to the store is the store's, not the file's. */
export function keepingMessage(error: unknown, name: string, directory: string): string {
  if (error instanceof FileTrouble) return error.message;
  return `The old bytes of ${shown(name)} could not be kept, so it is left alone: ${messageOf(error, directory)}`;
}

function inOrder(jobs: readonly FileJob[]): readonly FileJob[] {
  const isDeletion = ({ write }: FileJob): boolean => write.kind === 'delete';
  return [...jobs.filter((job) => !isDeletion(job)), ...jobs.filter(isDeletion)];
}

async function syncFolders({ disk }: FileWorld, jobs: readonly FileJob[], folders: readonly string[]): Promise<void> {
  const all = new Set([...jobs.map(({ place }) => dirname(place.path)), ...folders.map((folder) => dirname(folder))]);
  for (const folder of all) await syncFolder(disk, folder);
}

/** Only now are deleted files really removed. */
async function tidyUp(world: FileWorld, jobs: readonly FileJob[]): Promise<void> {
  for (const { aside } of jobs) if (aside !== null) await removeFile(world.disk, aside).catch(() => undefined);
  await releaseTargets(world, jobs);
}

interface Failure {
  readonly jobs: readonly FileJob[];
  readonly open: readonly FileJob[];
  readonly folders: readonly string[];
  readonly error: unknown;
}

async function takenBack(world: FileWorld, { jobs, open, folders, error }: Failure): Promise<AppliedFiles> {
  const reports = new Map<FileJob, FileReport>();
  for (const job of [...inOrder(open)].reverse()) reports.set(job, await reverted(world, job));
  await tidyUp(world, open);
  for (const folder of [...folders].reverse()) await world.disk.rmdir(folder).catch(() => undefined);
  await syncFolders(world, open, []).catch(() => undefined);
  const reasonOf = (path: string): string | null =>
    error instanceof JobTrouble && error.path === path ? error.message : null;
  const files = jobs.map((job) => {
    const { path, expectedHash } = job.write;
    const found = reports.get(job) ?? report(path, 'untouched', expectedHash);
    return found.reason === null ? { ...found, reason: reasonOf(path) } : found;
  });
  return { ok: false, files, error: summary(messageOf(error, 'The files', world.disk.platform), files) };
}

async function reverted(world: FileWorld, job: FileJob): Promise<FileReport> {
  const { path } = job.write;
  try {
    const isRestored = await revertFile(world, job);
    return report(path, isRestored ? 'restored' : 'untouched', await presentHash(world, job));
  } catch (error) {
    const reason = error instanceof JobTrouble ? error.message : null;
    return { ...report(path, 'damaged', await presentHash(world, job)), reason };
  }
}

async function presentHash(
  world: FileWorld,
  { write, place }: Pick<FileJob, 'write' | 'place'>,
): Promise<string | null> {
  return hashAt(world, write.path, place.path).catch(() => null);
}

/** What went wrong, and what that means for every file of the edit. */
function summary(cause: string, files: readonly FileReport[]): string {
  const named = (outcome: FileReport['outcome']): string =>
    files
      .filter((file) => file.outcome === outcome)
      .map(({ path }) => shown(path))
      .join(', ');
  const [restored, damaged] = [named('restored'), files.filter(({ outcome }) => outcome === 'damaged')];
  const words = [cause];
  if (restored !== '') words.push(`Brought back to what it was: ${restored}.`);
  if (files.length > 1 && damaged.length === 0) words.push('No file of this edit is changed.');
  return [...words, ...damaged.map(({ reason }) => reason ?? '')].filter((word) => word !== '').join(' ');
}

/** Nothing was begun. */
async function refused(world: FileWorld, writes: readonly FileWrite[], error: unknown): Promise<AppliedFiles> {
  const message = messageOf(error, 'The edit', world.disk.platform);
  const files: FileReport[] = [];
  for (const write of writes) {
    const { path } = write;
    const isThis = error instanceof JobTrouble && error.path === path;
    // Null also for what may not be looked at: the reason is told then.
    const hash = await placeOf(world.disk, world.roots, path)
      .then((place) => presentHash(world, { write, place }))
      .catch(() => null);
    files.push({ path, outcome: 'untouched', hash, reason: isThis ? message : null });
  }
  return { ok: false, files, error: summary(message, files) };
}

function report(path: string, outcome: FileReport['outcome'], hash: string | null): FileReport {
  return { path, outcome, hash, reason: null };
}

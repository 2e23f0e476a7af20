// At most one Belay process changes a target at a time. Each edit puts an unfinished file beside each of its targets and then
// looks whether it is alone there. Only who is alone goes on, and whoever comes later sees who came first, so two never both
// do. Of those who wait the one that began first leaves its files in place, the others take theirs away: somebody always
// gets on. A dead process holds nothing up, since its files say whose they are.
import { randomInt } from 'node:crypto';
import { dirname } from 'node:path';
import { blaming, type FileJob } from './fileJob.ts';
import { confirm } from './fileSteps.ts';
import { FileTrouble, shown } from './fileTrouble.ts';
import { type FileWorld, livingUnfinished } from './fileWorld.ts';
import { targetKey, type UnfinishedFile } from './unfinished.ts';
import { makeFile, removeFile } from './writeFile.ts';

const TRIES = 800;
/** From-to; about ten seconds in all. */
const WAIT_MS = [3, 22] as const;
const PRIVATE_MODE = 0o600;
/** Less the process's umask. */
const NEW_FILE_MODE = 0o666;

/** Claims the targets of all jobs, whose folders exist. Throws, with nothing claimed, when another process holds one for long. */
export async function claimTargets(world: FileWorld, jobs: readonly FileJob[]): Promise<void> {
  try {
    await waitAndClaim(world, jobs);
  } catch (error) {
    await releaseTargets(world, jobs);
    throw error;
  }
}

async function waitAndClaim(world: FileWorld, jobs: readonly FileJob[]): Promise<void> {
  let busy = '';
  let isClaimed = await claimAll(world, jobs);
  for (let i = 0; i < TRIES; i++) {
    const others = await othersAt(world, jobs);
    const isFirst = others.every(({ file, job }) => job.edit < file.edit);
    const [other] = others;
    if (!other && isClaimed) {
      // Who held a target up has most likely changed it.
      if (i > 0) for (const job of jobs) await blaming(world, job, () => confirm(world, job, job.place.path));
      return;
    }
    busy = other?.job.write.path ?? busy;
    if (isClaimed && !isFirst) {
      await releaseTargets(world, jobs);
      isClaimed = false;
    } else if (!isClaimed && isFirst) {
      isClaimed = await claimAll(world, jobs);
      continue;
    }
    await world.disk.pause(randomInt(...WAIT_MS));
  }
  throw new FileTrouble(`${shown(busy)} is being changed by another Belay process. Try again when that is done.`);
}

async function claimAll(world: FileWorld, jobs: readonly FileJob[]): Promise<boolean> {
  for (const job of jobs) {
    const mode = job.found ? PRIVATE_MODE : NEW_FILE_MODE;
    await blaming(world, job, () => makeFile(world.disk, job.claim, mode));
  }
  return true;
}

/** Gives claims up; those that have become files are no longer there under their name. */
export async function releaseTargets({ disk }: FileWorld, jobs: readonly FileJob[]): Promise<void> {
  // What cannot be removed is found later, as what a dead process left.
  for (const { claim } of jobs) await removeFile(disk, claim).catch(() => undefined);
}

/** What others have put beside targets of these jobs. */
async function othersAt(
  world: FileWorld,
  jobs: readonly FileJob[],
): Promise<readonly { readonly file: UnfinishedFile; readonly job: FileJob }[]> {
  const found: { file: UnfinishedFile; job: FileJob }[] = [];
  for (const folder of new Set(jobs.map(({ place }) => dirname(place.path)))) {
    const mine = jobs.filter(({ place }) => dirname(place.path) === folder);
    for (const file of await livingUnfinished(world, folder)) {
      const job = mine.find(({ place, edit }) => file.edit !== edit && file.target === targetKey(place.path));
      if (job) found.push({ file, job });
    }
  }
  return found;
}

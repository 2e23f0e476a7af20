// Removes images that nobody needs: those that are not named and not young, then the parts that no remaining image is made
// of. An image counts as young again whenever it is asked for or kept anew, so that one which is about to be named in the
// ledger stays, whichever process it belongs to. Where a remaining image cannot be read, no part is removed.
import { basename, join } from 'node:path';
import type { Disk } from './disk.ts';
import { missing } from './fileTrouble.ts';
import type { ImageObjects } from './imageObjects.ts';
import { partsOf } from './imageParts.ts';
import { CUT, type ImagePlaces } from './imagePlaces.ts';
import { editId, isAbandoned, unfinishedIn, unfinishedPath } from './unfinished.ts';
import { removeFile } from './writeFile.ts';

export interface Sweep {
  readonly disk: Disk;
  readonly objects: ImageObjects;
  readonly places: ImagePlaces;
  readonly keep: ReadonlySet<string>;
  readonly youngMs: number;
}

/** The bytes that were freed. Throws FileTrouble, after all that is safe is done, when an image that stays is damaged. */
export async function sweepObjects(sweep: Sweep): Promise<number> {
  const { disk, objects, places, keep } = sweep;
  let freed = 0;
  for (const folder of places.imageFolders)
    freed += await sweepFolder(sweep, folder, (name) => keep.has(name.replace(CUT, '')));
  const needed = new Set<string>();
  for (const folder of places.imageFolders)
    for (const name of await namesIn(disk, folder)) {
      if (!name.endsWith(CUT)) continue;
      const parts = await partsOf(objects, places, basename(name, CUT));
      for (const part of [...(parts?.lists ?? []), ...(parts?.chunks ?? [])]) needed.add(part);
    }
  for (const folder of places.partFolders) freed += await sweepFolder(sweep, folder, (name) => needed.has(name));
  return freed;
}

const OBJECT = /^[0-9a-f]{64}(\.parts)?$/;

async function sweepFolder(
  { disk, youngMs }: Sweep,
  folder: string,
  isNeeded: (name: string) => boolean,
): Promise<number> {
  let freed = 0;
  for (const name of await namesIn(disk, folder))
    if (OBJECT.test(name) && !isNeeded(name)) freed += await removeOld(disk, join(folder, name), youngMs);
  for (const left of await unfinishedIn(disk, folder).catch(() => []))
    if (await isAbandoned(disk, left)) await removeFile(disk, left.path);
  return freed;
}

async function namesIn(disk: Disk, folder: string): Promise<readonly string[]> {
  return (await disk.readdir(folder).catch(missing)) ?? [];
}

/** Moved aside before it is removed: if somebody has asked for it in that moment it is young again and goes back. */
async function removeOld(disk: Disk, path: string, youngMs: number): Promise<number> {
  if (!(await isOld(disk, path, youngMs))) return 0;
  const aside = unfinishedPath(path, 'old', editId());
  await disk.rename(path, aside).catch(missing);
  const found = await disk.lstat(aside).catch(missing);
  if (!found) return 0;
  if (!(await isOld(disk, aside, youngMs))) {
    await disk.rename(aside, path);
    return 0;
  }
  await removeFile(disk, aside);
  return found.size;
}

async function isOld(disk: Disk, path: string, youngMs: number): Promise<boolean> {
  const found = await disk.lstat(path).catch(missing);
  return found !== null && Date.now() - found.mtimeMs > youngMs;
}

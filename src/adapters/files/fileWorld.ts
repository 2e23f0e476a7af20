// What changes of files are made with, and what is known to be left of writes that never ended.
import type { Disk } from './disk.ts';
import { missing } from './fileTrouble.ts';
import type { ImageStore } from './imageStore.ts';
import { isAbandoned, type UnfinishedFile, unfinishedIn } from './unfinished.ts';
import type { RootFolder } from './workspaceRoots.ts';
import { removeFile } from './writeFile.ts';

export interface FileWorld {
  readonly disk: Disk;
  readonly roots: readonly RootFolder[];
  readonly images: ImageStore;
}

/** The unfinished files of a folder whose writers may be alive; what dead ones left is removed. */
export async function livingUnfinished(world: FileWorld, folder: string): Promise<readonly UnfinishedFile[]> {
  const living: UnfinishedFile[] = [];
  for (const file of await unfinishedIn(world.disk, folder)) {
    if (!(await isAbandoned(world.disk, file))) living.push(file);
    else await removeAbandoned(world, file).catch(leaveBehind);
  }
  return living;
}

/** An old file may be the last of its bytes: they are kept before it goes. */
async function removeAbandoned({ disk, images }: FileWorld, { path, role }: UnfinishedFile): Promise<void> {
  const found = await disk.lstat(path).catch(missing);
  if (!found?.isFile()) return;
  if (role === 'old') await images.keepFile(path, path);
  await removeFile(disk, path);
}

/** What cannot be removed stays as an extra file that is never listed, and is tried again at the next write in its folder. */
function leaveBehind(): void {
  return undefined;
}

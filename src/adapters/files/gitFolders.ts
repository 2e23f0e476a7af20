// Whether a file belongs to Git itself: below a `.git`, or in a repository's data under another name (bare repositories,
// data of submodules and worktrees kept elsewhere). Source: gitrepository-layout(5), setup.c is_git_directory.
import { dirname, join, relative, sep } from 'node:path';
import type { Disk } from './disk.ts';
import { isGitName } from './fileNames.ts';

/** Both are real absolute paths, the first a folder above the second. */
export async function isGitsOwn(disk: Disk, rootPath: string, path: string): Promise<boolean> {
  if (relative(rootPath, path).split(sep).some(isGitName)) return true;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (await isRepositoryData(disk, folder)) return true;
    if (folder === rootPath || folder === dirname(folder)) return false;
  }
}

async function isRepositoryData(disk: Disk, folder: string): Promise<boolean> {
  if (!(await isThere(disk, join(folder, 'HEAD')))) return false;
  if (await isThere(disk, join(folder, 'commondir'))) return true;
  return (await isThere(disk, join(folder, 'objects'))) && (await isThere(disk, join(folder, 'refs')));
}

async function isThere(disk: Disk, path: string): Promise<boolean> {
  return disk.lstat(path).then(
    () => true,
    () => false,
  );
}

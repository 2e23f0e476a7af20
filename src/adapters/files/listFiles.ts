// Every file of a workspace folder that an agent could want to know of: not those of Git, of installed packages, or of a
// write that is going on. Bounded, since a folder may hold millions. Links are listed and not followed.
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import type { Disk } from './disk.ts';
import { isUnfinished } from './unfinished.ts';

const SKIPPED = new Set(['.git', 'node_modules']);
const LISTED_AT_MOST = 100_000;

/**
 * Paths below the folder, `/` between names, sorted; where there are too many, those that were met first. `litter` is told
 * the folders in which unfinished files lie.
 */
export async function listFiles(
  disk: Disk,
  root: string,
  litter: (folder: string) => void,
): Promise<readonly string[]> {
  const files: string[] = [];
  const folders = [''];
  for (let prefix = folders.shift(); prefix !== undefined; prefix = folders.shift()) {
    for (const item of await itemsOf(disk, join(root, prefix))) {
      if (SKIPPED.has(item.name)) continue;
      if (isUnfinished(item.name)) litter(join(root, prefix));
      else if (item.isDirectory()) folders.push(`${prefix}${item.name}/`);
      else if (files.push(prefix + item.name) >= LISTED_AT_MOST) return files.sort();
    }
  }
  return files.sort();
}

async function itemsOf(disk: Disk, folder: string): Promise<readonly Dirent[]> {
  try {
    return await disk.readdir(folder, { withFileTypes: true });
  } catch {
    // Gone meanwhile or not ours to read: it has no files that could be edited here.
    return [];
  }
}

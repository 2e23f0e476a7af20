// Folders with all that is missing above them, made level by level. Node's own recursive mkdir never returns where a folder
// exists and yet answers ENOENT to whatever is made in it (Linux: /proc); here that is the error it is.
// A folder that is there already is left exactly as it is.
import { mkdirSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Disk } from './disk.ts';
import { hasCode } from './fileTrouble.ts';

export interface FolderOptions {
  /** Mode of each folder that is made, before the umask. Default: 0o777. */
  readonly mode?: number;
  /** Each folder that is made is added here at once, the outermost first: whoever fails later knows what to take back. */
  readonly made?: string[];
}

const THIS_MACHINE: Pick<Disk, 'mkdir' | 'stat'> = { mkdir, stat };

/** Makes `folder` (absolute) and what is missing above it. Throws the system's error of the level that cannot be made. */
export async function makeFolders(
  folder: string,
  { mode, made = [] }: FolderOptions = {},
  disk: Pick<Disk, 'mkdir' | 'stat'> = THIS_MACHINE,
): Promise<void> {
  const isFolder = async (path: string): Promise<boolean> => {
    const found = await disk.stat(path).catch(nothing);
    return found?.isDirectory() ?? false;
  };
  const missing: string[] = [];
  for (const level of levelsUp(folder)) {
    const found = await disk.stat(level).catch(nothing);
    if (isGround(found, level, folder)) break;
    missing.unshift(level);
  }
  for (const level of missing) {
    try {
      await disk.mkdir(level, mode === undefined ? {} : { mode });
      made.push(level);
    } catch (error) {
      // Somebody else was faster.
      if (!hasCode(error, 'EEXIST') || !(await isFolder(level))) throw error;
    }
  }
}

/** The same at once. */
export function makeFoldersSync(folder: string, { mode, made = [] }: FolderOptions = {}): void {
  const missing: string[] = [];
  for (const level of levelsUp(folder)) {
    if (isGround(statOrNull(level), level, folder)) break;
    missing.unshift(level);
  }
  for (const level of missing) {
    try {
      mkdirSync(level, mode === undefined ? {} : { mode });
      made.push(level);
    } catch (error) {
      if (!hasCode(error, 'EEXIST') || !isFolderSync(level)) throw error;
    }
  }
}

function isFolderSync(path: string): boolean {
  return statOrNull(path)?.isDirectory() ?? false;
}

function statOrNull(path: string): Stats | null {
  try {
    return statSync(path);
  } catch (error) {
    return nothing(error);
  }
}

/** Whether what was found at a level ends the search: a folder, or above `folder` anything, which the system then names. */
function isGround(found: Stats | null, level: string, folder: string): boolean {
  return found !== null && (found.isDirectory() || level !== folder);
}

/** The folder itself, then those above it, up to the root. */
function levelsUp(folder: string): readonly string[] {
  const levels = [folder];
  for (let level = folder; dirname(level) !== level; level = dirname(level)) levels.push(dirname(level));
  return levels;
}

/** Nothing there, or something above it is no folder: making the level says which. */
function nothing(error: unknown): null {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
  throw error;
}

// Keeps every path inside the workspace: as written and after all symbolic links are followed.
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Result } from '../../engine/ports.ts';

/** The real place of `path` (relative to `root`), or why it may not be used. The file itself need not exist. */
export async function realPlace(root: string, path: string): Promise<Result<string, string>> {
  if (path === '' || path.includes('\0'))
    return no('The path is empty or holds a NUL character. Name a file of the workspace.');
  if (isAbsolute(path)) return no(`${path} is an absolute path. Name it relative to the workspace.`);
  const lexical = resolve(root, path);
  if (!isInside(root, lexical))
    return no(`${path} leads out of the workspace and was not touched. Name a file inside it.`);
  let realRoot: string;
  try {
    realRoot = await realpath(root);
  } catch {
    return no(`The workspace folder ${root} cannot be read. Open a folder that exists.`);
  }
  const real = await realOf(lexical);
  if (real === null)
    return no(`${path} is a symbolic link to nowhere and was not touched. Remove the link, or name its target.`);
  if (!isInside(realRoot, real)) {
    return no(
      `${path} leads out of the workspace through a symbolic link and was not touched. Edit the real file from its own workspace.`,
    );
  }
  return { ok: true, value: real };
}

/** Is `path` the folder itself or below it? Both absolute. */
function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Follows links of the deepest part that exists; null for a dangling link. */
async function realOf(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch {
    // It does not exist as a whole: either a link whose target is missing, or a new file in a folder that may exist.
    const isLink = await lstat(path).then(
      (stat) => stat.isSymbolicLink(),
      () => false,
    );
    if (isLink) return null;
    const parent = dirname(path);
    if (parent === path) return path;
    const realParent = await realOf(parent);
    return realParent === null ? null : join(realParent, basename(path));
  }
}

function no(error: string): Result<never, string> {
  return { ok: false, error };
}

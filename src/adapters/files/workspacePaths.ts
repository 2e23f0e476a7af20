// Keeps every path inside the workspace: as written and after all symbolic links are followed. Tells the one name of a file:
// links resolved, letters and normalisation as on the disk. Throws FileTrouble for what may not be used.
import { basename, dirname, join, relative, sep } from 'node:path';
import type { Disk } from './disk.ts';
import { FileTrouble, hasCode, shown } from './fileTrouble.ts';
import { foldedName, otherSpellings, windowsTrouble } from './fileNames.ts';
import { innermost, isInside, type RootFolder, workspaceName, writtenPath } from './workspaceRoots.ts';

/** Where a path leads. */
export interface Place {
  /** The workspace's one name of it. */
  readonly name: string;
  /** Real absolute path: no link on the way, none at the end. It need not exist. */
  readonly path: string;
  /** Real absolute path of the workspace folder that holds it. */
  readonly rootPath: string;
  /** What was asked for is itself a link to this. */
  readonly isThroughLink: boolean;
}

/** Follows a path of the workspace. */
export async function placeOf(disk: Disk, roots: readonly RootFolder[], path: string): Promise<Place> {
  const realRoots = await realRootsOf(disk, roots);
  const written = writtenPath(roots, path);
  // Where the workspace itself is reached through a link, absolute paths may be either of the two.
  const found = written.ok ? written : writtenPath(realRoots, path);
  if (!found.ok) throw new FileTrouble(found.error);
  if (!realRoots.some(({ name }) => name === found.value.root.name)) {
    throw new FileTrouble(
      `The workspace folder ${shown(found.value.root.path)} cannot be read. Open a folder that exists.`,
    );
  }
  const parts = relative(found.value.root.path, found.value.path).split(sep);
  if (disk.platform === 'win32') refuseOnWindows(path, parts);
  const real = await followed(disk, found.value.path, path);
  const root = innermost(realRoots, real.path);
  if (!root) {
    throw new FileTrouble(
      `${shown(path)} leads out of the workspace through a symbolic link and was not touched. Edit the real file from its own workspace.`,
    );
  }
  const place = join(root.path, ...(await namesOnDisk(disk, root.path, real)));
  return {
    name: workspaceName(roots, root, place),
    path: place,
    rootPath: root.path,
    isThroughLink: real.isThroughLink,
  };
}

/** Those that are there: one folder that is gone does not close the others. */
async function realRootsOf(disk: Disk, roots: readonly RootFolder[]): Promise<readonly RootFolder[]> {
  const all = await Promise.all(
    roots.map(async ({ name, path }) => {
      try {
        return [{ name, path: await disk.realpath(path) }];
      } catch {
        return [];
      }
    }),
  );
  return all.flat();
}

function refuseOnWindows(path: string, parts: readonly string[]): void {
  for (const part of parts) {
    const trouble = windowsTrouble(part);
    if (trouble !== null)
      throw new FileTrouble(`${shown(path)} was not touched: "${shown(part)}" ${trouble}. Choose another name.`);
  }
}

interface Followed {
  readonly path: string;
  /** How many names at the end of it are of nothing that exists. */
  readonly missing: number;
  readonly isThroughLink: boolean;
}

/** Follows all links of the part that exists. A link to nowhere is refused: what it stands for could be anything. */
async function followed(disk: Disk, lexical: string, asked: string): Promise<Followed> {
  const isThroughLink = await isLink(disk, lexical);
  const tail: string[] = [];
  for (let path = lexical; ; path = dirname(path)) {
    try {
      return { path: join(await disk.realpath(path), ...tail), missing: tail.length, isThroughLink };
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
    if (await isLink(disk, path)) {
      throw new FileTrouble(
        `${shown(asked)} is a symbolic link to nowhere and was not touched. Remove the link, or name its target.`,
      );
    }
    if (dirname(path) === path) return { path: lexical, missing: tail.length, isThroughLink };
    tail.unshift(basename(path));
  }
}

async function isLink(disk: Disk, path: string): Promise<boolean> {
  try {
    return (await disk.lstat(path)).isSymbolicLink();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** The names below a folder as the disk has them; those of nothing that exists stay as written. */
async function namesOnDisk(disk: Disk, rootPath: string, { path, missing }: Followed): Promise<readonly string[]> {
  const parts = relative(rootPath, path)
    .split(sep)
    .filter((part) => part !== '');
  const names: string[] = [];
  for (const [i, part] of parts.entries()) {
    const isThere = i < parts.length - missing;
    names.push(isThere ? await nameOnDisk(disk, join(rootPath, ...names), part) : part);
  }
  return names;
}

/**
 * The disk is asked for the same thing under another spelling. Where it answers with the same file it does not tell the two
 * apart (NTFS, APFS, a case-folding ext4 folder), and the folder's own list of names decides.
 */
async function nameOnDisk(disk: Disk, folder: string, name: string): Promise<string> {
  for (const other of otherSpellings(name)) {
    if (!(await isSameFile(disk, join(folder, name), join(folder, other)))) continue;
    const names = await disk.readdir(folder);
    return names.includes(name) ? name : (names.find((each) => foldedName(each) === foldedName(name)) ?? name);
  }
  return name;
}

async function isSameFile(disk: Disk, a: string, b: string): Promise<boolean> {
  try {
    const other = await disk.lstat(b, { bigint: true });
    const one = await disk.lstat(a, { bigint: true });
    return one.ino === other.ino && one.dev === other.dev;
  } catch {
    // The other spelling is of nothing.
    return false;
  }
}

/**
 * A name in the folder of the first part that does not exist yet, that some disk takes for the same as that part; null: none.
 * `ignored`: real paths that will be gone.
 */
export async function twinOf(
  disk: Disk,
  { path, rootPath }: Place,
  ignored: ReadonlySet<string>,
): Promise<string | null> {
  let [folder, name] = [dirname(path), basename(path)];
  for (;;) {
    const names = await disk.readdir(folder).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT') && isInside(rootPath, dirname(folder))) return null;
      throw error;
    });
    if (names) {
      const isTwin = (each: string): boolean =>
        each !== name && foldedName(each) === foldedName(name) && !ignored.has(join(folder, each));
      return names.includes(name) ? null : (names.find(isTwin) ?? null);
    }
    [folder, name] = [dirname(folder), basename(folder)];
  }
}

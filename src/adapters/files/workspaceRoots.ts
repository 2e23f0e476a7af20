// The folders of a workspace and the names of paths in it. With one folder a path is relative to it; with several its first
// part is the folder's name. Nothing here touches the disk.
import { basename, dirname, isAbsolute, normalize, relative, resolve, sep } from 'node:path';
import type { Result } from '../../engine/ports.ts';
import { shown } from './fileTrouble.ts';

export interface RootFolder {
  /** What people call the folder; folders of the same name get the name of the folder above them, too. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
}

/** A path as written: the folder it starts in, and where that leads when no link is followed. */
export interface WrittenPath {
  readonly root: RootFolder;
  readonly path: string;
}

/** Gives every folder a name of its own that holds no separator. */
export function namedRoots(roots: readonly RootFolder[]): readonly RootFolder[] {
  const plain = roots.map(({ name, path }) => ({
    path: resolve(path),
    name: segment(name) || segment(basename(path)),
  }));
  return distinct(
    distinct(plain, ({ path }) => segment(basename(dirname(path)))),
    (_root, i) => String(i + 1),
  );
}

/** Those whose name is taken twice get a word behind it. */
function distinct(
  roots: readonly RootFolder[],
  word: (root: RootFolder, index: number) => string,
): readonly RootFolder[] {
  const isTwice = (name: string): boolean => roots.filter((other) => other.name === name).length > 1;
  return roots.map((root, i) => (isTwice(root.name) ? { ...root, name: `${root.name} (${word(root, i)})` } : root));
}

function segment(name: string): string {
  const clean = name.replace(/[/\\\0]/g, '-').trim();
  return /^\.*$/.test(clean) ? '' : clean;
}

/** Where a path as written leads; an error for one that leaves the workspace by its words alone. */
export function writtenPath(roots: readonly RootFolder[], path: string): Result<WrittenPath, string> {
  if (path === '' || path.includes('\0') || !path.isWellFormed())
    return no('The path is empty, holds a NUL character or is not valid Unicode. Name a file of the workspace.');
  if (isAbsolute(path)) return absolutePath(roots, path);
  const [only] = roots;
  if (roots.length > 1 || only === undefined) return pathOfSeveral(roots, path);
  const target = resolve(only.path, path);
  return isInside(only.path, target) ? { ok: true, value: { root: only, path: target } } : no(outside(path));
}

function absolutePath(roots: readonly RootFolder[], path: string): Result<WrittenPath, string> {
  const target = resolve(path);
  const root = innermost(roots, target);
  return root ? { ok: true, value: { root, path: target } } : no(outside(path));
}

function pathOfSeveral(roots: readonly RootFolder[], path: string): Result<WrittenPath, string> {
  const [first = '', ...rest] = normalize(path)
    .split(sep)
    .filter((part) => part !== '');
  if (first === '..') return no(outside(path));
  const root = roots.find(({ name }) => name === first);
  if (root) return { ok: true, value: { root, path: resolve(root.path, ...rest) } };
  const names = roots.map(({ name }) => shown(name)).join(', ');
  return no(`${shown(path)} names no folder of the workspace. Begin the path with one of: ${names}.`);
}

/** The folder that holds the path and lies deepest; undefined: none does. */
export function innermost(roots: readonly RootFolder[], path: string): RootFolder | undefined {
  const holding = roots.filter((root) => isInside(root.path, path));
  return holding.sort((a, b) => b.path.length - a.path.length)[0];
}

/** The workspace's name of an absolute path inside `root`; `.` is a folder of the workspace itself. */
export function workspaceName(roots: readonly RootFolder[], root: RootFolder, path: string): string {
  const parts = relative(root.path, path).split(sep);
  const all = roots.length > 1 ? [root.name, ...parts] : parts;
  return all.filter((part) => part !== '').join('/') || '.';
}

/** Is `path` the folder itself or below it? Both absolute. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function outside(path: string): string {
  return `${shown(path)} leads out of the workspace and was not touched. Name a file inside it.`;
}

function no(error: string): Result<never, string> {
  return { ok: false, error };
}

// All of a folder as it is on the disk, Git's own files and everything outside the ledger included, for comparing before with
// after. Reads with plain file system calls: independent of what is tested.
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** One thing in a folder. Two that are equal as text are the same file, untouched. */
export interface TreeItem {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly mode: number;
  /** Bytes as latin1, or where a link leads. */
  readonly content: string;
  /** Tells a file that was written anew with equal bytes. */
  readonly identity: string;
}

/** By path relative to the folder, with `/`. */
export type Tree = ReadonlyMap<string, TreeItem>;

/** Everything below a folder; without Git's own folders where `isLight`. */
export function treeOf(root: string, isLight = false): Tree {
  const items = new Map<string, TreeItem>();
  const visit = (path: string): void => {
    for (const name of readdirSync(join(root, path))) {
      if (isLight && name === '.git') continue;
      const inner = path === '' ? name : `${path}/${name}`;
      const item = itemOf(join(root, inner));
      items.set(inner, item);
      if (item.kind === 'folder') visit(inner);
    }
  };
  visit('');
  return items;
}

function itemOf(file: string): TreeItem {
  const facts = lstatSync(file, { bigint: true });
  const mode = Number(facts.mode & 0o7777n);
  const identity = `${facts.ino} ${facts.mtimeNs}`;
  if (facts.isSymbolicLink()) return { kind: 'link', mode: 0, content: readlinkSync(file), identity };
  if (facts.isDirectory()) return { kind: 'folder', mode, content: '', identity: '' };
  if (!facts.isFile()) return { kind: 'other', mode, content: '', identity };
  return { kind: 'file', mode, content: readFileSync(file, 'latin1'), identity };
}

/** The part of a tree below one of its folders. */
export function subtree(tree: Tree, folder: string): Tree {
  const inside = [...tree].filter(([path]) => path.startsWith(`${folder}/`));
  return new Map(inside.map(([path, item]) => [path.slice(folder.length + 1), item]));
}

/** Plain files below a folder, outside of Git's own folders; links are not followed. */
export function filesOf(root: string, path = ''): readonly string[] {
  const items = readdirSync(join(root, path), { withFileTypes: true });
  return items.flatMap((item) => {
    const inner = path === '' ? item.name : `${path}/${item.name}`;
    if (item.name === '.git') return [];
    if (item.isDirectory()) return filesOf(root, inner);
    return item.isFile() ? [inner] : [];
  });
}

/**
 * What differs between two trees. `isStrict`: a file that was written anew with the same bytes differs, too. Folders that are
 * new count only where `mayGrow` is false.
 */
export function differences(before: Tree, after: Tree, isStrict: boolean, mayGrow: boolean): readonly string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.filter((path) => {
    const [a, b] = [before.get(path), after.get(path)];
    if (!a) return !(mayGrow && b?.kind === 'folder');
    if (!b) return true;
    const isSame = a.kind === b.kind && a.content === b.content && a.mode === b.mode;
    return !isSame || (isStrict && a.identity !== b.identity);
  });
}

// What stands in some folders of a workspace, read once: which names there are, which of them are links. A folder whose
// parent does not list it is not looked for, so that words that are no paths cost nothing.
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Below a root: names with `/` between them, '' for the root itself. */
export type Place = string;

interface Listing {
  readonly names: readonly string[];
  /** Names of links. */
  readonly links: ReadonlySet<string>;
  /** Names of what could be a folder. */
  readonly folders: ReadonlySet<string>;
  /** It exists and its names are not known. */
  readonly isClosed: boolean;
}

/** All folders above the places, the root among them. */
export function foldersOf(places: Iterable<Place>): ReadonlySet<Place> {
  const folders = new Set<Place>(['']);
  for (const place of places)
    for (let at = place.lastIndexOf('/'); at !== -1; at = place.lastIndexOf('/', at - 1)) {
      const folder = place.slice(0, at);
      // Where it is known, all above it are.
      if (at === 0 || folders.has(folder)) break;
      folders.add(folder);
    }
  return folders;
}

export class FolderListings {
  private readonly root: string;
  private readonly listings = new Map<Place, Listing>();
  /** Whether any folder that was read holds a link. */
  hasLinks = false;

  constructor(root: string) {
    this.root = root;
  }

  /** Reads those of the folders that exist; the parents of each must be among them. */
  async read(folders: ReadonlySet<Place>): Promise<void> {
    const byDepth = new Map<number, Place[]>();
    for (const folder of folders) {
      const depth = folder === '' ? 0 : folder.split('/').length;
      const level = byDepth.get(depth);
      if (level) level.push(folder);
      else byDepth.set(depth, [folder]);
    }
    for (const [, level] of [...byDepth].sort(([a], [b]) => a - b)) {
      await Promise.all(level.filter((folder) => this.mayExist(folder)).map((folder) => this.readOne(folder)));
    }
  }

  private mayExist(folder: Place): boolean {
    if (folder === '') return true;
    const [parent, name] = split(folder);
    const listing = this.listings.get(parent);
    return listing !== undefined && (listing.isClosed || listing.folders.has(name));
  }

  private async readOne(folder: Place): Promise<void> {
    if (this.listings.has(folder)) return;
    try {
      const items = await readdir(join(this.root, folder), { withFileTypes: true });
      const named = (is: (item: Dirent) => boolean): Set<string> => new Set(items.filter(is).map(({ name }) => name));
      const links = named((item) => item.isSymbolicLink());
      const folders = named((item) => item.isDirectory() || item.isSymbolicLink());
      this.hasLinks ||= links.size > 0;
      this.listings.set(folder, { names: items.map(({ name }) => name), links, folders, isClosed: false });
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : '';
      if (code === 'ENOENT' || code === 'ENOTDIR') return;
      this.listings.set(folder, { names: [], links: new Set(), folders: new Set(), isClosed: true });
    }
  }

  /** Folders that hold a file of this name, or may: their names cannot be read. */
  withFile(name: string): readonly Place[] {
    return [...this.listings].flatMap(([folder, { names, isClosed }]) =>
      isClosed || names.includes(name) ? [folder] : [],
    );
  }

  /** Whether a link stands on the way to a place or at its end. */
  isThroughLink(place: Place): boolean {
    if (!this.hasLinks) return false;
    for (let at = place; at !== '';) {
      const [parent, name] = split(at);
      if (this.listings.get(parent)?.links.has(name)) return true;
      at = parent;
    }
    return false;
  }

  /** What the last name of a place stands for, where it is a shell pattern. */
  matching(place: Place): readonly Place[] {
    if (!isPattern(place)) return [];
    const [parent, name] = split(place);
    const pattern = shellPattern(name);
    const names = this.listings.get(parent)?.names ?? [];
    return names.filter((each) => pattern.test(each)).map((each) => (parent === '' ? each : `${parent}/${each}`));
  }
}

/** Whether the last name of a place could stand for others. */
export function isPattern(place: Place): boolean {
  return /[*?[][^/]*$/.test(place);
}

function split(place: Place): readonly [parent: Place, name: string] {
  const at = place.lastIndexOf('/');
  return at === -1 ? ['', place] : [place.slice(0, at), place.slice(at + 1)];
}

/** A set of characters stands for any one; a dot at the beginning is never meant unless it is written. */
function shellPattern(name: string): RegExp {
  const source = name
    .replace(/\[[^\]]*\]?/g, '?')
    .replace(/[.+^${}()|\\\]]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replace(/\?/g, '.');
  return new RegExp(name.startsWith('.') ? `^${source}$` : `^(?!\\.)${source}$`, 's');
}

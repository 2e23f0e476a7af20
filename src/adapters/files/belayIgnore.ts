// The ignore port on the disk: .belayignore files of a workspace, in gitignore syntax, nested ones too. They are looked at
// again whenever somebody asks, and read again when they have changed. One that is there and cannot be read keeps everything
// below its folder. A path is kept by its name and by the name of what it links to.
import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { IgnorePort } from '../../engine/ports.ts';
import { FolderListings, foldersOf, isPattern, type Place } from './folderListings.ts';
import { BELAY_IGNORE, IgnoreRules } from './ignoreRules.ts';
import { RulesSearch } from './rulesSearch.ts';

/** Longer words are no paths of any disk. */
const MAX_WORD_CHARS = 4096;
const MAX_WORDS = 100_000;

/** The ignore port of these absolute folders, asked for at each use. */
export function belayIgnore(roots: () => readonly string[]): IgnorePort {
  const trees = new Map<string, IgnoreTree>();
  const treeOf = (root: string): IgnoreTree => {
    const tree = trees.get(root) ?? new IgnoreTree(root);
    trees.set(root, tree);
    return tree;
  };
  return {
    isActive: async () => (await Promise.all(roots().map((root) => treeOf(root).isActive()))).includes(true),
    ignored: async (words) => {
      const found = await Promise.all(roots().map((root) => treeOf(root).ignored(words)));
      return {
        words: new Set(found.flatMap((each) => [...each.words])),
        unreadable: found.flatMap((each) => each.unreadable),
      };
    },
  };
}

class IgnoreTree {
  private readonly root: string;
  private readonly rules: IgnoreRules;
  private readonly search: RulesSearch;
  private readonly places = new Map<string, Place | null>();
  /** All folders of those places. */
  private folders = new Set<Place>(['']);
  /** Verdicts that the rules alone decided, as long as these stay and nothing is a link. */
  private readonly settled = new Map<string, boolean>();
  private settledVersion = 0;
  private lastAsked: Promise<unknown> = Promise.resolve();

  constructor(root: string) {
    this.root = root;
    this.rules = new IgnoreRules(root);
    this.search = new RulesSearch(root, BELAY_IGNORE);
  }

  isActive(): Promise<boolean> {
    return this.search.hasAny();
  }

  private placeOf(word: string): Place | null {
    const known = this.places.get(word);
    if (known !== undefined) return known;
    const isPath = word.length <= MAX_WORD_CHARS && !word.includes('\0');
    const place = isPath ? placeBelow(this.root, resolve(this.root, word)) : null;
    this.places.set(word, place);
    if (place?.includes('/') === true) for (const folder of foldersOf([place])) this.folders.add(folder);
    return place;
  }

  /** One after the other: the rules must not change while they are applied. */
  ignored(words: readonly string[]): Promise<{ words: ReadonlySet<string>; unreadable: readonly string[] }> {
    const asked = this.lastAsked.then(() => this.look(words));
    this.lastAsked = asked.catch(() => undefined);
    return asked;
  }

  private async look(words: readonly string[]): Promise<{ words: ReadonlySet<string>; unreadable: readonly string[] }> {
    if (this.places.size >= MAX_WORDS) this.forget();
    for (const word of words) this.placeOf(word);
    const listings = new FolderListings(this.root);
    await listings.read(this.folders);
    const named = new Map<Place, readonly Place[]>();
    const name = (word: string): void => {
      const place = this.placeOf(word);
      if (place !== null && !named.has(place)) named.set(place, [place, ...listings.matching(place)]);
    };
    for (const word of words) if (listings.hasLinks || !this.settled.has(word)) name(word);
    const targets = await this.linkTargets([...named.values()].flat(), listings);
    await listings.read(foldersOf([...targets.values()].flatMap((target) => target ?? [])));
    await this.rules.refresh(listings.withFile(BELAY_IGNORE));
    if (this.settledVersion !== this.rules.version) {
      this.settled.clear();
      this.settledVersion = this.rules.version;
      words.forEach(name);
    }
    const isKept = (place: Place): boolean => {
      const target = targets.get(place);
      return this.rules.keeps(place) || (target !== undefined && target !== null && this.rules.keeps(target));
    };
    const kept = new Set([...named].flatMap(([place, places]) => (places.some(isKept) ? [place] : [])));
    const verdictOf = (word: string): boolean => {
      const settled = listings.hasLinks ? undefined : this.settled.get(word);
      if (settled !== undefined) return settled;
      const place = this.placeOf(word);
      const verdict = place !== null && kept.has(place);
      if (!listings.hasLinks && (place === null || !isPattern(place))) this.settled.set(word, verdict);
      return verdict;
    };
    return {
      words: new Set(words.filter(verdictOf)),
      unreadable: this.rules.unreadable.map((place) => join(this.root, place, BELAY_IGNORE)),
    };
  }

  private forget(): void {
    this.places.clear();
    this.settled.clear();
    this.folders = new Set(['']);
  }

  /** Where places that go through a link really are; null: not below the root, or nowhere. */
  private async linkTargets(
    places: readonly Place[],
    listings: FolderListings,
  ): Promise<ReadonlyMap<Place, Place | null>> {
    const linked = [...new Set(places.filter((place) => listings.isThroughLink(place)))];
    if (linked.length === 0) return new Map();
    const realRoot = await realpath(this.root).catch(() => this.root);
    const found = await Promise.all(
      linked.map(async (place): Promise<readonly [Place, Place | null]> => {
        const real = await realpath(join(this.root, place)).catch(() => null);
        return [place, real === null ? null : placeBelow(realRoot, real)];
      }),
    );
    return new Map(found);
  }
}

/** `path` below `root`, or null where it is not. */
function placeBelow(root: string, path: string): Place | null {
  const way = relative(root, path);
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) return null;
  return sep === '/' ? way : way.replaceAll(sep, '/');
}

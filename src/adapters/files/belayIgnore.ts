// The ignore port on the disk: .belayignore files of a workspace, in gitignore syntax, nested ones too. They are looked at
// again whenever somebody asks, and read again when they have changed. One that is there and cannot be read keeps everything
// below its folder. A path is kept by its name and by the name of what it links to.
import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { IgnorePort } from '../../engine/ports.ts';
import { FolderListings, foldersOf, type Place } from './folderListings.ts';
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
    if (this.places.size >= MAX_WORDS) this.places.clear();
    const isPath = word.length <= MAX_WORD_CHARS && !word.includes('\0');
    const place = isPath ? placeBelow(this.root, resolve(this.root, word)) : null;
    this.places.set(word, place);
    return place;
  }

  /** One after the other: the rules must not change while they are applied. */
  ignored(words: readonly string[]): Promise<{ words: ReadonlySet<string>; unreadable: readonly string[] }> {
    const asked = this.lastAsked.then(() => this.look(words));
    this.lastAsked = asked.catch(() => undefined);
    return asked;
  }

  private async look(words: readonly string[]): Promise<{ words: ReadonlySet<string>; unreadable: readonly string[] }> {
    const placeOf = new Map<string, Place>();
    for (const word of words) {
      const place = this.placeOf(word);
      if (place !== null) placeOf.set(word, place);
    }
    const listings = new FolderListings(this.root);
    await listings.read(foldersOf(placeOf.values()));
    const named = new Map<string, readonly Place[]>();
    for (const [word, place] of placeOf) named.set(word, [place, ...listings.matching(place)]);
    const targets = await this.linkTargets([...named.values()].flat(), listings);
    await listings.read(foldersOf([...targets.values()].flatMap((target) => target ?? [])));
    await this.rules.refresh(listings.withFile(BELAY_IGNORE));
    const isKept = (place: Place): boolean => {
      const target = targets.get(place);
      return this.rules.keeps(place) || (target !== undefined && target !== null && this.rules.keeps(target));
    };
    return {
      words: new Set([...named].filter(([, places]) => places.some(isKept)).map(([word]) => word)),
      unreadable: this.rules.unreadable.map((place) => join(this.root, place, BELAY_IGNORE)),
    };
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

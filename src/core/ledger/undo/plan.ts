// Which files an undo writes, and with what: the changes of the entries to take back are gone over newest first, file by file.
// Only paths of the ledger can appear in a plan, and a file that cannot be taken back for certain is left whole.
// Pure: texts are looked up by hash; what has not been looked at yet comes back as `wanted` and the plan is made again.
import type { TextFormat } from '../../edits/textFormat.ts';
import type { FileChange } from '../entry.ts';
import { Strand } from './strand.ts';
import type { PresentFile } from './strand.ts';
import type { KnownText, LeftReason, TextOf } from './takeBack.ts';

/** One entry to take back. */
export interface UndoEntry {
  readonly key: string;
  /** In the order they were made. */
  readonly changes: readonly FileChange[];
}

export interface UndoWorld {
  readonly present: (path: string) => PresentFile;
  readonly textOf: TextOf;
}

/** New content of a file; the file port's `FileContent` has this shape. */
export type BackContent =
  | { readonly kind: 'image'; readonly hash: string }
  | { readonly kind: 'text'; readonly text: string; readonly format: TextFormat };

/** One path of the entries. `keys`: the entries with changes there. */
export type UndoFile = { readonly path: string; readonly keys: readonly string[] } & (
  | {
      readonly action: 'write';
      readonly content: BackContent;
      readonly expectedHash: string | null;
      readonly afterHash: string;
      readonly mode?: number;
      /** Later changes of somebody else are kept in it. */
      readonly isMerged: boolean;
    }
  | { readonly action: 'delete'; readonly expectedHash: string; readonly mode: number }
  /** Nothing to do. `gone`: somebody deleted it since; it stays deleted. */
  | { readonly action: 'none'; readonly why: 'already' | 'gone' }
  | {
      readonly action: 'left';
      readonly reason: LeftReason;
      readonly message: string;
      /** What stands there, and what stood there before Belay; null: nothing. */
      readonly nowHash: string | null;
      readonly beforeHash: string | null;
    }
);

/** What an undo does about one entry. */
export interface UndoPart {
  readonly key: string;
  /** In order; may be empty where its change is taken back together with that of another entry. */
  readonly changes: readonly FileChange[];
  /** Something of it is taken back. */
  readonly isTaken: boolean;
  /** All of its changes are taken back, or are gone already. */
  readonly isWhole: boolean;
}

export interface UndoPlan {
  /** Every path of the entries, sorted. */
  readonly files: readonly UndoFile[];
  /** For each entry: what its compensation changes. */
  readonly entries: readonly UndoPart[];
  /** Hashes whose texts must be known before the plan holds; empty: it holds. */
  readonly wanted: readonly string[];
}

/** Plans to take back `entries`, newest first. */
export function planUndo(entries: readonly UndoEntry[], world: UndoWorld, restoresDeleted = false): UndoPlan {
  const wanted = new Set<string>();
  const textOf = (hash: string): KnownText => {
    const known = world.textOf(hash);
    if (known.kind === 'unknown') wanted.add(hash);
    return known;
  };
  const tangle = new Tangle(world, textOf, restoresDeleted);
  for (const entry of entries) tangle.goBack(entry);
  const strands = tangle.finish();
  const planned = entries.map(({ key }) => {
    const own = strands.filter((strand) => strand.keys.has(key));
    const free = own.filter(({ left }) => !left);
    const steps = free.flatMap((strand) => strand.steps.filter((step) => step.key === key));
    return {
      key,
      changes: steps.map(({ change }) => change),
      isTaken: free.some(({ taken }) => taken.has(key)),
      isWhole: free.length === own.length,
    };
  });
  return { files: filesOf(entries, strands, world), entries: planned, wanted: [...wanted] };
}

/** All strands of one plan, each at the path where it is by now. */
class Tangle {
  readonly #at = new Map<string, Strand>();
  readonly #all: Strand[] = [];
  readonly #world: UndoWorld;
  readonly #textOf: TextOf;
  readonly #restoresDeleted: boolean;

  constructor(world: UndoWorld, textOf: TextOf, restoresDeleted: boolean) {
    this.#world = world;
    this.#textOf = textOf;
    this.#restoresDeleted = restoresDeleted;
  }

  goBack({ key, changes }: UndoEntry): void {
    const moves = movesOf(changes);
    const moved = new Set(moves.flatMap(({ from, to }) => [from, to]));
    for (const change of changes.toReversed())
      if (!moved.has(change)) this.#strandAt(change.path).add(key, change, this.#textOf, this.#restoresDeleted);
    for (const { from, to } of moves.toReversed()) this.#moveBack(key, from, to);
  }

  #moveBack(key: string, from: FileChange, to: FileChange): void {
    const strand = this.#strandAt(to.path);
    const inTheWay = this.#strandAt(from.path);
    inTheWay.close(this.#textOf, this.#restoresDeleted);
    strand.keys.add(key);
    inTheWay.keys.add(key);
    // Somebody moved it back already, or deleted it and put something else at the old place.
    if (strand.isNothing && inTheWay.version) return;
    if (inTheWay.version)
      strand.left ??= { reason: 'occupied', message: `it came from ${from.path}, where something else stands now` };
    strand.needs.push(inTheWay);
    strand.mode = to.mode ?? from.mode ?? strand.mode;
    strand.moveBack(key, from.path, to.afterHash ?? '', this.#textOf, this.#restoresDeleted);
    this.#at.set(from.path, strand);
    const vacated = this.#add(new Strand(to.path, null, { kind: 'missing' }));
    vacated.needs.push(strand);
  }

  #strandAt(path: string): Strand {
    const known = this.#at.get(path);
    if (known) return known;
    return this.#add(new Strand(path, path, this.#world.present(path)));
  }

  #add(strand: Strand): Strand {
    this.#all.push(strand);
    this.#at.set(strand.path, strand);
    return strand;
  }

  /** Closes every run; what needs a strand that is left is left, too. */
  finish(): readonly Strand[] {
    for (const strand of this.#all) strand.close(this.#textOf, this.#restoresDeleted);
    for (let isStable = false; !isStable;) {
      isStable = true;
      for (const strand of this.#all) {
        const blocker = strand.left ? undefined : strand.needs.find(({ left }) => left);
        if (!blocker) continue;
        strand.left = { reason: 'waits', message: `${blocker.origin ?? blocker.path} is left, which is in its way` };
        isStable = false;
      }
    }
    return this.#all;
  }
}

/** Files that an entry moved as they were: one path lost exactly the bytes that another got. */
function movesOf(changes: readonly FileChange[]): readonly { readonly from: FileChange; readonly to: FileChange }[] {
  const lost = changes.filter(({ beforeHash, afterHash }) => beforeHash !== null && afterHash === null);
  const made = changes.filter(({ beforeHash, afterHash }) => beforeHash === null && afterHash !== null);
  return lost.flatMap((from) => {
    const twins = made.filter((to) => to.afterHash === from.beforeHash);
    const rivals = lost.filter((other) => other.beforeHash === from.beforeHash);
    const [to] = twins;
    // Equal files cannot be told apart, and a path that was changed twice was not simply moved.
    const paths = changes.filter(({ path }) => path === from.path || path === to?.path);
    return to && twins.length === 1 && rivals.length === 1 && paths.length === 2 ? [{ from, to }] : [];
  });
}

function filesOf(entries: readonly UndoEntry[], strands: readonly Strand[], world: UndoWorld): readonly UndoFile[] {
  const paths = new Set(entries.flatMap(({ changes }) => changes.map(({ path }) => path)));
  return [...paths].sort().map((path) => fileOf(path, strands, world));
}

function fileOf(path: string, strands: readonly Strand[], world: UndoWorld): UndoFile {
  const keys = [
    ...new Set(strands.filter((one) => one.origin === path || one.path === path).flatMap((one) => [...one.keys])),
  ];
  const present = world.present(path);
  const nowHash = present.kind === 'file' ? present.hash : null;
  const leftOnes = strands.filter((strand) => strand.left);
  // What stands here speaks for itself, before what only came from here.
  const left = leftOnes.find(({ origin }) => origin === path) ?? leftOnes.find((strand) => strand.path === path);
  if (left?.left) {
    const { reason } = left.left;
    const isHere = left.origin === path || left.origin === null;
    const message = isHere ? left.left.message : `${left.origin} came from here and is left: ${left.left.message}`;
    return { path, keys, action: 'left', reason, message, nowHash, beforeHash: left.wantedHash };
  }
  const ending = strands.findLast((strand) => strand.path === path && strand.version !== null);
  if (!ending?.version) {
    if (present.kind === 'file')
      return { path, keys, action: 'delete', expectedHash: present.hash, mode: present.mode };
    const isGone = strands.some((strand) => strand.isGone && strand.origin === path);
    return { path, keys, action: 'none', why: isGone ? 'gone' : 'already' };
  }
  const { version } = ending;
  if (version.hash === nowHash) return { path, keys, action: 'none', why: 'already' };
  const content: BackContent =
    version.kind === 'merged'
      ? { kind: 'text', text: version.text, format: version.format }
      : { kind: 'image', hash: version.hash };
  const origin = ending.origin === null ? null : world.present(ending.origin);
  const mode = origin?.kind === 'file' ? origin.mode : ending.mode;
  const made = nowHash === null && mode !== undefined ? { mode } : {};
  const { isMerged } = ending;
  return { path, keys, action: 'write', content, expectedHash: nowHash, afterHash: version.hash, isMerged, ...made };
}

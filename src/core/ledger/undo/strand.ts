// One file on its way back in time: what it is now, and the run of Belay's changes that is being taken back. Changes that
// follow each other without anybody else's change between them are one run: what the file was before the first, and what
// Belay left after the last. A move takes the file, whatever it holds by then, back to where it was.
import type { FileChange } from '../entry.ts';
import { movedBack, takeBack } from './takeBack.ts';
import type { LeftReason, TextOf, Version } from './takeBack.ts';

/** Part of a run: a change of the content at `path`, or a move from `from` to `path`. */
interface Step {
  readonly key: string;
  readonly path: string;
  readonly from: string;
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
}

/** What a compensation changes in one file; `key` is the entry that it takes back. */
export interface BackStep {
  readonly key: string;
  readonly change: FileChange;
}

export interface Left {
  readonly reason: LeftReason;
  readonly message: string;
}

/** What stands at a path of the ledger. `blocked`: it cannot be read, is no plain file or is another file now. */
export type PresentFile =
  | { readonly kind: 'file'; readonly hash: string; readonly mode: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'blocked'; readonly reason: string };

/** A file while it is taken back. Mutable: it lives only as long as one plan is made. */
export class Strand {
  /** Where it is on the disk; null: nothing stands for it there, since another file was moved away from its place. */
  readonly origin: string | null;
  /** Where it is by now. */
  path: string;
  version: Version | null;
  left: Left | null;
  /** Somebody deleted it; it stays deleted. */
  isGone = false;
  isMerged = false;
  /** Permission bits for a file that is made. */
  mode: number | undefined;
  /** Those of the file on the disk; absent where there is none. */
  readonly presentMode: number | undefined;
  /** Strands that must not be left if this one is to be carried out. */
  readonly needs: Strand[] = [];
  /** Every entry that has a change here. */
  readonly keys = new Set<string>();
  /** Those whose change was taken back here, by itself or together with others. */
  readonly taken = new Set<string>();
  readonly steps: BackStep[] = [];
  /** What it should become: the oldest state of before. */
  wantedHash: string | null = null;
  #run: Step[] = [];

  constructor(path: string, origin: string | null, present: PresentFile) {
    this.path = path;
    this.origin = origin;
    this.version = present.kind === 'file' ? { kind: 'stored', hash: present.hash } : null;
    this.left = present.kind === 'blocked' ? { reason: 'blocked', message: present.reason } : null;
    this.presentMode = present.kind === 'file' ? present.mode : undefined;
  }

  /** Nothing is there, and nothing will come there by what is being taken back. */
  get isNothing(): boolean {
    return this.version === null && this.left === null && this.#run.length === 0;
  }

  /** Goes back over one change of its content. */
  add(key: string, { beforeHash, afterHash, mode }: FileChange, textOf: TextOf, restoresDeleted: boolean): void {
    this.#push({ key, path: this.path, from: this.path, beforeHash, afterHash }, textOf, restoresDeleted);
    this.mode = mode ?? this.mode;
  }

  /** Goes back over a move from `from` to where it is now. */
  moveBack(key: string, from: string, hash: string, textOf: TextOf, restoresDeleted: boolean): void {
    this.#push({ key, path: this.path, from, beforeHash: hash, afterHash: hash }, textOf, restoresDeleted);
    this.path = from;
  }

  #push(step: Step, textOf: TextOf, restoresDeleted: boolean): void {
    const last = this.#run.at(-1);
    if (last && last.beforeHash !== step.afterHash) this.close(textOf, restoresDeleted);
    this.#run.push(step);
    this.keys.add(step.key);
    this.wantedHash = step.beforeHash;
  }

  /** Takes the open run back. A file that is left, or that somebody deleted, stays so. */
  close(textOf: TextOf, restoresDeleted: boolean): void {
    const run = this.#run;
    this.#run = [];
    const [newest, oldest] = [run[0], run.at(-1)];
    if (!newest || !oldest || this.left || this.isGone) return;
    const { version } = this;
    const sides = { beforeHash: oldest.beforeHash, afterHash: newest.afterHash };
    const isMoved = run.some((step) => step.from !== step.path);
    const isOnlyMoved = run.every((step) => step.beforeHash === step.afterHash);
    // A file that was only moved is moved back with whatever was changed in it since.
    const other = isMoved && version ? movedBack(version, newest.afterHash ?? '', textOf) : null;
    const back = other ?? (isOnlyMoved && version ? null : takeBack(version, sides, textOf, restoresDeleted));
    if (back?.kind === 'left') this.left = back;
    if (back?.kind === 'gone') this.isGone = true;
    if (this.left || this.isGone) return;
    if (back?.kind === 'done') {
      this.version = back.version;
      this.isMerged ||= back.isMerged;
    }
    if (back?.kind !== 'already') for (const { key } of run) this.taken.add(key);
    this.#record(run, version?.hash ?? null, this.#between(run, version, textOf));
  }

  /** What the file is after each step, where taking back one after the other comes to the same; else the newest step does it all. */
  #between(run: readonly Step[], first: Version | null, textOf: TextOf): readonly (string | null)[] {
    const end = this.version?.hash ?? null;
    const hashes: (string | null)[] = [];
    let version = first;
    for (const step of run) {
      const back = step.from === step.path ? takeBack(version, step, textOf, false) : null;
      if (back?.kind === 'left' || back?.kind === 'gone') return run.map(() => end);
      if (back?.kind === 'done') version = back.version;
      hashes.push(version?.hash ?? null);
    }
    return hashes.at(-1) === end ? hashes : run.map(() => end);
  }

  /** Says which entry's compensation changes what; `between` is what the file is after each step of the run. */
  #record(run: readonly Step[], first: string | null, between: readonly (string | null)[]): void {
    let hash = first;
    const bits = this.presentMode ?? this.mode;
    const mode = bits === undefined ? {} : { mode: bits };
    for (const [i, { key, path, from }] of run.entries()) {
      const next = between[i] ?? null;
      if (from !== path) {
        // A file that is gone is made again where it was.
        if (hash !== null) this.steps.push({ key, change: { path, beforeHash: hash, afterHash: null, ...mode } });
        hash ??= next;
        if (hash !== null) this.steps.push({ key, change: { path: from, beforeHash: null, afterHash: hash, ...mode } });
      } else if (hash !== next) {
        this.steps.push({ key, change: { path, beforeHash: hash, afterHash: next, ...mode } });
        hash = next;
      }
    }
  }
}

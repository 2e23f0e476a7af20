// What an agent asks to change, whatever form it came in: the words that the parsers write and the planner reads.

/** One search/replace: `search` must be there exactly once, unless `occurrence` says otherwise. */
export interface EditBlock {
  readonly search: string;
  readonly replace: string;
  /** `all`: every place. Default `one`. */
  readonly occurrence?: 'one' | 'all';
  /** The search text stands for whole lines, as in every form that writes it line by line: never a part of a line. */
  readonly isWholeLines?: boolean;
}

/** One hunk of a diff: lines without their line ending, in order. */
export interface Hunk {
  /** First line of the old text, from 1, where the diff says; a hint only. */
  readonly oldStart: number | null;
  /** Text of a line above that narrows the place down (`@@ class A`). */
  readonly anchors: readonly string[];
  readonly lines: readonly { readonly kind: 'keep' | 'remove' | 'add'; readonly text: string }[];
  /** The old side, or the new side, ends without a line ending. */
  readonly noNewlineAtEnd?: { readonly old: boolean; readonly new: boolean };
  /** The hunk must stand at the end of the file. */
  readonly isAtEnd?: boolean;
}

/** One file of an edit. Paths are as the agent wrote them. */
export type FileEdit =
  | { readonly kind: 'blocks'; readonly path: string; readonly blocks: readonly EditBlock[] }
  | { readonly kind: 'hunks'; readonly path: string; readonly hunks: readonly Hunk[]; readonly moveTo?: string }
  /** The whole new text; the file may exist. Only with `allowEmpty` may it leave nothing of a file that holds something. */
  | { readonly kind: 'whole'; readonly path: string; readonly text: string; readonly allowEmpty?: boolean }
  /** The whole text of a file that must not exist. `mode`: its permission bits, where the edit names them. */
  | { readonly kind: 'create'; readonly path: string; readonly text: string; readonly mode?: number }
  /** `expected`: the text that the agent believes it deletes; another one is not deleted. */
  | { readonly kind: 'delete'; readonly path: string; readonly expected?: string }
  | { readonly kind: 'move'; readonly path: string; readonly moveTo: string };

/** All files of one edit; every path once. */
export interface EditSet {
  readonly files: readonly FileEdit[];
}

/** Where one block or hunk went, or why it did not. `line` counts from 1 in the text before the edit. */
export interface BlockReport {
  readonly index: number;
  readonly outcome: 'applied' | 'already-applied' | 'identical' | 'not-found' | 'several' | 'overlaps';
  readonly line: number | null;
  /** For the agent: what to do about it, or what leniency was needed; empty for what simply went well. */
  readonly message: string;
}

/** What an edit makes of one file. `failed`: nothing of it may be written. `needless`: the file is as asked already. */
export type FilePlan = { readonly path: string; readonly blocks: readonly BlockReport[] } & (
  | { readonly kind: 'write'; readonly text: string; readonly moveTo?: string; readonly mode?: number }
  | { readonly kind: 'delete' }
  | { readonly kind: 'move'; readonly moveTo: string }
  | { readonly kind: 'needless'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }
);

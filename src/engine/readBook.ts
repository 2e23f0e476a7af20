// What the agent of one task last saw of each file, and what it tried in vain: the base of "never overwrite bytes that the
// agent did not see". Fed by reads, by the results of edits and by commands; a gateway may feed it from foreign agents' reads.
// Texts are kept as before-images through the file port, so that a merge has its base; the book itself holds hashes.
// It is bounded: what is forgotten counts as never seen, which only makes edits more careful. Lost with its process, likewise.
import { decodeText } from '../core/edits/textFormat.ts';
import type { FileChange } from '../core/ledger/entry.ts';
import type { FilePort, FileState } from './ports.ts';

/** How a file was shown to the agent. */
export interface Shown {
  /** All of it; a part lifts doubt but is no base for a whole new text. */
  readonly isWhole: boolean;
  /** False for what may not be stored, e.g. a file of secrets: it is known by its hash alone and cannot be merged. */
  readonly mayKeep: boolean;
}

/** The book of one task. Paths are the names that the file port's `locate` gives. */
export interface ReadBook {
  /** The agent was shown a file as it is in `state`. */
  saw(path: string, state: FileState, shown: Shown): Promise<void>;
  /** The agent's own edit changed a file. `isKnown`: it knows the whole new text, since it wrote or was told all of it. */
  changed(change: FileChange, isKnown: boolean): Promise<void>;
  /** The agent ran a command: any file may have changed, by it or by others. */
  ran(title: string): void;
  /** Hash of what the agent last saw whole (null: it saw that there is no file); undefined: never, or forgotten. */
  seen(path: string): string | null | undefined;
  /** The text it last saw whole; null where that is not known any more. */
  base(path: string): Promise<string | null>;
  /** Who may have changed a file since it was seen, in words. */
  suspect(path: string): string;
  /** An edit failed since the agent has a wrong picture of a file: the next edit of it needs a fresh read. */
  doubt(path: string): void;
  isDoubted(path: string): boolean;
  /** Notes that an edit failed. `circumstances` is equal while nothing that matters has changed. Returns how often in a row. */
  failed(edit: string, circumstances: string, reason: string): number;
  /** The reason of a failure that has come as often as it may, with nothing changed since; null: it may be tried. */
  spent(edit: string, circumstances: string): string | null;
}

/** The same edit is tried so often under the same circumstances. */
export const MAX_SAME_FAILURES = 2;
const MAX_FILES = 2000;
const MAX_FAILURES = 200;
/** Texts that the file port could not keep (unsaved buffers) stay in memory within these bounds. */
const MAX_TEXTS = 20;
const MAX_TEXT_CHARS = 200_000;

interface Sighting {
  readonly hash: string | null;
  /** Commands that had been run by then. */
  readonly commands: number;
  readonly text: string | null;
}

interface Failure {
  readonly circumstances: string;
  readonly count: number;
  readonly reason: string;
}

/** An empty book. */
export function readBook(files: Pick<FilePort, 'saveBefore' | 'image'>): ReadBook {
  const sightings = new Map<string, Sighting>();
  const doubts = new Set<string>();
  const failures = new Map<string, Failure>();
  let commands = 0;
  let lastCommand = '';

  const note = (path: string, hash: string | null, text: string | null): void => {
    put(sightings, path, { hash, commands, text }, MAX_FILES);
    if (text === null) return;
    const withText = [...sightings].filter(([, sighting]) => sighting.text !== null);
    for (const [old, sighting] of withText.slice(0, -MAX_TEXTS)) sightings.set(old, { ...sighting, text: null });
  };
  const isKept = async (path: string, hash: string | null): Promise<boolean> => {
    if (hash === null) return false;
    const kept = await files.saveBefore(path);
    return kept.ok && kept.value === hash;
  };

  return {
    saw: async (path, { hash, text }, { isWhole, mayKeep }) => {
      doubts.delete(path);
      if (!isWhole) return;
      const needsText = mayKeep && hash !== null && !(await isKept(path, hash)) && text.length <= MAX_TEXT_CHARS;
      note(path, hash, needsText ? text : null);
    },
    changed: async ({ path, beforeHash, afterHash }, isKnown) => {
      const before = sightings.get(path);
      if (!isKnown && before?.hash !== beforeHash) return;
      doubts.delete(path);
      await isKept(path, afterHash);
      note(path, afterHash, null);
    },
    ran: (title) => {
      commands++;
      lastCommand = title;
    },
    seen: (path) => sightings.get(path)?.hash,
    base: async (path) => {
      const sighting = sightings.get(path);
      if (!sighting) return null;
      if (sighting.text !== null || sighting.hash === null) return sighting.text ?? '';
      const image = await files.image(sighting.hash);
      const decoded = image.ok ? decodeText(image.value) : null;
      return decoded?.ok ? decoded.text : null;
    },
    suspect: (path) => {
      const isSinceCommand = (sightings.get(path)?.commands ?? commands) < commands;
      return isSinceCommand ? `by somebody else, or by a command of yours (last: ${lastCommand})` : 'by somebody else';
    },
    doubt: (path) => {
      if (doubts.size < MAX_FILES) doubts.add(path);
    },
    // A full list doubts everything: what could not be noted must not be forgotten.
    isDoubted: (path) => doubts.has(path) || doubts.size >= MAX_FILES,
    failed: (edit, circumstances, reason) => {
      const before = failures.get(edit);
      const count = before?.circumstances === circumstances ? before.count + 1 : 1;
      put(failures, edit, { circumstances, count, reason }, MAX_FAILURES);
      return count;
    },
    spent: (edit, circumstances) => {
      const failure = failures.get(edit);
      if (failure?.circumstances !== circumstances) return null;
      return failure.count >= MAX_SAME_FAILURES ? failure.reason : null;
    },
  };
}

/** Sets a value as the newest; the oldest go. */
function put<T>(map: Map<string, T>, key: string, value: T, limit: number): void {
  map.delete(key);
  map.set(key, value);
  for (const [oldest] of map) {
    if (map.size <= limit) return;
    map.delete(oldest);
  }
}

// Which entries an undo takes back, and which of those it cannot. An undo is an effect with an entry of its own (a
// compensation), and an undo may be undone (redo), so entries form chains: E, its undo, the undo of that, ... Of a chain only
// its last standing link is in force; an entry counts if its own effect, or a redo of it, stands.
import * as z from 'zod';
import type { FileChange, LedgerEntry } from '../entry.ts';
import { changesOf } from '../fileChanges.ts';

/** Name of the tool of compensations. */
export const UNDO_TOOL = 'undo';

const changeSchema = z.object({
  path: z.string(),
  beforeHash: z.string().nullable(),
  afterHash: z.string().nullable(),
  mode: z.number().int().nonnegative().exactOptional(),
});
/** What a compensation's baseline (kind `edit`) holds besides the files of the whole undo. */
const backSchema = z.object({ own: z.array(changeSchema), isWhole: z.boolean() });

/** A compensation's own part of an undo: its changes, and whether they take back all that the entry did. */
export interface BackData {
  readonly own: readonly FileChange[];
  readonly isWhole: boolean;
}

/** Reads it; null for every other entry. */
export function backDataOf({ compensates, probe }: Pick<LedgerEntry, 'compensates' | 'probe'>): BackData | null {
  if (compensates === undefined) return null;
  const parsed = backSchema.safeParse(probe?.data);
  return parsed.success ? parsed.data : null;
}

/** Does the effect of an entry in this state stand? */
export function isStanding({ state }: Pick<LedgerEntry, 'state'>): boolean {
  return state === 'COMMITTED' || state === 'RECONCILED_COMMITTED';
}

/** Is nobody sure yet whether it happened? */
export function isOpen({ state }: Pick<LedgerEntry, 'state'>): boolean {
  return state === 'PREPARED' || state === 'UNKNOWN';
}

/** The files an undo of the entry is about. */
export function changesToTakeBack(entry: LedgerEntry): readonly FileChange[] {
  return entry.evidence?.files ?? backDataOf(entry)?.own ?? changesOf(entry);
}

/** Newest effect first: by the time it was prepared; of equal times as given. `entries` come newest first. */
export function newestFirst(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  return entries.toSorted((a, b) => b.preparedAtMs - a.preparedAtMs);
}

/**
 * The entries of a task to take back, newest first: standing or open ones that may have changed something. An undo whose
 * entry is wholly undone goes with it and is none of them, unless it is itself a redo. `entries` are all of the task.
 */
export function entriesInForce(entries: readonly LedgerEntry[], fromStep = 0): readonly LedgerEntry[] {
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  const isCancelled = (entry: LedgerEntry): boolean => {
    const original = entry.compensates === undefined ? undefined : byKey.get(entry.compensates);
    return original?.state === 'COMPENSATED' && depthOf(entry, byKey) % 2 === 1;
  };
  const own = entries.filter(
    (entry) =>
      entry.level !== 'R0' && entry.step >= fromStep && (isStanding(entry) || isOpen(entry)) && !isCancelled(entry),
  );
  return newestFirst(own);
}

/** Links between an entry and the first of its chain. */
function depthOf(entry: LedgerEntry, byKey: ReadonlyMap<string, LedgerEntry>): number {
  let depth = 0;
  const met = new Set<string>();
  for (let at: LedgerEntry | undefined = entry; at?.compensates !== undefined && !met.has(at.key); depth++) {
    met.add(at.key);
    at = byKey.get(at.compensates);
  }
  return depth;
}

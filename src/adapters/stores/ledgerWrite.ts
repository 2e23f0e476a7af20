// What one transaction does to the ledger, decided before anything is written, so that both stores mean the same by it.
// The state machine itself is core's (core/ledger/transition.ts); this only puts prepare, changes and leases together.
import type { EntryState, Intent, LedgerEntry } from '../../core/ledger/entry.ts';
import { firstEntry, prepareAgain, shortKey, transition } from '../../core/ledger/transition.ts';
import type { EntryChange, Result, StoreFault, StoreTransaction } from '../../engine/ports.ts';

/** One entry to save, with the state it comes from (null: new). An entry that moves twice is saved twice, in order. */
export interface EntrySave {
  readonly from: EntryState | null;
  readonly entry: LedgerEntry;
}

export interface PlannedWrite {
  readonly saves: readonly EntrySave[];
  readonly answer: LedgerEntry | null;
  /** False: an entry of the prepared key exists already, so nothing of the transaction is written. */
  readonly writes: boolean;
}

/** What the plan reads: entries by key, and the token of a key's present lease (null: nobody has one). */
export interface WriteLookup {
  entry(key: string): LedgerEntry | null;
  leaseToken(key: string): number | null;
}

/** Plans a transaction on what `lookup` finds. All of it is legal, or nothing is written. */
export function planWrite(transaction: StoreTransaction, lookup: WriteLookup): Result<PlannedWrite, StoreFault> {
  const { prepare, changes = [] } = transaction;
  const existing = prepare ? lookup.entry(prepare.key) : null;
  const isAgain = prepare !== undefined && changes.some((change) => preparesAgain(prepare, change));
  if (existing && !isAgain) return { ok: true, value: { saves: [], answer: existing, writes: false } };
  if (prepare && isAgain && !existing) return { ok: false, error: unknownKey(prepare.key) };
  const saves: EntrySave[] = [];
  if (prepare && !existing) saves.push({ from: null, entry: firstEntry(prepare) });
  const present = (key: string): LedgerEntry | null =>
    saves.findLast((save) => save.entry.key === key)?.entry ?? lookup.entry(key);
  for (const change of changes) {
    const before = present(change.key);
    if (!before) return { ok: false, error: unknownKey(change.key) };
    const isFenced = change.lease !== undefined && lookup.leaseToken(change.key) !== change.lease;
    if (isFenced) return { ok: false, error: lostLease(change.key) };
    const moved =
      prepare && preparesAgain(prepare, change) ? prepareAgain(before, prepare, change) : transition(before, change);
    if (!moved.ok) return moved;
    saves.push({ from: before.state, entry: moved.value });
  }
  const answered = prepare?.key ?? changes[0]?.key;
  const answer = answered === undefined ? null : present(answered);
  return { ok: true, value: { saves, answer, writes: true } };
}

function preparesAgain(prepare: Intent, change: EntryChange): boolean {
  return change.key === prepare.key && change.to === 'PREPARED';
}

/**
 * Must the transaction be on the disk before it is answered (DESIGN 12)? Also where an entry is prepared again: its level
 * may be higher than the asked one.
 */
export function needsFullSync({ prepare, changes = [] }: StoreTransaction): boolean {
  if (!prepare) return false;
  return prepare.level === 'R2' || prepare.level === 'R3' || changes.some((change) => preparesAgain(prepare, change));
}

function unknownKey(key: string): StoreFault {
  return { kind: 'illegal-transition', message: `The ledger has no entry ${shortKey(key)} that could change.` };
}

function lostLease(key: string): StoreFault {
  const message = `The lease of entry ${shortKey(key)} has passed to somebody else meanwhile. Read the entry again before deciding.`;
  return { kind: 'fenced', message };
}

/** A page that begins at an entry which is no longer there: an empty page would pass for the end of the list. */
export function unknownCursor(key: string): StoreFault {
  const message = `The ledger has no entry ${shortKey(key)} to go on from; it may have been pruned meanwhile. List again from the beginning.`;
  return { kind: 'other', message };
}

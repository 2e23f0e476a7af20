// What one transaction does to the ledger, decided before anything is written, so that both stores mean the same by it.
// The state machine itself is core's (core/ledger/transition.ts); this only puts prepare and change together.
import type { LedgerEntry } from '../../core/ledger/entry.ts';
import { firstEntry, prepareAgain, shortKey, transition } from '../../core/ledger/transition.ts';
import type { EntryState } from '../../core/ledger/entry.ts';
import type { Result, StoreFault, StoreTransaction } from '../../engine/ports.ts';

/** One entry to save, with the state it comes from (null: new). */
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

/** Plans a transaction on the entries that `lookup` finds. */
export function planWrite(
  transaction: StoreTransaction,
  lookup: (key: string) => LedgerEntry | null,
): Result<PlannedWrite, StoreFault> {
  const { prepare, change } = transaction;
  const existing = prepare ? lookup(prepare.key) : null;
  const again = prepare && change?.to === 'PREPARED' && change.key === prepare.key;
  if (prepare && existing && !again) return { ok: true, value: { saves: [], answer: existing, writes: false } };
  if (prepare && again) return planAgain(existing, transaction);
  const saves: EntrySave[] = [];
  if (prepare) saves.push({ from: null, entry: firstEntry(prepare) });
  if (change) {
    const changed = lookup(change.key) ?? saves.find((save) => save.entry.key === change.key)?.entry;
    if (!changed) return { ok: false, error: unknownKey(change.key) };
    const moved = transition(changed, change);
    if (!moved.ok) return moved;
    saves.push({ from: changed.state, entry: moved.value });
  }
  return { ok: true, value: { saves, answer: saves[0]?.entry ?? null, writes: true } };
}

function planAgain(
  existing: LedgerEntry | null,
  { prepare, change }: StoreTransaction,
): Result<PlannedWrite, StoreFault> {
  if (!prepare || !change || !existing) return { ok: false, error: unknownKey(change?.key ?? '') };
  const moved = prepareAgain(existing, prepare, change);
  if (!moved.ok) return moved;
  const save = { from: existing.state, entry: moved.value };
  return { ok: true, value: { saves: [save], answer: moved.value, writes: true } };
}

/** Must the transaction be on the disk before it is answered (DESIGN 12)? */
export function needsFullSync(transaction: StoreTransaction): boolean {
  const level = transaction.prepare?.level;
  return level === 'R2' || level === 'R3';
}

function unknownKey(key: string): StoreFault {
  return { kind: 'illegal-transition', message: `The ledger has no entry ${shortKey(key)} that could change.` };
}

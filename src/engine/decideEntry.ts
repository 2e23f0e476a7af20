// A person says what became of an open entry: he has looked where no probe can. Only of an entry that is not being made right
// now; what he says is the evidence, with his name and reason.
import type { LedgerEntry } from '../core/ledger/entry.ts';
import { PERSON, settlingPath } from '../core/ledger/transition.ts';
import type { EffectPorts, Emit } from './effectEntry.ts';
import { moveEntry } from './effectEntry.ts';
import { underLease } from './effectLease.ts';
import { reconcileEffect } from './effectReconcile.ts';
import type { Result } from './ports.ts';

/** A person's word. */
export interface Decision {
  readonly as: 'RECONCILED_COMMITTED' | 'RECONCILED_ABSENT';
  /** How he knows. */
  readonly note: string;
  /** Who says so. */
  readonly by: string;
}

/** Settles an open entry as told. The error says why it is not for a person to decide, or what the ledger could not do. */
export async function decideEntry(
  ports: EffectPorts,
  entry: LedgerEntry,
  decision: Decision,
  emit: Emit,
): Promise<Result<LedgerEntry, string>> {
  // What can be found out needs no opinion.
  const seen = await reconcileEffect(ports, entry, 0, emit);
  if (!seen.ok) return { ok: false, error: seen.error.message };
  const { entry: present, running } = seen.value;
  if (running !== null) return { ok: false, error: `it is not over yet (${running}); decide when it is` };
  if (present.state !== 'PREPARED' && present.state !== 'UNKNOWN')
    return { ok: false, error: `it is ${present.state}: only what is open can be decided` };
  const { as, note, by } = decision;
  const evidence = { source: PERSON, detail: `${by} says so: ${note}` };
  const path = settlingPath(present.state, as) ?? [];
  const leased = await underLease(ports, entry.key, async (lease) => {
    const now = await ports.store.entry(entry.key);
    if (!now.ok || now.value?.fence !== present.fence) return null;
    const moves = path.map((to) => ({ to, evidence }));
    return moveEntry(ports, now.value, moves, emit, lease.token);
  });
  if (!leased.ok) return { ok: false, error: leased.error.message };
  const changed = leased.value.kind === 'done' ? leased.value.value : null;
  if (!changed) return { ok: false, error: 'another window is at it or has settled it; look at it again' };
  return changed.ok ? changed : { ok: false, error: changed.error.message };
}

// A person says what became of an open entry: he has looked where no probe can. Only of an entry that is not being made right
// now; what he says is the evidence, with his name and reason. An entry that only follows another one (the same effect asked
// for again) has no outcome of its own: the one it follows is decided, and all that follow that one are settled with it.
import { followedKey } from '../core/ledger/retention.ts';
import type { LedgerEntry } from '../core/ledger/entry.ts';
import { PERSON, settlingPath, shortKey } from '../core/ledger/transition.ts';
import type { EffectPorts, Emit } from './effectEntry.ts';
import { moveEntry, presentEntry } from './effectEntry.ts';
import { underLease } from './effectLease.ts';
import { leaderOf, settleFollower } from './effectLookup.ts';
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

/**
 * Settles an open entry as told, with the one it follows and all that follow that one; answers the named entry. The error
 * says why it is not for a person to decide, or what the ledger could not do.
 */
export async function decideEntry(
  ports: EffectPorts,
  entry: LedgerEntry,
  decision: Decision,
  emit: Emit,
): Promise<Result<LedgerEntry, string>> {
  const found = await leaderOf(ports, entry);
  if (!found.ok) return { ok: false, error: found.error.message };
  const leader = found.value.entry ?? entry;
  const decided = await decideLeader(ports, leader, decision, emit);
  // Also when it was settled already: what follows it is so, too.
  await settleFollowers(ports, leader, emit);
  if (!decided.ok && leader.key !== entry.key) {
    return { ok: false, error: `it is the same effect as entry ${shortKey(leader.key)}: ${decided.error}` };
  }
  if (!decided.ok || leader.key === entry.key) return decided;
  const own = await presentEntry(ports, entry.key);
  return own.ok ? own : { ok: false, error: own.error.message };
}

async function decideLeader(
  ports: EffectPorts,
  leader: LedgerEntry,
  { as, note, by }: Decision,
  emit: Emit,
): Promise<Result<LedgerEntry, string>> {
  // What can be found out needs no opinion.
  const seen = await reconcileEffect(ports, leader, 0, emit);
  if (!seen.ok) return { ok: false, error: seen.error.message };
  const { entry: present, running } = seen.value;
  if (running !== null) return { ok: false, error: `it is not over yet (${running}); decide when it is` };
  if (present.state !== 'PREPARED' && present.state !== 'UNKNOWN')
    return { ok: false, error: `it is ${present.state}: only what is open can be decided` };
  const evidence = { source: PERSON, detail: `${by} says so: ${note}` };
  const path = settlingPath(present.state, as) ?? [];
  const leased = await underLease(ports, leader.key, async (lease) => {
    const now = await ports.store.entry(leader.key);
    if (!now.ok || now.value?.fence !== present.fence) return null;
    const moves = path.map((to) => ({ to, evidence }));
    return moveEntry(ports, now.value, moves, emit, lease.token);
  });
  if (!leased.ok) return { ok: false, error: leased.error.message };
  const changed = leased.value.kind === 'done' ? leased.value.value : null;
  if (!changed) return { ok: false, error: 'another window is at it or has settled it; look at it again' };
  return changed.ok ? changed : { ok: false, error: changed.error.message };
}

/** Brings every open entry that follows this one to its state. What fails here is settled when it is next looked at. */
async function settleFollowers(ports: EffectPorts, { key, tool }: LedgerEntry, emit: Emit): Promise<void> {
  const [leader, open] = [
    await ports.store.entry(key),
    await ports.store.entries({ states: ['PREPARED', 'UNKNOWN'], tool }),
  ];
  if (!leader.ok || !leader.value || !open.ok) return;
  for (const one of open.value) {
    if (followedKey(one) === null) continue;
    const found = await leaderOf(ports, one);
    if (found.ok && found.value.entry?.key === key) await settleFollower(ports, one, leader.value, emit);
  }
}

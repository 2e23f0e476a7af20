// Which entry answers for an effect that is asked for: the one of its key, or an open one of the same tool and arguments
// (DESIGN 4: an open UNKNOWN entry always matches, whatever the step). In the second case the asked key gets an entry of
// its own that follows the open one, so that neither key can ever run the effect a second time.
import type { EntryState, Intent, LedgerEntry } from '../core/ledger/entry.ts';
import { SAME_EFFECT } from '../core/ledger/rivals.ts';
import { settlingPath, shortKey } from '../core/ledger/transition.ts';
import { moveEntry } from './effectEntry.ts';
import type { EffectPorts, Emit } from './effectEntry.ts';
import type { Result, StoreFault } from './ports.ts';

/** A chain of followers is as long as the steps that asked for one open effect; a longer one is a circle. */
const MAX_HOPS = 50;

export interface Found {
  /** The entry that answers; null when the effect was never asked for. */
  readonly entry: LedgerEntry | null;
  /** The asked key's own entry where it follows `entry`. */
  readonly follower: LedgerEntry | null;
}

/** Why it could not be looked up, and what is known all the same. */
export interface LookupFault extends StoreFault {
  /** An open entry of the same effect, which may have happened. */
  readonly open?: LedgerEntry;
}

/** Looks an effect up. `intent` has the asked key; it is stored only as a follower. `isSame` tells entries of the same arguments. */
export async function findEffect(
  ports: EffectPorts,
  intent: Intent,
  isSame: (entry: LedgerEntry) => boolean,
): Promise<Result<Found, LookupFault>> {
  const own = await ports.store.entry(intent.key);
  if (!own.ok) return own;
  if (own.value) {
    const led = await leaderOf(ports, own.value);
    return led.ok ? led : { ok: false, error: { ...led.error, open: own.value } };
  }
  // A read changes nothing, so an open one elsewhere is no reason to withhold it.
  if (intent.level === 'R0') return { ok: true, value: { entry: null, follower: null } };
  const open = await openMatch(ports, intent, isSame);
  if (!open.ok || !open.value) return open.ok ? { ok: true, value: { entry: null, follower: null } } : open;
  const probe = { kind: SAME_EFFECT, data: { key: open.value.key } };
  const written = await ports.store.write({ prepare: { ...intent, owner: null, probe } });
  if (!written.ok) return { ok: false, error: { ...written.error, open: open.value } };
  return { ok: true, value: { entry: open.value, follower: written.value } };
}

/** Brings a follower to the state of the entry it follows, where that is a legal way. */
export async function settleFollower(
  ports: EffectPorts,
  follower: LedgerEntry,
  leader: LedgerEntry,
  emit: Emit,
): Promise<void> {
  const path =
    settlingPath(follower.state, leader.state) ?? settlingPath(follower.state, asSeenLater(leader.state)) ?? [];
  const evidence = { ...leader.evidence, source: SAME_EFFECT, detail: `same effect as entry ${shortKey(leader.key)}` };
  // The leader decides whatever becomes of this write: lookups always follow it.
  await moveEntry(
    ports,
    follower,
    path.map((to) => ({ to, evidence })),
    emit,
  );
}

/** What a leader that was made anew came to, in the words for an entry that was UNKNOWN meanwhile. */
function asSeenLater(state: EntryState): EntryState {
  if (state === 'COMMITTED') return 'RECONCILED_COMMITTED';
  return state === 'FAILED' ? 'RECONCILED_ABSENT' : state;
}

/** The entry that decides for `own`: itself, or the last of those it follows. */
export async function leaderOf(ports: EffectPorts, own: LedgerEntry): Promise<Result<Found, StoreFault>> {
  let entry = own;
  for (let hop = 0; entry.probe?.kind === SAME_EFFECT; hop++) {
    const next = await ports.store.entry(String(entry.probe.data.key));
    if (!next.ok) return next;
    if (!next.value || hop > MAX_HOPS) {
      const message = `The ledger's entry ${shortKey(own.key)} follows one that is missing. Check the ledger's file before going on.`;
      return { ok: false, error: { kind: 'corrupt', message } };
    }
    entry = next.value;
  }
  return { ok: true, value: { entry, follower: entry === own ? null : own } };
}

const OPEN: readonly EntryState[] = ['UNKNOWN', 'PREPARED'];

async function openMatch(
  ports: EffectPorts,
  intent: Intent,
  isSame: (entry: LedgerEntry) => boolean,
): Promise<Result<LedgerEntry | null, StoreFault>> {
  const listed = await ports.store.entries({ states: OPEN, tool: intent.tool });
  if (!listed.ok) return listed;
  const match = listed.value.find(
    (entry) => isSame(entry) && entry.tenant === intent.tenant && entry.probe?.kind !== SAME_EFFECT,
  );
  return { ok: true, value: match ?? null };
}

// After a crash, a closed window or a restart: every open entry whose run is over is found out about, one after the other,
// the oldest first. Safe to run in two windows at the same moment, since each entry is looked at under its lease. Runs
// nothing again; what stays unknown is told with what to do about it.
import { stateSentence } from '../core/ledger/outcomeText.ts';
import { followedKey } from '../core/ledger/retention.ts';
import { SAME_EFFECT } from '../core/ledger/rivals.ts';
import type { EntryState, LedgerEntry } from '../core/ledger/entry.ts';
import type { EffectPorts, Emit } from './effectEntry.ts';
import { leaderOf, settleFollower } from './effectLookup.ts';
import { reconcileEffect } from './effectReconcile.ts';
import type { Reconciled } from './effectReconcile.ts';
import type { Result, StoreFault } from './ports.ts';

export interface RecoverOptions {
  /** Only these entries, and those that follow them; default: every open one. */
  readonly keys?: readonly string[];
  readonly task?: string;
  /** No further entry is begun after so long. Default 60,000. */
  readonly limitMs?: number;
  readonly signal?: AbortSignal;
}

/** What became of one entry; `words` is a sentence for a person. */
export interface RecoveredEntry {
  readonly entry: LedgerEntry;
  readonly from: EntryState;
  readonly words: string;
}

export interface RecoveredLedger {
  /** Settled now. */
  readonly changed: readonly RecoveredEntry[];
  /** Still unknown; the words say how to decide. One for each effect: what follows an entry that is told is not told again. */
  readonly unknown: readonly RecoveredEntry[];
  /** Not over yet, or being looked at by another window. */
  readonly busy: readonly RecoveredEntry[];
  /** Entries that were not reached in time. */
  readonly leftCount: number;
  /** Why the recovery ended early; null when it did not. */
  readonly trouble: string | null;
}

const LIMIT_MS = 60_000;
const OPEN: readonly EntryState[] = ['PREPARED', 'UNKNOWN'];

/** Finds out about open entries. A fault of the ledger before anything was done is an error, later it is `trouble`. */
export async function recoverOpen(
  ports: EffectPorts,
  { keys, task, limitMs = LIMIT_MS, signal }: RecoverOptions,
  emit: Emit,
): Promise<Result<RecoveredLedger, StoreFault>> {
  const listed = await ports.store.entries({ states: OPEN, ...(task === undefined ? {} : { task }) });
  if (!listed.ok) return listed;
  const isWanted = (one: LedgerEntry): boolean =>
    !keys || keys.includes(one.key) || keys.includes(followedKey(one) ?? '');
  const wanted = listed.value.filter(isWanted).reverse();
  // What only follows another comes after it: it is decided by that one.
  const [leaders, followers] = [wanted.filter((one) => !isFollower(one)), wanted.filter(isFollower)];
  const open = [...leaders, ...followers];
  const untilMs = ports.clock.nowMs() + limitMs;
  const [changed, unknown, busy]: [RecoveredEntry[], RecoveredEntry[], RecoveredEntry[]] = [[], [], []];
  const openEffects = new Set<string>();
  for (const [i, entry] of open.entries()) {
    const leftCount = open.length - i;
    if (signal?.aborted === true || ports.clock.nowMs() >= untilMs) {
      return { ok: true, value: { changed, unknown, busy, leftCount, trouble: null } };
    }
    const seen = await lookedAt(ports, entry, emit);
    if (!seen.ok) {
      return { ok: true, value: { changed, unknown, busy, leftCount, trouble: seen.error.message } };
    }
    const { entry: now, running, leader } = seen.value;
    const told = { entry: now, from: entry.state, words: wordsOf(now, running) };
    if (!OPEN.includes(now.state)) {
      changed.push(told);
      continue;
    }
    if (openEffects.has(leader)) continue;
    openEffects.add(leader);
    if (running === null) unknown.push(told);
    else busy.push(told);
  }
  return { ok: true, value: { changed, unknown, busy, leftCount: 0, trouble: null } };
}

function isFollower({ probe }: LedgerEntry): boolean {
  return probe?.kind === SAME_EFFECT;
}

/** `leader`: key of the entry that decides. */
type LookedAt = Reconciled & { readonly leader: string };

async function lookedAt(ports: EffectPorts, entry: LedgerEntry, emit: Emit): Promise<Result<LookedAt, StoreFault>> {
  if (isFollower(entry)) return recoverFollower(ports, entry, emit);
  const seen = await reconcileEffect(ports, entry, 0, emit);
  return seen.ok ? { ok: true, value: { ...seen.value, leader: entry.key } } : seen;
}

/** An entry that follows another gets that one's state; where that one is open, it is found out about. */
async function recoverFollower(
  ports: EffectPorts,
  follower: LedgerEntry,
  emit: Emit,
): Promise<Result<LookedAt, StoreFault>> {
  const found = await leaderOf(ports, follower);
  if (!found.ok) return found;
  const leader = found.value.entry;
  if (!leader) return { ok: true, value: { entry: follower, running: null, leader: follower.key } };
  const seen: Result<Reconciled, StoreFault> = OPEN.includes(leader.state)
    ? await reconcileEffect(ports, leader, 0, emit)
    : { ok: true, value: { entry: leader, running: null } };
  if (!seen.ok) return seen;
  await settleFollower(ports, follower, seen.value.entry, emit);
  const now = await ports.store.entry(follower.key);
  return now.ok ? { ok: true, value: { ...seen.value, entry: now.value ?? follower, leader: leader.key } } : now;
}

function wordsOf(entry: LedgerEntry, running: string | null): string {
  if (running !== null && OPEN.includes(entry.state)) return `${entry.title}: it is not over yet (${running}).`;
  return `${entry.title}: ${stateSentence(entry)}`;
}

// Writing the ledger on behalf of an effect: prepare, move, mirror. Every change that is stored is also an event.
// A writer that comes too late (fenced) learns the present entry instead of failing: somebody else settled it.
import type { EventBody } from '../core/events.ts';
import type { Evidence, Intent, LedgerEntry } from '../core/ledger/entry.ts';
import type { Move } from '../core/ledger/reconcile.ts';
import { PERSON } from '../core/ledger/transition.ts';
import { changeEvent, pairedChange } from './compensation.ts';
import type { ProbePorts } from './effectProbe.ts';
import type { Answer, Ports, Result, StoreFault } from './ports.ts';

/** The ports an effect needs, and how long a probe of one may take. */
export interface EffectPorts
  extends Pick<Ports, 'clock' | 'store' | 'command' | 'files' | 'approval'>, Pick<ProbePorts, 'reconcileTimeoutMs'> {}

/** Takes event bodies; the caller adds ids and time. */
export type Emit = (body: EventBody) => void;

/** `mine` is false when another process prepared the entry first; then nothing may be run for it. */
export interface Prepared {
  readonly mine: boolean;
  readonly entry: LedgerEntry;
}

/** Writes PREPARED, for the first time or again after `previous`; resolves when it is as durable as its level asks. */
export async function prepareEntry(
  ports: EffectPorts,
  intent: Intent,
  previous: LedgerEntry | null,
  approved: Answer | null,
  emit: Emit,
): Promise<Result<Prepared, StoreFault>> {
  const atMs = ports.clock.nowMs();
  const evidence = approved
    ? { source: PERSON, detail: `allowed by ${approved.by}` }
    : { source: 'retry', detail: 'an earlier attempt is known not to stand in the way' };
  const change = previous && { key: intent.key, to: 'PREPARED' as const, evidence, atMs, fence: previous.fence };
  const written = await ports.store.write(change ? { prepare: intent, changes: [change] } : { prepare: intent });
  if (!written.ok && (written.error.kind === 'fenced' || written.error.kind === 'illegal-transition')) {
    const present = await presentEntry(ports, intent.key);
    return present.ok ? { ok: true, value: { mine: false, entry: present.value } } : present;
  }
  if (!written.ok) return written;
  const entry = written.value;
  if (!entry) return { ok: false, error: { kind: 'other', message: 'The ledger did not take the entry. Try again.' } };
  const isMine = previous !== null || (entry.fence === 1 && sameOwner(entry, intent));
  if (isMine) emit(changed(previous, entry));
  return { ok: true, value: { mine: isMine, entry } };
}

function sameOwner(entry: LedgerEntry, intent: Intent): boolean {
  const [a, b] = [entry.owner, intent.owner];
  if (!a || !b) return a === b && entry.preparedAtMs === intent.preparedAtMs;
  const isSameProcess = a.pid === b.pid && a.pidStartedAt === b.pidStartedAt && a.bootId === b.bootId;
  return isSameProcess && a.childPid === b.childPid && a.childStartedAt === b.childStartedAt;
}

/**
 * Moves an entry step by step; what earlier evidence said of output and hashes is kept. `lease`: token of the lease it is
 * done under; a lease that has passed to somebody else ends it, and the entry is answered as it is then.
 */
export async function moveEntry(
  ports: EffectPorts,
  entry: LedgerEntry,
  moves: readonly Move[],
  emit: Emit,
  lease?: number,
): Promise<Result<LedgerEntry, StoreFault>> {
  let current = entry;
  for (const { to, evidence } of moves) {
    const full: Evidence = { ...current.evidence, ...evidence };
    const atMs = ports.clock.nowMs();
    const own = { key: entry.key, to, evidence: full, atMs, fence: current.fence };
    // What it takes back is settled together with it, whoever finds out that it stands.
    const paired = await pairedChange(ports.store, current, to, atMs);
    if (!paired.ok) return paired;
    const original = paired.value ? await presentEntry(ports, paired.value.key) : null;
    if (original?.ok === false) return original;
    const changes = [lease === undefined ? own : { ...own, lease }, ...(paired.value ? [paired.value] : [])];
    const written = await ports.store.write({ changes });
    if (!written.ok) return written.error.kind === 'fenced' ? presentEntry(ports, entry.key) : written;
    if (!written.value) return { ok: false, error: missing(entry.key) };
    emit(changed(current, written.value));
    if (paired.value && original) emit(changeEvent(original.value, paired.value.to, paired.value.evidence));
    current = written.value;
  }
  return { ok: true, value: current };
}

/** The entry as it is now; a missing one is a fault, since entries are never removed while they are in use. */
export async function presentEntry(ports: EffectPorts, key: string): Promise<Result<LedgerEntry, StoreFault>> {
  const read = await ports.store.entry(key);
  if (!read.ok) return read;
  return read.value ? { ok: true, value: read.value } : { ok: false, error: missing(key) };
}

function missing(key: string): StoreFault {
  return {
    kind: 'other',
    message: `The ledger lost entry ${key.slice(0, 12)}. Check the ledger's file before going on.`,
  };
}

function changed(before: LedgerEntry | null, entry: LedgerEntry): EventBody {
  const { key, tool, title, level, state, evidence } = entry;
  const proof = evidence ? `${evidence.source}: ${evidence.detail}` : '';
  return { type: 'effect-changed', key, tool, title, level, from: before?.state ?? null, to: state, evidence: proof };
}

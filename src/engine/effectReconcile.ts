// Finds out what became of an open entry: the gate's marks first, then its probe (HFR document 4.5, reconcile protocol).
// Runs nothing and decides nothing itself: core/ledger/reconcile.ts says which moves follow from what was seen, and
// core/ledger/rivals.ts whether another entry may have made what the probe saw.
import type { EntryState, LedgerEntry } from '../core/ledger/entry.ts';
import { needsProbe, reconcileOutcome } from '../core/ledger/reconcile.ts';
import type { ProbeResult } from '../core/ledger/reconcile.ts';
import { hasRivals, judgeRivals } from '../core/ledger/rivals.ts';
import { moveEntry } from './effectEntry.ts';
import type { EffectPorts, Emit } from './effectEntry.ts';
import { askProbe } from './effectProbe.ts';
import type { GateTrace, Result, StoreFault } from './ports.ts';

export interface Reconciled {
  readonly entry: LedgerEntry;
  /** What is still going on, in words; null when nothing is. */
  readonly running: string | null;
}

const POLL_MS = 200;

/** Settles an open entry as far as can be known. Waits up to `waitMs` for a run that is still going on. */
export async function reconcileEffect(
  ports: EffectPorts,
  entry: LedgerEntry,
  waitMs: number,
  emit: Emit,
): Promise<Result<Reconciled, StoreFault>> {
  const trace = await settledTrace(ports, entry, waitMs);
  if (trace.kind === 'running') return { ok: true, value: { entry, running: trace.detail } };
  const asked = needsProbe(entry.level, trace) ? await askProbe(ports, entry) : null;
  const probe = await amongOthers(ports, entry, asked);
  if (!probe.ok) return probe;
  const moved = await moveEntry(ports, entry, reconcileOutcome(entry.state, entry.level, trace, probe.value), emit);
  return moved.ok ? { ok: true, value: { entry: moved.value, running: null } } : moved;
}

const OPEN: readonly EntryState[] = ['PREPARED', 'UNKNOWN'];

/**
 * The probe's answer in the light of the other entries. They are read after the probe looked: whoever wrote what it saw
 * was PREPARED before that, and is in the list as open or as changed since this entry was prepared.
 */
async function amongOthers(
  ports: EffectPorts,
  entry: LedgerEntry,
  probe: ProbeResult | null,
): Promise<Result<ProbeResult | null, StoreFault>> {
  if (probe === null || !hasRivals(entry, probe)) return { ok: true, value: probe };
  const others: LedgerEntry[] = [];
  for (const filter of [...OPEN.map((state) => ({ state })), { updatedSinceMs: entry.preparedAtMs }]) {
    const listed = await ports.store.entries(filter);
    if (!listed.ok) return listed;
    others.push(...listed.value);
  }
  return { ok: true, value: judgeRivals(entry, probe, others) };
}

async function settledTrace(ports: EffectPorts, entry: LedgerEntry, waitMs: number): Promise<GateTrace> {
  const untilMs = ports.clock.nowMs() + waitMs;
  for (;;) {
    const trace = await ports.command.trace(entry);
    if (trace.kind !== 'running' || ports.clock.nowMs() >= untilMs) return trace;
    await ports.clock.sleep(POLL_MS);
  }
}

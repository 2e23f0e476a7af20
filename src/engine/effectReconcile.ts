// Finds out what became of an open entry: the gate's marks first, then its probe (HFR document 4.5, reconcile protocol).
// Runs nothing and decides nothing itself: core/ledger/reconcile.ts says which moves follow from what was seen.
import type { LedgerEntry } from '../core/ledger/entry.ts';
import { needsProbe, reconcileOutcome } from '../core/ledger/reconcile.ts';
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
  const probe = needsProbe(entry.level, trace) ? await askProbe(ports, entry.probe) : null;
  const moved = await moveEntry(ports, entry, reconcileOutcome(entry.state, entry.level, trace, probe), emit);
  return moved.ok ? { ok: true, value: { entry: moved.value, running: null } } : moved;
}

async function settledTrace(ports: EffectPorts, entry: LedgerEntry, waitMs: number): Promise<GateTrace> {
  const untilMs = ports.clock.nowMs() + waitMs;
  for (;;) {
    const trace = await ports.command.trace(entry);
    if (trace.kind !== 'running' || ports.clock.nowMs() >= untilMs) return trace;
    await ports.clock.sleep(POLL_MS);
  }
}

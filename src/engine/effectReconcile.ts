// Finds out what became of an open entry, by the four steps of HFR document 4.5: the ledger first (somebody may have settled
// it), then the outside (the gate's marks, the probe), what is not certain stays UNKNOWN, and nothing is run again here.
// All of it under the entry's lease. core/ledger/reconcile.ts says which moves follow from what was seen, core/ledger/rivals.ts
// whether another entry may have made it, effectRepair.ts puts back an edit that stopped half-way.
import type { EntryState, LedgerEntry } from '../core/ledger/entry.ts';
import { exitDoubt, needsProbe, reconcileOutcome } from '../core/ledger/reconcile.ts';
import type { ProbeResult } from '../core/ledger/reconcile.ts';
import { hasRivals, judgeRivals } from '../core/ledger/rivals.ts';
import { judgeEnd } from '../core/ledger/runEnd.ts';
import { isBusy } from './effectBusy.ts';
import { moveEntry, presentEntry } from './effectEntry.ts';
import type { EffectPorts, Emit } from './effectEntry.ts';
import { underLease } from './effectLease.ts';
import type { Lease } from './effectLease.ts';
import { askProbe } from './effectProbe.ts';
import { putBack } from './effectRepair.ts';
import type { GateTrace, Result, StoreFault } from './ports.ts';

export interface Reconciled {
  /** As it is now; where it stays open, its evidence is what the probe says at this moment. */
  readonly entry: LedgerEntry;
  /** What is still going on, in words; null when nothing is. */
  readonly running: string | null;
}

const POLL_MS = 200;
const OPEN: readonly EntryState[] = ['PREPARED', 'UNKNOWN'];
const ELSEWHERE = 'another window of Belay is finding out what became of it';

/**
 * Settles an open entry as far as can be known. Waits up to `waitMs` for a run that is still going on, or for another window
 * that is at the same entry.
 */
export async function reconcileEffect(
  ports: EffectPorts,
  entry: LedgerEntry,
  waitMs: number,
  emit: Emit,
): Promise<Result<Reconciled, StoreFault>> {
  const untilMs = ports.clock.nowMs() + waitMs;
  let known = entry;
  for (;;) {
    const seen = await lookOnce(ports, known, emit);
    if (!seen.ok || seen.value.running === null || ports.clock.nowMs() >= untilMs) return seen;
    known = seen.value.entry;
    await ports.clock.sleep(POLL_MS);
  }
}

async function lookOnce(ports: EffectPorts, entry: LedgerEntry, emit: Emit): Promise<Result<Reconciled, StoreFault>> {
  const trace = await traceOf(ports, entry);
  if (trace.kind === 'running') return { ok: true, value: { entry, running: trace.detail } };
  const leased = await underLease(ports, entry.key, (lease) => underOwnLease(ports, entry.key, lease, emit));
  if (!leased.ok) return leased;
  if (leased.value.kind === 'done') return leased.value.value;
  const present = await presentEntry(ports, entry.key);
  if (!present.ok) return present;
  return { ok: true, value: { entry: present.value, running: isOpen(present.value) ? ELSEWHERE : null } };
}

function isOpen({ state }: LedgerEntry): boolean {
  return OPEN.includes(state);
}

/** What is left of the run. Of an entry that is UNKNOWN its owner has seen the end, so that only its processes count. */
async function traceOf({ command }: EffectPorts, entry: LedgerEntry): Promise<GateTrace> {
  if (entry.state === 'PREPARED' && isBusy(command, entry.key)) {
    return { kind: 'running', detail: 'this window is making it' };
  }
  if (entry.state !== 'UNKNOWN' || !entry.owner) return command.trace(entry);
  const { pid, pidStartedAt } = await command.self();
  return command.trace({ ...entry, owner: { ...entry.owner, pid, pidStartedAt } });
}

async function underOwnLease(
  ports: EffectPorts,
  key: string,
  lease: Lease,
  emit: Emit,
): Promise<Result<Reconciled, StoreFault>> {
  const present = await presentEntry(ports, key);
  if (!present.ok) return present;
  const entry = present.value;
  if (!isOpen(entry)) return { ok: true, value: { entry, running: null } };
  const trace = await traceOf(ports, entry);
  if (trace.kind === 'running') return { ok: true, value: { entry, running: trace.detail } };
  const doubt = exitDoubt(entry);
  const asked = needsProbe(entry.level, trace, doubt) ? await askWithRepair(ports, entry, lease) : null;
  const probe = await amongOthers(ports, entry, judgeEnd(entry, trace, asked));
  if (!probe.ok) return probe;
  // What was learnt under a lease that is lost counts for nothing.
  if (lease.signal.aborted) return { ok: true, value: { entry, running: ELSEWHERE } };
  const moves = reconcileOutcome(entry.state, entry.level, trace, probe.value, doubt);
  const moved = await moveEntry(ports, entry, moves, emit, lease.token);
  return moved.ok ? { ok: true, value: { entry: withNews(moved.value, probe.value), running: null } } : moved;
}

/** An entry that stays open tells what its probe says now; that is not stored, since its state has not changed. */
function withNews(entry: LedgerEntry, probe: ProbeResult | null): LedgerEntry {
  if (!probe || entry.state !== 'UNKNOWN') return entry;
  return { ...entry, evidence: { ...entry.evidence, source: `probe:${probe.probe}`, detail: probe.detail } };
}

/** The probe's answer; where it is an edit that stopped half-way, that is put back first. */
async function askWithRepair(ports: EffectPorts, entry: LedgerEntry, lease: Lease): Promise<ProbeResult | null> {
  const said = await askProbe(ports, entry, lease.signal);
  if (said?.says !== 'UNKNOWN') return said;
  const repair = await putBack(ports.files, entry, () => !lease.signal.aborted);
  if (repair.kind === 'none') return said;
  if (repair.kind === 'put-back') return { ...said, says: 'ABSENT', detail: repair.detail };
  return { ...said, detail: `${said.detail}; ${repair.detail}` };
}

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
  const lists: (readonly LedgerEntry[])[] = [];
  for (const filter of [{ changedAfter: entry.key }, { updatedSinceMs: entry.preparedAtMs }, { states: OPEN }]) {
    const listed = await ports.store.entries(filter);
    if (!listed.ok) return listed;
    lists.push(listed.value);
  }
  const changedAfter = new Set(lists[0]?.map(({ key }) => key));
  return { ok: true, value: judgeRivals(entry, probe, lists.flat(), changedAfter) };
}

// The store port in memory: for tests, the simulator and benchmarks. Same meaning as the SQLite store, no durability.
import type { DecisionEvent } from '../../core/events.ts';
import type { LedgerEntry } from '../../core/ledger/entry.ts';
import type {
  BudgetRow,
  CheckpointRow,
  EntryFilter,
  EntryHistory,
  Result,
  StoreFault,
  StorePort,
  StoreTransaction,
} from '../../engine/ports.ts';
import { planWrite } from './ledgerWrite.ts';

/** An empty store. After `close` every request is answered with a `closed` fault. */
export function memoryStore(): StorePort {
  const entries = new Map<string, LedgerEntry>();
  const histories = new Map<string, EntryHistory[]>();
  const budgets = new Map<string, BudgetRow>();
  const checkpoints = new Map<string, CheckpointRow>();
  const documents = new Map<string, string>();
  const events: DecisionEvent[] = [];
  let isClosed = false;

  const answer = <T>(produce: () => Result<T, StoreFault>): Promise<Result<T, StoreFault>> => {
    const closed: StoreFault = { kind: 'closed', message: 'The store in memory is closed.' };
    return Promise.resolve(isClosed ? { ok: false, error: closed } : produce());
  };
  const found = <T>(value: T): Result<T, StoreFault> => ({ ok: true, value });

  const write = (transaction: StoreTransaction): Result<LedgerEntry | null, StoreFault> => {
    const planned = planWrite(transaction, (key) => entries.get(key) ?? null);
    if (!planned.ok || !planned.value.writes) return planned.ok ? found(planned.value.answer) : planned;
    for (const { from, entry } of planned.value.saves) {
      entries.set(entry.key, entry);
      const line = { atMs: entry.updatedAtMs, from, to: entry.state, evidence: entry.evidence };
      histories.set(entry.key, [...(histories.get(entry.key) ?? []), line]);
    }
    if (transaction.budget) budgets.set(transaction.budget.task, transaction.budget);
    if (transaction.checkpoint) checkpoints.set(transaction.checkpoint.task, transaction.checkpoint);
    return found(planned.value.answer);
  };

  return {
    write: (transaction) => answer(() => write(transaction)),
    entry: (key) => answer(() => found(entries.get(key) ?? null)),
    entries: (filter) => answer(() => found(select([...entries.values()], filter))),
    history: (key) => answer(() => found(histories.get(key) ?? [])),
    budget: (task) => answer(() => found(budgets.get(task) ?? null)),
    checkpoint: (task) => answer(() => found(checkpoints.get(task) ?? null)),
    appendEvents: (added) => answer(() => (events.push(...added), found(null))),
    events: (task) => answer(() => found(events.filter((event) => event.ids.task === task))),
    document: (name) => answer(() => found(documents.get(name) ?? null)),
    saveDocument: (name, text) => answer(() => (documents.set(name, text), found(null))),
    close: () => {
      isClosed = true;
      return Promise.resolve();
    },
  };
}

/** Newest first, as the SQLite store answers. */
function select(all: readonly LedgerEntry[], filter: EntryFilter): readonly LedgerEntry[] {
  const matching = all.filter(
    (entry) =>
      (filter.task === undefined || entry.task === filter.task) &&
      (filter.state === undefined || entry.state === filter.state) &&
      (filter.file === undefined || entry.paths.includes(filter.file)) &&
      (filter.updatedSinceMs === undefined || Math.trunc(entry.updatedAtMs) >= Math.trunc(filter.updatedSinceMs)),
  );
  return matching.reverse().slice(0, filter.limit);
}

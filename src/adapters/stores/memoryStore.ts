// The store port in memory: for tests, the simulator and benchmarks. Same meaning as the SQLite store, no durability.
import type { DecisionEvent } from '../../core/events.ts';
import type { LedgerEntry } from '../../core/ledger/entry.ts';
import { decideLease } from '../../core/ledger/lease.ts';
import type { LeaseRow } from '../../core/ledger/lease.ts';
import { boundsOf, isFinished, planRetention } from '../../core/ledger/retention.ts';
import type { BudgetAnswer, TenantBudget } from '../../core/recovery/budget.ts';
import type {
  BudgetRow,
  BudgetTake,
  CheckpointRow,
  EntryFilter,
  EntryHistory,
  LeaseAnswer,
  LeaseRequest,
  PruneReport,
  PruneRequest,
  Result,
  SharedBreaker,
  StoreFault,
  StorePort,
  StoreTransaction,
} from '../../engine/ports.ts';
import { planWrite, unknownCursor } from './ledgerWrite.ts';
import { mergedBreakers, planTake } from './sharedState.ts';

/** An empty store. After `close` every request is answered with a `closed` fault. */
export function memoryStore(): StorePort {
  const entries = new Map<string, LedgerEntry>();
  const histories = new Map<string, EntryHistory[]>();
  /** Number of the write that last changed an entry, and of the one that last prepared it. */
  const written = new Map<string, { changed: number; prepared: number }>();
  let writes = 0;
  const leases = new Map<string, LeaseRow>();
  const budgets = new Map<string, BudgetRow>();
  const checkpoints = new Map<string, CheckpointRow>();
  const documents = new Map<string, string>();
  const buckets = new Map<string, TenantBudget>();
  let breakers: readonly SharedBreaker[] = [];
  let events: DecisionEvent[] = [];
  let lastToken = 0;
  let isClosed = false;

  const answer = <T>(produce: () => Result<T, StoreFault>): Promise<Result<T, StoreFault>> => {
    const closed: StoreFault = { kind: 'closed', message: 'The store in memory is closed.' };
    return Promise.resolve(isClosed ? { ok: false, error: closed } : produce());
  };
  const found = <T>(value: T): Result<T, StoreFault> => ({ ok: true, value });

  const write = (transaction: StoreTransaction): Result<LedgerEntry | null, StoreFault> => {
    const planned = planWrite(transaction, {
      entry: (key) => entries.get(key) ?? null,
      leaseToken: (key) => leases.get(key)?.token ?? null,
    });
    if (!planned.ok || !planned.value.writes) return planned.ok ? found(planned.value.answer) : planned;
    for (const { from, entry } of planned.value.saves) {
      entries.set(entry.key, entry);
      const changed = ++writes;
      const prepared = entry.state === 'PREPARED' ? changed : (written.get(entry.key)?.prepared ?? changed);
      written.set(entry.key, { changed, prepared });
      const line = { atMs: entry.updatedAtMs, from, to: entry.state, evidence: entry.evidence };
      histories.set(entry.key, [...(histories.get(entry.key) ?? []), line]);
    }
    if (transaction.budget) budgets.set(transaction.budget.task, transaction.budget);
    if (transaction.checkpoint) checkpoints.set(transaction.checkpoint.task, transaction.checkpoint);
    return found(planned.value.answer);
  };

  const lease = (request: LeaseRequest): LeaseAnswer => {
    const decided = decideLease(leases.get(request.key) ?? null, lastToken, request);
    if (!decided.granted) return decided;
    const { token, expiresAtMs } = decided.save;
    lastToken = Math.max(lastToken, token);
    leases.set(request.key, decided.save);
    return { granted: true, token, expiresAtMs };
  };

  const takeBudget = (take: BudgetTake): BudgetAnswer => {
    const answer = planTake(take, budgets.get(take.task) ?? null, buckets.get(take.tenant) ?? null);
    if (!answer.ok) return answer;
    budgets.set(take.task, { task: take.task, ...answer.task });
    buckets.set(take.tenant, answer.tenant);
    if (take.checkpoint) checkpoints.set(take.checkpoint.task, take.checkpoint);
    return answer;
  };

  const prune = (request: PruneRequest): PruneReport => {
    const unfinished = [...checkpoints.values()].filter(({ state }) => !isFinished(state)).map(({ task }) => task);
    const all = [...entries.values()];
    const seen = events.map(({ ids, atMs }) => ({ task: ids.task, atMs }));
    const plan = planRetention(all, seen, new Set(unfinished), request);
    const report = { entries: plan.entries.size, events: plan.events.size, keptOpen: plan.keptOpen };
    if (request.isDryRun ?? false) return report;
    for (const key of plan.entries) for (const byKey of [entries, histories, leases]) byKey.delete(key);
    events = events.filter((_, place) => !plan.events.has(place));
    if (boundsOf(request).isNothing) return report;
    const present = [...entries.values()].map(({ task }) => task);
    const stays = new Set([...present, ...events.map(({ ids }) => ids.task), ...unfinished]);
    for (const byTask of [budgets, checkpoints]) {
      const over = [...byTask.keys()].filter((task) => !stays.has(task) && (request.task ?? task) === task);
      for (const task of over) byTask.delete(task);
    }
    return report;
  };

  const list = (filter: EntryFilter): Result<readonly LedgerEntry[], StoreFault> => {
    const { beforeKey } = filter;
    if (beforeKey !== undefined && !entries.has(beforeKey)) return { ok: false, error: unknownCursor(beforeKey) };
    const since = filter.changedAfter === undefined ? 0 : (written.get(filter.changedAfter)?.prepared ?? Infinity);
    const changed = [...entries.values()].filter(({ key }) => (written.get(key)?.changed ?? 0) > since);
    return found(select(changed, filter));
  };

  return {
    write: (transaction) => answer(() => write(transaction)),
    lease: (request) => answer(() => found(lease(request))),
    releaseLease: (key, token) =>
      answer(() => {
        if (leases.get(key)?.token === token) leases.delete(key);
        return found(null);
      }),
    prune: (request) => answer(() => found(prune(request))),
    entry: (key) => answer(() => found(entries.get(key) ?? null)),
    entries: (filter) => answer(() => list(filter)),
    history: (key) => answer(() => found(histories.get(key) ?? [])),
    budget: (task) => answer(() => found(budgets.get(task) ?? null)),
    takeBudget: (take) => answer(() => found(takeBudget(take))),
    shareBreakers: (own) =>
      answer(() => {
        breakers = mergedBreakers(breakers, own).result;
        return found(breakers);
      }),
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
  const { task, tool, state, states, file, keyPrefix, compensates, updatedSinceMs, updatedBeforeMs, beforeKey } =
    filter;
  const end = beforeKey === undefined ? all.length : all.findIndex((entry) => entry.key === beforeKey);
  const matching = all
    .slice(0, end)
    .filter(
      (entry) =>
        (task === undefined || entry.task === task) &&
        (tool === undefined || entry.tool === tool) &&
        (state === undefined || entry.state === state) &&
        (states === undefined || states.includes(entry.state)) &&
        (file === undefined || entry.paths.includes(file)) &&
        (keyPrefix === undefined || entry.key.startsWith(keyPrefix)) &&
        (compensates === undefined || entry.compensates === compensates) &&
        (updatedSinceMs === undefined || Math.trunc(entry.updatedAtMs) >= Math.trunc(updatedSinceMs)) &&
        (updatedBeforeMs === undefined || Math.trunc(entry.updatedAtMs) < Math.trunc(updatedBeforeMs)),
    );
  return matching.reverse().slice(0, filter.limit);
}

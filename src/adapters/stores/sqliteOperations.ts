// The store port's methods as SQL on an open database, and rows as entries. Synchronous; runs in the worker only.
// Rows become entries in sqliteRows.ts.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { LedgerEntry } from '../../core/ledger/entry.ts';
import { decideLease } from '../../core/ledger/lease.ts';
import type { LeaseRow } from '../../core/ledger/lease.ts';
import { isFinished } from '../../core/ledger/retention.ts';
import type { BudgetAnswer, TenantBudget } from '../../core/recovery/budget.ts';
import type {
  BudgetTake,
  CheckpointRow,
  LeaseAnswer,
  LeaseRequest,
  Result,
  SharedBreaker,
  StoreFault,
  StoreTransaction,
} from '../../engine/ports.ts';
import { planWrite, unknownCursor } from './ledgerWrite.ts';
import { mergedBreakers, planTake } from './sharedState.ts';
import type { EntrySave } from './ledgerWrite.ts';
import {
  budgetOf,
  checkpointOf,
  DamagedRow,
  ENTRY_COLUMNS,
  entryOf,
  entryValues,
  eventOf,
  historyOf,
  jsonOrNull,
  leaseOf,
  SETTLED_COLUMNS,
  settledValues,
} from './sqliteRows.ts';
import type { Row } from './sqliteRows.ts';
import { sqlitePrune } from './sqlitePrune.ts';
import { compact } from './sqliteSchema.ts';
import { selection, timeProbe } from './sqliteSelection.ts';
import type { StoreAnswer, StoreCall } from './storeProtocol.ts';

/** The methods on one database; statements are prepared once and kept. */
export interface SqliteOperations {
  /** Runs one call inside whatever transaction is open. A refusal writes nothing. Throws SQLite's errors. */
  run(call: StoreCall): Result<StoreAnswer, StoreFault>;
}

export function sqliteOperations(database: DatabaseSync): SqliteOperations {
  const statements = new Map<string, StatementSync>();
  const statement = (sql: string): StatementSync => {
    const known = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  const get = (sql: string, ...values: SQLInputValue[]): Row | undefined => statement(sql).get(...values);
  const all = (sql: string, ...values: SQLInputValue[]): readonly Row[] => statement(sql).all(...values);
  const put = (sql: string, ...values: SQLInputValue[]): void => {
    statement(sql).run(...values);
  };
  const found = (value: StoreAnswer): Result<StoreAnswer, StoreFault> => ({ ok: true, value });

  const entry = (key: string): LedgerEntry | null => {
    const row = get('SELECT * FROM entries WHERE key = ?', key);
    // An entry that is not found would be made again: its history knows it by another index.
    if (!row && get('SELECT 1 FROM history WHERE key = ? LIMIT 1', key)) throw new DamagedRow();
    return orNull(row, entryOf);
  };
  const leaseRow = (key: string): LeaseRow | null => orNull(get('SELECT * FROM leases WHERE key = ?', key), leaseOf);
  const pruning = sqlitePrune(database);

  const save = ({ from, entry: saved }: EntrySave): void => {
    const evidence = jsonOrNull(saved.evidence);
    if (from === null || saved.state === 'PREPARED') {
      put(UPSERT, ...entryValues(saved));
      const id = Number(get('SELECT id FROM entries WHERE key = ?', saved.key)?.id);
      if (from !== null) put('DELETE FROM entry_paths WHERE entry_id = ?', id);
      for (const path of saved.paths) put('INSERT OR IGNORE INTO entry_paths VALUES (?, ?)', path, id);
    } else {
      put(SETTLE, ...settledValues(saved));
    }
    put(ADD_HISTORY, saved.key, Math.trunc(saved.updatedAtMs), from, saved.state, evidence);
  };

  const write = (transaction: StoreTransaction): Result<LedgerEntry | null, StoreFault> => {
    const planned = planWrite(transaction, { entry, leaseToken: (key) => leaseRow(key)?.token ?? null });
    if (!planned.ok) return planned;
    const { writes, saves, answer } = planned.value;
    if (!writes) return { ok: true, value: answer };
    for (const one of saves) save(one);
    const { budget, checkpoint } = transaction;
    if (budget) put('INSERT OR REPLACE INTO budgets VALUES (?, ?)', budget.task, JSON.stringify(budget));
    if (checkpoint) saveCheckpoint(checkpoint);
    return { ok: true, value: answer };
  };

  const saveCheckpoint = ({ task, version, state }: CheckpointRow): void =>
    put('INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?)', task, version, state, isFinished(state) ? 1 : 0);

  const takeBudget = (take: BudgetTake): BudgetAnswer => {
    const saved = orNull(get('SELECT row FROM budgets WHERE task = ?', take.task), budgetOf);
    const bucket = orNull(get('SELECT * FROM buckets WHERE tenant = ?', take.tenant), bucketOf);
    const answer = planTake(take, saved, bucket);
    if (!answer.ok) return answer;
    const row = JSON.stringify({ task: take.task, ...answer.task });
    put('INSERT OR REPLACE INTO budgets VALUES (?, ?)', take.task, row);
    // A bucket that nobody took from for a minute is full, which is what an absent one is.
    put('DELETE FROM buckets WHERE at_ms < ?', take.nowMs - 60_000);
    put('INSERT OR REPLACE INTO buckets VALUES (?, ?, ?)', take.tenant, answer.tenant.tokens, answer.tenant.atMs);
    if (take.checkpoint) saveCheckpoint(take.checkpoint);
    return answer;
  };

  const shareBreakers = (own: readonly SharedBreaker[]): readonly SharedBreaker[] => {
    const saved = all('SELECT * FROM breakers').map((row) => ({
      target: String(row.target),
      state: String(row.state),
    }));
    const { changed, forgotten, result } = mergedBreakers(saved, own);
    for (const { target, state } of changed) put('INSERT OR REPLACE INTO breakers VALUES (?, ?)', target, state);
    for (const target of forgotten) put('DELETE FROM breakers WHERE target = ?', target);
    return result;
  };

  const lease = (request: LeaseRequest): LeaseAnswer => {
    const lastToken = Number(get(`SELECT value FROM counters WHERE name = 'lease'`)?.value ?? 0);
    const decided = decideLease(leaseRow(request.key), lastToken, request);
    if (!decided.granted) return decided;
    const { key, holder, token, expiresAtMs } = decided.save;
    put('INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?)', key, holder, token, expiresAtMs);
    if (token > lastToken) put(`INSERT OR REPLACE INTO counters VALUES ('lease', ?)`, token);
    return { granted: true, token, expiresAtMs };
  };

  return {
    run(call) {
      switch (call.method) {
        case 'write':
          return write(call.transaction);
        case 'lease':
          return found(lease(call.request));
        case 'releaseLease':
          put('DELETE FROM leases WHERE key = ? AND token = ?', call.key, call.token);
          return found(null);
        case 'prunePlan':
          return found(pruning.plan(call.request));
        case 'pruneStep':
          return found(pruning.step());
        case 'compact':
          compact(database);
          return found(null);
        case 'entry':
          return found(entry(call.key));
        case 'entries': {
          const { beforeKey } = call.filter;
          if (beforeKey !== undefined && !get('SELECT 1 FROM entries WHERE key = ?', beforeKey))
            return { ok: false, error: unknownCursor(beforeKey) };
          const probe = timeProbe(call.filter);
          const isDense = probe !== null && get(probe.sql, ...probe.values)?.n === 1;
          const { sql, values } = selection(call.filter, isDense);
          return found(all(sql, ...values).map(entryOf));
        }
        case 'history':
          return found(all('SELECT * FROM history WHERE key = ? ORDER BY id', call.key).map(historyOf));
        case 'budget':
          return found(orNull(get('SELECT row FROM budgets WHERE task = ?', call.task), budgetOf));
        case 'takeBudget':
          return found(takeBudget(call.take));
        case 'shareBreakers':
          return found(shareBreakers(call.breakers));
        case 'checkpoint':
          return found(orNull(get('SELECT * FROM checkpoints WHERE task = ?', call.task), checkpointOf));
        case 'appendEvents':
          for (const event of call.events) {
            put(ADD_EVENT, event.ids.task, JSON.stringify(event), Math.trunc(event.atMs));
          }
          return found(null);
        case 'events':
          return found(all('SELECT event FROM events WHERE task = ? ORDER BY id', call.task).map(eventOf));
        case 'document':
          return found(orNull(get('SELECT text FROM documents WHERE name = ?', call.name), (row) => String(row.text)));
        case 'saveDocument':
          put('INSERT OR REPLACE INTO documents VALUES (?, ?)', call.name, call.text);
          return found(null);
      }
    },
  };
}

const UPSERT = `INSERT INTO entries (${ENTRY_COLUMNS.join(', ')}) VALUES (${ENTRY_COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (key) DO UPDATE SET ${ENTRY_COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}`;
/** Only what a change of state changes: each index of a column that is set is written anew, changed or not. */
const SETTLE = `UPDATE entries SET ${SETTLED_COLUMNS.map((name) => `${name} = ?`).join(', ')} WHERE key = ?`;
const ADD_EVENT = 'INSERT INTO events (task, event, at_ms) VALUES (?, ?, ?)';
const ADD_HISTORY = 'INSERT INTO history (key, at_ms, from_state, to_state, evidence) VALUES (?, ?, ?, ?, ?)';

function bucketOf({ tokens, at_ms: atMs }: Row): TenantBudget {
  return { tokens: Number(tokens), atMs: Number(atMs) };
}

function orNull<T>(row: Row | undefined, read: (row: Row) => T): T | null {
  return row ? read(row) : null;
}

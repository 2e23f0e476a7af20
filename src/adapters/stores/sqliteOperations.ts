// The store port's methods as SQL on an open database, and rows as entries. Synchronous; runs in the worker only.
// Rows become entries in sqliteRows.ts.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { LedgerEntry } from '../../core/ledger/entry.ts';
import type { EntryFilter, Result, StoreFault, StoreTransaction } from '../../engine/ports.ts';
import { planWrite } from './ledgerWrite.ts';
import type { EntrySave } from './ledgerWrite.ts';
import {
  budgetOf,
  checkpointOf,
  ENTRY_COLUMNS,
  entryOf,
  entryValues,
  eventOf,
  historyOf,
  jsonOrNull,
} from './sqliteRows.ts';
import type { Row } from './sqliteRows.ts';
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

  const entry = (key: string): LedgerEntry | null => orNull(get('SELECT * FROM entries WHERE key = ?', key), entryOf);

  const save = ({ from, entry: saved }: EntrySave): void => {
    put(UPSERT, ...entryValues(saved));
    if (from === null || saved.state === 'PREPARED') {
      const id = Number(get('SELECT id FROM entries WHERE key = ?', saved.key)?.id);
      for (const path of saved.paths) put('INSERT OR IGNORE INTO entry_paths VALUES (?, ?)', path, id);
    }
    const evidence = jsonOrNull(saved.evidence);
    put(ADD_HISTORY, saved.key, Math.trunc(saved.updatedAtMs), from, saved.state, evidence);
  };

  const write = (transaction: StoreTransaction): Result<LedgerEntry | null, StoreFault> => {
    const planned = planWrite(transaction, entry);
    if (!planned.ok) return planned;
    const { writes, saves, answer } = planned.value;
    if (!writes) return { ok: true, value: answer };
    for (const one of saves) save(one);
    const { budget, checkpoint } = transaction;
    if (budget) put('INSERT OR REPLACE INTO budgets VALUES (?, ?)', budget.task, JSON.stringify(budget));
    if (checkpoint) {
      const { task, version, state } = checkpoint;
      put('INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?)', task, version, state);
    }
    return { ok: true, value: answer };
  };

  return {
    run(call) {
      switch (call.method) {
        case 'write':
          return write(call.transaction);
        case 'entry':
          return found(entry(call.key));
        case 'entries': {
          const { sql, values } = selection(call.filter);
          return found(all(sql, ...values).map(entryOf));
        }
        case 'history':
          return found(all('SELECT * FROM history WHERE key = ? ORDER BY id', call.key).map(historyOf));
        case 'budget':
          return found(orNull(get('SELECT row FROM budgets WHERE task = ?', call.task), budgetOf));
        case 'checkpoint':
          return found(orNull(get('SELECT * FROM checkpoints WHERE task = ?', call.task), checkpointOf));
        case 'appendEvents':
          for (const event of call.events) {
            put('INSERT INTO events (task, event) VALUES (?, ?)', event.ids.task, JSON.stringify(event));
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
const ADD_HISTORY = 'INSERT INTO history (key, at_ms, from_state, to_state, evidence) VALUES (?, ?, ?, ?, ?)';

/** Newest first. */
function selection(filter: EntryFilter): { readonly sql: string; readonly values: readonly SQLInputValue[] } {
  const conditions: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (condition: string, value: SQLInputValue | undefined): void => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  add('task = ?', filter.task);
  add('state = ?', filter.state);
  add('id IN (SELECT entry_id FROM entry_paths WHERE path = ?)', filter.file);
  add('updated_at_ms >= ?', filter.updatedSinceMs === undefined ? undefined : Math.trunc(filter.updatedSinceMs));
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  return { sql: `SELECT * FROM entries ${where} ORDER BY id DESC LIMIT ?`, values: [...values, filter.limit ?? -1] };
}

function orNull<T>(row: Row | undefined, read: (row: Row) => T): T | null {
  return row ? read(row) : null;
}

// Ledgers of every schema that ever was: one of each, word for word as it was made, is brought up to date or read as it is.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/adapters/stores/sqliteMigrations.ts';
import { sqliteStore } from '../../src/adapters/stores/sqliteStore.ts';
import type { SqliteStoreOptions } from '../../src/adapters/stores/sqliteStore.ts';
import { SAME_EFFECT } from '../../src/core/ledger/rivals.ts';
import type { StorePort } from '../../src/engine/ports.ts';
import { changeOf, must } from '../support/memoryEntries.ts';

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

describe('a ledger of an earlier version', () => {
  let folder: string;
  let file: string;
  const open: StorePort[] = [];
  const store = (options: Partial<SqliteStoreOptions> = {}): StorePort => {
    const made = sqliteStore({ file, ...options });
    open.push(made);
    return made;
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-schema-'));
    file = join(folder, 'ledger.db');
  });
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
    rmSync(folder, { recursive: true });
  });

  it('brings a ledger of schema 1 up to date with everything in it', async () => {
    const direct = new DatabaseSync(file);
    direct.exec(SCHEMA_1);
    expect(MIGRATIONS[0]?.replace(/\s+/g, ' ')).toBe(SCHEMA_1.replace(/\s+/g, ' ').replace(/;\s*$/, ';').trim());
    direct.exec(ROWS_1);
    direct.exec('PRAGMA application_id = 1112293721; PRAGMA user_version = 1');
    direct.close();
    const now = store();
    expect(must(await now.entries({})).map((entry) => [entry.key, entry.state])).toEqual([
      ['k2', 'UNKNOWN'],
      ['k1', 'COMMITTED'],
    ]);
    expect(must(await now.events('t'))[0]).toMatchObject({ atMs: 900, seq: 1 });
    expect(must(await now.prune({ olderThanMs: 899 }))).toMatchObject({ entries: 0, events: 0 });
    must(await now.write({ changes: [changeOf('k2', 'RECONCILED_COMMITTED', 2)] }));
    // The follower of schema 1 is known as one: its leader stays as long as it does.
    expect(must(await now.prune({ olderThanMs: 1500, isDryRun: true }))).toMatchObject({ entries: 0, keptOpen: 1 });
    expect(must(await now.prune({ olderThanMs: 3000 }))).toMatchObject({ entries: 2, events: 1 });
  });

  it('reads a ledger of schema 1 that it may not write without changing it', async () => {
    const direct = new DatabaseSync(file);
    direct.exec(SCHEMA_1);
    direct.exec(ROWS_1);
    direct.exec('PRAGMA application_id = 1112293721; PRAGMA user_version = 1');
    direct.close();
    const before = sha256(file);
    const reading = store({ readOnly: true });
    expect(must(await reading.entries({})).map((entry) => entry.key)).toEqual(['k2', 'k1']);
    await reading.close();
    expect(sha256(file)).toBe(before);
  });
});

/** The first schema and rows as it wrote them, word for word. */
const SCHEMA_1 = `CREATE TABLE entries (
     id INTEGER PRIMARY KEY,
     key TEXT NOT NULL UNIQUE,
     tenant TEXT NOT NULL, task TEXT NOT NULL, step INTEGER NOT NULL, tool TEXT NOT NULL, ids TEXT NOT NULL,
     level TEXT NOT NULL CHECK (level IN ('R0','R1','R2','R3')),
     args_text TEXT NOT NULL, title TEXT NOT NULL, paths TEXT NOT NULL,
     prepared_at_ms INTEGER NOT NULL, owner TEXT, probe TEXT,
     state TEXT NOT NULL CHECK (state IN
       ('PREPARED','COMMITTED','FAILED','UNKNOWN','RECONCILED_COMMITTED','RECONCILED_ABSENT','COMPENSATED')),
     evidence TEXT, updated_at_ms INTEGER NOT NULL, fence INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX entries_task ON entries (task, id);
   CREATE INDEX entries_state ON entries (state, id);
   CREATE TABLE entry_paths (
     path TEXT NOT NULL, entry_id INTEGER NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
     PRIMARY KEY (path, entry_id)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE history (
     id INTEGER PRIMARY KEY, key TEXT NOT NULL, at_ms INTEGER NOT NULL,
     from_state TEXT, to_state TEXT NOT NULL, evidence TEXT
   ) STRICT;
   CREATE INDEX history_key ON history (key, id);
   CREATE TABLE budgets (task TEXT PRIMARY KEY, row TEXT NOT NULL) STRICT;
   CREATE TABLE checkpoints (task TEXT PRIMARY KEY, version INTEGER NOT NULL, state TEXT NOT NULL) STRICT;
   CREATE TABLE events (id INTEGER PRIMARY KEY, task TEXT NOT NULL, event TEXT NOT NULL) STRICT;
   CREATE INDEX events_task ON events (task, id);
   CREATE TABLE documents (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;`;
const IDS_1 = '{"client":"c","call":null,"attempt":null,"toolCall":null}';
const ROWS_1 = `
  INSERT INTO entries VALUES (1, 'k1', 'x', 't', 1, 'shell', '${IDS_1}', 'R2', '{}', 'one', '["a"]', 1000, NULL, NULL,
    'COMMITTED', '{"source":"exit-code","detail":"exit code 0"}', 1001, 2);
  INSERT INTO entries VALUES (2, 'k2', 'x', 'u', 1, 'shell', '${IDS_1}', 'R2', '{}', 'two', '[]', 1002, NULL,
    '{"kind":"${SAME_EFFECT}","data":{"key":"k1"}}', 'UNKNOWN', NULL, 1003, 2);
  INSERT INTO entry_paths VALUES ('a', 1);
  INSERT INTO history (key, at_ms, to_state) VALUES ('k1', 1000, 'PREPARED'), ('k2', 1002, 'PREPARED');
  INSERT INTO events (task, event) VALUES ('t', '{"seq":1,"atMs":900,"ids":{"task":"t"},"body":{"type":"x"}}');`;

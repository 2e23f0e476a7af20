// Every schema the ledger's database ever had, as steps. A step is never changed once shipped: files of every version are out
// there, and the tests keep one of each.

/** Step n leads from schema n to n + 1. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE entries (
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
   CREATE TABLE documents (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;`,

  // Leases; compensations and followers by column; every filter and the order of forgetting by index; checksums of rows.
  `ALTER TABLE entries ADD COLUMN compensates TEXT;
   ALTER TABLE entries ADD COLUMN follows TEXT;
   ALTER TABLE entries ADD COLUMN checksum INTEGER;
   UPDATE entries SET follows = json_extract(probe, '$.data.key')
     WHERE json_valid(probe) AND json_extract(probe, '$.kind') = 'same-effect';
   CREATE INDEX entries_compensates ON entries (compensates, id) WHERE compensates IS NOT NULL;
   CREATE INDEX entries_follows ON entries (follows, id) WHERE follows IS NOT NULL;
   CREATE INDEX entries_updated ON entries (updated_at_ms, id, state);
   CREATE INDEX entries_tool ON entries (tool, id);
   CREATE INDEX entry_paths_entry ON entry_paths (entry_id);
   ALTER TABLE checkpoints ADD COLUMN is_finished INTEGER NOT NULL DEFAULT 0;
   CREATE INDEX checkpoints_unfinished ON checkpoints (task) WHERE is_finished = 0;
   ALTER TABLE events ADD COLUMN at_ms INTEGER NOT NULL DEFAULT 0;
   UPDATE events SET at_ms = CAST(json_extract(event, '$.atMs') AS INTEGER)
     WHERE json_valid(event) AND json_type(event, '$.atMs') IN ('integer', 'real');
   CREATE INDEX events_at ON events (at_ms, id);
   CREATE TABLE leases (
     key TEXT PRIMARY KEY, holder TEXT NOT NULL, token INTEGER NOT NULL, expires_at_ms INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;`,

  // What windows share while they run: tenants' retry tokens and the state of breakers.
  `CREATE TABLE buckets (tenant TEXT PRIMARY KEY, tokens REAL NOT NULL, at_ms REAL NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE breakers (target TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT, WITHOUT ROWID;`,
];

/** The schema this version writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

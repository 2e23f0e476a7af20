// A ledger in trouble for real: full disks, missing rights, bytes changed, files moved under it. Whatever happens, nothing
// wrong is answered, nothing that was answered is lost, writing stops, and the message says what to do.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { MIGRATIONS } from '../../src/adapters/stores/sqliteMigrations.ts';
import { sqliteStore } from '../../src/adapters/stores/sqliteStore.ts';
import type { SqliteStoreOptions } from '../../src/adapters/stores/sqliteStore.ts';
import { SAME_EFFECT } from '../../src/core/ledger/rivals.ts';
import type { Result, StoreFault, StorePort } from '../../src/engine/ports.ts';
import { damage, sampleLedger } from '../support/ledgerSamples.ts';
import { changeOf, intentOf, must } from '../support/memoryEntries.ts';
import { seededRandom } from '../support/random.ts';
import { storeProcess } from '../support/storeProcess.ts';

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

function faultOf(result: Result<unknown, StoreFault>): StoreFault {
  if (result.ok) throw new Error('expected a fault');
  return result.error;
}

describe('a SQLite ledger in trouble', () => {
  let folder: string;
  let file: string;
  const open: StorePort[] = [];
  const store = (options: Partial<SqliteStoreOptions> = {}): StorePort => {
    const made = sqliteStore({ file, ...options });
    open.push(made);
    return made;
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-damage-'));
    file = join(folder, 'ledger.db');
  });
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
    rmSync(folder, { recursive: true });
  });

  it('never answers with a changed or missing entry, whatever bytes were changed (16 seeds)', async () => {
    const original = join(folder, 'original.db');
    const entries = sampleLedger(original, 200);
    let damaged = 0;
    for (let seed = 1; seed <= 16; seed++) {
      const db = join(folder, `damaged${seed}.db`);
      copyFileSync(original, db);
      damage(db, seededRandom(seed), 1 + (seed % 5));
      const before = sha256(db);
      const one = store({ file: db });
      let isTold = false;
      for (const [key, entry] of [...entries].filter((_, i) => i % 7 === seed % 7)) {
        const found = await one.entry(key);
        if (found.ok) expect(found.value, `seed ${seed}`).toEqual(entry);
        else isTold = true;
      }
      const listed = await one.entries({});
      if (listed.ok) expect(listed.value, `seed ${seed}`).toEqual([...entries.values()]);
      else isTold = true;
      if (!isTold) continue;
      damaged += 1;
      const refused = faultOf(await one.write({ prepare: intentOf('new') }));
      expect(refused.message, `seed ${seed}`).toContain(db);
      expect(refused.message, `seed ${seed}`).toMatch(/rescue|another program|newer/);
      await one.close();
      expect(sha256(db), `seed ${seed}`).toBe(before);
    }
    expect(damaged).toBeGreaterThan(5);
  }, 120_000);

  it('stops writing for good when damage is found while running, also after its worker died', async () => {
    const workerFile = join(folder, 'worker.mjs');
    const real = pathToFileURL(join(import.meta.dirname, '../../src/adapters/stores/sqliteWorker.ts')).href;
    writeFileSync(
      workerFile,
      `import { parentPort } from 'node:worker_threads';
       await import(${JSON.stringify(real)});
       parentPort.on('message', ({ call }) => { if (call?.name === 'die') process.exit(1); });`,
    );
    const running = store({ workerUrl: pathToFileURL(workerFile) });
    const intent = intentOf('a', 'R1');
    must(await running.write({ prepare: intent }));
    const other = new DatabaseSync(file);
    other.exec(`UPDATE entries SET title = 'b'`);
    const fault = faultOf(await running.entry(intent.key));
    expect(fault).toMatchObject({ kind: 'corrupt' });
    expect(fault.message).toContain(`belay ledger rescue --db "${file}" --to NEW`);
    expect(faultOf(await running.write({ prepare: intentOf('c') }))).toEqual(fault);
    expect(faultOf(await running.lease({ key: 'k', holder: 'h', nowMs: 0, ttlMs: 1 }))).toEqual(fault);
    expect(faultOf(await running.document('die')).kind).toBe('closed');
    other.exec(`UPDATE entries SET title = 'a'`);
    other.close();
    expect(must(await running.entry(intent.key))?.title).toBe('a');
    expect(faultOf(await running.write({ prepare: intentOf('c') }))).toEqual(fault);
    await running.close();
    expect(must(await store().write({ prepare: intentOf('c') }))).toMatchObject({ state: 'PREPARED' });
  });

  it('tells an entry that only its history knows as damage, and does not make it anew', async () => {
    const first = store();
    must(await first.write({ prepare: intentOf('a') }));
    await first.close();
    const direct = new DatabaseSync(file);
    direct.exec('DELETE FROM entries');
    direct.close();
    const second = store();
    expect(faultOf(await second.write({ prepare: intentOf('a') })).kind).toBe('corrupt');
    expect(must(await second.history(intentOf('a').key))).toHaveLength(1);
  });

  it('tells a file that was cut short, answers nothing wrong of it and leaves it as it is', async () => {
    const entries = sampleLedger(file, 100);
    truncateSync(file, Math.floor(readFileSync(file).length / 2));
    const before = sha256(file);
    const cut = store();
    expect(faultOf(await cut.write({ prepare: intentOf('new') })).kind).toBe('corrupt');
    for (const [key, entry] of entries) {
      const read = await cut.entry(key);
      if (read.ok) expect(read.value).toEqual(entry);
      else expect(read.error.message).toContain('belay ledger rescue');
    }
    await cut.close();
    expect(sha256(file)).toBe(before);
  });

  /** A ledger as a killed process leaves it: entries in the log alone. */
  const killed = async (): Promise<void> => {
    const child = storeProcess(file);
    for (let i = 0; i < 5; i++) await child.call('write', { prepare: intentOf(`c${i}`) });
    await child.kill();
  };

  it('finds after a kill all that was answered, and says so when the log with it was deleted', async () => {
    await killed();
    const saved = join(folder, 'saved');
    renameSync(`${file}-wal`, saved);
    const lost = store();
    const fault = faultOf(await lost.write({ prepare: intentOf('new') }));
    expect(fault.kind).toBe('corrupt');
    expect(fault.message).toContain(`${file}-wal`);
    await lost.close();
    renameSync(saved, `${file}-wal`);
    const back = store();
    expect(must(await back.entries({}))).toHaveLength(5);
    expect(must(await back.write({ prepare: intentOf('new') }))).toMatchObject({ state: 'PREPARED' });
  });

  it('takes a log whose end was torn by a power cut as far as it is whole', async () => {
    await killed();
    truncateSync(`${file}-wal`, readFileSync(`${file}-wal`).length - 3000);
    const back = store();
    const titles = must(await back.entries({})).map((entry) => entry.title);
    expect(titles).toEqual(['c3', 'c2', 'c1', 'c0']);
  });

  it('saves what was answered when the log is deleted under it, and stops', async () => {
    const running = store();
    for (let i = 0; i < 5; i++) must(await running.write({ prepare: intentOf(`c${i}`) }));
    rmSync(`${file}-wal`);
    const fault = faultOf(await running.write({ prepare: intentOf('late') }));
    expect(fault.message).toContain(`${file}-wal was deleted`);
    expect(faultOf(await running.write({ prepare: intentOf('later') }))).toEqual(fault);
    expect(must(await running.entries({}))).toHaveLength(5);
    await running.close();
    expect(must(await store().entries({}))).toHaveLength(5);
  });

  it('writes nothing to a file that was moved or replaced under it, and goes on when it is back', async () => {
    const running = store();
    must(await running.write({ prepare: intentOf('a') }));
    const away = join(folder, 'away.db');
    renameSync(file, away);
    const gone = faultOf(await running.write({ prepare: intentOf('b') }));
    expect(gone.message).toMatch(/moved, deleted or replaced/);
    writeFileSync(file, 'another file');
    expect(faultOf(await running.write({ prepare: intentOf('b') }))).toEqual(gone);
    expect(readFileSync(file, 'utf8')).toBe('another file');
    expect(must(await running.entries({}))).toHaveLength(1);
    rmSync(file);
    renameSync(away, file);
    expect(must(await running.write({ prepare: intentOf('b') }))).toMatchObject({ state: 'PREPARED' });
  });

  it('names a folder in the place of the file', async () => {
    mkdirSync(file);
    expect(faultOf(await store().write({ prepare: intentOf('a') })).message).toContain(`${file} is a folder`);
  });

  it('waits for a lock of another process, says locked after that, and loses nothing', async () => {
    const code = `const { DatabaseSync } = require('node:sqlite');
      const database = new DatabaseSync(${JSON.stringify(file)});
      database.exec('BEGIN IMMEDIATE');
      console.log('locked');
      process.stdin.once('data', () => { database.exec('COMMIT'); database.close(); process.exit(0); });`;
    must(await store().write({ prepare: intentOf('a') }));
    const child = spawn(process.execPath, ['--no-warnings', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const impatient = store({ busyTimeoutMs: 20 });
    const fault = faultOf(await impatient.write({ prepare: intentOf('b') }));
    expect(fault.kind).toBe('locked');
    expect(fault.message).toContain(file);
    const patient = store().write({ prepare: intentOf('c') });
    child.stdin.write('go\n');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(must(await patient)).toMatchObject({ state: 'PREPARED' });
    expect(must(await impatient.entries({})).map((entry) => entry.title)).toEqual(['c', 'a']);
  });

  it.skipIf(!canMount())('says full on a full disk, keeps what it has, and goes on when there is room', async () => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'none', disk]);
    try {
      file = join(disk, 'ledger.db');
      const filler = join(disk, 'filler');
      writeFileSync(filler, Buffer.alloc(900_000));
      const small = store();
      let stored = 0;
      let fault: StoreFault | null = null;
      for (let i = 0; i < 2000 && !fault; i++) {
        const result = await small.write({ prepare: intentOf(`c${i}`, 'R2', { title: 'x'.repeat(3000) }) });
        if (result.ok) stored += 1;
        else fault = result.error;
      }
      expect(fault?.kind).toBe('full');
      expect(fault?.message).toContain(file);
      expect(must(await small.entries({}))).toHaveLength(stored);
      await small.close();
      rmSync(filler);
      const again = store();
      expect(must(await again.entries({}))).toHaveLength(stored);
      expect(must(await again.write({ prepare: intentOf('later') }))).toMatchObject({ state: 'PREPARED' });
      await again.close();
    } finally {
      execFileSync('umount', [disk]);
    }
  });

  const answer = z.object({
    ok: z.boolean(),
    value: z.unknown().optional(),
    error: z.object({ kind: z.string(), message: z.string() }).optional(),
  });
  it.skipIf(!isRoot)('can be read by whoever may not write the file or its folder, and says read-only', async () => {
    sampleLedger(file, 20);
    chmodSync(folder, 0o755);
    chmodSync(file, 0o444);
    const reader = storeProcess(file, NOBODY);
    const listed = z
      .object({ ok: z.literal(true), value: z.array(z.unknown()) })
      .parse(await reader.call('entries', {}));
    expect(listed.value).toHaveLength(20);
    const refused = answer.parse(await reader.call('write', { prepare: intentOf('new') }));
    expect(refused.error?.kind).toBe('read-only');
    expect(refused.error?.message).toContain(file);
    await reader.end();
    expect(existsSync(`${file}-wal`)).toBe(false);

    // The file may be written, its folder not; then both may be.
    chmodSync(file, 0o666);
    const half = storeProcess(file, NOBODY);
    expect(answer.parse(await half.call('write', { prepare: intentOf('new') })).error?.kind).toBe('read-only');
    chmodSync(folder, 0o777);
    expect(answer.parse(await half.call('write', { prepare: intentOf('new') })).ok).toBe(true);
    await half.end();
  });

  it.skipIf(!isRoot)('is made by nobody in a folder where nothing may be made', async () => {
    chmodSync(folder, 0o755);
    const child = storeProcess(join(folder, 'deep', 'ledger.db'), NOBODY);
    const refused = answer.parse(await child.call('write', { prepare: intentOf('new') }));
    expect(refused.error?.message).toMatch(/cannot be opened.*folder/);
    await child.end();
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

  it('reads a damaged ledger of schema 1 without changing it', async () => {
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

function canMount(): boolean {
  const place = mkdtempSync(join(tmpdir(), 'belay-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', place], { stdio: 'ignore' });
    execFileSync('umount', [place]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(place, { recursive: true });
  }
}

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

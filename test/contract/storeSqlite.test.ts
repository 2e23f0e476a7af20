// What only the SQLite store promises: durability, and one clear fault for each kind of bad database.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqliteStore } from '../../src/adapters/stores/sqliteStore.ts';
import type { SqliteStoreOptions } from '../../src/adapters/stores/sqliteStore.ts';
import type { Result, StoreFault, StorePort } from '../../src/engine/ports.ts';
import { changeOf, intentOf, must } from '../support/memoryEntries.ts';

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

function faultOf(result: Result<unknown, StoreFault>): StoreFault {
  if (result.ok) throw new Error('expected a fault');
  return result.error;
}

describe('the SQLite store', () => {
  let folder: string;
  let file: string;
  const open: StorePort[] = [];
  const store = (options: Partial<SqliteStoreOptions> = {}): StorePort => {
    const made = sqliteStore({ file, ...options });
    open.push(made);
    return made;
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-sqlite-'));
    file = join(folder, 'deep', 'ledger.db');
  });
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
    rmSync(folder, { recursive: true });
  });
  const filled = async (): Promise<string> => {
    const first = store();
    for (let i = 0; i < 200; i++) must(await first.write({ prepare: intentOf(`c${i}`, 'R1') }));
    await first.close();
    return sha256(file);
  };

  it('finds everything again after it was closed and opened', async () => {
    const first = store();
    const intent = intentOf('a');
    await first.write({ prepare: intent, checkpoint: { task: 't', version: 1, state: 's' } });
    await first.write({ changes: [changeOf(intent.key, 'COMMITTED', 1)] });
    await first.close();
    const second = store();
    expect(must(await second.entry(intent.key))).toMatchObject({ state: 'COMMITTED', fence: 2 });
    expect(must(await second.checkpoint('t'))).toMatchObject({ state: 's' });
  });

  it('has an answered PREPARED in the file when its process is killed at once', async () => {
    const source = pathToFileURL(join(import.meta.dirname, '../../src/adapters/stores/sqliteStore.ts')).href;
    const code = `
      const { sqliteStore } = await import(${JSON.stringify(source)});
      const store = sqliteStore({ file: ${JSON.stringify(file)} });
      const prepare = ${JSON.stringify(intentOf('killed'))};
      const written = await store.write({ prepare });
      if (written.ok) process.kill(process.pid, 'SIGKILL');
      console.error(written);`;
    expect(() => execFileSync(process.execPath, ['--input-type=module', '-e', code], { stdio: 'pipe' })).toThrow();
    expect(must(await store().entry(intentOf('killed').key))).toMatchObject({ state: 'PREPARED' });
  });

  it('answers requests of one turn as one batch, in order, and a refused one alone', async () => {
    const one = store();
    const results = await Promise.all([
      one.write({ prepare: intentOf('a', 'R2') }),
      one.write({ changes: [changeOf(intentOf('a').key, 'COMMITTED', 7)] }),
      one.write({ prepare: intentOf('b', 'R1') }),
      one.entries({}),
    ]);
    expect(results.map((result) => result.ok)).toEqual([true, false, true, true]);
    const listed = results[3];
    expect(listed.ok && listed.value).toHaveLength(2);
  });

  it('says locked, names the file, and goes on once the lock is gone', async () => {
    await filled();
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const waiting = store({ busyTimeoutMs: 50 });
    const fault = faultOf(await waiting.write({ prepare: intentOf('later') }));
    expect(fault.kind).toBe('locked');
    expect(fault.message).toContain(file);
    expect(must(await waiting.entries({ limit: 1 }))).toHaveLength(1);
    other.exec('ROLLBACK');
    other.close();
    expect(must(await waiting.write({ prepare: intentOf('later') }))).toMatchObject({ state: 'PREPARED' });
  });

  it('says full when the file cannot grow, and still reads all that is in it', async () => {
    const small = store({ maxPages: 60 });
    let fault: StoreFault | null = null;
    let stored = 0;
    for (let i = 0; i < 500 && !fault; i++) {
      const result = await small.write({ prepare: intentOf(`c${i}`, 'R1', { title: 'x'.repeat(2000) }) });
      if (result.ok) stored++;
      else fault = result.error;
    }
    expect(fault?.kind).toBe('full');
    expect(fault?.message).toContain(file);
    expect(stored).toBeGreaterThan(5);
    expect(must(await small.entries({}))).toHaveLength(stored);
  });

  it('refuses a file that is no database and leaves its bytes alone', async () => {
    const garbage = join(folder, 'garbage.db');
    writeFileSync(garbage, 'this is not a database, '.repeat(500));
    const before = sha256(garbage);
    const bad = store({ file: garbage });
    const fault = faultOf(await bad.write({ prepare: intentOf('a') }));
    expect(fault.kind).toBe('corrupt');
    expect(fault.message).toContain(garbage);
    await bad.close();
    expect(sha256(garbage)).toBe(before);
  });

  it('reads what is readable of a damaged file, writes nothing to it and deletes nothing', async () => {
    await filled();
    const direct = new DatabaseSync(file, { readOnly: true });
    const root = direct.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'history'`).get();
    direct.close();
    const bytes = readFileSync(file);
    const at = (Number(root?.rootpage) - 1) * 4096;
    bytes.fill(0x5a, at, at + 4096);
    writeFileSync(file, bytes);
    const damaged = store();
    const fault = faultOf(await damaged.write({ prepare: intentOf('new') }));
    expect(fault.kind).toBe('corrupt');
    expect(fault.message).toContain(file);
    expect(must(await damaged.entries({}))).toHaveLength(200);
    expect(faultOf(await damaged.history(intentOf('c0').key)).kind).toBe('corrupt');
    await damaged.close();
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  it('tells a row that does not parse as damage and stops writing', async () => {
    await filled();
    const direct = new DatabaseSync(file);
    direct.exec(`UPDATE entries SET owner = 'no json' WHERE title = 'c3'`);
    direct.close();
    const damaged = store();
    expect(faultOf(await damaged.entry(intentOf('c3').key)).kind).toBe('corrupt');
    expect(must(await damaged.entry(intentOf('c4').key))?.title).toBe('c4');
    expect(faultOf(await damaged.write({ prepare: intentOf('new') })).kind).toBe('corrupt');
  });

  it('refuses a newer schema by its number and leaves the file alone', async () => {
    await filled();
    const direct = new DatabaseSync(file);
    direct.exec('PRAGMA user_version = 99');
    direct.close();
    const before = sha256(file);
    const old = store();
    const fault = faultOf(await old.entries({}));
    expect(fault.kind).toBe('other');
    expect(fault.message).toMatch(/newer Belay \(schema 99/);
    await old.close();
    expect(sha256(file)).toBe(before);
  });

  it("refuses another program's database", async () => {
    const foreign = join(folder, 'other.db');
    const direct = new DatabaseSync(foreign);
    direct.exec('CREATE TABLE t (a)');
    direct.close();
    expect(faultOf(await store({ file: foreign }).entries({})).message).toContain('another program');
  });

  it('opens a write-protected ledger for reading and says read-only to every write', async () => {
    await filled();
    const reading = store({ readOnly: true });
    expect(must(await reading.entries({ limit: 3 }))).toHaveLength(3);
    const fault = faultOf(await reading.write({ prepare: intentOf('new') }));
    expect(fault.kind).toBe('read-only');
    expect(fault.message).toContain(file);
  });

  it.skipIf(process.getuid?.() === 0)('finds by itself that the file may not be written', async () => {
    await filled();
    chmodSync(file, 0o444);
    const reading = store();
    expect(must(await reading.entries({ limit: 3 }))).toHaveLength(3);
    expect(faultOf(await reading.write({ prepare: intentOf('new') })).kind).toBe('read-only');
  });

  it('names a folder that cannot be made', async () => {
    writeFileSync(join(folder, 'plain'), '');
    const blocked = store({ file: join(folder, 'plain', 'ledger.db') });
    const fault = faultOf(await blocked.entries({}));
    expect(fault.message).toContain(join(folder, 'plain', 'ledger.db'));
    expect(fault.message).not.toMatch(/\bat \/|node:/);
  });

  it('answers what is waiting with a fault when the worker dies, and starts a new one', async () => {
    const workerFile = join(folder, 'dying.mjs');
    const flag = join(folder, 'died');
    const real = pathToFileURL(join(import.meta.dirname, '../../src/adapters/stores/sqliteWorker.ts')).href;
    writeFileSync(
      workerFile,
      `import { existsSync, writeFileSync } from 'node:fs';
       import { parentPort } from 'node:worker_threads';
       if (existsSync(${JSON.stringify(flag)})) await import(${JSON.stringify(real)});
       else parentPort.on('message', () => { writeFileSync(${JSON.stringify(flag)}, ''); throw new Error('boom'); });`,
    );
    const fragile = store({ workerUrl: pathToFileURL(workerFile) });
    const [first, second] = await Promise.all([fragile.write({ prepare: intentOf('a') }), fragile.entries({})]);
    expect([faultOf(first).kind, faultOf(second).kind]).toEqual(['closed', 'closed']);
    expect(faultOf(first).message).not.toContain('boom');
    expect(must(await fragile.write({ prepare: intentOf('a') }))).toMatchObject({ state: 'PREPARED' });
  });

  it.skipIf(!hasStrace())('syncs PREPARED of R2 and R3 and nothing else', () => {
    const trace = join(folder, 'trace');
    const source = pathToFileURL(join(import.meta.dirname, '../../src/adapters/stores/sqliteStore.ts')).href;
    const code = `
      const { sqliteStore } = await import(${JSON.stringify(source)});
      const store = sqliteStore({ file: ${JSON.stringify(file)} });
      await store.entries({});
      process.kill(0, 0);
      for (const prepare of ${JSON.stringify([intentOf('a', 'R1'), intentOf('b', 'R2'), intentOf('c', 'R3')])}) {
        await store.write({ prepare });
        process.kill(0, 0);
      }
      await store.close();`;
    execFileSync('strace', [
      '-f',
      '-o',
      trace,
      '-e',
      'trace=fsync,fdatasync,kill',
      process.execPath,
      '--input-type=module',
      '-e',
      code,
    ]);
    const parts = readFileSync(trace, 'utf8').split(/kill\(0, 0\)/);
    expect(parts.slice(1, 4).map((part) => /f(data)?sync\(/.test(part))).toEqual([false, true, true]);
    expect(statSync(file).size).toBeGreaterThan(0);
  });
});

function hasStrace(): boolean {
  try {
    execFileSync('strace', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

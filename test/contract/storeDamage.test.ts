// A ledger in trouble for real: full disks, missing rights, bytes changed, files moved under it. Whatever happens, nothing
// wrong is answered, nothing that was answered is lost, writing stops, and the message says what to do.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
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
import { faultOf } from '../../src/adapters/stores/sqliteFaults.ts';
import { sqliteOperations } from '../../src/adapters/stores/sqliteOperations.ts';
import { openDatabase } from '../../src/adapters/stores/sqliteSchema.ts';
import type { StoreAnswer, StoreCall } from '../../src/adapters/stores/storeProtocol.ts';
import { sqliteStore } from '../../src/adapters/stores/sqliteStore.ts';
import type { SqliteStoreOptions } from '../../src/adapters/stores/sqliteStore.ts';
import type { Result, StoreFault, StorePort } from '../../src/engine/ports.ts';
import { damage, sampleLedger } from '../support/ledgerSamples.ts';
import { intentOf, must } from '../support/memoryEntries.ts';
import { seededRandom } from '../support/random.ts';
import { storeProcess } from '../support/storeProcess.ts';

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
const NOBODY = 65_534;
/** Somebody else can be played, and can reach this checkout: not where it lies in a folder of its owner's own. */
const hasOther =
  process.getuid?.() === 0 && spawnSync(process.execPath, ['--version'], { uid: NOBODY, gid: NOBODY }).status === 0;

function missed(result: Result<unknown, StoreFault>): StoreFault {
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

  it('never answers with a changed or missing entry, whatever bytes were changed (60 seeds)', () => {
    const original = join(folder, 'original.db');
    const entries = sampleLedger(original, 200);
    const told: number[] = [];
    for (let seed = 1; seed <= 60; seed++) {
      copyFileSync(original, file);
      damage(file, seededRandom(seed), 1 + (seed % 5));
      const before = sha256(file);
      try {
        const { database, damage: seen } = openDatabase({ file });
        if (seen) told.push(seed);
        const operations = sqliteOperations(database);
        const answer = (call: StoreCall): Result<StoreAnswer, StoreFault> => {
          try {
            return operations.run(call);
          } catch (error) {
            return { ok: false, error: faultOf(error, file) };
          }
        };
        for (const [key, entry] of entries) {
          const found = answer({ method: 'entry', key });
          if (found.ok) expect(found.value, `seed ${seed}`).toEqual(entry);
          else expect(found.error.kind, `seed ${seed}`).toBe('corrupt');
        }
        const listed = answer({ method: 'entries', filter: {} });
        if (listed.ok) expect(listed.value, `seed ${seed}`).toEqual([...entries.values()]);
        database.close();
        if (seen) expect(sha256(file), `seed ${seed}`).toBe(before);
      } catch (error) {
        if (error instanceof Error && error.name === 'AssertionError') throw error;
        expect(faultOf(error, file).message, `seed ${seed}`).toMatch(/rescue|another program|newer/);
        expect(sha256(file), `seed ${seed}`).toBe(before);
        told.push(seed);
      }
      for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    }
    expect(told.length).toBeGreaterThan(25);
  }, 120_000);

  it('writes nothing to a file with changed bytes, and says how to rescue it', async () => {
    const entries = sampleLedger(file, 50);
    damage(file, seededRandom(4), 12);
    const before = sha256(file);
    const damaged = store();
    const refused = missed(await damaged.write({ prepare: intentOf('new') }));
    expect(refused).toMatchObject({ kind: 'corrupt' });
    expect(refused.message).toContain(`belay ledger rescue --db "${file}" --to NEW`);
    for (const [key, entry] of entries) {
      const found = await damaged.entry(key);
      if (found.ok) expect(found.value).toEqual(entry);
    }
    await damaged.close();
    expect(sha256(file)).toBe(before);
  });

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
    const fault = missed(await running.entry(intent.key));
    expect(fault).toMatchObject({ kind: 'corrupt' });
    expect(fault.message).toContain(`belay ledger rescue --db "${file}" --to NEW`);
    expect(missed(await running.write({ prepare: intentOf('c') }))).toEqual(fault);
    expect(missed(await running.lease({ key: 'k', holder: 'h', nowMs: 0, ttlMs: 1 }))).toEqual(fault);
    expect(missed(await running.document('die')).kind).toBe('closed');
    other.exec(`UPDATE entries SET title = 'a'`);
    other.close();
    expect(must(await running.entry(intent.key))?.title).toBe('a');
    expect(missed(await running.write({ prepare: intentOf('c') }))).toEqual(fault);
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
    expect(missed(await second.write({ prepare: intentOf('a') })).kind).toBe('corrupt');
    expect(must(await second.history(intentOf('a').key))).toHaveLength(1);
  });

  it('tells a file that was cut short, answers nothing wrong of it and leaves it as it is', async () => {
    const entries = sampleLedger(file, 100);
    truncateSync(file, Math.floor(readFileSync(file).length / 2));
    const before = sha256(file);
    const cut = store();
    expect(missed(await cut.write({ prepare: intentOf('new') })).kind).toBe('corrupt');
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
    const fault = missed(await lost.write({ prepare: intentOf('new') }));
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
    const fault = missed(await running.write({ prepare: intentOf('late') }));
    expect(fault.message).toContain(`${file}-wal was deleted`);
    expect(missed(await running.write({ prepare: intentOf('later') }))).toEqual(fault);
    expect(must(await running.entries({}))).toHaveLength(5);
    await running.close();
    expect(must(await store().entries({}))).toHaveLength(5);
  });

  it('writes nothing to a file that was moved or replaced under it, and goes on when it is back', async () => {
    const running = store();
    must(await running.write({ prepare: intentOf('a') }));
    const away = join(folder, 'away.db');
    renameSync(file, away);
    const gone = missed(await running.write({ prepare: intentOf('b') }));
    expect(gone.message).toMatch(/moved, deleted or replaced/);
    writeFileSync(file, 'another file');
    expect(missed(await running.write({ prepare: intentOf('b') }))).toEqual(gone);
    expect(readFileSync(file, 'utf8')).toBe('another file');
    expect(must(await running.entries({}))).toHaveLength(1);
    rmSync(file);
    renameSync(away, file);
    expect(must(await running.write({ prepare: intentOf('b') }))).toMatchObject({ state: 'PREPARED' });
  });

  it('names a folder in the place of the file', async () => {
    mkdirSync(file);
    expect(missed(await store().write({ prepare: intentOf('a') })).message).toContain(`${file} is a folder`);
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
    const fault = missed(await impatient.write({ prepare: intentOf('b') }));
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
  it.skipIf(!hasOther)('can be read by whoever may not write the file or its folder, and says read-only', async () => {
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

  it.skipIf(!hasOther)('is made by nobody in a folder where nothing may be made', async () => {
    chmodSync(folder, 0o755);
    const child = storeProcess(join(folder, 'deep', 'ledger.db'), NOBODY);
    const refused = answer.parse(await child.call('write', { prepare: intentOf('new') }));
    expect(refused.error?.message).toMatch(/cannot be opened.*folder/);
    await child.end();
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

// What a rescue brings back of a damaged ledger: everything in pages that are whole, nothing that was never there, and never
// the permission to repeat an effect whose entry is lost.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDamaged } from '../../src/adapters/stores/damagedPages.ts';
import { contentOf } from '../../src/adapters/stores/damagedRecords.ts';
import { sqliteStore } from '../../src/adapters/stores/sqliteStore.ts';
import { rescueCommand, rescueLedger } from '../../src/cli/ledgerRescue.ts';
import type { RescueReport } from '../../src/cli/ledgerRescue.ts';
import type { LedgerEntry } from '../../src/core/ledger/entry.ts';
import { directStore } from '../support/directStore.ts';
import { damage, sampleLedger } from '../support/ledgerSamples.ts';
import { changeOf, intentOf, must } from '../support/memoryEntries.ts';
import { seededRandom } from '../support/random.ts';

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
const COUNT = 700;

describe('a rescue', () => {
  let folder: string;
  let original: string;
  let entries: ReadonlyMap<string, LedgerEntry>;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-rescue-'));
    original = join(folder, 'original.db');
    entries = sampleLedger(original, COUNT);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const rescued = (
    db: string,
  ): { readonly report: RescueReport; readonly found: ReadonlyMap<string, LedgerEntry>; readonly file: string } => {
    const file = join(folder, `new${Math.random()}.db`);
    const report = must(rescueLedger({ db, to: file }));
    const store = directStore(file);
    const found = new Map(store.run({ method: 'entries', filter: {} }).map((entry) => [entry.key, entry]));
    expect(store.database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    store.close();
    return { report, found, file };
  };

  /** Keys of the entries on each page of the undamaged file; null: on several. */
  const pagesOf = (): ReadonlyMap<number, readonly string[]> => {
    const pages = openDamaged(original);
    const found = new Map<number, readonly string[]>();
    for (let number = 2; number <= pages.count; number++) {
      const content = contentOf(pages, number);
      const rows = content?.kind === 'table' ? content.records.filter(({ values }) => values.length > 17) : [];
      // Rows with a long title go on elsewhere.
      const own = rows
        .map(({ values }) => String(values[1]))
        .filter((key) => (entries.get(key)?.title.length ?? 0) < 999);
      if (own.length > 0) found.set(number, own);
    }
    pages.close();
    return found;
  };

  it('of a whole ledger is the same ledger', async () => {
    const before = sha256(original);
    const { report, found, file } = rescued(original);
    expect(report).toMatchObject({ entries: COUNT, events: COUNT, documents: 1, budgets: 1, checkpoints: 1 });
    expect(report).toMatchObject({ damagedPages: 0, damagedRows: 0, lostEntries: 0, doubtfulEntries: 0 });
    expect([...found.values()]).toEqual([...entries.values()]);
    const [old, now] = [sqliteStore({ file: original, readOnly: true }), sqliteStore({ file })];
    for (const key of entries.keys()) expect(await now.history(key)).toEqual(await old.history(key));
    for (let i = 0; i < 9; i++) expect(await now.events(`task ${i}`)).toEqual(await old.events(`task ${i}`));
    expect(must(await now.document('d'))).toBe('a document');
    expect(must(await now.budget('task 1'))).toMatchObject({ taskUsed: 2 });
    expect(must(await now.entries({ file: 'f3' }))).toEqual(must(await old.entries({ file: 'f3' })));
    await old.close();
    await now.close();
    expect(sha256(original)).toBe(before);
  });

  it('brings back every entry of every whole page, unchanged, whatever else is damaged (60 seeds)', () => {
    const pages = pagesOf();
    expect([...pages.values()].flat().length).toBeGreaterThan(COUNT * 0.9);
    for (let seed = 1; seed <= 60; seed++) {
      const db = join(folder, `damaged${seed}.db`);
      copyFileSync(original, db);
      const touched = damage(db, seededRandom(seed), 1 + (seed % 12));
      const before = sha256(db);
      const { report, found } = rescued(db);
      expect(sha256(db), `seed ${seed}`).toBe(before);
      expect(existsSync(`${db}-shm`) || existsSync(`${db}-wal`)).toBe(false);
      for (const [page, keys] of pages) {
        if (touched.has(page)) continue;
        for (const key of keys)
          expect(found.get(key)?.title, `seed ${seed}, page ${page}`).toBe(entries.get(key)?.title);
      }
      let doubtful = 0;
      for (const [key, entry] of found) {
        if (entry.tool === 'rescue') continue;
        const { state, evidence, fence, ...rest } = entries.get(key)!;
        expect(entry, `seed ${seed}`).toMatchObject(rest);
        if (entry.state === state) expect(entry, `seed ${seed}`).toMatchObject({ evidence, fence });
        else expect([entry.state, ++doubtful], `seed ${seed}`).toEqual(['UNKNOWN', doubtful]);
      }
      expect(doubtful, `seed ${seed}`).toBe(report.doubtfulEntries);
      rmSync(db);
    }
  }, 180_000);

  it('puts an entry that is not repeated unasked in the place of one that is lost', () => {
    const db = join(folder, 'damaged.db');
    copyFileSync(original, db);
    const bytes = readFileSync(db);
    const [page = 0, keys = []] = [...pagesOf()][3] ?? [];
    bytes.fill(0xee, (page - 1) * 4096, page * 4096);
    writeFileSync(db, bytes);
    const { report, found } = rescued(db);
    expect(report.lostEntries).toBe(keys.length);
    expect(report.damagedPages).toBe(1);
    for (const key of keys) {
      const open = ['PREPARED', 'UNKNOWN'].includes(entries.get(key)?.state ?? '');
      const state = open ? 'UNKNOWN' : entries.get(key)?.state;
      expect(found.get(key)).toMatchObject({ level: 'R3', tool: 'rescue', state });
    }
  });

  it('finds the rows of a tree whose root is destroyed', () => {
    const db = join(folder, 'damaged.db');
    copyFileSync(original, db);
    const store = directStore(original);
    const root = store.database.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'entries'`).get();
    store.close();
    const bytes = readFileSync(db);
    const at = (Number(root?.rootpage) - 1) * 4096;
    bytes.fill(0, at, at + 4096);
    writeFileSync(db, bytes);
    const { report, found } = rescued(db);
    expect(report).toMatchObject({ entries: COUNT, lostEntries: 0, doubtfulEntries: 0 });
    expect(found).toEqual(entries);
  });

  it('reads what lies in the write-ahead log alone, also of one with a damaged frame, and of a file cut short', () => {
    const live = join(folder, 'live.db');
    const store = directStore(live);
    store.database.exec('PRAGMA wal_autocheckpoint = 0');
    for (let i = 0; i < 50; i++) {
      store.database.exec('BEGIN');
      store.run({ method: 'write', transaction: { prepare: intentOf(`w${i}`) } });
      store.database.exec('COMMIT');
    }
    const db = join(folder, 'copy.db');
    for (const end of ['', '-wal']) copyFileSync(`${live}${end}`, `${db}${end}`);
    store.close();
    const whole = rescued(db);
    expect(whole.found.size).toBe(50);
    // The last frame is torn, as by a power cut: what was committed before is there.
    truncateSync(`${db}-wal`, readFileSync(`${db}-wal`).length - 1000);
    expect(rescued(db).found.size).toBe(49);
    const wal = readFileSync(`${db}-wal`);
    const frames = Math.floor((wal.length - 32) / 4120);
    wal.fill(0x11, 32 + 4120 * Math.floor(frames / 2) + 24, 32 + 4120 * Math.floor(frames / 2) + 500);
    writeFileSync(`${db}-wal`, wal);
    expect(rescued(db).found.size).toBeGreaterThan(45);

    const short = join(folder, 'short.db');
    copyFileSync(original, short);
    truncateSync(short, Math.floor(readFileSync(original).length / 2));
    const half = rescued(short);
    expect(half.report.entries).toBeGreaterThan(COUNT / 5);
    for (const [key, entry] of half.found) if (entry.tool !== 'rescue') expect(entries.get(key)).toBeDefined();
  });

  it('does not believe an old copy of an entry that its history has left behind', () => {
    const file = join(folder, 'old.db');
    const store = directStore(file);
    const intent = intentOf('x', 'R1');
    const changes = [
      changeOf(intent.key, 'FAILED', 1),
      changeOf(intent.key, 'PREPARED', 2),
      changeOf(intent.key, 'COMMITTED', 3),
    ];
    store.run({ method: 'write', transaction: { prepare: intent, changes: changes.slice(0, 1) } });
    const row = store.database.prepare('SELECT * FROM entries').get();
    store.run({ method: 'write', transaction: { prepare: intent, changes: changes.slice(1) } });
    // The row as it was, as a page without a way may hold it.
    const columns = ['state', 'evidence', 'updated_at_ms', 'fence', 'checksum'];
    const old = columns.map((name) => row?.[name] as string | number); // columns of these types
    store.database.prepare(`UPDATE entries SET ${columns.map((name) => `${name} = ?`).join()}`).run(...old);
    store.close();
    expect(rescued(file).found.get(intent.key)).toMatchObject({ state: 'COMMITTED', fence: 4 });
  });

  it('refuses to write over a file, and names what it cannot read', () => {
    const lines: string[] = [];
    const io = {
      stdin: process.stdin,
      out: (line: string) => lines.push(line),
      err: (line: string) => lines.push(line),
    };
    expect(rescueCommand({ db: original, to: original }, io)).toBe(2);
    expect(rescueCommand({ db: join(folder, 'none.db'), to: join(folder, 'to.db') }, io)).toBe(2);
    expect(rescueCommand({ db: original, to: join(folder, 'no', 'folder', 'to.db') }, io)).toBe(2);
    expect(lines[0]).toContain('exists already');
    expect(lines[1]).toContain('ENOENT');
    expect(lines[2]).toContain(`${join(folder, 'no', 'folder')} is not a folder; make it`);
    expect([lines.length, existsSync(join(folder, 'no'))]).toEqual([3, false]);
    expect(existsSync(join(folder, 'to.db'))).toBe(false);
  });
});

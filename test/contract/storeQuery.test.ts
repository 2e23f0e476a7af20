// What both stores find by every filter, page by page, and that SQLite finds it by an index however large the ledger.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/adapters/stores/memoryStore.ts';
import { selection } from '../../src/adapters/stores/sqliteSelection.ts';
import { sqliteStore } from '../../src/adapters/stores/sqliteStore.ts';
import type { EntryState, Intent } from '../../src/core/ledger/entry.ts';
import { OPEN_STATES } from '../../src/core/ledger/retention.ts';
import { SAME_EFFECT } from '../../src/core/ledger/rivals.ts';
import { ENTRY_STATES } from '../../src/core/ledger/transition.ts';
import type { EntryFilter, StorePort } from '../../src/engine/ports.ts';
import { directStore } from '../support/directStore.ts';
import { changeOf, intentOf, must } from '../support/memoryEntries.ts';

const makers: Readonly<Record<string, (folder: string) => StorePort>> = {
  memory: () => memoryStore(),
  sqlite: (folder) => sqliteStore({ file: join(folder, 'ledger.db') }),
};

describe.each(Object.keys(makers))('the %s store', (name) => {
  let folder: string;
  let store: StorePort;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-query-'));
    store = makers[name]!(folder);
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const titles = async (filter: EntryFilter): Promise<readonly string[]> =>
    must(await store.entries(filter)).map((entry) => entry.title);

  it('keeps what an entry takes back, and every file that its effect changed', async () => {
    const first = intentOf('edit', 'R2');
    const files = [
      { path: 'a.txt', beforeHash: null, afterHash: 'f0', mode: 0o644 },
      { path: 'b.txt', beforeHash: 'f1', afterHash: null },
    ];
    await store.write({ prepare: first, changes: [changeOf(first.key, 'COMMITTED', 1, { files })] });
    const undo = intentOf('undo', 'R2', { compensates: first.key });
    expect(must(await store.write({ prepare: undo }))).toMatchObject({ compensates: first.key });
    expect(must(await store.entry(first.key))?.evidence?.files).toEqual(files);
    expect(must(await store.entry(first.key))).not.toHaveProperty('compensates');
    expect(await titles({ compensates: first.key })).toEqual(['undo']);
    expect(await titles({ compensates: undo.key })).toEqual([]);
  });

  it('tells what was changed after an entry was last prepared, whatever the clock said', async () => {
    const made: Record<string, Intent> = {};
    for (const [title, preparedAtMs] of [
      ['early', 100],
      ['own', 200],
      ['late', 50],
    ] as const) {
      made[title] = intentOf(title, 'R1', { preparedAtMs });
      await store.write({ prepare: made[title] });
    }
    const [early, own] = [made.early!, made.own!];
    expect(await titles({ changedAfter: own.key })).toEqual(['late']);
    await store.write({ changes: [{ ...changeOf(early.key, 'COMMITTED', 1), atMs: 1 }] });
    expect(await titles({ changedAfter: own.key })).toEqual(['late', 'early']);
    expect(await titles({ changedAfter: own.key, state: 'COMMITTED' })).toEqual(['early']);
    await store.write({ changes: [changeOf(own.key, 'UNKNOWN', 1)] });
    await store.write({ prepare: own, changes: [changeOf(own.key, 'PREPARED', 2)] });
    expect(await titles({ changedAfter: own.key })).toEqual([]);
    expect(await titles({ changedAfter: 'f'.repeat(64) })).toEqual([]);
  });

  it('changes an entry and its compensation together or not at all', async () => {
    const [done, undo] = [intentOf('done'), intentOf('undo', 'R2', { compensates: intentOf('done').key })];
    await store.write({ prepare: done, changes: [changeOf(done.key, 'COMMITTED', 1)] });
    await store.write({ prepare: undo });
    const settle = (fence: number): ReturnType<StorePort['write']> =>
      store.write({ changes: [changeOf(undo.key, 'COMMITTED', 1), changeOf(done.key, 'COMPENSATED', fence)] });
    expect(await settle(1)).toMatchObject({ ok: false, error: { kind: 'fenced' } });
    expect(must(await store.entry(undo.key))).toMatchObject({ state: 'PREPARED', fence: 1 });
    expect(must(await settle(2))).toMatchObject({ key: undo.key, state: 'COMMITTED' });
    expect(must(await store.entry(done.key))).toMatchObject({ state: 'COMPENSATED', fence: 3 });
    expect(must(await store.history(done.key))).toHaveLength(3);
  });

  it('applies changes of one entry in order, each on what the one before left', async () => {
    const intent = intentOf('a');
    const steps = [changeOf(intent.key, 'UNKNOWN', 1), changeOf(intent.key, 'RECONCILED_ABSENT', 2)];
    const written = must(await store.write({ prepare: intent, changes: steps }));
    expect(written).toMatchObject({ state: 'RECONCILED_ABSENT', fence: 3 });
    expect(must(await store.history(intent.key)).map((line) => line.to)).toEqual([
      'PREPARED',
      'UNKNOWN',
      'RECONCILED_ABSENT',
    ]);
    const other = intentOf('b');
    const stale = [changeOf(other.key, 'UNKNOWN', 1), changeOf(other.key, 'RECONCILED_ABSENT', 1)];
    expect(await store.write({ prepare: other, changes: stale })).toMatchObject({ error: { kind: 'fenced' } });
    expect(must(await store.entry(other.key))).toBeNull();
  });

  it('does not find an entry by a file that it no longer names after it was prepared again', async () => {
    const intent = intentOf('a', 'R1', { paths: ['old', 'both'] });
    await store.write({ prepare: intent, changes: [changeOf(intent.key, 'FAILED', 1)] });
    await store.write({
      prepare: { ...intent, paths: ['both', 'new'] },
      changes: [changeOf(intent.key, 'PREPARED', 2)],
    });
    expect([await titles({ file: 'old' }), await titles({ file: 'both' }), await titles({ file: 'new' })]).toEqual([
      [],
      ['a'],
      ['a'],
    ]);
  });

  it('lists in pages that leave nothing out and repeat nothing, also while entries are added', async () => {
    for (let i = 0; i < 25; i++) await store.write({ prepare: intentOf(`c${i}`, 'R1') });
    const seen: string[] = [];
    let beforeKey: string | undefined;
    for (let page = 0; page < 10; page++) {
      const entries = must(await store.entries({ limit: 4, ...(beforeKey === undefined ? {} : { beforeKey }) }));
      seen.push(...entries.map((entry) => entry.title));
      beforeKey = entries.at(-1)?.key ?? beforeKey;
      await store.write({ prepare: intentOf(`later ${page}`, 'R1') });
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, i) => `c${24 - i}`));
  });

  it('says so when a page begins at an entry that is gone', async () => {
    await store.write({ prepare: intentOf('a') });
    const gone = await store.entries({ beforeKey: 'f00' });
    expect(gone).toMatchObject({ ok: false, error: { kind: 'other' } });
    expect(gone.ok || gone.error.message).toMatch(/f00.*List again/);
  });
});

describe('the SQLite store', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-query-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('finds the same as the store in memory, whatever the filter', async () => {
    const memory = memoryStore();
    const sqlite = directStore(join(folder, 'ledger.db'));
    const states = fc.sample(fc.constantFrom<EntryState>(...ENTRY_STATES), { numRuns: 120, seed: 7 });
    const ways: Partial<Record<EntryState, readonly EntryState[]>> = {
      PREPARED: [],
      RECONCILED_COMMITTED: ['UNKNOWN', 'RECONCILED_COMMITTED'],
      RECONCILED_ABSENT: ['UNKNOWN', 'RECONCILED_ABSENT'],
      COMPENSATED: ['COMMITTED', 'COMPENSATED'],
    };
    for (const [i, state] of states.entries()) {
      const more: Partial<Intent> = {
        task: `t${i % 4}`,
        tool: i % 3 === 0 ? 'edit' : 'shell',
        paths: i % 5 === 0 ? ['p', `q${i % 2}`] : [],
        ...(i % 11 === 3 ? { compensates: intentOf(`c${i - 3}`).key } : {}),
        ...(i % 13 === 2 ? { probe: { kind: SAME_EFFECT, data: { key: intentOf(`c${i - 2}`).key } } } : {}),
      };
      const prepare = intentOf(`c${i}`, 'R1', more);
      const changes = (ways[state] ?? [state]).map((to, n) => ({
        ...changeOf(prepare.key, to, n + 1),
        atMs: (i * 7) % 50,
      }));
      must(await memory.write({ prepare, changes }));
      sqlite.run({ method: 'write', transaction: { prepare, changes } });
    }
    const key = fc.nat({ max: 119 }).map((i) => intentOf(`c${i}`).key);
    const filter: fc.Arbitrary<EntryFilter> = fc.record(
      {
        task: fc.constantFrom('t0', 't1', 't9'),
        tool: fc.constantFrom('edit', 'shell'),
        state: fc.constantFrom<EntryState>(...ENTRY_STATES),
        states: fc.uniqueArray(fc.constantFrom<EntryState>(...ENTRY_STATES)),
        file: fc.constantFrom('p', 'q0', 'nowhere'),
        keyPrefix: fc.oneof(
          key.map((text) => text.slice(0, 1)),
          key.map((text) => text.slice(0, 9)),
          key,
        ),
        compensates: fc.nat({ max: 20 }).map((i) => intentOf(`c${i * 11}`).key),
        updatedSinceMs: fc.double({ min: 0, max: 50, noNaN: true }),
        updatedBeforeMs: fc.double({ min: 0, max: 50, noNaN: true }),
        beforeKey: key,
        limit: fc.nat({ max: 9 }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(filter, async (wanted) => {
        expect(sqlite.run({ method: 'entries', filter: wanted })).toEqual(must(await memory.entries(wanted)));
      }),
      { numRuns: 2000 },
    );
    sqlite.close();
  });

  const BY_TIME = /entries_updated \(updated_at_ms>\? AND updated_at_ms<\?\)|INTEGER PRIMARY KEY \(rowid=\?\)/;
  const filters: Readonly<Record<string, { readonly filter: EntryFilter; readonly index: RegExp }>> = {
    'a task': { filter: { task: 't' }, index: /entries_task \(task=\?\)/ },
    'a task in a state': { filter: { task: 't', state: 'COMMITTED' }, index: /entries_task \(task=\?\)/ },
    'a task and a file': { filter: { task: 't', file: 'f' }, index: /entries_task \(task=\?\)/ },
    'a state': { filter: { state: 'FAILED' }, index: /entries_state \(state=\?\)/ },
    'open entries': { filter: { states: OPEN_STATES }, index: /entries_state \(state=\?\)/ },
    'open entries of a tool': { filter: { states: OPEN_STATES, tool: 'shell' }, index: /entries_state \(state=\?\)/ },
    'a tool': { filter: { tool: 'edit' }, index: /entries_tool \(tool=\?\)/ },
    'a file': { filter: { file: 'f' }, index: /INTEGER PRIMARY KEY \(rowid=\?\)/ },
    'a file in states': { filter: { file: 'f', states: ['COMMITTED', 'FAILED'] }, index: /PRIMARY KEY \(rowid=\?\)/ },
    'what begins with digits': { filter: { keyPrefix: 'ab' }, index: /autoindex_entries_1 \(key>\? AND key<\?\)/ },
    'compensations of an entry': { filter: { compensates: 'k' }, index: /entries_compensates \(compensates=\?\)/ },
    'open compensations': {
      filter: { compensates: 'k', states: OPEN_STATES },
      index: /entries_compensates \(compensates=\?\)/,
    },
    'recent changes': { filter: { updatedSinceMs: 5 }, index: BY_TIME },
    'changes of a time': {
      filter: { updatedSinceMs: 5, updatedBeforeMs: 9 },
      index: BY_TIME,
    },
    'the next page': { filter: { beforeKey: 'k', limit: 9 }, index: /INTEGER PRIMARY KEY \(rowid<\?\)/ },
    'the next page of a state': {
      filter: { state: 'FAILED', beforeKey: 'k', limit: 9 },
      index: /entries_state \(state=\? AND id<\?\)/,
    },
  };
  it.each(Object.entries(filters))('finds %s by an index', (_, { filter, index }) => {
    const store = directStore(join(folder, 'ledger.db'));
    const { sql, values } = selection(filter, false);
    const plan = store.database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
    const steps = plan.map((step) => String(step.detail));
    store.close();
    expect(steps.filter((step) => /^SCAN (entries|entry_paths)/.test(step))).toEqual([]);
    expect(
      steps.filter((step) => step.startsWith('SEARCH entries') && !index.test(step) && !step.includes('key=')),
    ).toEqual([]);
    expect(steps.some((step) => index.test(step))).toBe(true);
  });

  it('lists newest first without sorting where a limit could end the walk', () => {
    const store = directStore(join(folder, 'ledger.db'));
    for (const filter of [
      {},
      { task: 't' },
      { states: ENTRY_STATES },
      { tool: 'edit' },
      { file: 'f' },
      { updatedSinceMs: 1 },
    ]) {
      for (const isDense of [false, true]) {
        const { sql, values } = selection({ ...filter, limit: 10 }, isDense);
        const plan = store.database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
        expect(plan.filter((step) => String(step.detail).includes('TEMP B-TREE FOR ORDER BY'))).toEqual([]);
      }
    }
    store.close();
  });

  it('finds the same of a time with many entries as of one with few', () => {
    const store = directStore(join(folder, 'ledger.db'));
    store.database.exec('BEGIN');
    for (let i = 0; i < 6000; i++) {
      const prepare = intentOf(`c${i}`, 'R1', { preparedAtMs: i });
      store.run({ method: 'write', transaction: { prepare } });
    }
    store.database.exec('COMMIT');
    const filters: readonly EntryFilter[] = [
      { updatedSinceMs: 100, limit: 3 },
      { updatedBeforeMs: 5900, limit: 3 },
      { updatedSinceMs: 100, beforeKey: intentOf('c101').key, limit: 3 },
      { updatedSinceMs: 5998, limit: 3 },
    ];
    const found = filters.map((filter) => store.run({ method: 'entries', filter }).map((entry) => entry.title));
    expect(found).toEqual([['c5999', 'c5998', 'c5997'], ['c5899', 'c5898', 'c5897'], ['c100'], ['c5999', 'c5998']]);
    for (const filter of filters) {
      const [few, many] = [false, true].map((isDense) => {
        const { sql, values } = selection(filter, isDense);
        return store.database.prepare(sql).all(...values);
      });
      expect(many).toEqual(few);
    }
    store.close();
  });
});

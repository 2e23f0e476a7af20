// What both stores forget and keep. The rule in full is core/ledger/retention.ts; SQLite says it in SQL, and random ledgers
// show that both say the same.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/adapters/stores/memoryStore.ts';
import { sqliteStore } from '../../src/adapters/stores/sqliteStore.ts';
import { placeBaseline } from '../../src/core/ledger/probes/place.ts';
import type { DecisionEvent } from '../../src/core/events.ts';
import type { EntryState, Intent } from '../../src/core/ledger/entry.ts';
import { SAME_EFFECT } from '../../src/core/ledger/rivals.ts';
import type { PruneRequest, StorePort, StoreTransaction } from '../../src/engine/ports.ts';
import { directStore } from '../support/directStore.ts';
import { changeOf, intentOf, must } from '../support/memoryEntries.ts';

const makers: Readonly<Record<string, (folder: string) => StorePort>> = {
  memory: () => memoryStore(),
  sqlite: (folder) => sqliteStore({ file: join(folder, 'ledger.db') }),
};

function eventOf(task: string, atMs: number): DecisionEvent {
  return {
    seq: atMs,
    atMs,
    ids: { tenant: 't', client: 'c', task, step: 1 },
    body: { type: 'step-started', title: `at ${atMs}` },
  };
}

const FINISHED = '{"status":"finished","goal":"g"}';

/** The states an entry goes through to come to the last of them. */
const WAYS: Readonly<Record<EntryState, readonly EntryState[]>> = {
  PREPARED: [],
  COMMITTED: ['COMMITTED'],
  FAILED: ['FAILED'],
  UNKNOWN: ['UNKNOWN'],
  RECONCILED_COMMITTED: ['UNKNOWN', 'RECONCILED_COMMITTED'],
  RECONCILED_ABSENT: ['UNKNOWN', 'RECONCILED_ABSENT'],
  COMPENSATED: ['COMMITTED', 'COMPENSATED'],
};

/** One transaction that prepares an entry and brings it to a state, last changed at `atMs`. */
function entryAt(state: EntryState, atMs: number, intent: Intent): StoreTransaction {
  const changes = WAYS[state].map((to, i) => ({ ...changeOf(intent.key, to, i + 1), atMs }));
  return { prepare: { ...intent, preparedAtMs: atMs }, changes };
}

describe.each(Object.keys(makers))('pruning the %s store', (name) => {
  let folder: string;
  let store: StorePort;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-prune-'));
    store = makers[name]!(folder);
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const add = async (title: string, state: EntryState, atMs: number, more: Partial<Intent> = {}): Promise<string> => {
    const intent = intentOf(title, 'R1', { task: title, ...more });
    must(await store.write(entryAt(state, atMs, intent)));
    return intent.key;
  };
  const titles = async (): Promise<readonly string[]> => must(await store.entries({})).map((entry) => entry.title);

  it('forgets what was settled before a time, with history, paths, events, budget and checkpoint', async () => {
    const old = await add('old', 'COMMITTED', 100, { paths: ['a.txt'] });
    await add('new', 'COMMITTED', 200, { paths: ['a.txt'] });
    await store.write({
      budget: { task: 'old', stepUsed: {}, taskUsed: 1 },
      checkpoint: { task: 'old', version: 1, state: FINISHED },
    });
    await store.appendEvents([eventOf('old', 90), eventOf('new', 199), eventOf('new', 200)]);
    expect(must(await store.prune({ olderThanMs: 200 }))).toEqual({ entries: 1, events: 2, keptOpen: 0 });
    expect(await titles()).toEqual(['new']);
    expect(must(await store.entry(old))).toBeNull();
    expect(must(await store.history(old))).toEqual([]);
    expect(must(await store.entries({ file: 'a.txt' }))).toHaveLength(1);
    expect(must(await store.budget('old'))).toBeNull();
    expect(must(await store.checkpoint('old'))).toBeNull();
    expect(must(await store.events('new')).map((event) => event.atMs)).toEqual([200]);
  });

  it('keeps at most so many of the newest, by their last change', async () => {
    await add('c', 'COMMITTED', 300);
    await add('a', 'COMMITTED', 100);
    await add('b', 'FAILED', 200);
    expect(must(await store.prune({ keepAtMost: 2 })).entries).toBe(1);
    expect(await titles()).toEqual(['b', 'c']);
    expect(must(await store.prune({ keepAtMost: 0 })).entries).toBe(2);
  });

  it('never forgets an open entry, nor anything of its task', async () => {
    await add('open', 'UNKNOWN', 1, { task: 'x' });
    await add('prepared', 'PREPARED', 1, { task: 'y' });
    await add('done', 'COMMITTED', 1, { task: 'x' });
    await store.appendEvents([eventOf('x', 1)]);
    expect(must(await store.prune({ olderThanMs: 999 }))).toEqual({ entries: 0, events: 0, keptOpen: 3 });
    expect(must(await store.prune({ keepAtMost: 0 }))).toEqual({ entries: 0, events: 0, keptOpen: 3 });
    expect(must(await store.prune({ task: 'x' }))).toEqual({ entries: 0, events: 0, keptOpen: 2 });
    expect(await titles()).toHaveLength(3);
  });

  it('keeps a task whose checkpoint has not ended', async () => {
    await add('x', 'COMMITTED', 1);
    await store.write({ checkpoint: { task: 'x', version: 1, state: '{"status":"running"}' } });
    expect(must(await store.prune({ olderThanMs: 999 }))).toEqual({ entries: 0, events: 0, keptOpen: 1 });
    await store.write({ checkpoint: { task: 'x', version: 2, state: FINISHED } });
    expect(must(await store.prune({ olderThanMs: 999 })).entries).toBe(1);
  });

  it('keeps the entry that a kept follower follows, and lets both go together', async () => {
    const leader = await add('leader', 'COMMITTED', 1);
    await add('follower', 'COMMITTED', 500, { probe: { kind: SAME_EFFECT, data: { key: leader } } });
    expect(must(await store.prune({ olderThanMs: 100 }))).toEqual({ entries: 0, events: 0, keptOpen: 1 });
    expect(must(await store.prune({ olderThanMs: 501 })).entries).toBe(2);
  });

  it('keeps what the probe of an open entry must be weighed against, of whatever task', async () => {
    const append = { probe: { kind: 'append', data: {} } };
    await add('settled before', 'COMMITTED', 1);
    const open = await add('open', 'UNKNOWN', 5, append);
    await add('rival', 'COMMITTED', 7, append);
    expect(must(await store.prune({ keepAtMost: 0 }))).toMatchObject({ entries: 1 });
    expect(await titles()).toEqual(['rival', 'open']);
    must(await store.write({ changes: [{ ...changeOf(open, 'RECONCILED_ABSENT', 2), atMs: 8 }] }));
    expect(must(await store.prune({ keepAtMost: 0 })).entries).toBe(2);
  });

  it('keeps an entry and its compensation, or neither', async () => {
    const original = await add('original', 'COMPENSATED', 1);
    await add('undo', 'COMMITTED', 500, { compensates: original });
    const late = await add('late', 'COMPENSATED', 600);
    await add('early undo', 'COMMITTED', 2, { compensates: late });
    expect(must(await store.prune({ olderThanMs: 100 }))).toEqual({ entries: 0, events: 0, keptOpen: 2 });
    expect(must(await store.prune({ olderThanMs: 501 }))).toEqual({ entries: 2, events: 0, keptOpen: 1 });
    expect(await titles()).toEqual(['early undo', 'late']);
  });

  it('takes a task alone as all of it, and nothing at all as nothing', async () => {
    await add('x', 'COMMITTED', 1);
    await add('y', 'COMMITTED', 1);
    await store.appendEvents([eventOf('x', 1), eventOf('y', 1), eventOf('no entries', 1)]);
    expect(must(await store.prune({}))).toEqual({ entries: 0, events: 0, keptOpen: 0 });
    expect(must(await store.prune({ olderThanMs: Number.NaN }))).toEqual({ entries: 0, events: 0, keptOpen: 0 });
    expect(must(await store.prune({ task: 'x' }))).toEqual({ entries: 1, events: 1, keptOpen: 0 });
    expect(must(await store.prune({ task: 'no entries' }))).toEqual({ entries: 0, events: 1, keptOpen: 0 });
    expect(await titles()).toEqual(['y']);
  });

  it('keeps at most so many events of settled tasks', async () => {
    await add('open', 'UNKNOWN', 1);
    await store.appendEvents([1, 2, 3, 4].flatMap((atMs) => [eventOf('open', atMs), eventOf('done', atMs)]));
    expect(must(await store.prune({ keepEvents: 3 }))).toEqual({ entries: 0, events: 2, keptOpen: 0 });
    expect(must(await store.events('open'))).toHaveLength(4);
    expect(must(await store.events('done')).map((event) => event.atMs)).toEqual([3, 4]);
  });

  it('only counts in a dry run', async () => {
    await add('x', 'COMMITTED', 1);
    const request = { olderThanMs: 9 };
    expect(must(await store.prune({ ...request, isDryRun: true }))).toEqual({ entries: 1, events: 0, keptOpen: 0 });
    expect(await titles()).toEqual(['x']);
    expect(must(await store.prune(request)).entries).toBe(1);
  });

  it('prunes while others write, and forgets nothing that became open meanwhile', async () => {
    for (let i = 0; i < 1500; i++)
      must(await store.write(entryAt('FAILED', 1, intentOf(`c${i}`, 'R1', { task: `t${i}` }))));
    const pruning = store.prune({ olderThanMs: 9 });
    const again = intentOf('c1499', 'R1', { task: 't1499' });
    const revived = await store.write({
      prepare: again,
      changes: [{ ...changeOf(again.key, 'PREPARED', 2), atMs: 5 }],
    });
    const written = await store.write({ prepare: intentOf('meanwhile', 'R1', { task: 'm' }) });
    expect(written.ok).toBe(true);
    must(await pruning);
    const left = await titles();
    expect(left).toContain('meanwhile');
    expect(left.includes('c1499')).toBe(revived.ok);
    expect(left).toHaveLength(revived.ok ? 2 : 1);
  });
});

describe('the SQLite store', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-prune-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('counts what would go of a ledger that is only looked at, and forgets nothing of it', async () => {
    const file = join(folder, 'ledger.db');
    const store = sqliteStore({ file });
    must(await store.write(entryAt('COMMITTED', 1, intentOf('x', 'R1'))));
    await store.close();
    const looking = sqliteStore({ file, readOnly: true });
    expect(must(await looking.prune({ olderThanMs: 9, isDryRun: true }))).toMatchObject({ entries: 1 });
    expect(await looking.prune({ olderThanMs: 9 })).toMatchObject({ ok: false, error: { kind: 'read-only' } });
    expect(must(await looking.entries({}))).toHaveLength(1);
    await looking.close();
  });

  it('has a smaller file after a prune', async () => {
    const file = join(folder, 'ledger.db');
    const store = sqliteStore({ file });
    const writes = Array.from({ length: 3000 }, (_, i) =>
      store.write(entryAt('COMMITTED', i, intentOf(`c${i}`, 'R1', { title: 'x'.repeat(500) }))),
    );
    await Promise.all(writes);
    await store.prune({ keepAtMost: 3000 });
    const before = statSync(file).size;
    expect(must(await store.prune({ keepAtMost: 300 })).entries).toBe(2700);
    expect(statSync(file).size).toBeLessThan(before / 4);
    expect(must(await store.entries({}))).toHaveLength(300);
    await store.close();
  });

  const states = Object.keys(WAYS) as EntryState[]; // its keys are the states
  const task = fc.constantFrom('a', 'b', 'c', 'd');
  const atMs = fc.integer({ min: 0, max: 9 });
  const link = fc.option(fc.nat({ max: 20 }), { nil: undefined, freq: 1 });
  const probe = fc.constantFrom(null, { kind: 'append', data: {} }, placeBaseline('/w'));
  const entry = fc.record({ state: fc.constantFrom(...states), task, atMs, follows: link, compensates: link, probe });
  const request = fc.record(
    {
      olderThanMs: fc.integer({ min: -1, max: 11 }),
      keepAtMost: fc.nat({ max: 12 }),
      keepEvents: fc.nat({ max: 6 }),
      task,
    },
    { requiredKeys: [] },
  );

  it('forgets just what the rule says, whatever the ledger', async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 14 }),
        fc.array(fc.record({ task, atMs }), { maxLength: 10 }),
        fc.array(fc.record({ task, isOver: fc.boolean() }), { maxLength: 2 }),
        request,
        async (entries, events, checkpoints, wanted: PruneRequest) => {
          const memory = memoryStore();
          const sqlite = directStore(join(folder, `${number++}.db`));
          const write = async (transaction: StoreTransaction): Promise<void> => {
            must(await memory.write(transaction));
            sqlite.run({ method: 'write', transaction });
          };
          const keyAt = (place: number): string => intentOf(`e${place}`).key;
          for (const [place, { state, follows, compensates, ...one }] of entries.entries()) {
            const intent = intentOf(`e${place}`, 'R1', {
              task: one.task,
              probe: one.probe,
              ...(follows === undefined ? {} : { probe: { kind: SAME_EFFECT, data: { key: keyAt(follows) } } }),
              ...(compensates === undefined ? {} : { compensates: keyAt(compensates) }),
            });
            await write(entryAt(state, one.atMs, intent));
          }
          for (const { task: of, isOver } of checkpoints) {
            await write({ checkpoint: { task: of, version: 1, state: isOver ? FINISHED : 'x' } });
          }
          for (const of of ['a', 'b']) await write({ budget: { task: of, stepUsed: {}, taskUsed: 1 } });
          const appended = events.map((event) => eventOf(event.task, event.atMs));
          await memory.appendEvents(appended);
          sqlite.run({ method: 'appendEvents', events: appended });

          const report = must(await memory.prune(wanted));
          expect(sqlite.prune({ ...wanted, isDryRun: true })).toEqual(report);
          expect(sqlite.prune(wanted)).toEqual(report);
          expect(sqlite.run({ method: 'entries', filter: {} })).toEqual(must(await memory.entries({})));
          for (const [place] of entries.entries()) {
            const key = keyAt(place);
            expect(sqlite.run({ method: 'history', key })).toEqual(must(await memory.history(key)));
          }
          for (const of of ['a', 'b', 'c', 'd']) {
            expect(sqlite.run({ method: 'events', task: of })).toEqual(must(await memory.events(of)));
            expect(sqlite.run({ method: 'budget', task: of })).toEqual(must(await memory.budget(of)));
            expect(sqlite.run({ method: 'checkpoint', task: of })).toEqual(must(await memory.checkpoint(of)));
          }
          sqlite.close();
        },
      ),
      { numRuns: 300 },
    );
  }, 120_000);
});

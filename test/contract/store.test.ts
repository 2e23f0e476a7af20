// What every store port must do, run on the store in memory and on SQLite in its worker.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/adapters/stores/memoryStore.ts';
import { sqliteStore } from '../../src/adapters/stores/sqliteStore.ts';
import type { DecisionEvent } from '../../src/core/events.ts';
import type { StorePort } from '../../src/engine/ports.ts';
import { changeOf, intentOf, must } from '../support/memoryEntries.ts';

const makers: Readonly<Record<string, (folder: string) => StorePort>> = {
  memory: () => memoryStore(),
  sqlite: (folder) => sqliteStore({ file: join(folder, 'ledger.db') }),
};

describe.each(Object.keys(makers))('the %s store', (name) => {
  let folder: string;
  let store: StorePort;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-store-'));
    store = makers[name]!(folder);
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it('prepares an entry and gives it back unchanged', async () => {
    const owner = { pid: 7, pidStartedAt: '99', bootId: 'b', childPid: 8, childStartedAt: '100' };
    const probe = { kind: 'append', data: { path: 'a.txt', sizeBytes: 3 } };
    const intent = intentOf('echo a >> a.txt', 'R2', { owner, probe, paths: ['a.txt'] });
    const written = must(await store.write({ prepare: intent }));
    expect(written).toEqual({ ...intent, state: 'PREPARED', evidence: null, updatedAtMs: 1000, fence: 1 });
    expect(must(await store.entry(intent.key))).toEqual(written);
    expect(must(await store.entry('nowhere'))).toBeNull();
  });

  it('lists what was changed at a time or later', async () => {
    const [old, now] = [intentOf('old'), intentOf('now', 'R2', { preparedAtMs: 2000.7 })];
    await store.write({ prepare: old });
    await store.write({ prepare: now });
    const since = async (updatedSinceMs: number): Promise<readonly string[]> =>
      must(await store.entries({ updatedSinceMs })).map((entry) => entry.title);
    expect(await since(1000)).toEqual(['now', 'old']);
    expect(await since(1001)).toEqual(['now']);
    expect(await since(2000.7)).toEqual(['now']);
    expect(await since(2001)).toEqual([]);
    await store.write({ changes: [{ ...changeOf(old.key, 'UNKNOWN', 1), atMs: 3000 }] });
    expect(await since(2500)).toEqual(['old']);
    expect(must(await store.entries({ updatedSinceMs: 1, state: 'PREPARED', limit: 5 }))).toHaveLength(1);
  });

  it('answers a second prepare of a key with the first entry and writes nothing else of it', async () => {
    const intent = intentOf('a');
    const first = must(await store.write({ prepare: intent }));
    const budget = { task: 'task', stepUsed: { '1': 1 }, taskUsed: 1 };
    const second = must(await store.write({ prepare: { ...intent, title: 'other', preparedAtMs: 5 }, budget }));
    expect(second).toEqual(first);
    expect(must(await store.budget('task'))).toBeNull();
    expect(must(await store.history(intent.key))).toHaveLength(1);
  });

  it('moves an entry with its evidence and keeps its history', async () => {
    const intent = intentOf('a');
    await store.write({ prepare: intent });
    const evidence = { exitCode: 0, stdout: 'é\u0000x', stderr: '' };
    const moved = must(await store.write({ changes: [changeOf(intent.key, 'COMMITTED', 1, evidence)] }));
    expect(moved).toMatchObject({ state: 'COMMITTED', fence: 2, updatedAtMs: 2000, evidence });
    const history = must(await store.history(intent.key));
    expect(history.map((line) => [line.from, line.to])).toEqual([
      [null, 'PREPARED'],
      ['PREPARED', 'COMMITTED'],
    ]);
    expect(history[1]?.evidence).toMatchObject(evidence);
  });

  it('refuses an old fence, an illegal step and an unknown key, each by its name', async () => {
    const intent = intentOf('a', 'R3');
    await store.write({ prepare: intent });
    await store.write({ changes: [changeOf(intent.key, 'COMMITTED', 1)] });
    const fenced = await store.write({ changes: [changeOf(intent.key, 'COMPENSATED', 1)] });
    const illegal = await store.write({ changes: [changeOf(intent.key, 'UNKNOWN', 2)] });
    const missing = await store.write({ changes: [changeOf('f00', 'UNKNOWN', 1)] });
    expect(fenced).toMatchObject({ ok: false, error: { kind: 'fenced' } });
    expect(illegal).toMatchObject({ ok: false, error: { kind: 'illegal-transition' } });
    expect(missing).toMatchObject({ ok: false, error: { kind: 'illegal-transition' } });
    expect(must(await store.entry(intent.key))).toMatchObject({ state: 'COMMITTED', fence: 2 });
  });

  it('writes entry, budget and checkpoint together or not at all', async () => {
    const intent = intentOf('a');
    const budget = { task: 'task', stepUsed: { '1': 2 }, taskUsed: 2 };
    const checkpoint = { task: 'task', version: 3, state: '{"at":1}' };
    await store.write({ prepare: intent, budget, checkpoint });
    expect(must(await store.budget('task'))).toEqual(budget);
    expect(must(await store.checkpoint('task'))).toEqual(checkpoint);
    const later = { ...checkpoint, version: 4 };
    const refused = await store.write({ changes: [changeOf(intent.key, 'COMMITTED', 9)], checkpoint: later });
    expect(refused.ok).toBe(false);
    expect(must(await store.checkpoint('task'))).toEqual(checkpoint);
    await store.write({ changes: [changeOf(intent.key, 'COMMITTED', 1)], checkpoint: later });
    expect(must(await store.checkpoint('task'))).toEqual(later);
  });

  it('prepares an entry again with its new owner and baseline when the change says so', async () => {
    const intent = intentOf('a');
    await store.write({ prepare: intent });
    await store.write({ changes: [changeOf(intent.key, 'UNKNOWN', 1)] });
    await store.write({ changes: [changeOf(intent.key, 'RECONCILED_ABSENT', 2)] });
    const owner = { pid: 1, pidStartedAt: '2', bootId: 'b', childPid: 3, childStartedAt: '4' };
    const probe = { kind: 'append', data: {} };
    const prepare = { ...intent, owner, probe };
    const stale = await store.write({ prepare, changes: [changeOf(intent.key, 'PREPARED', 1)] });
    expect(stale).toMatchObject({ ok: false, error: { kind: 'fenced' } });
    const again = must(await store.write({ prepare, changes: [changeOf(intent.key, 'PREPARED', 3)] }));
    expect(again).toMatchObject({ state: 'PREPARED', fence: 4, owner, probe });
    expect(must(await store.entry(intent.key))).toEqual(again);
  });

  it('refuses to prepare an R2 entry again that is not known to be absent', async () => {
    const intent = intentOf('a');
    await store.write({ prepare: intent });
    await store.write({ changes: [changeOf(intent.key, 'UNKNOWN', 1)] });
    const refused = await store.write({ prepare: intent, changes: [changeOf(intent.key, 'PREPARED', 2)] });
    expect(refused).toMatchObject({ ok: false, error: { kind: 'illegal-transition' } });
  });

  it('lists by task, state and file, newest first, up to a limit', async () => {
    for (const [i, task] of ['x', 'x', 'y'].entries()) {
      await store.write({ prepare: intentOf(`c${i}`, 'R1', { task, paths: i === 1 ? ['p', 'q'] : ['p'] }) });
    }
    await store.write({ changes: [changeOf(intentOf('c0').key, 'FAILED', 1)] });
    const titles = async (filter: object): Promise<readonly string[]> =>
      must(await store.entries(filter)).map((entry) => entry.title);
    expect(await titles({})).toEqual(['c2', 'c1', 'c0']);
    expect(await titles({ task: 'x' })).toEqual(['c1', 'c0']);
    expect(await titles({ state: 'FAILED' })).toEqual(['c0']);
    expect(await titles({ file: 'q' })).toEqual(['c1']);
    expect(await titles({ file: 'p', state: 'PREPARED', limit: 1 })).toEqual(['c2']);
  });

  it('keeps events in order by task, and documents by name', async () => {
    const ids = { tenant: 't', client: 'c', task: 'x', step: 1 };
    const event = (seq: number, task: string): DecisionEvent => ({
      seq,
      atMs: seq,
      ids: { ...ids, task },
      body: { type: 'step-started', title: `s${seq}` },
    });
    await store.appendEvents([event(1, 'x'), event(2, 'y')]);
    await store.appendEvents([event(3, 'x')]);
    expect(must(await store.events('x')).map((one) => one.seq)).toEqual([1, 3]);
    expect(must(await store.document('d'))).toBeNull();
    await store.saveDocument('d', 'one');
    await store.saveDocument('d', 'two');
    expect(must(await store.document('d'))).toBe('two');
  });

  it('lets exactly one of many writers with the same fence win', async () => {
    const intent = intentOf('a');
    await store.write({ prepare: intent });
    const attempts = Array.from({ length: 20 }, () => store.write({ changes: [changeOf(intent.key, 'COMMITTED', 1)] }));
    const results = await Promise.all(attempts);
    expect(results.filter((result) => result.ok)).toHaveLength(1);
    expect(must(await store.history(intent.key))).toHaveLength(2);
  });

  it('answers every request after close with a fault', async () => {
    await store.close();
    await store.close();
    expect(await store.write({ prepare: intentOf('a') })).toMatchObject({ ok: false, error: { kind: 'closed' } });
    expect(await store.entries({})).toMatchObject({ ok: false, error: { kind: 'closed' } });
  });
});

// Leases and fences: one holder at a time and no late writer, in one process and over real ones.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { memoryStore } from '../../src/adapters/stores/memoryStore.ts';
import { sqliteStore } from '../../src/adapters/stores/sqliteStore.ts';
import type { LeaseAnswer, StorePort } from '../../src/engine/ports.ts';
import { changeOf, intentOf, must } from '../support/memoryEntries.ts';
import { storeProcess } from '../support/storeProcess.ts';
import type { StoreProcess } from '../support/storeProcess.ts';

const makers: Readonly<Record<string, (folder: string) => StorePort>> = {
  memory: () => memoryStore(),
  sqlite: (folder) => sqliteStore({ file: join(folder, 'ledger.db') }),
};

function tokenOf(answer: LeaseAnswer): number {
  if (!answer.granted) throw new Error(`not granted: ${answer.holder} has it`);
  return answer.token;
}

describe.each(Object.keys(makers))('leases of the %s store', (name) => {
  let folder: string;
  let store: StorePort;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-lease-'));
    store = makers[name]!(folder);
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const take = async (key: string, holder: string, nowMs: number, ttlMs = 1000): Promise<LeaseAnswer> =>
    must(await store.lease({ key, holder, nowMs, ttlMs }));

  it('gives a key to one holder, and to the next once the lease is over', async () => {
    expect(await take('k', 'one', 100)).toMatchObject({ granted: true, expiresAtMs: 1100 });
    expect(await take('k', 'two', 1099)).toEqual({ granted: false, holder: 'one', expiresAtMs: 1100 });
    expect(await take('other', 'two', 1099)).toMatchObject({ granted: true });
    expect(await take('k', 'two', 1100)).toMatchObject({ granted: true, expiresAtMs: 2100 });
    expect(await take('k', 'one', 1101)).toMatchObject({ granted: false, holder: 'two' });
  });

  it('renews the lease of the same holder under the same token', async () => {
    const token = tokenOf(await take('k', 'one', 0));
    expect(await take('k', 'one', 900)).toEqual({ granted: true, token, expiresAtMs: 1900 });
    expect(await take('k', 'one', 5000)).toEqual({ granted: true, token, expiresAtMs: 6000 });
  });

  it('gives every new holder a higher token, also after the lease was given back or its entry forgotten', async () => {
    const first = tokenOf(await take('k', 'one', 0));
    await store.releaseLease('k', first);
    const second = tokenOf(await take('k', 'one', 0));
    const key = intentOf('k', 'R1').key;
    await store.write({ prepare: intentOf('k', 'R1'), changes: [changeOf(key, 'COMMITTED', 1)] });
    const third = tokenOf(await take(key, 'one', 0));
    expect(must(await store.prune({ keepAtMost: 0 })).entries).toBe(1);
    const fourth = tokenOf(await take(key, 'one', 0));
    expect([first < second, second < third, third < fourth]).toEqual([true, true, true]);
  });

  it('does not let an old token give back the lease of another', async () => {
    const old = tokenOf(await take('k', 'one', 0, 10));
    await take('k', 'two', 20);
    must(await store.releaseLease('k', old));
    expect(await take('k', 'three', 30)).toMatchObject({ granted: false, holder: 'two' });
  });

  it('refuses a change under a lease that has passed on, and takes it under the present one', async () => {
    const intent = intentOf('a');
    await store.write({ prepare: intent, changes: [changeOf(intent.key, 'UNKNOWN', 1)] });
    const old = tokenOf(await take(intent.key, 'one', 0, 10));
    const token = tokenOf(await take(intent.key, 'two', 20));
    const change = changeOf(intent.key, 'RECONCILED_ABSENT', 2);
    const late = await store.write({ changes: [{ ...change, lease: old }] });
    expect(late).toMatchObject({ ok: false, error: { kind: 'fenced' } });
    expect(must(await store.entry(intent.key))).toMatchObject({ state: 'UNKNOWN', fence: 2 });
    const own = must(await store.write({ changes: [{ ...change, lease: token }] }));
    expect(own).toMatchObject({ state: 'RECONCILED_ABSENT', fence: 3 });
    await store.releaseLease(intent.key, token);
    const again = { ...changeOf(intent.key, 'PREPARED', 3), lease: token };
    expect(await store.write({ prepare: intent, changes: [again] })).toMatchObject({ error: { kind: 'fenced' } });
  });

  it('takes back what a lease kept for too long, whatever its clock said', async () => {
    expect(await take('k', 'one', 0, Number.POSITIVE_INFINITY)).toMatchObject({
      granted: true,
      expiresAtMs: 3_600_000,
    });
    expect(await take('k', 'two', 3_599_999)).toMatchObject({ granted: false });
    expect(await take('k', 'two', 3_600_000)).toMatchObject({ granted: true });
    // Written while the clock was a day ahead.
    expect(await take('j', 'one', 86_400_000)).toMatchObject({ granted: true });
    expect(await take('j', 'two', 5000)).toMatchObject({ granted: true });
  });
});

const leaseAnswer = z.object({
  ok: z.literal(true),
  value: z.object({ granted: z.boolean(), token: z.number().optional() }),
});
const writeAnswer = z.object({ ok: z.boolean(), error: z.object({ kind: z.string() }).optional() });

describe('two processes with one ledger', () => {
  let folder: string;
  let file: string;
  const processes: StoreProcess[] = [];
  const start = (): StoreProcess => {
    const started = storeProcess(file);
    processes.push(started);
    return started;
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-lease-'));
    file = join(folder, 'ledger.db');
  });
  afterEach(async () => {
    for (const one of processes.splice(0)) await one.end();
    rmSync(folder, { recursive: true });
  });

  it('grant each of 200 keys to exactly one of them, also when both make the file', async () => {
    const both = [start(), start()];
    const keys = Array.from({ length: 200 }, (_, i) => `k${i}`);
    const ask = async (one: StoreProcess): Promise<readonly z.infer<typeof leaseAnswer>[]> => {
      const wish = { holder: `pid ${one.pid}`, nowMs: 1000, ttlMs: 60_000 };
      const answers = await Promise.all(keys.map((key) => one.call('lease', { key, ...wish })));
      return answers.map((answer) => leaseAnswer.parse(answer));
    };
    const [first = [], second = []] = await Promise.all(both.map(ask));
    for (const [i] of keys.entries()) {
      expect([first[i]?.value.granted, second[i]?.value.granted].filter(Boolean)).toHaveLength(1);
    }
    const tokens = [...first, ...second].flatMap(({ value }) => (value.granted ? [value.token] : []));
    expect(new Set(tokens).size).toBe(200);
  });

  it('let exactly one settle each entry that both want to settle with the same fence', async () => {
    const [one, two] = [start(), start()];
    const intents = Array.from({ length: 100 }, (_, i) => intentOf(`c${i}`, 'R2'));
    for (const prepare of intents) await one.call('write', { prepare });
    const settle = async (by: StoreProcess, to: 'COMMITTED' | 'UNKNOWN'): Promise<readonly boolean[]> => {
      const answers = await Promise.all(
        intents.map(({ key }) => by.call('write', { changes: [changeOf(key, to, 1)] })),
      );
      return answers.map((answer) => {
        const { ok, error } = writeAnswer.parse(answer);
        if (!ok) expect(error?.kind).toBe('fenced');
        return ok;
      });
    };
    const [first, second] = await Promise.all([settle(one, 'COMMITTED'), settle(two, 'UNKNOWN')]);
    const store = sqliteStore({ file });
    for (const [i, { key }] of intents.entries()) {
      expect([first[i], second[i]].filter(Boolean)).toHaveLength(1);
      const state = first[i] === true ? 'COMMITTED' : 'UNKNOWN';
      expect(must(await store.entry(key))).toMatchObject({ state, fence: 2 });
    }
    await store.close();
  });

  it('give a dead process’s lease to the next once it is over, and refuse nothing else of it', async () => {
    const [one, two] = [start(), start()];
    await one.call('lease', { key: 'k', holder: 'one', nowMs: 0, ttlMs: 500 });
    await one.kill();
    const wish = { key: 'k', holder: 'two', ttlMs: 500 };
    expect(leaseAnswer.parse(await two.call('lease', { ...wish, nowMs: 499 })).value.granted).toBe(false);
    expect(leaseAnswer.parse(await two.call('lease', { ...wish, nowMs: 500 })).value.granted).toBe(true);
  });
});

// `npm run bench:micro -- ledger [entries]`: what the ledger costs when it is large, beside the disk's own sync in the same run.
// Prints figures, judges nothing: machines are shared and noisy, so read medians and what is beyond the sync.
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../src/adapters/stores/sqliteSchema.ts';
import { sqliteStore } from '../../src/adapters/stores/sqliteStore.ts';
import type { EntryFilter, StorePort } from '../../src/engine/ports.ts';
import { changeOf, intentOf, must } from '../support/memoryEntries.ts';

const line = (name: string, value: string): void => console.log(`${name.padEnd(46)} ${value}`);
const ROUNDS = 500;
const TURN = 25;
const FIRST_MS = 1_000_000;
const PRUNED = 100_000;
const FILES = 500;
const TASK_ENTRIES = 40;

function quantile(values: readonly number[], q: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * q)] ?? 0;
}

async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const from = performance.now();
  const value = await work();
  return [value, performance.now() - from];
}

/** Bulk rows as the product writes them, by SQL: a million writes one by one would only measure the disk. */
function prefill(file: string, count: number): void {
  const { database } = openDatabase({ file });
  database.close();
  const direct = new DatabaseSync(file);
  // Nothing to lose yet. From WAL a database comes to OFF by way of DELETE only.
  direct.exec(
    'PRAGMA journal_mode = DELETE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000',
  );
  direct.exec(`BEGIN;
    CREATE TEMP TABLE fresh AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      SELECT i, lower(hex(randomblob(32))) AS key, ${FIRST_MS} + i AS at_ms, iif(i % 10 = 0, 'edit', 'shell') AS tool,
        CASE WHEN i > ${count} - 20 THEN 'UNKNOWN' WHEN i % 7 = 0 THEN 'FAILED' ELSE 'COMMITTED' END AS state FROM n;
    INSERT INTO entries (id, key, tenant, task, step, tool, ids, level, args_text, title, paths, prepared_at_ms, owner,
        state, evidence, updated_at_ms, fence)
      SELECT i, key, 'local', 'task ' || (i / ${TASK_ENTRIES}), i % ${TASK_ENTRIES}, tool,
        '{"client":"bench","call":null,"attempt":null,"toolCall":null}', 'R2',
        '{"command":"npm test --workspace packages/' || i || '"}', 'npm test ' || i,
        '["src/file' || (i % ${FILES}) || '.ts"]', at_ms,
        '{"pid":1,"pidStartedAt":"1","bootId":"b","childPid":2,"childStartedAt":"3"}', state,
        '{"source":"exit-code","detail":"exit code 0","exitCode":0,"stdout":"","stderr":""}', at_ms, 2 FROM fresh;
    INSERT INTO entry_paths SELECT 'src/file' || (i % ${FILES}) || '.ts', i FROM fresh ORDER BY i % ${FILES}, i;
    INSERT INTO history (key, at_ms, to_state) SELECT key, at_ms, 'PREPARED' FROM fresh;
    INSERT INTO history (key, at_ms, from_state, to_state, evidence)
      SELECT key, at_ms, 'PREPARED', state, '{"source":"exit-code","detail":"exit code 0"}' FROM fresh;
    COMMIT; PRAGMA journal_mode = DELETE; PRAGMA journal_mode = WAL`);
  direct.close();
}

/** Writes and syncs of some bytes more in a file, ms each. */
function rawSyncs(handle: number, bytes: number): readonly number[] {
  const text = 'x'.repeat(bytes);
  return Array.from({ length: TURN }, () => {
    const from = performance.now();
    writeSync(handle, text);
    fdatasyncSync(handle);
    return performance.now() - from;
  });
}

interface Costs {
  readonly both: readonly number[];
  /** Raw syncs of 4 KiB, and of as many bytes as a round puts into the write-ahead log. */
  readonly small: readonly number[];
  readonly same: readonly number[];
  readonly sameBytes: number;
  readonly cpuMs: number;
}

/**
 * Prepare (synced) and commit, by turns with raw syncs, so that both see the disk and the machine in the same mood. The log
 * must be fresh: only while it grows does its size tell what a round writes.
 */
async function writeCosts(store: StorePort, file: string): Promise<Costs> {
  const handle = openSync(`${file}-raw`, 'w');
  const [both, small, same]: [number[], number[], number[]] = [[], [], []];
  const walBytes = (): number => statSync(`${file}-wal`).size;
  const before = walBytes();
  let sameBytes = 4096;
  let cpuMs = 0;
  for (let i = 0; i < ROUNDS; i++) {
    const prepare = { ...intentOf(`round ${i}`, 'R2', { task: 'bench', paths: ['src/a.ts'] }), preparedAtMs: 9e6 + i };
    const cpu = process.cpuUsage();
    const [, ms] = await timed(async () => {
      must(await store.write({ prepare }));
      must(await store.write({ changes: [{ ...changeOf(prepare.key, 'COMMITTED', 1), atMs: 9e6 + i }] }));
    });
    const { user, system } = process.cpuUsage(cpu);
    cpuMs += (user + system) / 1000 / ROUNDS;
    both.push(ms);
    // In turns of some length: one by one, each would also pay for what the other has left in the file system's journal.
    if (i % TURN !== TURN - 1) continue;
    if (i < TURN) sameBytes = Math.max(4096, Math.round((walBytes() - before) / TURN));
    small.push(...rawSyncs(handle, 4096));
    same.push(...rawSyncs(handle, sameBytes));
  }
  closeSync(handle);
  return { both, small, same, sameBytes, cpuMs };
}

function tellWrites(name: string, { both, small, same, sameBytes, cpuMs }: Costs): void {
  const cost = quantile(both, 0.5);
  line(
    `prepare + commit, ${name}`,
    `${cost.toFixed(2)} ms p50, ${quantile(both, 0.95).toFixed(2)} p95; ${cpuMs.toFixed(2)} ms CPU in both threads`,
  );
  const beyond = (what: string, syncs: readonly number[]): void => {
    const sync = quantile(syncs, 0.5);
    line(`  beyond a sync of ${what}`, `${(cost - sync).toFixed(2)} ms (target <= 1); that sync ${sync.toFixed(2)}`);
  };
  beyond('4 KiB', small);
  beyond(`its own ${(sameBytes / 1024).toFixed(0)} KiB`, same);
}

async function tellQueries(store: StorePort, count: number, key: string): Promise<void> {
  const lookups: number[] = [];
  for (const { key: one } of must(await store.entries({ updatedBeforeMs: FIRST_MS + count / 2, limit: 300 }))) {
    lookups.push((await timed(() => store.entry(one)))[1]);
  }
  line('entry by key', `${quantile(lookups, 0.5).toFixed(2)} ms p50, ${quantile(lookups, 0.95).toFixed(2)} p95`);
  const middleMs = FIRST_MS + Math.floor(count / 2);
  const queries: Readonly<Record<string, EntryFilter>> = {
    'open entries': { states: ['PREPARED', 'UNKNOWN'] },
    'a task': { task: `task ${Math.floor(count / TASK_ENTRIES / 2)}` },
    'a task in a state': { task: `task ${Math.floor(count / TASK_ENTRIES / 2)}`, state: 'FAILED' },
    'a file, 100': { file: 'src/file7.ts', limit: 100 },
    'a state, 100': { state: 'FAILED', limit: 100 },
    'settled states, 100': { states: ['COMMITTED', 'FAILED'], limit: 100 },
    'changed lately, 100': { updatedSinceMs: 9e6, limit: 100 },
    'changed in a time, all of 1,000': { updatedSinceMs: middleMs, updatedBeforeMs: middleMs + 1000 },
    'changed before a time, 100': { updatedBeforeMs: middleMs, limit: 100 },
    'first digits of a key': { keyPrefix: key.slice(0, 12) },
    'compensations of an entry': { compensates: key },
    'a page of 500 from the middle': { beforeKey: key, limit: 500 },
  };
  for (const [name, filter] of Object.entries(queries)) {
    const found = must(await store.entries(filter)).length;
    const times: number[] = [];
    for (let i = 0; i < 9; i++) times.push((await timed(() => store.entries(filter)))[1]);
    line(`list: ${name}`, `${quantile(times, 0.5).toFixed(2)} ms p50 for ${found}`);
  }
}

async function tellPrune(store: StorePort, file: string): Promise<void> {
  const before = statSync(file).size;
  const request = { olderThanMs: FIRST_MS + PRUNED + 1 };
  const [, dryMs] = await timed(() => store.prune({ ...request, isDryRun: true }));
  const reads: number[] = [];
  const over = new AbortController();
  const from = performance.now();
  const pruning = store.prune(request).finally(() => over.abort());
  while (!over.signal.aborted) {
    reads.push((await timed(() => store.entry(intentOf('round 1').key)))[1]);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const { entries } = must(await pruning);
  const ms = performance.now() - from;
  line(
    `prune of ${entries}`,
    `${(ms / 1000).toFixed(1)} s (counted in ${dryMs.toFixed(0)} ms); a read meanwhile ${quantile(reads, 0.5).toFixed(0)} ms p50, ${Math.max(...reads).toFixed(0)} at most`,
  );
  line('file', `${(before / 1e6).toFixed(0)} MB before, ${(statSync(file).size / 1e6).toFixed(0)} MB after`);
}

async function main(): Promise<void> {
  const count = Number(process.argv[2] ?? 1_000_000);
  const directory = mkdtempSync(join(tmpdir(), 'belay-bench-'));
  try {
    line(
      'load',
      loadavg()
        .map((load) => load.toFixed(1))
        .join(' '),
    );
    const emptyFile = join(directory, 'empty.db');
    const empty = sqliteStore({ file: emptyFile });
    must(await empty.write({ prepare: intentOf('first') }));
    tellWrites('empty ledger', await writeCosts(empty, emptyFile));
    await empty.close();
    const file = join(directory, 'belay.db');
    const from = performance.now();
    prefill(file, count);
    line(
      `prefilled with ${count}`,
      `${((performance.now() - from) / 1000).toFixed(0)} s, ${(statSync(file).size / 1e6).toFixed(0)} MB`,
    );
    const [store, openMs] = await timed(async () => {
      const opened = sqliteStore({ file });
      must(await opened.entries({ limit: 1 }));
      return opened;
    });
    line('open, first answer', `${openMs.toFixed(0)} ms`);
    tellWrites('prefilled ledger', await writeCosts(store, file));
    const [middle] = must(await store.entries({ updatedBeforeMs: FIRST_MS + count / 2, limit: 1 }));
    await tellQueries(store, count, middle?.key ?? '');
    await tellPrune(store, file);
    await store.close();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

await main();

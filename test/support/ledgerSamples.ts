// Ledgers with a bit of everything, for tests of damaged files.
import { readFileSync, writeFileSync } from 'node:fs';
import type { DecisionEvent } from '../../src/core/events.ts';
import type { EntryState, LedgerEntry } from '../../src/core/ledger/entry.ts';
import type { RandomPort } from '../../src/engine/ports.ts';
import { directStore } from './directStore.ts';
import { changeOf, intentOf } from './memoryEntries.ts';

const WAYS: readonly (readonly EntryState[])[] = [
  [],
  ['COMMITTED'],
  ['FAILED'],
  ['UNKNOWN'],
  ['UNKNOWN', 'RECONCILED_COMMITTED'],
  ['UNKNOWN', 'RECONCILED_ABSENT'],
  ['COMMITTED', 'COMPENSATED'],
];

/** Makes a ledger of `count` entries of all states in `file`, some larger than a page; returns the entries by key. */
export function sampleLedger(file: string, count: number): ReadonlyMap<string, LedgerEntry> {
  const store = directStore(file);
  store.database.exec('BEGIN');
  for (let i = 0; i < count; i++) {
    const title = i % 50 === 7 ? `c${i} ${'long '.repeat(2000)}` : `c${i} ${'word '.repeat(i % 17)}`;
    const prepare = intentOf(`c${i}`, i % 3 === 0 ? 'R1' : 'R2', {
      title,
      task: `task ${i % 9}`,
      paths: [`f${i % 5}`],
    });
    const ways = WAYS[i % WAYS.length] ?? [];
    const changes = ways.map((to, step) => ({ ...changeOf(prepare.key, to, step + 1), atMs: 2000 + i }));
    store.run({ method: 'write', transaction: { prepare, changes } });
    const event: DecisionEvent = {
      seq: i,
      atMs: i,
      ids: { tenant: 't', client: 'c', task: `task ${i % 9}`, step: 1 },
      body: { type: 'step-started', title: `s${i}` },
    };
    store.run({ method: 'appendEvents', events: [event] });
  }
  store.run({ method: 'saveDocument', name: 'd', text: 'a document' });
  const transaction = {
    budget: { task: 'task 1', stepUsed: {}, taskUsed: 2 },
    checkpoint: { task: 'task 1', version: 1, state: '{"status":"running"}' },
  };
  store.run({ method: 'write', transaction });
  store.database.exec('COMMIT');
  const entries = store.run({ method: 'entries', filter: {} });
  store.close();
  return new Map(entries.map((entry) => [entry.key, entry]));
}

/** Changes random bytes of random pages (4 KiB, from 1); returns the pages it touched. */
export function damage(file: string, random: RandomPort, pages: number): ReadonlySet<number> {
  const bytes = readFileSync(file);
  const touched = new Set<number>();
  const pageCount = Math.floor(bytes.length / 4096);
  for (let i = 0; i < pages; i++) {
    const page = Math.floor(random.next() * pageCount);
    const flips = random.next() < 0.3 ? 4096 : 1 + Math.floor(random.next() * 20);
    for (let flip = 0; flip < flips; flip++) {
      const at = page * 4096 + (flips === 4096 ? flip : Math.floor(random.next() * 4096));
      bytes[at] = (bytes[at] ?? 0) ^ (1 + Math.floor(random.next() * 255));
    }
    touched.add(page + 1);
  }
  writeFileSync(file, bytes);
  return touched;
}

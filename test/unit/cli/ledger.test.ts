// `belay ledger`: what it prints, how it ends, and what it leaves alone.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realClock } from '../../../src/adapters/time/realClock.ts';
import { SAME_EFFECT } from '../../../src/core/ledger/rivals.ts';
import { ledgerContent } from '../../../src/cli/ledgerContent.ts';
import { exportLedger } from '../../../src/cli/ledgerExport.ts';
import { listLedger, showEntry } from '../../../src/cli/ledgerList.ts';
import { purgeLedger } from '../../../src/cli/ledgerPurge.ts';
import { reconcileLedger } from '../../../src/cli/ledgerReconcile.ts';
import { changeOf, intentOf, must } from '../../support/memoryEntries.ts';
import { ledgerWorld } from './ledgerWorld.ts';
import type { LedgerWorld } from './ledgerWorld.ts';

let world: LedgerWorld;
beforeEach(() => {
  world = ledgerWorld();
});
afterEach(() => world.dispose());

/** An entry of which nobody knows whether it happened. `follows`: it is the same effect as that entry. */
async function unknownEntry(name: string, follows?: string): Promise<string> {
  const probe = follows === undefined ? null : { kind: SAME_EFFECT, data: { key: follows } };
  const intent = intentOf(name, 'R2', { preparedAtMs: realClock().nowMs(), probe });
  await world.withStore(async (store) => {
    must(await store.write({ prepare: intent }));
    must(await store.write({ changes: [{ ...changeOf(intent.key, 'UNKNOWN', 1), atMs: realClock().nowMs() }] }));
  });
  return intent.key;
}

describe('a ledger that does not exist', () => {
  it('is told by its place where it was named, with nothing on standard output, and is not made', async () => {
    const { context, lines, messages } = world.context();
    expect(await listLedger(context, { db: world.db })).toBe(0);
    expect(await purgeLedger(context, { db: world.db, keep: '1', dryRun: true })).toBe(0);
    expect(await reconcileLedger(context, undefined, { db: world.db })).toBe(0);
    expect(messages).toEqual(
      ['list', 'purge', 'reconcile'].map(
        (name) => `belay ledger ${name}: there is no ledger at ${world.db}; check what --db names.`,
      ),
    );
    expect([lines.length, existsSync(world.db)]).toEqual([1, false]);
  });

  it('is just empty where none was named', async () => {
    const { context, lines, messages } = world.context();
    expect(await listLedger({ ...context, env: { XDG_DATA_HOME: world.folder } }, {})).toBe(0);
    expect([lines, messages]).toEqual([[], []]);
  });
});

describe('options', () => {
  it('are refused when they name no task or are no plain number', async () => {
    const { context, messages } = world.context();
    for (const task of ['', ' ']) expect(await purgeLedger(context, { db: world.db, task })).toBe(2);
    for (const limit of ['', ' 1', '0x10', '1e3']) expect(await listLedger(context, { db: world.db, limit })).toBe(2);
    expect(messages[0]).toContain('--task is empty');
    expect(messages.at(-1)).toContain('--limit must be a whole number from 1, not "1e3"');
  });
});

describe('list', () => {
  it('prints the fields of the contract, newest first, one JSON line each', async () => {
    world.put('a.txt', 'a\n');
    const first = await world.edit('a.txt', 'a', 'b');
    const second = await world.edit('a.txt', 'b', 'c');
    const { context, json } = world.context();
    expect(await listLedger(context, { db: world.db })).toBe(0);
    expect(json().map(({ key }) => key)).toEqual([second, first]);
    expect(Object.keys(json()[0] ?? {})).toEqual([
      'key',
      'task',
      'step',
      'tool',
      'level',
      'state',
      'preparedAt',
      'evidence',
    ]);
    expect(json()[0]).toMatchObject({ task: 'task-1', step: 2, tool: 'edit', level: 'R2', state: 'COMMITTED' });
  });

  it.each([
    ['--task', { task: 'other' }, 1],
    ['--state in small letters', { state: 'committed' }, 3],
    ['--state', { state: 'UNKNOWN' }, 0],
    ['--file', { file: 'b.txt' }, 1],
    ['--tool', { tool: 'shell' }, 0],
    ['--since', { since: '1h' }, 3],
    ['--until', { until: '1h' }, 0],
    ['--until a date', { until: '2020-01-01' }, 0],
    ['--limit', { limit: '2' }, 2],
  ])('narrows by %s', async (_name, options, count) => {
    world.put('a.txt', 'a\n');
    world.put('b.txt', 'a\n');
    await world.edit('a.txt', 'a', 'b');
    await world.edit('b.txt', 'a', 'b', 'other');
    await world.edit('a.txt', 'b', 'c');
    const { context, lines } = world.context();
    expect(await listLedger(context, { db: world.db, ...options })).toBe(0);
    expect(lines).toHaveLength(count);
  });

  it.each([
    [{ state: 'DONE' }, '--state must be one of PREPARED'],
    [{ since: 'yesterday' }, '--since must be a time ago such as 2h'],
    [{ limit: '0' }, '--limit must be a whole number from 1'],
    [{ limit: '' }, '--limit must be a whole number from 1'],
    [{ workspace: 'missing' }, 'is not a folder'],
    [{ db: '.' }, 'is not a file'],
  ])('refuses %j with one clear message', async (options, message) => {
    const { context, lines, messages } = world.context();
    expect(await listLedger(context, { db: world.db, ...options })).toBe(2);
    expect(lines).toEqual([]);
    expect(messages).toEqual([expect.stringContaining(message)]);
  });

  it('prints a table for people, without what a terminal would act on', async () => {
    await world.withStore(async (store) => must(await store.write({ prepare: intentOf('ls \u001b[31m\nx') })));
    const { context, lines } = world.context();
    expect(await listLedger(context, { db: world.db, text: true })).toBe(0);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^KEY +WHEN +TASK/);
    expect(lines[1]).not.toMatch(/\p{Cc}/u);
  });
});

describe('show', () => {
  it('takes the first digits of a key and tells history and files', async () => {
    world.put('a.txt', 'a\n');
    const key = await world.edit('a.txt', 'a', 'b');
    const { context, json } = world.context();
    expect(await showEntry(context, key.slice(0, 8), { db: world.db })).toBe(0);
    expect(json()).toMatchObject([
      {
        key,
        title: 'edit a.txt',
        paths: ['a.txt'],
        files: [{ path: 'a.txt' }],
        history: [{ to: 'PREPARED' }, { to: 'COMMITTED' }],
      },
    ]);
  });

  it('names the entries that an ambiguous key may mean', async () => {
    const keys = ['aaaa1'.padEnd(64, '0'), 'aaaa2'.padEnd(64, '0')];
    await world.withStore(async (store) => {
      for (const key of keys) must(await store.write({ prepare: intentOf(key, 'R2', { key }) }));
    });
    const { context, messages } = world.context();
    expect(await showEntry(context, 'aaaa', { db: world.db })).toBe(2);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain('aaaa100000');
    expect(messages[0]).toContain('aaaa200000');
  });

  it.each(['zz', 'abc', 'deadbeef', "'; DROP TABLE entries"])('says so of the key %s, which is none', async (key) => {
    await world.withStore((store) => store.write({ prepare: intentOf('x') }));
    const { context, messages } = world.context();
    expect(await showEntry(context, key, { db: world.db })).toBe(2);
    expect(messages).toHaveLength(1);
  });
});

describe('reconcile', () => {
  it('has nothing to do without a ledger', async () => {
    const { context } = world.context();
    expect(await reconcileLedger(context, undefined, { db: world.db })).toBe(0);
    expect(existsSync(world.db)).toBe(false);
  });

  it('ends with 1 while something stays unknown, and says how to decide', async () => {
    const key = await unknownEntry('nobody knows');
    const { context, json } = world.context();
    expect(await reconcileLedger(context, undefined, { db: world.db })).toBe(1);
    expect(json()).toMatchObject([
      { key, state: 'UNKNOWN', changed: false, message: expect.stringContaining('reconcile') as string },
    ]);
  });

  it.each([
    ['committed', 'RECONCILED_COMMITTED'],
    ['absent', 'RECONCILED_ABSENT'],
  ])("takes a person's word with his reason: %s", async (word, state) => {
    const key = await unknownEntry('nobody knows');
    const { context, json } = world.context('y\n');
    expect(await reconcileLedger(context, key, { db: world.db, as: word, note: 'I looked' })).toBe(0);
    expect(json()).toMatchObject([{ key, from: 'UNKNOWN', state, changed: true }]);
    const entry = await world.withStore(async (store) => must(await store.entry(key)));
    expect(entry).toMatchObject({
      state,
      evidence: { source: 'person', detail: expect.stringContaining('I looked') as string },
    });
  });

  it('takes his word about an effect that was asked for twice once, and settles both entries', async () => {
    const leader = await unknownEntry('nobody knows');
    const follower = await unknownEntry('nobody knows, again', leader);
    const listed = world.context();
    expect(await listLedger(listed.context, { db: world.db })).toBe(0);
    expect(listed.json()).toMatchObject([{ key: follower, follows: leader }, { key: leader }]);
    expect(listed.json()[1]).not.toHaveProperty('follows');
    const table = world.context();
    await listLedger(table.context, { db: world.db, text: true });
    expect(table.lines.join('\n')).toContain(`again (same effect as ${leader.slice(0, 12)}, decided there)`);
    const found = world.context();
    expect(await reconcileLedger(found.context, undefined, { db: world.db })).toBe(1);
    expect(found.json().map(({ key }) => key)).toEqual([leader]);
    const { context, json } = world.context('y\n');
    expect(await reconcileLedger(context, follower, { db: world.db, as: 'absent', note: 'I looked' })).toBe(0);
    expect(json()).toMatchObject([{ key: follower, from: 'UNKNOWN', state: 'RECONCILED_ABSENT', changed: true }]);
    const now = world.context();
    await listLedger(now.context, { db: world.db });
    expect(now.json().map(({ state }) => state)).toEqual(['RECONCILED_ABSENT', 'RECONCILED_ABSENT']);
    expect(await reconcileLedger(world.context().context, undefined, { db: world.db })).toBe(0);
  });

  it.each([['n\n'], ['\n'], ['yeah\n']])('changes nothing when the person does not say yes but %j', async (typed) => {
    const key = await unknownEntry('nobody knows');
    const { context } = world.context(typed);
    expect(await reconcileLedger(context, key, { db: world.db, as: 'absent', note: 'so' })).toBe(1);
    expect(await world.withStore(async (store) => must(await store.entry(key)))).toMatchObject({ state: 'UNKNOWN' });
  });

  it('needs --yes where nobody can be asked', async () => {
    const key = await unknownEntry('nobody knows');
    const { context } = world.context();
    expect(await reconcileLedger(context, key, { db: world.db, as: 'absent', note: 'so' })).toBe(1);
    expect(await reconcileLedger(context, key, { db: world.db, as: 'absent', note: 'so', yes: true })).toBe(0);
  });

  it.each([
    [undefined, { as: 'absent', note: 'x' }, '--as needs the key'],
    ['deadbeef', { as: 'maybe', note: 'x' }, '--as must be committed or absent'],
    ['deadbeef', { as: 'absent' }, '--as needs --note'],
    ['deadbeef', { note: 'x' }, '--note belongs to --as'],
  ])('refuses %s with %j', async (key, options, message) => {
    const { context, messages } = world.context();
    expect(await reconcileLedger(context, key, { db: world.db, ...options })).toBe(2);
    expect(messages).toEqual([expect.stringContaining(message)]);
  });

  it('refuses to decide what is settled', async () => {
    world.put('a.txt', 'a\n');
    const key = await world.edit('a.txt', 'a', 'b');
    const { context, messages } = world.context();
    expect(await reconcileLedger(context, key, { db: world.db, as: 'absent', note: 'x', yes: true })).toBe(1);
    expect(messages.join()).toContain('COMMITTED');
  });
});

describe('content', () => {
  it('writes what a file held before and after an entry to a new file, byte for byte', async () => {
    world.put('a.txt', 'one\r\ntwo');
    const key = await world.edit('a.txt', 'two', 'zwei');
    const { context, json } = world.context();
    expect(await ledgerContent(context, key.slice(0, 12), 'a.txt', { db: world.db, out: 'old.txt' })).toBe(0);
    expect(await ledgerContent(context, key, 'a.txt', { db: world.db, out: 'new.txt', after: true })).toBe(0);
    expect(readFileSync(join(context.cwd, 'old.txt'), 'utf8')).toBe('one\r\ntwo');
    expect(readFileSync(join(context.cwd, 'new.txt'), 'utf8')).toBe('one\r\nzwei');
    expect(json()).toMatchObject([{ path: 'a.txt', when: 'before', bytes: 8 }, { when: 'after' }]);
  });

  it.each([
    ['a file that the entry does not know', 'b.txt', 'other.txt', 'does not know b.txt; it changed a.txt'],
    ['a file that exists', 'a.txt', 'a.txt', 'exists already'],
    ['a place that is not there', 'a.txt', 'no/such/place.txt', 'cannot be made'],
    ['no place', 'a.txt', ' ', '--out must name a file'],
  ])('refuses %s, and writes nothing', async (_what, path, out, words) => {
    world.put('a.txt', 'a\n');
    const key = await world.edit('a.txt', 'a', 'b');
    const { context, messages } = world.context();
    expect(await ledgerContent({ ...context, cwd: world.workspace }, key, path, { db: world.db, out })).toBe(2);
    expect(messages.join()).toContain(words);
    expect(readFileSync(join(world.workspace, 'a.txt'), 'utf8')).toBe('b\n');
  });
});

describe('export', () => {
  const canary = 'sk-canary0123456789abcdef0123';

  it('writes entries, history and events, and never a secret', async () => {
    world.put('a.txt', 'a\n');
    const key = await world.edit('a.txt', 'a', 'b');
    await world.withStore(async (store) => {
      // Stored by a version that did not mask it.
      const intent = intentOf('old', 'R1', {
        argsText: JSON.stringify({ command: `deploy --token ${canary}` }),
        title: canary,
      });
      must(await store.write({ prepare: intent }));
      const evidence = {
        source: 'exit',
        detail: 'exit code 0',
        stdout: `password=${canary}`,
        stderr: `Bearer ${canary}`,
      };
      must(await store.write({ changes: [changeOf(intent.key, 'COMMITTED', 1, evidence)] }));
      const ids = { tenant: 'tenant', task: 'task', step: 1, call: null, attempt: null };
      const event = { seq: 1, atMs: 1, ids, body: { type: 'notice', severity: 'info', message: canary, remedy: '' } };
      // The store keeps events as they are; the test needs only one that holds the canary.
      must(await store.appendEvents([event as never]));
    });
    const { context, json } = world.context();
    expect(await exportLedger(context, { db: world.db, out: 'out.jsonl' })).toBe(0);
    const text = readFileSync(join(world.workspace, 'out.jsonl'), 'utf8');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; key?: string });
    expect(text).not.toContain(canary);
    expect(lines.map(({ kind }) => kind).sort()).toEqual(['entry', 'entry', 'event']);
    expect(lines.find((line) => line.key === key)).toMatchObject({
      history: [{ to: 'PREPARED' }, { to: 'COMMITTED' }],
    });
    expect(json()).toMatchObject([{ entries: 2, events: 1 }]);
  });

  it('overwrites no file', async () => {
    world.put('out.jsonl', 'mine');
    const { context, messages } = world.context();
    expect(await exportLedger(context, { db: world.db, out: 'out.jsonl' })).toBe(2);
    expect(messages[0]).toContain('exists already');
    expect(world.file('out.jsonl')).toBe('mine');
  });
});

describe('purge', () => {
  it('forgets nothing by accident', async () => {
    const { context, messages } = world.context();
    expect(await purgeLedger(context, { db: world.db })).toBe(2);
    expect(messages[0]).toContain('say what to forget');
  });

  it('counts in a dry run, forgets settled entries, and keeps open ones', async () => {
    world.put('a.txt', 'a\n');
    await world.edit('a.txt', 'a', 'b', 'over');
    const open = await unknownEntry('open');
    const count = async (): Promise<number> => world.withStore(async (store) => must(await store.entries({})).length);
    const dry = world.context();
    expect(await purgeLedger(dry.context, { db: world.db, keep: '0', dryRun: true })).toBe(0);
    expect(dry.json()).toMatchObject([{ entries: 1, dryRun: true }]);
    expect(await count()).toBe(2);
    const real = world.context();
    expect(await purgeLedger(real.context, { db: world.db, keep: '0' })).toBe(0);
    expect(real.json()).toMatchObject([{ entries: 1, dryRun: false }]);
    expect(await world.withStore(async (store) => must(await store.entries({})).map(({ key }) => key))).toEqual([open]);
  });

  it.each([
    [{ olderThan: '30' }, '--older-than must be a time such as'],
    [{ keep: '-1' }, '--keep must be a whole number'],
  ])('refuses %j', async (options, message) => {
    const { context, messages } = world.context();
    expect(await purgeLedger(context, { db: world.db, ...options })).toBe(2);
    expect(messages).toEqual([expect.stringContaining(message)]);
  });
});

describe('the program', () => {
  const belay = (
    ...words: string[]
  ): { readonly status: number | null; readonly stdout: string; readonly stderr: string } =>
    spawnSync(process.execPath, ['--no-warnings', 'src/cli/main.ts', 'ledger', ...words], { encoding: 'utf8' });

  it('knows the commands of the ledger and explains them', () => {
    const { status, stdout } = belay('--help');
    expect(status).toBe(0);
    for (const name of ['list', 'show', 'content', 'reconcile', 'undo', 'export', 'purge', 'rescue'])
      expect(stdout).toContain(`  ${name} `);
    expect(stdout).toContain('Exit code: 0 done');
  });

  it('prints JSON lines where nobody looks at a terminal, and names wrong input', async () => {
    world.put('a.txt', 'a\n');
    const key = await world.edit('a.txt', 'a', 'b');
    const listed = belay('list', '--db', world.db);
    expect(listed).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(listed.stdout)).toMatchObject({ key });
    expect(belay('list', '--db', world.db, '--state', 'x').status).toBe(2);
    expect(belay('undo', '--db', world.db).status).toBe(2);
  });
});

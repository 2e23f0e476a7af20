// `belay ledger undo`: prints the paths it would touch and touches only those.
import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { undoLedger } from '../../../src/cli/ledgerUndo.ts';
import { ledgerWorld } from './ledgerWorld.ts';
import type { LedgerWorld } from './ledgerWorld.ts';

let world: LedgerWorld;
beforeEach(() => {
  world = ledgerWorld();
});
afterEach(() => world.dispose());

const paths = (lines: readonly Readonly<Record<string, unknown>>[]): unknown[] =>
  lines.flatMap(({ path }) => (path === undefined ? [] : [path]));

describe('belay ledger undo', () => {
  it('prints in a dry run exactly the paths that it then writes, and writes nothing before', async () => {
    world.put('a.txt', 'a\n');
    world.put('mine.txt', 'mine\n');
    const key = await world.edit('a.txt', 'a', 'b');
    await world.edit('new.txt', '', 'new\n');
    const dry = world.context();
    expect(await undoLedger(dry.context, [], { db: world.db, task: 'task-1', dryRun: true })).toBe(0);
    expect(paths(dry.json())).toEqual(['a.txt', 'new.txt']);
    expect(world.file('a.txt')).toBe('b\n');
    const real = world.context();
    expect(await undoLedger(real.context, [], { db: world.db, task: 'task-1', yes: true })).toBe(0);
    expect(paths(real.json())).toEqual(['a.txt', 'new.txt']);
    expect(world.file('a.txt')).toBe('a\n');
    expect(world.file('mine.txt')).toBe('mine\n');
    expect(existsSync(`${world.workspace}/new.txt`)).toBe(false);
    const again = world.context();
    expect(await undoLedger(again.context, [key.slice(0, 10)], { db: world.db, yes: true })).toBe(0);
    expect(paths(again.json())).toEqual([]);
    expect(again.json()).toMatchObject([{ key, why: 'undone' }, { result: 'nothing' }]);
  });

  it('redoes by the keys it printed', async () => {
    world.put('a.txt', 'a\n');
    const key = await world.edit('a.txt', 'a', 'b');
    const first = world.context();
    await undoLedger(first.context, [key], { db: world.db, yes: true });
    const keys = first.json().at(-1)?.undo;
    const redo = world.context();
    expect(
      await undoLedger(redo.context, Array.isArray(keys) ? keys.map(String) : [], { db: world.db, yes: true }),
    ).toBe(0);
    expect(world.file('a.txt')).toBe('b\n');
  });

  it('ends with 1 where a file is left, and tells both versions', async () => {
    world.put('a.txt', 'a\n');
    const key = await world.edit('a.txt', 'a', 'b');
    world.put('a.txt', 'c\n');
    const { context, json, messages } = world.context();
    expect(await undoLedger(context, [key], { db: world.db, yes: true })).toBe(1);
    expect(messages.join()).toContain('Nothing was written: the file was left as it is.');
    expect(json()[0]).toMatchObject({
      left: 'a.txt',
      reason: 'changed',
      now: expect.any(String) as string,
      before: expect.any(String) as string,
    });
    expect(world.file('a.txt')).toBe('c\n');
  });

  it('asks at a terminal and does nothing unless the person says yes', async () => {
    world.put('a.txt', 'a\n');
    const key = await world.edit('a.txt', 'a', 'b');
    const no = world.context('n\n');
    expect(await undoLedger(no.context, [key], { db: world.db })).toBe(1);
    expect(no.messages.join('\n')).toContain('a.txt');
    expect(world.file('a.txt')).toBe('b\n');
    const nobody = world.context();
    expect(await undoLedger(nobody.context, [key], { db: world.db })).toBe(1);
    expect(nobody.messages.join('\n')).toContain('--yes');
    expect(world.file('a.txt')).toBe('b\n');
    const yes = world.context('y\n');
    expect(await undoLedger(yes.context, [key], { db: world.db })).toBe(0);
    expect(world.file('a.txt')).toBe('a\n');
  });

  it('prints lines for people with --text', async () => {
    world.put('a.txt', 'a\n');
    const key = await world.edit('a.txt', 'a', 'b');
    const { context, lines } = world.context();
    expect(await undoLedger(context, [key], { db: world.db, yes: true, text: true })).toBe(0);
    expect(lines).toEqual([
      'restore  a.txt',
      expect.stringMatching(/^To have it again: belay ledger undo [0-9a-f]{12}$/),
    ]);
  });

  it('touches no file of another workspace', async () => {
    world.put('a.txt', 'a\n');
    const key = await world.edit('a.txt', 'a', 'b');
    const { context, json } = world.context();
    expect(await undoLedger(context, [key], { db: world.db, yes: true, workspace: world.folder })).toBe(1);
    expect(json()[0]).toMatchObject({ key, why: 'foreign' });
    expect(world.file('a.txt')).toBe('b\n');
  });

  it.each([
    [[], {}, 'say what to undo'],
    [['deadbeef'], { task: 't' }, 'not both'],
    [['deadbeef'], { fromStep: '1' }, '--from-step needs --task'],
    [[], { task: 't', fromStep: 'x' }, '--from-step must be a whole number'],
    [['deadbeef'], {}, 'there is no ledger'],
  ])('refuses %j with %j', async (keys, options, message) => {
    const { context, messages } = world.context();
    expect(await undoLedger(context, keys, { db: world.db, ...options })).toBe(2);
    expect(messages).toEqual([expect.stringContaining(message)]);
    expect(existsSync(world.db)).toBe(false);
  });
});

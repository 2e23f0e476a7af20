// Edits of several files: all of them or none, told file by file.
import { describe, expect, it } from 'vitest';
import type { EditSet } from '../../../src/core/edits/editSet.ts';
import { sha256Hex } from '../../../src/core/ledger/key.ts';
import { applyGuardedEdit } from '../../../src/engine/guardedEdit.ts';
import type { EditOutcome } from '../../../src/engine/guardedEdit.ts';
import { must } from '../../support/memoryEntries.ts';
import { editInput, editsInput, memoryWorld } from '../../support/memoryWorld.ts';
import type { MemoryWorld } from '../../support/memoryWorld.ts';

type Files = EditSet['files'];

const blocks = (path: string, search: string, replace: string): Files[number] => ({
  kind: 'blocks',
  path,
  blocks: [{ search, replace }],
});
const edit = (world: MemoryWorld, files: Files): Promise<EditOutcome> =>
  applyGuardedEdit(world.ports, editsInput(world, files));
const outcomesOf = ({ files }: EditOutcome): readonly string[] =>
  files.map(({ path, outcome }) => `${path} ${outcome}`);
const SEVERAL: Files = [
  blocks('a.txt', 'one', '1'),
  { kind: 'create', path: 'new/b.txt', text: 'made\n' },
  { kind: 'move', path: 'c.txt', moveTo: 'moved/c.txt' },
  { kind: 'delete', path: 'd.txt' },
];
const FILES = { 'a.txt': 'one\n', 'c.txt': 'three\n', 'd.txt': 'four\n' };

describe('a guarded edit of several files', () => {
  it('edits, creates, moves and deletes in one ledger entry that knows every file', async () => {
    const world = memoryWorld({ files: FILES });
    world.files.modes.set('c.txt', 0o755);
    const outcome = await edit(world, SEVERAL);
    expect(outcome).toMatchObject({ state: 'COMMITTED', result: 'done', ran: true, isError: false, level: 'R3' });
    expect(outcomesOf(outcome)).toEqual(['a.txt applied', 'new/b.txt applied', 'c.txt applied', 'd.txt applied']);
    expect(world.files.contents.keys()).toEqual(['a.txt', 'moved/c.txt', 'new/b.txt']);
    expect(world.files.contents.get('moved/c.txt')).toBe('three\n');
    expect(world.files.modes.get('moved/c.txt')).toBe(0o755);
    const [entry] = must(await world.store.entries({}));
    expect(entry!.paths).toEqual(['a.txt', 'new/b.txt', 'c.txt', 'moved/c.txt', 'd.txt']);
    expect(entry!.evidence?.files).toEqual([
      { path: 'a.txt', beforeHash: sha256Hex('one\n'), afterHash: sha256Hex('1\n'), mode: 0o644 },
      { path: 'new/b.txt', beforeHash: null, afterHash: sha256Hex('made\n') },
      { path: 'moved/c.txt', beforeHash: null, afterHash: sha256Hex('three\n'), mode: 0o755 },
      { path: 'c.txt', beforeHash: sha256Hex('three\n'), afterHash: null, mode: 0o755 },
      { path: 'd.txt', beforeHash: sha256Hex('four\n'), afterHash: null, mode: 0o644 },
    ]);
    for (const text of ['one\n', 'three\n', 'four\n']) expect(world.files.before.has(sha256Hex(text))).toBe(true);
  });

  it('neither deletes nor moves the file behind a link that was named', async () => {
    const going: Files = [
      { kind: 'delete', path: 'alias.txt' },
      { kind: 'move', path: 'alias.txt', moveTo: 'other.txt' },
    ];
    for (const file of going) {
      const world = memoryWorld({ files: FILES });
      world.files.links.set('alias.txt', 'a.txt');
      const outcome = await edit(world, [file]);
      expect(outcome).toMatchObject({ result: 'failed', ran: false });
      expect(outcome.text).toContain('alias.txt is a symbolic link to a.txt and was neither deleted nor moved');
      expect(world.files.contents.keys()).toEqual(['a.txt', 'c.txt', 'd.txt']);
    }
  });

  it('asks a person before it deletes, naming what can be undone, and writes nothing after a no', async () => {
    const world = memoryWorld({ files: FILES, answer: 'deny' });
    const outcome = await edit(world, SEVERAL);
    expect(outcome).toMatchObject({ result: 'refused', ran: false, state: null });
    expect(outcomesOf(outcome)).toEqual(['a.txt possible', 'new/b.txt possible', 'c.txt possible', 'd.txt possible']);
    expect(world.questions).toMatchObject([{ level: 'R3', reasons: [expect.stringContaining('can be undone')] }]);
    expect(world.files.contents.keys()).toEqual(['a.txt', 'c.txt', 'd.txt']);
  });

  it('writes nothing when one block of one file is not found, and says what became of every other', async () => {
    const world = memoryWorld({ files: { ...FILES, 'e.txt': 'x\nx\n', 'f.txt': 'done\n' } });
    const outcome = await edit(world, [
      blocks('a.txt', 'one', '1'),
      {
        kind: 'blocks',
        path: 'c.txt',
        blocks: [
          { search: 'three', replace: '3' },
          { search: 'nowhere', replace: 'x' },
        ],
      },
      blocks('e.txt', 'x', 'y'),
      blocks('f.txt', 'to do', 'done'),
      { kind: 'delete', path: 'd.txt' },
    ]);
    expect(outcome).toMatchObject({ result: 'failed', ran: false, state: null, isError: true });
    expect(outcomesOf(outcome)).toEqual([
      'a.txt possible',
      'c.txt failed',
      'e.txt failed',
      'f.txt needless',
      'd.txt possible',
    ]);
    expect(outcome.files[1]!.blocks.map((block) => block.outcome)).toEqual(['applied', 'not-found']);
    expect(outcome.files[2]!.blocks.map((block) => block.outcome)).toEqual(['several']);
    expect(outcome.text).toContain('2 of 5 cannot be edited');
    for (const path of ['a.txt', 'c.txt', 'e.txt', 'f.txt', 'd.txt']) expect(outcome.text).toContain(path);
    expect(world.questions).toEqual([]);
    expect(world.files.contents.get('a.txt')).toBe('one\n');
    expect(world.files.contents.get('d.txt')).toBe('four\n');
    expect(must(await world.store.entries({}))).toEqual([]);
  });

  it('is FAILED when a write fails and the others were put back, and names the cause', async () => {
    const world = memoryWorld({ files: FILES });
    world.files.trouble = ({ step, path }) =>
      step === 'change' && path === 'd.txt' ? 'd.txt could not be written since the disk is full.' : null;
    const outcome = await edit(world, SEVERAL);
    expect(outcome).toMatchObject({ state: 'FAILED', result: 'failed', ran: false, isError: true });
    expect(outcomesOf(outcome)).toEqual(['a.txt restored', 'new/b.txt restored', 'c.txt restored', 'd.txt untouched']);
    expect(outcome.text).toContain('disk is full');
    expect(world.files.contents.keys()).toEqual(['a.txt', 'c.txt', 'd.txt']);
    expect(world.files.contents.get('a.txt')).toBe('one\n');
  });

  it('is UNKNOWN when a file cannot be brought back, and names every file with its fate', async () => {
    const world = memoryWorld({ files: FILES });
    world.files.trouble = ({ step, path }) => {
      if (step === 'change' && path === 'd.txt') return 'd.txt is locked.';
      return step === 'restore' && path === 'a.txt' ? 'a.txt is locked' : null;
    };
    const outcome = await edit(world, SEVERAL);
    expect(outcome).toMatchObject({ state: 'UNKNOWN', result: 'unknown', ran: true, isError: true });
    expect(outcomesOf(outcome)).toEqual(['a.txt damaged', 'new/b.txt restored', 'c.txt restored', 'd.txt untouched']);
    for (const fate of ['a.txt was changed and could not be brought back', 'new/b.txt has its old content again'])
      expect(outcome.text).toContain(fate);
    expect(world.files.contents.get('a.txt')).toBe('1\n');
  });

  it('has its entry on the disk before the first byte changes, with every file as it was and will be', async () => {
    const world = memoryWorld({ files: FILES });
    const seen: string[] = [];
    world.files.trouble = ({ step }) => {
      if (step !== 'stage') return null;
      void world.store.entries({}).then((listed) => {
        for (const { state, probe } of must(listed)) seen.push(`${state} ${JSON.stringify(probe?.data)}`);
      });
      return null;
    };
    await edit(world, SEVERAL);
    expect(seen.length).toBeGreaterThan(0);
    for (const one of seen) {
      expect(one).toContain('PREPARED');
      for (const path of ['a.txt', 'new/b.txt', 'moved/c.txt', 'c.txt', 'd.txt']) expect(one).toContain(`"${path}"`);
    }
  });

  it('writes nothing when a file changes while it is looked at or kept', async () => {
    const world = memoryWorld({ files: FILES });
    const { files } = world;
    let writes = 0;
    const byHand = (): void => files.contents.set('a.txt', `one by hand ${++writes}\n`);
    const look: typeof files.look = async (path) => {
      const before = await files.look(path);
      byHand();
      return before;
    };
    const saveBefore: typeof files.saveBefore = (path) => {
      byHand();
      return files.saveBefore(path);
    };
    for (const change of [{ look }, { saveBefore }]) {
      files.contents.set('a.txt', 'one\n');
      const ports = { ...world.ports, files: { ...files, ...change } };
      const outcome = await applyGuardedEdit(ports, editsInput(world, [blocks('a.txt', 'one', '1')]));
      expect(outcome).toMatchObject({ isError: true, ran: false, state: null });
      expect(files.contents.get('a.txt')).toBe(`one by hand ${writes}\n`);
    }
    expect(must(await world.store.entries({}))).toEqual([]);
  });

  it('does not believe a file port that reports success and has changed nothing', async () => {
    const world = memoryWorld({ files: FILES });
    const apply: typeof world.files.apply = (writes) =>
      Promise.resolve({
        ok: true,
        files: writes.map(({ path, expectedHash }) => ({ path, outcome: 'changed', hash: expectedHash, reason: null })),
        error: null,
      });
    const ports = { ...world.ports, files: { ...world.files, apply } };
    const outcome = await applyGuardedEdit(ports, editsInput(world, [blocks('a.txt', 'one', '1')]));
    expect(outcome).toMatchObject({ state: 'UNKNOWN', result: 'unknown', isError: true });
  });

  it('does not take a failure without hashes for an equal edit of somebody else', async () => {
    const world = memoryWorld({ files: FILES });
    const apply: typeof world.files.apply = (writes) =>
      Promise.resolve({
        ok: false,
        files: writes.map(({ path }) => ({ path, outcome: 'untouched', hash: null, reason: null })),
        error: 'not now',
      });
    const ports = { ...world.ports, files: { ...world.files, apply } };
    const outcome = await applyGuardedEdit(ports, editsInput(world, [{ kind: 'delete', path: 'd.txt' }]));
    expect(outcome).toMatchObject({ state: 'FAILED', result: 'failed', ran: false });
  });

  it('is RECONCILED_COMMITTED when an equal edit of everything came first', async () => {
    const world = memoryWorld({ files: FILES });
    world.files.trouble = ({ step }) => {
      if (step === 'stage') world.files.contents.set('a.txt', '1\n');
      return null;
    };
    const outcome = await edit(world, [blocks('a.txt', 'one', '1')]);
    expect(outcome).toMatchObject({ state: 'RECONCILED_COMMITTED', result: 'done', ran: false, isError: false });
  });

  it('needs no entry when every file is as asked, and leaves out those that are', async () => {
    const world = memoryWorld({ files: { 'a.txt': '1\n', 'c.txt': 'three\n' } });
    const needless = await edit(world, [blocks('a.txt', 'one', '1'), { kind: 'delete', path: 'gone.txt' }]);
    expect(needless).toMatchObject({ result: 'done', ran: false, state: null, isError: false });
    expect(must(await world.store.entries({}))).toEqual([]);
    const partly = await edit(world, [blocks('a.txt', 'one', '1'), blocks('c.txt', 'three', '3')]);
    expect(partly).toMatchObject({ state: 'COMMITTED', isError: false });
    expect(outcomesOf(partly)).toEqual(['a.txt needless', 'c.txt applied']);
    const [entry] = must(await world.store.entries({}));
    expect(entry!.evidence?.files?.map(({ path }) => path)).toEqual(['c.txt']);
  });

  it('refuses two parts for one file, also under two names', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'one\ntwo\n' } });
    world.files.links.set('link.txt', 'a.txt');
    for (const other of ['a.txt', './a.txt', '/repo/a.txt', 'link.txt']) {
      const outcome = await edit(world, [blocks('a.txt', 'one', '1'), blocks(other, 'two', '2')]);
      expect(outcome).toMatchObject({ result: 'failed', ran: false });
      expect(outcome.text).toContain('named twice');
    }
    expect(world.files.contents.get('a.txt')).toBe('one\ntwo\n');
  });

  it('moves to no place that is taken, and renames nothing by letter case alone', async () => {
    const world = memoryWorld({ files: FILES });
    const taken = await edit(world, [{ kind: 'move', path: 'c.txt', moveTo: 'a.txt' }]);
    expect(taken.text).toContain('exists already');
    const same = await edit(world, [{ kind: 'move', path: 'c.txt', moveTo: './c.txt' }]);
    expect(same).toMatchObject({ isError: true, ran: false });
    expect(world.files.contents.keys()).toEqual(['a.txt', 'c.txt', 'd.txt']);
  });

  it('moves and deletes files that are no text', async () => {
    const world = memoryWorld();
    world.files.bytes.set('a.png', Uint8Array.of(0x89, 0, 1));
    world.files.bytes.set('b.png', Uint8Array.of(0, 2));
    const outcome = await edit(world, [
      { kind: 'move', path: 'a.png', moveTo: 'c.png' },
      { kind: 'delete', path: 'b.png' },
    ]);
    expect(outcome).toMatchObject({ state: 'COMMITTED', isError: false });
    expect([...world.files.bytes]).toEqual([['c.png', Uint8Array.of(0x89, 0, 1)]]);
  });

  it('gives equal keys to one block in its short and its long form', async () => {
    const world = memoryWorld({ files: FILES });
    const short = await applyGuardedEdit(world.ports, editInput(world, 'a.txt', 'one', '1'));
    world.files.contents.set('a.txt', 'one\n');
    const long = await edit(world, [blocks('a.txt', 'one', '1')]);
    expect(long).toMatchObject({ key: short.key, ran: false, state: 'COMMITTED' });
  });

  it('is cancelled without a write when the signal is aborted while a person is asked', async () => {
    const world = memoryWorld({ files: FILES });
    const abort = new AbortController();
    const approval: typeof world.ports.approval = {
      ask: () => {
        abort.abort();
        return Promise.resolve({ choice: 'allow', note: '', by: 'Ada' });
      },
    };
    const input = editsInput(world, SEVERAL, { signal: abort.signal });
    const outcome = await applyGuardedEdit({ ...world.ports, approval }, input);
    expect(outcome).toMatchObject({ isError: true, ran: false, state: null });
    expect(world.files.contents.keys()).toEqual(['a.txt', 'c.txt', 'd.txt']);
  });

  it('refuses an edit of nothing, and one that is not valid Unicode', async () => {
    const world = memoryWorld({ files: FILES });
    expect(await edit(world, [])).toMatchObject({ isError: true, ran: false });
    expect(await edit(world, [{ kind: 'create', path: 'x.txt', text: '\ud800' }])).toMatchObject({ result: 'refused' });
    expect(world.files.contents.has('x.txt')).toBe(false);
  });

  it('stores no path and no text that holds a secret', async () => {
    const secret = 'ghp_0123456789abcdefghij0123456789abcdef';
    const world = memoryWorld({ files: { [`${secret}.txt`]: 'one\n' } });
    const outcome = await edit(world, [
      blocks(`${secret}.txt`, 'one', secret),
      { kind: 'create', path: 'b', text: secret },
    ]);
    expect(outcome).toMatchObject({ state: 'COMMITTED' });
    expect(JSON.stringify(must(await world.store.entries({})))).not.toContain(secret);
  });
});

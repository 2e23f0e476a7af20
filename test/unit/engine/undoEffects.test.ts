// Undo against the file port in memory: what is taken back, what stays, and what the ledger says afterwards.
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/core/ledger/key.ts';
import { must } from '../../support/memoryEntries.ts';
import { memoryWorld } from '../../support/memoryWorld.ts';
import {
  create,
  edit,
  entry,
  move,
  ofKeys,
  ofTask,
  remove,
  replace,
  TEN,
  texts,
  undo,
} from '../../support/undoWorld.ts';

describe('undo of one entry', () => {
  it('puts the old bytes back and settles both entries in one transaction', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'old\n', 'b.txt': 'other\n' } });
    const key = await edit(world, [replace('a.txt', 'old', 'new')]);
    const outcome = await undo(world, ofKeys(key));
    expect(outcome).toMatchObject({ result: 'done', compensations: [expect.any(String)] });
    expect(texts(world)).toEqual({ 'a.txt': 'old\n', 'b.txt': 'other\n' });
    const [compensation = ''] = outcome.compensations;
    expect(await entry(world, key)).toMatchObject({
      state: 'COMPENSATED',
      evidence: { source: 'undo', detail: `taken back by entry ${compensation}` },
    });
    expect(await entry(world, compensation)).toMatchObject({
      state: 'COMMITTED',
      tool: 'undo',
      compensates: key,
      argsText: JSON.stringify({ of: key }),
      paths: ['a.txt'],
      evidence: { files: [{ path: 'a.txt', beforeHash: sha256Hex('new\n'), afterHash: sha256Hex('old\n') }] },
    });
  });

  it('prepares the compensation durably before the first byte changes', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'old\n' } });
    const key = await edit(world, [replace('a.txt', 'old', 'new')]);
    const seen: (string | undefined)[] = [];
    const apply = world.files.apply.bind(world.files);
    world.files.apply = async (writes) => {
      const listed = must(await world.store.entries({ compensates: key }));
      seen.push(...listed.map(({ state }) => state), world.files.contents.get('a.txt'));
      return apply(writes);
    };
    await undo(world, ofKeys(key));
    expect(seen).toEqual(['PREPARED', 'new\n']);
  });

  it('deletes a file that Belay made and nobody changed, and brings a deleted one back with its mode', async () => {
    const world = memoryWorld({ files: { 'old.sh': 'run\n' } });
    world.files.modes.set('old.sh', 0o755);
    const key = await edit(world, [create('new.txt', 'x\n'), remove('old.sh')]);
    expect(texts(world)).toEqual({ 'new.txt': 'x\n' });
    world.files.modes.delete('old.sh');
    expect((await undo(world, ofKeys(key))).result).toBe('done');
    expect(texts(world)).toEqual({ 'old.sh': 'run\n' });
    expect(world.files.modes.get('old.sh')).toBe(0o755);
  });

  it("keeps a person's later lines by a three-way merge", async () => {
    const world = memoryWorld({ files: { 'a.txt': TEN } });
    const key = await edit(world, [replace('a.txt', '2\n', 'two\n')]);
    world.files.contents.set('a.txt', TEN.replace('2\n', 'two\n').replace('9\n', 'nine\n'));
    const outcome = await undo(world, ofKeys(key));
    expect(outcome.result).toBe('done');
    expect(outcome.files[0]?.file).toMatchObject({ action: 'write', isMerged: true });
    expect(texts(world)).toEqual({ 'a.txt': TEN.replace('9\n', 'nine\n') });
  });

  it('leaves a file whose changed lines a person changed again, names both versions, and may be asked again later', async () => {
    const world = memoryWorld({ files: { 'a.txt': TEN, 'b.txt': 'b\n' } });
    const key = await edit(world, [replace('a.txt', '2\n', 'two\n'), replace('b.txt', 'b', 'B')]);
    const changed = TEN.replace('2\n', 'mine\n');
    world.files.contents.set('a.txt', changed);
    const outcome = await undo(world, ofKeys(key));
    expect(outcome.result).toBe('partly');
    expect(outcome.files.map(({ file }) => [file.path, file.action])).toEqual([
      ['a.txt', 'left'],
      ['b.txt', 'write'],
    ]);
    expect(outcome.files[0]?.file).toMatchObject({
      reason: 'changed',
      nowHash: sha256Hex(changed),
      beforeHash: sha256Hex(TEN),
    });
    expect(texts(world)).toEqual({ 'a.txt': changed, 'b.txt': 'b\n' });
    expect((await entry(world, key)).state).toBe('COMMITTED');
    world.files.contents.set('a.txt', TEN.replace('2\n', 'two\n'));
    const again = await undo(world, ofKeys(key));
    expect(again.result).toBe('done');
    expect(again.compensations[0]).not.toBe(outcome.compensations[0]);
    expect(texts(world)).toEqual({ 'a.txt': TEN, 'b.txt': 'b\n' });
    expect((await entry(world, key)).state).toBe('COMPENSATED');
  });

  it('never deletes a file that was changed since Belay made it', async () => {
    const world = memoryWorld();
    const key = await edit(world, [create('new.txt', 'x\n')]);
    world.files.contents.set('new.txt', 'x\nmine\n');
    const outcome = await undo(world, ofKeys(key));
    expect(outcome.files[0]?.file).toMatchObject({ action: 'left', reason: 'made' });
    expect(texts(world)).toEqual({ 'new.txt': 'x\nmine\n' });
  });

  it('brings a deleted file back only where nothing stands', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'a\n' } });
    const key = await edit(world, [remove('a.txt')]);
    world.files.contents.set('a.txt', 'mine\n');
    const outcome = await undo(world, ofKeys(key));
    expect(outcome.files[0]?.file).toMatchObject({ action: 'left', reason: 'occupied' });
    expect(texts(world)).toEqual({ 'a.txt': 'mine\n' });
  });

  it('leaves a file deleted that a person deleted since, unless asked', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'a\n' } });
    const key = await edit(world, [replace('a.txt', 'a', 'b')]);
    world.files.contents.delete('a.txt');
    const outcome = await undo(world, ofKeys(key));
    expect(outcome).toMatchObject({ result: 'nothing', files: [{ file: { action: 'none', why: 'gone' } }] });
    expect(texts(world)).toEqual({});
    expect((await undo(world, ofKeys(key), { restoresDeleted: true })).result).toBe('done');
    expect(texts(world)).toEqual({ 'a.txt': 'a\n' });
  });

  it('takes a binary file back only by equal hash', async () => {
    const world = memoryWorld();
    world.files.bytes.set('i.bin', Uint8Array.of(0, 1, 2));
    const key = await edit(world, [remove('i.bin')]);
    expect((await undo(world, ofKeys(key))).result).toBe('done');
    expect(world.files.bytes.get('i.bin')).toEqual(Uint8Array.of(0, 1, 2));
  });

  it('moves a file back with whatever was written into it since', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'a\n' } });
    const key = await edit(world, [move('a.txt', 'sub/b.txt')]);
    world.files.contents.set('sub/b.txt', 'a\nmine\n');
    expect((await undo(world, ofKeys(key))).result).toBe('done');
    expect(texts(world)).toEqual({ 'a.txt': 'a\nmine\n' });
  });

  it('leaves both ends of a move where something else stands at the old place', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'a\n' } });
    const key = await edit(world, [move('a.txt', 'b.txt')]);
    world.files.contents.set('a.txt', 'new\n');
    const outcome = await undo(world, ofKeys(key));
    expect(outcome.files.map(({ file }) => [file.path, file.action])).toEqual([
      ['a.txt', 'left'],
      ['b.txt', 'left'],
    ]);
    expect(texts(world)).toEqual({ 'a.txt': 'new\n', 'b.txt': 'a\n' });
  });

  it('does not follow a link that stands at the path now', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'a\n', 'mine.txt': 'b\n' } });
    const key = await edit(world, [replace('a.txt', 'a', 'b')]);
    world.files.contents.delete('a.txt');
    world.files.links.set('a.txt', 'mine.txt');
    const outcome = await undo(world, ofKeys(key));
    expect(outcome.files[0]?.file).toMatchObject({ action: 'left', reason: 'blocked' });
    expect(texts(world)).toEqual({ 'mine.txt': 'b\n' });
  });

  it('refuses a merge whose bytes are not kept any more, and says so', async () => {
    const world = memoryWorld({ files: { 'a.txt': TEN } });
    const key = await edit(world, [replace('a.txt', '2\n', 'two\n')]);
    world.files.before.delete(sha256Hex(TEN.replace('2\n', 'two\n')));
    world.files.contents.set('a.txt', `${TEN.replace('2\n', 'two\n')}11\n`);
    const outcome = await undo(world, ofKeys(key));
    expect(outcome.files[0]?.file).toMatchObject({ action: 'left', reason: 'no-image' });
  });

  it('leaves a file whose old bytes are lost instead of failing for all', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } });
    const key = await edit(world, [replace('a.txt', 'a', 'A'), replace('b.txt', 'b', 'B')]);
    world.files.before.delete(sha256Hex('a\n'));
    expect((await undo(world, ofKeys(key))).result).toBe('partly');
    expect(texts(world)).toEqual({ 'a.txt': 'A\n', 'b.txt': 'b\n' });
  });

  it('names the later entry of another task that changed the same file', async () => {
    const world = memoryWorld({ files: { 'a.txt': TEN } });
    const key = await edit(world, [replace('a.txt', '2\n', 'two\n')]);
    const other = await edit(world, [replace('a.txt', '9\n', 'nine\n')], 'task-2');
    const outcome = await undo(world, ofKeys(key));
    expect(outcome).toMatchObject({ result: 'done', files: [{ alsoBy: [other] }] });
    expect(texts(world)).toEqual({ 'a.txt': TEN.replace('9\n', 'nine\n') });
  });

  it('is refused for an entry of another workspace', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'a\n' } });
    const key = await edit(world, [replace('a.txt', 'a', 'b')]);
    const outcome = await undo(world, ofKeys(key), { workspace: '/elsewhere' });
    expect(outcome).toMatchObject({ result: 'nothing', others: [{ why: 'foreign' }] });
    expect(texts(world)).toEqual({ 'a.txt': 'b\n' });
  });
});

describe('undo twice, redo, undo again', () => {
  it('answers the second undo from the ledger and writes nothing', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'old\n' } });
    const key = await edit(world, [replace('a.txt', 'old', 'new')]);
    await undo(world, ofKeys(key));
    world.files.contents.set('a.txt', 'new\n');
    const again = await undo(world, ofKeys(key));
    expect(again).toMatchObject({ result: 'nothing', compensations: [], others: [{ why: 'undone' }] });
    expect(texts(world)).toEqual({ 'a.txt': 'new\n' });
  });

  it('redoes by undoing the undo, keeps what was written between, and can be undone again', async () => {
    const world = memoryWorld({ files: { 'a.txt': TEN } });
    const key = await edit(world, [replace('a.txt', '2\n', 'two\n')]);
    const [first = ''] = (await undo(world, ofKeys(key))).compensations;
    world.files.contents.set('a.txt', TEN.replace('9\n', 'nine\n'));
    const redo = await undo(world, ofKeys(first));
    expect(redo.result).toBe('done');
    expect(texts(world)).toEqual({ 'a.txt': TEN.replace('9\n', 'nine\n').replace('2\n', 'two\n') });
    expect((await entry(world, redo.compensations[0] ?? '')).title).toMatch(/^redo edit/);
    const again = await undo(world, ofKeys(key));
    expect(again.result).toBe('done');
    expect((await entry(world, redo.compensations[0] ?? '')).state).toBe('COMPENSATED');
    expect(texts(world)).toEqual({ 'a.txt': TEN.replace('9\n', 'nine\n') });
  });
});

describe('restore of a task', () => {
  it('folds all changes of a file and keeps what a person wrote between and after them', async () => {
    const world = memoryWorld({ files: { 'a.txt': TEN, 'mine.txt': 'mine\n' } });
    await edit(world, [replace('a.txt', '2\n', 'two\n'), create('made.txt', 'm\n')]);
    world.files.contents.set('a.txt', `${world.files.contents.get('a.txt') ?? ''}between\n`);
    await edit(world, [replace('a.txt', '5\n', 'five\n')]);
    await edit(world, [replace('a.txt', 'five\n', 'fünf\n')]);
    world.files.contents.set('a.txt', `first\n${world.files.contents.get('a.txt') ?? ''}`);
    const outcome = await undo(world, ofTask());
    expect(outcome.result).toBe('done');
    expect(outcome.compensations).toHaveLength(3);
    expect(texts(world)).toEqual({ 'a.txt': `first\n${TEN}between\n`, 'mine.txt': 'mine\n' });
    const states = must(await world.store.entries({ task: 'task-1' })).map(({ tool, state }) => `${tool} ${state}`);
    expect(new Set(states)).toEqual(new Set(['undo COMMITTED', 'edit COMPENSATED']));
  });

  it('leaves the steps before the given one', async () => {
    const world = memoryWorld({ files: { 'a.txt': TEN } });
    await edit(world, [replace('a.txt', '2\n', 'two\n')], 'task-1', 1);
    await edit(world, [replace('a.txt', '5\n', 'five\n')], 'task-1', 2);
    await edit(world, [replace('a.txt', '8\n', 'eight\n')], 'task-1', 3);
    expect((await undo(world, ofTask('task-1', 2))).result).toBe('done');
    expect(texts(world)).toEqual({ 'a.txt': TEN.replace('2\n', 'two\n') });
  });

  it('follows a file through edits and moves', async () => {
    const world = memoryWorld({ files: { 'a.txt': TEN } });
    await edit(world, [replace('a.txt', '2\n', 'two\n')]);
    await edit(world, [move('a.txt', 'b.txt')]);
    await edit(world, [replace('b.txt', '5\n', 'five\n')]);
    world.files.contents.set('b.txt', `${world.files.contents.get('b.txt') ?? ''}mine\n`);
    await edit(world, [move('b.txt', 'c.txt'), create('a.txt', 'again\n')]);
    expect((await undo(world, ofTask())).result).toBe('done');
    expect(texts(world)).toEqual({ 'a.txt': `${TEN}mine\n` });
  });

  it('skips what is undone already, and a redo of all brings the task back', async () => {
    const world = memoryWorld({ files: { 'a.txt': TEN } });
    await edit(world, [replace('a.txt', '2\n', 'two\n')]);
    const second = await edit(world, [replace('a.txt', '5\n', 'five\n'), create('n.txt', 'n\n')]);
    const after = texts(world);
    const single = await undo(world, ofKeys(second));
    const whole = await undo(world, ofTask());
    expect(whole.compensations).toHaveLength(1);
    expect(texts(world)).toEqual({ 'a.txt': TEN });
    await undo(world, ofKeys(...whole.compensations));
    await undo(world, ofKeys(...single.compensations));
    expect(texts(world)).toEqual(after);
    expect((await undo(world, ofTask())).result).toBe('done');
    expect(texts(world)).toEqual({ 'a.txt': TEN });
  });

  it('has nothing to do for a task without effects', async () => {
    const world = memoryWorld();
    expect(await undo(world, ofTask('none'))).toMatchObject({ result: 'nothing', files: [], others: [] });
  });
});

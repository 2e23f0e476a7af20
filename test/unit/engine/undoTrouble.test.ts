// Undo when it is only planned, not allowed, disturbed or killed: nothing is lost, and the ledger tells the truth.
import { describe, expect, it } from 'vitest';
import type { EditSet } from '../../../src/core/edits/editSet.ts';
import { applyGuardedEdit } from '../../../src/engine/guardedEdit.ts';
import type { UndoRequest } from '../../../src/engine/undoEffects.ts';
import { runGuardedCommand } from '../../../src/engine/guardedCommand.ts';
import { changeOf, intentOf, must } from '../../support/memoryEntries.ts';
import { assessed, commandInput, editInput, memoryWorld, WORKSPACE } from '../../support/memoryWorld.ts';
import { edit, entry, ofKeys, ofTask, replace, TEN, texts, undo } from '../../support/undoWorld.ts';

describe('asking and planning', () => {
  it('writes nothing at all in a dry run', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'a\n' } });
    const key = await edit(world, [replace('a.txt', 'a', 'b')]);
    const kept = new Set(world.files.before.keys());
    const outcome = await undo(world, ofKeys(key), { isDryRun: true, judge: () => ({ verdict: 'ask' }) });
    expect(outcome).toMatchObject({ result: 'planned', files: [{ file: { path: 'a.txt', action: 'write' } }] });
    expect(texts(world)).toEqual({ 'a.txt': 'b\n' });
    expect(must(await world.store.entries({}))).toHaveLength(1);
    expect(world.questions).toEqual([]);
    expect(new Set(world.files.before.keys())).toEqual(kept);
  });

  it('asks a person with the paths, and a no writes nothing', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'a\n' }, answer: 'deny' });
    const key = await edit(world, [replace('a.txt', 'a', 'b')]);
    const outcome = await undo(world, ofKeys(key), { judge: () => ({ verdict: 'ask', reasons: ['told so'] }) });
    expect(outcome.result).toBe('refused');
    expect(world.questions).toMatchObject([{ kind: 'edit', targets: ['a.txt'], level: 'R2' }]);
    expect(texts(world)).toEqual({ 'a.txt': 'b\n' });
    expect(must(await world.store.entries({}))).toHaveLength(1);
  });

  it('is refused where the policy forbids a path', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'a\n' } });
    const key = await edit(world, [replace('a.txt', 'a', 'b')]);
    const judge: UndoRequest['judge'] = (paths) => ({ verdict: 'deny', reasons: [`never ${paths.join()}`] });
    expect(await undo(world, ofKeys(key), { judge })).toMatchObject({
      result: 'refused',
      reason: expect.stringContaining('never a.txt') as string,
    });
  });

  it('gives up where a file changes while the question is open', async () => {
    const world = memoryWorld({ files: { 'a.txt': TEN } });
    const key = await edit(world, [replace('a.txt', '2\n', 'two\n')]);
    world.ports.approval.ask = () => {
      world.files.contents.set('a.txt', 'all new\n');
      return Promise.resolve({ choice: 'allow', note: '', by: 'Ada' });
    };
    expect((await undo(world, ofKeys(key), { judge: () => ({ verdict: 'ask' }) })).result).toBe('failed');
    expect(texts(world)).toEqual({ 'a.txt': 'all new\n' });
  });
});

describe('trouble on the way', () => {
  it('is FAILED where the files could be put back, and can be tried again', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } });
    const key = await edit(world, [replace('a.txt', 'a', 'A'), replace('b.txt', 'b', 'B')]);
    world.files.trouble = ({ step, path }) => (step === 'change' && path === 'b.txt' ? 'the disk is full' : null);
    const outcome = await undo(world, ofKeys(key));
    expect(outcome).toMatchObject({ result: 'failed' });
    expect(texts(world)).toEqual({ 'a.txt': 'A\n', 'b.txt': 'B\n' });
    expect(await entry(world, outcome.compensations[0] ?? '')).toMatchObject({ state: 'FAILED' });
    expect((await entry(world, key)).state).toBe('COMMITTED');
    world.files.trouble = null;
    expect((await undo(world, ofKeys(key))).result).toBe('done');
    expect(texts(world)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  });

  it('settles the pair after a crash between the write and the ledger', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'a\n' } });
    const key = await edit(world, [replace('a.txt', 'a', 'b')]);
    world.files.trouble = ({ step }) => {
      if (step === 'answer') throw new Error('killed');
      return null;
    };
    await expect(undo(world, ofKeys(key))).rejects.toThrow('killed');
    world.files.trouble = null;
    expect(texts(world)).toEqual({ 'a.txt': 'a\n' });
    expect((await entry(world, key)).state).toBe('COMMITTED');
    const again = await undo(world, ofKeys(key));
    expect(again).toMatchObject({ result: 'nothing', others: [{ why: 'undone' }] });
    expect((await entry(world, key)).state).toBe('COMPENSATED');
    const [compensation] = must(await world.store.entries({ compensates: key }));
    expect(compensation?.state).toBe('RECONCILED_COMMITTED');
    expect((await undo(world, ofKeys(compensation?.key ?? ''))).result).toBe('done');
    expect(texts(world)).toEqual({ 'a.txt': 'b\n' });
  });

  it('starts anew after a crash before the write', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'a\n' } });
    const key = await edit(world, [replace('a.txt', 'a', 'b')]);
    world.files.trouble = () => {
      throw new Error('killed');
    };
    await expect(undo(world, ofKeys(key))).rejects.toThrow('killed');
    world.files.trouble = null;
    expect((await undo(world, ofKeys(key))).result).toBe('done');
    expect(texts(world)).toEqual({ 'a.txt': 'a\n' });
  });

  it('puts a half written undo of a task back, and then undoes it', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } });
    await edit(world, [replace('a.txt', 'a', 'A')]);
    await edit(world, [replace('b.txt', 'b', 'B')]);
    world.files.trouble = ({ step, path }) => {
      if (step === 'change' && path === 'b.txt') throw new Error('killed');
      return null;
    };
    await expect(undo(world, ofTask())).rejects.toThrow('killed');
    world.files.trouble = null;
    expect(texts(world)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'B\n' });
    expect((await undo(world, ofTask())).result).toBe('done');
    expect(texts(world)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    expect(must(await world.store.entries({ states: ['PREPARED', 'UNKNOWN'] }))).toEqual([]);
  });

  it('takes back an edit of which nobody knows whether it happened, where its files tell', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } });
    world.files.trouble = ({ step, path }) => {
      if (step === 'change' && path === 'b.txt') throw new Error('killed');
      return null;
    };
    const input = editInput(world, 'a.txt', 'a', 'A');
    const set: EditSet = { files: [replace('a.txt', 'a', 'A'), replace('b.txt', 'b', 'B')] };
    await expect(applyGuardedEdit(world.ports, { ...input, edit: set })).rejects.toThrow('killed');
    // Reconciling cannot put it back at this moment; the undo that follows can.
    let isFirst = true;
    world.files.trouble = ({ step }) => {
      const isNow = isFirst && step === 'stage';
      if (isNow) isFirst = false;
      return isNow ? 'the file is locked' : null;
    };
    const [open] = must(await world.store.entries({}));
    const outcome = await undo(world, ofKeys(open?.key ?? ''));
    expect(outcome.result).toBe('done');
    expect(texts(world)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    const history = must(await world.store.history(open?.key ?? '')).map(({ to }) => to);
    expect(history).toEqual(['PREPARED', 'UNKNOWN', 'RECONCILED_COMMITTED', 'COMPENSATED']);
  });
});

describe('effects that no file can tell of', () => {
  it.each([
    ['git-commit', {}, 'git revert'],
    ['git-ref', {}, 'git tag -d'],
    ['git-push', {}, 'git revert'],
    ['place', { workspace: WORKSPACE }, 'not in the ledger'],
  ])('are named with what a person can do: %s', async (kind, data, advice) => {
    const world = memoryWorld();
    const intent = intentOf('git things', 'R2', { probe: { kind, data } });
    must(await world.store.write({ prepare: intent }));
    must(await world.store.write({ changes: [changeOf(intent.key, 'COMMITTED', 1)] }));
    const outcome = await undo(world, ofKeys(intent.key));
    expect(outcome).toMatchObject({ result: 'nothing', compensations: [], others: [{ why: 'outside' }] });
    expect(outcome.others[0]?.message).toContain(advice);
    expect((await entry(world, intent.key)).state).toBe('COMMITTED');
  });

  it('are told beside the files of a command that are taken back', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'a\n' } });
    const outcome = await runGuardedCommand(
      world.ports,
      commandInput(world, 'echo more >> a.txt', {
        assessment: { ...assessed('R2'), effects: [{ kind: 'write-file', target: 'a.txt' }] },
      }),
    );
    expect(texts(world)).toEqual({ 'a.txt': 'a\nmore\n' });
    const undone = await undo(world, ofKeys(outcome.key));
    expect(undone).toMatchObject({
      result: 'done',
      targets: [{ rest: expect.stringContaining('Only the files') as string }],
    });
    expect(texts(world)).toEqual({ 'a.txt': 'a\n' });
  });

  it('are not undone where they did not happen', async () => {
    const world = memoryWorld();
    const intent = intentOf('failed', 'R2');
    must(await world.store.write({ prepare: intent }));
    must(await world.store.write({ changes: [changeOf(intent.key, 'FAILED', 1)] }));
    expect(await undo(world, ofKeys(intent.key))).toMatchObject({ result: 'nothing', others: [{ why: 'absent' }] });
  });
});

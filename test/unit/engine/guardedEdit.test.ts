import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/core/ledger/key.ts';
import { applyGuardedEdit } from '../../../src/engine/guardedEdit.ts';
import { must } from '../../support/memoryEntries.ts';
import { context, editInput, memoryWorld } from '../../support/memoryWorld.ts';

const BEFORE = 'one\ntwo\nthree\n';
const AFTER = 'one\n2\nthree\n';

describe('a guarded edit', () => {
  it('replaces one place, keeps what was there, and proves it by hashes', async () => {
    const world = memoryWorld({ files: { 'a.txt': BEFORE } });
    const outcome = await applyGuardedEdit(world.ports, editInput(world, 'a.txt', 'two', '2'));
    expect(outcome).toMatchObject({ state: 'COMMITTED', result: 'done', ran: true, isError: false });
    expect(outcome).toMatchObject({ beforeHash: sha256Hex(BEFORE), afterHash: sha256Hex(AFTER) });
    expect(world.files.contents.get('a.txt')).toBe(AFTER);
    expect(world.files.before.has(sha256Hex(BEFORE))).toBe(true);
    expect(must(await world.store.entries({ file: 'a.txt' }))).toHaveLength(1);
  });

  it('is not made again for the same key, even after the file was changed back', async () => {
    const world = memoryWorld({ files: { 'a.txt': BEFORE } });
    await applyGuardedEdit(world.ports, editInput(world, 'a.txt', 'two', '2'));
    world.files.contents.set('a.txt', BEFORE);
    const again = await applyGuardedEdit(world.ports, editInput(world, 'a.txt', 'two', '2'));
    expect(again).toMatchObject({ state: 'COMMITTED', ran: false });
    expect(again.text).toContain('not made again');
    expect(world.files.contents.get('a.txt')).toBe(BEFORE);
  });

  it('succeeds without a write, an entry or a question when the new text is there already', async () => {
    const world = memoryWorld({ files: { 'a.txt': AFTER } });
    const input = editInput(world, 'a.txt', 'two\n', '2\n', { judgement: { verdict: 'ask' } });
    expect(await applyGuardedEdit(world.ports, input)).toMatchObject({
      result: 'done',
      ran: false,
      state: null,
      isError: false,
    });
    expect(must(await world.store.entries({}))).toEqual([]);
    expect(world.questions).toEqual([]);
  });

  it('leaves the bytes alone and shows the nearest place when the text is not found', async () => {
    const world = memoryWorld({ files: { 'a.ts': 'const price = 1;\nconst amount = total * price;\n' } });
    const outcome = await applyGuardedEdit(world.ports, editInput(world, 'a.ts', 'const amount = total + price;', 'x'));
    expect(outcome).toMatchObject({ result: 'failed', ran: false, state: null, isError: true });
    expect(outcome.text).toContain('line 2:\nconst amount = total * price;');
  });

  it('names count and lines when the text is there more than once', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'x\ny\nx\n' } });
    const outcome = await applyGuardedEdit(world.ports, editInput(world, 'a.txt', 'x', 'z'));
    expect(outcome.text).toContain('a.txt: The text to replace is there 2 times (lines 1, 3)');
    expect(world.files.contents.get('a.txt')).toBe('x\ny\nx\n');
  });

  it('makes a new file from an empty search text, and refuses to fill one that has content', async () => {
    const world = memoryWorld({ files: { 'full.txt': 'x' } });
    expect(await applyGuardedEdit(world.ports, editInput(world, 'new.txt', '', 'hi\n'))).toMatchObject({
      ran: true,
      beforeHash: null,
    });
    expect(world.files.contents.get('new.txt')).toBe('hi\n');
    expect((await applyGuardedEdit(world.ports, editInput(world, 'full.txt', '', 'hi\n'))).isError).toBe(true);
    expect((await applyGuardedEdit(world.ports, editInput(world, 'none.txt', 'a', 'b'))).text).toContain(
      'does not exist',
    );
  });

  it('asks where the policy says so and writes nothing after a no', async () => {
    const world = memoryWorld({ files: { 'a.txt': BEFORE }, answer: 'deny' });
    const outcome = await applyGuardedEdit(
      world.ports,
      editInput(world, 'a.txt', 'two', '2', { judgement: { verdict: 'ask' } }),
    );
    expect(outcome).toMatchObject({ result: 'refused', ran: false, state: null });
    expect(world.files.contents.get('a.txt')).toBe(BEFORE);
    expect(world.questions).toMatchObject([{ kind: 'edit', level: 'R2', targets: ['a.txt'] }]);
  });

  it('is FAILED with a clear answer when the file changes between reading and writing', async () => {
    const world = memoryWorld({ files: { 'a.txt': BEFORE } });
    const { files } = world;
    files.trouble = ({ step }) => {
      if (step === 'stage') files.contents.set('a.txt', 'somebody else\n');
      return null;
    };
    const outcome = await applyGuardedEdit(world.ports, editInput(world, 'a.txt', 'two', '2'));
    expect(outcome).toMatchObject({ state: 'FAILED', ran: false, isError: true });
    expect(outcome.text).toContain('changed by somebody else');
    expect(files.contents.get('a.txt')).toBe('somebody else\n');
  });

  it('writes nothing when the ledger cannot take the intent and nobody allows it', async () => {
    const world = memoryWorld({ files: { 'a.txt': BEFORE }, answer: 'deny' });
    const write = () =>
      Promise.resolve({ ok: false, error: { kind: 'locked', message: 'The ledger is locked.' } } as const);
    const ports = { ...world.ports, store: { ...world.store, write } };
    const outcome = await applyGuardedEdit(ports, editInput(world, 'a.txt', 'two', '2'));
    expect(outcome).toMatchObject({ result: 'refused', ran: false });
    expect(outcome.text).toContain('The ledger is locked.');
    expect(world.files.contents.get('a.txt')).toBe(BEFORE);
  });

  it.each([
    { when: 'before the write', crashAfter: false },
    { when: 'after the write', crashAfter: true },
  ])('ends with the edit once after a crash $when', async ({ crashAfter }) => {
    const world = memoryWorld({ files: { 'a.txt': BEFORE } });
    const { files } = world;
    files.trouble = ({ step }) => {
      if (step === (crashAfter ? 'answer' : 'stage')) throw new Error('killed');
      return null;
    };
    const input = editInput(world, 'a.txt', 'two', '2');
    await expect(applyGuardedEdit(world.ports, input)).rejects.toThrow('killed');
    files.trouble = null;
    const reborn = { ...world.ports, command: world.commands.asProcess(2) };
    const outcome = await applyGuardedEdit(reborn, input);
    expect(outcome).toMatchObject({
      result: 'done',
      state: crashAfter ? 'RECONCILED_COMMITTED' : 'COMMITTED',
      ran: !crashAfter,
    });
    expect(files.contents.get('a.txt')).toBe(AFTER);
  });

  it('keeps an edit UNKNOWN when the file is neither as before nor as after, and does not touch it', async () => {
    const world = memoryWorld({ files: { 'a.txt': BEFORE } });
    const apply = () => Promise.reject(new Error('killed'));
    const input = editInput(world, 'a.txt', 'two', '2');
    const dying = { ...world.ports, files: { ...world.files, apply } };
    await expect(applyGuardedEdit(dying, input)).rejects.toThrow('killed');
    world.files.contents.set('a.txt', 'one\ntwo\nthree\nfour\n');
    const outcome = await applyGuardedEdit(
      world.ports,
      editInput(world, 'a.txt', 'two', '2', { context: { ...context, step: 2 } }),
    );
    expect(outcome).toMatchObject({ result: 'unknown', state: 'UNKNOWN', ran: false });
    expect(outcome.text).toContain('neither as before nor as after');
    expect(world.files.contents.get('a.txt')).toBe('one\ntwo\nthree\nfour\n');
  });

  it('stores long texts by their hash only', async () => {
    const world = memoryWorld({ files: { 'a.txt': BEFORE } });
    await applyGuardedEdit(world.ports, editInput(world, 'a.txt', 'two', 'long '.repeat(1000)));
    const [entry] = must(await world.store.entries({}));
    expect(entry!.argsText.length).toBeLessThan(300);
    expect(entry!.argsText).toContain(sha256Hex('long '.repeat(1000)));
  });
});

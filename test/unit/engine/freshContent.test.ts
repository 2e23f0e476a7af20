// An edit that fails since somebody wrote between its plan and its writes: the agent is handed what is there now.
import { describe, expect, it } from 'vitest';
import type { FileEdit } from '../../../src/core/edits/editSet.ts';
import { applyGuardedEdit } from '../../../src/engine/guardedEdit.ts';
import type { EditOutcome } from '../../../src/engine/guardedEdit.ts';
import type { FilePort, FileWrite } from '../../../src/engine/ports.ts';
import { readBook } from '../../../src/engine/readBook.ts';
import { must } from '../../support/memoryEntries.ts';
import { editsInput, memoryWorld, type MemoryWorld } from '../../support/memoryWorld.ts';

const OLD = 'one\ntwo\n';

/** Makes an edit while somebody puts `texts` in place at one moment of it; the agent has read all files before. */
async function raced(
  at: 'saveBefore' | 'apply',
  texts: Readonly<Record<string, string | null>>,
  ...edits: readonly FileEdit[]
): Promise<{ outcome: EditOutcome; world: MemoryWorld }> {
  const files = Object.fromEntries(edits.filter(({ kind }) => kind !== 'create').map(({ path }) => [path, OLD]));
  const world = memoryWorld({ files });
  const book = readBook(world.files);
  for (const path of Object.keys(files))
    await book.saw(path, must(await world.files.read(path)), { isWhole: true, mayKeep: true });
  const meddle = (): void => {
    for (const [path, text] of Object.entries(texts))
      if (text === null) world.files.contents.delete(path);
      else world.files.contents.set(path, text);
  };
  const before =
    <Arg, R>(work: (arg: Arg) => R) =>
    (arg: Arg): R => {
      meddle();
      return work(arg);
    };
  const port: FilePort = {
    ...world.files,
    ...(at === 'apply'
      ? { apply: before((writes: readonly FileWrite[]) => world.files.apply(writes)) }
      : { saveBefore: before((path: string) => world.files.saveBefore(path)) }),
  };
  const outcome = await applyGuardedEdit({ ...world.ports, files: port }, editsInput(world, edits, { book }));
  return { outcome, world };
}

const block = (path: string): FileEdit => ({ kind: 'blocks', path, blocks: [{ search: 'one', replace: 'ONE' }] });
const FORMS: readonly FileEdit[] = [
  block('a.ts'),
  {
    kind: 'hunks',
    path: 'a.ts',
    hunks: [
      {
        oldStart: 1,
        anchors: [],
        lines: [
          { kind: 'remove', text: 'one' },
          { kind: 'add', text: 'ONE' },
        ],
      },
    ],
  },
  { kind: 'whole', path: 'a.ts', text: 'ONE\n' },
  { kind: 'delete', path: 'a.ts' },
  { kind: 'move', path: 'a.ts', moveTo: 'b.ts' },
];

describe('an edit of a file that somebody writes at the same moment', () => {
  it.each(FORMS.flatMap((edit) => (['saveBefore', 'apply'] as const).map((at) => [edit.kind, at, edit] as const)))(
    'fails with what the file holds now (%s, before %s)',
    async (_kind, at, edit) => {
      const { outcome, world } = await raced(at, { 'a.ts': 'one\nby hand\n' }, edit);
      expect(outcome).toMatchObject({ result: 'failed', ran: false, isError: true });
      expect(outcome.text).toContain('It holds now:\none\nby hand\n');
      expect(outcome.reason).not.toContain('It holds now');
      expect(world.files.contents.get('a.ts')).toBe('one\nby hand\n');
      expect(JSON.stringify(must(await world.store.entries({})))).not.toContain('by hand');
    },
  );

  it('that it wants to create fails with what somebody has put there', async () => {
    const { outcome } = await raced('apply', { 'a.ts': 'theirs\n' }, { kind: 'create', path: 'a.ts', text: 'mine\n' });
    expect(outcome).toMatchObject({ result: 'failed', ran: false });
    expect(outcome.text).toContain('It holds now:\ntheirs\n');
  });

  it('says that it is gone, where it is', async () => {
    const { outcome } = await raced('apply', { 'a.ts': null }, block('a.ts'));
    expect(outcome.text).toContain('a.ts is not there any more');
  });

  it('hands out only the files that changed, and only so much of them', async () => {
    const long = `one\n${'x'.repeat(30_000)}`;
    const { outcome } = await raced(
      'apply',
      { 'a.ts': long, 'c.ts': long },
      block('a.ts'),
      block('b.ts'),
      block('c.ts'),
    );
    expect(outcome.text).toContain('It holds now (first 20000 of 30004 characters)');
    expect(outcome.text).toContain('c.ts has changed, too; read it.');
    expect(outcome.text).not.toContain(OLD);
    expect(outcome.text.length).toBeLessThan(22_000);
  });

  it('does not hand out a file of secrets', async () => {
    const { outcome } = await raced('apply', { '.env': 'KEY=theirs\n' }, block('.env'));
    expect(outcome).toMatchObject({ result: 'failed', ran: false });
    expect(outcome.text).not.toContain('theirs');
    expect(outcome.text).toContain('.env was changed by somebody else; read it.');
  });
});

describe('an edit of places that are not there any more', () => {
  it('fails with what the file holds, where it was changed since the agent read it', async () => {
    const world = memoryWorld({ files: { 'a.ts': OLD } });
    const book = readBook(world.files);
    await book.saw('a.ts', must(await world.files.read('a.ts')), { isWhole: true, mayKeep: true });
    world.files.contents.set('a.ts', 'by hand\n');
    for (const edit of [block('a.ts'), { kind: 'delete', path: 'a.ts' } satisfies FileEdit]) {
      const fresh = readBook(world.files);
      await fresh.saw(
        'a.ts',
        { ...must(await world.files.read('a.ts')), hash: 'old' },
        { isWhole: true, mayKeep: false },
      );
      const outcome = await applyGuardedEdit(world.ports, editsInput(world, [edit], { book: fresh }));
      expect(outcome).toMatchObject({ result: 'failed', ran: false });
      expect(outcome.text).toContain('It holds now:\nby hand\n');
    }
  });
});

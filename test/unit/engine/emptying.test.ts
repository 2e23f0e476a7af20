// Whole texts without a visible character: what they may be put over, and what not.
import { describe, expect, it } from 'vitest';
import { parseEdits } from '../../../src/core/edits/parse.ts';
import type { FileEdit } from '../../../src/core/edits/editSet.ts';
import { applyGuardedEdit } from '../../../src/engine/guardedEdit.ts';
import type { EditOutcome } from '../../../src/engine/guardedEdit.ts';
import { readBook } from '../../../src/engine/readBook.ts';
import { must } from '../../support/memoryEntries.ts';
import { editsInput, memoryWorld } from '../../support/memoryWorld.ts';

const OLD = 'one\ntwo\n';

/** Makes one edit of a world in which all files were read; `now`: what they hold since. */
async function edited(
  edit: FileEdit,
  files: Readonly<Record<string, string>> = {},
  now: Readonly<Record<string, string>> = {},
): Promise<{ outcome: EditOutcome; text: string | undefined }> {
  const world = memoryWorld({ files });
  const book = readBook(world.files);
  for (const path of Object.keys(files))
    await book.saw(path, must(await world.files.read(path)), { isWhole: true, mayKeep: true });
  for (const [path, text] of Object.entries(now)) world.files.contents.set(path, text);
  const outcome = await applyGuardedEdit(world.ports, editsInput(world, [edit], { book }));
  return { outcome, text: world.files.contents.get(edit.path) };
}

describe('an empty whole text', () => {
  const whole = (text: string): FileEdit => ({ kind: 'whole', path: 'a.ts', text });

  it('makes a new empty file', async () => {
    const { outcome, text } = await edited(whole(''));
    expect(outcome).toMatchObject({ state: 'COMMITTED', isError: false });
    expect(text).toBe('');
  });

  it('goes over a file that holds only white space', async () => {
    const { outcome, text } = await edited(whole(''), { 'a.ts': '\n\n' });
    expect(outcome).toMatchObject({ state: 'COMMITTED', isError: false });
    expect(text).toBe('');
  });

  it('goes over no file that holds something, also one that was changed since', async () => {
    for (const now of [{}, { 'a.ts': `${OLD}by hand\n` }]) {
      const { outcome, text } = await edited(whole('\n'), { 'a.ts': OLD }, now);
      expect(outcome).toMatchObject({ result: 'failed', ran: false, isError: true });
      expect(outcome.text).toContain('delete it, or say allowEmpty: true');
      expect(text).toBe(now['a.ts'] ?? OLD);
    }
  });

  it('goes over none either when it comes as an empty fence', async () => {
    const parsed = parseEdits('a.ts\n```ts\n```\n');
    if (!parsed.ok) throw new Error(parsed.error);
    expect(parsed.set.files).toMatchObject([{ kind: 'whole', path: 'a.ts', text: '' }]);
    const { outcome, text } = await edited(parsed.set.files[0]!, { 'a.ts': OLD });
    expect(outcome.text).toContain('allowEmpty: true');
    expect(text).toBe(OLD);
  });
});

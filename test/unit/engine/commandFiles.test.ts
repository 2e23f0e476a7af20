import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import { keepFiles } from '../../../src/engine/commandFiles.ts';
import type { KeepLimits } from '../../../src/engine/commandFiles.ts';
import { sha256Hex } from '../../../src/core/ledger/key.ts';
import { memoryFiles } from '../../support/memoryFiles.ts';

const LIMITS: KeepLimits = { files: 50, totalBytes: 1024, delayMs: 3000 };
const storable = (): boolean => true;

function world(initial: Readonly<Record<string, string>>) {
  const files = memoryFiles(initial);
  const clock = virtualClock(0);
  return {
    files,
    clock,
    keep: (paths: readonly string[], limits = LIMITS) => keepFiles({ files, clock }, paths, storable, limits),
  };
}

describe('the before-images of a command', () => {
  it('tell of every named file that is changed, made or removed, and keep what was there', async () => {
    const { files, keep } = world({ 'a.txt': 'a', 'b.txt': 'b', 'same.txt': 's' });
    const kept = await keep(['a.txt', 'b.txt', 'same.txt', 'new.txt', 'never.txt']);
    files.contents.set('a.txt', 'A');
    files.contents.delete('b.txt');
    files.contents.set('new.txt', 'n');
    const { files: changed, missing } = await kept.changed();
    expect(missing).toBeNull();
    expect(changed.map(({ path, beforeHash, afterHash }) => [path, beforeHash, afterHash])).toEqual([
      ['a.txt', sha256Hex('a'), sha256Hex('A')],
      ['b.txt', sha256Hex('b'), null],
      ['new.txt', null, sha256Hex('n')],
    ]);
    expect([...files.before.keys()]).toEqual(expect.arrayContaining([sha256Hex('a'), sha256Hex('b')]));
  });

  it('keep the files of a folder and of a pattern', async () => {
    const { files, keep } = world({
      'src/a.ts': '1',
      'src/in/b.ts': '2',
      'x.log': '3',
      '.hidden.log': '4',
      'c.ts': '5',
    });
    const kept = await keep(['src', '*.log']);
    for (const path of ['src/a.ts', 'src/in/b.ts', 'x.log', 'c.ts']) files.contents.delete(path);
    const { files: changed } = await kept.changed();
    expect(changed.map(({ path }) => path)).toEqual(['src/a.ts', 'src/in/b.ts', 'x.log']);
  });

  it('tell of the files that a move brought into a folder', async () => {
    const { files, keep } = world({ 'src/a.ts': '1', 'other.ts': '2' });
    const kept = await keep(['src', 'lib']);
    files.contents.delete('src/a.ts');
    files.contents.set('lib/a.ts', '1');
    files.contents.set('elsewhere.ts', '3');
    const { files: changed } = await kept.changed();
    expect(changed.map(({ path, beforeHash }) => [path, beforeHash === null])).toEqual([
      ['src/a.ts', false],
      ['lib/a.ts', true],
    ]);
  });

  it('never count what somebody else makes in a folder of the command as its own', async () => {
    const { files, keep } = world({ 'src/a.ts': '1', 'out/old.js': '0' });
    const kept = await keep(['src', 'lib', 'out', 'made']);
    files.contents.delete('src/a.ts');
    files.contents.set('lib/a.ts', '1');
    // The same content under another name, other content under the same name, and files nobody named.
    files.contents.set('lib/copy.ts', '1');
    files.contents.set('out/a.ts', '2');
    files.contents.set('made/notes.txt', 'a person wrote this');
    const { files: changed, missing } = await kept.changed();
    expect(changed.map(({ path }) => path)).toEqual(['src/a.ts', 'lib/a.ts']);
    for (const path of ['lib/copy.ts', 'out/a.ts', 'made/notes.txt'])
      expect(missing).toContain(`${path} (it is new, and who made it is not known)`);
  });

  it('say nothing of the name a copy would have had, had its target been a folder', async () => {
    const { files, keep } = world({ 'a.txt': 'a', 'old.txt': 'o' });
    const kept = await keep(['b.txt', 'b.txt/a.txt', 'old.txt', 'old.txt/a.txt']);
    files.contents.set('b.txt', 'a');
    files.contents.set('old.txt', 'a');
    const { files: changed, missing } = await kept.changed();
    expect([changed.map(({ path }) => path), missing]).toEqual([['b.txt', 'old.txt'], null]);
  });

  it('leave out what is too much, say so, and keep the rest', async () => {
    const { files, keep } = world({ 'big.bin': 'x'.repeat(2000), 'a.txt': 'a' });
    const kept = await keep(['big.bin', 'a.txt']);
    files.contents.set('big.bin', '');
    files.contents.set('a.txt', 'b');
    const { files: changed, missing } = await kept.changed();
    expect(changed.map(({ path }) => path)).toEqual(['a.txt']);
    expect(missing).toBe('not kept for undo: big.bin (more than 0 MiB in all)');
    const many = world(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`d/${i}.txt`, String(i)])));
    const some = await many.keep(['d']);
    for (let i = 0; i < 60; i++) many.files.contents.delete(`d/${i}.txt`);
    const outcome = await some.changed();
    expect(outcome.files).toHaveLength(50);
    expect(outcome.missing).toContain('more than 50 files');
  });

  it('say what lies outside or cannot be read', async () => {
    const { keep } = world({ 'a.txt': 'a' });
    const { missing } = await (await keep(['../outside.txt', 'node_modules/x'])).changed();
    expect(missing).toContain('outside.txt');
  });

  it('never store a name that holds a secret, and leave the files of git alone', async () => {
    const { files, clock } = world({ 'token=ghp_x': 'a', '.git/config': 'c' });
    const kept = await keepFiles(
      { files, clock },
      ['token=ghp_x', '.git/config'],
      (path) => !path.includes('ghp_'),
      LIMITS,
    );
    files.contents.set('token=ghp_x', 'b');
    files.contents.set('.git/config', 'd');
    const outcome = await kept.changed();
    expect(outcome.files).toEqual([]);
    expect(outcome.missing).not.toContain('ghp_');
    expect(files.before.size).toBe(0);
  });

  it('delay a command by their time at the most, whatever the disk does', async () => {
    const { files, clock } = world({ 'a.txt': 'a', 'b.txt': 'b' });
    let release: (() => void) | undefined;
    const free = new Promise<void>((resolve) => {
      release = resolve;
    });
    const stuck = { ...files, saveBefore: async (path: string) => free.then(() => files.saveBefore(path)) };
    const kept = await clock.run(keepFiles({ files: stuck, clock }, ['a.txt', 'b.txt'], storable, LIMITS));
    expect(clock.nowMs()).toBe(3000);
    files.contents.set('a.txt', 'changed by the command');
    release?.();
    await Promise.resolve();
    const { files: changed, missing } = await kept.changed();
    expect([changed, missing]).toEqual([[], 'not kept for undo: the rest (it would have taken too long)']);
  });
});

// The file port on a real folder: what may be touched, what stays as it was, and what each refusal says.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { workspaceFiles } from '../../src/adapters/files/workspaceFiles.ts';
import { sha256Hex } from '../../src/core/ledger/key.ts';
import type { FilePort } from '../../src/engine/ports.ts';
import { must } from '../support/memoryEntries.ts';

describe('workspace files', () => {
  let folder: string;
  let root: string;
  let beforeDirectory: string;
  let files: FilePort;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-files-'));
    root = join(folder, 'workspace');
    beforeDirectory = join(folder, 'before');
    mkdirSync(join(root, 'src'), { recursive: true });
    writeFileSync(join(root, 'a.txt'), 'one\n');
    writeFileSync(join(folder, 'secret.txt'), 'outside\n');
    files = workspaceFiles({ root, beforeDirectory });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const errorOf = async (work: Promise<{ readonly ok: boolean; readonly error?: string }>): Promise<string> =>
    (await work).error ?? 'none';

  it('reads text with the hash of its bytes, and tells a missing file', async () => {
    const text = '\ufeffé\r\nx';
    writeFileSync(join(root, 'b.txt'), text);
    expect(must(await files.read('b.txt'))).toEqual({ exists: true, text, hash: sha256Hex(text), dirtyVersion: null });
    expect(must(await files.read('src/none.txt'))).toMatchObject({ exists: false, hash: null });
  });

  it('replaces a file that is as it was read, and keeps its mode', async () => {
    chmodSync(join(root, 'a.txt'), 0o751);
    const { hash } = must(await files.replace('a.txt', '\ufefftwo\r\n', sha256Hex('one\n')));
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('\ufefftwo\r\n');
    expect(hash).toBe(sha256Hex('\ufefftwo\r\n'));
    expect(statSync(join(root, 'a.txt')).mode & 0o777).toBe(0o751);
    expect(readdirSync(root).sort()).toEqual(['a.txt', 'src']);
  });

  it('refuses a file that has changed, appeared or gone since, and leaves it alone', async () => {
    expect(await errorOf(files.replace('a.txt', 'x', sha256Hex('zero\n')))).toContain('changed by somebody else');
    expect(await errorOf(files.replace('a.txt', 'x', null))).toContain('changed by somebody else');
    expect(await errorOf(files.replace('gone.txt', 'x', sha256Hex('one\n')))).toContain('was deleted');
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\n');
    expect(existsSync(join(root, 'gone.txt'))).toBe(false);
  });

  it('lets one of many writers from the same state win', async () => {
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, i) => files.replace('a.txt', `w${i}`, sha256Hex('one\n'))),
    );
    expect(results.filter((result) => result.ok)).toHaveLength(1);
  });

  it('makes a new file with the folders it needs', async () => {
    must(await files.replace('src/deep/er/new.ts', 'x', null));
    expect(readFileSync(join(root, 'src/deep/er/new.ts'), 'utf8')).toBe('x');
  });

  it.each(['../secret.txt', 'src/../../secret.txt', '..', '', 'a\0b'])(
    'does not leave the workspace by %j',
    async (path) => {
      expect((await files.read(path)).ok).toBe(false);
      expect((await files.replace(path, 'x', null)).ok).toBe(false);
      expect((await files.saveBefore(path)).ok).toBe(false);
    },
  );

  it('does not leave the workspace by a link, a linked folder, a dangling link or an absolute path', async () => {
    symlinkSync(join(folder, 'secret.txt'), join(root, 'link.txt'));
    symlinkSync(folder, join(root, 'up'));
    symlinkSync(join(folder, 'later.txt'), join(root, 'dangling.txt'));
    for (const path of ['link.txt', 'up/secret.txt', 'up/new.txt', 'dangling.txt', join(root, 'a.txt')]) {
      expect((await files.read(path)).ok, path).toBe(false);
      expect((await files.replace(path, 'x', sha256Hex('outside\n'))).ok, path).toBe(false);
      expect((await files.replace(path, 'x', null)).ok, path).toBe(false);
    }
    expect(readFileSync(join(folder, 'secret.txt'), 'utf8')).toBe('outside\n');
    expect(readdirSync(folder).sort()).toEqual(['secret.txt', 'workspace']);
  });

  it('follows a link inside the workspace and keeps it a link', async () => {
    symlinkSync('a.txt', join(root, 'alias.txt'));
    must(await files.replace('alias.txt', 'two\n', sha256Hex('one\n')));
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('two\n');
    expect(
      readdirSync(root, { withFileTypes: true })
        .find((item) => item.name === 'alias.txt')
        ?.isSymbolicLink(),
    ).toBe(true);
  });

  it('refuses binary files, other encodings, folders and invalid text by name', async () => {
    writeFileSync(join(root, 'image.bin'), Buffer.from([1, 0, 2]));
    writeFileSync(join(root, 'latin.txt'), Buffer.from([0x63, 0xe9, 0x0a]));
    expect(await errorOf(files.read('image.bin'))).toContain('image.bin is a binary file');
    expect(await errorOf(files.read('latin.txt'))).toContain('latin.txt is not UTF-8');
    expect(await errorOf(files.read('src'))).toContain('src');
    expect(await errorOf(files.replace('a.txt', '\ud800', sha256Hex('one\n')))).toContain('not valid Unicode');
  });

  it("refuses write-protected files and Git's own", async () => {
    chmodSync(join(root, 'a.txt'), 0o444);
    expect(await errorOf(files.replace('a.txt', 'x', sha256Hex('one\n')))).toContain('write-protected');
    mkdirSync(join(root, '.git'));
    expect(await errorOf(files.replace('.git/config', 'x', null))).toContain('belongs to Git');
    expect(readdirSync(join(root, '.git'))).toEqual([]);
  });

  it('keeps what was there before once for equal bytes, also of binary files', async () => {
    writeFileSync(join(root, 'b.txt'), 'one\n');
    writeFileSync(join(root, 'c.bin'), Buffer.from([0, 1]));
    const first = must(await files.saveBefore('a.txt'));
    expect(must(await files.saveBefore('b.txt'))).toBe(first);
    const third = must(await files.saveBefore('c.bin'))!;
    expect(must(await files.saveBefore('none.txt'))).toBeNull();
    expect(readFileSync(join(beforeDirectory, first!.slice(0, 2), first!), 'utf8')).toBe('one\n');
    expect(readFileSync(join(beforeDirectory, third.slice(0, 2), third))).toEqual(Buffer.from([0, 1]));
    expect(readdirSync(beforeDirectory).length).toBe(2);
  });

  it('lists files but not those of Git and node_modules, nor what a crash left unfinished', async () => {
    for (const path of ['.git/HEAD', 'node_modules/x/index.js', 'src/b.ts', 'src/.a.txt.0f.belay-tmp']) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), '');
    }
    expect(await files.list()).toEqual(['a.txt', 'src/b.ts']);
  });

  it('names a workspace that does not exist', async () => {
    const lost = workspaceFiles({ root: join(folder, 'nowhere'), beforeDirectory });
    expect(await errorOf(lost.read('a.txt'))).toContain('nowhere');
  });
});

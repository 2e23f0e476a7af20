// What every implementation of the file port must do, on whatever it keeps files. An implementation brings a world: a fresh
// workspace and ways to put, look at and change files behind the port's back.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { PLAIN_FORMAT, type TextFormat } from '../../src/core/edits/textFormat.ts';
import type { AppliedFiles, FilePort, FileWrite } from '../../src/engine/ports.ts';
import { must } from './memoryEntries.ts';

export interface FileContractWorld {
  readonly files: FilePort;
  /** Absolute folder of the workspace, as the port knows it. */
  readonly root: string;
  /** Puts bytes where they belong without the port; makes folders. */
  readonly put: (path: string, bytes: Uint8Array) => void;
  /** Null: there is no such file. */
  readonly get: (path: string) => Buffer | null;
  readonly remove: (path: string) => void;
  /** Paths of all files. */
  readonly all: () => readonly string[];
  /** Makes `path` a link to the workspace path `target`. */
  readonly link: (path: string, target: string) => void;
  readonly dispose: () => void;
}

export const hashOf = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

/** A write of a text. */
export function writing(
  path: string,
  text: string,
  expected: Uint8Array | string | null,
  format: TextFormat = PLAIN_FORMAT,
): FileWrite {
  const expectedHash = expected === null ? null : hashOf(expected);
  return { kind: 'write', path, content: { kind: 'text', text, format }, expectedHash };
}

export function deleting(path: string, expected: Uint8Array | string): FileWrite {
  return { kind: 'delete', path, expectedHash: hashOf(expected) };
}

/** Outcomes by path. */
export function outcomes({ files }: AppliedFiles): Readonly<Record<string, string>> {
  return Object.fromEntries(files.map(({ path, outcome }) => [path, outcome]));
}

/** The suite. */
export function fileContract(name: string, open: () => FileContractWorld): void {
  const inWorld = (work: (world: FileContractWorld) => Promise<void>) => async (): Promise<void> => {
    const world = open();
    try {
      await work(world);
    } finally {
      world.dispose();
    }
  };
  const texts = (world: FileContractWorld): Readonly<Record<string, string | undefined>> =>
    Object.fromEntries(world.all().map((path) => [path, world.get(path)?.toString('utf8')]));

  describe(`file port: ${name}`, () => {
    it(
      'reads text with the hash of its bytes, and tells a missing file',
      inWorld(async ({ files, put }) => {
        put('a.txt', Buffer.from('\ufeffé\r\nx'));
        expect(must(await files.read('a.txt'))).toEqual({
          exists: true,
          text: 'é\r\nx',
          format: { encoding: 'utf-8', hasMark: true },
          hash: hashOf('\ufeffé\r\nx'),
          dirtyVersion: null,
        });
        expect(must(await files.read('src/none.txt'))).toEqual({
          exists: false,
          text: '',
          format: PLAIN_FORMAT,
          hash: null,
          dirtyVersion: null,
        });
      }),
    );

    it(
      'tells what stands at a path, whatever it holds',
      inWorld(async ({ files, put }) => {
        put('src/b.bin', Buffer.from([0, 1, 255]));
        expect(must(await files.look('src/b.bin'))).toMatchObject({
          kind: 'file',
          hash: hashOf(Buffer.from([0, 1, 255])),
          sizeBytes: 3,
        });
        expect(must(await files.look('src'))).toMatchObject({ kind: 'folder', hash: null });
        expect(must(await files.look('none'))).toEqual({ kind: 'missing', hash: null, sizeBytes: 0, mode: 0 });
      }),
    );

    it(
      'gives every spelling of a path the same name',
      inWorld(async ({ files, root, put, link }) => {
        put('src/a.txt', Buffer.from('a'));
        link('alias', 'src');
        for (const path of ['src/a.txt', './src//a.txt', 'src/../src/a.txt', `${root}/src/a.txt`, 'alias/a.txt'])
          expect(must(await files.locate(path)), path).toBe('src/a.txt');
        expect(must(await files.locate('alias/new.txt'))).toBe('src/new.txt');
      }),
    );

    it(
      'writes, makes and deletes several files at once and reports each',
      inWorld(async (world) => {
        world.put('a.txt', Buffer.from('one\n'));
        world.put('b.txt', Buffer.from('two\n'));
        const done = await world.files.apply([
          deleting('b.txt', 'two\n'),
          writing('a.txt', 'ONE\n', 'one\n'),
          writing('src/deep/new.ts', 'new', null),
        ]);
        expect(done).toEqual({
          ok: true,
          error: null,
          files: [
            { path: 'b.txt', outcome: 'changed', hash: null, reason: null },
            { path: 'a.txt', outcome: 'changed', hash: hashOf('ONE\n'), reason: null },
            { path: 'src/deep/new.ts', outcome: 'changed', hash: hashOf('new'), reason: null },
          ],
        });
        expect(texts(world)).toEqual({ 'a.txt': 'ONE\n', 'src/deep/new.ts': 'new' });
      }),
    );

    it(
      'changes no file when one of them is not as expected',
      inWorld(async (world) => {
        world.put('a.txt', Buffer.from('one\n'));
        world.put('b.txt', Buffer.from('changed\n'));
        world.put('c.txt', Buffer.from('three\n'));
        const done = await world.files.apply([
          writing('a.txt', 'ONE\n', 'one\n'),
          writing('b.txt', 'TWO\n', 'two\n'),
          deleting('c.txt', 'three\n'),
          writing('d.txt', 'four\n', null),
        ]);
        expect(done.ok).toBe(false);
        expect(done.error).toContain('b.txt');
        expect(done.files.map(({ hash }) => hash)).toEqual([
          hashOf('one\n'),
          hashOf('changed\n'),
          hashOf('three\n'),
          null,
        ]);
        expect(Object.values(outcomes(done))).toEqual(['untouched', 'untouched', 'untouched', 'untouched']);
        expect(texts(world)).toEqual({ 'a.txt': 'one\n', 'b.txt': 'changed\n', 'c.txt': 'three\n' });
      }),
    );

    it.each<[string, FileWrite]>([
      ['changed', writing('a.txt', 'x', 'zero\n')],
      ['there already', writing('a.txt', 'x', null)],
      ['gone', writing('gone.txt', 'x', 'one\n')],
      ['changed, to be deleted', deleting('a.txt', 'zero\n')],
      ['gone, to be deleted', deleting('gone.txt', 'one\n')],
    ])('refuses a file that is %s, by name, and leaves it alone', async (_, write) => {
      await inWorld(async (world) => {
        world.put('a.txt', Buffer.from('one\n'));
        const done = await world.files.apply([write]);
        expect(done).toMatchObject({ ok: false, files: [{ outcome: 'untouched' }] });
        expect(done.error).toContain(write.path);
        expect(texts(world)).toEqual({ 'a.txt': 'one\n' });
      })();
    });

    it(
      'lets one of many writers from the same state win',
      inWorld(async (world) => {
        world.put('a.txt', Buffer.from('one\n'));
        const all = await Promise.all(
          Array.from({ length: 10 }, (_, i) => world.files.apply([writing('a.txt', `w${i}`, 'one\n')])),
        );
        const winners = all.flatMap(({ ok }, i) => (ok ? [i] : []));
        expect(winners).toHaveLength(1);
        expect(texts(world)).toEqual({ 'a.txt': `w${winners[0]}` });
      }),
    );

    it.each<[string, TextFormat, Buffer, Buffer]>([
      ['a mark', { encoding: 'utf-8', hasMark: true }, Buffer.from('\ufeffé\r\n'), Buffer.from('\ufeffü\r\n')],
      [
        'UTF-16',
        { encoding: 'utf-16le', hasMark: true },
        Buffer.from('\ufeffé\r\n', 'utf16le'),
        Buffer.from('\ufeffü\r\n', 'utf16le'),
      ],
      [
        'Windows-1252',
        { encoding: 'windows-1252', hasMark: false },
        Buffer.from([0xe9, 13, 10]),
        Buffer.from([0xfc, 13, 10]),
      ],
    ])('keeps a file with %s as it is but for the text', async (_, format, before, after) => {
      await inWorld(async ({ files, put, get }) => {
        put('a.txt', before);
        const state = must(await files.read('a.txt'));
        expect(state).toMatchObject({ format, text: 'é\r\n', hash: hashOf(before) });
        const done = await files.apply([writing('a.txt', 'ü\r\n', before, state.format)]);
        expect(done).toMatchObject({ ok: true, files: [{ hash: hashOf(after) }] });
        expect(get('a.txt')).toEqual(after);
      })();
    });

    it(
      'refuses text that the format of the file cannot hold',
      inWorld(async (world) => {
        world.put('a.txt', Buffer.from([0xe9]));
        const format: TextFormat = { encoding: 'windows-1252', hasMark: false };
        for (const text of ['你好', '\ud800'])
          expect(await world.files.apply([writing('a.txt', text, Buffer.from([0xe9]), format)])).toMatchObject({
            ok: false,
            error: expect.stringContaining('a.txt') as string,
          });
        expect(world.get('a.txt')).toEqual(Buffer.from([0xe9]));
      }),
    );

    it(
      'refuses to read a binary file as text, and says what it is',
      inWorld(async ({ files, put }) => {
        put('image.bin', Buffer.from([1, 0, 2]));
        const read = await files.read('image.bin');
        expect(read.ok).toBe(false);
        expect(read.ok ? '' : read.error).toMatch(/image\.bin.*binary/);
      }),
    );

    it(
      'keeps bytes before a change, of any kind, and puts them back',
      inWorld(async ({ files, put, get, remove }) => {
        const bytes = Buffer.from([0, 255, 1]);
        put('a.bin', bytes);
        const hash = must(await files.saveBefore('a.bin'));
        expect(hash).toBe(hashOf(bytes));
        expect(must(await files.saveBefore('none.txt'))).toBeNull();
        expect(Buffer.from(must(await files.image(hash!)))).toEqual(bytes);
        remove('a.bin');
        const content = { kind: 'image', hash: hash! } as const;
        expect((await files.apply([{ kind: 'write', path: 'a.bin', content, expectedHash: null }])).ok).toBe(true);
        expect(get('a.bin')).toEqual(bytes);
      }),
    );

    it(
      'says when bytes are not kept, and then changes nothing',
      inWorld(async (world) => {
        const hash = hashOf('never seen');
        expect((await world.files.image(hash)).ok).toBe(false);
        const content = { kind: 'image', hash } as const;
        expect((await world.files.apply([{ kind: 'write', path: 'a', content, expectedHash: null }])).ok).toBe(false);
        expect(world.all()).toEqual([]);
      }),
    );

    it(
      'writes through a link inside the workspace, which stays a link',
      inWorld(async (world) => {
        world.put('a.txt', Buffer.from('one\n'));
        world.link('alias.txt', 'a.txt');
        const looked = await Promise.all(['alias.txt', 'a.txt'].map((path) => world.files.look(path)));
        expect(looked).toMatchObject([{ value: { kind: 'file', isLink: true } }, { value: { kind: 'file' } }]);
        expect(looked[1]).not.toHaveProperty('value.isLink');
        expect((await world.files.apply([writing('alias.txt', 'two\n', 'one\n')])).ok).toBe(true);
        world.remove('a.txt');
        expect((await world.files.read('alias.txt')).ok).toBe(false);
      }),
    );

    it(
      'refuses two changes of one file, whatever it is called',
      inWorld(async (world) => {
        world.put('a.txt', Buffer.from('one\n'));
        world.link('alias.txt', 'a.txt');
        for (const other of ['a.txt', './a.txt', 'alias.txt'])
          expect(await world.files.apply([writing('a.txt', 'x', 'one\n'), writing(other, 'y', 'one\n')])).toMatchObject(
            { ok: false },
          );
        expect(world.get('a.txt')?.toString()).toBe('one\n');
      }),
    );

    it.each(['../outside.txt', 'src/../../outside.txt', '..', '', 'a\0b', '/etc/hostname'])(
      'does not leave the workspace by %j',
      async (path) => {
        await inWorld(async ({ files }) => {
          expect((await files.locate(path)).ok).toBe(false);
          expect((await files.read(path)).ok).toBe(false);
          expect((await files.look(path)).ok).toBe(false);
          expect((await files.saveBefore(path)).ok).toBe(false);
          expect((await files.apply([writing(path, 'x', null)])).ok).toBe(false);
        })();
      },
    );

    it(
      'does not write to what belongs to Git, at any depth',
      inWorld(async (world) => {
        world.put('.git/config', Buffer.from('c'));
        world.put('modules/sub/.git', Buffer.from('gitdir: x'));
        for (const [path, old] of [
          ['.git/config', 'c'],
          ['.git/hooks/pre-commit', null],
          ['modules/sub/.git', 'gitdir: x'],
          ['modules/other/.git/config', null],
        ] as const)
          expect(await world.files.apply([writing(path, 'x', old)]), path).toMatchObject({
            ok: false,
            error: expect.stringContaining('Git') as string,
          });
        expect(world.get('.git/config')?.toString()).toBe('c');
      }),
    );

    it(
      'changes nothing for an edit of no files, and nothing for a file that is as asked',
      inWorld(async (world) => {
        world.put('a.txt', Buffer.from('one\n'));
        expect(await world.files.apply([])).toEqual({ ok: true, files: [], error: null });
        expect(await world.files.apply([writing('a.txt', 'one\n', 'one\n')])).toMatchObject({
          ok: true,
          files: [{ hash: hashOf('one\n') }],
        });
      }),
    );

    it(
      'lists the files',
      inWorld(async ({ files, put }) => {
        put('b.txt', Buffer.from(''));
        put('a/c.txt', Buffer.from(''));
        expect(await files.list()).toEqual(['a/c.txt', 'b.txt']);
      }),
    );
  });
}

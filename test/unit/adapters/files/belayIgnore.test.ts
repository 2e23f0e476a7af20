// The ignore port on a real folder, also beside `git check-ignore` with the same files named .gitignore.
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { belayIgnore } from '../../../../src/adapters/files/belayIgnore.ts';

async function inFolder<T>(files: Readonly<Record<string, string>>, work: (root: string) => Promise<T>): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), 'belay-ignore-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    return await work(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

const kept = async (root: string, ...words: readonly string[]): Promise<readonly string[]> =>
  [...(await belayIgnore(() => [root]).ignored(words)).words].sort();

describe('a path is kept', () => {
  it('however it is written', async () => {
    await inFolder({ '.belayignore': '.env\nsecrets/\n', 'secrets/key': '', 'src/a.ts': '' }, async (root) => {
      const words = [
        '.env',
        './.env',
        'src/../.env',
        `${root}/.env`,
        `${root}/src/../secrets/key`,
        'secrets',
        'secrets/',
        'src/.env',
        '.ENV',
      ];
      expect(
        await kept(root, ...words, 'src/a.ts', '.env.example', `${root}x/.env`, '../.env', '/etc/.env', '', '.'),
      ).toEqual([...words].sort());
    });
  });

  it('by what it links to', async () => {
    await inFolder({ '.belayignore': 'secrets/\n', 'secrets/key': 'x', 'src/a.ts': '' }, async (root) => {
      await symlink('secrets/key', join(root, 'link'));
      await symlink('../secrets', join(root, 'src/folder'));
      expect(await kept(root, 'link', 'src/folder/key', 'src/a.ts')).toEqual(['link', 'src/folder/key']);
    });
  });

  it('by what a pattern of the shell stands for', async () => {
    await inFolder(
      { '.belayignore': 'keys.txt\n.env*\n', 'keys.txt': '', 'a.ts': '', '.env.local': '' },
      async (root) => {
        expect(await kept(root, '*.txt', 'key?.txt', '[jk]eys.txt', './*', '.e*', '*.ts')).toEqual(
          ['*.txt', 'key?.txt', '[jk]eys.txt', './*', '.e*'].sort(),
        );
      },
    );
  });

  it('by nested files, which may take back what is above them', async () => {
    await inFolder(
      {
        '.belayignore': '*.log\nbuild\n',
        'a/.belayignore': '!*.log\n/only.txt\n!build\n',
        'a/b/x': '',
        'a/build/y.log': '',
      },
      async (root) => {
        expect(
          await kept(root, 'x.log', 'a/x.log', 'a/only.txt', 'a/b/only.txt', 'only.txt', 'build/y', 'a/build/y.log'),
        ).toEqual(['a/only.txt', 'build/y', 'x.log'].sort());
      },
    );
  });

  it('as the files are now: changed, new and gone ones count at the next question', async () => {
    await inFolder({ 'src/a.ts': '' }, async (root) => {
      const port = belayIgnore(() => [root]);
      const ask = async (): Promise<readonly string[]> => [...(await port.ignored(['src/a.ts', 'b.ts'])).words];
      expect(await port.isActive()).toBe(false);
      expect(await ask()).toEqual([]);
      await writeFile(join(root, '.belayignore'), 'b.ts');
      expect(await port.isActive()).toBe(true);
      expect(await ask()).toEqual(['b.ts']);
      await writeFile(join(root, '.belayignore'), 'c.ts');
      await utimes(join(root, '.belayignore'), 1, 1);
      expect(await ask()).toEqual([]);
      await writeFile(join(root, 'src/.belayignore'), '*');
      expect(await ask()).toEqual(['src/a.ts']);
      await rm(join(root, 'src/.belayignore'));
      expect(await ask()).toEqual([]);
    });
  });

  it('with everything below a file that cannot be read', async () => {
    await inFolder({ 'a/.belayignore/x': '', 'a/b': '', c: '' }, async (root) => {
      const port = belayIgnore(() => [root]);
      expect(await port.isActive()).toBe(true);
      const { words, unreadable } = await port.ignored(['a/b', 'a/b/c', 'c']);
      expect([...words]).toEqual(['a/b', 'a/b/c']);
      expect(unreadable).toEqual([join(root, 'a', '.belayignore')]);
    });
  });

  it.skipIf(process.getuid?.() === 0)('with everything below a folder whose names are hidden', async () => {
    await inFolder({ 'a/b': '' }, async (root) => {
      await chmod(join(root, 'a'), 0);
      expect(await kept(root, 'a/b')).toEqual(['a/b']);
      await chmod(join(root, 'a'), 0o700);
    });
  });

  it.skipIf(process.platform === 'win32')(
    'with everything below a file that is a pipe, and nobody waits for it',
    async () => {
      await inFolder({ 'a/x': '', 'b/x': '' }, async (root) => {
        await promisify(execFile)('mkfifo', [join(root, 'a/.belayignore')]);
        expect(await kept(root, 'a/x', 'b/x')).toEqual(['a/x']);
      });
    },
  );

  it('in every folder of the workspace', async () => {
    await inFolder({ 'one/.belayignore': 'x', 'two/.belayignore': 'y' }, async (root) => {
      const port = belayIgnore(() => [join(root, 'one'), join(root, 'two')]);
      expect([...(await port.ignored(['x', 'y', 'z', join(root, 'one/y')])).words].sort()).toEqual(['x', 'y']);
    });
  });

  it('costs nothing to speak of without such a file', async () => {
    await inFolder({ 'a/b/c': '' }, async (root) => {
      const words = Array.from({ length: 20_000 }, (_, index) => `w${index}/x${index % 7}`);
      const started = process.cpuUsage();
      expect(await kept(root, ...words)).toEqual([]);
      expect(process.cpuUsage(started).user / 1000).toBeLessThan(2000);
    });
  });
});

function gitIgnores(root: string, paths: readonly string[]): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const child = execFile('git', ['-C', root, 'check-ignore', '--no-index', '-z', '--stdin'], (_error, stdout) =>
      resolve(stdout.split('\0').filter((path) => path !== '')),
    );
    child.stdin?.end(paths.join('\0'));
  });
}

describe('beside git', () => {
  const name = fc.constantFrom('a', 'b', 'c.log', 'd[1]');
  const pattern = fc
    .tuple(
      fc.constantFrom('', '', '!'),
      fc.constantFrom('', '/', '**/'),
      fc.array(fc.oneof(name, fc.constantFrom('*', '*.log', '?', '**', 'd\\[1\\]', '[ab]')), {
        minLength: 1,
        maxLength: 3,
      }),
      fc.constantFrom('', '', '/', ' '),
    )
    .map(([not, start, names, end]) => `${not}${start}${names.join('/')}${end}`);
  const file = fc
    .array(fc.oneof(pattern, fc.constantFrom('# note', '', '\\#x')), { maxLength: 4 })
    .map((lines) => lines.join('\n'));

  it('never lets out what git would ignore', async () => {
    await fc.assert(
      fc.asyncProperty(file, file, file, async (top, inA, inD) => {
        const paths = ['a', 'b', 'c.log'].flatMap((one) =>
          ['a', 'b', 'c.log', 'd[1]'].flatMap((two) => [`a/${one}/${two}`, `d[1]/${one}/${two}`]),
        );
        const tree = Object.fromEntries(paths.map((path) => [path, '']));
        const rules = (name: string): Record<string, string> => ({
          [name]: top,
          [`a/${name}`]: inA,
          [`d[1]/${name}`]: inD,
        });
        await inFolder({ ...tree, ...rules('.gitignore'), ...rules('.belayignore') }, async (root) => {
          await new Promise((resolve) => execFile('git', ['-C', root, 'init', '-q'], resolve));
          const ours = new Set(await kept(root, ...paths));
          expect((await gitIgnores(root, paths)).filter((path) => !ours.has(path))).toEqual([]);
        });
      }),
      { numRuns: 60 },
    );
  });
});

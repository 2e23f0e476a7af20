// Where the file port of a workspace on the disk may go and where not: links, Git's own, other names of a file, several
// folders, names that some disk takes for another.
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { realDisk } from '../../src/adapters/files/disk.ts';
import { workspaceFiles } from '../../src/adapters/files/workspaceFiles.ts';
import type { FilePort, Result } from '../../src/engine/ports.ts';
import { caselessDisk } from '../support/caselessDisk.ts';
import { type DiskWorkspace, diskWorkspace, FAST_DISK } from '../support/diskWorkspace.ts';
import { deleting, writing } from '../support/fileContract.ts';
import { must } from '../support/memoryEntries.ts';

// Hundreds of edits on a real disk; most of the time is the disk's.
vi.setConfig({ testTimeout: 60_000 });

let world: DiskWorkspace;
let files: FilePort;
beforeEach(() => {
  world = diskWorkspace(undefined, FAST_DISK);
  files = world.files;
  world.put('a.txt', Buffer.from('one\n'));
  writeFileSync(join(world.folder, 'secret.txt'), 'outside\n');
});
afterEach(() => world.dispose());

const errorOf = <T>(result: Result<T, string>): string => (result.ok ? 'none' : result.error);
const refusal = async (path: string, old: string | null = null, port = files): Promise<string> => {
  const done = await port.apply([writing(path, 'x', old)]);
  expect(done.ok, path).toBe(false);
  return done.error ?? '';
};

describe('links', () => {
  it('do not lead out of the workspace: to a file, by a folder, by a chain, or to nowhere', async () => {
    symlinkSync(join(world.folder, 'secret.txt'), world.at('link.txt'));
    symlinkSync(world.folder, world.at('up'));
    symlinkSync('up/../link.txt', world.at('chain.txt'));
    symlinkSync(join(world.folder, 'later.txt'), world.at('dangling.txt'));
    symlinkSync(join(world.folder, 'later'), world.at('dangling'));
    for (const path of ['link.txt', 'up/secret.txt', 'up/new.txt', 'chain.txt', 'dangling.txt', 'dangling/new.txt']) {
      for (const work of ['locate', 'read', 'look', 'saveBefore'] as const)
        expect(errorOf<unknown>(await files[work](path)), path).toMatch(/symbolic link/);
      expect(await refusal(path, 'outside\n'), path).toMatch(/symbolic link/);
      expect(await refusal(path), path).toMatch(/symbolic link/);
    }
    expect(readdirSync(world.folder).sort()).toEqual(['secret.txt', 'workspace']);
    expect(readFileSync(join(world.folder, 'secret.txt'), 'utf8')).toBe('outside\n');
  });

  it('in a circle are told as such', async () => {
    symlinkSync('round2', world.at('round1'));
    symlinkSync('round1', world.at('round2'));
    expect(errorOf(await files.read('round1'))).toMatch(/round1 is a circle of symbolic links/);
    expect(await refusal('round1/x')).toMatch(/circle/);
  });

  it('are not deleted in place of what they stand for', async () => {
    world.link('alias.txt', 'a.txt');
    const done = await files.apply([deleting('alias.txt', 'one\n')]);
    expect(done.error).toMatch(/alias\.txt is a symbolic link to a\.txt and was not deleted/);
    expect(world.all()).toEqual(['a.txt', 'alias.txt']);
    expect(must(await files.locate('alias.txt'))).toBe('a.txt');
  });

  it('to the workspace itself may be part of an absolute path', async () => {
    symlinkSync(world.root, join(world.folder, 'way'));
    const linked = workspaceFiles({ root: join(world.folder, 'way'), beforeDirectory: world.beforeDirectory });
    for (const root of [world.root, join(world.folder, 'way')])
      expect(must(await linked.locate(join(root, 'src/../a.txt')))).toBe('a.txt');
    expect(errorOf(await linked.locate(join(world.folder, 'secret.txt')))).toMatch(/leads out of the workspace/);
  });
});

describe("Git's own files", () => {
  const git = (cwd: string, ...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd, stdio: 'pipe' });

  it('are read but never written: of a repository, a submodule, a worktree, a bare and a separate one', async () => {
    const { root } = world;
    git(root, 'init', '-q');
    git(root, 'add', 'a.txt');
    git(root, 'commit', '-qm', 'one');
    git(root, 'clone', '-q', '--bare', root, 'bare.git');
    git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', join(root, 'bare.git'), 'sub');
    git(root, 'worktree', 'add', '-q', 'tree');
    git(root, 'clone', '-q', '--separate-git-dir', 'data', join(root, 'bare.git'), 'apart');
    const theirs = [
      '.git/config',
      '.git/modules/sub/HEAD',
      '.git/worktrees/tree/HEAD',
      'sub/.git',
      'tree/.git',
      'apart/.git',
      'bare.git/HEAD',
      'bare.git/hooks/post-update.sample',
      'data/config',
      'data/refs/heads/new',
    ];
    for (const path of theirs) {
      const old = world.get(path);
      const done = await files.apply([writing(path, 'x', old)]);
      expect(done.error, path).toContain(`${path} belongs to Git itself`);
      if (!old) continue;
      expect(await files.apply([deleting(path, old)]), path).toMatchObject({ ok: false });
      expect(world.get(path), path).toEqual(old);
    }
    expect(must(await files.read('.git/HEAD')).text).toMatch(/^ref: /);
    // What they keep for the user is the user's.
    for (const path of ['sub/a.txt', 'tree/a.txt', 'apart/a.txt'])
      expect(await files.apply([writing(path, 'two\n', 'one\n')]), path).toMatchObject({ ok: true });
    expect(await files.apply([writing('.gitignore', 'x', null)])).toMatchObject({ ok: true });
  });

  it('are known under every name that a disk takes for .git', async () => {
    for (const path of ['.GIT/config', '.Git/hooks/x', 'sub/.giT', '.git./config', '.g\u200cit/config', 'git~1/config'])
      expect(await refusal(path), path).toMatch(/belongs to Git itself/);
  });

  it('are known when the workspace is inside of them', async () => {
    git(world.root, 'init', '-q', '--bare', 'bare.git');
    const inside = workspaceFiles({ root: world.at('bare.git'), beforeDirectory: world.beforeDirectory });
    expect(await refusal('hooks/pre-receive', null, inside)).toMatch(/belongs to Git itself/);
  });
});

describe('names', () => {
  it.each([
    ' a b .txt',
    '"quoted\' `name`.txt',
    'line\nbreak.txt',
    '-rf.txt',
    '--help',
    'back\\slash.txt',
    'tab\t.txt',
    '$(touch x).txt',
    '*.txt',
    'trailing dot.',
    'trailing space ',
    '日本語 🧗.txt',
    `${'n'.repeat(251)}.txt`,
    'CON',
  ])('of any kind that this disk takes are as good as others: %j', async (name) => {
    expect(await files.apply([writing(name, 'two\n', null)])).toMatchObject({ ok: true, error: null });
    expect(world.all()).toEqual(['a.txt', name].sort());
    expect(must(await files.read(name)).text).toBe('two\n');
    expect(must(await files.locate(name))).toBe(name);
    expect(await files.apply([writing(name, 'three\n', 'two\n')])).toMatchObject({ ok: true });
    expect(await files.apply([deleting(name, 'three\n')])).toMatchObject({ ok: true });
    expect(world.all()).toEqual(['a.txt']);
  });

  it('that are too long are refused with the remedy', async () => {
    expect(await refusal('n'.repeat(300))).toMatch(/has a name that is too long/);
    expect(await refusal(`${'deep/'.repeat(1000)}x`)).toMatch(/has a name that is too long/);
  });

  it('that are no text are refused, and control characters are spelled out in messages', async () => {
    expect(await refusal('\ud800.txt')).toMatch(/not valid Unicode/);
    expect(await refusal('../\u001b[2Jx\u202etxt')).toMatch(/^\.\.\/\\u001b\[2Jx\\u202etxt leads out/);
  });

  it.each(['CON', 'nul.txt', 'com1', 'src/LPT9.log', 'a.txt:stream', 'dot.', 'space ', 'what?', 'a|b', 'x/aux /y'])(
    'that Windows keeps for itself are refused there: %j',
    async (name) => {
      const onWindows = workspaceFiles(
        { root: world.root, beforeDirectory: world.beforeDirectory },
        { ...realDisk, platform: 'win32' },
      );
      expect(await refusal(name, null, onWindows)).toMatch(/Windows.*Choose another name\.$/);
      expect(errorOf(await onWindows.read(name))).toMatch(/Windows/);
      expect(world.all()).toEqual(['a.txt']);
    },
  );

  it('below a file are refused', async () => {
    expect(await refusal('a.txt/b')).toMatch(/a\.txt\/b lies below something that is not a folder/);
    expect(errorOf(await files.read('a.txt/b'))).toMatch(/not a folder/);
  });
});

describe('names that differ only in letter case or Unicode form', () => {
  const NFC = 'caf\u00e9.txt';
  const NFD = 'cafe\u0301.txt';

  it('are not both made on a disk that tells them apart, since others do not', async () => {
    world.put('README.md', Buffer.from('r'));
    world.put(`src/${NFC}`, Buffer.from('c'));
    expect(await refusal('readme.md')).toBe(
      'readme.md was not made: "README.md" is there, and the two names differ only in letter case or Unicode form, so many disks take them for one. Use that name, or another one.',
    );
    expect(await refusal(`src/${NFD}`)).toContain(`"${NFC}" is there`);
    expect(await refusal('SRC/new.txt')).toContain('"src" is there');
    const both = await files.apply([writing('new.txt', 'x', null), writing('New.txt', 'x', null)]);
    expect(both.error).toContain('New.txt was not made: "new.txt" is there');
    expect(must(await files.look('readme.md')).kind).toBe('missing');
    expect(world.all()).toEqual(['README.md', 'a.txt', `src/${NFC}`]);
  });

  it('are both written where both are there', async () => {
    world.put('A.txt', Buffer.from('A'));
    expect(await files.apply([writing('A.txt', 'B', 'A'), writing('a.txt', 'b', 'one\n')])).toMatchObject({ ok: true });
    expect([must(await files.locate('A.txt')), must(await files.locate('a.txt'))]).toEqual(['A.txt', 'a.txt']);
  });

  it('may take the place of each other in one edit', async () => {
    expect(await files.apply([writing('A.txt', 'one\n', null), deleting('a.txt', 'one\n')])).toMatchObject({
      ok: true,
    });
    expect(world.all()).toEqual(['A.txt']);
  });

  it('are one file on a disk that takes them for one, under the name that is on the disk', async () => {
    world.put('src/README.md', Buffer.from('r'));
    world.put(NFC, Buffer.from('c'));
    const { root, beforeDirectory } = world;
    const caseless = workspaceFiles({ root, beforeDirectory }, caselessDisk());
    expect(must(await caseless.locate('SRC/readme.MD'))).toBe('src/README.md');
    expect(must(await caseless.locate('Src/New.txt'))).toBe('src/New.txt');
    expect(must(await caseless.locate(NFD))).toBe(NFC);
    expect(must(await caseless.read('src/readme.md')).text).toBe('r');
    expect(await refusal('src/readme.md', null, caseless)).toMatch(/exists already/);
    const twice = await caseless.apply([writing('a.txt', 'x', 'one\n'), writing('A.TXT', 'y', 'one\n')]);
    expect(twice.error).toMatch(/A\.TXT is changed twice in one edit/);
    expect(await caseless.apply([writing('SRC/Readme.md', 'R', 'r')])).toMatchObject({ ok: true });
    expect(world.all()).toEqual(['a.txt', NFC, 'src/README.md'].sort());
    expect(world.get('src/README.md')?.toString()).toBe('R');
  });
});

describe('a workspace of several folders', () => {
  let several: FilePort;
  const folder = (path: string): string => {
    const at = join(world.folder, path);
    mkdirSync(at, { recursive: true });
    return at;
  };
  beforeEach(() => {
    const roots = [
      { name: 'app', path: folder('one/app') },
      { name: 'app', path: folder('two/app') },
      { name: 'Front / end', path: folder('front') },
      { name: 'inner', path: folder('front/packages/inner') },
    ];
    several = workspaceFiles({ roots, beforeDirectory: world.beforeDirectory });
    for (const path of ['one/app/x.txt', 'two/app/x.txt', 'front/x.txt', 'front/packages/inner/x.txt'])
      writeFileSync(join(world.folder, path), path);
  });

  it('names files by their folder, and folders of the same name by the one above', async () => {
    expect(await several.list()).toContain('app (one)/x.txt');
    expect(must(await several.read('app (one)/x.txt')).text).toBe('one/app/x.txt');
    expect(must(await several.read('app (two)/./x.txt')).text).toBe('two/app/x.txt');
    expect(must(await several.read('Front - end/x.txt')).text).toBe('front/x.txt');
    expect(errorOf(await several.read('app/x.txt'))).toBe(
      'app/x.txt names no folder of the workspace. Begin the path with one of: app (one), app (two), Front - end, inner.',
    );
    for (const path of ['../x', 'inner/../../x', '.', 'app (one)/../../secret.txt'])
      expect((await several.read(path)).ok, path).toBe(false);
  });

  it('takes absolute paths and gives a file in a folder within a folder the name of the inner one', async () => {
    for (const path of [
      join(world.folder, 'front/packages/inner/x.txt'),
      'Front - end/packages/inner/x.txt',
      'inner/x.txt',
    ])
      expect(must(await several.locate(path))).toBe('inner/x.txt');
    const twice = await several.apply([
      writing('inner/x.txt', 'a', 'front/packages/inner/x.txt'),
      writing('Front - end/packages/inner/x.txt', 'b', 'front/packages/inner/x.txt'),
    ]);
    expect(twice.error).toMatch(/changed twice/);
  });

  it('changes files of several folders at once, also by a link from one into the other', async () => {
    symlinkSync(join(world.folder, 'two/app'), join(world.folder, 'front/linked'));
    expect(must(await several.locate('Front - end/linked/x.txt'))).toBe('app (two)/x.txt');
    const done = await several.apply([
      writing('app (one)/x.txt', '1', 'one/app/x.txt'),
      writing('Front - end/linked/x.txt', '2', 'two/app/x.txt'),
      writing('inner/new/y.txt', '3', null),
    ]);
    expect(done).toMatchObject({ ok: true });
    expect(readFileSync(join(world.folder, 'two/app/x.txt'), 'utf8')).toBe('2');
    expect(readFileSync(join(world.folder, 'front/packages/inner/new/y.txt'), 'utf8')).toBe('3');
  });

  it('names a folder that is not there (any more)', async () => {
    rmSync(join(world.folder, 'one'), { recursive: true });
    expect(errorOf(await several.read('app (one)/x.txt'))).toMatch(
      /one\/app cannot be read\. Open a folder that exists/,
    );
    expect(must(await several.read('inner/x.txt')).exists).toBe(true);
    renameSync(world.root, `${world.root}-gone`);
    expect(errorOf(await files.read('a.txt'))).toMatch(/workspace cannot be read/);
    renameSync(`${world.root}-gone`, world.root);
  });
});

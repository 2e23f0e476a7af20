// Git repositories for the restore test, made once and then copied: submodule, linked worktree, nested repository, links in
// and out, ignored and untracked files, line endings, encodings, binary files, executable bits, unusual names, staged and
// unstaged changes, a stash, tags and packed refs. Every text line is unique, so that a test can tell whose it is.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Parts that a repository may have or not. */
export interface Features {
  readonly hasSubmodule: boolean;
  readonly hasWorktree: boolean;
  readonly hasNested: boolean;
  readonly hasLinks: boolean;
  readonly hasStash: boolean;
  readonly hasStaged: boolean;
  readonly isAutoCrlf: boolean;
}

/** Text files of every repository, by name, with how they are written. */
const TEXTS: readonly (readonly [name: string, eol: string, encoding: 'utf8' | 'latin1' | 'utf16le', mark: string])[] =
  [
    ['src/a.ts', '\n', 'utf8', ''],
    ['src/b.ts', '\n', 'utf8', ''],
    ['src/deep/er/c.ts', '\n', 'utf8', ''],
    ['docs/crlf.md', '\r\n', 'utf8', ''],
    ['docs/mark.txt', '\n', 'utf8', '\ufeff'],
    ['docs/wide.txt', '\r\n', 'utf16le', '\ufeff'],
    ['docs/latin.txt', '\n', 'latin1', ''],
    ['we ird/na me [1]*.txt', '\n', 'utf8', ''],
    ['-dash "quote\'.txt', '\n', 'utf8', ''],
    ['ünï/😀.txt', '\n', 'utf8', ''],
    ['ignored/build.log', '\n', 'utf8', ''],
    ['.env', '\n', 'utf8', ''],
    ['run.sh', '\n', 'utf8', ''],
  ];

function git(folder: string, ...args: readonly string[]): void {
  execFileSync(
    'git',
    [
      ...['-c', 'user.name=A', '-c', 'user.email=a@example.invalid', '-c', 'protocol.file.allow=always'],
      ...['-c', 'commit.gpgsign=false', '-c', 'init.defaultBranch=main', '-c', 'core.safecrlf=false', ...args],
    ],
    { cwd: folder, stdio: 'pipe', env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' } },
  );
}

function put(file: string, content: string | Uint8Array, mode = 0o644): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  chmodSync(file, mode);
}

function linesOf(name: string, eol: string): string {
  const tag = name.replaceAll(/[^a-z]/g, '').slice(0, 8);
  return Array.from({ length: 24 }, (_, i) => `o-${tag}-${i}é${eol}`).join('');
}

function repository(folder: string): void {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet', '--template=');
}

/** Makes a repository at `folder/ws`, with things outside of it at `folder/outside`. */
export function makeTemplate(folder: string, features: Features): void {
  const ws = join(folder, 'ws');
  repository(ws);
  put(join(folder, 'outside/secret.txt'), linesOf('outside', '\n'));
  if (features.isAutoCrlf) git(ws, 'config', 'core.autocrlf', 'true');
  put(join(ws, '.gitignore'), 'ignored/\n.env\n');
  put(join(ws, '.gitattributes'), '*.bin binary\n');
  for (const [name, eol, encoding, mark] of TEXTS) {
    put(join(ws, name), Buffer.from(mark + linesOf(name, eol), encoding), name.endsWith('.sh') ? 0o755 : 0o644);
  }
  put(join(ws, 'noend.txt'), linesOf('noend', '\n').slice(0, -1));
  put(join(ws, 'empty.txt'), '');
  put(
    join(ws, 'data.bin'),
    Uint8Array.from({ length: 300 }, (_, i) => (i * 7) % 256),
  );
  if (features.hasLinks) addLinks(ws);
  if (features.hasSubmodule) {
    const library = join(folder, 'library');
    repository(library);
    put(join(library, 'lib.c'), linesOf('library', '\n'));
    git(library, 'add', '-A');
    git(library, 'commit', '--quiet', '-m', 'library');
    git(ws, 'submodule', '--quiet', 'add', '../library', 'sub');
    rmSync(library, { recursive: true });
  }
  git(ws, 'add', '-A');
  git(ws, 'commit', '--quiet', '-m', 'first');
  git(ws, 'tag', 'v1');
  git(ws, 'branch', 'other');
  if (features.hasStash) {
    put(join(ws, 'src/b.ts'), `stashed\n${linesOf('src/b.ts', '\n')}`);
    git(ws, 'stash', '--quiet');
  }
  if (features.hasStaged) {
    put(join(ws, 'src/b.ts'), `${linesOf('src/b.ts', '\n')}staged-1\n`);
    put(join(ws, 'staged.txt'), linesOf('staged', '\n'));
    git(ws, 'add', '-A');
    put(join(ws, 'src/b.ts'), `${linesOf('src/b.ts', '\n')}staged-1\nunstaged-1\n`);
  }
  put(join(ws, 'untracked.txt'), linesOf('untracked', '\n'));
  if (features.hasNested) {
    repository(join(ws, 'nested'));
    put(join(ws, 'nested/inner.txt'), linesOf('nested', '\n'));
    git(join(ws, 'nested'), 'add', '-A');
    git(join(ws, 'nested'), 'commit', '--quiet', '-m', 'nested');
  }
  if (features.hasWorktree) git(ws, 'worktree', 'add', '--quiet', 'linked', 'other');
  git(ws, 'pack-refs', '--all');
  git(ws, 'repack', '-adq');
}

function addLinks(ws: string): void {
  symlinkSync('src/a.ts', join(ws, 'link-in'));
  symlinkSync('src', join(ws, 'folder-in'));
  symlinkSync('../outside/secret.txt', join(ws, 'link-out'));
  symlinkSync('nowhere', join(ws, 'dangling'));
}

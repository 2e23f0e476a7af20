// `npm version` (npm-version(1)): which words are understood, what is kept before, and which facts say that it was done.
import { describe, expect, it } from 'vitest';
import { commitTag } from '../../../../../src/core/ledger/probes.ts';
import { npmVersionProbe } from '../../../../../src/core/ledger/probes/npmVersion.ts';
import type { Queried } from '../../../../../src/core/ledger/probes/reading.ts';
import type { Step } from '../../../../../src/core/ledger/probes/script.ts';
import { sha256Hex } from '../../../../../src/core/ledger/key.ts';
import { fileOf, inWorld } from '../../../../support/probeWorld.ts';
import type { World } from '../../../../support/probeWorld.ts';

const step = (command: string, more: Partial<Step> = {}): Step => {
  return { words: command.split(' '), output: null, input: '', decidesExit: true, folder: '', ...more };
};
const wordsOf = (command: string): unknown => npmVersionProbe.plan(step(command))?.words ?? null;

describe('the words of npm version', () => {
  const plain = { wanted: 'patch', isTagged: true, runsScripts: true };
  it.each([
    ['npm version patch', plain],
    ['npm version minor', { ...plain, wanted: 'minor' }],
    ['npm version major', { ...plain, wanted: 'major' }],
    ['npm version 1.2.3', { ...plain, wanted: '1.2.3' }],
    ['npm version v10.20.30', { ...plain, wanted: 'v10.20.30' }],
    ['npm version patch --no-git-tag-version', { ...plain, isTagged: false }],
    ['npm version --git-tag-version=false patch', { ...plain, isTagged: false }],
    ['npm version patch --ignore-scripts', { ...plain, runsScripts: false }],
    ['npm version patch -m release', plain],
    ['npm version -m minor patch', plain],
    ['npm version --message minor patch', plain],
    ['npm version patch --message=release', plain],
    ['npm version -m -x patch', plain],
    ['npm version -m --no-git-tag-version patch', plain],
    ['npm version patch -m', plain],
    ['npm version patch -s', plain],
    ['npm version patch --silent', plain],
    ['npm version patch -f', plain],
    ['npm version patch --force', plain],
    ['npm version patch --no-commit-hooks', plain],
    ['npm version patch --commit-hooks=false', plain],
    ['npm version patch --no-audit', plain],
  ])('%s are %j', (command, words) => {
    expect(wordsOf(command)).toEqual(words);
  });

  it.each([
    'npm',
    'npm version',
    'npm version -s',
    'npm versions patch',
    'npm publish patch',
    'yarn version patch',
    'npm version prepatch',
    'npm version patchy',
    'npm version prerelease',
    'npm version from-git',
    'npm version 1.2',
    'npm version 1.2.3-rc.1',
    'npm version 1.2.3.4',
    'npm version x1.2.3',
    'npm version patch minor',
    'npm version patch --workspaces',
    'npm version patch --prefix=/x',
    'npm version patch --x--message=y',
    'npm version patch --git-tag-version',
    'npm version patch -x-',
    'npm version -m patch',
  ])('%s are not understood', (command) => {
    expect(wordsOf(command)).toBeNull();
  });

  it('are not understood with an output that goes into a file', () => {
    expect(npmVersionProbe.plan(step('npm version patch', { output: { path: 'f', isAppend: false } }))).toBeNull();
  });
});

const HEAD = 'a'.repeat(40);
const NEW = 'b'.repeat(40);
const MARK = commitTag('0123456789abcdef0123');
const FIRST = `${HEAD}\tHEAD@{1 +0000}\tcommit (initial): start\n`;
const OWN = `${NEW}\tHEAD@{2 +0000}\t${MARK}: 1.2.4\n`;

interface Repo {
  readonly head?: string;
  readonly log?: string;
  /** Commit of the tag v1.2.4; null: there is none; a number: git ends with this code. */
  readonly tag?: string | null | number;
  /** Refs that are listed. */
  readonly refs?: string | number;
  readonly prefix?: string | number;
  readonly directory?: string | null;
  /** Exit code of the question whether the commit is part of HEAD, and the branches that have it. */
  readonly isOnHead?: number;
  readonly branches?: string;
}

function git(repo: Repo): NonNullable<World['query']> {
  const { head = HEAD, log = FIRST, tag = null, refs = '', prefix = '\n', directory = '/w/.git' } = repo;
  const { isOnHead = 0, branches = '' } = repo;
  const told = (value: string | number): Queried =>
    typeof value === 'number' ? { exitCode: value, stdout: '' } : { exitCode: 0, stdout: value };
  return (words) => {
    const is = (...parts: string[]): boolean => parts.every((part) => words.includes(part));
    if (is('rev-parse', '--git-dir')) return told(directory === null ? 128 : `${directory}\n${directory}\n`);
    if (is('rev-parse', '--show-prefix')) return told(prefix);
    if (is('rev-parse', 'HEAD^{commit}')) return told(`${head}\n`);
    if (is('rev-parse', 'refs/tags/v1.2.4^{commit}')) return told(tag ?? 1);
    if (is('for-each-ref', 'refs/tags/v1.2.4')) return told(refs);
    if (is('for-each-ref', '--contains')) return told(branches);
    if (is('merge-base')) return told(isOnHead);
    return is('log', '-g') ? told(log) : null;
  };
}

const manifest = (version: string, more = ''): string => `{"name":"x","version":"${version}"${more}}`;
const scope = { workspace: '/w', folder: '/w', isAlone: true, mark: MARK };
const before = (command: string, world: World, more: object = {}) =>
  inWorld(npmVersionProbe.plan(step(command))?.before({ ...scope, ...more }) ?? null, world).said?.data ?? null;
const start: World = { files: { 'package.json': manifest('1.2.3') }, query: git({}) };
const NO_GIT = 'npm version patch --no-git-tag-version';

describe('the baseline of npm version', () => {
  it('is what the files are, the version to come, and the repository as it is', () => {
    const files = { 'package.json': manifest('1.2.3'), 'package-lock.json': 'lock', 'npm-shrinkwrap.json': 'wrap' };
    const data = before('npm version patch', { ...start, files });
    expect(data).toEqual({
      workspace: '/w',
      folder: '/w',
      files: Object.entries(files).map(([path, text]) => ({ path, hash: sha256Hex(text) })),
      versionBefore: '1.2.3',
      versionAfter: '1.2.4',
      git: {
        gitDirectory: '/w/.git',
        head: { head: HEAD, logCount: 1, logHash: sha256Hex(FIRST.trimEnd()) },
        mark: MARK,
        tag: 'v1.2.4',
      },
      isAlone: true,
    });
    expect(npmVersionProbe.footprint(data)).toEqual({
      workspace: '/w',
      paths: Object.keys(files),
      refs: [],
      runsPrograms: true,
    });
    expect(npmVersionProbe.needsRivals(data)).toBe(false);
  });

  it('is the files alone without a tag, a repository, or at its root', () => {
    for (const data of [
      before(NO_GIT, start),
      before('npm version patch', { ...start, query: git({ directory: null }) }),
      before('npm version patch', { ...start, query: git({ prefix: 'packages/x/\n' }) }),
      before('npm version patch', { ...start, query: git({ prefix: 128 }) }),
    ]) {
      expect(data).toMatchObject({ git: null, versionAfter: '1.2.4', files: [{ path: 'package.json' }] });
      expect(npmVersionProbe.footprint(data)).toMatchObject({ runsPrograms: false });
      expect(npmVersionProbe.needsRivals(data)).toBe(true);
    }
  });

  it.each([
    ['1.2.3', 'patch', '1.2.4'],
    ['1.2.9', 'patch', '1.2.10'],
    ['1.2.3', 'minor', '1.3.0'],
    ['1.2.3', 'major', '2.0.0'],
    ['0.0.0', 'patch', '0.0.1'],
    ['1.2.3', 'v2.0.1', '2.0.1'],
    ['1.2.3-rc.1', '2.0.1', '2.0.1'],
  ])('counts %s by %s to %s', (version, wanted, after) => {
    const files = { 'package.json': manifest(version) };
    expect(before(NO_GIT.replace('patch', wanted), { files })).toMatchObject({ versionAfter: after });
  });

  it.each<[string, string, World]>([
    ['a pre-release cannot be counted from', NO_GIT, { files: { 'package.json': manifest('1.2.3-rc.1') } }],
    ['the version is no version', NO_GIT, { files: { 'package.json': manifest('') } }],
    ['it is that version already', 'npm version 1.2.3', start],
    [
      'a tag of that name is there',
      'npm version patch',
      { ...start, query: git({ refs: `${HEAD} refs/tags/v1.2.4\n` }) },
    ],
    ['git cannot say what tags there are', 'npm version patch', { ...start, query: git({ refs: 128 }) }],
    ['git cannot say where HEAD is', 'npm version patch', { ...start, query: git({ head: 'odd' }) }],
    ['there is no manifest', NO_GIT, {}],
    ['it is a folder', NO_GIT, { files: { 'package.json': null } }],
    ['it cannot be looked at', NO_GIT, { ...start, hidden: ['package.json'] }],
    ['it cannot be read', NO_GIT, { ...start, unread: ['package.json'] }],
    ['it has no name here', NO_GIT, { ...start, nameless: ['package.json'] }],
    ['it is no JSON', NO_GIT, { files: { 'package.json': 'version: 1.2.3' } }],
    ['it has no version', NO_GIT, { files: { 'package.json': '{}' } }],
  ])('is none where %s', (_name, command, world) => {
    expect(before(command, world)).toBeNull();
  });

  it('is none of a manifest above 1 MiB, which is not read', () => {
    const of = (sizeBytes: number): readonly string[] => {
      const plan = npmVersionProbe.plan(step(NO_GIT));
      const { asked } = inWorld(plan?.before(scope) ?? null, { files: { 'package.json': fileOf('h', sizeBytes) } });
      return asked.map(({ ask }) => ask);
    };
    expect(of(1024 * 1024)).toContain('bytes');
    expect(of(1024 * 1024 + 1)).not.toContain('bytes');
  });

  it.each(['preversion', 'version', 'postversion'])('is none where the script %s runs along', (name) => {
    const world = { files: { 'package.json': manifest('1.2.3', `,"scripts":{"${name}":"x"}`) } };
    expect(before(NO_GIT, world)).toBeNull();
    expect(before(`${NO_GIT} --ignore-scripts`, world)).toMatchObject({ versionAfter: '1.2.4' });
  });

  it('leaves out a lock file that is not there, cannot be seen or has no name', () => {
    const files = { 'package.json': manifest('1.2.3'), 'package-lock.json': 'lock', 'npm-shrinkwrap.json': 'wrap' };
    const paths = (world: World): unknown =>
      (before(NO_GIT, { files, ...world })?.files as readonly { path: string }[] | undefined)?.map(({ path }) => path);
    expect(paths({ hidden: ['package-lock.json'] })).toEqual(['package.json', 'npm-shrinkwrap.json']);
    expect(paths({ nameless: ['npm-shrinkwrap.json'] })).toEqual(['package.json', 'package-lock.json']);
    expect(paths({ files: { ...files, 'package-lock.json': null } })).toEqual(['package.json', 'npm-shrinkwrap.json']);
  });
});

describe('what npm version has left', () => {
  const after = (data: unknown, world: World): string => {
    const { says, detail } = inWorld(npmVersionProbe.after(data), world).said;
    return `${says}: ${detail}`;
  };
  const files = (version: string, lock = 'lock'): Record<string, string> => {
    return { 'package.json': manifest(version), 'package-lock.json': lock };
  };

  it('is told by the files alone without a repository', () => {
    const data = before(NO_GIT, { files: files('1.2.3') });
    expect(after(data, { files: files('1.2.3') })).toBe(
      'ABSENT: package.json has version 1.2.3, and nothing in it has changed',
    );
    expect(after(data, { files: files('1.2.3', 'other') })).toBe('UNKNOWN: package.json has version 1.2.3');
    expect(after(data, { files: files('1.2.3'), hidden: ['package-lock.json'] })).toMatch(/^UNKNOWN/);
    expect(after(data, { files: files('1.2.4', 'other') })).toBe(
      'COMMITTED: package.json has version 1.2.4 as this command leaves it',
    );
    expect(after(data, { files: files('1.2.5') })).toBe('UNKNOWN: package.json has version 1.2.5');
    expect(after(data, {})).toBe('UNKNOWN: package.json cannot be read');
    const beside = before(NO_GIT, { files: files('1.2.3') }, { isAlone: false });
    expect(after(beside, { files: files('1.2.4') })).toContain('other parts');
  });

  const data = before('npm version patch', { ...start, files: files('1.2.3') });
  const inRepo = (version: string, repo: Repo): string => after(data, { files: files(version), query: git(repo) });
  const done: Repo = { head: NEW, log: OWN + FIRST, tag: NEW };
  const made = `commit ${'b'.repeat(10)} is marked as made by this command`;
  it.each<[string, Repo, string]>([
    ['1.2.4', done, `COMMITTED: ${made} and is part of HEAD, and tag v1.2.4 is at ${'b'.repeat(10)}`],
    ['1.2.3', {}, 'ABSENT: package.json has version 1.2.3, HEAD is where it was, and there is no tag v1.2.4'],
    ['1.2.4', { ...done, tag: null }, `UNKNOWN: ${made}, but there is no tag v1.2.4`],
    ['1.2.4', { ...done, tag: HEAD }, `UNKNOWN: ${made}, but tag v1.2.4 is at ${'a'.repeat(10)}`],
    ['1.2.4', { ...done, isOnHead: 1 }, `UNKNOWN: ${made}, but it does not stand any longer`],
    [
      '1.2.4',
      { ...done, isOnHead: 1, branches: 'main\n' },
      `COMMITTED: ${made} and is part of main, and tag v1.2.4 is at ${'b'.repeat(10)}`,
    ],
    ['1.2.4', { ...done, tag: 128 }, 'UNKNOWN: git cannot say what the tag v1.2.4 is'],
    ['1.2.4', { ...done, log: OWN }, 'UNKNOWN: the log of HEAD was rewritten'],
    ['1.2.4', { ...done, log: OWN, tag: 128 }, 'UNKNOWN: the log of HEAD was rewritten'],
    ['1.2.4', { ...done, directory: '/x/.git' }, 'UNKNOWN: the repository is gone or is another one'],
    ['1.2.4', { ...done, directory: null }, 'UNKNOWN: the repository is gone or is another one'],
    [
      '1.2.4',
      {},
      'UNKNOWN: package.json has version 1.2.4, but HEAD is where it was and there is no tag v1.2.4: it was done in part, or by somebody else',
    ],
    [
      '1.2.3',
      { tag: HEAD },
      `UNKNOWN: package.json has version 1.2.3, but HEAD is where it was and tag v1.2.4 is at ${'a'.repeat(10)}: it was done in part, or by somebody else`,
    ],
    [
      '1.2.4',
      { ...done, log: OWN.replace(MARK, 'commit') + FIRST },
      `UNKNOWN: package.json has version 1.2.4 and tag v1.2.4 is at ${'b'.repeat(10)}, but no new commit is marked as made by this command`,
    ],
  ])('with version %s and %j is %s', (version, repo, wanted) => {
    expect(inRepo(version, repo)).toBe(wanted);
  });
});

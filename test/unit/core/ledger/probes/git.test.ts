import { describe, expect, it } from 'vitest';
import { commitAt, git, gitSays, gitStep, refAt, repositoryAt } from '../../../../../src/core/ledger/probes/git.ts';
import type { GitStep } from '../../../../../src/core/ledger/probes/git.ts';
import type { Looking, Seen, Queried } from '../../../../../src/core/ledger/probes/reading.ts';
import { id, modelGit, playGit } from '../../../../support/modelGit.ts';

/** The work of a question that git answers so. */
function answeredBy<T>(looking: Looking<T>, seen: Seen<Queried>): T {
  looking.next();
  const turn = looking.next({ ask: 'query', seen });
  if (turn.done !== true) throw new Error('it asked again');
  return turn.value;
}
const ended = (exitCode: number, stdout = ''): Seen<Queried> => ({ ok: true, value: { exitCode, stdout } });
const silent: Seen<Queried> = { ok: false, error: 'no answer in time' };

describe('a question to git', () => {
  it('is answered by its output up to the highest exit code that is an answer', () => {
    expect(answeredBy(git('/w', ['x']), ended(0, 'said'))).toBe('said');
    expect(answeredBy(git('/w', ['x']), ended(1, 'said'))).toBeNull();
    expect(answeredBy(git('/w', ['x'], { maxExitCode: 1 }), ended(1, 'said'))).toBe('said');
    expect(answeredBy(git('/w', ['x'], { maxExitCode: 1 }), ended(2, 'said'))).toBeNull();
    expect(answeredBy(git('/w', ['x']), silent)).toBeNull();
  });
  it('waits 10 s unless told otherwise', () => {
    expect(git('/w', ['x']).next().value).toMatchObject({ timeoutMs: 10_000, cwd: '/w' });
    expect(git('/w', ['x'], { timeoutMs: 7 }).next().value).toMatchObject({ timeoutMs: 7 });
  });
  it('of yes or no is answered by the exit codes 0 and 1 and by no other', () => {
    const said = [ended(0), ended(1), ended(2), ended(128), silent].map((seen) =>
      answeredBy(gitSays('/w', ['x']), seen),
    );
    expect(said).toEqual([true, false, null, null, null]);
  });
});

describe('what stands in a repository', () => {
  const model = modelGit({ refs: { 'refs/heads/main': id('b'), 'refs/heads/main/deep': id('a') } });
  it('is read without a lock, a monitor or a hook', () => {
    expect(playGit(repositoryAt('/w'), model)).toEqual({ gitDirectory: '/w/.git', commonDirectory: '/w/.git' });
    expect(playGit(commitAt('/w/sub', 'HEAD~1'), model)).toBe(id('a'));
    expect(playGit(refAt('/w', 'refs/heads/main'), model)).toBe(id('b'));
    expect([...model.touched]).toEqual([]);
  });
  it('is no repository where git names less than both of its folders', () => {
    expect(playGit(repositoryAt('/elsewhere'), model)).toBeNull();
    const read = (stdout: string): unknown => answeredBy(repositoryAt('/w'), ended(0, stdout));
    expect(['', '\n', '/w/.git', '/w/.git\n', '\n/w/.git\n'].map(read)).toEqual([null, null, null, null, null]);
    expect(answeredBy(repositoryAt('/w'), silent)).toBeNull();
  });
  it('is no commit where git says so, and not known where git cannot say or says something odd', () => {
    expect(playGit(commitAt('/w', 'nothing'), model)).toBeNull();
    expect(playGit(commitAt('/elsewhere', 'HEAD'), model)).toBeUndefined();
    const read = (seen: Seen<Queried>): unknown => answeredBy(commitAt('/w', 'HEAD'), seen);
    expect(read(ended(0, `${'a'.repeat(64)}\n`))).toBe('a'.repeat(64));
    expect(read(ended(1, `${id('a')}\n`))).toBeNull();
    expect(read(ended(1))).toBeNull();
    const unsaid = [
      ended(128, `${id('a')}\n`),
      ended(128),
      ended(0),
      ended(0, 'abc\n'),
      ended(0, `${id('a')}b\n`),
      silent,
    ];
    expect(unsaid.map(read)).toEqual(unsaid.map(() => undefined));
  });
  it('is under a full name only what has exactly this name', () => {
    expect(playGit(refAt('/w', 'refs/heads/mai'), model)).toBeNull();
    expect(playGit(refAt('/w', 'refs/heads/main/deep'), model)).toBe(id('a'));
    expect(playGit(refAt('/w', 'deep'), model)).toBeNull();
    expect(playGit(refAt('/elsewhere', 'refs/heads/main'), model)).toBeUndefined();
  });
});

describe('the words of a git command', () => {
  const read = (words: readonly string[], folder = ''): GitStep | null => gitStep({ words, folder });
  const plain = { folder: '', command: 'commit', rest: ['-m', 'x'], hooksPath: null };
  it.each([
    { words: ['commit'], more: {} },
    { words: ['--no-pager', 'commit'], more: {} },
    { words: ['-P', '--no-pager', 'commit'], more: {} },
    { words: ['-c', 'user.name=A', 'commit'], more: {} },
    { words: ['-c', 'color.ui=always', '-P', '-c', 'core.editor=true', 'commit'], more: {} },
    { words: ['-C', 'sub', 'commit'], more: { folder: 'sub' } },
    { words: ['-C', 'sub', '-C', 'deep', 'commit'], more: { folder: 'sub/deep' } },
    { words: ['-C', 'sub', '-C', '/w', 'commit'], more: { folder: '/w' } },
    { words: ['-P', '-C', 'sub', 'commit'], more: { folder: 'sub' } },
    { words: ['-c', 'core.hooksPath=/h', 'commit'], more: { hooksPath: '/h' } },
    { words: ['-c', 'core.hooksPath=', 'commit'], more: { hooksPath: '' } },
    { words: ['-c', 'core.hooksPath=/h', '-c', 'user.name=A', 'commit'], more: { hooksPath: '/h' } },
    { words: ['-c', 'core.hooksPath=/h', '-c', 'core.hooksPath=/i', 'commit'], more: { hooksPath: '/i' } },
  ])('are read behind the options of git: $words', ({ words, more }) => {
    expect(read(['git', ...words, '-m', 'x'])).toEqual({ ...plain, ...more });
  });
  it.each([
    { folder: 'in', at: 'sub', found: 'in/sub' },
    { folder: '/w/in', at: 'sub', found: '/w/in/sub' },
    { folder: 'in', at: '/sub', found: '/sub' },
    { folder: '', at: 'sub', found: 'sub' },
    { folder: 'in', at: 'sub/', found: 'in/sub/' },
  ])('are in $found when -C $at stands in the folder $folder', ({ folder, at, found }) => {
    expect(read(['git', '-C', at, 'commit'], folder)?.folder).toBe(found);
  });
  it('keep what follows the command, whatever it looks like', () => {
    expect(read(['git', 'commit', 'user.name=A', '-C', 'sub', '--no-pager'])).toEqual({
      ...plain,
      rest: ['user.name=A', '-C', 'sub', '--no-pager'],
    });
    expect(read(['git', 'push', 'core.hooksPath=/h'], 'in')).toMatchObject({ folder: 'in', hooksPath: null });
    expect(read(['git', 'topic-'])?.command).toBe('topic-');
  });
  it.each([
    [['hub', 'commit']],
    [['/usr/bin/git', 'commit']],
    [['commit']],
    [[]],
    [['git']],
    [['git', '-P']],
    [['git', '-C', 'sub']],
    [['git', '', 'commit']],
    [['git', '-C', '', 'commit']],
    [['git', '-C', '..', 'commit']],
    [['git', '-C', 'sub/../x', 'commit']],
    [['git', '-c', 'user.name', 'commit']],
    [['git', '-c', 'core.worktree=/x', 'commit']],
    [['git', '-c', 'alias.commit=x', 'commit']],
    [['git', '-c', 'x.user.name=A', 'commit']],
    [['git', '--git-dir=/x', 'commit']],
    [['git', '--git-dir', '/x', 'commit']],
    [['git', '-p', 'user.name=A', 'commit']],
    [['git', '--bare', 'commit']],
  ])('are not certain, or none of git: %j', (words) => {
    expect(read(words)).toBeNull();
  });
});

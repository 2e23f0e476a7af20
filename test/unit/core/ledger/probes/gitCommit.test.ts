import { describe, expect, it } from 'vitest';
import { footprintOf, probeOf } from '../../../../../src/core/ledger/probes.ts';
import { baselineOf, id, MARK, modelGit, saidOf } from '../../../../support/modelGit.ts';
import type { ModelGit } from '../../../../support/modelGit.ts';

const LOG = modelGit().log ?? [];
const PARENTS = { ...modelGit().parents, [id('c')]: [id('b')] };
/** The repository after a commit c of the command. */
const made = (parts: Partial<ModelGit> = {}): ModelGit =>
  modelGit({
    refs: { 'refs/heads/main': id('c') },
    parents: PARENTS,
    log: [[id('c'), `${MARK}: fix`], ...LOG],
    ...parts,
  });

describe('a command that makes one commit', () => {
  it.each([
    'git commit',
    'git commit -m x',
    'git commit -mx',
    'git commit -mfunc',
    'git commit -am "fix it"',
    'git commit -a"mfix it"',
    'git commit -qam x file',
    'git commit -m x -m --dry-run',
    'git commit -m --amend',
    'git commit --message x --author "A <a@example.org>"',
    'git commit --message=x --no-verify',
    'git commit -F notes -s',
    'git commit -C HEAD~1',
    'git commit -c HEAD',
    'git commit -t template',
    'git commit -Skey -m x',
    'git commit -aSm x',
    'git commit --gpg-sign=key -m x',
    'git commit --fixup HEAD~1 --only file',
    'git commit --trailer=a:b -e -v',
    'git commit -m x -- --dry-run',
    'git commit -om x file',
  ])('is %s', (command) => {
    expect(baselineOf(command, modelGit())?.kind).toBe('git-commit');
  });

  it.each([
    'git commit -m',
    'git commit -am',
    'git commit --author',
    'git commit --dry-run',
    'git commit --short',
    'git commit -p',
    'git commit -pm x',
    'git commit --interactive',
    'git commit -mfunc --dry-run',
    'git commit -amfunc -p',
    'git commit -um x',
    'git commit --pathspec-from-file=x',
    'git commit -m x --dry-run -- file',
    'git commit -m x > log',
    'git commit-tree x',
  ])('is not %s', (command) => {
    expect(baselineOf(command, modelGit())).toBeNull();
  });
});

describe('the commit probe', () => {
  it('takes its baseline without touching anything, and not where there is no repository', () => {
    const model = modelGit();
    expect(baselineOf('git commit -m x', model)?.data).toMatchObject({
      workspace: '/w',
      folder: '/w',
      gitDirectory: '/w/.git',
      mark: MARK,
      before: { head: id('b'), logCount: 2 },
      isAlone: true,
    });
    expect([...model.touched]).toEqual([]);
    expect(baselineOf('git commit -m x', modelGit({ failing: { '--git-dir': 'end' } }))).toBeNull();
    expect(baselineOf('git commit -m x', modelGit({ failing: { 'log -g': 'late' } }))).toBeNull();
  });
  it('needs no rivals, since the mark is its own, and runs programs', () => {
    const baseline = baselineOf('git commit -m x', modelGit());
    expect(probeOf(baseline)?.needsRivals(baseline?.data)).toBe(false);
    expect(footprintOf(baseline)).toEqual({ workspace: '/w', paths: [], refs: [], runsPrograms: true });
  });
  it('says where its commit stands', () => {
    const baseline = baselineOf('git commit -m x', modelGit());
    expect(saidOf(baseline, modelGit())).toBe('ABSENT: HEAD is still bbbbbbbbbb');
    const start = 'COMMITTED: commit cccccccccc is marked as made by this command and is part of';
    expect(saidOf(baseline, made())).toBe(`${start} HEAD`);
    const moved = { head: 'refs/heads/main', refs: { 'refs/heads/main': id('b'), 'refs/heads/topic': id('c') } };
    expect(saidOf(baseline, made(moved))).toBe(`${start} topic`);
    const fetched = { refs: { 'refs/heads/main': id('b'), 'refs/remotes/origin/topic': id('c') } };
    expect(saidOf(baseline, made(fetched))).toBe(`${start} origin/topic`);
    expect(saidOf(baseline, made({ ...fetched, failing: { 'merge-base': 'late' } }))).toBe(`${start} origin/topic`);
  });
  it('is not COMMITTED when the commit was taken back, although HEAD is as before', () => {
    const baseline = baselineOf('git commit -m x', modelGit());
    const log = [[id('b'), 'reset: moving to HEAD~1'], [id('c'), `${MARK}: fix`], ...LOG] as const;
    const back = { refs: { 'refs/heads/main': id('b') }, log };
    expect(saidOf(baseline, made(back))).toMatch(/^UNKNOWN: commit cccccccccc is marked .* taken back or replaced/);
    // A tag keeps it, but no branch has it.
    expect(saidOf(baseline, made({ ...back, refs: { ...back.refs, 'refs/tags/v1': id('c') } }))).toMatch(/^UNKNOWN/);
    expect(saidOf(baseline, made({ ...back, failing: { 'merge-base': 'end' } }))).toMatch(
      /cannot say whether it still/,
    );
    expect(saidOf(baseline, made({ ...back, failing: { '--contains': 'end' } }))).toMatch(
      /cannot say whether it still/,
    );
  });
  it('is UNKNOWN without its mark, and in another repository', () => {
    const baseline = baselineOf('git commit -m x', modelGit());
    expect(saidOf(baseline, made({ log: [[id('c'), 'commit: fix'], ...LOG] }))).toBe(
      'UNKNOWN: HEAD moved from bbbbbbbbbb to cccccccccc in a way this command alone does not explain',
    );
    expect(saidOf(baseline, modelGit({ top: '/elsewhere' }))).toMatch(/^UNKNOWN: the repository is gone/);
    const unmarked = { ...baseline!, data: { ...baseline!.data, mark: null } };
    expect(saidOf(unmarked, made({ log: [[id('c'), 'null: fix'], ...LOG] }))).toMatch(/^UNKNOWN: HEAD moved/);
  });
});

describe('the hooks of a commit', () => {
  const files = ['reference-transaction', 'post-commit', 'post-rewrite', 'pre-commit', 'post-checkout'].map(
    (name) => `/w/.git/hooks/${name}`,
  );
  const left = (command: string, more: readonly string[] = files): string =>
    saidOf(baselineOf(command, modelGit()), made({ files: more }));
  it.each([
    ['git commit -m x', 'reference-transaction, post-commit'],
    ['git commit --amend', 'reference-transaction, post-commit, post-rewrite'],
    ['git commit --amend -m x -- file', 'reference-transaction, post-commit, post-rewrite'],
    ['git commit -m x --amend --', 'reference-transaction, post-commit, post-rewrite'],
    ['git commit -m --amend', 'reference-transaction, post-commit'],
    ['git commit -m x -- --amend', 'reference-transaction, post-commit'],
    ['git commit -- --amend', 'reference-transaction, post-commit'],
  ])('that %s may have left undone are %s', (command, names) => {
    expect(left(command)).toContain(`is part of HEAD; the hooks ${names} of git may have been stopped`);
  });
  it('are those that are there, where the command says they are', () => {
    expect(left('git commit -m x', [])).toMatch(/is part of HEAD$/);
    expect(left('git -c core.hooksPath=/own commit -m x')).toMatch(/is part of HEAD$/);
    expect(left('git -c core.hooksPath=/own commit -m x', ['/own/post-commit'])).toContain('; the hook post-commit of');
  });
  it('of an older version are only the one after a commit', () => {
    const baseline = baselineOf('git commit -m x', modelGit());
    const older = { ...baseline!, data: { ...baseline!.data, hooks: undefined, hooksPath: undefined } };
    expect(saidOf(older, made({ files }))).toContain('; the hook post-commit of git');
  });
});

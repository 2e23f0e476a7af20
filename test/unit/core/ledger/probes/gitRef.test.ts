import { describe, expect, it } from 'vitest';
import { footprintOf } from '../../../../../src/core/ledger/probes.ts';
import { baselineOf, id, modelGit, saidOf } from '../../../../support/modelGit.ts';
import type { ModelGit } from '../../../../support/modelGit.ts';

const MAIN = { 'refs/heads/main': id('b') };
const TOPIC = 'refs/heads/topic';
const world = (refs: Readonly<Record<string, string>> = {}, parts: Partial<ModelGit> = {}): ModelGit =>
  modelGit({ refs: { ...MAIN, ...refs }, ...parts });
const DETACHED = { head: id('b') };

describe('the baseline of a branch or tag', () => {
  it('has each ref, what it points to and what it will point to, and taking it touches nothing', () => {
    const model = world({ [TOPIC]: id('a') });
    const refsOf = (command: string): unknown => baselineOf(command, model)?.data.refs;
    const plain = { isAnnotated: false, messageHash: null };
    expect(refsOf('git branch new main~1')).toEqual([
      { ref: 'refs/heads/new', before: null, after: id('a'), ...plain },
    ]);
    expect(refsOf('git branch -f topic')).toEqual([{ ref: TOPIC, before: id('a'), after: id('b'), ...plain }]);
    expect(refsOf('git branch -D topic none')).toEqual([
      { ref: TOPIC, before: id('a'), after: null, ...plain },
      { ref: 'refs/heads/none', before: null, after: null, ...plain },
    ]);
    expect(refsOf('git switch -c new')).toEqual([
      { ref: 'refs/heads/new', before: null, after: id('b'), ...plain },
      { ref: 'HEAD', before: 'refs/heads/main', after: 'refs/heads/new', ...plain },
    ]);
    expect([...model.touched]).toEqual([]);
  });
  it.each([
    { why: 'outside any repository', failing: { '--git-dir': 'end' } },
    { why: 'where the commit cannot be read', failing: { '--verify': 'late' } },
    { why: 'where the refs cannot be read', failing: { 'for-each-ref': 'end' } },
  ] as const)('is none $why', ({ failing }) => {
    for (const command of ['git branch new', 'git branch -d topic', 'git tag v1', 'git checkout -b new'])
      expect(baselineOf(command, world({}, { failing }))).toBeNull();
  });
  it('is none where there is no commit to point to, except for a deletion', () => {
    const unborn = modelGit({ refs: {}, log: null });
    expect(baselineOf('git branch new', unborn)).toBeNull();
    expect(baselineOf('git branch new nothing', world())).toBeNull();
    expect(baselineOf('git branch -d topic', unborn)).not.toBeNull();
    expect(baselineOf('git branch new > log', world())).toBeNull();
  });
});

describe('what a command did to branches', () => {
  it('is told of every ref, and done only when all are as it leaves them', () => {
    const both = { 'refs/heads/x': id('a'), 'refs/heads/y': id('b') };
    const deletion = baselineOf('git branch -D x y', world(both));
    expect(saidOf(deletion, world(both))).toBe(
      'ABSENT: refs/heads/x is at aaaaaaaaaa; refs/heads/y is at bbbbbbbbbb, as before the command',
    );
    expect(saidOf(deletion, world({ 'refs/heads/y': id('b') }))).toBe(
      'UNKNOWN: refs/heads/x does not exist; refs/heads/y is at bbbbbbbbbb, which this command alone does not explain',
    );
    expect(saidOf(deletion, world())).toBe(
      'COMMITTED: refs/heads/x does not exist; refs/heads/y does not exist, as this command leaves it',
    );
    expect(saidOf(deletion, world({ ...both, 'refs/heads/y': id('c') }))).toMatch(/^UNKNOWN/);
    const part = baselineOf('git branch -D x y', world(both), false);
    expect(saidOf(part, world())).toMatch(/^COMMITTED: .*; whether its other parts/);
  });
  it('is done also where one of the refs had nothing to change', () => {
    const deletion = baselineOf('git branch -D x none', world({ 'refs/heads/x': id('a') }));
    expect(saidOf(deletion, world())).toMatch(/^COMMITTED/);
    expect(saidOf(deletion, world({ 'refs/heads/none': id('a') }))).toMatch(/^UNKNOWN/);
  });
  it('is nothing where nothing was to change', () => {
    const same = baselineOf('git branch -f topic main', world({ [TOPIC]: id('b') }));
    expect(saidOf(same, world({ [TOPIC]: id('b') }))).toMatch(/^ABSENT/);
  });
  it('enters a branch by HEAD, which is told by the name of its branch', () => {
    const entering = baselineOf('git checkout -b topic', world());
    expect(saidOf(entering, world())).toBe(
      `ABSENT: ${TOPIC} does not exist; HEAD is at refs/heads/main, as before the command`,
    );
    expect(saidOf(entering, world({ [TOPIC]: id('b') }, { head: TOPIC }))).toBe(
      `COMMITTED: ${TOPIC} is at bbbbbbbbbb; HEAD is at ${TOPIC}, as this command leaves it`,
    );
    expect(saidOf(entering, world({ [TOPIC]: id('b') }))).toMatch(/^UNKNOWN: .*HEAD is at refs\/heads\/main/);
    expect(saidOf(entering, world({ [TOPIC]: id('b') }, DETACHED))).toMatch(/^UNKNOWN: .*HEAD is on no branch/);
  });
  it('may begin at a detached HEAD', () => {
    const entering = baselineOf('git switch -c topic', world({}, DETACHED));
    expect(saidOf(entering, world({}, DETACHED))).toMatch(/^ABSENT: .*HEAD is on no branch/);
    expect(saidOf(entering, world({ [TOPIC]: id('b') }, { head: TOPIC }))).toMatch(/^COMMITTED/);
    expect(saidOf(entering, world({ [TOPIC]: id('b') }, DETACHED))).toMatch(/^UNKNOWN/);
  });
  it('is not known in another repository, or where it cannot be read', () => {
    const baseline = baselineOf('git branch topic', world());
    const gone = 'UNKNOWN: the repository is gone or is another one';
    expect(saidOf(baseline, modelGit({ top: '/elsewhere' }))).toBe(gone);
    expect(saidOf(baseline, world({}, { failing: { 'for-each-ref': 'late' } }))).toBe(
      'UNKNOWN: the repository cannot be read',
    );
  });
});

describe('what a command did to tags', () => {
  const tagged = (message: string, target = id('b'), parts: Partial<ModelGit> = {}): ModelGit =>
    world({ 'refs/tags/v1': id('f') }, { tagObjects: { [id('f')]: { target, message } }, ...parts });
  const says = (command: string, now: ModelGit): string =>
    saidOf(baselineOf(command, world()), now).split(':')[0] ?? '';

  it.each([
    { command: 'git tag -a v1 -m one', message: 'one', says: 'COMMITTED' },
    { command: 'git tag v1 -m "  one  "', message: 'one', says: 'COMMITTED' },
    { command: 'git tag v1 -m one -m two', message: 'one\n\ntwo', says: 'COMMITTED' },
    { command: 'git tag v1 -m one -m two', message: 'onetwo', says: 'UNKNOWN' },
    { command: 'git tag v1 -m one -m two', message: 'one', says: 'UNKNOWN' },
    { command: 'git tag v1 -m one', message: 'other', says: 'UNKNOWN' },
    { command: 'git tag -s v1 -m one', message: 'one\nsignature', says: 'COMMITTED' },
    { command: 'git tag -a v1', message: 'from the editor', says: 'COMMITTED' },
    { command: 'git tag v1', message: 'one', says: 'UNKNOWN' },
  ])('is $says of $command and a tag that says $message', ({ command, message, says: expected }) => {
    expect(says(command, tagged(message))).toBe(expected);
  });
  it('is not known where the tag stands at another commit, or is none of the kind', () => {
    expect(says('git tag v1 -m one', tagged('one', id('a')))).toBe('UNKNOWN');
    expect(says('git tag -a v1', tagged('one', id('a')))).toBe('UNKNOWN');
    expect(says('git tag -a v1', world({ 'refs/tags/v1': id('b') }))).toBe('UNKNOWN');
    expect(says('git tag -a v1', tagged('one', id('b'), { failing: { '%(objecttype)': 'end' } }))).toBe('UNKNOWN');
    expect(says('git tag v1', world({ 'refs/tags/v1': id('b') }))).toBe('COMMITTED');
  });
  it('is not the deletion of the tag that it was to replace', () => {
    const replaced = baselineOf('git tag -f v1 -m one', tagged('old'));
    expect(saidOf(replaced, world())).toMatch(/^UNKNOWN: refs\/tags\/v1 does not exist/);
    expect(saidOf(replaced, tagged('old'))).toMatch(/^ABSENT/);
  });
});

describe('the hooks of a branch or tag', () => {
  const HOOKS = ['reference-transaction', 'post-checkout', 'post-commit'].map((name) => `/w/.git/hooks/${name}`);
  const hooksOf = (command: string, files = HOOKS): unknown => baselineOf(command, world({}, { files }))?.data.hooks;
  it('are those of refs, and of entering a branch where one is entered', () => {
    expect(hooksOf('git branch topic')).toEqual(['reference-transaction']);
    expect(hooksOf('git tag v1')).toEqual(['reference-transaction']);
    expect(hooksOf('git checkout -b topic')).toEqual(['reference-transaction', 'post-checkout']);
    expect(hooksOf('git switch -c topic')).toEqual(['reference-transaction', 'post-checkout']);
    expect(hooksOf('git checkout -b topic', [])).toEqual([]);
  });
  it('are those of the folder that the command names', () => {
    const files = [...HOOKS, '/own/post-checkout'];
    expect(hooksOf('git -c core.hooksPath=/own checkout -b topic', files)).toEqual(['post-checkout']);
    expect(hooksOf('git -c core.hooksPath=/own branch topic', files)).toEqual([]);
  });
  it('are told with what they may have left undone', () => {
    const baseline = baselineOf('git branch topic', world({}, { files: HOOKS }));
    expect(saidOf(baseline, world({ [TOPIC]: id('b') }))).toMatch(
      /as this command leaves it; the hook reference-transaction of git may have been stopped/,
    );
    const older = { ...baseline!, data: { ...baseline!.data, hooks: undefined } };
    expect(saidOf(older, world({ [TOPIC]: id('b') }))).toMatch(/as this command leaves it$/);
    expect(footprintOf(older)?.runsPrograms).toBe(false);
  });
  it('make of a command one that runs programs, and entering a branch always does', () => {
    const footprint = (command: string, files: readonly string[]): unknown =>
      footprintOf(baselineOf(command, world({}, { files })));
    const refs = [`/w/.git:${TOPIC}`];
    const plain = { workspace: '/w', paths: [], refs, runsPrograms: false };
    expect(footprint('git branch topic', [])).toEqual(plain);
    expect(footprint('git branch topic', HOOKS)).toEqual({ ...plain, runsPrograms: true });
    const entering = { ...plain, refs: [...refs, '/w/.git:HEAD'], runsPrograms: true };
    expect(footprint('git checkout -b topic', [])).toEqual(entering);
    expect(footprint('git checkout -b topic', HOOKS)).toEqual(entering);
  });
});

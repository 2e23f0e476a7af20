import { describe, expect, it } from 'vitest';
import { headNews, headState, ownCommit } from '../../../../../src/core/ledger/probes/gitLog.ts';
import type { HeadNews, HeadState } from '../../../../../src/core/ledger/probes/gitLog.ts';
import type { Answer } from '../../../../../src/core/ledger/probes/reading.ts';
import { id, modelGit, playGit } from '../../../../support/modelGit.ts';
import type { ModelGit } from '../../../../support/modelGit.ts';

const stateOf = (model: ModelGit): HeadState => {
  const state = playGit(headState('/w'), model);
  if (!state) throw new Error('HEAD cannot be read');
  return state;
};
const newsOf = (before: HeadState, model: ModelGit): HeadNews => playGit(headNews('/w', before), model);
const lines = (count: number, action: string): [string, string][] =>
  Array.from({ length: count }, (_, i) => [id('b'), `${action} ${i}`]);
const UNREADABLE = { kind: 'unclear', detail: 'the repository cannot be read' };

describe('HEAD and its log', () => {
  it('are kept as a commit and at most 20 lines, and the objects are not gone through', () => {
    const model = modelGit({ failing: { 'cat-file': 'late' } });
    expect(stateOf(model)).toEqual({
      head: id('b'),
      logCount: 2,
      logHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(stateOf(modelGit({ log: lines(30, 'commit:') })).logCount).toBe(20);
    expect(stateOf(modelGit({ log: null })).logCount).toBe(0);
    expect([...model.touched]).toEqual([]);
  });
  it('are not known where git cannot say', () => {
    for (const failing of [{ '--verify': 'late' }, { 'log -g': 'late' }, { 'log -g': 'end' }] as const)
      expect(playGit(headState('/w'), modelGit({ failing }))).toBeNull();
  });
});

describe('the news of HEAD', () => {
  const before = stateOf(modelGit());
  const log = modelGit().log ?? [];
  it('are none while HEAD and log are as they were', () => {
    expect(newsOf(before, modelGit())).toEqual({ kind: 'still' });
  });
  it('are the new lines, newest first, with what git says was done', () => {
    const more = [
      [id('d'), 'commit: two'],
      [id('c'), 'commit: one'],
    ] as const;
    const model = modelGit({ head: id('d'), log: [...more, ...log], parents: { [id('d')]: [] } });
    expect(newsOf(before, model)).toMatchObject({
      kind: 'moved',
      head: id('d'),
      added: [
        { commit: id('d'), action: 'commit: two' },
        { commit: id('c'), action: 'commit: one' },
      ],
    });
  });
  it('are news also when HEAD came back, and when it moved without a line', () => {
    const back = modelGit({ log: [[id('b'), 'reset: back'], [id('c'), 'commit: one'], ...log] });
    expect(newsOf(before, back)).toMatchObject({ kind: 'moved', head: id('b') });
    expect(newsOf(before, modelGit({ head: id('a') }))).toEqual({ kind: 'moved', head: id('a'), added: [] });
  });
  it('are told up to 500 lines above the baseline, and not beyond', () => {
    const long = stateOf(modelGit({ log: lines(20, 'old:') }));
    const grown = (count: number): HeadNews =>
      newsOf(long, modelGit({ log: [...lines(count, 'new:'), ...lines(20, 'old:')] }));
    const told = grown(500);
    expect(told.kind === 'moved' && told.added).toHaveLength(500);
    expect(grown(501)).toEqual({ kind: 'unclear', detail: 'the log of HEAD was rewritten' });
  });
  it('are unclear where lines of the baseline are gone or changed', () => {
    const rewritten = { kind: 'unclear', detail: 'the log of HEAD was rewritten' };
    expect(newsOf(before, modelGit({ log: log.slice(1) }))).toEqual(rewritten);
    expect(newsOf(before, modelGit({ log: [] }))).toEqual(rewritten);
    expect(newsOf(before, modelGit({ log: [[id('b'), 'other'], ...log.slice(1)] }))).toEqual(rewritten);
  });
  it('are unclear where no log is kept, or git cannot say', () => {
    const unlogged = modelGit({ log: null });
    expect(newsOf(stateOf(unlogged), unlogged)).toEqual({
      kind: 'unclear',
      detail: 'this repository keeps no log of HEAD',
    });
    for (const failing of [{ '--verify': 'late' }, { '--verify': 'end' }, { 'log -g': 'late' }] as const)
      expect(newsOf(before, modelGit({ failing }))).toEqual(UNREADABLE);
  });
});

describe('the news of a HEAD without a commit', () => {
  const unborn = (parts: Partial<ModelGit> = {}): ModelGit => modelGit({ refs: {}, parents: {}, log: null, ...parts });
  const ruled = 'HEAD is still without a commit, but one that was made and taken back cannot be ruled out';
  const tell = (more: string): HeadNews => ({ kind: 'unclear', detail: more });

  it('are none while there is neither a new commit nor a log, in whatever order git lists the objects', () => {
    const parents = Object.fromEntries(['1', '3', '2'].map((digit) => [id(digit), []]));
    const model = unborn({ parents });
    const before = stateOf(model);
    expect(before).toMatchObject({ head: null, logCount: 0 });
    expect(newsOf(before, model)).toEqual({ kind: 'still' });
    expect(newsOf(before, model)).toEqual({ kind: 'still' });
    // What is no commit was not made by a commit alone.
    const tagObjects = { [id('f')]: { target: id('1'), message: 'x' } };
    expect(newsOf(before, unborn({ parents, tagObjects }))).toEqual({ kind: 'still' });
  });
  it('are unclear after one was made and taken back, which leaves it or a log of HEAD', () => {
    const before = stateOf(unborn());
    const left = tell(
      'HEAD is still without a commit, but one that was made and taken back may be one of those that are new in the repository or its log',
    );
    expect(newsOf(before, unborn({ parents: { [id('a')]: [] } }))).toEqual(left);
    expect(newsOf(before, unborn({ log: [] }))).toEqual(left);
  });
  it.each([
    { 'cat-file': 'end' },
    { 'reflog exists': 'end' },
    { 'reflog exists': 'late' },
    { 'cat-file': 'late' },
  ] as const)('are unclear where git cannot say of %j, before or now', (failing) => {
    const before = stateOf(unborn({ failing }));
    expect(before.storeHash).toBeNull();
    expect(newsOf(before, unborn())).toEqual(tell(ruled));
    expect(newsOf(before, unborn({ failing }))).toEqual(tell(ruled));
    expect(newsOf(stateOf(unborn()), unborn({ failing }))).toEqual(tell(ruled));
  });
  it('are unclear where an older version did not go through the objects', () => {
    const { storeHash: _gone, ...older } = stateOf(unborn());
    expect(newsOf(older, unborn())).toEqual(tell(ruled));
  });
  it('are the first commit when there is one', () => {
    const news = newsOf(stateOf(unborn()), modelGit());
    expect(news).toMatchObject({ kind: 'moved', head: id('b'), added: [{ commit: id('b') }, { commit: id('a') }] });
  });
  it.each([
    { length: 999_999, isKnown: true },
    { length: 1_000_000, isKnown: false },
  ])('are known with a list of $length characters: $isKnown', ({ length, isKnown }) => {
    const looking = headState('/w');
    const answer = (exitCode: number, stdout = ''): Answer => {
      return { ask: 'query', seen: { ok: true, value: { exitCode, stdout } } };
    };
    looking.next();
    looking.next(answer(1));
    looking.next(answer(1));
    const { value } = looking.next(answer(0, `blob ${'x'.repeat(length - 5)}`));
    expect(value).toMatchObject({ storeHash: isKnown ? (expect.any(String) as string) : null });
  });
});

describe('the own commit of a command', () => {
  const added = [
    { commit: 'newest', action: 'commit: x', text: '' },
    { commit: 'second', action: 'mark: x', text: '' },
    { commit: 'first', action: 'mark: y', text: '' },
  ];
  it('is the newest that begins with its mark, and none without a mark', () => {
    expect(ownCommit(added, 'mark')).toBe('second');
    expect(ownCommit(added, 'mar')).toBeNull();
    expect(ownCommit([], 'mark')).toBeNull();
    expect(ownCommit([{ commit: 'a', action: 'null: x', text: '' }], null)).toBeNull();
    expect(ownCommit([{ commit: 'a', action: 'commit: mark: x', text: '' }], 'mark')).toBeNull();
  });
});

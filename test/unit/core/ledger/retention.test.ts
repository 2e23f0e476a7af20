import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EntryState } from '../../../../src/core/ledger/entry.ts';
import {
  boundsOf,
  followedKey,
  isFinished,
  OPEN_STATES,
  planRetention,
} from '../../../../src/core/ledger/retention.ts';
import { placeBaseline } from '../../../../src/core/ledger/probes/place.ts';
import type { KeptEntry } from '../../../../src/core/ledger/retention.ts';
import { SAME_EFFECT } from '../../../../src/core/ledger/rivals.ts';
import { ENTRY_STATES } from '../../../../src/core/ledger/transition.ts';

function entry(key: string, updatedAtMs: number, more: Partial<KeptEntry> = {}): KeptEntry {
  return { key, task: key, state: 'COMMITTED', preparedAtMs: updatedAtMs, updatedAtMs, probe: null, ...more };
}
const follows = (key: string): Pick<KeptEntry, 'probe'> => ({ probe: { kind: SAME_EFFECT, data: { key } } });
const none: ReadonlySet<string> = new Set();
const going = (entries: readonly KeptEntry[], request: object, unfinished = none): readonly string[] =>
  [...planRetention(entries, [], unfinished, request).entries].sort();

describe('what may be forgotten', () => {
  it('is older than asked for, or beyond the newest so many; either is enough', () => {
    const entries = [entry('a', 1), entry('b', 2), entry('c', 3), entry('d', 4)];
    expect(going(entries, { olderThanMs: 2 })).toEqual(['a']);
    expect(going(entries, { keepAtMost: 1 })).toEqual(['a', 'b', 'c']);
    expect(going(entries, { olderThanMs: 4, keepAtMost: 2 })).toEqual(['a', 'b', 'c']);
    expect(going(entries, { olderThanMs: 2, keepAtMost: 4 })).toEqual(['a']);
    expect(going(entries, {})).toEqual([]);
  });

  it('takes the later prepared of equal times as the newer', () => {
    expect(going([entry('a', 1), entry('b', 1)], { keepAtMost: 1 })).toEqual(['a']);
  });

  it('does not count open entries among those that are kept', () => {
    const entries = [entry('a', 1), entry('open', 2, { state: 'UNKNOWN' }), entry('b', 3)];
    expect(going(entries, { keepAtMost: 2 })).toEqual([]);
    expect(going(entries, { keepAtMost: 1 })).toEqual(['a']);
  });

  it('follows chains of followers and of compensations to their end', () => {
    const chain = [entry('a', 1), entry('b', 1, follows('a')), entry('c', 9, follows('b'))];
    expect(going(chain, { olderThanMs: 5 })).toEqual([]);
    expect(going(chain, { olderThanMs: 10 })).toEqual(['a', 'b', 'c']);
    const undone = [entry('a', 1), entry('undo', 1, { compensates: 'a' }), entry('redo', 9, { compensates: 'undo' })];
    expect(going(undone, { olderThanMs: 5 })).toEqual([]);
    expect(going(undone, { olderThanMs: 10 })).toEqual(['a', 'redo', 'undo']);
  });

  it('includes a follower or compensation whose other end is not there', () => {
    expect(going([entry('a', 1, follows('gone')), entry('b', 1, { compensates: 'gone' })], { olderThanMs: 5 })).toEqual(
      ['a', 'b'],
    );
  });

  it('excludes whole tasks that are not over', () => {
    const entries = [entry('a', 1, { task: 't' }), entry('b', 1, { task: 't', state: 'PREPARED' }), entry('c', 1)];
    expect(planRetention(entries, [], none, { olderThanMs: 5 })).toMatchObject({ keptOpen: 2 });
    expect(going(entries, { olderThanMs: 5 })).toEqual(['c']);
    expect(going(entries, { olderThanMs: 5 }, new Set(['c']))).toEqual([]);
  });

  it('excludes what may have acted since the oldest open entry with a probe was prepared, in every task', () => {
    const open = (probe: KeptEntry['probe'], state: EntryState = 'UNKNOWN'): readonly KeptEntry[] => [
      entry('before', 2),
      entry('open', 9, { preparedAtMs: 3, state, probe }),
      entry('rival', 3),
      entry('later', 5, { state: 'FAILED' }),
    ];
    const append = { kind: 'append', data: {} };
    const all = ['before', 'later', 'rival'];
    expect(going(open(append), { keepAtMost: 0 })).toEqual(['before']);
    expect(going(open(append, 'PREPARED'), { olderThanMs: 100 })).toEqual(['before']);
    expect(going(open(append, 'COMMITTED'), { olderThanMs: 9 })).toEqual(all);
    // Nothing is weighed where no probe can be asked.
    for (const probe of [null, placeBaseline('/w'), follows('before').probe])
      expect(going(open(probe), { keepAtMost: 0 })).toEqual(probe?.kind === SAME_EFFECT ? ['later', 'rival'] : all);
  });

  it('excludes those by the order of writing as well as by the time, since the clock may have been set back', () => {
    const probe = { kind: 'append', data: {} };
    const open = (preparedAtMs: number): KeptEntry => entry('open', 50, { preparedAtMs, state: 'UNKNOWN', probe });
    // Written after it, with an earlier time.
    expect(going([entry('a', 9), open(10), entry('b', 2)], { olderThanMs: 40 })).toEqual(['a']);
    expect(going([open(10), entry('a', 9), entry('b', 2)], { olderThanMs: 40 })).toEqual([]);
    // Written before it, with a later time or the same, in whole milliseconds.
    expect(going([entry('a', 11), open(10)], { olderThanMs: 40 })).toEqual([]);
    expect(going([entry('a', 10), open(10)], { olderThanMs: 40 })).toEqual([]);
    expect(going([entry('a', 10), open(10.9)], { olderThanMs: 40 })).toEqual([]);
    expect(going([entry('a', 9.9), open(10)], { olderThanMs: 40 })).toEqual(['a']);
    // The oldest of several counts.
    const two = [entry('a', 9), entry('b', 11), open(12), { ...open(10), key: 'open2' }];
    expect(going(two, { olderThanMs: 40 })).toEqual(['a']);
    expect(going([entry('a', 11), entry('b', 60)], { olderThanMs: 40 })).toEqual(['a']);
  });

  it('takes a compensation with its entry, whatever else is kept', () => {
    const entries = [entry('a', 1), entry('undo', 1, { compensates: 'a' }), entry('other', 9)];
    expect(going(entries, { olderThanMs: 5 })).toEqual(['a', 'undo']);
  });

  it('is nothing by its age where no age was asked for, however wrong its clock was', () => {
    expect(going([entry('a', -9), entry('b', 1)], { keepAtMost: 2 })).toEqual([]);
    const events = [{ task: 'x', atMs: -9 }];
    expect([...planRetention([], events, none, { keepEvents: 1 }).events]).toEqual([]);
  });

  it('takes what is no number as no bound, and a negative count as none kept', () => {
    expect(boundsOf({ olderThanMs: Number.NaN, keepAtMost: Number.NaN, task: 't' })).toMatchObject({
      olderThanMs: null,
      keepAtMost: null,
      isWholeTask: false,
      isNothing: true,
    });
    expect(boundsOf({ keepAtMost: -3.5, olderThanMs: 4.9 })).toMatchObject({ keepAtMost: 0, olderThanMs: 4 });
    expect(boundsOf({ task: 't' })).toMatchObject({ isWholeTask: true, isNothing: false });
  });

  it('knows an ended task by its checkpoint alone', () => {
    expect(isFinished('{"status":"finished","goal":"x"}')).toBe(true);
    expect(isFinished('{"goal":"x","status":"finished"}')).toBe(true);
    expect(isFinished('{"status":"running","goal":"\\"finished\\""}')).toBe(false);
    expect(isFinished('{"goal":"finished","status":"running"}')).toBe(false);
    for (const other of ['', 'finished', '"finished"', '["finished"]', '{"status":"finished"']) {
      expect(isFinished(other)).toBe(false);
    }
  });

  it('knows a follower by its baseline alone', () => {
    expect(followedKey(follows('k'))).toBe('k');
    expect(followedKey({ probe: { kind: 'append', data: { key: 'k' } } })).toBeNull();
    expect(followedKey({ probe: { kind: SAME_EFFECT, data: {} } })).toBeNull();
    expect(followedKey({ probe: null })).toBeNull();
  });

  it('leaves nothing that something kept leans on, whatever the ledger (property)', () => {
    const keys = Array.from({ length: 8 }, (_, i) => `k${i}`);
    const one = fc.record({
      state: fc.constantFrom<EntryState>(...ENTRY_STATES),
      task: fc.constantFrom('a', 'b', 'c'),
      preparedAtMs: fc.nat({ max: 9 }),
      updatedAtMs: fc.nat({ max: 9 }),
      followed: fc.option(fc.constantFrom(...keys), { nil: null }),
      compensates: fc.option(fc.constantFrom(...keys), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 8 }), fc.nat({ max: 10 }), fc.nat({ max: 8 }), (made, age, most) => {
        const entries = made.map(({ followed, compensates, ...rest }, i) => ({
          ...rest,
          key: `k${i}`,
          probe: followed === null ? null : follows(followed).probe,
          ...(compensates === undefined ? {} : { compensates }),
        }));
        const { entries: gone } = planRetention(entries, [], none, { olderThanMs: age, keepAtMost: most });
        const isKept = (key: string): boolean => entries.some((each) => each.key === key) && !gone.has(key);
        const openTasks = new Set(entries.filter(({ state }) => OPEN_STATES.includes(state)).map(({ task }) => task));
        for (const each of entries) {
          const followed = followedKey(each);
          if (gone.has(each.key)) expect(openTasks.has(each.task)).toBe(false);
          else if (followed !== null) expect(gone.has(followed)).toBe(false);
          if (each.compensates === undefined) continue;
          if (isKept(each.key)) expect(gone.has(each.compensates)).toBe(false);
          if (isKept(each.compensates)) expect(gone.has(each.key)).toBe(false);
        }
      }),
    );
  });
});

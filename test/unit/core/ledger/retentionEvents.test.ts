// Which events go with the entries that are forgotten, and what a request for one task alone takes.
import { describe, expect, it } from 'vitest';
import { boundsOf, isFinished, planRetention } from '../../../../src/core/ledger/retention.ts';
import type { KeptEntry, KeptEvent, RetentionRequest } from '../../../../src/core/ledger/retention.ts';

function entry(key: string, task: string, updatedAtMs: number, state: KeptEntry['state'] = 'COMMITTED'): KeptEntry {
  return { key, task, state, preparedAtMs: updatedAtMs, updatedAtMs, probe: null };
}
const event = (task: string, atMs: number): KeptEvent => ({ task, atMs });
const EVENTS = [event('a', 10), event('b', 20), event('a', 30), event('b', 30), event('c', 5)];

/** Places of the events that go, in order. */
function gone(entries: readonly KeptEntry[], request: RetentionRequest, unfinished: readonly string[] = []): number[] {
  return [...planRetention(entries, EVENTS, new Set(unfinished), request).events].sort();
}

describe('the events that are forgotten', () => {
  it('are older than asked for, of whatever task, and not those of the very time', () => {
    expect(gone([], { olderThanMs: 20 })).toEqual([0, 4]);
    expect(gone([], { olderThanMs: 20.9 })).toEqual([0, 4]);
    expect(gone([], { olderThanMs: 21 })).toEqual([0, 1, 4]);
    expect(gone([], { olderThanMs: 20, task: 'a' })).toEqual([0]);
  });

  it('are beyond the newest so many; of equal times the later in the list is the newer', () => {
    expect(gone([], { keepEvents: 5 })).toEqual([]);
    expect(gone([], { keepEvents: 2 })).toEqual([0, 1, 4]);
    expect(gone([], { keepEvents: 1 })).toEqual([0, 1, 2, 4]);
    expect(gone([], { keepEvents: 0 })).toEqual([0, 1, 2, 3, 4]);
    expect(gone([], { keepEvents: 1, task: 'a' })).toEqual([0]);
  });

  it('are those of a task whose last entry goes, and not while another entry of it stays', () => {
    const entries = [entry('1', 'a', 1), entry('2', 'a', 9), entry('3', 'b', 1)];
    expect(gone(entries, { keepAtMost: 1 })).toEqual([1, 3]);
    expect(gone(entries, { keepAtMost: 0 })).toEqual([0, 1, 2, 3]);
    expect(gone(entries, { keepAtMost: 3 })).toEqual([]);
  });

  it('are never those of a task with an open entry or an unfinished checkpoint', () => {
    expect(gone([entry('1', 'a', 1, 'UNKNOWN')], { olderThanMs: 100 })).toEqual([1, 3, 4]);
    expect(gone([entry('1', 'a', 1, 'PREPARED')], { keepEvents: 0 })).toEqual([1, 3, 4]);
    expect(gone([], { keepEvents: 0 }, ['b'])).toEqual([0, 2, 4]);
  });

  it('are all those of a task that is named alone, also where it has no entry, and none of another task', () => {
    expect(gone([], { task: 'c' })).toEqual([4]);
    expect(gone([entry('1', 'a', 1), entry('2', 'b', 1)], { task: 'a' })).toEqual([0, 2]);
    expect(gone([entry('1', 'a', 1, 'UNKNOWN')], { task: 'a' })).toEqual([]);
    expect(gone([], { task: 'a' }, ['a'])).toEqual([]);
  });
});

describe('a request for one task', () => {
  const entries = [entry('1', 'a', 1), entry('2', 'b', 1), entry('3', 'a', 9)];

  it('alone takes all entries of it; with a bound only those beyond the bound', () => {
    const going = (request: RetentionRequest): string[] => [...planRetention(entries, [], new Set(), request).entries];
    expect(going({ task: 'a' }).sort()).toEqual(['1', '3']);
    expect(going({ task: 'a', olderThanMs: 5 })).toEqual(['1']);
    expect(going({ task: 'a', keepAtMost: 1 })).toEqual(['1']);
    expect(going({ task: 'a', keepEvents: 0 })).toEqual([]);
    expect(going({ olderThanMs: 5 }).sort()).toEqual(['1', '2']);
  });

  it('is a whole task only without any bound, and no bound at all is nothing', () => {
    expect(boundsOf({ task: 'a', olderThanMs: 1 })).toMatchObject({ isWholeTask: false, isNothing: false });
    expect(boundsOf({ task: 'a', keepAtMost: 1 })).toMatchObject({ isWholeTask: false, isNothing: false });
    expect(boundsOf({ task: 'a', keepEvents: 1 })).toMatchObject({ isWholeTask: false, isNothing: false });
    expect(boundsOf({})).toMatchObject({ task: null, isWholeTask: false, isNothing: true });
    for (const bound of [{ olderThanMs: 1 }, { keepAtMost: 1 }, { keepEvents: 1 }])
      expect(boundsOf(bound)).toMatchObject({ isWholeTask: false, isNothing: false });
  });

  it('that names entries which stay counts them', () => {
    const open = [...entries, entry('4', 'b', 1, 'UNKNOWN')];
    expect(planRetention(open, [], new Set(), { olderThanMs: 5 })).toMatchObject({ keptOpen: 2 });
    expect(planRetention(entries, [], new Set(), { olderThanMs: 5 })).toMatchObject({ keptOpen: 0 });
  });
});

describe('a compensation', () => {
  it('stays as long as what it took back, and takes that with it when both go', () => {
    const undone = entry('1', 'a', 9);
    const undo: KeptEntry = { ...entry('2', 'a', 1), compensates: '1' };
    const going = (request: RetentionRequest): string[] =>
      [...planRetention([undone, undo], [], new Set(), request).entries].sort();
    expect(going({ olderThanMs: 5 })).toEqual([]);
    expect(going({ olderThanMs: 10 })).toEqual(['1', '2']);
  });
});

describe('the end of a task', () => {
  it('is only what its checkpoint says as its status', () => {
    expect(isFinished('{"status":"running","note":{"status":"finished"}}')).toBe(false);
    expect(isFinished('{"note":"finished"}')).toBe(false);
    expect(isFinished('{"status":"paused","note":"finished"}')).toBe(false);
    expect(isFinished('null')).toBe(false);
    expect(isFinished('{"a":1,"status":"finished"}')).toBe(true);
    expect(isFinished('{"status":"finished"} {"status":"running"')).toBe(false);
  });
});

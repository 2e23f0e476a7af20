// Where rivals of a probe's answer begin and end: in time, in place, and what is said of them.
import { describe, expect, it } from 'vitest';
import type { EntryOwner, EntryState, Intent, LedgerEntry, ProbeBaseline } from '../../../../src/core/ledger/entry.ts';
import { editBaseline } from '../../../../src/core/ledger/probes.ts';
import { placeBaseline } from '../../../../src/core/ledger/probes/place.ts';
import type { ProbeResult } from '../../../../src/core/ledger/reconcile.ts';
import { hasRivals, judgeRivals, SAME_EFFECT } from '../../../../src/core/ledger/rivals.ts';
import { firstEntry } from '../../../../src/core/ledger/transition.ts';
import { intentOf } from '../../../support/memoryEntries.ts';

const append = (path: string, workspace = '/w'): ProbeBaseline => {
  const data = { workspace, path, sizeBytes: 0, prefixHash: '', tail: null, afterHash: null, isAlone: true };
  return { kind: 'append', data };
};
const owner = (bootId: string): EntryOwner => {
  return { pid: 1, pidStartedAt: '1', bootId, childPid: null, childStartedAt: null };
};
const entry = (name: string, state: EntryState, updatedAtMs: number, more: Partial<Intent> = {}): LedgerEntry => {
  const intent = intentOf(name, 'R2', { probe: append('log'), preparedAtMs: 500, owner: owner('b'), ...more });
  return { ...firstEntry(intent), state, updatedAtMs };
};
const own = entry('own', 'UNKNOWN', 1000, { preparedAtMs: 1000 });
const committed: ProbeResult = { says: 'COMMITTED', probe: 'append', detail: 'log grew' };
const absent: ProbeResult = { ...committed, says: 'ABSENT', detail: 'log is as it was' };

const isDoubted = (said: ProbeResult, other: LedgerEntry, mine = own): boolean =>
  judgeRivals(mine, said, [other]).says === 'UNKNOWN';

describe('a rival', () => {
  it('is named with what it may have done', () => {
    const other = entry('other', 'COMMITTED', 1500);
    const short = other.key.slice(0, 12);
    expect(judgeRivals(own, committed, [other])).toEqual({
      says: 'UNKNOWN',
      probe: 'append',
      detail: `log grew; but entry ${short} (other, COMMITTED) may have done that`,
    });
    expect(judgeRivals(own, absent, [other]).detail).toBe(
      `log is as it was; but entry ${short} (other, COMMITTED) may have taken it back`,
    );
  });

  it('of COMMITTED has been changed at the time of the baseline or later, or is open', () => {
    expect(isDoubted(committed, entry('other', 'COMMITTED', 1000))).toBe(true);
    expect(isDoubted(committed, entry('other', 'COMMITTED', 999))).toBe(false);
    expect(isDoubted(committed, entry('other', 'COMPENSATED', 1000))).toBe(true);
    for (const state of ['PREPARED', 'UNKNOWN'] as const) expect(isDoubted(committed, entry('o', state, 1))).toBe(true);
    for (const state of ['FAILED', 'RECONCILED_ABSENT'] as const)
      expect(isDoubted(committed, entry('other', state, 2000))).toBe(false);
  });

  it('of ABSENT is only what surely changed the same since', () => {
    expect(isDoubted(absent, entry('other', 'COMMITTED', 1000))).toBe(true);
    expect(isDoubted(absent, entry('other', 'RECONCILED_COMMITTED', 1000))).toBe(true);
    expect(isDoubted(absent, entry('other', 'COMMITTED', 999))).toBe(false);
    for (const state of ['PREPARED', 'UNKNOWN', 'FAILED', 'RECONCILED_ABSENT', 'COMPENSATED'] as const)
      expect(isDoubted(absent, entry('other', state, 2000))).toBe(false);
    expect(isDoubted(absent, entry('other', 'COMMITTED', 2000, { probe: append('elsewhere') }))).toBe(false);
    expect(isDoubted(absent, entry('other', 'COMMITTED', 2000, { probe: placeBaseline('/w') }))).toBe(false);
    expect(isDoubted(absent, entry('other', 'COMMITTED', 2000, { probe: null }))).toBe(false);
  });

  it('is neither the entry itself, nor a read, nor one that only follows another', () => {
    expect(isDoubted(committed, { ...own, state: 'COMMITTED', updatedAtMs: 2000 })).toBe(false);
    expect(isDoubted(committed, { ...entry('other', 'COMMITTED', 2000), level: 'R0' })).toBe(false);
    const follower = { kind: SAME_EFFECT, data: { key: own.key } };
    expect(isDoubted(committed, entry('other', 'COMMITTED', 2000, { probe: follower }))).toBe(false);
  });

  it('of another boot is over only if it was last changed before the baseline, and both boots are known', () => {
    expect(isDoubted(committed, entry('other', 'PREPARED', 999, { owner: owner('a') }))).toBe(false);
    expect(isDoubted(committed, entry('other', 'PREPARED', 1000, { owner: owner('a') }))).toBe(true);
    expect(isDoubted(committed, entry('other', 'PREPARED', 999, { owner: owner('b') }))).toBe(true);
    expect(isDoubted(committed, entry('other', 'PREPARED', 999, { owner: null }))).toBe(true);
    expect(isDoubted(committed, entry('other', 'PREPARED', 999, { owner: owner('a') }), { ...own, owner: null })).toBe(
      true,
    );
  });
});

describe('the place of a rival', () => {
  const touches = (probe: ProbeBaseline | null): boolean =>
    isDoubted(committed, entry('other', 'COMMITTED', 2000, { probe }));

  it('is anywhere when nothing is known of it', () => {
    expect(touches(null)).toBe(true);
    expect(touches({ kind: 'of-a-later-version', data: {} })).toBe(true);
  });

  it('of a program without a probe is its whole workspace, folders around and inside it, and anywhere if it has none', () => {
    expect(touches(placeBaseline('/w'))).toBe(true);
    expect(touches(placeBaseline('/'))).toBe(true);
    expect(touches(placeBaseline('/w/sub'))).toBe(true);
    expect(touches(placeBaseline(null))).toBe(true);
    expect(touches(placeBaseline('/other'))).toBe(false);
    expect(touches(placeBaseline('/w2'))).toBe(false);
  });

  it('of another append is its file alone', () => {
    expect(touches(append('log'))).toBe(true);
    expect(touches(append('log2'))).toBe(false);
    expect(touches(append('log', '/v'))).toBe(false);
    expect(touches(append('w/log', '/'))).toBe(true);
  });

  it('of an edit is whatever file ends like its path, since only that is known', () => {
    const edit = (path: string): ProbeBaseline => editBaseline([{ path, beforeHash: 'a', afterHash: 'b' }]);
    expect(touches(edit('log'))).toBe(true);
    expect(touches(edit('w/log'))).toBe(true);
    expect(touches(edit('og'))).toBe(false);
    expect(touches(edit('log/x'))).toBe(false);
  });
});

describe('an answer', () => {
  it('has no rivals where it is UNKNOWN, where there is none, and where the entry has no probe', () => {
    expect(hasRivals(own, committed)).toBe(true);
    expect(hasRivals(own, absent)).toBe(true);
    expect(hasRivals(own, null)).toBe(false);
    expect(hasRivals(own, { ...committed, says: 'UNKNOWN' })).toBe(false);
    expect(hasRivals({ ...own, probe: null }, committed)).toBe(false);
    expect(hasRivals({ ...own, probe: { kind: 'of-a-later-version', data: {} } }, committed)).toBe(false);
  });
});

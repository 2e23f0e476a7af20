import { describe, expect, it } from 'vitest';
import type { EntryOwner, EntryState, Intent, LedgerEntry, ProbeBaseline } from '../../../../src/core/ledger/entry.ts';
import { appendBaseline, editBaseline, gitBaseline, placeBaseline } from '../../../../src/core/ledger/probes.ts';
import { hasRivals, judgeRivals, SAME_EFFECT } from '../../../../src/core/ledger/rivals.ts';
import { firstEntry } from '../../../../src/core/ledger/transition.ts';
import { intentOf } from '../../../support/memoryEntries.ts';

const append = (path: string, workspace = '/w'): ProbeBaseline =>
  appendBaseline({ workspace, path, tail: 'same\n', isAlone: true }, '');
const git = (workspace: string): ProbeBaseline =>
  gitBaseline({ workspace, gitDirectory: '.git', tag: null, isAlone: true }, { head: null, headLog: '' });
const boot = (bootId: string): EntryOwner => ({
  pid: 1,
  pidStartedAt: '1',
  bootId,
  childPid: null,
  childStartedAt: null,
});
const own: LedgerEntry = firstEntry(
  intentOf('own', 'R2', { probe: append('log'), preparedAtMs: 1000, owner: boot('b') }),
);
const committed = { says: 'COMMITTED', probe: 'append', detail: 'grew' } as const;

/** Another entry, changed last at `atMs`. */
function other(state: EntryState, atMs: number, more: Partial<Intent> = {}): LedgerEntry {
  const entry = firstEntry(
    intentOf('other', 'R2', { probe: append('log'), preparedAtMs: 500, owner: boot('b'), ...more }),
  );
  return { ...entry, state, updatedAtMs: atMs };
}

const judged = (rival: LedgerEntry): string => judgeRivals(own, committed, [own, rival]).says;

describe('a probe that saw the bytes of an append', () => {
  it.each<[EntryState, number, string]>([
    ['COMMITTED', 1000, 'UNKNOWN'],
    ['COMMITTED', 999, 'COMMITTED'],
    ['RECONCILED_COMMITTED', 2000, 'UNKNOWN'],
    ['COMPENSATED', 2000, 'UNKNOWN'],
    ['PREPARED', 500, 'UNKNOWN'],
    ['UNKNOWN', 500, 'UNKNOWN'],
    ['FAILED', 2000, 'COMMITTED'],
    ['RECONCILED_ABSENT', 2000, 'COMMITTED'],
  ])('beside an entry of the same file that is %s since %d is %s', (state, atMs, says) => {
    expect(judged(other(state, atMs))).toBe(says);
  });

  it.each<[string, Partial<Intent>, string]>([
    ['another file', { probe: append('log2') }, 'COMMITTED'],
    ['the same file from a workspace around', { probe: append('w/log', '') }, 'UNKNOWN'],
    ['the same name in another workspace', { probe: append('log', '/w2') }, 'COMMITTED'],
    ['an edit of it', { probe: editBaseline('log', 'a', 'b') }, 'UNKNOWN'],
    ['an edit elsewhere', { probe: editBaseline('src/log', 'a', 'b') }, 'COMMITTED'],
    ['a commit there (its hooks may write)', { probe: git('/w') }, 'UNKNOWN'],
    ['a commit in another workspace', { probe: git('/w2') }, 'COMMITTED'],
    ['a program in the workspace', { probe: placeBaseline('/w') }, 'UNKNOWN'],
    ['a program in a folder of it', { probe: placeBaseline('/w/sub') }, 'UNKNOWN'],
    ['a program in another workspace', { probe: placeBaseline('/w2') }, 'COMMITTED'],
    ['a program that reaches anywhere', { probe: placeBaseline(null) }, 'UNKNOWN'],
    ['an effect nobody knows the place of', { probe: null }, 'UNKNOWN'],
    ['a read', { probe: placeBaseline('/w'), level: 'R0' }, 'COMMITTED'],
    ['one that only follows another', { probe: { kind: SAME_EFFECT, data: { key: 'k' } } }, 'COMMITTED'],
  ])('beside %s is judged by what that may have written', (_what, more, says) => {
    expect(judged(other('COMMITTED', 2000, more))).toBe(says);
  });

  it('forgets what was open when the machine was restarted before it began', () => {
    expect(judged(other('PREPARED', 500, { owner: boot('earlier') }))).toBe('COMMITTED');
    expect(judged(other('PREPARED', 1500, { owner: boot('earlier') }))).toBe('UNKNOWN');
    expect(judged(other('PREPARED', 500, { owner: null }))).toBe('UNKNOWN');
  });

  it('keeps every other answer, and names the rival', () => {
    const absent = { ...committed, says: 'ABSENT' } as const;
    expect(judgeRivals(own, absent, [other('PREPARED', 1)])).toBe(absent);
    const rival = other('COMMITTED', 2000);
    expect(judgeRivals(own, committed, [rival]).detail).toContain(rival.key.slice(0, 12));
    expect(hasRivals(own, committed)).toBe(true);
    expect(hasRivals(own, absent)).toBe(false);
    expect(hasRivals({ ...own, probe: git('/w') }, committed)).toBe(false);
  });
});

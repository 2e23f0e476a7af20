import { describe, expect, it } from 'vitest';
import type { EntryOwner, EntryState, Intent, LedgerEntry, ProbeBaseline } from '../../../../src/core/ledger/entry.ts';
import { editBaseline, footprintOf } from '../../../../src/core/ledger/probes.ts';
import { placeBaseline } from '../../../../src/core/ledger/probes/place.ts';
import { hasRivals, judgeRivals, SAME_EFFECT } from '../../../../src/core/ledger/rivals.ts';
import { firstEntry } from '../../../../src/core/ledger/transition.ts';
import { intentOf } from '../../../support/memoryEntries.ts';

const append = (path: string, workspace = '/w'): ProbeBaseline => {
  const data = { workspace, path, sizeBytes: 0, prefixHash: '', tail: null, afterHash: null, isAlone: true };
  return { kind: 'append', data };
};
const commit = (workspace: string): ProbeBaseline => {
  const before = { head: null, logCount: 0, logHash: '' };
  return {
    kind: 'git-commit',
    data: { workspace, folder: workspace, gitDirectory: '/g', before, mark: null, isAlone: true },
  };
};
const ref = (name: string, commonDirectory = '/w/.git'): ProbeBaseline => {
  const refs = [{ ref: name, before: null, after: 'a', isAnnotated: false, messageHash: null }];
  return { kind: 'git-ref', data: { workspace: '/w', folder: '/w', commonDirectory, refs, isAlone: true } };
};
const push = (name: string, addressHash = 'h', workspace = '/w'): ProbeBaseline => {
  const refs = [{ ref: name, before: null, after: 'a' }];
  return {
    kind: 'git-push',
    data: { workspace, folder: '/w', gitDirectory: '/g', remote: 'origin', addressHash, refs, isAlone: true },
  };
};
const states = (kind: string, ...paths: string[]): ProbeBaseline => {
  const files = paths.map((path) => ({ path, before: null, after: 'h' }));
  return { kind, data: { workspace: '/w', isAlone: true, files } };
};
const version = (git: unknown): ProbeBaseline => {
  const files = [{ path: 'package.json', hash: 'h' }];
  return {
    kind: 'npm-version',
    data: { workspace: '/w', folder: '/w', files, versionBefore: '1.0.0', versionAfter: '1.0.1', git, isAlone: true },
  };
};
const edit = (path: string): ProbeBaseline => editBaseline([{ path, beforeHash: 'a', afterHash: 'b' }]);
const boot = (bootId: string): EntryOwner => ({
  pid: 1,
  pidStartedAt: '1',
  bootId,
  childPid: null,
  childStartedAt: null,
});
const ownWith = (probe: ProbeBaseline): LedgerEntry =>
  firstEntry(intentOf('own', 'R2', { probe, preparedAtMs: 1000, owner: boot('b') }));
const own = ownWith(append('log'));
const committed = { says: 'COMMITTED', probe: 'append', detail: 'grew' } as const;
const absent = { ...committed, says: 'ABSENT' } as const;

/** Another entry, changed last at `atMs`. */
function other(state: EntryState, atMs: number, more: Partial<Intent> = {}): LedgerEntry {
  const entry = firstEntry(
    intentOf('other', 'R2', { probe: append('log'), preparedAtMs: 500, owner: boot('b'), ...more }),
  );
  return { ...entry, state, updatedAtMs: atMs };
}

const judged = (rival: LedgerEntry, of = own): string => judgeRivals(of, committed, [of, rival]).says;

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
    ['an edit of it', { probe: edit('log') }, 'UNKNOWN'],
    ['an edit elsewhere', { probe: edit('src/log') }, 'COMMITTED'],
    ['a copy onto it', { probe: states('file-copy', 'log') }, 'UNKNOWN'],
    ['a move of a folder around it', { probe: states('file-move', 'x', 'log') }, 'UNKNOWN'],
    ['a file made elsewhere', { probe: states('file-create', 'logs') }, 'COMMITTED'],
    ['a branch', { probe: ref('refs/heads/log') }, 'COMMITTED'],
    ['a push (its hooks may write)', { probe: push('refs/heads/x') }, 'UNKNOWN'],
    [
      'a version with hooks',
      { probe: version({ gitDirectory: '/g', head: { head: null, logCount: 0, logHash: '' }, mark: null, tag: 'v' }) },
      'UNKNOWN',
    ],
    ['a commit there (its hooks may write)', { probe: commit('/w') }, 'UNKNOWN'],
    ['a commit in another workspace', { probe: commit('/w2') }, 'COMMITTED'],
    ['a program in the workspace', { probe: placeBaseline('/w') }, 'UNKNOWN'],
    ['a program in a folder of it', { probe: placeBaseline('/w/sub') }, 'UNKNOWN'],
    ['a program in another workspace', { probe: placeBaseline('/w2') }, 'COMMITTED'],
    ['a program that reaches anywhere', { probe: placeBaseline(null) }, 'UNKNOWN'],
    ['an effect nobody knows the place of', { probe: null }, 'UNKNOWN'],
    ['an effect of a kind this version does not know', { probe: { kind: 'moon', data: {} } }, 'UNKNOWN'],
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

  it('is not ABSENT where another entry has changed the same file since and may have taken it back', () => {
    const said = (rival: LedgerEntry): string => judgeRivals(own, absent, [rival]).says;
    expect(said(other('COMMITTED', 2000))).toBe('UNKNOWN');
    expect(said(other('COMMITTED', 2000, { probe: edit('log') }))).toBe('UNKNOWN');
    expect(said(other('COMMITTED', 999))).toBe('ABSENT');
    expect(said(other('PREPARED', 2000))).toBe('ABSENT');
    expect(said(other('COMMITTED', 2000, { probe: placeBaseline('/w') }))).toBe('ABSENT');
    expect(said(other('COMMITTED', 2000, { probe: append('else') }))).toBe('ABSENT');
  });

  it('counts what the ledger saw change afterwards, though the clock was set back', () => {
    const said = (rival: LedgerEntry, probe: typeof committed | typeof absent): string =>
      judgeRivals(own, probe, [own, rival], new Set([rival.key])).says;
    expect(said(other('COMMITTED', 1), committed)).toBe('UNKNOWN');
    expect(said(other('COMMITTED', 1), absent)).toBe('UNKNOWN');
    expect(said(other('PREPARED', 1, { owner: boot('earlier') }), committed)).toBe('UNKNOWN');
    expect(said(other('FAILED', 1), committed)).toBe('COMMITTED');
  });

  it('says what no look can rule out', () => {
    expect(judgeRivals(own, committed, []).detail).toBe('grew (unless somebody outside Belay did exactly the same)');
    expect(judgeRivals(own, absent, []).detail).toBe('grew');
  });

  it('names the rival', () => {
    const rival = other('COMMITTED', 2000);
    expect(judgeRivals(own, committed, [rival]).detail).toContain(rival.key.slice(0, 12));
    expect(judgeRivals(own, { ...absent, says: 'UNKNOWN' }, [rival])).toEqual({ ...absent, says: 'UNKNOWN' });
  });
});

describe('rivals of other kinds', () => {
  it.each<[string, ProbeBaseline, ProbeBaseline, string]>([
    ['the same branch', ref('refs/heads/x'), ref('refs/heads/x'), 'UNKNOWN'],
    ['another branch', ref('refs/heads/x'), ref('refs/heads/y'), 'COMMITTED'],
    ['the same branch of another repository', ref('refs/heads/x'), ref('refs/heads/x', '/o/.git'), 'COMMITTED'],
    ['a push from here', ref('refs/heads/x'), push('refs/heads/y'), 'UNKNOWN'],
    [
      'the same ref of the same remote from anywhere',
      push('refs/heads/x'),
      push('refs/heads/x', 'h', '/far'),
      'UNKNOWN',
    ],
    ['another remote from elsewhere', push('refs/heads/x'), push('refs/heads/x', 'i', '/far'), 'COMMITTED'],
    ['a file below a moved folder', states('file-move', 'dir'), append('dir/log'), 'UNKNOWN'],
    ['a file made with the same name', states('file-create', 'f'), states('file-create', 'f'), 'UNKNOWN'],
    ['an edit of the copy', states('file-copy', 'f'), edit('f'), 'UNKNOWN'],
    ['a version by hand', version(null), edit('package.json'), 'UNKNOWN'],
  ])('beside %s are weighed, too', (_what, mine, theirs, says) => {
    expect(judged(other('COMMITTED', 2000, { probe: theirs }), ownWith(mine))).toBe(says);
  });

  it('do not exist for what carries a mark or is a state', () => {
    const head = { head: null, logCount: 0, logHash: '' };
    const marked = version({ gitDirectory: '/g', head, mark: 'm', tag: 'v' });
    for (const probe of [commit('/w'), edit('f'), marked]) expect(hasRivals(ownWith(probe), committed)).toBe(false);
    for (const probe of [append('f'), ref('x'), push('x'), version(null)])
      expect(hasRivals(ownWith(probe), committed)).toBe(true);
    expect(hasRivals(own, null)).toBe(false);
    expect(hasRivals(own, { ...committed, says: 'UNKNOWN' })).toBe(false);
    expect(hasRivals({ ...own, probe: null }, committed)).toBe(false);
  });

  it('have footprints of every kind', () => {
    for (const probe of [
      append('f'),
      commit('/w'),
      ref('x'),
      push('x'),
      edit('f'),
      states('file-copy', 'f'),
      version(null),
      placeBaseline('/w'),
    ]) {
      expect([probe.kind, footprintOf(probe)]).toEqual([
        probe.kind,
        expect.objectContaining({ runsPrograms: expect.any(Boolean) as boolean }),
      ]);
    }
  });
});

import { describe, expect, it } from 'vitest';
import { changesOf } from '../../../../src/core/ledger/fileChanges.ts';
import { sha256Hex } from '../../../../src/core/ledger/key.ts';
import { compareEdit, editBaseline, footprintOf, PROBES, probeOf } from '../../../../src/core/ledger/probes.ts';
import { compareAppend } from '../../../../src/core/ledger/probes/append.ts';
import type { AppendBaseline } from '../../../../src/core/ledger/probes/append.ts';
import { compareStates } from '../../../../src/core/ledger/probes/fileStates.ts';
import type { Facts } from '../../../../src/core/ledger/probes/reading.ts';
import { folderOf, workspacePath } from '../../../../src/core/ledger/workspacePath.ts';
import { firstEntry } from '../../../../src/core/ledger/transition.ts';
import { intentOf } from '../../../support/memoryEntries.ts';

const factsOf = (text: string | null): Facts => {
  if (text === null) return { kind: 'missing', hash: null, sizeBytes: 0 };
  return { kind: 'file', hash: sha256Hex(text), sizeBytes: new TextEncoder().encode(text).length };
};

describe('the append probe', () => {
  const baselineOf = (before: string | null, tail: string | null, isAlone = true): AppendBaseline => ({
    workspace: '/w',
    path: 'f',
    sizeBytes: before === null ? null : factsOf(before).sizeBytes,
    prefixHash: sha256Hex(before ?? ''),
    tail: tail === null ? null : { sizeBytes: factsOf(tail).sizeBytes, hash: sha256Hex(tail) },
    afterHash: tail === null ? null : sha256Hex((before ?? '') + tail),
    isAlone,
  });
  it.each([
    { before: 'é\n', tail: 'x\n', now: 'é\n', says: 'ABSENT' },
    { before: 'é\n', tail: 'x\n', now: 'é\nx\n', says: 'COMMITTED' },
    { before: 'é\n', tail: 'x\n', now: 'é\nx', says: 'UNKNOWN' },
    { before: 'é\n', tail: 'x\n', now: 'é\ny\n', says: 'UNKNOWN' },
    { before: 'é\n', tail: 'x\n', now: 'é\nx\nx\n', says: 'UNKNOWN' },
    { before: 'é\n', tail: 'x\n', now: 'e!\n', says: 'UNKNOWN' },
    { before: 'é\n', tail: 'x\n', now: 'é', says: 'UNKNOWN' },
    { before: 'é\n', tail: 'x\n', now: null, says: 'UNKNOWN' },
    { before: null, tail: 'x\n', now: null, says: 'ABSENT' },
    { before: null, tail: 'x\n', now: '', says: 'UNKNOWN' },
    { before: null, tail: 'x\n', now: 'x\n', says: 'COMMITTED' },
    { before: 'a', tail: null, now: 'a', says: 'ABSENT' },
    { before: 'a', tail: null, now: 'ab', says: 'UNKNOWN' },
    { before: 'a', tail: '', now: 'a', says: 'ABSENT' },
  ])('says $says in case %$', ({ before, tail, now, says }) => {
    expect(compareAppend(baselineOf(before, tail), factsOf(now)).says).toBe(says);
  });
  it('says what it cannot know of other parts, and that a folder is no file', () => {
    const baseline = baselineOf('old\n', 'new\n', false);
    expect(compareAppend(baseline, factsOf('old\nnew\n')).detail).toContain('other parts');
    expect(compareAppend(baseline, { kind: 'folder', hash: null, sizeBytes: 0 }).says).toBe('UNKNOWN');
  });
  it('reads what was stored without the hash of the whole, and then knows only ABSENT', () => {
    const { afterHash: _gone, ...stored } = baselineOf('a', 'b');
    expect(probeOf({ kind: 'append', data: stored })?.after(stored)).not.toBeNull();
    expect(compareAppend({ ...baselineOf('a', 'b'), afterHash: null }, factsOf('ab')).says).toBe('UNKNOWN');
  });
});

describe('the edit probe', () => {
  it.each([
    { before: 'a', now: 'b', says: 'COMMITTED' },
    { before: 'a', now: 'a', says: 'ABSENT' },
    { before: 'a', now: 'c', says: 'UNKNOWN' },
    { before: 'a', now: null, says: 'UNKNOWN' },
    { before: null, now: null, says: 'ABSENT' },
  ])('says $says from $before to b when there is $now', ({ before, now, says }) => {
    const baseline = editBaseline([{ path: 'f', beforeHash: before, afterHash: 'b' }]);
    expect(compareEdit(baseline, new Map([['f', now]])).says).toBe(says);
  });
  it('of a deletion is COMMITTED when the file is gone, and a path nobody looked at is never credited', () => {
    const baseline = editBaseline([{ path: 'f', beforeHash: 'a', afterHash: null }]);
    expect(compareEdit(baseline, new Map([['f', null]])).says).toBe('COMMITTED');
    expect(compareEdit(baseline, new Map()).says).toBe('UNKNOWN');
  });
  it('of several files names which have the new, the old and other content', () => {
    const baseline = editBaseline(['x', 'y', 'z'].map((path) => ({ path, beforeHash: 'a', afterHash: 'b' })));
    const now = new Map([
      ['x', 'b'],
      ['y', 'a'],
      ['z', 'q'],
    ]);
    expect(compareEdit(baseline, now)).toEqual({
      says: 'UNKNOWN',
      detail: 'as the edit leaves it: x; as before the edit: y; neither as before nor as after the edit: z',
    });
  });
  it('still reads the shape that knew one file', () => {
    const stored = { kind: 'edit', data: { path: 'f', beforeHash: 'a', afterHash: 'b' } };
    expect(compareEdit(stored, new Map([['f', 'b']])).says).toBe('COMMITTED');
    expect(compareEdit({ kind: 'edit', data: { files: [] } }, new Map()).says).toBe('UNKNOWN');
  });
});

describe('the states of several paths', () => {
  const files = [
    { path: 'a', before: 'h', after: null },
    { path: 'b', before: null, after: 'h' },
  ];
  it('are ABSENT before COMMITTED, so that nothing is credited where nothing was to change', () => {
    const same = [{ path: 'a', before: 'folder', after: 'folder' }];
    expect(compareStates(same, new Map([['a', 'folder']]), true).says).toBe('ABSENT');
  });
  it('tell every path of a mixture', () => {
    const { says, detail } = compareStates(
      files,
      new Map([
        ['a', 'h'],
        ['b', 'h'],
      ]),
      true,
    );
    expect(says).toBe('UNKNOWN');
    expect(detail).toContain('a is as before it; b is as after the command');
    expect(
      compareStates(
        files,
        new Map([
          ['a', 'x'],
          ['b', 'folder'],
        ]),
        true,
      ).detail,
    ).toContain('a has other content; b is a folder');
    expect(compareStates(files, new Map(), true).detail).toContain('b is as before it');
  });
});

describe('the table of probes', () => {
  it('knows each kind once, and nothing of another shape or kind', () => {
    expect(new Set(PROBES.map(({ kind }) => kind)).size).toBe(PROBES.length);
    for (const probe of PROBES) {
      expect(probe.after({ odd: true })).toBeNull();
      expect(probe.footprint({ odd: true })).toBeNull();
      expect(probe.needsRivals({ odd: true })).toBe(true);
    }
    expect(probeOf({ kind: 'moon', data: {} })).toBeNull();
    expect(probeOf(null)).toBeNull();
    expect(footprintOf({ kind: 'moon', data: {} })).toBeNull();
  });
});

describe('the files of an entry', () => {
  const entry = firstEntry(intentOf('a', 'R2', { paths: ['p'] }));
  const file = { path: 'f', beforeHash: 'a', afterHash: 'b', mode: 0o755 };
  const told = { source: 'hash', detail: 'd' };
  it('are those of its evidence, else of its probe, else the one of its hashes, else none', () => {
    const planned = { ...entry, probe: editBaseline([file]) };
    expect(changesOf({ ...planned, evidence: { ...told, files: [] } })).toEqual([]);
    expect(changesOf({ ...planned, evidence: { ...told, beforeHash: 'x', afterHash: 'y' } })).toEqual([file]);
    expect(changesOf({ ...entry, evidence: { ...told, beforeHash: 'x' } })).toEqual([
      { path: 'p', beforeHash: 'x', afterHash: null },
    ]);
    expect(changesOf({ ...entry, evidence: told })).toEqual([]);
    expect(changesOf({ ...entry, paths: [], evidence: { ...told, afterHash: 'y' } })).toEqual([]);
  });
});

describe('a path of the workspace', () => {
  const place = { cwd: '/w/sub', workspace: '/w' };
  it.each([
    ['f', 'sub/f', '/w/sub/f'],
    ['./a//b', 'sub/a/b', '/w/sub/a/b'],
    ['/w/x', 'x', '/w/x'],
    ['.', 'sub', '/w/sub'],
    ['', 'sub', '/w/sub'],
    ['/', null, null],
    ['/w2/x', null, null],
    ['../f', null, null],
  ])('of %s is %s, in the folder %s', (target, path, folder) => {
    expect(workspacePath(place, target)).toBe(path);
    expect(folderOf(place, target)).toBe(folder);
  });
});

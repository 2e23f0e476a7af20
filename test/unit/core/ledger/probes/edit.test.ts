// What the files of an edit say after it, and which baselines are one.
import { describe, expect, it } from 'vitest';
import type { FileChange } from '../../../../../src/core/ledger/entry.ts';
import {
  compareEdit,
  editBaseline,
  editFiles,
  editProbe,
  editState,
} from '../../../../../src/core/ledger/probes/edit.ts';
import { inWorld } from '../../../../support/probeWorld.ts';

const f: FileChange = { path: 'f', beforeHash: 'a', afterHash: 'b' };
const g: FileChange = { path: 'g', beforeHash: null, afterHash: 'b', mode: 0o755 };

describe('the baseline of an edit', () => {
  it('is its files, also in the shape that knew one, and nothing that is not there', () => {
    expect(editFiles(editBaseline([f, g]))).toStrictEqual([f, g]);
    expect(editFiles({ kind: 'edit', data: { ...f } })).toStrictEqual([f]);
    expect(editFiles({ kind: 'edit', data: { ...g } })).toStrictEqual([g]);
    expect(editBaseline([f])).toStrictEqual({ kind: 'edit', data: { files: [f] } });
    expect(editBaseline([f], '/w')).toStrictEqual({ kind: 'edit', data: { files: [f], workspace: '/w' } });
  });

  it('is none of another kind or shape', () => {
    for (const baseline of [
      null,
      { kind: 'append', data: { files: [f] } },
      { kind: 'edit', data: {} },
      { kind: 'edit', data: { files: [] } },
      { kind: 'edit', data: { files: [{ path: 'f' }] } },
      { kind: 'edit', data: { files: [{ ...g, mode: -1 }] } },
    ])
      expect(editFiles(baseline)).toBeNull();
    expect(compareEdit({ kind: 'append', data: {} }, new Map())).toEqual({
      says: 'UNKNOWN',
      detail: 'what the edit was to change is not known',
    });
  });

  it('is never read from a command, names its files and needs no weighing', () => {
    const { data } = editBaseline([f, g]);
    expect(editProbe.plan({ words: ['edit', 'f'], output: null, input: '', decidesExit: true, folder: '' })).toBeNull();
    expect(editProbe.footprint(data)).toEqual({ workspace: null, paths: ['f', 'g'], refs: [], runsPrograms: false });
    expect(editProbe.needsRivals(data)).toBe(false);
  });
});

describe('the files of an edit', () => {
  it.each<[readonly FileChange[], Record<string, string | null>, string]>([
    [[f], { f: 'b' }, 'COMMITTED: f has the content of the edit'],
    [[f, g], { f: 'b', g: 'b' }, 'COMMITTED: f, g have the content of the edit'],
    [[f], { f: 'a' }, 'ABSENT: f: as before the edit'],
    [[f, g], { f: 'a', g: null }, 'ABSENT: f, g: as before the edit'],
    [[f], { f: 'x' }, 'UNKNOWN: neither as before nor as after the edit: f'],
    [[f, g], { f: 'x', g: 'x' }, 'UNKNOWN: neither as before nor as after the edit: f, g'],
    [[f, g], { f: 'b', g: null }, 'UNKNOWN: as the edit leaves it: f; as before the edit: g'],
    [[f, g], { f: 'b' }, 'UNKNOWN: as the edit leaves it: f; neither as before nor as after the edit: g'],
    [[f, g], { f: null, g: null }, 'UNKNOWN: as before the edit: g; neither as before nor as after the edit: f'],
  ])('%j, when there is %j, are %s', (files, now, wanted) => {
    const { says, detail } = compareEdit(editBaseline(files), new Map(Object.entries(now)));
    expect(`${says}: ${detail}`).toBe(wanted);
  });

  it.each([
    ['a', 'b', 'b', 'new'],
    ['a', 'b', 'a', 'old'],
    ['a', 'b', 'c', 'other'],
    ['a', 'b', null, 'other'],
    ['a', 'b', undefined, 'other'],
    ['a', null, null, 'new'],
    [null, 'b', null, 'old'],
    [null, null, undefined, 'other'],
    // Nothing was to change: it stands.
    ['a', 'a', 'a', 'new'],
  ])('from %s to %s, and %s now, is %s', (beforeHash, afterHash, now, state) => {
    expect(editState({ beforeHash, afterHash }, now)).toBe(state);
  });

  it('are looked at one after the other until one cannot be', () => {
    const { data } = editBaseline([f, g]);
    expect(inWorld(editProbe.after(data), { hidden: ['f'] })).toMatchObject({
      said: { says: 'UNKNOWN', detail: 'f is hidden' },
      asked: [{ ask: 'look', path: 'f' }],
    });
    expect(inWorld(editProbe.after(data), { hidden: ['g'] }).said).toEqual({ says: 'UNKNOWN', detail: 'g is hidden' });
    expect(inWorld(editProbe.after(data), { files: { f: null } }).said.says).toBe('UNKNOWN');
  });
});

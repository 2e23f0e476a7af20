// Which entries an undo takes back, and what a person is told of those that it does not reach.
import { describe, expect, it } from 'vitest';
import type { EntryState, LedgerEntry } from '../../../../src/core/ledger/entry.ts';
import { editBaseline, PROBES } from '../../../../src/core/ledger/probes.ts';
import { firstEntry } from '../../../../src/core/ledger/transition.ts';
import { adviceFor, hasEffectOutsideFiles } from '../../../../src/core/ledger/undo/advice.ts';
import {
  backDataOf,
  changesToTakeBack,
  entriesInForce,
  isOpen,
  isStanding,
  newestFirst,
} from '../../../../src/core/ledger/undo/selection.ts';
import { intentOf } from '../../../support/memoryEntries.ts';

function entry(key: string, state: EntryState, more: Partial<LedgerEntry> = {}): LedgerEntry {
  return { ...firstEntry(intentOf(key)), key, state, ...more };
}
const keys = (entries: readonly LedgerEntry[]): readonly string[] => entries.map(({ key }) => key);
const own = [{ path: 'f', beforeHash: 'a', afterHash: 'b' }];
const told = { source: 'test', detail: 'd' };

describe('the state of an entry', () => {
  it.each<[EntryState, boolean, boolean]>([
    ['PREPARED', false, true],
    ['UNKNOWN', false, true],
    ['COMMITTED', true, false],
    ['RECONCILED_COMMITTED', true, false],
    ['FAILED', false, false],
    ['RECONCILED_ABSENT', false, false],
    ['COMPENSATED', false, false],
  ])('%s stands: %s; is open: %s', (state, stands, open) => {
    expect([isStanding({ state }), isOpen({ state })]).toEqual([stands, open]);
  });
});

describe('the changes to take back', () => {
  const probe = { kind: 'edit', data: { files: [], own, isWhole: true } };
  it('are a part of an undo only in a compensation that holds it', () => {
    expect(backDataOf({ compensates: 'k', probe })).toEqual({ own, isWhole: true });
    expect(backDataOf({ probe })).toBeNull();
    expect(backDataOf({ compensates: 'k', probe: null })).toBeNull();
    expect(backDataOf({ compensates: 'k', probe: { kind: 'edit', data: { own } } })).toBeNull();
    expect(
      backDataOf({ compensates: 'k', probe: { kind: 'edit', data: { own: [{ path: 'f' }], isWhole: true } } }),
    ).toBeNull();
  });

  it('are those that were seen, else the own ones of an undo, else those that were planned', () => {
    const seen = [{ path: 'g', beforeHash: null, afterHash: 'x' }];
    const planned = editBaseline([{ path: 'h', beforeHash: null, afterHash: 'y' }]);
    const back = entry('k', 'COMMITTED', { compensates: 'j', probe });
    expect(changesToTakeBack({ ...back, evidence: { ...told, files: seen } })).toEqual(seen);
    expect(changesToTakeBack({ ...back, evidence: { ...told, files: [] } })).toEqual([]);
    expect(changesToTakeBack({ ...back, evidence: told })).toEqual(own);
    expect(changesToTakeBack({ ...back, evidence: null })).toEqual(own);
    expect(changesToTakeBack(entry('k', 'COMMITTED', { probe: planned }))).toEqual(planned.data.files);
    expect(changesToTakeBack(entry('k', 'COMMITTED'))).toEqual([]);
  });
});

describe('the entries in force', () => {
  const at = (key: string, preparedAtMs: number, more: Partial<LedgerEntry> = {}): LedgerEntry =>
    entry(key, 'COMMITTED', { preparedAtMs, ...more });

  it('are newest first by the time they were prepared, and as given where that is the same', () => {
    const entries = [at('a', 1), at('b', 3), at('c', 2), at('d', 3)];
    expect(keys(newestFirst(entries))).toEqual(['b', 'd', 'c', 'a']);
    expect(keys(entriesInForce(entries))).toEqual(['b', 'd', 'c', 'a']);
  });

  it('may have changed something, stand or are open, and are of the step or later', () => {
    const states: EntryState[] = ['PREPARED', 'UNKNOWN', 'COMMITTED', 'RECONCILED_COMMITTED'];
    const over: EntryState[] = ['FAILED', 'RECONCILED_ABSENT', 'COMPENSATED'];
    const entries = [...states, ...over].map((state) => entry(state, state));
    expect(keys(entriesInForce(entries))).toEqual(states);
    const read = [entry('read', 'COMMITTED', { level: 'R0' }), entry('R1', 'COMMITTED', { level: 'R1' })];
    expect(keys(entriesInForce(read))).toEqual(['R1']);
    const steps = [1, 2, 3].map((step) => entry(`${step}`, 'COMMITTED', { step }));
    expect(keys(entriesInForce(steps, 2))).toEqual(['2', '3']);
    expect(keys(entriesInForce(steps))).toEqual(['1', '2', '3']);
  });

  it('are of a chain its last standing link alone', () => {
    const undone = [entry('e', 'COMPENSATED'), entry('undo', 'COMMITTED', { compensates: 'e' })];
    expect(keys(entriesInForce(undone))).toEqual([]);
    const redone = [
      entry('e', 'COMPENSATED'),
      entry('undo', 'COMPENSATED', { compensates: 'e' }),
      entry('redo', 'COMMITTED', { compensates: 'undo' }),
    ];
    expect(keys(entriesInForce(redone))).toEqual(['redo']);
    const again = [
      ...redone.slice(0, 2),
      entry('redo', 'COMPENSATED', { compensates: 'undo' }),
      entry('again', 'COMMITTED', { compensates: 'redo' }),
    ];
    expect(keys(entriesInForce(again))).toEqual([]);
  });

  it('are an undo beside its entry where that was taken back in part, or is not known', () => {
    const part = [entry('e', 'COMMITTED'), entry('undo', 'COMMITTED', { compensates: 'e' })];
    expect(keys(entriesInForce(part))).toEqual(['e', 'undo']);
    expect(keys(entriesInForce([entry('undo', 'COMMITTED', { compensates: 'gone' })]))).toEqual(['undo']);
  });

  it('are found in a ring that nobody can have made, too', () => {
    const ring = [
      entry('a', 'COMPENSATED', { compensates: 'b' }),
      entry('b', 'COMPENSATED', { compensates: 'a' }),
      entry('c', 'COMMITTED', { compensates: 'a' }),
    ];
    expect(keys(entriesInForce(ring))).toEqual([]);
  });
});

describe('what a person is told', () => {
  const probe = (kind: string): Pick<LedgerEntry, 'probe'> => ({ probe: { kind, data: {} } });
  const ANY = adviceFor({ probe: null });

  it('names what takes an effect back, of every kind that has a probe', () => {
    expect(ANY).toContain('not in the ledger');
    const kinds = PROBES.map(({ kind }) => kind).filter((kind) => kind !== 'edit');
    const told = kinds.map((kind) => adviceFor(probe(kind)));
    expect(told).not.toContain(ANY);
    expect(new Set(told).size).toBe(kinds.length);
    expect(adviceFor(probe('git-commit'))).toContain('git revert');
  });

  it.each(['edit', 'moon', 'toString', ''])('is a general word of the kind "%s"', (kind) => {
    expect(adviceFor(probe(kind))).toBe(ANY);
  });

  it('says which effects are in no file', () => {
    const outside = PROBES.map(({ kind }) => kind).filter((kind) => hasEffectOutsideFiles(probe(kind)));
    expect(new Set(outside)).toEqual(new Set(['git-commit', 'git-ref', 'git-push', 'npm-version']));
    expect(hasEffectOutsideFiles({ probe: null })).toBe(false);
  });
});

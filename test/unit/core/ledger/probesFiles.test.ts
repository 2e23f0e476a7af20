import { describe, expect, it } from 'vitest';
import type { ProbeBaseline } from '../../../../src/core/ledger/entry.ts';
import { sha256Hex } from '../../../../src/core/ledger/key.ts';
import { probeOf } from '../../../../src/core/ledger/probes.ts';
import { probePlan } from '../../../../src/core/ledger/probePlan.ts';
import { playProbe } from '../../../support/scriptedProbe.ts';
import type { ProbeWorld } from '../../../support/scriptedProbe.ts';

type Files = Record<string, string | null>;
const worldOf = (files: Files, more: ProbeWorld = {}): ProbeWorld => ({ files, hashOf: sha256Hex, ...more });

/** The baseline of a command among some files. */
function before(command: string, files: Files, more: ProbeWorld = {}): ProbeBaseline | null {
  const plan = probePlan({ shell: 'bash', command, env: {} });
  if (!plan) throw new Error(`no plan for ${command}`);
  const scope = { workspace: '/w', folder: '/w', isAlone: plan.isAlone, mark: null };
  return playProbe(plan.before(scope), worldOf(files, more));
}

/** The changes of a baseline, each as `path: before -> after`. */
function changes(baseline: ProbeBaseline | null): unknown {
  const files = (baseline?.data.files ?? []) as readonly {
    path: string;
    before: string | null;
    after: string | null;
  }[];
  const short = (state: string | null): string => (state === null ? 'none' : (names.get(state) ?? state));
  return baseline && files.map(({ path, before: was, after }) => `${path}: ${short(was)} -> ${short(after)}`);
}
const names = new Map(['', 'a', 'b', 'x\n'].map((text) => [sha256Hex(text), `"${text.trim()}"`]));

function says(command: string, was: Files, now: Files): string {
  const baseline = before(command, was);
  return playProbe(probeOf(baseline)?.after(baseline?.data) ?? null, worldOf(now)).says;
}

describe('the baseline of files that are made', () => {
  it.each<[string, Files, readonly string[] | null]>([
    ['touch f g', {}, ['f: none -> ""', 'g: none -> ""']],
    ['touch f g', { f: 'a' }, ['g: none -> ""']],
    ['touch f', { f: 'a' }, null],
    ['touch f f', {}, ['f: none -> ""']],
    ['echo x > f', { f: 'a' }, ['f: "a" -> "x"']],
    [': > f', { f: 'a' }, ['f: "a" -> ""']],
    ['echo x | tee f ./d/g', {}, ['f: none -> "x"', 'd/g: none -> "x"']],
    ['mkdir d', {}, ['d: none -> folder']],
    ['mkdir d', { d: null }, ['d: folder -> folder']],
    ['mkdir d/e', {}, ['d/e: none -> folder']],
    ['mkdir -p d/e/f', { d: null }, ['d/e: none -> folder', 'd/e/f: none -> folder']],
    ['mkdir --parents d/e', { 'd/e': null, d: null }, ['d/e: folder -> folder']],
    ['touch ../f', {}, null],
    ['touch .git/f', {}, null],
    ['touch .', {}, null],
  ])('%s among %j is %j', (command, files, expected) => {
    expect(changes(before(command, files))).toEqual(expected);
  });
  it('is not there for what cannot be seen', () => {
    for (const command of ['touch f', 'cp a b', 'mv a b', 'echo x >> f']) {
      expect([command, before(command, { a: 'a' }, { isBlind: true })]).toEqual([command, null]);
    }
  });
});

describe('the baseline of copies and moves', () => {
  it.each<[string, Files, readonly string[] | null]>([
    ['cp a c', { a: 'a' }, ['c: none -> "a"']],
    ['cp -pv a c', { a: 'a', c: 'b' }, ['c: "b" -> "a"']],
    ['cp a b d', { a: 'a', b: 'b', d: null }, ['d/a: none -> "a"', 'd/b: none -> "b"']],
    ['cp x/a .', { 'x/a': 'a' }, ['a: none -> "a"']],
    ['cp a b d', { a: 'a', b: 'b' }, null],
    ['cp a d/', { a: 'a' }, null],
    ['cp x/a y/a d', { 'x/a': 'a', 'y/a': 'b', d: null }, null],
    ['cp d e', { d: null }, null],
    ['cp a e', {}, null],
    ['cp a ./a', { a: 'a' }, null],
    ['cp -u a c', { a: 'a' }, null],
    ['mv a c', { a: 'a' }, ['a: "a" -> none', 'c: none -> "a"']],
    ['mv -f a b', { a: 'a', b: 'b' }, ['a: "a" -> none', 'b: "b" -> "a"']],
    ['mv a d', { a: 'a', d: null }, ['a: "a" -> none', 'd/a: none -> "a"']],
    [
      'mv d e',
      { d: null, 'd/x': 'a' },
      ['d: folder -> none', 'e: none -> folder', 'd/x: "a" -> none', 'e/x: none -> "a"'],
    ],
    ['mv d d/e', { d: null, 'd/e': null }, null],
    ['mv a a', { a: 'a' }, null],
    ['mv a b a', { a: null, b: 'b' }, null],
    ['mv .. c', {}, null],
  ])('%s among %j is %j', (command, files, expected) => {
    const plan = probePlan({ shell: 'bash', command });
    expect(plan && changes(before(command, files))).toEqual(expected);
  });
  it('leaves out folders with more files than can be looked at', () => {
    const many = (count: number): Files =>
      Object.fromEntries([['d', null], ...Array.from({ length: count }, (_, i) => [`d/${i}`, 'a'] as const)]);
    expect(before('mv d e', many(49))).not.toBeNull();
    expect(before('mv d e', many(50))).toBeNull();
    expect(before('mv d e', many(101))).toBeNull();
  });
});

describe('what the probe of an append sees', () => {
  it('is its own text at the end, also in an empty and in a new file', () => {
    expect(says('echo x >> f', { f: 'a' }, { f: 'ax\n' })).toBe('COMMITTED');
    expect(says('echo x >> f', { f: '' }, { f: 'x\n' })).toBe('COMMITTED');
    expect(says('echo x >> f', {}, { f: 'x\n' })).toBe('COMMITTED');
    expect(says('echo x >> f', {}, {})).toBe('ABSENT');
    expect(says('echo x >> f', { f: 'a' }, { f: 'a' })).toBe('ABSENT');
    expect(says('echo -n x >> f', { f: 'a' }, { f: 'ax' })).toBe('UNKNOWN');
    expect(before('echo x >> f', { f: null })).toBeNull();
  });
});

describe('what the probe of files sees', () => {
  it('is a folder or another thing in the place of a file', () => {
    expect(says('mv a c', { a: 'a' }, { c: 'a' })).toBe('COMMITTED');
    expect(says('mv a c', { a: 'a' }, { c: null })).toBe('UNKNOWN');
    const baseline = before('mv a c', { a: 'a' });
    const blind = playProbe(probeOf(baseline)?.after(baseline?.data) ?? null, worldOf({}, { isBlind: true }));
    expect(blind).toEqual({ says: 'UNKNOWN', detail: 'a cannot be read' });
  });
});

import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../../src/core/ledger/key.ts';
import { probePlan } from '../../../../src/core/ledger/probePlan.ts';
import {
  appendBaseline,
  commitTag,
  compareAppend,
  compareEdit,
  compareGit,
  editBaseline,
  gitBaseline,
  readBaseline,
} from '../../../../src/core/ledger/probes.ts';
import type { GitState } from '../../../../src/core/ledger/probes.ts';
import { workspacePath } from '../../../../src/core/ledger/workspacePath.ts';

describe('the append probe', () => {
  const asked = (before: string | null, tail: string | null, now: string | null): string => {
    const baseline = readBaseline(appendBaseline({ workspace: '/w', path: 'f', tail, isAlone: true }, before));
    if (baseline?.kind !== 'append') throw new Error('no baseline');
    return compareAppend(baseline.data, now).says;
  };
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
    expect(asked(before, tail, now)).toBe(says);
  });
  it('stores length and hash of the text, never the text, and says what it cannot know of other parts', () => {
    const where = { workspace: '/w', path: 'f', tail: 'hunter2 forever\n' };
    const stored = appendBaseline({ ...where, isAlone: false }, 'old\n');
    expect(JSON.stringify(stored)).not.toContain('hunter2');
    expect(stored.data.tail).toEqual({ sizeBytes: 16, hash: sha256Hex('hunter2 forever\n') });
    const known = readBaseline(stored);
    if (known?.kind !== 'append') throw new Error('no baseline');
    expect(compareAppend(known.data, 'old\nhunter2 forever\n')).toMatchObject({ says: 'COMMITTED' });
    expect(compareAppend(known.data, 'old\nhunter2 forever\n').detail).toContain('other parts');
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
    const baseline = readBaseline(editBaseline('f', before, 'b'));
    if (baseline?.kind !== 'edit') throw new Error('no baseline');
    expect(compareEdit(baseline.data, now).says).toBe(says);
  });
});

describe('the commit probe', () => {
  const id = (digit: string): string => digit.repeat(40);
  const zero = id('0');
  const line = (from: string, to: string, action: string): string => `${from} ${to} A <a@b> 1 +0000\t${action}\n`;
  const first = line(zero, id('a'), 'commit (initial): start');
  const tag = commitTag('0123456789abcdef0123');
  const asked = (before: GitState, now: GitState, mark: string | null = tag): string => {
    const where = { workspace: '/w', gitDirectory: '.git', tag: mark, isAlone: true };
    const baseline = readBaseline(gitBaseline(where, before));
    if (baseline?.kind !== 'git-commit') throw new Error('no baseline');
    return compareGit(baseline.data, now).says;
  };
  const before = { head: id('a'), headLog: first };
  const after = (action: string, head = id('b')): GitState => ({
    head,
    headLog: first + line(id('a'), id('b'), action),
  });

  it('says ABSENT when nothing moved and COMMITTED for a commit with its own tag alone', () => {
    expect(asked(before, before)).toBe('ABSENT');
    expect(asked(before, after(`${tag}: fix`))).toBe('COMMITTED');
    const initial = { head: id('a'), headLog: line(zero, id('a'), `${tag}: start`) };
    expect(asked({ head: null, headLog: '' }, initial)).toBe('COMMITTED');
  });
  it('knows its commit among later ones of others', () => {
    const two = { head: id('c'), headLog: after(`${tag}: fix`).headLog + line(id('b'), id('c'), 'commit: more') };
    expect(asked(before, two)).toBe('COMMITTED');
  });
  it('says UNKNOWN for the same message without the tag, whoever made it', () => {
    expect(asked(before, after('commit: fix'))).toBe('UNKNOWN');
    expect(asked(before, after(`${commitTag('ffffffffffffffffffff')}: fix`))).toBe('UNKNOWN');
    expect(asked(before, after(`commit: ${tag}: fix`))).toBe('UNKNOWN');
    expect(asked(before, after(`${tag}: fix`), null)).toBe('UNKNOWN');
  });
  it('says UNKNOWN for an amend, a reset, a broken chain or a rewritten log', () => {
    expect(asked(before, after('commit (amend): fix'))).toBe('UNKNOWN');
    expect(asked(before, after(`${tag}: fix`, id('c')))).toBe('UNKNOWN');
    expect(asked(before, { head: id('b'), headLog: first + line(id('e'), id('b'), `${tag}: fix`) })).toBe('UNKNOWN');
    expect(asked(before, { head: id('a'), headLog: '' })).toBe('UNKNOWN');
    const back = after(`${tag}: fix`).headLog + line(id('b'), id('a'), 'reset: moving to HEAD~1');
    expect(asked(before, { head: id('a'), headLog: back })).toBe('UNKNOWN');
  });
});

describe('a baseline', () => {
  it('of another shape or kind has no probe', () => {
    expect(readBaseline({ kind: 'append', data: { path: 'f' } })).toBeNull();
    expect(readBaseline({ kind: 'moon', data: {} })).toBeNull();
    expect(readBaseline(null)).toBeNull();
  });
});

describe('the probe of a command', () => {
  it.each([
    ['echo a b >> f', { kind: 'append', target: 'f', tail: 'a b\n', isAlone: true }],
    [
      `sleep 0.1; echo "it's" 'a  b' >> dir/f && true`,
      { kind: 'append', target: 'dir/f', tail: "it's a  b\n", isAlone: false },
    ],
    [String.raw`printf 'x\ny\n' >> f`, { kind: 'append', target: 'f', tail: 'x\ny\n', isAlone: true }],
    ['echo -n a >> f', { kind: 'append', target: 'f', tail: null, isAlone: true }],
    [String.raw`echo 'a\tb' >> f`, { kind: 'append', target: 'f', tail: null, isAlone: true }],
    [`printf '%s' a >> f`, { kind: 'append', target: 'f', tail: null, isAlone: true }],
    ['git commit -m fix', { kind: 'git-commit', isAlone: true }],
    ['git commit', { kind: 'git-commit', isAlone: true }],
    ['git add -A && git commit -qm "fix it"', { kind: 'git-commit', isAlone: false }],
    [`git commit --message='a' -m body`, { kind: 'git-commit', isAlone: true }],
  ])('%s is %j', (command, plan) => {
    expect(probePlan({ shell: 'bash', command })).toEqual(plan);
  });

  it.each([
    'echo a >> f; echo b >> f',
    'echo a >> f & ',
    'echo a >> f || true',
    'echo $HOME >> f',
    'echo a >> $F',
    'echo a >> ~/f',
    'echo *.ts >> f',
    'echo {a,b} >> f',
    'echo `id` >> f',
    'echo a > f',
    'echo a 2>> f',
    'echo a >> f >> g',
    'X=1 echo a >> f',
    'curl -X POST http://x; echo a >> f',
    'cd dir; echo a >> f',
    '(echo a) >> f',
    'echo a | tee -a f',
    'git add -A; echo a >> f',
    'git commit --amend -m x',
    'git commit -m',
    'git commit -m x file',
    'git push',
    'echo "unclosed >> f',
    'ls',
    'sleep 1',
  ])('there is none for %s', (command) => {
    expect(probePlan({ shell: 'bash', command })).toBeNull();
  });

  it('sees through sh -c and knows nothing of PowerShell', () => {
    const plan = { kind: 'append', target: 'f', tail: 'a\n', isAlone: true };
    expect(probePlan({ shell: 'none', command: ['sh', '-c', 'echo a >> f'] })).toEqual(plan);
    expect(probePlan({ shell: 'none', command: ['git', 'commit', '-m', 'x'] })).toEqual({
      kind: 'git-commit',
      isAlone: true,
    });
    expect(probePlan({ shell: 'none', command: ['node', '-e', 'echo a >> f'] })).toBeNull();
    expect(probePlan({ shell: 'pwsh', command: 'echo a >> f' })).toBeNull();
  });
});

describe('a path of the workspace', () => {
  const place = { cwd: '/w/sub', workspace: '/w' };
  it.each([
    ['f', 'sub/f'],
    ['./a//b', 'sub/a/b'],
    ['/w/x', 'x'],
    ['.', 'sub'],
    ['/', null],
    ['/w2/x', null],
    ['../f', null],
  ])('of %s is %s', (target, path) => {
    expect(workspacePath(place, target)).toBe(path);
  });
});

import { describe, expect, it } from 'vitest';
import { probePlan } from '../../../../src/core/ledger/probePlan.ts';
import {
  appendBaseline,
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
    const baseline = readBaseline(appendBaseline('f', before, tail));
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
  const asked = (before: GitState, subject: string | null, now: GitState): string => {
    const baseline = readBaseline(gitBaseline('.git', before, subject));
    if (baseline?.kind !== 'git-commit') throw new Error('no baseline');
    return compareGit(baseline.data, now).says;
  };
  const before = { head: id('a'), headLog: first };
  const after = (action: string, head = id('b')): GitState => ({
    head,
    headLog: first + line(id('a'), id('b'), action),
  });

  it('says ABSENT when nothing moved and COMMITTED for its own subject alone', () => {
    expect(asked(before, 'fix', before)).toBe('ABSENT');
    expect(asked(before, 'fix', after('commit: fix'))).toBe('COMMITTED');
    expect(asked({ head: null, headLog: '' }, 'start', { head: id('a'), headLog: first })).toBe('COMMITTED');
  });
  it('says UNKNOWN for another commit, an amend, a reset, a rewritten log or an unknown subject', () => {
    expect(asked(before, 'fix', after('commit: other'))).toBe('UNKNOWN');
    expect(asked(before, null, after('commit: fix'))).toBe('UNKNOWN');
    expect(asked(before, 'fix', after('commit (amend): fix'))).toBe('UNKNOWN');
    expect(asked(before, 'fix', after('commit: fix', id('c')))).toBe('UNKNOWN');
    expect(asked(before, 'fix', { head: id('a'), headLog: '' })).toBe('UNKNOWN');
    const back = after('commit: fix').headLog + line(id('b'), id('a'), 'reset: moving to HEAD~1');
    expect(asked(before, 'fix', { head: id('a'), headLog: back })).toBe('UNKNOWN');
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
    ['echo a b >> f', { kind: 'append', target: 'f', tail: 'a b\n' }],
    [`sleep 0.1; echo "it's" 'a  b' >> dir/f && true`, { kind: 'append', target: 'dir/f', tail: "it's a  b\n" }],
    [String.raw`printf 'x\ny\n' >> f`, { kind: 'append', target: 'f', tail: 'x\ny\n' }],
    ['echo -n a >> f', { kind: 'append', target: 'f', tail: null }],
    [String.raw`echo 'a\tb' >> f`, { kind: 'append', target: 'f', tail: null }],
    [`printf '%s' a >> f`, { kind: 'append', target: 'f', tail: null }],
    ['git commit -m fix', { kind: 'git-commit', subject: 'fix' }],
    ['git add -A && git commit -qm "fix it"', { kind: 'git-commit', subject: 'fix it' }],
    [`git commit --message='a' -m body`, { kind: 'git-commit', subject: 'a' }],
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
    'git commit',
    'git push',
    'echo "unclosed >> f',
    'ls',
    'sleep 1',
  ])('there is none for %s', (command) => {
    const plan = probePlan({ shell: 'bash', command });
    expect(plan === null || (plan.kind === 'git-commit' && plan.subject === null)).toBe(true);
  });

  it('sees through sh -c and knows nothing of PowerShell', () => {
    const plan = { kind: 'append', target: 'f', tail: 'a\n' };
    expect(probePlan({ shell: 'none', command: ['sh', '-c', 'echo a >> f'] })).toEqual(plan);
    expect(probePlan({ shell: 'none', command: ['git', 'commit', '-m', 'x'] })).toEqual({
      kind: 'git-commit',
      subject: 'x',
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

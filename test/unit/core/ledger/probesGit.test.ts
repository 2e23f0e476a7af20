import { describe, expect, it } from 'vitest';
import type { ProbeBaseline } from '../../../../src/core/ledger/entry.ts';
import { commitTag, probeOf } from '../../../../src/core/ledger/probes.ts';
import { probePlan } from '../../../../src/core/ledger/probePlan.ts';
import { playProbe } from '../../../support/scriptedProbe.ts';
import type { ProbeWorld } from '../../../support/scriptedProbe.ts';

const id = (digit: string): string => digit.repeat(40);
const MARK = commitTag('0123456789abcdef0123');
const REPOSITORY = ['--git-common-dir', '/w/.git\n/w/.git\n'] as const;
const line = (commit: string, action: string): string => `${commit}\tHEAD@{1 +0000}\t${action}\n`;
const FIRST = line(id('a'), 'commit (initial): start');

/** The baseline of a command in a world. */
function before(command: string, world: ProbeWorld, mark: string | null = MARK): ProbeBaseline | null {
  const plan = probePlan({ shell: 'bash', command, env: {} });
  if (!plan) throw new Error(`no plan for ${command}`);
  return playProbe(plan.before({ workspace: '/w', folder: '/w', isAlone: true, mark }), world);
}

/** What the probe says of a baseline in a world. */
function after(baseline: ProbeBaseline | null, world: ProbeWorld): string {
  const said = playProbe(probeOf(baseline)?.after(baseline?.data) ?? null, world);
  return `${said.says}: ${said.detail}`;
}

describe('the commit probe, whatever git answers', () => {
  const at = (commit: string | number, log: string, ...more: [string, string | number][]): ProbeWorld => ({
    git: [...more, REPOSITORY, ['HEAD^{commit}', typeof commit === 'number' ? commit : `${commit}\n`], ['log -g', log]],
  });
  const start = at(id('a'), FIRST);
  const made = line(id('b'), `${MARK}: fix`) + FIRST;
  const onHead: [string, number | string] = ['merge-base', ''];

  it('is COMMITTED only with its own mark', () => {
    const baseline = before('git commit -m fix', start);
    expect(after(baseline, start)).toBe('ABSENT: HEAD is still aaaaaaaaaa');
    expect(after(baseline, at(id('b'), made, onHead))).toMatch(/^COMMITTED: commit bbbbbbbbbb .* is part of HEAD$/);
    expect(after(baseline, at(id('b'), line(id('b'), 'commit: fix') + FIRST, onHead))).toMatch(
      /^UNKNOWN: HEAD moved from aaaaaaaaaa to bbbbbbbbbb/,
    );
    expect(after(baseline, at(id('b'), line(id('b'), `commit: ${MARK}: fix`) + FIRST, onHead))).toMatch(/^UNKNOWN/);
    expect(after(before('git commit -m fix', start, null), at(id('b'), made, onHead))).toMatch(/^UNKNOWN/);
    const isWithOthers = probePlan({ shell: 'bash', command: 'git add . && git commit -m x' });
    const also = playProbe(isWithOthers!.before({ workspace: '/w', folder: '/w', isAlone: false, mark: MARK }), start);
    expect(after(also, at(id('b'), made, onHead))).toContain('other parts');
  });

  it('looks for its commit elsewhere when HEAD does not have it', () => {
    const baseline = before('git commit -m fix', start);
    const elsewhere = (refs: string | number, ancestor: number): ProbeWorld =>
      at(id('c'), made, ['merge-base', ancestor], ['--contains', refs]);
    expect(after(baseline, elsewhere('topic\n', 1))).toMatch(/^COMMITTED: .* is part of topic$/);
    expect(after(baseline, elsewhere('', 1))).toMatch(/^UNKNOWN: .* taken back or replaced/);
    expect(after(baseline, elsewhere('', 128))).toMatch(/^UNKNOWN: .* cannot say/);
    expect(after(baseline, elsewhere(128, 1))).toMatch(/^UNKNOWN: .* cannot say/);
  });

  it('knows the first commit of a repository', () => {
    const unborn = (store: string | number, isLogged = 1): ProbeWorld =>
      at(1, '', ['cat-file', store], ['reflog exists', isLogged]);
    const empty = unborn('blob x\n');
    const baseline = before('git commit -m first', empty);
    expect(after(baseline, empty)).toBe('ABSENT: HEAD is still without a commit');
    expect(after(baseline, unborn('tree z\nblob x\nblob y\n'))).toMatch(/^ABSENT/);
    expect(after(baseline, unborn('blob x\ncommit y\n'))).toMatch(/^UNKNOWN: .*made and taken back/);
    expect(after(baseline, unborn('blob x\n', 0))).toMatch(/^UNKNOWN: .*made and taken back/);
    expect(after(baseline, unborn(128))).toMatch(/^UNKNOWN: .*cannot be ruled out/);
    const huge = unborn(`blob ${id('a')}\n`.repeat(22_000));
    expect(after(before('git commit -m first', huge), huge)).toMatch(/^UNKNOWN: .*cannot be ruled out/);
    expect(after(baseline, at(id('a'), line(id('a'), `${MARK}: first`), onHead))).toMatch(/^COMMITTED/);
  });

  it('is UNKNOWN where the log is gone, was rewritten or is not kept, HEAD moved without it, or git does not answer', () => {
    const baseline = before('git commit -m fix', start);
    expect(after(baseline, at(id('a'), line(id('a'), 'other')))).toBe('UNKNOWN: the log of HEAD was rewritten');
    expect(after(baseline, at(id('b'), FIRST))).toMatch(/^UNKNOWN: HEAD moved/);
    expect(after(baseline, at(128, FIRST))).toBe('UNKNOWN: the repository cannot be read');
    expect(after(baseline, { git: [REPOSITORY, ['HEAD^{commit}', `${id('a')}\n`]] })).toBe(
      'UNKNOWN: the repository cannot be read',
    );
    expect(after(baseline, { git: [['--git-common-dir', '/o/.git\n/o/.git\n']] })).toMatch(
      /^UNKNOWN: the repository is gone/,
    );
    expect(after(baseline, {})).toMatch(/^UNKNOWN: the repository is gone/);
    const unlogged = at(id('a'), '');
    expect(after(before('git commit -m fix', unlogged), unlogged)).toBe(
      'UNKNOWN: this repository keeps no log of HEAD',
    );
  });

  it('has no baseline without a repository, a readable HEAD or a readable log', () => {
    expect(before('git commit -m fix', {})).toBeNull();
    expect(before('git commit -m fix', at(128, FIRST))).toBeNull();
    expect(
      before('git commit -m fix', { git: [REPOSITORY, ['HEAD^{commit}', 'odd\n'], ['log -g', FIRST]] }),
    ).toBeNull();
    expect(before('git commit -m fix', { git: [REPOSITORY, ['HEAD^{commit}', `${id('a')}\n`]] })).toBeNull();
  });

  it('compares no more of the log than it needs, and finds its place among many lines', () => {
    const many = Array.from({ length: 20 }, (_, i) => line(id('d'), `commit: ${i}`)).join('');
    const world = at(id('d'), many);
    const baseline = before('git commit -m fix', world);
    const grown = line(id('e'), 'commit: later') + line(id('b'), `${MARK}: fix`) + many + FIRST;
    expect(after(baseline, at(id('e'), grown, onHead))).toMatch(/^COMMITTED: commit bbbbbbbbbb/);
  });
});

describe('the probe of branches and tags, whatever git answers', () => {
  const refs = (...lines: string[]): ProbeWorld => ({
    git: [
      REPOSITORY,
      ['--verify', `${id('a')}\n`],
      ['%(objecttype)', `tag ${id('a')}\nmine\n\n`],
      ['for-each-ref', lines.join('\n')],
      ['symbolic-ref', 'refs/heads/main\n'],
    ],
  });
  it('goes by the ref of exactly this name', () => {
    const none = refs(`${id('a')} refs/heads/topic/deep`);
    const baseline = before('git branch topic', none);
    expect(after(baseline, none)).toBe('ABSENT: refs/heads/topic does not exist, as before the command');
    expect(after(baseline, refs(`${id('a')} refs/heads/topic`))).toMatch(
      /^COMMITTED: refs\/heads\/topic is at aaaaaaaaaa/,
    );
    expect(after(baseline, refs(`${id('b')} refs/heads/topic`))).toMatch(
      /^UNKNOWN: refs\/heads\/topic is at bbbbbbbbbb/,
    );
    expect(after(baseline, {})).toMatch(/^UNKNOWN: the repository is gone/);
    expect(after(baseline, { git: [REPOSITORY] })).toBe('UNKNOWN: the repository cannot be read');
  });
  it('needs message and kind of an annotated tag', () => {
    const baseline = before('git tag -a v1 -m mine', refs());
    expect(after(baseline, refs(`${id('f')} refs/tags/v1`))).toMatch(/^COMMITTED/);
    const other = before('git tag -a v1 -m yours', refs());
    expect(after(other, refs(`${id('f')} refs/tags/v1`))).toMatch(/^UNKNOWN/);
    const signed = before('git tag -s v1 -m yours', refs());
    expect(after(signed, refs(`${id('f')} refs/tags/v1`))).toMatch(/^COMMITTED/);
  });
  it('has no baseline where git cannot say', () => {
    expect(before('git branch topic', {})).toBeNull();
    expect(before('git branch topic', { git: [REPOSITORY, ['--verify', 128]] })).toBeNull();
    expect(before('git branch topic', { git: [REPOSITORY, ['--verify', 1], ['for-each-ref', '']] })).toBeNull();
    expect(before('git branch topic', { git: [REPOSITORY, ['--verify', `${id('a')}\n`]] })).toBeNull();
    expect(
      before('git branch -D topic', {
        git: [REPOSITORY, ['--verify', 1], ['for-each-ref', `${id('a')} refs/heads/topic`]],
      }),
    ).not.toBeNull();
  });
  it('enters a new branch only together with HEAD', () => {
    const baseline = before('git checkout -b topic', refs());
    const made = `${id('a')} refs/heads/topic`;
    expect(after(baseline, refs(made))).toMatch(/^UNKNOWN: .*HEAD is at refs\/heads\/main/);
    const { git = [] } = refs(made);
    const entered = { git: [['symbolic-ref', 'refs/heads/topic\n'] as const, ...git] };
    expect(after(baseline, entered)).toMatch(/^COMMITTED: .*HEAD is at refs\/heads\/topic/);
    const detached = { git: [['symbolic-ref', 1] as const, ...git] };
    expect(after(baseline, detached)).toContain('HEAD is on no branch');
  });
});

describe('the push probe, whatever git answers', () => {
  const ADDRESS = 'https://ada:hunter2@host.example/repo.git';
  const world = (
    remote: string | number,
    dry = `To x\n*\trefs/heads/main:refs/heads/main\t[new]\nDone\n`,
    address = ADDRESS,
  ): ProbeWorld => ({
    git: [
      REPOSITORY,
      ['get-url --push', `${address}\n`],
      ['--get-url', `${address}\n`],
      ['push --dry-run', dry],
      ['ls-remote --', remote],
      ['for-each-ref', `${id('b')} refs/heads/main\n`],
      ['--verify', `${id('b')}\n`],
      ['merge-base', 1],
    ],
  });
  it('compares what the remote has, and keeps neither address nor password', () => {
    const baseline = before('git push origin main', world(`${id('a')}\trefs/heads/main\n`));
    expect(JSON.stringify(baseline)).not.toMatch(/hunter2|host\.example/);
    expect(after(baseline, world(`${id('a')}\trefs/heads/main\n`))).toMatch(/^ABSENT/);
    expect(after(baseline, world(`${id('b')}\trefs/heads/main\n${id('a')}\trefs/x/refs/heads/main\n`))).toMatch(
      /^COMMITTED/,
    );
    expect(after(baseline, world(`${id('c')}\trefs/heads/main\n`))).toMatch(/^UNKNOWN: .*does not hold bbbbbbbbbb/);
    expect(after(baseline, world(''))).toMatch(/^UNKNOWN: .*is gone/);
    expect(after(baseline, world(128))).toMatch(/^UNKNOWN: .*cannot be asked/);
    expect(after(baseline, world('', '', 'https://other.example/repo.git'))).toMatch(/^UNKNOWN: .*another address/);
    const renewed = world(`${id('b')}\trefs/heads/main\n`, '', ADDRESS.replace('hunter2', 'hunter3'));
    expect(after(baseline, renewed)).toMatch(/^COMMITTED/);
    expect(after(baseline, {})).toMatch(/^UNKNOWN: the repository is gone/);
  });
  it('has no baseline for what git would not push, pushes too much of, or cannot name', () => {
    const at = (dry: string): unknown => before('git push origin main', world('', dry));
    expect(at('Everything up-to-date\n')).toBeNull();
    expect(at(Array.from({ length: 31 }, (_, i) => `*\trefs/heads/${i}:refs/heads/${i}\t[new]\n`).join(''))).toBeNull();
    expect(at('*\tmain:odd\t[new]\n')).toBeNull();
    expect(at('*\tnothing\t[new]\n')).toBeNull();
    expect(at('*\trefs/heads/gone:refs/heads/gone\t[new]\n')).toBeNull();
    expect(before('git push origin main', world(128))).toBeNull();
    expect(before('git push origin main', world('', undefined, '--upload-pack=x'))).toBeNull();
    expect(before('git push', world(''))).toBeNull();
    expect(before('git push origin main', {})).toBeNull();
  });
  it('knows deletions, and that a branch that others went on with still holds it', () => {
    const deletion = before(
      'git push origin :main',
      world(`${id('a')}\trefs/heads/main\n`, '-\t:refs/heads/main\t[deleted]\n'),
    );
    expect(after(deletion, world(''))).toMatch(/^COMMITTED: .*is deleted/);
    expect(after(deletion, world(`${id('c')}\trefs/heads/main\n`))).toMatch(/^UNKNOWN/);
    const baseline = before('git push origin main', world(''));
    const { git = [] } = world(`${id('c')}\trefs/heads/main\n`);
    expect(after(baseline, { git: [['merge-base', ''], ...git] })).toMatch(/^COMMITTED: .*which holds bbbbbbbbbb/);
    expect(after(baseline, { git: [['merge-base', 128], ...git] })).toMatch(/^UNKNOWN: .*git fetch/);
  });
});

describe('the npm version probe, whatever it sees', () => {
  const manifest = (version: string, more = ''): string => `{"version":"${version}"${more}}`;
  const world = (
    version: string,
    { head = id('a'), log = FIRST, tag = '', more = '', prefix = '\n' } = {},
  ): ProbeWorld => ({
    files: { 'package.json': manifest(version, more), 'package-lock.json': version },
    git: [
      REPOSITORY,
      ['--show-prefix', prefix],
      ['HEAD^{commit}', `${head}\n`],
      ['refs/tags/v', tag === '' ? 1 : `${tag}\n`],
      ['log -g', log],
      ['merge-base', ''],
    ],
  });
  const noTag: ProbeWorld['git'] = [['for-each-ref', '']];
  const start = world('1.2.3');
  const baseline = (command = 'npm version patch', from = start): ProbeBaseline | null =>
    before(command, { ...from, git: [...noTag, ...(from.git ?? [])] });
  const log = line(id('b'), `${MARK}: 1.2.4`) + FIRST;

  it('needs version, marked commit and tag together', () => {
    const before1 = baseline();
    expect(after(before1, start)).toMatch(
      /^ABSENT: package.json has version 1.2.3, HEAD is where it was, and there is no tag/,
    );
    expect(after(before1, world('1.2.4', { head: id('b'), log, tag: id('b') }))).toMatch(
      /^COMMITTED: commit bbbbbbbbbb/,
    );
    expect(after(before1, world('1.2.4', { head: id('b'), log }))).toMatch(/^UNKNOWN: .*there is no tag v1.2.4/);
    expect(after(before1, world('1.2.4'))).toMatch(/^UNKNOWN: .*in part, or by somebody else/);
    expect(after(before1, world('1.2.3', { tag: id('a') }))).toMatch(/^UNKNOWN/);
    const other = line(id('b'), 'commit: 1.2.4') + FIRST;
    expect(after(before1, world('1.2.4', { head: id('b'), log: other, tag: id('b') }))).toMatch(
      /^UNKNOWN: .*no new commit is marked/,
    );
    expect(after(before1, world('1.2.4', { head: id('b'), log, tag: id('c') }))).toMatch(
      /^UNKNOWN: .*tag v1.2.4 is at cccccccccc/,
    );
    expect(after(before1, { ...start, files: {} })).toMatch(/^UNKNOWN: package.json cannot be read/);
    expect(after(before1, { ...start, git: [] })).toMatch(/^UNKNOWN: the repository is gone/);
    expect(after(before1, world('1.2.3', { log: line(id('e'), 'x') }))).toMatch(
      /^UNKNOWN: the log of HEAD was rewritten/,
    );
  });

  it('counts as npm does, and goes by the files alone without a tag', () => {
    const data = (command: string): unknown => baseline(`${command} --no-git-tag-version`)?.data.versionAfter;
    expect(['patch', 'minor', 'major', '9.8.7', 'v9.8.7'].map((word) => data(`npm version ${word}`))).toEqual([
      '1.2.4',
      '1.3.0',
      '2.0.0',
      '9.8.7',
      '9.8.7',
    ]);
    const alone = baseline('npm version patch --no-git-tag-version');
    expect(after(alone, start)).toMatch(/^ABSENT/);
    expect(after(alone, world('1.2.4'))).toMatch(/^COMMITTED: package.json has version 1.2.4/);
    expect(after(alone, world('1.2.5'))).toBe('UNKNOWN: package.json has version 1.2.5');
    expect(after(baseline('npm version patch', world('1.2.3', { prefix: 'packages/p/\n' })), world('1.2.4'))).toMatch(
      /^COMMITTED/,
    );
  });

  it('has no baseline for scripts, a version it cannot count from, the same version, a tag that is there, or no manifest', () => {
    expect(baseline('npm version patch', world('1.2.3', { more: ',"scripts":{"version":"x"}' }))).toBeNull();
    expect(baseline('npm version patch', world('1.2.3', { more: ',"scripts":{"test":"x"}' }))).not.toBeNull();
    expect(baseline('npm version patch', world('1.2.3-rc.1'))).toBeNull();
    expect(baseline('npm version 1.2.3', start)).toBeNull();
    expect(
      before('npm version patch', {
        ...start,
        git: [['for-each-ref', `${id('c')} refs/tags/v1.2.4\n`], ...(start.git ?? [])],
      }),
    ).toBeNull();
    expect(baseline('npm version patch', { ...start, files: {} })).toBeNull();
    expect(baseline('npm version patch', { ...start, files: { 'package.json': 'no json' } })).toBeNull();
    expect(baseline('npm version patch', { ...start, isBlind: true })).toBeNull();
  });
});

import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProbeBaseline } from '../../src/core/ledger/entry.ts';
import { probeBench } from '../support/probeBench.ts';
import type { ProbeBench } from '../support/probeBench.ts';

let bench: ProbeBench;
beforeEach(() => {
  bench = probeBench();
  bench.git('init', '-q');
});
afterEach(() => {
  bench.remove();
});
const nothing = (): void => undefined;

/** A first commit with one file, and a change that is staged. */
function started(): void {
  bench.write('f', 'one\n');
  bench.git('add', '-A');
  bench.git('commit', '-qm', 'start');
  bench.write('f', 'two\n');
  bench.git('add', '-A');
}

function hook(name: string, text: string): void {
  writeFileSync(join(bench.workspace, '.git/hooks', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

async function detailOf(baseline: ProbeBaseline): Promise<string> {
  const said = await bench.asked(baseline);
  return said ? `${said.says}: ${said.detail}` : 'no probe';
}

describe('the commit probe with real git', () => {
  it('knows its own commit, the first of a repository, an amended one, and one with more beside it', async () => {
    bench.write('f', 'one\n');
    expect(await bench.story('git add -A && git commit -qm first')).toEqual(['ABSENT', 'COMMITTED']);
    bench.write('f', 'two\n');
    expect(await bench.says('git commit -am second 2>&1 | tail -1')).toBe('COMMITTED');
    expect(await bench.says('git commit --amend -m better')).toBe('COMMITTED');
    expect(await bench.says('git commit --allow-empty -F - <<END\nthird\nEND')).toBe('COMMITTED');
  });

  it('does not take the same commit by somebody else for its own', async () => {
    started();
    expect(await bench.says('git commit -m fix', () => bench.git('commit', '-qm', 'fix'))).toBe('UNKNOWN');
  });

  it('still knows it after others went on, merged, or switched to another branch', async () => {
    started();
    const baseline = await bench.before('git commit -m fix');
    await bench.run('git commit -m fix', { isMarked: true });
    bench.git('commit', '-q', '--allow-empty', '-m', 'more');
    expect(await detailOf(baseline)).toMatch(/^COMMITTED: .*part of HEAD/);
    bench.git('checkout', '-q', '--detach', 'HEAD~2');
    expect(await detailOf(baseline)).toMatch(/^COMMITTED: .*part of main/);
  });

  it('says UNKNOWN when it was made and taken back, replaced, or the log was rewritten', async () => {
    started();
    const baseline = await bench.before('git commit -m fix');
    await bench.run('git commit -m fix', { isMarked: true });
    bench.git('commit', '-q', '--amend', '-m', 'other');
    expect(await detailOf(baseline)).toMatch(/^UNKNOWN: .*taken back or replaced/);
    bench.git('reset', '-q', '--hard', 'HEAD~1');
    expect(await detailOf(baseline)).toMatch(/^UNKNOWN: .*taken back or replaced/);
    bench.git('reflog', 'expire', '--expire=all', '--all');
    expect(await detailOf(baseline)).toMatch(/^UNKNOWN/);
  });

  it('says ABSENT for a commit that a hook, an editor or a missing signing program stopped', async () => {
    started();
    expect(await bench.says('git commit', undefined, { env: { GIT_EDITOR: 'false' } })).toBe('ABSENT');
    expect(await bench.says('git -c gpg.program=false commit -S -m x')).toBe('ABSENT');
    hook('pre-commit', 'exit 1');
    expect(await bench.says('git commit -m fix')).toBe('ABSENT');
    rmSync(join(bench.workspace, '.git/hooks/pre-commit'));
    hook('commit-msg', 'kill -9 $PPID');
    expect(await bench.says('git commit -m fix')).toBe('ABSENT');
  });

  it('says COMMITTED where a hook failed or was killed after the commit', async () => {
    started();
    hook('post-commit', 'kill -9 $PPID; exit 1');
    expect(await bench.says('git commit -m fix')).toBe('COMMITTED');
  });

  it('works on a detached HEAD, with packed refs, in a worktree, a submodule and a folder below', async () => {
    started();
    bench.git('commit', '-qm', 'second');
    bench.git('checkout', '-q', '--detach');
    expect(await bench.says('git commit --allow-empty -m detached')).toBe('COMMITTED');
    bench.git('checkout', '-q', 'main');
    bench.git('pack-refs', '--all');
    expect(await bench.story('git commit --allow-empty -m packed')).toEqual(['ABSENT', 'COMMITTED']);
    bench.git('worktree', 'add', '-q', 'tree', '-b', 'side');
    const tree = { folder: 'tree' };
    expect(await bench.says('git commit --allow-empty -m main', nothing, tree)).toBe('ABSENT');
    expect(await bench.says('git commit --allow-empty -m side', undefined, tree)).toBe('COMMITTED');
    expect(
      await bench.says('git commit --allow-empty -m x', () => bench.git('commit', '--allow-empty', '-m', 'x'), tree),
    ).toBe('ABSENT');
    bench.git('submodule', 'add', '-q', bench.workspace, 'sub');
    expect(await bench.says('git commit --allow-empty -m sub', undefined, { folder: 'sub' })).toBe('COMMITTED');
    bench.write('below/f', 'x');
    expect(await bench.says('cd below && git commit --allow-empty -m below', nothing)).toBe('ABSENT');
    expect(await bench.says('git -C below commit --allow-empty -m below')).toBe('COMMITTED');
  });

  it('says UNKNOWN without a log of HEAD, in another repository, or where git is gone', async () => {
    bench.git('config', 'core.logAllRefUpdates', 'false');
    started();
    expect(await bench.says('git commit -m fix', nothing)).toBe('UNKNOWN');
    const baseline = await bench.before('git commit -m fix');
    rmSync(join(bench.workspace, '.git'), { recursive: true });
    expect(await detailOf(baseline)).toMatch(/^UNKNOWN: the repository is gone/);
  });

  it('has no probe without a repository, or where the environment leads git elsewhere', async () => {
    expect((await bench.before('git commit -m x', { env: { GIT_DIR: '/elsewhere' } })).kind).toBe('place');
    rmSync(join(bench.workspace, '.git'), { recursive: true });
    expect((await bench.before('git commit -m x')).kind).toBe('place');
  });

  it('changes nothing in the repository by looking', async () => {
    started();
    const files = (): unknown => readdirSync(join(bench.workspace, '.git'), { recursive: true }).sort();
    const [before, index] = [files(), bench.read('.git/index')];
    hook('post-index-change', 'touch touched');
    await bench.asked(await bench.before('git commit -m fix'));
    rmSync(join(bench.workspace, '.git/hooks/post-index-change'));
    expect([files(), bench.read('.git/index')]).toEqual([before, index]);
  });
});

describe('the probe of branches and tags', () => {
  beforeEach(started);
  it.each([
    ['git branch topic'],
    ['git branch topic HEAD'],
    ['git checkout -b topic'],
    ['git switch -c topic'],
    ['git tag v1'],
    ['git tag -a v1 -m "a message"'],
    ['git tag -m subject -m body v1 HEAD'],
  ])('says ABSENT before and COMMITTED after: %s', async (command) => {
    expect(await bench.story(command)).toEqual(['ABSENT', 'COMMITTED']);
  });

  it('knows deletions, also of several and of packed refs', async () => {
    for (const name of ['one', 'two']) {
      bench.git('branch', name);
      bench.git('tag', `t-${name}`);
    }
    bench.git('pack-refs', '--all');
    expect(await bench.says('git branch -D one two', nothing)).toBe('ABSENT');
    expect(await bench.says('git branch -D one two', 'git branch -D one')).toBe('UNKNOWN');
    expect(await bench.says('git branch -D two')).toBe('COMMITTED');
    expect(await bench.says('git tag -d t-one t-two')).toBe('COMMITTED');
  });

  it('says UNKNOWN for another place, another message, a lightweight tag or half of a switch', async () => {
    bench.git('commit', '-qm', 'second');
    expect(await bench.says('git branch topic', () => bench.git('branch', 'topic', 'HEAD~1'))).toBe('UNKNOWN');
    expect(await bench.says('git tag -a v1 -m mine', () => bench.git('tag', '-a', 'v1', '-m', 'theirs'))).toBe(
      'UNKNOWN',
    );
    expect(await bench.says('git tag -a v2 -m mine', () => bench.git('tag', 'v2'))).toBe('UNKNOWN');
    expect(await bench.says('git checkout -b side', () => bench.git('branch', 'side'))).toBe('UNKNOWN');
  });

  it('says ABSENT for a ref that was there already, and for one that is gone again', async () => {
    bench.git('branch', 'topic');
    expect(await bench.says('git branch topic')).toBe('ABSENT');
    expect(await bench.says('git tag v1', 'git tag v1; git tag -d v1')).toBe('ABSENT');
  });

  it('works in a worktree, and has no probe for renames, switches to another commit and odd names', async () => {
    bench.git('worktree', 'add', '-q', 'tree', '-b', 'side');
    expect(await bench.says('git switch -c deep', undefined, { folder: 'tree' })).toBe('COMMITTED');
    for (const command of [
      'git branch -m a b',
      'git checkout -b x main',
      'git checkout main',
      'git tag -l',
      'git branch a..b',
      'git branch',
    ]) {
      expect([command, await bench.says(command, nothing)]).toEqual([command, 'no probe']);
    }
  });
});

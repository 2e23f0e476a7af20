import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { probeBench } from '../support/probeBench.ts';
import type { ProbeBench } from '../support/probeBench.ts';

let bench: ProbeBench;
const nothing = (): void => undefined;
const remote = (...words: string[]): string => bench.git('-C', bench.beside('remote'), ...words);

beforeEach(() => {
  bench = probeBench();
  bench.git('init', '-q', '--bare', bench.beside('remote'));
  bench.git('init', '-q');
  bench.git('remote', 'add', 'origin', bench.beside('remote'));
  bench.git('commit', '-q', '--allow-empty', '-m', 'start');
  bench.git('push', '-q', '-u', 'origin', 'main');
  bench.git('commit', '-q', '--allow-empty', '-m', 'next');
});
afterEach(() => {
  bench.remove();
});

/** Somebody else's clone of the remote, with a commit of its own on main. */
function other(): string {
  const clone = bench.beside('clone');
  bench.git('clone', '-q', bench.beside('remote'), clone);
  bench.git('-C', clone, 'commit', '-q', '--allow-empty', '-m', 'theirs');
  return clone;
}

describe('the push probe with a real remote', () => {
  it.each([
    ['git push'],
    ['git push origin'],
    ['git push origin main'],
    ['git push -u origin HEAD'],
    ['git push --force-with-lease origin main:main'],
    ['git push origin main:refs/heads/elsewhere 2>&1 | tail -1'],
    ['git push origin HEAD~1:refs/heads/older'],
  ])('says ABSENT before, asked twice, and COMMITTED after: %s', async (command) => {
    expect(await bench.story(command)).toEqual(['ABSENT', 'COMMITTED']);
    expect(bench.sleeps).toEqual([3000]);
  });

  it('knows tags, deletions and several refs, and tells a push that did only some of them', async () => {
    bench.git('tag', '-a', 'v1', '-m', 'one');
    bench.git('branch', 'topic');
    expect(await bench.says('git push --follow-tags', nothing)).toBe('ABSENT');
    expect(await bench.says('git push origin main topic v1', () => bench.git('push', '-q', 'origin', 'topic'))).toBe(
      'UNKNOWN',
    );
    expect(await bench.says('git push origin main v1')).toBe('COMMITTED');
    expect(await bench.says('git push origin --delete topic', nothing)).toBe('ABSENT');
    expect(await bench.says('git push origin :topic')).toBe('COMMITTED');
  });

  it('believes an ABSENT only when the remote says it again after a while', async () => {
    const baseline = await bench.before('git push');
    const { clock } = bench.ports;
    const late = { ...clock, sleep: (ms: number) => (ms < 60_000 && bench.git('push', '-q'), clock.sleep(ms)) };
    const { askProbe } = await import('../../src/engine/effectProbe.ts');
    expect((await askProbe({ ...bench.ports, clock: late }, { probe: baseline }))?.says).toBe('COMMITTED');
  });

  it('says ABSENT for a push that was rejected, by the remote or by its hook', async () => {
    writeFileSync(bench.beside('remote/hooks/pre-receive'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    expect(await bench.says('git push')).toBe('ABSENT');
    rmSync(bench.beside('remote/hooks/pre-receive'));
    const clone = other();
    bench.git('-C', clone, 'push', '-q');
    expect(await bench.says('git push')).toBe('ABSENT');
  });

  it('says COMMITTED where others went on from it, and UNKNOWN where they pushed over it or cannot be compared', async () => {
    const baseline = await bench.before('git push');
    bench.git('push', '-q');
    const clone = other();
    bench.git('-C', clone, 'push', '-q');
    expect(await bench.asked(baseline)).toMatchObject({
      says: 'UNKNOWN',
      detail: expect.stringContaining('git fetch') as string,
    });
    bench.git('fetch', '-q');
    expect((await bench.asked(baseline))?.says).toBe('COMMITTED');
    bench.git('-C', clone, 'reset', '-q', '--hard', 'HEAD~2');
    bench.git('-C', clone, 'commit', '-q', '--allow-empty', '-m', 'over');
    bench.git('-C', clone, 'push', '-qf');
    bench.git('fetch', '-q');
    expect(await bench.asked(baseline)).toMatchObject({
      says: 'UNKNOWN',
      detail: expect.stringContaining('does not hold') as string,
    });
  });

  it('does not take others going on from what a forced push was to take back for that push', async () => {
    bench.git('push', '-q');
    bench.git('reset', '-q', '--hard', 'HEAD~1');
    const baseline = await bench.before('git push --force origin main');
    const clone = other();
    bench.git('-C', clone, 'push', '-q');
    bench.git('fetch', '-q');
    expect(await bench.asked(baseline)).toMatchObject({
      says: 'UNKNOWN',
      detail: expect.stringContaining('was to replace') as string,
    });
    bench.git('push', '-qf', 'origin', 'main');
    bench.git('-C', clone, 'reset', '-q', '--hard', 'HEAD~2');
    bench.git('-C', clone, 'commit', '-q', '--allow-empty', '-m', 'anew');
    bench.git('-C', clone, 'push', '-qf');
    bench.git('fetch', '-q');
    expect((await bench.asked(baseline))?.says).toBe('COMMITTED');
  });

  it('does not take a tag of the same name that somebody else has pushed for its own', async () => {
    bench.git('push', '-q');
    bench.git('tag', '-a', 'v1', '-m', 'ours');
    const baseline = await bench.before('git push origin v1');
    const clone = other();
    bench.git('-C', clone, 'tag', '-a', 'v1', '-m', 'theirs');
    bench.git('-C', clone, 'push', '-q', 'origin', 'main', 'v1');
    bench.git('fetch', '-q', 'origin', 'refs/tags/v1:refs/tags/theirs');
    expect((await bench.asked(baseline))?.says).toBe('UNKNOWN');
  });

  it('says UNKNOWN for a remote that cannot be asked or has another address now', async () => {
    const baseline = await bench.before('git push');
    bench.git('init', '-q', '--bare', bench.beside('second'));
    bench.git('remote', 'set-url', 'origin', bench.beside('second'));
    expect((await bench.asked(baseline))?.detail).toContain('another address');
    bench.git('remote', 'set-url', 'origin', bench.beside('remote'));
    rmSync(bench.beside('remote'), { recursive: true });
    expect((await bench.asked(baseline))?.detail).toContain('cannot be asked');
  });

  it('never stores an address, and runs no hook of either side to look', async () => {
    bench.git('config', 'remote.origin.pushurl', bench.beside('remote'));
    const marker = bench.beside('hook-ran');
    writeFileSync(join(bench.workspace, '.git/hooks/pre-push'), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    writeFileSync(bench.beside('remote/hooks/pre-receive'), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    const before = [remote('for-each-ref'), bench.git('for-each-ref')];
    const baseline = await bench.before('git push');
    expect(baseline.kind).toBe('git-push');
    expect(JSON.stringify(baseline)).not.toContain(bench.beside('remote'));
    expect([remote('for-each-ref'), bench.git('for-each-ref')]).toEqual(before);
    await expect(bench.run(`test -e ${marker}`)).resolves.toBe(1);
  });

  it('has no probe for addresses, several remotes behind one name, unknown options, or a branch without upstream', async () => {
    bench.git('remote', 'set-url', '--add', '--push', 'origin', bench.beside('remote'));
    bench.git('remote', 'set-url', '--add', '--push', 'origin', bench.beside('second'));
    expect((await bench.before('git push')).kind).toBe('place');
    bench.git('config', '--unset-all', 'remote.origin.pushurl');
    for (const command of [
      'git push ../remote main',
      'git push https://x.example/r main',
      'git push --receive-pack=x origin main',
      'git push origin "ma*n"',
    ]) {
      expect([command, (await bench.before(command)).kind]).toEqual([command, 'place']);
    }
    bench.git('checkout', '-q', '-b', 'lonely');
    expect((await bench.before('git push')).kind).toBe('place');
  });
});

describe('the npm version probe with real npm and git', () => {
  const manifest = (more: object = {}): void => {
    bench.write('package.json', `${JSON.stringify({ name: 'x', version: '1.2.3', ...more }, null, 2)}\n`);
  };
  const committed = (): void => {
    bench.git('add', '-A');
    bench.git('commit', '-qm', 'package');
  };

  it('says ABSENT before and COMMITTED after, by version, marked commit and tag', async () => {
    manifest();
    committed();
    expect(await bench.says('npm version patch', nothing)).toBe('ABSENT');
    expect(await bench.says('npm version patch -m "release %s"')).toBe('COMMITTED');
    expect(bench.git('tag')).toBe('v1.2.4\n');
    expect(await bench.says('npm version 2.0.0')).toBe('COMMITTED');
  }, 120_000);

  it('says UNKNOWN for a part of it, for somebody else, and when it was taken back', async () => {
    manifest();
    committed();
    expect(await bench.says('npm version minor', () => manifest({ version: '1.3.0' }))).toBe('UNKNOWN');
    bench.git('checkout', '-q', '--', '.');
    const baseline = await bench.before('npm version minor');
    await bench.run('npm version minor', { isMarked: true });
    bench.git('tag', '-d', 'v1.3.0');
    expect((await bench.asked(baseline))?.detail).toContain('there is no tag v1.3.0');
    bench.git('reset', '-q', '--hard', 'HEAD~1');
    expect((await bench.asked(baseline))?.says).toBe('UNKNOWN');
    expect(await bench.says('npm version minor', () => bench.run('npm version minor'))).toBe('UNKNOWN');
  }, 120_000);

  it('goes by the version alone where npm makes no commit', async () => {
    manifest();
    committed();
    expect(await bench.story('npm version major --no-git-tag-version')).toEqual(['ABSENT', 'COMMITTED']);
    mkdirSync(join(bench.workspace, 'packages/p'), { recursive: true });
    bench.write('packages/p/package.json', '{"name":"p","version":"0.1.0"}');
    expect(await bench.says('cd ./packages/p && npm version patch')).toBe('COMMITTED');
  }, 120_000);

  it('has no probe where scripts run along, the tag is there, or the version cannot be told beforehand', async () => {
    manifest({ scripts: { postversion: 'git push' } });
    committed();
    expect((await bench.before('npm version patch')).kind).toBe('place');
    expect((await bench.before('npm version patch --ignore-scripts')).kind).toBe('npm-version');
    bench.git('tag', 'v1.2.4');
    expect((await bench.before('npm version patch --ignore-scripts')).kind).toBe('place');
    for (const command of ['npm version prerelease', 'npm version patch -w p', 'npm version from-git']) {
      expect([command, (await bench.before(command)).kind]).toEqual([command, 'place']);
    }
  });
});

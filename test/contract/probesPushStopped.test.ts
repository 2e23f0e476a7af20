// Pushes, commits and branches that are stopped half-way, with real git, real servers and the whole way of an effect.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pushBench, until } from '../support/pushBench.ts';
import type { PushBench } from '../support/pushBench.ts';

let bench: PushBench;
const git = (...words: string[]): string => bench.probes.git(...words);
const remote = (...words: string[]): string => git('-C', bench.probes.beside('remote'), ...words);
const began = (): number => readFileSync(bench.probes.beside('began'), 'utf8').trim().split('\n').length;
const isThere = (): boolean => remote('for-each-ref', 'refs/heads/main') !== '';

beforeEach(() => {
  bench = pushBench();
  git('init', '-q', '--bare', bench.probes.beside('remote'));
  remote('config', 'http.receivepack', 'true');
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'start');
});
afterEach(async () => {
  bench.go();
  await bench.remove();
});

describe('a push that is stopped while its server works on it', () => {
  it('is UNKNOWN and not made again, until the server has it', async () => {
    git('remote', 'add', 'origin', await bench.daemon());
    bench.slowHook(bench.probes.beside('remote/hooks'), 'pre-receive');
    const entry = await bench.guarded('git push origin main', 'began');
    expect(await bench.again(entry)).toMatchObject({
      state: 'UNKNOWN',
      evidence: { detail: expect.stringContaining('may still be taking it') as string },
    });
    expect((await bench.guarded('git push origin main')).state).toBe('UNKNOWN');
    expect([began(), isThere()]).toEqual([1, false]);
    bench.go();
    await until(isThere);
    expect((await bench.again(entry)).state).toBe('RECONCILED_COMMITTED');
  });

  it('is UNKNOWN behind a path that settings turn into an address, or a program of its own for the other side', async () => {
    bench.slowHook(bench.probes.beside('remote/hooks'), 'pre-receive');
    const address = await bench.daemon();
    git('remote', 'add', 'origin', bench.probes.beside('remote'));
    git('config', `url.${address}.pushInsteadOf`, bench.probes.beside('remote'));
    expect((await bench.guarded('git push origin main', 'began')).state).toBe('UNKNOWN');
    bench.go();
    await until(isThere);
    git('config', '--remove-section', `url.${address}`);
    git('config', 'remote.origin.receivepack', 'exec git-receive-pack');
    git('commit', '-q', '--allow-empty', '-m', 'more');
    expect((await bench.probes.before('git push origin main')).data.transport).toBe('helper');
  });

  it('is UNKNOWN when only the answer was lost, although git ended with the code of a rejection', async () => {
    git('remote', 'add', 'origin', await bench.gateway(true));
    bench.slowHook(bench.probes.beside('remote/hooks'), 'pre-receive');
    const entry = await bench.guarded('git push origin main');
    expect([entry.state, entry.evidence?.exitCode]).toEqual(['UNKNOWN', 1]);
    bench.go();
    await until(isThere);
    expect((await bench.again(entry)).state).toBe('RECONCILED_COMMITTED');
  });

  it.each(['daemon', 'gateway'] as const)('is ABSENT when the server rejected it: %s', async (kind) => {
    git('remote', 'add', 'origin', kind === 'daemon' ? await bench.daemon() : await bench.gateway(false));
    writeFileSync(bench.probes.beside('remote/hooks/pre-receive'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const entry = await bench.guarded('git push origin main');
    expect([entry.state, entry.evidence?.exitCode]).toEqual(['RECONCILED_ABSENT', 1]);
    expect((await bench.guarded('git push origin main 2>&1 | cat')).state).toBe('UNKNOWN');
  });

  it.each(['', 'file://'])('is ABSENT on this machine, where the hook ends with it: %s', async (scheme) => {
    git('remote', 'add', 'origin', `${scheme}${bench.probes.beside('remote')}`);
    bench.slowHook(bench.probes.beside('remote/hooks'), 'pre-receive');
    const entry = await bench.guarded('git push origin main', 'began');
    expect(entry.state).toBe('RECONCILED_ABSENT');
    const pid = Number(readFileSync(bench.probes.beside('began'), 'utf8'));
    expect(pid).toBeGreaterThan(1);
    // It is gone as soon as the system has taken note of its end.
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 10_000);
    expect(isThere()).toBe(false);
  });
});

describe('an effect whose hooks are stopped with it', () => {
  it.each([
    ['post-commit', 'git commit --allow-empty -m fix', '.git/hooks'],
    ['post-commit', 'git -c core.hooksPath=own commit --allow-empty -m fix', 'own'],
    ['post-rewrite', 'git commit --amend --allow-empty -m fix', '.git/hooks'],
    ['post-checkout', 'git checkout -b topic', '.git/hooks'],
    ['post-checkout', 'git switch -c topic', '.git/hooks'],
    ['post-receive', 'git push origin main', '../remote/hooks'],
  ])('took effect, and tells of the hook %s: %s', async (name, command, folder) => {
    git('remote', 'add', 'origin', '../remote');
    bench.slowHook(join(bench.probes.workspace, folder), name);
    const entry = await bench.guarded(command, 'began');
    expect([entry.state, entry.evidence?.detail]).toEqual([
      'RECONCILED_COMMITTED',
      expect.stringContaining(`the hook ${name} of`) as string,
    ]);
  });

  it('says nothing of hooks without one, or where the command came to its own end', async () => {
    expect((await bench.guarded('git commit --allow-empty -m a 2>&1 | cat')).evidence?.detail).not.toContain('hook');
    writeFileSync(join(bench.probes.workspace, '.git/hooks/post-commit'), '#!/bin/sh\n', { mode: 0o755 });
    const entry = await bench.guarded('git commit --allow-empty -m b 2>&1 | cat');
    expect([entry.state, entry.evidence?.detail]).toEqual([
      'RECONCILED_COMMITTED',
      expect.not.stringContaining('hook') as string,
    ]);
  });
});

// Commands whose exit code is not that of the part with the effect: 0 is then no proof, and the probe is asked.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandOutcome } from '../../src/engine/effectOutcome.ts';
import { runTask } from '../support/guardedRunner.ts';

describe('exit code 0 of a command with several parts', () => {
  let folder: string;
  let workspace: string;
  let step = 0;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belay-shared-'));
    workspace = join(folder, 'workspace');
    mkdirSync(workspace);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: workspace, encoding: 'utf8' });
  // The runner answers with the outcome of the guarded command.
  const run = async (command: string): Promise<CommandOutcome> =>
    (await runTask({ folder, command, level: 'R2', step: ++step })) as CommandOutcome;

  it('does not make a refused commit at the head of a pipeline one that was made', async () => {
    git('init', '-q');
    git('config', 'user.email', 'a@example.invalid');
    git('config', 'user.name', 'A');
    const hook = join(workspace, '.git', 'hooks', 'pre-commit');
    writeFileSync(hook, '#!/bin/sh\nexit 1\n');
    chmodSync(hook, 0o755);
    const refused = await run("git commit --allow-empty -m 'one' 2>&1 | tail -1");
    expect([refused.exitCode, refused.state]).toEqual([0, 'RECONCILED_ABSENT']);
    expect(refused.isError).toBe(true);
    rmSync(hook);
    const made = await run("git commit --allow-empty -m 'one' 2>&1 | tail -1");
    expect([made.exitCode, made.state]).toEqual([0, 'RECONCILED_COMMITTED']);
    expect(made.isError).toBe(false);
    expect(git('log', '--format=%s').trim()).toBe('one');
  });

  it('does not make a failed append before a semicolon one that was made', async () => {
    mkdirSync(join(workspace, 'log.txt'));
    const failed = await run('echo line >> log.txt; echo done');
    expect(failed.exitCode).toBe(0);
    expect(failed.state).not.toBe('COMMITTED');
  });

  it('is confirmed by the probe where the append before a semicolon was made', async () => {
    const made = await run('echo line >> log.txt; echo done');
    expect([made.exitCode, made.state]).toEqual([0, 'RECONCILED_COMMITTED']);
    expect(readFileSync(join(workspace, 'log.txt'), 'utf8')).toBe('line\n');
  });

  it('is believed of the only part with an effect at the end of a chain', async () => {
    const made = await run('true && echo line >> log.txt');
    expect([made.exitCode, made.state]).toEqual([0, 'COMMITTED']);
  });
});

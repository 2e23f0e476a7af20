// `belay task` killed with its whole group, again and again, and gone on with each time: a real agent loop over a wall of
// models, a real repository, the real ledger. What it did stands once, and what nobody knows is told.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keyVariableOf, wallProviders } from '../../src/bench/drill/drillSettings.ts';
import { copySample } from '../../src/bench/sample/copySample.ts';
import { makeSchedule } from '../../src/bench/wall/schedule.ts';
import { startWall } from '../../src/bench/wall/wall.ts';
import type { TaskOutcome } from '../../src/engine/controller.ts';
import { seededRandom } from '../support/random.ts';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');

interface Ended {
  /** Null: killed before it had an outcome. */
  readonly outcome: TaskOutcome | null;
  readonly stderr: string;
}

function belayTask(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  killAfterMs: number | null,
): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, 'task', ...args], { detached: true, env: { ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  const kill = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  const timer = killAfterMs === null ? undefined : setTimeout(kill, killAfterMs);
  return new Promise((resolve) => {
    child.on('close', () => {
      clearTimeout(timer);
      // The command prints one line of JSON, the outcome.
      resolve({ outcome: stdout === '' ? null : (JSON.parse(stdout) as TaskOutcome), stderr });
    });
  });
}

async function killedTask(seed: number): Promise<{ readonly kills: number }> {
  const random = seededRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), 'belay-task-'));
  const wall = await startWall({ seed, schedule: makeSchedule(seed, 'none') });
  try {
    const sample = await copySample(join(folder, 'workspace'));
    const config = join(folder, 'belay.json');
    const settings = { providers: wallProviders(wall.endpoints), 'guard.mode': 'autonomous' };
    writeFileSync(config, JSON.stringify(settings));
    const keys = Object.fromEntries(wall.endpoints.map((endpoint) => [keyVariableOf(endpoint), endpoint.apiKey]));
    const env = { PATH: process.env.PATH ?? '', HOME: folder, XDG_DATA_HOME: join(folder, 'data'), ...keys };
    const first = ['--goal', sample.goal, '--workspace', sample.directory, '--success', sample.successCommand];
    let ended = await belayTask([...first, '--config', config], env, 400 + random.next() * 2500);
    const id = /Task (task-\w+)\./.exec(ended.stderr)?.[1];
    let kills = 0;
    while (!ended.outcome) {
      kills++;
      const isLast = kills > 5;
      const again = id === undefined ? first : ['--resume', id];
      ended = await belayTask([...again, '--config', config], env, isLast ? null : 400 + random.next() * 2500);
      if (isLast && !ended.outcome) throw new Error(`seed ${seed}: ${ended.stderr}`);
    }
    const told = `seed ${seed}, ${kills} kills: ${JSON.stringify(ended.outcome)}\n${ended.stderr}`;
    const changes = readFileSync(join(sample.directory, 'CHANGES.md'), 'utf8');
    expect(changes.split('a refund is split like its charge').length - 1, told).toBeLessThanOrEqual(1);
    if (existsSync(join(sample.directory, '.git'))) {
      const log = execFileSync('git', ['log', '--format=%s'], { cwd: sample.directory, encoding: 'utf8' });
      expect(
        log.split('\n').filter((line) => line === 'Split a refund like its charge').length,
        told,
      ).toBeLessThanOrEqual(1);
    }
    // Either the goal was reached, or somebody is told why not: nothing ends without a word.
    if (ended.outcome.outcome !== 'success') expect(ended.outcome.evidence, told).not.toBe('');
    if (!ended.outcome.clean)
      expect(`${ended.outcome.evidence}${ended.outcome.outcome}`, told).toMatch(/not settled|escalated|failed/);
    return { kills };
  } finally {
    await wall.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('belay task', () => {
  it(
    'killed at random moments goes on with what the ledger knows, and does nothing twice',
    { timeout: 240_000 },
    async () => {
      const runs = await Promise.all([1, 2, 3, 4].map((seed) => killedTask(seed)));
      expect(runs.reduce((sum, { kills }) => sum + kills, 0)).toBeGreaterThan(4);
    },
  );
});

// kill -9 of the whole of Belay at random points: an effect is made once or never, and nobody claims otherwise.
// The runs use the real store, gate and files; only the moment of death is drawn, from a seed that a failure prints.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqliteStore } from '../../src/adapters/stores/sqliteStore.ts';
import type { CommandOutcome } from '../../src/engine/effectOutcome.ts';
import type { RunnerTask } from '../support/guardedRunner.ts';
import { must } from '../support/memoryEntries.ts';
import { seededRandom } from '../support/random.ts';

const RUNNER = join(import.meta.dirname, '../support/guardedRunner.ts');

/** One run in its own process group, killed so long after it was ready (null: not at all). Null when it was killed. */
function run(task: RunnerTask, killAfterMs: number | null): Promise<CommandOutcome | null> {
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, [RUNNER, JSON.stringify(task)], { detached: true, stdio: [...stdio] });
  let printed = '';
  let timer: NodeJS.Timeout | undefined;
  const kill = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  child.stdout.on('data', (bytes: Buffer) => {
    printed += bytes.toString();
    if (killAfterMs !== null && printed.startsWith('ready')) timer ??= setTimeout(kill, killAfterMs);
  });
  return new Promise((resolve) => {
    child.on('close', () => {
      clearTimeout(timer);
      const [, outcome = ''] = printed.split('\n');
      // The runner prints one outcome as JSON.
      resolve(outcome === '' ? null : (JSON.parse(outcome) as CommandOutcome));
    });
  });
}

describe.each(['shell', 'node'] as const)(
  'a guarded command at a gate of the kind %s whose Belay is killed',
  (gate) => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'belay-kill-'));
      mkdirSync(join(folder, 'workspace'));
      writeFileSync(join(folder, 'workspace', 'log.txt'), 'start\n');
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));
    const log = (): string => readFileSync(join(folder, 'workspace', 'log.txt'), 'utf8');

    it('appends its line exactly once, whatever the moments of death', { timeout: 240_000 }, async () => {
      const seed = 20261130;
      const steps = gate === 'shell' ? 4 : 2;
      const random = seededRandom(seed);
      let expected = 'start\n';
      let kills = 0;
      for (let step = 1; step <= steps; step++) {
        const command = `sleep 0.05; echo line-${step} >> log.txt; sleep 0.05`;
        const task: RunnerTask = { folder, command, level: 'R2', step, gate };
        let outcome: CommandOutcome | null = null;
        for (let attempt = 0; attempt < 3 && !outcome; attempt++) {
          outcome = await run(task, attempt < 2 ? random.next() * 500 : null);
          if (!outcome) kills++;
        }
        expected += `line-${step}\n`;
        expect(outcome, `seed ${seed}, step ${step}`).toMatchObject({ result: 'done' });
        expect(log(), `seed ${seed}, step ${step}`).toBe(expected);
      }
      const again = await run(
        { folder, command: `sleep 0.05; echo line-${steps} >> log.txt; sleep 0.05`, level: 'R2', step: steps, gate },
        null,
      );
      expect(again).toMatchObject({ ran: false, result: 'done' });
      expect(log()).toBe(expected);
      expect(kills).toBeGreaterThan(0);
    });

    /** Kills Belay and then the gate with its command, once the command has started. */
    const killAll = async (task: RunnerTask, isUnderWay: () => boolean): Promise<void> => {
      const child = spawn(process.execPath, [RUNNER, JSON.stringify(task)], { detached: true, stdio: 'ignore' });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      const store = sqliteStore({ file: join(folder, 'ledger.db') });
      let gate: number | null = null;
      while (gate === null || !isUnderWay()) {
        const open = must(await store.entries({ task: 'kill', state: 'PREPARED' }));
        gate = open.find((entry) => entry.step === task.step)?.owner?.childPid ?? null;
      }
      await store.close();
      process.kill(-child.pid!, 'SIGKILL');
      await ended;
      process.kill(-gate, 'SIGKILL');
    };
    /** The gate has emptied the mark of the only open run. */
    const hasStarted = (): boolean => {
      const marks = join(folder, 'marks');
      const files = readdirSync(marks, { recursive: true }).map((name) => join(marks, String(name)));
      return files.some((file) => file.endsWith('.mark') && statSync(file).size === 0);
    };

    it('does not take the same line of another step for its own', { timeout: 60_000 }, async () => {
      const slow: RunnerTask = { folder, command: 'sleep 30 && echo same >> log.txt', level: 'R2', step: 1, gate };
      await killAll(slow, hasStarted);
      const quick = await run({ folder, command: 'echo same >> log.txt', level: 'R2', step: 2, gate }, null);
      expect(quick).toMatchObject({ state: 'COMMITTED', ran: true });
      const again = await run(slow, null);
      expect(again).toMatchObject({ state: 'UNKNOWN', result: 'unknown', ran: false });
      expect(again?.reason).toContain('belay ledger reconcile');
      expect(log()).toBe('start\nsame\n');
    });

    it(
      'does not take the same commit of another step for its own, and knows its own',
      { timeout: 60_000 },
      async () => {
        const git = (...words: string[]): string =>
          execFileSync('git', words, { cwd: join(folder, 'workspace'), encoding: 'utf8' });
        git('init', '-q');
        git('config', 'user.name', 'Ada');
        git('config', 'user.email', 'ada@example.org');
        const commit = 'git commit -q --allow-empty -m same';
        const slow: RunnerTask = { folder, command: `sleep 30 && ${commit}`, level: 'R2', step: 1, gate };
        await killAll(slow, hasStarted);
        expect(await run({ folder, command: commit, level: 'R2', step: 2, gate }, null)).toMatchObject({
          state: 'COMMITTED',
        });
        expect(await run(slow, null)).toMatchObject({ state: 'UNKNOWN', ran: false });
        expect(git('log', '--format=%s').trim()).toBe('same');

        const own: RunnerTask = { folder, command: `${commit} && sleep 30`, level: 'R2', step: 3, gate };
        await killAll(own, () => git('log', '--format=%s').trim() === 'same\nsame');
        expect(await run(own, null)).toMatchObject({ state: 'RECONCILED_COMMITTED', result: 'done', ran: false });
        expect(git('log', '--format=%s').trim()).toBe('same\nsame');
      },
    );

    it(
      'does not run an unprobed command a second time, and says that it may have happened',
      { timeout: 120_000 },
      async () => {
        const command = 'echo x >> log.txt; kill -9 $PPID; sleep 0.3; echo y >> log.txt';
        const task: RunnerTask = { folder, command, level: 'R3', step: 1, gate };
        const first = await run(task, null);
        expect(first).toMatchObject({ state: 'UNKNOWN', result: 'unknown', ran: true });
        const second = await run(task, null);
        expect(second).toMatchObject({ state: 'UNKNOWN', ran: false });
        expect(second?.text).toContain('may have happened');
        expect(
          log()
            .split('\n')
            .filter((line) => line === 'x'),
        ).toHaveLength(1);
      },
    );

    it(
      'takes a command that alone was killed for what its probe says, and does not start it again',
      { timeout: 60_000 },
      async () => {
        const [before, after]: readonly RunnerTask[] = [
          { folder, command: 'sleep 30 && echo before >> other.txt', level: 'R2', step: 1, gate },
          { folder, command: 'echo after >> log.txt && sleep 30', level: 'R2', step: 2, gate },
        ];
        /** Kills the child of the gate, once it is there, and lets Belay see the end. */
        const killed = async (task: RunnerTask, isUnderWay: () => boolean): Promise<CommandOutcome | null> => {
          const running = run(task, null);
          const store = sqliteStore({ file: join(folder, 'ledger.db') });
          let command = '';
          while (command === '' || !isUnderWay()) {
            const open = must(await store.entries({ task: 'kill', state: 'PREPARED' }));
            const gatePid = open.find((entry) => entry.step === task.step)?.owner?.childPid;
            command = gatePid ? spawnSync('pgrep', ['-P', String(gatePid)], { encoding: 'utf8' }).stdout.trim() : '';
          }
          await store.close();
          process.kill(Number(command), 'SIGKILL');
          return running;
        };
        const first = await killed(before!, () => true);
        expect(first).toMatchObject({ ran: true, exitCode: 137 });
        expect(first?.state).not.toBe('COMMITTED');
        const second = await killed(after!, () => log().includes('after'));
        expect(second).toMatchObject({ state: 'RECONCILED_COMMITTED', result: 'done', exitCode: 137 });
        expect(await run(after!, null)).toMatchObject({ ran: false, result: 'done' });
        expect(log()).toBe('start\nafter\n');
      },
    );
  },
);

// A process that runs one guarded command with the real store, gate and files, for tests that kill it.
// argv: JSON of a RunnerTask. Prints `ready`, then the outcome as one JSON line.
import { join } from 'node:path';
import { gatedCommands } from '../../src/adapters/process/gatedCommands.ts';
import { sqliteStore } from '../../src/adapters/stores/sqliteStore.ts';
import { workspaceFiles } from '../../src/adapters/files/workspaceFiles.ts';
import { realClock } from '../../src/adapters/time/realClock.ts';
import type { EffectLevel } from '../../src/core/ledger/entry.ts';
import { runGuardedCommand } from '../../src/engine/guardedCommand.ts';

/** What the runner is told. */
export interface RunnerTask {
  readonly folder: string;
  readonly command: string;
  readonly level: EffectLevel;
  readonly step: number;
  /** Default: this system's own. */
  readonly gate?: 'shell' | 'node';
}

/** Runs one task in this process, with everything under `folder`. */
export async function runTask({ folder, command, level, step, gate }: RunnerTask): Promise<unknown> {
  const workspace = join(folder, 'workspace');
  const store = sqliteStore({ file: join(folder, 'ledger.db') });
  const ports = {
    clock: realClock(),
    store,
    command: gatedCommands({ directory: join(folder, 'marks'), ...(gate ? { gate } : {}) }),
    files: workspaceFiles({ root: workspace, beforeDirectory: join(folder, 'before') }),
    approval: { ask: () => Promise.resolve({ choice: 'deny' as const, note: 'nobody is asked', by: 'test' }) },
  };
  const outcome = await runGuardedCommand(ports, {
    context: {
      tenant: 'local',
      client: 'test',
      task: 'kill',
      step,
      role: 'coder',
      criticality: 'low',
      qualityFloor: 0,
      deadlineMs: Infinity,
    },
    command,
    shell: 'bash',
    cwd: workspace,
    workspace,
    assessment: { level, reasons: [], effects: [], parsed: true },
    judgement: { verdict: 'allow' },
    timeoutMs: 20_000,
    env: { PATH: process.env.PATH ?? '' },
    signal: new AbortController().signal,
    emit: () => undefined,
  });
  await store.close();
  return outcome;
}

const [, entry, task] = process.argv;
if (entry === import.meta.filename && task !== undefined) {
  console.log('ready');
  // The test that starts this process wrote the task itself.
  console.log(JSON.stringify(await runTask(JSON.parse(task) as RunnerTask)));
}

// A process of its own that applies one edit and is ended in the middle of it: `node applyChild '<task>'`.
import { type Disk, realDisk } from '../../src/adapters/files/disk.ts';
import { workspaceFiles } from '../../src/adapters/files/workspaceFiles.ts';
import type { FileWrite } from '../../src/engine/ports.ts';
import { steppedDisk } from './steppedDisk.ts';

export interface ApplyTask {
  readonly root: string;
  readonly beforeDirectory: string;
  /** One after the other. */
  readonly edits: readonly (readonly FileWrite[])[];
  /** Ends itself (SIGKILL) before this step, by its number or its words; a write is half done by then. Null: never. */
  readonly killAtStep: number | string | null;
  readonly withoutLinks?: boolean;
  /** Waits for a line on its standard input before it begins. */
  readonly isHeld?: boolean;
}

// The task is made by the test beside this file.
const task = JSON.parse(process.argv[2] ?? '') as ApplyTask;
const changes: Partial<Disk> = {
  pause: realDisk.pause,
  ...(task.withoutLinks === true && {
    link: () => Promise.reject(Object.assign(new Error('no links'), { code: 'ENOTSUP' })),
  }),
};
const disk = steppedDisk(async ({ index, kind, paths, half }) => {
  const words = `${kind} ${paths.join(' ')}`;
  const { killAtStep } = task;
  if (typeof killAtStep === 'string' ? !words.match(killAtStep) : index !== killAtStep) return;
  await half?.();
  process.kill(process.pid, 'SIGKILL');
}, changes);
const files = workspaceFiles({ root: task.root, beforeDirectory: task.beforeDirectory }, disk);
if (task.isHeld === true) {
  process.stdout.write('ready\n');
  await new Promise((resolve) => process.stdin.once('data', resolve));
}
const results = [];
for (const edit of task.edits) results.push(await files.apply(edit));
process.stdout.write(`${JSON.stringify({ results, steps: disk.steps.map(({ paths }) => paths) })}\n`);
process.stdin.destroy();

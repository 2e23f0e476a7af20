// One workspace with its own ledger in which `belay exec` processes are started, killed and asked again, and in which the
// effects are counted from the files and the repository, never from the ledger.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import * as z from 'zod';
import type { ExecRequest } from './execAsker.ts';

/** Who is killed: Belay alone, Belay with everything it started, what it started alone; `term`: Belay is asked to end. */
export type KillMode = 'belay' | 'group' | 'command' | 'term';

const outcomeSchema = z.object({
  level: z.string(),
  state: z.string().nullable(),
  ran: z.boolean(),
  reason: z.string(),
});

/** What one process answered. */
export interface ExecAnswer extends z.infer<typeof outcomeSchema> {
  readonly exitCode: number | null;
}

export interface KillOrder {
  readonly mode: KillMode;
  readonly afterMs: number;
  /** The time counts from when this is so, polled; absent: from the start of the process. */
  readonly from?: () => boolean;
}

/** How a process ended. */
export interface ExecEnd {
  /** Null: it died without one. */
  readonly answer: ExecAnswer | null;
  /** It was still there when it was to be killed. */
  readonly isStruck: boolean;
}

export interface ExecKind {
  readonly name: string;
  readonly command: (step: number) => string;
  /** Whether the command of a step has begun, where it notes that itself. */
  readonly hasBegun?: (folder: string, step: number) => boolean;
  /** How often the effect of a step took place. */
  readonly count: (folder: string, step: number) => number;
}

/** Well under the time in which a command can be struck between its beginning and its effect. */
const BEGIN_POLL_MS = 5;

function lines(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
}

function countOf(file: string, line: string): number {
  return lines(file).filter((one) => one === line).length;
}

/** Effects with and without a probe, each with time before and after it in which it can be killed. */
export const EXEC_KINDS: readonly ExecKind[] = [
  {
    name: 'append',
    command: (step) => `sleep 0.08; echo line-${step} >> log.txt; sleep 0.08`,
    count: (folder, step) => countOf(join(folder, 'log.txt'), `line-${step}`),
  },
  {
    name: 'create',
    command: (step) => `sleep 0.08; cp seed.txt made-${step}.txt; sleep 0.08`,
    count: (folder, step) => (existsSync(join(folder, `made-${step}.txt`)) ? 1 : 0),
  },
  {
    name: 'commit',
    command: (step) => `sleep 0.05 && git commit -q --allow-empty -m commit-${step} && sleep 0.08`,
    count: (folder, step) => {
      const log = execFileSync('git', ['log', '--format=%s'], { cwd: folder, encoding: 'utf8' });
      return log.split('\n').filter((subject) => subject === `commit-${step}`).length;
    },
  },
  {
    name: 'script without a probe',
    command: (step) => `./deploy.sh ${step}`,
    hasBegun: (folder, step) => countOf(join(folder, 'begun.txt'), `begun-${step}`) > 0,
    count: (folder, step) => countOf(join(folder, 'deployed.txt'), `deploy-${step}`),
  },
];

export interface ExecLane {
  readonly folder: string;
  /** Starts a real process and kills it after `afterMs` (null: not at all), if it is still there. */
  spawn(step: number, command: string, kill: KillOrder | null): Promise<ExecEnd>;
  /** The same request, by a process that lives. */
  ask(step: number, command: string): Promise<ExecAnswer>;
  /** Takes away the locks of a git that was killed, as a person does. */
  unlock(): void;
  close(): void;
}

const askedSchema = z.object({ exitCode: z.number(), answer: z.string() });

interface Asker {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: AsyncIterator<string>;
}

function startAsker(program: string, cwd: string): Asker {
  const script = join(dirname(program), 'asker.js');
  const child = spawn(process.execPath, [script], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

/** Makes the workspace under `root`. */
export function execLane(root: string, program: string): ExecLane {
  const folder = join(root, 'workspace');
  const db = join(root, 'ledger.db');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'log.txt'), 'start\n');
  writeFileSync(join(folder, 'seed.txt'), 'seed\n');
  writeFileSync(
    join(folder, 'deploy.sh'),
    '#!/bin/sh\necho "begun-$1" >> begun.txt\nsleep 0.08\necho "deploy-$1" >> deployed.txt\nsleep 0.08\n',
  );
  chmodSync(join(folder, 'deploy.sh'), 0o755);
  const git = (...words: string[]): void => void execFileSync('git', words, { cwd: folder });
  git('init', '-q');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.org');
  git('commit', '-q', '--allow-empty', '-m', 'start');
  let asker: Asker | null = null;
  return {
    folder,
    spawn: (step, command, kill) => {
      const options = [
        '--task',
        'kill',
        '--step',
        String(step),
        '--db',
        db,
        '--workspace',
        folder,
        '--yes-up-to',
        'R3',
      ];
      return spawned([program, 'exec', ...options, '--command', command], folder, kill);
    },
    ask: async (step, command) => {
      asker ??= startAsker(program, folder);
      const request: ExecRequest = { step, command, folder, db };
      asker.child.stdin.write(`${JSON.stringify(request)}\n`);
      const answered = await asker.lines.next();
      if (answered.done === true) throw new Error('the asker ended');
      const { exitCode, answer } = askedSchema.parse(JSON.parse(answered.value));
      return { ...outcomeSchema.parse(JSON.parse(answer)), exitCode };
    },
    close: () => asker?.child.stdin.end(),
    unlock: () => {
      const names = readdirSync(join(folder, '.git'), { recursive: true, encoding: 'utf8' });
      for (const name of names) if (name.endsWith('.lock')) rmSync(join(folder, '.git', name));
    },
  };
}

function spawned(words: readonly string[], cwd: string, kill: KillOrder | null): Promise<ExecEnd> {
  const child = spawn(process.execPath, [...words], { cwd, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  let isStruck = false;
  let printed = '';
  child.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  const strike = (): void => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    isStruck = true;
    if (kill) killBy(kill.mode, child.pid);
  };
  let timer: NodeJS.Timeout | undefined;
  const arm = (): void => {
    if (kill) timer = kill.from?.() === false ? setTimeout(arm, BEGIN_POLL_MS) : setTimeout(strike, kill.afterMs);
  };
  arm();
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => {
      clearTimeout(timer);
      const line = printed.trim().split('\n').at(-1) ?? '';
      const answer = line === '' ? null : { ...outcomeSchema.parse(JSON.parse(line)), exitCode };
      resolve({ answer, isStruck });
    });
  });
}

function killBy(mode: KillMode, pid: number): void {
  const started = descendantsOf(pid);
  const victims = mode === 'command' ? started : mode === 'group' ? [pid, ...started] : [pid];
  for (const victim of victims) {
    try {
      process.kill(victim, mode === 'term' ? 'SIGTERM' : 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Every process below another. */
function descendantsOf(pid: number): readonly number[] {
  const found = new Set([pid]);
  // A set that grows is walked to its end.
  for (const parent of found) for (const child of childrenOf(parent)) found.add(child);
  found.delete(pid);
  return [...found];
}

function childrenOf(pid: number): readonly number[] {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const texts = tasks.map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'));
    return texts.flatMap((text) =>
      text
        .split(' ')
        .filter((word) => word.trim() !== '')
        .map(Number),
    );
  } catch {
    // No such process any more, or no /proc: then pgrep knows, where there is one.
    const asked = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
    return asked.status === 0 ? asked.stdout.trim().split('\n').map(Number) : [];
  }
}

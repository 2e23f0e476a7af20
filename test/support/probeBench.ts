// A workbench for probes with real files, real git and real programs: takes a baseline, lets something happen, asks the probe.
// Every bench has a home and a workspace of its own; time does not pass, but what is waited for is noted.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { workspaceFiles } from '../../src/adapters/files/workspaceFiles.ts';
import { gatedCommands } from '../../src/adapters/process/gatedCommands.ts';
import type { ProbeBaseline } from '../../src/core/ledger/entry.ts';
import { commitTag } from '../../src/core/ledger/probes.ts';
import { probePlan } from '../../src/core/ledger/probePlan.ts';
import type { ProbeResult } from '../../src/core/ledger/reconcile.ts';
import { redactSecrets } from '../../src/core/ledger/redact.ts';
import { askProbe, takeBaseline } from '../../src/engine/effectProbe.ts';
import type { ProbePorts } from '../../src/engine/effectProbe.ts';

const PROBE_LIMIT_MS = 60_000;

/** Key of the command under test; its first digits are git's mark. */
const KEY = '0123456789abcdef'.repeat(4);

export interface ProbeBench {
  readonly workspace: string;
  readonly ports: ProbePorts;
  /** What was slept, in ms. */
  readonly sleeps: readonly number[];
  /** Absolute path of something beside the workspace. */
  beside(name: string): string;
  write(path: string, text: string | Uint8Array): void;
  read(path: string): string;
  /** Runs bash to its end, whatever it ends with; answers its exit code. */
  run(command: string, more?: RunOptions): Promise<number>;
  /** Runs git and answers what it prints; throws where it fails. */
  git(...words: readonly string[]): string;
  /** The baseline of a command as the engine takes it. */
  before(command: string, more?: RunOptions): Promise<ProbeBaseline>;
  asked(baseline: ProbeBaseline): Promise<ProbeResult | null>;
  /** Takes the baseline, lets `happen` be done, and answers what the probe says. Default: the command itself. */
  says(command: string, happen?: (() => unknown) | string, more?: RunOptions): Promise<string>;
  /** What the probe says before the command, and after it; one baseline for both. */
  story(command: string, more?: RunOptions): Promise<readonly string[]>;
  remove(): void;
}

export interface RunOptions {
  /** Folder below the workspace; absolute where it begins with `/`. */
  readonly folder?: string;
  /** Let the command be known to git as the one under test. Default for the command itself. */
  readonly isMarked?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** An empty workspace with a home of its own. Call `remove` at the end. */
export function probeBench(): ProbeBench {
  const folder = mkdtempSync(join(tmpdir(), 'belay-probe-'));
  const workspace = join(folder, 'workspace');
  const home = join(folder, 'home');
  for (const path of [workspace, home]) mkdirSync(path);
  const config =
    '[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n[protocol "file"]\nallow = always\n';
  writeFileSync(join(home, '.gitconfig'), config);
  const sleeps: number[] = [];
  const clean = { PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8' };
  const ports: ProbePorts = {
    clock: {
      nowMs: () => 0,
      // The time limit of a probe never comes here; a settle delay is over at once.
      sleep: (ms) => {
        if (ms === PROBE_LIMIT_MS) return new Promise(() => undefined);
        sleeps.push(ms);
        return Promise.resolve();
      },
    },
    reconcileTimeoutMs: PROBE_LIMIT_MS,
    files: workspaceFiles({ root: workspace, beforeDirectory: join(folder, 'before') }),
    command: gatedCommands({ directory: join(folder, 'marks') }),
  };
  const at = (name = ''): string => (name.startsWith('/') ? name : join(workspace, name));
  const environment = ({ isMarked = false, env = {} }: RunOptions = {}): Record<string, string> => ({
    ...clean,
    ...(isMarked ? { GIT_REFLOG_ACTION: commitTag(KEY) } : {}),
    ...env,
  });
  const bench: ProbeBench = {
    workspace,
    ports,
    sleeps,
    beside: (name) => join(folder, name),
    write: (path, text) => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), text);
    },
    read: (path) => readFileSync(at(path), 'utf8'),
    run: (command, more = {}) =>
      new Promise((resolve) => {
        const options = { cwd: at(more.folder), env: environment(more) };
        execFile('bash', ['-c', command], options, (error) => {
          resolve(error === null ? 0 : typeof error.code === 'number' ? error.code : 128);
        });
      }),
    git: (...words) => execFileSync('git', words, { cwd: workspace, env: clean, encoding: 'utf8', stdio: 'pipe' }),
    before: (command, more = {}) => {
      const env = environment(more);
      const plan = probePlan({ shell: 'bash', command, env });
      const tag = plan?.isMarked === true ? commitTag(KEY) : null;
      const place = { cwd: at(more.folder), workspace };
      return takeBaseline(ports, { plan, place, run: { shell: 'bash', command }, tag, redact: redactSecrets });
    },
    asked: (baseline) => askProbe(ports, { probe: baseline }),
    async says(command, happen = command, more = {}) {
      const baseline = await bench.before(command, more);
      if (typeof happen === 'string') await bench.run(happen, { ...more, isMarked: happen === command });
      else await happen();
      const said = await bench.asked(baseline);
      return said ? said.says : 'no probe';
    },
    async story(command, more = {}) {
      const baseline = await bench.before(command, more);
      const before = await bench.asked(baseline);
      await bench.run(command, { ...more, isMarked: true });
      return [before?.says ?? 'no probe', (await bench.asked(baseline))?.says ?? 'no probe'];
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  return bench;
}

/** Starts bash in a group of its own and kills the whole group with SIGKILL as soon as `isTime` says so. */
export async function killedWhen(command: string, cwd: string, isTime: () => boolean): Promise<void> {
  const child = spawn('bash', ['-c', command], { cwd, detached: true, stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  while (!isTime()) await new Promise((resolve) => setImmediate(resolve));
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  await ended;
}

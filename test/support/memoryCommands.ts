// The command port without processes: what a command does is a function, how it ends is chosen by the test. It keeps the
// same traces as the real gate, per run, so that crashes of the caller can be played through.
import type {
  CommandExit,
  CommandPort,
  GatedCommand,
  GateTrace,
  ProbeQuery,
  ReleasedRun,
} from '../../src/engine/ports.ts';

/** How one released run goes. `acts`: the command's effect takes place. */
export interface Fate extends Pick<ReleasedRun, 'background' | 'prompt'> {
  readonly acts: boolean;
  readonly exit: CommandExit;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** What a query answers; null: it cannot be asked. */
type QueryAnswer = { readonly exitCode: number; readonly stdout: string } | null;

export interface MemoryCommandsOptions {
  /** The effect of a command on the test's world. */
  readonly act: (command: GatedCommand) => void;
  /** Decides the next run. Default: acts and exits with 0. */
  readonly fate?: (command: GatedCommand) => Fate;
  /** Answers a probe's query. Default: no query can be asked. */
  readonly answer?: (query: ProbeQuery) => QueryAnswer;
}

export interface MemoryCommands {
  /** Runs that were released, by key. */
  readonly released: readonly string[];
  /** Queries that were asked. */
  readonly queries: readonly ProbeQuery[];
  /** Children that wait at the gate; 0 after every finished request. */
  heldCount(): number;
  /** Overrides what `trace` says of every run; null: the truth. */
  say(trace: GateTrace | null): void;
  /** The port as a process of this pid sees it. */
  asProcess(pid: number): CommandPort;
}

const ACTS: Fate = { acts: true, exit: { kind: 'exited', exitCode: 0, signal: null } };

export function memoryCommands({ act, fate, answer }: MemoryCommandsOptions): MemoryCommands {
  const traces = new Map<number, GateTrace>();
  const released: string[] = [];
  const queries: ProbeQuery[] = [];
  let nextChild = 1000;
  let held = 0;
  let said: GateTrace | null = null;
  const release = (command: GatedCommand, child: number): ReleasedRun => {
    held--;
    released.push(command.key);
    const { acts, exit, stdout = '', stderr = '', background, prompt } = fate?.(command) ?? ACTS;
    if (acts) act(command);
    traces.set(child, exit.kind === 'exited' ? { kind: 'exited', exitCode: exit.exitCode } : { kind: 'started' });
    if (background) traces.set(child, { kind: 'running', detail: 'what it started is running' });
    return {
      exit,
      output: { stdout, stderr, stdoutBytes: stdout.length, stderrBytes: stderr.length },
      ...(background ? { background } : {}),
      ...(prompt === undefined ? {} : { prompt }),
    };
  };
  return {
    released,
    queries,
    heldCount: () => held,
    say: (trace) => {
      said = trace;
    },
    asProcess: (pid) => ({
      self: () => Promise.resolve({ pid, pidStartedAt: `t${pid}`, bootId: 'boot' }),
      trace: (entry) => {
        const child = entry.owner?.childPid ?? null;
        return Promise.resolve(
          said ?? (child === null ? { kind: 'started' } : (traces.get(child) ?? { kind: 'started' })),
        );
      },
      query: (query) => {
        queries.push(query);
        const value = answer?.(query) ?? null;
        const name = query.words[0] ?? '';
        return Promise.resolve(value ? { ok: true, value } : { ok: false, error: `${name} could not be asked` });
      },
      hold: (command) => {
        const child = nextChild++;
        held++;
        traces.set(child, { kind: 'never-started' });
        return Promise.resolve({
          ok: true,
          value: {
            pid: child,
            pidStartedAt: `t${child}`,
            release: () => Promise.resolve(release(command, child)),
            discard: () => {
              held--;
              return Promise.resolve();
            },
          },
        });
      },
    }),
  };
}

// The command port without processes: what a command does is a function, how it ends is chosen by the test. It keeps the
// same traces as the real gate, per run, so that crashes of the caller can be played through.
import type { CommandExit, CommandPort, GatedCommand, GateTrace } from '../../src/engine/ports.ts';

/** How one released run goes. `acts`: the command's effect takes place. */
export interface Fate {
  readonly acts: boolean;
  readonly exit: CommandExit;
  readonly stdout?: string;
}

export interface MemoryCommandsOptions {
  /** The effect of a command on the test's world. */
  readonly act: (command: GatedCommand) => void;
  /** Decides the next run. Default: acts and exits with 0. */
  readonly fate?: (command: GatedCommand) => Fate;
}

export interface MemoryCommands {
  /** Runs that were released, by key. */
  readonly released: readonly string[];
  /** Children that wait at the gate; 0 after every finished request. */
  heldCount(): number;
  /** Overrides what `trace` says of every run; null: the truth. */
  say(trace: GateTrace | null): void;
  /** The port as a process of this pid sees it. */
  asProcess(pid: number): CommandPort;
}

export function memoryCommands({ act, fate }: MemoryCommandsOptions): MemoryCommands {
  const traces = new Map<number, GateTrace>();
  const released: string[] = [];
  let nextChild = 1000;
  let held = 0;
  let said: GateTrace | null = null;
  return {
    released,
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
      hold: (command) => {
        const child = nextChild++;
        held++;
        traces.set(child, { kind: 'never-started' });
        return Promise.resolve({
          ok: true,
          value: {
            pid: child,
            pidStartedAt: `t${child}`,
            release: () => {
              held--;
              released.push(command.key);
              const {
                acts,
                exit,
                stdout = '',
              } = fate?.(command) ?? { acts: true, exit: { kind: 'exited', exitCode: 0, signal: null } };
              if (acts) act(command);
              traces.set(
                child,
                exit.kind === 'exited' ? { kind: 'exited', exitCode: exit.exitCode } : { kind: 'started' },
              );
              return Promise.resolve({
                exit,
                output: { stdout, stderr: '', stdoutBytes: stdout.length, stderrBytes: 0 },
              });
            },
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

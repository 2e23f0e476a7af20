// The command port of a simulated process, and the machine its commands run on. A command is a process of its own: it goes
// on, dies or finishes whatever becomes of Belay, and its marks stay, as with the real gate (DESIGN, Running a command
// exactly once): held, started, acted, ended. What it does to the world counts as an effect of its ledger key.
import type { LedgerEntry } from '../../src/core/ledger/entry.ts';
import type {
  CommandExit,
  CommandPort,
  GatedCommand,
  GateTrace,
  RandomPort,
  ReleasedRun,
} from '../../src/engine/ports.ts';
import type { CrashKernel, Mortal } from './crashKernel.ts';

/** How a run goes if nobody stops it. */
export interface RunPlan {
  /** How much of the effect takes place: the whole of it, a part, nothing. */
  readonly acts: 'whole' | 'part' | 'none';
  /** `killed`: the command alone is killed by a signal; `hangs`: it outlives its time limit. */
  readonly ends: 'zero' | 'two' | 'killed' | 'hangs';
  readonly startMs: number;
  readonly actMs: number;
  readonly endMs: number;
}

interface Run {
  readonly owner: Mortal;
  readonly bootId: string;
  isAlive: boolean;
  isReleased: boolean;
  hasStarted: boolean;
  exitCode: number | null;
  exit: CommandExit | null;
}

export interface CrashMachine {
  /** The port as a process sees it. */
  portOf(process: Mortal): CommandPort;
  /** All commands of a process die at this moment (its group), or of everybody (null: a power cut, and another boot). */
  killCommands(of: Mortal | null): void;
  /** Is any command still on its way? */
  isBusy(): boolean;
}

export interface MachineOptions {
  readonly kernel: CrashKernel;
  readonly random: RandomPort;
  readonly plan: (command: GatedCommand) => RunPlan;
  readonly act: (command: GatedCommand, amount: 'whole' | 'part') => void;
}

/** How long a held child needs to notice that nobody holds its pipe any more. */
const NOTICE_MS = 2;

/** A machine without any commands yet. */
export function crashMachine({ kernel, random, plan, act }: MachineOptions): CrashMachine {
  const runs = new Map<number, Run>();
  const processes = new Map<number, Mortal>();
  /** Keys whose commands a process holds or waits for. */
  const active = new Map<Mortal, Set<string>>();
  let nextChild = 5000;
  let boot = 1;
  const bootId = (): string => `boot-${boot}`;

  const start = (run: Run, command: GatedCommand): void => {
    const { acts, ends, startMs, actMs, endMs } = plan(command);
    const later = (delayMs: number, work: () => void): void => {
      kernel.after(delayMs, () => {
        if (run.isAlive) work();
      });
    };
    later(startMs, () => (run.hasStarted = true));
    later(startMs + actMs, () => {
      if (acts !== 'none') act(command, acts);
    });
    const endsAt = ends === 'hangs' ? command.timeoutMs : startMs + actMs + endMs;
    later(endsAt, () => {
      run.isAlive = false;
      if (ends === 'hangs') run.exit = { kind: 'killed', because: 'timeout' };
      else if (ends === 'killed') run.exit = { kind: 'exited', exitCode: 137, signal: null };
      else run.exit = { kind: 'exited', exitCode: ends === 'zero' ? 0 : 2, signal: null };
      if (run.exit.kind === 'exited') run.exitCode = run.exit.exitCode;
    });
  };

  const awaitEnd = async (process: Mortal, run: Run): Promise<ReleasedRun> => {
    const output = { stdout: '', stderr: '', stdoutBytes: 0, stderrBytes: 0 };
    for (;;) {
      await kernel.point(process, 5 + random.next() * 10);
      if (run.exit) return { exit: run.exit, output };
      if (!run.isAlive) return { exit: { kind: 'lost', message: 'the gate is gone' }, output };
    }
  };

  // As the real gate reads what is left of a run: whoever made the entry and lives may still be at it.
  const traceOf = (process: Mortal, { key, owner }: LedgerEntry): GateTrace => {
    if (!owner) return { kind: 'started' };
    if (owner.bootId !== bootId()) return { kind: 'other-boot' };
    const isAtIt = owner.pid === process.pid ? active.get(process)?.has(key) : processes.get(owner.pid)?.isAlive;
    if (isAtIt) return { kind: 'running', detail: `process ${owner.pid} is at it` };
    const { childPid } = owner;
    const run = childPid === null ? undefined : runs.get(childPid);
    if (!run) return { kind: 'started' };
    if (run.exitCode !== null) return { kind: 'exited', exitCode: run.exitCode };
    if (run.isAlive) return { kind: 'running', detail: `process ${childPid ?? ''} is alive` };
    return run.hasStarted ? { kind: 'started' } : { kind: 'never-started' };
  };

  const discard = (run: Run): void => {
    if (!run.isReleased) run.isAlive = false;
  };

  return {
    isBusy: () => [...runs.values()].some((run) => run.isAlive && run.isReleased),
    killCommands: (of) => {
      if (of === null) boot++;
      for (const run of runs.values()) {
        if (of === null || run.owner === of) run.isAlive = false;
        // The pipe of a held child ends with its owner.
        else if (!run.owner.isAlive) kernel.after(NOTICE_MS, () => discard(run));
      }
    },
    portOf: (process) => {
      const keys = new Set<string>();
      processes.set(process.pid, process);
      active.set(process, keys);
      return {
        self: () =>
          kernel.call(process, () => ({ pid: process.pid, pidStartedAt: `t${process.pid}`, bootId: bootId() })),
        trace: (entry) => kernel.call(process, () => traceOf(process, entry)),
        query: () => kernel.call(process, () => ({ ok: false, error: 'this machine has no such program' })),
        hold: (command) =>
          kernel.call(process, () => {
            const childPid = nextChild++;
            const run: Run = {
              owner: process,
              bootId: bootId(),
              isAlive: true,
              isReleased: false,
              hasStarted: false,
              exitCode: null,
              exit: null,
            };
            runs.set(childPid, run);
            keys.add(command.key);
            return {
              ok: true,
              value: {
                pid: childPid,
                pidStartedAt: `t${childPid}`,
                release: async () => {
                  await kernel.point(process);
                  run.isReleased = true;
                  start(run, command);
                  const ended = await awaitEnd(process, run);
                  keys.delete(command.key);
                  return ended;
                },
                discard: () =>
                  kernel.call(process, () => {
                    keys.delete(command.key);
                    discard(run);
                  }),
              },
            };
          }),
      };
    },
  };
}

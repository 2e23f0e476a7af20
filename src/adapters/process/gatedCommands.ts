// The command port: children held at a gate until their ledger entry is on the disk (DESIGN, Running a command exactly once).
// Each child leads its own session and carries the entry's key in its environment, so that what is left of it can be
// found after any crash. This file starts, watches and stops; what it all means is decided in core/ledger.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { CommandPort, GatedCommand, GateTrace, HeldCommand, Result } from '../../engine/ports.ts';
import type { LedgerEntry } from '../../core/ledger/entry.ts';
import { gateMarks } from './gateMarks.ts';
import type { GateMarks, SealedRun } from './gateMarks.ts';
import { GATE_SCRIPT, GATE_SHELL } from './gateScript.ts';
import { ENTRY_TAG, isAlive, processTable } from './processTable.ts';
import type { ProcessId, ProcessTable } from './processTable.ts';
import { argvOf } from './programs.ts';
import { watchRun } from './watchRun.ts';

export interface GatedCommandsOptions {
  /** Absolute folder of the gate's marks; made when missing. Keep it beside the ledger: one without the other is blind. */
  readonly directory: string;
  /** How long a command may take to end after SIGTERM before it is killed. Default 2,000. */
  readonly killGraceMs?: number;
}

interface Machine {
  readonly table: ProcessTable;
  readonly marks: GateMarks;
  readonly killGraceMs: number;
  /** Keys whose command this process holds or runs right now. */
  readonly active: Map<string, number>;
  self(): Promise<{ readonly pid: number; readonly pidStartedAt: string; readonly bootId: string }>;
}

/** The command port of this machine. Needs a POSIX shell; says so where there is none. */
export function gatedCommands(options: GatedCommandsOptions): CommandPort {
  const table = processTable();
  let known: ReturnType<Machine['self']> | null = null;
  const machine: Machine = {
    table,
    marks: gateMarks(options.directory),
    killGraceMs: options.killGraceMs ?? 2000,
    active: new Map(),
    self: () => (known ??= identify(table)),
  };
  return {
    hold: (command) => hold(machine, command),
    trace: async (entry) => {
      try {
        return await trace(machine, entry);
      } catch {
        // Whoever cannot look must not act: the effect is treated as still being made.
        return { kind: 'running', detail: 'its processes or marks cannot be read' };
      }
    },
    self: () => machine.self(),
  };
}

async function identify(table: ProcessTable): ReturnType<Machine['self']> {
  const pidStartedAt = await table.startedAt(process.pid);
  if (pidStartedAt === null) throw new Error('this process is not in the process table');
  return { pid: process.pid, pidStartedAt, bootId: await table.bootId() };
}

async function hold(machine: Machine, command: GatedCommand): Promise<Result<HeldCommand, string>> {
  if (process.platform === 'win32') {
    return {
      ok: false,
      error: 'Guarded commands need a POSIX shell, which Windows lacks. Run Belay in WSL to use them.',
    };
  }
  const argv = argvOf(command);
  if (!argv.ok) return argv;
  const started = startGate(command, argv.value);
  if (!started.ok) return started;
  const { child, pid } = started.value;
  try {
    return { ok: true, value: await heldCommand(machine, command, child, pid) };
  } catch (error) {
    gatePipe(child).destroy();
    const remedy = "Nothing was run; check the folder of the gate's marks.";
    return { ok: false, error: `The gate for the command could not be made (${textOf(error)}). ${remedy}` };
  }
}

function startGate(
  command: GatedCommand,
  argv: readonly string[],
): Result<{ readonly child: ChildProcess; readonly pid: number }, string> {
  const failed = (why: string): Result<never, string> => ({
    ok: false,
    error: `The command could not be started (${why}). Nothing was run; check ${command.cwd} and the length of the command.`,
  });
  try {
    const child = spawn(GATE_SHELL, ['-c', GATE_SCRIPT, 'belay-gate', ...argv], {
      cwd: command.cwd,
      env: { ...command.env, [ENTRY_TAG]: command.key },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    // A failed start is told by the missing pid; the event that follows says the same.
    child.on('error', () => undefined);
    if (child.pid === undefined) return failed(`${GATE_SHELL} could not be run`);
    // The pipe breaks when the gate dies early; that is then seen by its exit.
    gatePipe(child).on('error', () => undefined);
    return { ok: true, value: { child, pid: child.pid } };
  } catch (error) {
    return failed(textOf(error));
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown error';
}

async function heldCommand(
  machine: Machine,
  command: GatedCommand,
  child: ChildProcess,
  pid: number,
): Promise<HeldCommand> {
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const { bootId } = await machine.self();
  const startedAt = await machine.table.startedAt(pid);
  if (startedAt === null) throw new Error('the gate ended at once');
  const gate: ProcessId = { pid, startedAt };
  const { path, token, seal } = await machine.marks.hold(bootId, command.key, gate);
  const leave = enter(machine.active, command.key);
  let isReleased = false;
  return {
    pid,
    pidStartedAt: sealed(startedAt, seal),
    async release(signal, onOutput) {
      if (isReleased) throw new Error('a held command is released once');
      isReleased = true;
      try {
        const run = watchRun(child, { ...command, signal, onOutput, killGraceMs: machine.killGraceMs });
        // An aborted caller gets an unrun command: its gate sees the end of the pipe.
        gatePipe(child).end(signal.aborted ? '' : `${path}\n${token}\n`);
        const { ended, output } = await run;
        const marks = await machine.marks.read({ bootId, key: command.key, gate, seal });
        return { exit: ended(marks), output };
      } finally {
        leave();
      }
    },
    async discard() {
      if (isReleased) return;
      isReleased = true;
      gatePipe(child).destroy();
      await exited;
      leave();
    },
  };
}

/** Descriptor 3, the gate's pipe: a stream by the `stdio` that `hold` passes. */
function gatePipe(child: ChildProcess): Writable {
  const pipe = child.stdio[3];
  if (!pipe || !('end' in pipe)) throw new Error('the gate has no pipe');
  return pipe;
}

function enter(active: Map<string, number>, key: string): () => void {
  active.set(key, (active.get(key) ?? 0) + 1);
  return () => {
    const left = (active.get(key) ?? 1) - 1;
    if (left > 0) active.set(key, left);
    else active.delete(key);
  };
}

async function trace(machine: Machine, { key, owner }: LedgerEntry): Promise<GateTrace> {
  if (!owner) return { kind: 'started' };
  const self = await machine.self();
  if (owner.bootId !== self.bootId) return { kind: 'other-boot' };
  const isOwn = owner.pid === self.pid && owner.pidStartedAt === self.pidStartedAt;
  const isOwnerBusy = isOwn
    ? machine.active.has(key)
    : await isAlive(machine.table, { pid: owner.pid, startedAt: owner.pidStartedAt });
  if (isOwnerBusy) return { kind: 'running', detail: `Belay's process ${owner.pid} is at it` };
  if (owner.childPid === null || owner.childStartedAt === null) return { kind: 'started' };
  const { gate, seal } = unsealed(owner.childPid, owner.childStartedAt);
  if (await isAlive(machine.table, gate)) return { kind: 'running', detail: `its process ${gate.pid} is running` };
  const [straggler] = await machine.table.stragglers(gate, key);
  if (straggler !== undefined) return { kind: 'running', detail: `process ${straggler} that it started is running` };
  const marks = await machine.marks.read({ bootId: owner.bootId, key, gate, seal });
  if (marks.kind === 'exited') return marks;
  return { kind: marks.kind === 'held' ? 'never-started' : 'started' };
}

/** The start time that the entry keeps of its gate: opaque to everybody else, it carries the seal of the run's mark. */
function sealed(startedAt: string, seal: string): string {
  return `${startedAt}#${seal}`;
}

function unsealed(pid: number, text: string): Pick<SealedRun, 'gate' | 'seal'> {
  const cut = text.lastIndexOf('#');
  if (cut < 0) return { gate: { pid, startedAt: text }, seal: null };
  return { gate: { pid, startedAt: text.slice(0, cut) }, seal: text.slice(cut + 1) };
}

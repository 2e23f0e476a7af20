// The command port: children held at a gate until their ledger entry is on the disk (DESIGN, Running a command exactly once).
// Each child leads its own session and carries the entry's key in its environment, so that what is left of it can be
// found after any crash. This file starts, watches and stops; what it all means is decided in core/ledger.
// No path in here starts a command twice: a gate is opened once, by whoever holds it, and dies with its pipe.
import { devNull } from 'node:os';
import type { CommandPort, GatedCommand, GateTrace, HeldCommand, HoldResult } from '../../engine/ports.ts';
import type { LedgerEntry } from '../../core/ledger/entry.ts';
import { startGate } from './gate.ts';
import type { Gate, GateKind } from './gate.ts';
import { gateMarks } from './gateMarks.ts';
import type { GateMarks, HeldMark, Marks, SealedRun } from './gateMarks.ts';
import { MarkTrouble, markTrouble } from './gateTrouble.ts';
import { runQuery } from './probeQuery.ts';
import type { ProcessId, ProcessTable } from './processes.ts';
import { isAlive, processTable } from './processTable.ts';
import { argvOf } from './programs.ts';
import { watchRun } from './watchRun.ts';

export interface GatedCommandsOptions {
  /** Absolute folder of the gate's marks; made when missing. Keep it beside the ledger: one without the other is blind. */
  readonly directory: string;
  /** How long a command may take to end after SIGTERM before it is killed. Default 2,000. */
  readonly killGraceMs?: number;
  /** Default: a shell where the system has a POSIX one, Node on Windows. */
  readonly gate?: GateKind;
  /** Default: that of this machine. */
  readonly table?: ProcessTable;
}

interface Machine {
  readonly table: ProcessTable;
  /** Of the marks. */
  readonly directory: string;
  readonly marks: GateMarks;
  readonly gate: GateKind;
  readonly killGraceMs: number;
  /** Keys whose command this process holds or runs right now. */
  readonly active: Map<string, number>;
  self(): Promise<{ readonly pid: number; readonly pidStartedAt: string; readonly bootId: string }>;
}

const PROMPT_QUIET_MS = 10_000;

/** The command port of this machine. */
export function gatedCommands(options: GatedCommandsOptions): CommandPort {
  const table = options.table ?? processTable();
  let known: ReturnType<Machine['self']> | null = null;
  const machine: Machine = {
    table,
    directory: options.directory,
    marks: gateMarks(options.directory),
    gate: options.gate ?? (process.platform === 'win32' ? 'node' : 'shell'),
    killGraceMs: options.killGraceMs ?? 2000,
    active: new Map(),
    self: () => {
      known ??= identify(table).catch((error: unknown) => {
        // The next one asks again.
        known = null;
        throw error;
      });
      return known;
    },
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
    query: (query) => runQuery(query),
    self: () => machine.self(),
  };
}

async function identify(table: ProcessTable): ReturnType<Machine['self']> {
  const pidStartedAt = await table.startedAt(process.pid);
  if (pidStartedAt === null) throw new Error('this process is not in the process table');
  return { pid: process.pid, pidStartedAt, bootId: await table.bootId() };
}

async function hold(machine: Machine, command: GatedCommand): Promise<HoldResult> {
  const argv = argvOf(command);
  if (!argv.ok) return argv;
  const started = startGate(machine.gate, command, argv.value);
  if (!started.ok) return started;
  try {
    return { ok: true, value: await heldCommand(machine, command, started.value) };
  } catch (error) {
    started.value.pipe.destroy();
    const why = error instanceof Error ? error.message : 'unknown error';
    if (error instanceof MarkTrouble) return { ok: false, error: why, fault: error.fault };
    return { ok: false, error: `The gate for the command could not be made (${why}). Nothing was run; try again.` };
  }
}

async function heldCommand(machine: Machine, command: GatedCommand, gate: Gate): Promise<HeldCommand> {
  const { child, pid, pipe } = gate;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await gate.standing;
  const { bootId } = await machine.self();
  const startedAt = await machine.table.startedAt(pid);
  if (startedAt === null) throw new Error('the gate ended at once');
  const id: ProcessId = { pid, startedAt };
  const isUnrecorded = command.isUnrecorded ?? false;
  const mark = isUnrecorded ? NO_MARK : await markOf(machine, bootId, command.key, id);
  const leave = enter(machine.active, command.key);
  let isReleased = false;
  return {
    pid,
    pidStartedAt: sealed(startedAt, mark.seal),
    async release(signal, onOutput) {
      if (isReleased) throw new Error('a held command is released once');
      isReleased = true;
      try {
        const { promptQuietMs = PROMPT_QUIET_MS } = command;
        const leftovers = () => machine.table.stragglers(id, command.key);
        const { killGraceMs } = machine;
        const run = watchRun(child, { ...command, promptQuietMs, signal, onOutput, killGraceMs, leftovers });
        // An aborted caller gets an unrun command: its gate sees the end of the pipe.
        pipe.end(signal.aborted ? '' : gate.opener(mark));
        const { ended, ...seen } = await run;
        const { seal } = mark;
        const marks = isUnrecorded ? STARTED : await machine.marks.read({ bootId, key: command.key, gate: id, seal });
        return { ...seen, exit: ended(marks) };
      } finally {
        leave();
      }
    },
    async discard() {
      if (isReleased) return;
      isReleased = true;
      pipe.destroy();
      await exited;
      leave();
    },
  };
}

/** Of a run without an entry nobody will ever ask for a mark: the gate writes it into nothing. */
const NO_MARK: HeldMark = { path: devNull, token: '', seal: '' };
const STARTED: Marks = { kind: 'started' };

async function markOf({ marks, directory }: Machine, bootId: string, key: string, gate: ProcessId): Promise<HeldMark> {
  try {
    return await marks.hold(bootId, key, gate);
  } catch (error) {
    throw await markTrouble(error, directory);
  }
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
  if (straggler) return { kind: 'running', detail: `process ${straggler.pid} that it started is running` };
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

// Starting a gate: the shell of a POSIX system, or Node itself where there is none. Both wait on descriptor 3.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { Duplex } from 'node:stream';
import type { GatedCommand, Result } from '../../engine/ports.ts';
import type { HeldMark } from './gateMarks.ts';
import { GATE_SCRIPT, GATE_SHELL } from './gateScript.ts';
import { NODE_GATE } from './nodeGateScript.ts';
import { ENTRY_TAG } from './processes.ts';
import type { Started } from './programs.ts';

/** `shell`: a POSIX shell. `node`: the program that runs Belay. */
export type GateKind = 'shell' | 'node';

/** A gate that was started. */
export interface Gate {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly pipe: Duplex;
  /** Resolves when it stands and waits; rejects when it does not. */
  readonly standing: Promise<void>;
  /** What opens it. */
  opener(mark: HeldMark): string;
}

const STANDING_MS = 15_000;

/** Starts a gate for a command; nothing of the command runs yet. */
export function startGate(kind: GateKind, command: GatedCommand, started: Started): Result<Gate, string> {
  const failed = (why: string): Result<never, string> => ({
    ok: false,
    error: `The command could not be started (${why}). Nothing was run; check ${command.cwd} and the length of the command.`,
  });
  const { program, words, env } = kind === 'shell' ? shellGate(command, started) : nodeGate(command, started);
  try {
    const child = spawn(program, words, {
      cwd: command.cwd,
      env,
      detached: true,
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    // A failed start is told by the missing pid; the event that follows says the same.
    child.on('error', () => undefined);
    if (child.pid === undefined) return failed(`${program} could not be run`);
    const pipe = gatePipe(child);
    // The pipe breaks when the gate dies early; that is then seen by its exit.
    pipe.on('error', () => undefined);
    const standing = kind === 'shell' ? Promise.resolve() : readyOf(child, pipe);
    // Whoever does not wait for it must not be ended by it.
    standing.catch(() => undefined);
    const environment = kind === 'shell' ? '' : `${JSON.stringify(tagged(command))}\n`;
    const opener = ({ path, token }: HeldMark): string => `${path}\n${token}\n${environment}`;
    return { ok: true, value: { child, pid: child.pid, pipe, standing, opener } };
  } catch (error) {
    return failed(error instanceof Error ? error.message : 'unknown error');
  }
}

interface GateStart {
  readonly program: string;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

function tagged({ env, key }: GatedCommand): Record<string, string> {
  return { ...env, [ENTRY_TAG]: key };
}

function shellGate(command: GatedCommand, { words }: Started): GateStart {
  return { program: GATE_SHELL, words: ['-c', GATE_SCRIPT, 'belay-gate', ...words], env: tagged(command) };
}

/** Windows starts no program without these. */
const SYSTEM_NAMES = /^(?:systemroot|windir|systemdrive|temp|tmp)$/i;

function nodeGate({ env, key }: GatedCommand, { words, isVerbatim }: Started): GateStart {
  const system = Object.entries(env).filter(([name]) => SYSTEM_NAMES.test(name));
  return {
    program: process.execPath,
    words: ['-e', NODE_GATE, '--', isVerbatim ? '1' : '0', ...words],
    env: { ...Object.fromEntries(system), [ENTRY_TAG]: key, ELECTRON_RUN_AS_NODE: '1' },
  };
}

/** Descriptor 3, the gate's pipe: a stream of both directions by the `stdio` that the start passes. */
function gatePipe(child: ChildProcess): Duplex {
  const pipe = child.stdio[3];
  if (!(pipe instanceof Duplex)) throw new Error('the gate has no pipe');
  return pipe;
}

function readyOf(child: ChildProcess, pipe: Duplex): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error('the gate does not answer')), STANDING_MS);
    const lost = (): void => {
      clearTimeout(timer);
      reject(new Error(`${process.execPath} does not run as Node`));
    };
    child.once('exit', lost);
    pipe.on('data', (bytes: Buffer) => {
      said += bytes.toString('latin1');
      if (!said.startsWith('ready\n')) return;
      clearTimeout(timer);
      child.off('exit', lost);
      resolve();
    });
  });
}

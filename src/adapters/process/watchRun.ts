// One released command from its release to its end: output, time limit, cancelling, and stopping its whole group.
// Background processes may keep the output open after the command ended: they are not waited for and not cut off.
import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import type { CommandExit, CommandOutput } from '../../engine/ports.ts';
import { boundedOutput } from './boundedOutput.ts';
import type { BoundedOutput } from './boundedOutput.ts';
import type { Marks } from './gateMarks.ts';

export interface WatchOptions {
  readonly timeoutMs: number;
  readonly outputLimitBytes: number;
  readonly killGraceMs: number;
  readonly signal: AbortSignal;
  readonly onOutput: (stream: 'stdout' | 'stderr', text: string) => void;
}

export interface WatchedRun {
  readonly output: CommandOutput;
  /** What the end means, given the gate's marks. */
  readonly ended: (marks: Marks) => CommandExit;
}

/** How long output may still arrive after the command's end when something keeps it open. */
const DRAIN_MS = 250;
/** setTimeout's largest delay; a longer limit is no limit. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Resolves when the gate has ended and its output is in. Must be called before the gate is released. */
export async function watchRun(child: ChildProcess, options: WatchOptions): Promise<WatchedRun> {
  const { signal, timeoutMs, killGraceMs, outputLimitBytes, onOutput } = options;
  const stdout = capture(child.stdout, outputLimitBytes, (text) => onOutput('stdout', text));
  const stderr = capture(child.stderr, outputLimitBytes, (text) => onOutput('stderr', text));
  const stopping: { because: 'timeout' | 'cancelled' | null; killTimer?: NodeJS.Timeout } = { because: null };
  const stop = (why: 'timeout' | 'cancelled'): void => {
    if (stopping.because) return;
    stopping.because = why;
    signalGroup(child, 'SIGTERM');
    stopping.killTimer = setTimeout(() => signalGroup(child, 'SIGKILL'), killGraceMs);
  };
  const timer = setTimeout(() => stop('timeout'), Math.min(timeoutMs, MAX_TIMER_MS));
  const cancel = (): void => stop('cancelled');
  signal.addEventListener('abort', cancel, { once: true });

  const { code, by } = await gateEnd(child);
  clearTimeout(timer);
  signal.removeEventListener('abort', cancel);
  // The gate obeyed SIGTERM; what it started may have not.
  if (stopping.because) await stopRest(child, killGraceMs);
  clearTimeout(stopping.killTimer);
  await Promise.all([stdout.drained(DRAIN_MS), stderr.drained(DRAIN_MS)]);

  const stopped: 'timeout' | 'cancelled' | null = stopping.because ?? (signal.aborted ? 'cancelled' : null);
  return {
    output: {
      stdout: stdout.kept.text(),
      stderr: stderr.kept.text(),
      stdoutBytes: stdout.kept.totalBytes,
      stderrBytes: stderr.kept.totalBytes,
    },
    ended: (marks) => exitOf(marks, code, by, stopped),
  };
}

function exitOf(
  marks: Marks,
  code: number | null,
  by: NodeJS.Signals | null,
  stopped: 'timeout' | 'cancelled' | null,
): CommandExit {
  // The gate's own mark is the best witness, also when the time limit struck at the same moment.
  if (marks.kind === 'exited') return { kind: 'exited', exitCode: marks.exitCode, signal: signalOf(marks.exitCode) };
  if (stopped) return { kind: 'killed', because: stopped };
  if (marks.kind !== 'started') return { kind: 'lost', message: 'the gate ended before it could start the command' };
  if (code !== null) return { kind: 'exited', exitCode: code, signal: signalOf(code) };
  return { kind: 'lost', message: `the gate was ended by ${by ?? 'an unknown signal'}` };
}

/** A shell reports death by signal n as 128 + n (POSIX, 2.8.2). */
function signalOf(exitCode: number): string | null {
  const number = exitCode - 128;
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? null;
}

function gateEnd(child: ChildProcess): Promise<{ readonly code: number | null; readonly by: NodeJS.Signals | null }> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return Promise.resolve({ code: child.exitCode, by: child.signalCode });
  }
  return new Promise((resolve) => child.once('exit', (code, by) => resolve({ code, by })));
}

/** Signals the group that the gate leads; false when nothing of it is left. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    return process.kill(-child.pid, signal);
  } catch {
    // ESRCH: the group is empty.
    return false;
  }
}

/** Waits for the rest of a stopped group and kills it when its grace is over. */
async function stopRest(child: ChildProcess, graceMs: number): Promise<void> {
  const stepMs = 20;
  for (let waitedMs = 0; waitedMs < graceMs && signalGroup(child, 0); waitedMs += stepMs) {
    await new Promise((resolve) => setTimeout(resolve, stepMs));
  }
  signalGroup(child, 'SIGKILL');
}

interface Capture {
  readonly kept: BoundedOutput;
  /** Resolves when the stream has closed, or after `ms` when something else keeps it open. */
  drained(ms: number): Promise<void>;
}

function capture(stream: Readable | null, limitBytes: number, onText: (text: string) => void): Capture {
  const kept = boundedOutput(limitBytes);
  let isOver = false;
  const closed = new Promise<void>((resolve) => {
    stream?.once('close', () => resolve());
    if (!stream || stream.closed) resolve();
  });
  stream?.on('error', () => undefined);
  stream?.on('data', (bytes: Buffer) => {
    // Later output of a background process is read, so that it never blocks, but no longer belongs to the command.
    if (isOver) return;
    const text = kept.push(bytes);
    if (text !== '') onText(text);
  });
  return {
    kept,
    async drained(ms) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        void closed.then(() => {
          clearTimeout(timer);
          resolve();
        });
      });
      isOver = true;
      // Node's pipes are sockets: a background process that holds this one must not keep Belay alive.
      if (stream instanceof Socket) stream.unref();
    },
  };
}

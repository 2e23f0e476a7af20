// One released command from its release to its end: output, time limit, questions, cancelling, and stopping its whole group.
// Background processes may keep the output open after the command ended: they are not waited for and not cut off, but told.
// A command that was stopped is stopped with everything that carries its tag, also where it left the group.
import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { questionAtEnd, questionIn } from '../../core/ledger/promptText.ts';
import type { CommandExit, ReleasedRun } from '../../engine/ports.ts';
import { capture } from './captureStream.ts';
import type { Capture } from './captureStream.ts';
import type { Marks } from './gateMarks.ts';
import type { Straggler } from './processes.ts';
import { askGroup, hasGroup, killGroup } from './processGroup.ts';

export interface WatchOptions {
  readonly timeoutMs: number;
  readonly outputLimitBytes: number;
  /** A command that printed a question and was silent for so long is stopped. */
  readonly promptQuietMs: number;
  readonly killGraceMs: number;
  readonly signal: AbortSignal;
  readonly onOutput: (stream: 'stdout' | 'stderr', text: string) => void;
  /** What is alive of the command at this moment. */
  readonly leftovers: () => Promise<readonly Straggler[]>;
}

export interface WatchedRun extends Omit<ReleasedRun, 'exit'> {
  /** What the end means, given the gate's marks. */
  readonly ended: (marks: Marks) => CommandExit;
}

type Because = Extract<CommandExit, { kind: 'killed' }>['because'];

/** How long output may still arrive after the command's end when something keeps it open. */
const DRAIN_MS = 250;
/** What is found alive at the end may just be ending: only what still lives then is told. */
const LINGER_MS = 150;
/** A command that keeps starting processes outside its group is chased so often. */
const CHASES = 5;
/** setTimeout's largest delay; a longer limit is no limit. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Resolves when the gate has ended and its output is in. Must be called before the gate is released. */
export async function watchRun(child: ChildProcess, options: WatchOptions): Promise<WatchedRun> {
  const { signal, killGraceMs, outputLimitBytes, onOutput } = options;
  const pid = child.pid ?? 0;
  const stopping: { because: Because | null; killTimer?: NodeJS.Timeout } = { because: null };
  const stop = (why: Because): void => {
    if (stopping.because) return;
    stopping.because = why;
    askGroup(pid);
    stopping.killTimer = setTimeout(() => killGroup(pid), killGraceMs);
  };
  const timer = setTimeout(() => stop('timeout'), Math.min(options.timeoutMs, MAX_TIMER_MS));
  const quiet = setTimeout(
    () => {
      if (openQuestion(stdout, stderr) !== null) stop('prompt');
    },
    Math.min(options.promptQuietMs, MAX_TIMER_MS),
  );
  const told = (stream: 'stdout' | 'stderr', text: string): void => {
    quiet.refresh();
    onOutput(stream, text);
  };
  const stdout = capture(child.stdout, outputLimitBytes, (text) => told('stdout', text));
  const stderr = capture(child.stderr, outputLimitBytes, (text) => told('stderr', text));
  const cancel = (): void => stop('cancelled');
  signal.addEventListener('abort', cancel, { once: true });

  const { code, by } = await gateEnd(child);
  clearTimeout(timer);
  clearTimeout(quiet);
  signal.removeEventListener('abort', cancel);
  if (stopping.because) await stopRest(pid, options);
  clearTimeout(stopping.killTimer);
  const left = leftAlive(options.leftovers);
  await Promise.all([stdout.drained(DRAIN_MS), stderr.drained(DRAIN_MS)]);
  clearTimeout(quiet);

  const stopped: Because | null = stopping.because ?? (signal.aborted ? 'cancelled' : null);
  const background = await left;
  const hasFailed = code !== 0 || stopped !== null;
  const prompt =
    openQuestion(stdout, stderr) ??
    (hasFailed ? (questionAtEnd(stderr.lastText()) ?? questionAtEnd(stdout.lastText())) : null);
  return {
    output: {
      stdout: stdout.kept.text(),
      stderr: stderr.kept.text(),
      stdoutBytes: stdout.kept.totalBytes,
      stderrBytes: stderr.kept.totalBytes,
    },
    ended: (marks) => exitOf(marks, code, by, stopped),
    ...(background.length > 0 ? { background: background.map(({ pid: id, command }) => ({ pid: id, command })) } : {}),
    ...(prompt === null ? {} : { prompt }),
  };
}

/** A question at the end of an unfinished line of either stream; programs ask on both. */
function openQuestion(stdout: Capture, stderr: Capture): string | null {
  return questionIn(stderr.openLine()) ?? questionIn(stdout.openLine());
}

function exitOf(marks: Marks, code: number | null, by: NodeJS.Signals | null, stopped: Because | null): CommandExit {
  // The gate's own mark is the best witness, also when the time limit struck at the same moment; but a death by signal after
  // the stop was asked for is that stop.
  const isOurs = stopped !== null && marks.kind === 'exited' && signalOf(marks.exitCode) !== null;
  if (marks.kind === 'exited' && !isOurs)
    return { kind: 'exited', exitCode: marks.exitCode, signal: signalOf(marks.exitCode) };
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

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The gate obeyed; what it started may have not. Waits for the rest of the group, then ends it and what left the group. */
async function stopRest(pid: number, { killGraceMs, leftovers }: WatchOptions): Promise<void> {
  const stepMs = 20;
  for (let waitedMs = 0; waitedMs < killGraceMs && hasGroup(pid); waitedMs += stepMs) await sleep(stepMs);
  killGroup(pid);
  for (let chase = 0; chase < CHASES; chase++) {
    const left = await leftovers().catch(() => []);
    if (left.length === 0) return;
    // Named a moment ago by pid and start time; what ends in between is gone either way.
    for (const one of left) killOne(one.pid);
    await sleep(stepMs);
  }
}

function killOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // ESRCH: it has ended; EPERM: it belongs to somebody else now, and is told as left running.
  }
}

/** What goes on after the end. Nobody is told of what cannot be looked up. */
async function leftAlive(leftovers: WatchOptions['leftovers']): Promise<readonly Straggler[]> {
  try {
    const first = await leftovers();
    if (first.length === 0) return first;
    await sleep(LINGER_MS);
    return await leftovers();
  } catch {
    return [];
  }
}

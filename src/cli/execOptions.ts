// The options of `belay exec` as commander gives them; every wrong value is named before anything runs.
import { resolve } from 'node:path';
import type { EffectLevel } from '../core/ledger/entry.ts';
import { execCommand, type ExecOptions } from './exec.ts';
import { EXIT_CODES, type CommandIo, type ExitCode } from './io.ts';
import { garbledVariable } from './startPlace.ts';
import { wholeNumber } from './wholeNumber.ts';

const LEVELS: readonly EffectLevel[] = ['R0', 'R1', 'R2', 'R3'];
const SHELLS = ['bash', 'pwsh', 'cmd'] as const;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Checks the options and runs the command; SIGINT, SIGTERM and a closed terminal end it with its whole group. */
export async function execFromOptions(
  words: readonly string[],
  options: Readonly<Record<string, string>>,
  cwd: string,
  io: CommandIo,
): Promise<ExitCode> {
  const garbled = garbledVariable(process.env);
  if (garbled !== null) {
    io.err(`belay exec: ${garbled}`);
    return EXIT_CODES.badInput;
  }
  const stop = new AbortController();
  const parsed = parse(words, options, cwd, stop.signal);
  if (typeof parsed === 'string') {
    io.err(`belay exec: ${parsed}`);
    return EXIT_CODES.badInput;
  }
  const abort = (): void => stop.abort();
  for (const signal of SIGNALS) process.on(signal, abort);
  try {
    return await execCommand(parsed, io);
  } finally {
    for (const signal of SIGNALS) process.off(signal, abort);
  }
}

function parse(
  words: readonly string[],
  options: Readonly<Record<string, string>>,
  cwd: string,
  signal: AbortSignal,
): ExecOptions | string {
  const { task = '', workspace, db } = options;
  if (task.trim() === '') return `--task must name the task the command belongs to, not "${task}"`;
  const step = wholeNumber(options.step ?? '');
  if (step === null) return `--step must be a whole number from 0 to 999999999, not "${options.step ?? ''}"`;
  const run = runOf(words, options);
  if (typeof run === 'string') return run;
  const yesUpTo = LEVELS.find((level) => level === options.yesUpTo);
  if (options.yesUpTo !== undefined && !yesUpTo)
    return `--yes-up-to must be one of ${LEVELS.join(', ')}, not "${options.yesUpTo}"`;
  const timeoutMs = options.timeoutMs === undefined ? undefined : wholeNumber(options.timeoutMs);
  if (timeoutMs === null || timeoutMs === 0)
    return `--timeout-ms must be a whole number from 1 to 999999999, not "${options.timeoutMs ?? ''}"`;
  return {
    task,
    step,
    run,
    cwd,
    ...(workspace === undefined ? {} : { workspace: resolve(cwd, workspace) }),
    ...(db === undefined ? {} : { db: resolve(cwd, db) }),
    ...(yesUpTo === undefined ? {} : { yesUpTo }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    env: process.env,
    signal,
  };
}

function runOf(words: readonly string[], options: Readonly<Record<string, string>>): ExecOptions['run'] | string {
  const text = options.command;
  if (text === undefined)
    return words.length > 0
      ? { kind: 'words', argv: words }
      : 'no command: write it after --, or give --command and --shell';
  if (words.length > 0) return 'give either words after -- or --command, not both';
  const shell = SHELLS.find((name) => name === options.shell);
  return shell
    ? { kind: 'text', text, shell }
    : `--shell must be one of ${SHELLS.join(', ')}, not "${options.shell ?? ''}"`;
}

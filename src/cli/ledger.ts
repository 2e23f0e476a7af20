// `belay ledger`: its commands and their options. Every command is loaded when it is asked for.
import type { Command } from 'commander';
import { resolve } from 'node:path';
import { EXIT_CODES } from './io.ts';
import type { CommandIo, ExitCode } from './io.ts';
import type { LedgerContext, RawOptions } from './ledgerOptions.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Adds the command to a program. `done` gets the exit code. */
export function addLedgerCommand(program: Command, io: CommandIo, cwd: string, done: (code: ExitCode) => void): void {
  const ledger = program
    .command('ledger')
    .description('what was done, what may have been done, and how to take it back')
    .addHelpText('after', HELP);
  const add = (name: string, description: string): Command =>
    ledger
      .command(name)
      .description(description)
      .option('--db <file>', "ledger database; default: belay.db in Belay's data folder")
      .option('--workspace <dir>', 'root of the workspace; default: the current folder')
      .option('--text', 'a table for people; the default in a terminal, else JSON lines');
  const run = async (work: (context: LedgerContext) => Promise<ExitCode>): Promise<void> => {
    done(await inContext(io, cwd, work));
  };

  add('list', 'entries, newest first')
    .option('--task <id>', 'only of this task')
    .option('--state <state>', 'only in this state, e.g. UNKNOWN')
    .option('--file <path>', 'only those that touch this file (relative to the workspace)')
    .option('--tool <name>', 'only of this tool, e.g. edit, shell or undo')
    .option('--since <time>', 'changed since: 2h, 30d or a date')
    .option('--until <time>', 'changed before: 2h, 30d or a date')
    .option('--limit <n>', 'at most so many')
    .action((options: RawOptions) => run(async (at) => (await import('./ledgerList.ts')).listLedger(at, options)));
  add('show', 'one entry with its history, files, probe and undo')
    .argument('<key>', 'key of the entry; its first digits are enough')
    .action((key: string, options: RawOptions) =>
      run(async (at) => (await import('./ledgerList.ts')).showEntry(at, key, options)),
    );
  add('content', 'writes what a file held before an entry to a new file')
    .argument('<key>', 'key of the entry; its first digits are enough')
    .argument('<path>', 'the file, as "show" names it')
    .option('--after', 'what it held after the entry instead')
    .requiredOption('--out <file>', 'file to make')
    .action((key: string, path: string, options: RawOptions) =>
      run(async (at) => (await import('./ledgerContent.ts')).ledgerContent(at, key, path, options)),
    );
  add('reconcile', 'finds out what became of open entries, and prints what changed')
    .argument('[key]', 'only this entry')
    .option('--as <word>', 'say yourself what became of it: committed (it took effect) or absent (it did not)')
    .option('--note <text>', 'how you know; needed with --as')
    .option('--yes', 'do not ask')
    .action((key: string | undefined, options: RawOptions) =>
      run(async (at) => (await import('./ledgerReconcile.ts')).reconcileLedger(at, key, options)),
    );
  add('undo', 'takes back what entries did to files; an undo may be undone, too')
    .argument('[keys...]', 'keys of entries; their first digits are enough')
    .option('--task <id>', 'all that this task did')
    .option('--from-step <n>', 'of the task only the steps from this one on')
    .option('--bring-back', 'also files that were deleted since')
    .option('--dry-run', 'only print what it would touch')
    .option('--yes', 'do not ask')
    .action((keys: string[], options: RawOptions) =>
      run(async (at) => (await import('./ledgerUndo.ts')).undoLedger(at, keys, options)),
    );
  add('export', 'entries, history and events as JSON lines in a file; secrets are masked')
    .requiredOption('--out <file>', 'file to make')
    .option('--task <id>', 'only of this task')
    .action((options: RawOptions) => run(async (at) => (await import('./ledgerExport.ts')).exportLedger(at, options)));
  add('purge', 'forgets settled entries and the bytes kept for them; open ones stay')
    .option('--older-than <time>', 'last changed before so long, e.g. 30d')
    .option('--keep <n>', 'keep only so many of the newest')
    .option('--task <id>', 'only of this task; alone: all of it')
    .option('--dry-run', 'only count')
    .action((options: RawOptions) => run(async (at) => (await import('./ledgerPurge.ts')).purgeLedger(at, options)));
  ledger
    .command('contract')
    .description('calls a tool a dozen times to see if one key never acts twice; without --call shows what was tested')
    .option('--tool <name>', 'name of the tool in the ledger')
    .option('--call <text>', 'shell text that calls it once, with the key in $BELAY_KEY (and $BELAY_VARIANT: 1 or 2)')
    .option('--count <text>', 'shell text that prints how many effects there are, as a whole number')
    .option('--level <level>', 'level that is claimed (R0-R3)', 'R1')
    .option('--definition <text>', "the tool's version or schema, or its SHA-256; default: the text of --call")
    .option('--settle-ms <n>', 'wait so long for late effects before counting', '500')
    .option('--db <file>', "ledger database; default: belay.db in Belay's data folder")
    .action((options: Record<string, string>) =>
      run(async ({ env }) => (await import('./toolContract.ts')).toolContractFromOptions(options, cwd, env, io)),
    );
  ledger
    .command('rescue')
    .description('makes a new ledger of what can be read of a damaged one, which stays as it is')
    .option('--db <file>', "damaged ledger; default: belay.db in Belay's data folder")
    .requiredOption('--to <file>', 'ledger to make')
    .action(({ db, to }: { db?: string; to: string }) =>
      run(async ({ env }) => {
        const { ledgerPlace } = await import('./ports.ts');
        const place = ledgerPlace(env, db === undefined ? null : resolve(cwd, db));
        return (await import('./ledgerRescue.ts')).rescueCommand({ db: place.db, to: resolve(cwd, to) }, io);
      }),
    );
}

async function inContext(
  io: CommandIo,
  cwd: string,
  work: (context: LedgerContext) => Promise<ExitCode>,
): Promise<ExitCode> {
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  for (const signal of SIGNALS) process.on(signal, abort);
  const context: LedgerContext = {
    io,
    cwd,
    env: process.env,
    nowMs: Date.now(),
    isTextDefault: process.stdout.isTTY,
    canAsk: process.stdin.isTTY && process.stderr.isTTY,
    signal: stop.signal,
  };
  try {
    return await work(context);
  } catch (error) {
    const { LedgerTrouble } = await import('./ledgerEntries.ts');
    if (!(error instanceof LedgerTrouble)) throw error;
    io.err(`belay ledger: ${error.message}`);
    return EXIT_CODES.internal;
  } finally {
    for (const signal of SIGNALS) process.off(signal, abort);
  }
}

const HELP = `
Every command and edit that goes through Belay has an entry. Its state says what is known:
  COMMITTED, RECONCILED_COMMITTED  it took effect
  FAILED, RECONCILED_ABSENT        it did not
  PREPARED, UNKNOWN                it may have; "reconcile" finds out, or you decide with --as
  COMPENSATED                      it took effect and was taken back

Undo touches only files that the entry names. What was changed since is merged or left, never lost; Git's own state
(commits, branches, the index) is never touched. Look first with --dry-run.

Examples:
  belay ledger list --state UNKNOWN
  belay ledger undo --task fix-login --dry-run
  belay ledger reconcile 3f2a91 --as absent --note "the server has no such order"

Exit code: 0 done, 1 the answer is no (something is left or unknown, or was not allowed), 2 wrong options, 3 internal error.`;

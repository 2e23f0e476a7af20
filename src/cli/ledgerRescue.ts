// `belay ledger rescue --db FILE --to NEW`: makes a new ledger of all that can still be read of a damaged one. Never writes
// to the damaged file, nor beside it. An entry that was there and cannot be read gets an entry in its place that nothing runs
// again without a person: a lost entry must not become permission to repeat its effect.
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { openDamaged } from '../adapters/stores/damagedPages.ts';
import type { DamagedPages } from '../adapters/stores/damagedPages.ts';
import { foundRows } from '../adapters/stores/damagedRows.ts';
import type { PagesReport } from '../adapters/stores/damagedRows.ts';
import { rescuedLedger } from '../adapters/stores/rescuedLedger.ts';
import type { RescuedRows } from '../adapters/stores/rescuedLedger.ts';
import type { Result } from '../engine/ports.ts';
import { EXIT_CODES } from './io.ts';
import type { CommandIo, ExitCode } from './io.ts';

export interface RescueOptions {
  /** The damaged ledger; absolute. */
  readonly db: string;
  /** The file to make; it must not exist. Absolute. */
  readonly to: string;
}

/** What was read and what was lost. */
export interface RescueReport extends PagesReport, RescuedRows {}

/** Copies what can be read. The error says what is wrong with the options or files; then there is no new file. */
export function rescueLedger({ db, to }: RescueOptions): Result<RescueReport, string> {
  if (existsSync(to)) return { ok: false, error: `${to} exists already; name a file that does not` };
  if (!(statSync(dirname(to), { throwIfNoEntry: false })?.isDirectory() ?? false))
    return { ok: false, error: `${to} cannot be made: ${dirname(to)} is not a folder; make it, or name another place` };
  const opened = opening(db);
  if (!opened.ok) return opened;
  const pages = opened.value;
  const partial = `${to}.partial`;
  try {
    const report = copy(pages, partial);
    if (!pages.isUnchanged())
      return {
        ok: false,
        error: `${db} was changed meanwhile; close all windows and programs that use it, then repeat`,
      };
    renameSync(partial, to);
    return { ok: true, value: report };
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown error';
    return { ok: false, error: `${to} could not be made (${why}); choose another place and repeat` };
  } finally {
    pages.close();
    for (const file of ['', '-wal', '-shm']) rmSync(`${partial}${file}`, { force: true });
  }
}

function opening(db: string): Result<DamagedPages, string> {
  try {
    return { ok: true, value: openDamaged(db) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return { ok: false, error: `${db} cannot be read (${code}); name a ledger that this user may read` };
  }
}

function copy(pages: DamagedPages, file: string): RescueReport {
  const ledger = rescuedLedger(file);
  try {
    const rows = foundRows(pages);
    let next = rows.next();
    for (; next.done !== true; next = rows.next()) ledger.add(next.value);
    return { ...next.value, ...ledger.finish(next.value.isFreeListKnown) };
  } finally {
    ledger.close();
  }
}

/** Runs the command: the report as one JSON line, and what to do with it on standard error. */
export function rescueCommand(options: RescueOptions, io: CommandIo): ExitCode {
  const rescued = rescueLedger(options);
  if (!rescued.ok) {
    io.err(`belay ledger rescue: ${rescued.error}`);
    return EXIT_CODES.badInput;
  }
  const { lostEntries, doubtfulEntries, damagedPages, entries } = rescued.value;
  io.out(JSON.stringify(rescued.value));
  io.err(
    `${entries} entries read from ${options.db} into ${options.to}; ${damagedPages} pages are damaged; ${lostEntries} entries are lost but for their key and ${doubtfulEntries} may be old: a person is asked before they run again. To use it, close all windows, move the damaged file and its -wal and -shm away and put ${options.to} in its place.`,
  );
  return EXIT_CODES.done;
}

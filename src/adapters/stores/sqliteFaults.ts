// SQLite's error codes in words: which file, what is wrong, what to do. No SQL and no stack trace reaches a person.
import { ZodError } from 'zod';
import type { StoreFault } from '../../engine/ports.ts';
import { DamagedRow } from './sqliteRows.ts';

/** Trouble that is known before SQLite is asked, e.g. a file of a newer Belay. */
export class StoreTrouble extends Error {
  readonly fault: StoreFault;
  constructor(fault: StoreFault) {
    super(fault.message);
    this.fault = fault;
  }
}

type Describe = (file: string) => StoreFault;

/** By primary result code (https://www.sqlite.org/rescode.html). */
const BY_CODE: Readonly<Record<number, Describe>> = {
  3: notPermitted,
  5: locked,
  6: locked,
  8: (file) => ({
    kind: 'read-only',
    message: `The ledger ${file} cannot be written: it, its folder or its disk is read-only. Make it writable or choose another file; reading still works.`,
  }),
  10: (file) => ({
    kind: 'other',
    message: `The disk reported an error while the ledger ${file} was used. Check the disk, and copy the file before anything else.`,
  }),
  11: corruptFault,
  13: full,
  14: notPermitted,
  23: notPermitted,
  26: (file) => ({
    kind: 'corrupt',
    message: `${file} is not a ledger (not an SQLite database) or its beginning is damaged. It was left as it is. Close all windows and programs that use it; if it was a ledger, \`belay ledger rescue --db "${file}" --to NEW\` keeps what can be read of it. Then move it away and start again, or choose another file.`,
  }),
};

/** By extended result code, where it says more than the primary one: no room for the files beside the database. */
const BY_EXTENDED_CODE: Readonly<Record<number, Describe>> = { 4874: full };

function full(file: string): StoreFault {
  return {
    kind: 'full',
    message: `The ledger ${file} cannot grow: the disk or its quota is full. Free some space and try again; what is in it is safe and readable.`,
  };
}

function locked(file: string): StoreFault {
  return {
    kind: 'locked',
    message: `The ledger ${file} is locked by another process. Close other windows or programs that use this file, then try again; nothing was lost.`,
  };
}

function notPermitted(file: string): StoreFault {
  return {
    kind: 'other',
    message: `The ledger ${file} cannot be opened. Check that its folder exists and that you may read and write it, or choose another file.`,
  };
}

/** What to do with a damaged file. Others may still have it open; replacing it under them would damage the new one, too. */
function rescueText(file: string): string {
  return `Nothing is written to it any more and nothing in it was deleted: what is readable can still be listed. Close all windows and programs that use it, run \`belay ledger rescue --db "${file}" --to NEW\` to keep what can be read, move ${file} away, put NEW in its place, then start again.`;
}

/** The file is damaged; also used for damage found by a check rather than by an error. */
export function corruptFault(file: string): StoreFault {
  return { kind: 'corrupt', message: `The ledger ${file} is damaged. ${rescueText(file)}` };
}

/** The write-ahead log was taken away from a database that was not closed: its newest entries were there. */
export function lostWalFault(file: string): StoreFault {
  const message = `The file ${file}-wal, which holds the newest entries of the ledger, is gone. Put it back if it was moved. Otherwise: ${rescueText(file)}`;
  return { kind: 'corrupt', message };
}

/** The write-ahead log was deleted under an open connection, which has saved what was in it. */
export function goneWalFault(file: string): StoreFault {
  const message = `The file ${file}-wal was deleted while the ledger was in use. What was stored so far is safe in ${file}, but nothing more is written to it by this program. Close all windows and programs that use it and start again.`;
  return { kind: 'corrupt', message };
}

/** The file was moved, deleted or replaced while it was in use. */
export function replacedFault(file: string): StoreFault {
  const message = `The ledger ${file} was moved, deleted or replaced while it was in use, so nothing is written to it any more. Put the file back where it was, or close all windows and programs that use it and start again with the one that is to be used.`;
  return { kind: 'other', message };
}

/** There is a folder where the file should be. */
export function folderFault(file: string): StoreFault {
  const message = `${file} is a folder; the ledger is a file. Move the folder away or choose another file.`;
  return { kind: 'other', message };
}

/** A file whose schema this version does not know. */
export function newerSchemaFault(file: string, found: number, known: number): StoreFault {
  return {
    kind: 'other',
    message: `The ledger ${file} was written by a newer Belay (schema ${found}, this one knows ${known}). Update Belay or choose another file; nothing was changed.`,
  };
}

/** A database that belongs to another program. */
export function foreignFault(file: string): StoreFault {
  return {
    kind: 'other',
    message: `${file} is a database of another program, not a ledger. Choose another file for the ledger; nothing was changed. If it was a ledger and its beginning is damaged, \`belay ledger rescue --db "${file}" --to NEW\` keeps what can be read of it.`,
  };
}

/** The worker is gone, or was closed. */
export function closedFault(file: string, crashed: boolean): StoreFault {
  const message = crashed
    ? `The ledger's worker for ${file} ended unexpectedly. What was being written may or may not be stored; it is looked up again at the next request.`
    : `The ledger ${file} is closed. Open it again before using it.`;
  return { kind: 'closed', message };
}

/** Any error of an operation as a fault. */
export function faultOf(error: unknown, file: string): StoreFault {
  if (error instanceof StoreTrouble) return error.fault;
  // A row that does not parse: damage that SQLite itself cannot see.
  if (error instanceof ZodError || error instanceof DamagedRow) return corruptFault(file);
  const code = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : null;
  const describe = code === null ? undefined : (BY_EXTENDED_CODE[code] ?? BY_CODE[code & 0xff]);
  if (describe) return describe(file);
  if (isFileError(error)) return notPermitted(file);
  const what = error instanceof Error ? error.message : 'unknown error';
  return {
    kind: 'other',
    message: `The ledger ${file} could not be used (${what}). Try again; if it stays, copy the file and report this.`,
  };
}

function isFileError(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EEXIST'].includes(String(error.code))
  );
}

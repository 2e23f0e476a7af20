// SQLite's error codes in words: which file, what is wrong, what to do. No SQL and no stack trace reaches a person.
import { ZodError } from 'zod';
import type { StoreFault } from '../../engine/ports.ts';

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
  13: (file) => ({
    kind: 'full',
    message: `The ledger ${file} cannot grow: the disk or its quota is full. Free some space and try again; what is in it is safe and readable.`,
  }),
  14: notPermitted,
  23: notPermitted,
  26: (file) => ({
    kind: 'corrupt',
    message: `${file} is not a ledger (not an SQLite database) or its beginning is damaged. It was left as it is: move it away to keep it, then try again, or choose another file.`,
  }),
};

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

/** The file is damaged; also used for damage found by a check rather than by an error. */
export function corruptFault(file: string): StoreFault {
  return {
    kind: 'corrupt',
    message: `The ledger ${file} is damaged. Nothing is written to it any more and nothing in it was deleted: what is readable can still be listed. Copy it to a safe place, then move it away so that a new one can be started.`,
  };
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
    message: `${file} is a database of another program, not a ledger. Choose another file for the ledger; nothing was changed.`,
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
  if (error instanceof ZodError) return corruptFault(file);
  const code = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : null;
  const describe = code === null ? undefined : BY_CODE[code & 0xff];
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

// The gate's marks cannot be written: which folder or file, why, and what to do. Marks belong to the ledger as its own file
// does, so this is told as a fault of the ledger: a write then asks a person, a read goes on without.
// Sources of the codes: errno(3), Node's "Common system errors".
import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoreFault } from '../../engine/ports.ts';
import { codeOf, shown } from '../files/fileTrouble.ts';

/** The mark of a run could not be made. */
export class MarkTrouble extends Error {
  readonly fault: StoreFault;
  constructor(fault: StoreFault) {
    super(fault.message);
    this.fault = fault;
  }
}

interface Cause {
  readonly kind: StoreFault['kind'];
  /** After the name of the folder. */
  readonly words: string;
  readonly remedy: string;
}

const FREE_SPACE = 'Free some space on it';
const ALLOW = 'Give yourself the right to write there';

const BY_CODE: Readonly<Record<string, Cause>> = {
  ENOSPC: { kind: 'full', words: 'is on a disk that is full', remedy: FREE_SPACE },
  EDQUOT: { kind: 'full', words: 'is on a disk whose quota is used up', remedy: FREE_SPACE },
  EROFS: { kind: 'read-only', words: 'is on a read-only disk', remedy: 'Make the disk writable' },
  EACCES: { kind: 'read-only', words: 'may not be written by this user', remedy: ALLOW },
  EPERM: { kind: 'read-only', words: 'may not be written by this user', remedy: ALLOW },
  ENOTDIR: { kind: 'other', words: 'is not a folder, or lies below a file', remedy: 'Move that file away' },
  EEXIST: { kind: 'other', words: 'is not a folder, or lies below a file', remedy: 'Move that file away' },
  EIO: { kind: 'other', words: 'is on a disk that reports an error', remedy: 'Check the disk' },
  EMFILE: { kind: 'other', words: 'cannot be used: too many files are open', remedy: 'Try again when some are closed' },
  ENFILE: { kind: 'other', words: 'cannot be used: too many files are open', remedy: 'Try again when some are closed' },
};

/** What went wrong with a mark under `directory`, as a fault with its remedy. */
export async function markTrouble(error: unknown, directory: string): Promise<MarkTrouble> {
  const told = codeOf(error);
  const code = told in BY_CODE ? told : codeOf(await whyNoFolder(directory)) || told;
  const known = BY_CODE[code];
  const { kind, words, remedy } = known ?? {
    kind: 'other',
    words: `cannot be used (${code === '' ? 'unknown error' : code})`,
    remedy: 'Check that folder and its disk',
  };
  const where = `The folder ${shown(directory)}, where the marks of running commands are kept beside the ledger,`;
  const other = 'on the command line, name another ledger with --db';
  return new MarkTrouble({ kind, message: `${where} ${words}. Nothing was run. ${remedy}; or, ${other}.` });
}

/**
 * Node's recursive mkdir answers ENOENT on a read-only disk: it looks for the folder it could not make. The nearest folder
 * that exists says why nothing can be made in it; null: it does not.
 */
async function whyNoFolder(directory: string): Promise<unknown> {
  let folder = directory;
  for (;;) {
    try {
      await access(folder, constants.W_OK);
      return null;
    } catch (error) {
      const above = dirname(folder);
      if (codeOf(error) !== 'ENOENT' || above === folder) return error;
      folder = above;
    }
  }
}

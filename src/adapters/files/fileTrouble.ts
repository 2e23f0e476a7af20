// What went wrong with a file, in words for the person and the agent: the file, what happened, what to do.
// Sources of the codes: errno(3), Node's "Common system errors", uv_translate_sys_error for Windows.

/** Trouble that was expected. Its message is a whole sentence that names the file and the remedy. */
export class FileTrouble extends Error {}

const BY_CODE: Readonly<Record<string, string>> = {
  EACCES: 'may not be read or written by this user. Change its permissions or those of its folder',
  EPERM: 'may not be changed by this user, or is locked against changes. Change its permissions or attributes',
  EROFS: 'is on a read-only disk. Make the disk writable',
  ENOSPC: 'could not be written since the disk is full. Free some space and try again',
  EDQUOT: 'could not be written since the disk quota is used up. Free some space and try again',
  EFBIG: 'would be larger than this system allows. Split it',
  EISDIR: 'is a folder. Name a file',
  ENOTDIR: 'lies below something that is not a folder. Check the path',
  EEXIST: 'appeared meanwhile and was not overwritten. Read it and make the edit anew',
  ENOENT: 'was moved or deleted meanwhile. Look at it again and make the edit anew',
  ELOOP: 'is a circle of symbolic links, or became a link meanwhile. Name the real file',
  ENAMETOOLONG: 'has a name that is too long for this disk. Choose a shorter one',
  EMFILE: 'could not be opened since this process has too many files open. Try again when some are closed',
  ENFILE: 'could not be opened since this machine has too many files open. Try again when some are closed',
  EBUSY: 'is in use by another program. Close it there and try again',
  ETXTBSY: 'is a program that is running. End it and try again',
  EIO: 'could not be read or written since the disk reported an error. Check the disk',
  ENXIO: 'is not a plain file. Name a file',
  EINVAL: 'has a name that this disk does not take. Choose another one',
  EILSEQ: 'has a name that this disk does not take. Choose another one',
};

/** On Windows a refusal mostly means that another program has the file open. */
const ON_WINDOWS: Readonly<Record<string, string>> = {
  EACCES: 'may not be written by this user, or another program has it open. Close it there, or change its permissions',
  EPERM: 'may not be written by this user, or another program has it open. Close it there, or change its permissions',
};

/** The sentence for anything that was thrown while `path` was worked on. */
export function messageOf(error: unknown, path: string, platform: NodeJS.Platform = process.platform): string {
  if (error instanceof FileTrouble) return error.message;
  const code = codeOf(error);
  const words = (platform === 'win32' ? ON_WINDOWS[code] : undefined) ?? BY_CODE[code];
  if (words !== undefined) return `${shown(path)} ${words}.`;
  const why = code === '' ? 'unknown error' : code;
  return `${shown(path)} could not be used (${why}). Check the file and its disk, and try again.`;
}

/** The system's code of an error; '' where it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(codeOf(error));
}

/** For `catch`: null when there is nothing at the path. */
export function missing(error: unknown): null {
  if (hasCode(error, 'ENOENT')) return null;
  throw error;
}

/** A path on one line: control characters and direction marks, which could make it look like another, are spelled out. */
export function shown(path: string): string {
  return path.replace(
    /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

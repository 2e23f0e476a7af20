// The few calls of the file system that the file port is made of. Everything that changes the disk goes through here, so that
// a test can let any single step fail, or end the process there, on a real disk.
import * as fs from 'node:fs/promises';

export type Disk = Pick<
  typeof fs,
  | 'access'
  | 'copyFile'
  | 'link'
  | 'lstat'
  | 'mkdir'
  | 'open'
  | 'readdir'
  | 'realpath'
  | 'rename'
  | 'rmdir'
  | 'stat'
  | 'unlink'
  | 'utimes'
> & {
  readonly platform: NodeJS.Platform;
  /** Waits before something is tried again. */
  readonly pause: (ms: number) => Promise<void>;
};

/** The disk of this machine. */
export const realDisk: Disk = {
  access: fs.access,
  copyFile: fs.copyFile,
  link: fs.link,
  lstat: fs.lstat,
  mkdir: fs.mkdir,
  open: fs.open,
  readdir: fs.readdir,
  realpath: fs.realpath,
  rename: fs.rename,
  rmdir: fs.rmdir,
  stat: fs.stat,
  unlink: fs.unlink,
  utimes: fs.utimes,
  platform: process.platform,
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

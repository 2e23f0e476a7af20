// A fresh workspace on the real disk for a test, with the file port on it.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { type Disk, realDisk } from '../../src/adapters/files/disk.ts';
import { workspaceFiles } from '../../src/adapters/files/workspaceFiles.ts';
import type { FileContractWorld } from './fileContract.ts';

export interface DiskWorkspace extends FileContractWorld {
  /** Absolute; holds the workspace `root` and the folder of images. */
  readonly folder: string;
  readonly beforeDirectory: string;
  /** Absolute place of a workspace path. */
  readonly at: (path: string) => string;
}

/** A disk in memory where there is one: a test that breaks hundreds of edits need not wait for the platters. */
export const FAST_DISK = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Dispose of it. `parent`: on another disk. */
export function diskWorkspace(disk: Disk = realDisk, parent: string = tmpdir()): DiskWorkspace {
  const folder = realpathSync(mkdtempSync(join(parent, 'belay-files-')));
  const root = join(folder, 'workspace');
  const beforeDirectory = join(folder, 'before');
  mkdirSync(root);
  const at = (path: string): string => join(root, path);
  const put = (path: string, bytes: Uint8Array): void => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), bytes);
  };
  return {
    folder,
    root,
    beforeDirectory,
    at,
    put,
    files: workspaceFiles({ root, beforeDirectory }, disk),
    get: (path) => (existsSync(at(path)) ? readFileSync(at(path)) : null),
    remove: (path) => rmSync(at(path)),
    all: () => filesBelow(root),
    link: (path, target) => symlinkSync(at(target), at(path)),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Everything that is no folder, also what is hidden; sorted. */
export function filesBelow(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => !lstatSync(join(root, path)).isDirectory())
    .map((path) => relative(root, join(root, path)))
    .sort();
}

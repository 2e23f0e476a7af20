// The real disk as a system shows it that does not tell letter case or Unicode form apart: every spelling of a name that
// exists leads to it. `realpath` answers in the spelling that was asked, as Linux does for its case-folding folders.
import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { type Disk, realDisk } from '../../src/adapters/files/disk.ts';

const fold = (name: string): string => name.normalize('NFC').toLowerCase();

/** A path as it is on the disk. */
function onDisk(path: string): string {
  return path.split(sep).reduce((folder, name) => {
    if (name === '') return folder === '' ? sep : folder;
    return join(folder, namesIn(folder).find((each) => fold(each) === fold(name)) ?? name);
  }, '');
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The disk. */
export function caselessDisk(): Disk {
  const disk: Record<string, unknown> = { ...realDisk };
  for (const [name, member] of Object.entries(realDisk)) {
    if (typeof member !== 'function' || name === 'pause') continue;
    disk[name] = (...args: unknown[]): unknown => {
      const found = args.map((arg) => (typeof arg === 'string' && arg.startsWith(sep) ? onDisk(arg) : arg));
      return Reflect.apply(member, null, found) as unknown;
    };
  }
  disk.realpath = async (path: string) => {
    await realDisk.realpath(onDisk(path));
    return path;
  };
  // Every member is the real disk's or wraps it with the same arguments.
  return disk as unknown as Disk;
}

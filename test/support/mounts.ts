// Small disks of their own for tests of full and read-only disks. Only root on Linux may mount; elsewhere there are none.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface MountedDisk {
  readonly path: string;
  readonly remount: (options: string) => void;
  readonly dispose: () => void;
}

/** A disk in memory with these options of mount(8), e.g. `size=1m`; null: this machine does not allow it. */
export function mountedDisk(options: string): MountedDisk | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null;
  const path = mkdtempSync(join(tmpdir(), 'belay-disk-'));
  const run = (...words: readonly string[]): boolean => spawnSync(words[0] ?? '', words.slice(1)).status === 0;
  if (!run('mount', '-t', 'tmpfs', '-o', options, 'belay-test', path)) {
    rmdirSync(path);
    return null;
  }
  return {
    path,
    remount: (more) => void run('mount', '-o', `remount,${more}`, path),
    dispose: () => {
      run('umount', '-l', path);
      rmdirSync(path);
    },
  };
}

/** Whether this machine lets tests mount disks. */
export const canMount = ((): boolean => {
  const disk = mountedDisk('size=64k');
  disk?.dispose();
  return disk !== null;
})();

// The gate's marker files: what a command's own shell leaves behind for whoever looks after a crash.
//
//   held     written by Belay before the entry is PREPARED: this run exists and its marks are kept
//   started  written by the gate right before the command
//   exit     written by the gate right after it: the exit code and a line end
//
// They are not synced, so they are trusted on the boot they were written on only (DESIGN, Running a command exactly once).
// A run is named by key, pid and start time of its gate: two attempts at one key never share marks, and none is reused.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessId } from './processTable.ts';

/** What the marks of one run say. `wiped`: not even `held` is left, so absence proves nothing. */
export type Marks =
  | { readonly kind: 'held' }
  | { readonly kind: 'started' }
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'wiped' };

export interface GateMarks {
  /** Makes the run's place and its `held` mark; returns the path the gate appends `.started` and `.exit` to. */
  hold(bootId: string, key: string, gate: ProcessId): Promise<string>;
  read(bootId: string, key: string, gate: ProcessId): Promise<Marks>;
}

/** Marks under `directory`, one folder a boot. Folders of earlier boots are removed: nothing in them counts any more. */
export function gateMarks(directory: string): GateMarks {
  let isTidied = false;
  const folderOf = (bootId: string): string => join(directory, shortHash(bootId));
  const baseOf = (bootId: string, key: string, gate: ProcessId): string =>
    join(folderOf(bootId), `${key}.${gate.pid}-${shortHash(gate.startedAt)}`);
  return {
    async hold(bootId, key, gate) {
      await mkdir(folderOf(bootId), { recursive: true, mode: 0o700 });
      if (!isTidied) await removeOtherBoots(directory, shortHash(bootId));
      isTidied = true;
      const base = baseOf(bootId, key, gate);
      await writeFile(`${base}.held`, '', { mode: 0o600 });
      return base;
    },
    async read(bootId, key, gate) {
      const base = baseOf(bootId, key, gate);
      const exit = /^(\d{1,3})\n$/.exec((await textOrNull(`${base}.exit`)) ?? '')?.[1];
      if (exit !== undefined) return { kind: 'exited', exitCode: Number(exit) };
      if ((await textOrNull(`${base}.started`)) !== null) return { kind: 'started' };
      return { kind: (await textOrNull(`${base}.held`)) === null ? 'wiped' : 'held' };
    },
  };
}

const BOOT_FOLDER = /^[0-9a-f]{16}$/;

async function removeOtherBoots(directory: string, current: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name === current || !BOOT_FOLDER.test(name)) continue;
    const folder = join(directory, name);
    if ((await stat(folder)).isDirectory()) await rm(folder, { recursive: true, force: true });
  }
}

/** Null only when there is no such file; other trouble is thrown, since an unreadable mark is not an absent one. */
async function textOrNull(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

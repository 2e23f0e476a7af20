// The gate's mark: one file a run, for whoever looks after a crash.
//
//   held TOKEN          written by Belay before the entry is PREPARED: this run exists and has not started
//   (empty)             the gate opened it, right before the command
//   exit CODE TOKEN     written by the gate right after the command
//
// A command could find the file and write what it likes, so both tokens are random, a command sees neither, and their hash
// is stored with the entry before the start: a mark without its token is no proof, and the run counts as started. (A command
// that reads the memory of the gate, or writes the ledger, can still lie: it runs as the same user.)
// Marks are not synced, so they are trusted on the boot they were written on only (DESIGN, Running a command exactly once).
// A run is named by key, pid and start time of its gate: two attempts at one key never share a mark, and none is reused.
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from '../files/makeFolders.ts';
import type { ProcessId } from './processes.ts';

/** What the mark of one run proves. `started` is also the answer where it proves nothing. */
export type Marks =
  { readonly kind: 'held' } | { readonly kind: 'started' } | { readonly kind: 'exited'; readonly exitCode: number };

/** A run that is held: what its gate must be told, and what the ledger must keep. */
export interface HeldMark {
  /** For the gate: path of the mark and token of its end. */
  readonly path: string;
  readonly token: string;
  /** Public: what a mark is checked against. */
  readonly seal: string;
}

/** One run at the gate: whose, and the seal that its entry stored; a run without a seal has no believable mark. */
export interface SealedRun {
  readonly bootId: string;
  readonly key: string;
  readonly gate: ProcessId;
  readonly seal: string | null;
}

export interface GateMarks {
  /** Makes the run's mark, saying `held`. */
  hold(bootId: string, key: string, gate: ProcessId): Promise<HeldMark>;
  read(run: SealedRun): Promise<Marks>;
}

/** Marks under `directory`, one folder a boot. Folders of earlier boots are removed: nothing in them counts any more. */
export function gateMarks(directory: string): GateMarks {
  let isTidied = false;
  const folderOf = (bootId: string): string => join(directory, shortHash(bootId));
  const pathOf = (bootId: string, key: string, gate: ProcessId): string =>
    join(folderOf(bootId), `${key}.${gate.pid}-${shortHash(gate.startedAt)}.mark`);
  return {
    async hold(bootId, key, gate) {
      await makeFolders(folderOf(bootId), { mode: 0o700 });
      if (!isTidied) await removeOtherBoots(directory, shortHash(bootId));
      isTidied = true;
      const path = pathOf(bootId, key, gate);
      const token = randomBytes(16).toString('hex');
      await writeFile(path, `held ${heldToken(token)}\n`, { mode: 0o600 });
      return { path, token, seal: sealOf(heldToken(token)) };
    },
    async read({ bootId, key, gate, seal }) {
      const text = (await textOrNull(pathOf(bootId, key, gate))) ?? '';
      const held = /^held ([0-9a-f]{64})\n$/.exec(text)?.[1];
      if (held !== undefined && sealOf(held) === seal) return { kind: 'held' };
      const [, code, token = ''] = /^exit (\d{1,10}) ([0-9a-f]{32})\n$/.exec(text) ?? [];
      if (code !== undefined && sealOf(heldToken(token)) === seal) return { kind: 'exited', exitCode: Number(code) };
      return { kind: 'started' };
    },
  };
}

// Three links of a chain: end token -> held token -> seal. Whoever knows one can make the later ones, never an earlier one,
// and the command can know the seal alone: the held token is gone from the file before it starts.
function heldToken(token: string): string {
  return sha256(`belay-held ${token}`);
}

function sealOf(held: string): string {
  return sha256(`belay-seal ${held}`).slice(0, 32);
}

const BOOT_FOLDER = /^[0-9a-f]{16}$/;

async function removeOtherBoots(directory: string, current: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name === current || !BOOT_FOLDER.test(name)) continue;
    const folder = join(directory, name);
    if ((await stat(folder)).isDirectory()) await rm(folder, { recursive: true, force: true });
  }
}

/** A mark is one short line; a command may have put anything in its place. */
const MAX_MARK_BYTES = 200;

/** Null where there is no such file or no mark in its place; other trouble is thrown, since an unreadable mark is not an absent one. */
async function textOrNull(file: string): Promise<string | null> {
  try {
    // A pipe or a device in its place would never end.
    const { size } = await stat(file).then((is) => (is.isFile() ? is : { size: Infinity }));
    return size > MAX_MARK_BYTES ? null : await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function shortHash(text: string): string {
  return sha256(text).slice(0, 16);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

// Files that a write needs beside its target while it is going on. Their names say which process they belong to and which
// target, so that two processes never write one target at the same time, and what a dead one left behind is known as ours.
// A name that was not made here is never taken for one: such a file belongs to the user.
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Disk } from './disk.ts';

/** Names of unfinished files end in this. */
const UNFINISHED = '.belay-tmp';
const PATTERN = /^\.[\w.-]{0,24}\.([0-9a-f]{8})\.([0-9a-f]{8})-(\d{1,10})-([0-9a-f]{18})\.(new|old)\.belay-tmp$/;
/** A write takes seconds. Later the number of a living process has been given to another one, or the process sleeps. */
const OWNER_PATIENCE_MS = 600_000;
/** Whether a process of another machine or container lives cannot be asked. */
const STRANGER_PATIENCE_MS = 60_000;

/** `new`: holds the place of a target and gets its new bytes. `old`: the file that stood there, until the write is done. */
export type UnfinishedRole = 'new' | 'old';

export interface UnfinishedFile {
  readonly path: string;
  readonly role: UnfinishedRole;
  /** Same for all unfinished files of one target. */
  readonly target: string;
  readonly machine: string;
  readonly pid: number;
  /** Same for all unfinished files of one edit; in the order in which edits began. */
  readonly edit: string;
}

/** Is this the name of an unfinished file? */
export function isUnfinished(name: string): boolean {
  return PATTERN.test(name);
}

/** A name for one edit that no other has; it sorts by the time. */
export function editId(): string {
  return Date.now().toString(16).padStart(12, '0') + randomBytes(3).toString('hex');
}

/** A new name beside the target. It is short and plain whatever the target is called. */
export function unfinishedPath(target: string, role: UnfinishedRole, edit: string): string {
  const plain = basename(target)
    .replace(/[^\w.-]/g, '_')
    .slice(0, 24);
  const owner = `${machineTag()}-${process.pid}-${edit}`;
  return join(dirname(target), `.${plain}.${targetKey(target)}.${owner}.${role}${UNFINISHED}`);
}

/** The unfinished files of a folder. */
export async function unfinishedIn(disk: Disk, folder: string): Promise<readonly UnfinishedFile[]> {
  return (await disk.readdir(folder)).flatMap((name) => {
    const [, target = '', machine = '', pid = '', edit = '', role] = PATTERN.exec(name) ?? [];
    if (role === undefined) return [];
    const path = join(folder, name);
    return [{ path, role: role === 'old' ? 'old' : 'new', target, machine, pid: Number(pid), edit }];
  });
}

/** What names a target within its folder. */
export function targetKey(target: string): string {
  return digest(basename(target));
}

/** Is the write that this file belongs to surely over? Unsure means no. */
export async function isAbandoned(disk: Disk, { path, machine, pid }: UnfinishedFile): Promise<boolean> {
  if (machine === machineTag() && !isProcessAlive(pid)) return true;
  const patienceMs = machine === machineTag() ? OWNER_PATIENCE_MS : STRANGER_PATIENCE_MS;
  try {
    return Date.now() - (await disk.lstat(path)).ctimeMs > patienceMs;
  } catch {
    // Gone: nothing is left to be abandoned.
    return false;
  }
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

let tag: string | null = null;

/** Process numbers mean something only on one machine, in one boot of it and in one of its process namespaces. */
function machineTag(): string {
  tag ??= digest(
    [
      hostname(),
      textOr('', () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
      textOr('', () => readlinkSync('/proc/self/ns/pid')),
    ].join('\n'),
  );
  return tag;
}

function textOr(fallback: string, read: () => string): string {
  try {
    return read();
  } catch {
    // Only Linux has these.
    return fallback;
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

// The process table of Linux: /proc (proc(5)). It shows sessions and, of the user's own processes, the environment, so that
// what left the session (setsid, nohup, a double fork) is found by its tag.
import { readdir, readFile } from 'node:fs/promises';
import { ENTRY_TAG, isDead, shownCommand } from './processes.ts';
import type { ProcessId, ProcessTable, Straggler } from './processes.ts';

interface Stat {
  readonly name: string;
  readonly state: string;
  readonly session: number;
  readonly startedAt: string;
}

/** Fields 2, 3, 6 and 22 of /proc/pid/stat; field 2 may itself hold spaces and parentheses. */
async function readStat(pid: number): Promise<Stat | null> {
  const text = await readOrNull(`/proc/${pid}/stat`);
  const close = text?.lastIndexOf(')') ?? -1;
  const fields = text?.slice(close + 2).split(' ');
  const [state, session, startedAt] = [fields?.[0], fields?.[3], fields?.[19]];
  if (state === undefined || session === undefined || startedAt === undefined) return null;
  const name = text?.slice(text.indexOf('(') + 1, close) ?? '';
  return { name, state, session: Number(session), startedAt };
}

async function readOrNull(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    // Gone meanwhile, or not ours to read: for the question asked here it is not there.
    return null;
  }
}

/** The table of a Linux machine. */
export function linuxTable(): ProcessTable {
  return {
    bootId: async () => (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim(),
    startedAt: async (pid) => {
      const stat = await readStat(pid);
      return stat && !isDead(stat.state) ? stat.startedAt : null;
    },
    async stragglers(leader, key) {
      const first = await scan(leader, key);
      // A process that forks while the table is read can slip through one pass, hardly through two.
      return first.length > 0 ? first : scan(leader, key);
    },
  };
}

async function scan(leader: ProcessId, key: string): Promise<readonly Straggler[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const leaderNow = await readStat(leader.pid);
  // The session's number is free for others only once the leader and all its members are gone.
  const isReused = leaderNow !== null && leaderNow.startedAt !== leader.startedAt;
  const found = await Promise.all(pids.map((pid) => stragglerOf(pid, leader, isReused, key)));
  return found.filter((one) => one !== null);
}

async function stragglerOf(pid: number, leader: ProcessId, isReused: boolean, key: string): Promise<Straggler | null> {
  if (pid === process.pid) return null;
  const stat = await readStat(pid);
  if (!stat || isDead(stat.state)) return null;
  // Nobody is older than the gate that he comes from; most processes of a machine are, and need no second look.
  if (Number(stat.startedAt) < Number(leader.startedAt)) return null;
  const isMember = !isReused && stat.session === leader.pid;
  if (!isMember && !(await isTagged(pid, key))) return null;
  const words = (await readOrNull(`/proc/${pid}/cmdline`))?.replaceAll('\0', ' ') ?? '';
  return { pid, startedAt: stat.startedAt, command: shownCommand(words) || `[${stat.name}]` };
}

async function isTagged(pid: number, key: string): Promise<boolean> {
  const environment = await readOrNull(`/proc/${pid}/environ`);
  return environment?.split('\0').includes(`${ENTRY_TAG}=${key}`) ?? false;
}

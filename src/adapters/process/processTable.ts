// What the machine says of its processes: who lives, since when, in which session, with which tag.
// A pid alone proves nothing (pids are reused), so every identity is a pid with its start time, on one boot.
// Linux reads /proc (proc(5)); other systems ask `ps`, which cannot show another process's environment.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Every process of a gated command carries this environment variable with the key of its ledger entry. */
export const ENTRY_TAG = 'BELAY_ENTRY';

/** A process identified beyond reuse of its pid. */
export interface ProcessId {
  readonly pid: number;
  /** Opaque; equal only for the same process on the same boot. */
  readonly startedAt: string;
}

export interface ProcessTable {
  /** Changes with every boot of the machine. */
  bootId(): Promise<string>;
  /** Start time of a living process (a zombie is dead); null when there is none of this pid. */
  startedAt(pid: number): Promise<string | null>;
  /** Pids in the session that `leader` started, or tagged with `key`. This process itself never counts. */
  stragglers(leader: ProcessId, key: string): Promise<readonly number[]>;
}

/** Is exactly this process alive? */
export async function isAlive(table: ProcessTable, process: ProcessId): Promise<boolean> {
  return (await table.startedAt(process.pid)) === process.startedAt;
}

/** The table of this machine. */
export function processTable(): ProcessTable {
  if (process.platform === 'linux') return linuxTable();
  return process.platform === 'win32' ? selfOnlyTable() : portableTable();
}

interface Stat {
  readonly state: string;
  readonly session: number;
  readonly startedAt: string;
}

/** Fields 3, 6 and 22 of /proc/pid/stat; field 2 may itself hold spaces and parentheses. */
async function readStat(pid: number | string): Promise<Stat | null> {
  const text = await readOrNull(`/proc/${pid}/stat`);
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, session, startedAt] = [fields?.[0], fields?.[3], fields?.[19]];
  if (state === undefined || session === undefined || startedAt === undefined) return null;
  return { state, session: Number(session), startedAt };
}

async function readOrNull(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    // Gone meanwhile, or not ours to read: for the question asked here it is not there.
    return null;
  }
}

const isDead = (state: string): boolean => state === 'Z' || state === 'X' || state === 'x';

function linuxTable(): ProcessTable {
  const startedAt = async (pid: number): Promise<string | null> => {
    const stat = await readStat(pid);
    return stat && !isDead(stat.state) ? stat.startedAt : null;
  };
  const scan = async (leader: ProcessId, key: string): Promise<readonly number[]> => {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    const leaderNow = await readStat(leader.pid);
    // The session's number is free for others only once the leader and all its members are gone.
    const isReused = leaderNow !== null && leaderNow.startedAt !== leader.startedAt;
    const found = await Promise.all(pids.map((pid) => isStraggler(pid, isReused ? null : leader.pid, key)));
    return pids.filter((_, i) => found[i]);
  };
  return {
    bootId: async () => (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim(),
    startedAt,
    async stragglers(leader, key) {
      const first = await scan(leader, key);
      // A process that forks while the table is read can slip through one pass, hardly through two.
      return first.length > 0 ? first : scan(leader, key);
    },
  };
}

async function isStraggler(pid: number, session: number | null, key: string): Promise<boolean> {
  if (pid === process.pid) return false;
  const stat = await readStat(pid);
  if (!stat || isDead(stat.state)) return false;
  if (session !== null && stat.session === session) return true;
  const environment = await readOrNull(`/proc/${pid}/environ`);
  return environment?.split('\0').includes(`${ENTRY_TAG}=${key}`) ?? false;
}

const run = promisify(execFile);

async function outputOf(program: string, args: readonly string[]): Promise<string> {
  try {
    return (await run(program, [...args])).stdout.trim();
  } catch {
    // `ps` ends with 1 when no process matches; an absent program is told by the empty boot id below.
    return '';
  }
}

/** macOS and the BSDs. Sessions are not shown reliably there: the process group, which the gate also leads, is used. */
function portableTable(): ProcessTable {
  return {
    async bootId() {
      const id =
        (await outputOf('sysctl', ['-n', 'kern.bootsessionuuid'])) ||
        (await outputOf('sysctl', ['-n', 'kern.boottime']));
      if (id === '') throw new Error('this system does not tell when it was started (sysctl kern.boottime)');
      return id;
    },
    async startedAt(pid) {
      const [state, ...started] = (await outputOf('ps', ['-o', 'stat=,lstart=', '-p', String(pid)])).split(/\s+/);
      return started.length > 0 && !isDead(state?.[0] ?? 'Z') ? started.join(' ') : null;
    },
    async stragglers(leader) {
      const lines = (await outputOf('ps', ['-axo', 'pid=,pgid=,stat='])).split('\n');
      const rows = lines.map((line) => line.trim().split(/\s+/));
      const members = rows.filter(([, group, state]) => Number(group) === leader.pid && !isDead(state?.[0] ?? 'Z'));
      return members.map(([pid]) => Number(pid)).filter((pid) => pid !== process.pid);
    },
  };
}

/** Windows, where no command is gated in this version: enough to own an edit, whose probe needs no processes. */
function selfOnlyTable(): ProcessTable {
  const ownStart = String(Math.round(performance.timeOrigin));
  return {
    bootId: () => Promise.resolve('windows'),
    startedAt: (pid) => Promise.resolve(pid === process.pid ? ownStart : null),
    stragglers: () => Promise.resolve([]),
  };
}

// The process table of macOS and the BSDs: `ps` and `sysctl`. Sessions are not shown reliably there, so the process group,
// which the gate also leads, is used; `e` shows the environment of the user's own processes where the system allows it,
// so that what left the group is found by its tag. A command line that merely quotes the tag counts, too: that is careful.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ENTRY_TAG, isDead, shownCommand } from './processes.ts';
import type { ProcessTable } from './processes.ts';

const run = promisify(execFile);

/** Runs a program of the system and gives its output; rejects where it cannot be run. */
export type SystemQuery = (program: string, args: readonly string[]) => Promise<string>;

const MAX_TABLE_BYTES = 32 * 1024 * 1024;

const systemQuery: SystemQuery = async (program, args) => {
  // Start times are printed in the language and time zone of the reader.
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };
  try {
    return (await run(program, [...args], { env, maxBuffer: MAX_TABLE_BYTES })).stdout;
  } catch (error) {
    // `ps` ends with 1 when no process matches, `sysctl` when it does not know the name.
    if (error instanceof Error && 'code' in error && error.code === 1) return '';
    throw error;
  }
};

/** Fields: pid, group, state, start time (five words), command line. */
const ROW = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/;
const FORMAT = 'pid=,pgid=,stat=,lstart=,command=';

/** The table of a system that has `ps`. */
export function portableTable(query: SystemQuery = systemQuery): ProcessTable {
  return {
    async bootId() {
      for (const name of ['kern.bootsessionuuid', 'kern.boottime']) {
        const id = (await query('sysctl', ['-n', name])).trim();
        if (id !== '') return id;
      }
      throw new Error('this system does not tell when it was started (sysctl kern.boottime)');
    },
    async startedAt(pid) {
      const [state, ...started] = (await query('ps', ['-o', 'stat=,lstart=', '-p', String(pid)])).trim().split(/\s+/);
      return started.length > 0 && !isDead(state ?? 'Z') ? started.join(' ') : null;
    },
    async stragglers(leader, key) {
      const plain = rowsOf(await query('ps', ['-axww', '-o', FORMAT]));
      const withEnvironment = await query('ps', ['axeww', '-o', 'pid=,command=']).catch(() => '');
      const tagged = new Set(taggedPids(withEnvironment, key));
      const leaderNow = plain.find((row) => row.pid === leader.pid);
      const isReused = leaderNow !== undefined && leaderNow.startedAt !== leader.startedAt;
      return plain
        .filter((row) => row.pid !== process.pid && !isDead(row.state))
        .filter((row) => (!isReused && row.group === leader.pid) || tagged.has(row.pid))
        .map(({ pid, startedAt, command }) => ({ pid, startedAt, command }));
    },
  };
}

interface Row {
  readonly pid: number;
  readonly group: number;
  readonly state: string;
  readonly startedAt: string;
  readonly command: string;
}

function rowsOf(text: string): readonly Row[] {
  return text.split('\n').flatMap((line): Row[] => {
    const [, pid, group, state = '', started = '', command = ''] = ROW.exec(line) ?? [];
    if (pid === undefined) return [];
    const startedAt = started.split(/\s+/).join(' ');
    return [{ pid: Number(pid), group: Number(group), state, startedAt, command: shownCommand(command) }];
  });
}

function taggedPids(text: string, key: string): readonly number[] {
  return text.split('\n').flatMap((line) => {
    const [pid = '', ...words] = line.trim().split(/\s+/);
    return words.includes(`${ENTRY_TAG}=${key}`) ? [Number(pid)] : [];
  });
}

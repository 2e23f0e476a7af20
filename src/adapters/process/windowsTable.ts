// The process table of Windows: one question to the system (CIM, Win32_Process) through PowerShell, which is part of it.
// There are no sessions of a command and no foreign environments: what belongs to a command is found by who started whom.
// A parent's pid may be reused, so a child counts only where it is younger than its parent. What was started by a process
// that has ended meanwhile is not found, but for what the gate itself started.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as z from 'zod';
import { shownCommand } from './processes.ts';
import type { ProcessId, ProcessTable, Straggler } from './processes.ts';

const run = promisify(execFile);

/** Start times as file times (100 ns since 1601) in text: a JSON number of this size would be rounded. */
const SCRIPT = [
  "$ErrorActionPreference = 'Stop'",
  '[Console]::OutputEncoding = [System.Text.Encoding]::UTF8',
  'Get-CimInstance -ClassName Win32_Process | Select-Object ProcessId, ParentProcessId, Name, CommandLine,' +
    " @{ n = 'Created'; e = { if ($_.CreationDate) { [string]$_.CreationDate.ToFileTimeUtc() } else { '' } } } |" +
    ' ConvertTo-Json -Compress',
].join('; ');

/** The words of the question. */
export const WINDOWS_QUERY: readonly string[] = [
  'powershell.exe',
  '-NoLogo',
  '-NoProfile',
  '-NonInteractive',
  '-Command',
  SCRIPT,
];

const rowSchema = z.object({
  ProcessId: z.int(),
  ParentProcessId: z.int(),
  Name: z.string().nullish(),
  CommandLine: z.string().nullish(),
  Created: z.string().nullish(),
});

interface Row extends Straggler {
  readonly parent: number;
}

const UNTOLD = 'Windows does not tell its processes; check that PowerShell may run Get-CimInstance Win32_Process';

const QUERY_MS = 20_000;

async function askWindows(): Promise<string> {
  const [program = '', ...words] = WINDOWS_QUERY;
  const options = { windowsHide: true, timeout: QUERY_MS, maxBuffer: 64 * 1024 * 1024, encoding: 'utf8' } as const;
  return (await run(program, words, options)).stdout;
}

/** The table of a Windows machine. `ask` answers `WINDOWS_QUERY`. */
export function windowsTable(ask: () => Promise<string> = askWindows): ProcessTable {
  // Where the system does not answer, edits are still owned (they need no processes); commands are refused from then on,
  // since one identity made without the table and one made with it could not be compared.
  let isBlind = false;
  const rows = async (): Promise<readonly Row[]> => {
    if (isBlind) throw new Error(UNTOLD);
    return rowsOf(await ask());
  };
  return {
    async bootId() {
      if (isBlind) return 'windows';
      // The system's own process is there since the boot and is the oldest; the stated boot time moves with the clock.
      const oldest = (await rows()).map((row) => BigInt(row.startedAt || '0')).filter((time) => time > 0n);
      const [first] = oldest.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      if (first === undefined) throw new Error(UNTOLD);
      return `windows-${first}`;
    },
    async startedAt(pid) {
      try {
        return (await rows()).find((row) => row.pid === pid)?.startedAt ?? null;
      } catch (error) {
        if (pid !== process.pid) throw error;
        isBlind = true;
        return String(Math.round(performance.timeOrigin));
      }
    },
    async stragglers(leader) {
      return below(leader, await rows()).map(({ pid, startedAt, command }) => ({ pid, startedAt, command }));
    },
  };
}

/** Throws where it is no answer: an unread table is not an empty one. */
function rowsOf(text: string): readonly Row[] {
  const parsed: unknown = JSON.parse(text.replace(/^\ufeff/, '').trim());
  return z
    .array(rowSchema)
    .parse(Array.isArray(parsed) ? parsed : [parsed])
    .map((row) => ({
      pid: row.ProcessId,
      parent: row.ParentProcessId,
      startedAt: row.Created ?? '',
      command: shownCommand(row.CommandLine ?? '') || (row.Name ?? ''),
    }));
}

/** The gate itself where it lives, and everything below it. */
function below(leader: ProcessId, rows: readonly Row[]): readonly Row[] {
  const found = new Map<number, Row>();
  const own = rows.find((row) => row.pid === leader.pid);
  const isReused = own !== undefined && own.startedAt !== leader.startedAt;
  if (own && !isReused) found.set(own.pid, own);
  const parents: ProcessId[] = [leader];
  for (let parent = parents.pop(); parent; parent = parents.pop()) {
    for (const row of rows) {
      if (row.parent !== parent.pid || row.pid === process.pid || found.has(row.pid)) continue;
      if (!isYounger(row, parent) || (isReused && parent === leader && isYounger(row, own))) continue;
      found.set(row.pid, row);
      parents.push(row);
    }
  }
  return [...found.values()];
}

/** Without a start time it counts as younger: careful. */
function isYounger(row: ProcessId, other: ProcessId): boolean {
  if (row.startedAt === '' || other.startedAt === '') return true;
  return BigInt(row.startedAt) >= BigInt(other.startedAt);
}

// What the machine says of its processes: who lives, since when, in which session, with which tag.
// A pid alone proves nothing (pids are reused), so every identity is a pid with its start time, on one boot.
// Each system has its own way of asking: linuxTable.ts, portableTable.ts (macOS, the BSDs), windowsTable.ts.
import { linuxTable } from './linuxTable.ts';
import { portableTable } from './portableTable.ts';
import type { ProcessId, ProcessTable } from './processes.ts';
import { windowsTable } from './windowsTable.ts';

/** Is exactly this process alive? */
export async function isAlive(table: ProcessTable, process: ProcessId): Promise<boolean> {
  return (await table.startedAt(process.pid)) === process.startedAt;
}

/** The table of this machine. */
export function processTable(): ProcessTable {
  if (process.platform === 'linux') return linuxTable();
  return process.platform === 'win32' ? windowsTable() : portableTable();
}

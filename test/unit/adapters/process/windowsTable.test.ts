// The table of Windows from recorded answers of PowerShell 5.1: one line of JSON, start times as file times.
import { describe, expect, it } from 'vitest';
import { taskkillWords } from '../../../../src/adapters/process/processGroup.ts';
import { WINDOWS_QUERY, windowsTable } from '../../../../src/adapters/process/windowsTable.ts';

interface Row {
  readonly pid: number;
  readonly parent: number;
  readonly created: string;
  readonly line?: string | null;
  readonly name?: string;
}

const row = ({ pid, parent, created, line = null, name = 'node.exe' }: Row) => ({
  ProcessId: pid,
  ParentProcessId: parent,
  Name: name,
  CommandLine: line,
  Created: created,
});

const GATE: Row = { pid: 7316, parent: 5120, created: '134090123456789012', line: '"C:\\Code.exe" -e ...' };
const SYSTEM: readonly Row[] = [
  { pid: 0, parent: 0, created: '', name: 'System Idle Process' },
  { pid: 4, parent: 0, created: '134090000000000001', name: 'System' },
  { pid: 5120, parent: 900, created: '134090100000000000', name: 'Code.exe' },
];
const tableOf = (...rows: readonly Row[]) => windowsTable(() => Promise.resolve(JSON.stringify(rows.map(row))));
const leader = { pid: GATE.pid, startedAt: GATE.created };

describe('the process table of Windows', () => {
  it('tells the start of a living process to the last digit, and null for none', async () => {
    const table = tableOf(...SYSTEM, GATE);
    expect(await table.startedAt(7316)).toBe('134090123456789012');
    expect(await table.startedAt(4711)).toBeNull();
  });

  it('names the boot by its oldest process, which no clock moves', async () => {
    expect(await tableOf(...SYSTEM, GATE).bootId()).toBe('windows-134090000000000001');
  });

  it('finds what a command left by who started whom, also deeper and after the gate has ended', async () => {
    const shell: Row = { pid: 8000, parent: 7316, created: '134090123456999999', line: 'pwsh.exe  -Command x' };
    const server: Row = { pid: 8100, parent: 8000, created: '134090123457999999', line: 'node server.js' };
    expect(await tableOf(...SYSTEM, shell, server).stragglers(leader, 'k')).toEqual([
      { pid: 8000, startedAt: shell.created, command: 'pwsh.exe -Command x' },
      { pid: 8100, startedAt: server.created, command: 'node server.js' },
    ]);
  });

  it('does not take an older process for the child of a pid that was reused', async () => {
    const older: Row = { pid: 8000, parent: 7316, created: '134090000000000777' };
    expect(await tableOf(...SYSTEM, older, GATE).stragglers(leader, 'k')).toEqual([
      { pid: 7316, startedAt: GATE.created, command: '"C:\\Code.exe" -e ...' },
    ]);
  });

  it('does not take the children of whoever has the pid of the gate now for its own', async () => {
    const successor: Row = { ...GATE, created: '134090200000000000' };
    const foreign: Row = { pid: 8000, parent: 7316, created: '134090200000000001' };
    const own: Row = { pid: 8001, parent: 7316, created: '134090150000000000', name: 'sleep.exe' };
    const found = await tableOf(...SYSTEM, successor, foreign, own).stragglers(leader, 'k');
    expect(found).toEqual([{ pid: 8001, startedAt: own.created, command: 'sleep.exe' }]);
  });

  it('reads the answer for a single process, which is no list, and a byte order mark', async () => {
    const single = windowsTable(() => Promise.resolve(`\ufeff${JSON.stringify(row(GATE))}\r\n`));
    expect(await single.startedAt(7316)).toBe(GATE.created);
  });

  it.each(['', 'Get-CimInstance : Access denied', '[{"ProcessId":"x"}]'])(
    'takes %j for no answer, not for an empty table',
    async (text) => {
      const table = windowsTable(() => Promise.resolve(text));
      await expect(table.stragglers(leader, 'k')).rejects.toThrow();
      await expect(table.startedAt(1)).rejects.toThrow();
    },
  );

  it('still knows this process where it has no answer, so that edits go on, and nothing else from then on', async () => {
    let isAnswering = false;
    const table = windowsTable(() => Promise.resolve(isAnswering ? JSON.stringify(SYSTEM.map(row)) : 'Access denied'));
    expect(await table.startedAt(process.pid)).toMatch(/^\d+$/);
    expect(await table.bootId()).toBe('windows');
    isAnswering = true;
    await expect(table.startedAt(4)).rejects.toThrow('Get-CimInstance');
    await expect(table.stragglers(leader, 'k')).rejects.toThrow('Get-CimInstance');
  });

  it('asks once, without a profile, a prompt or a picture of anything it does not need', () => {
    const [program, ...words] = WINDOWS_QUERY;
    expect(program).toBe('powershell.exe');
    expect(words.slice(0, -1)).toEqual(['-NoLogo', '-NoProfile', '-NonInteractive', '-Command']);
    const script = words.at(-1) ?? '';
    for (const part of [
      'Get-CimInstance -ClassName Win32_Process',
      'ParentProcessId',
      'ToFileTimeUtc()',
      'ConvertTo-Json -Compress',
      'UTF8',
    ]) {
      expect(script).toContain(part);
    }
    expect(script).not.toContain('"');
  });
});

describe('ending a tree on Windows', () => {
  it('is asked of taskkill with the pid, the tree and by force', () => {
    expect(taskkillWords(7316)).toEqual(['taskkill', '/PID', '7316', '/T', '/F']);
  });
});

// The table of macOS from what its `ps` and `sysctl` print.
import { describe, expect, it } from 'vitest';
import { portableTable } from '../../../../src/adapters/process/portableTable.ts';
import type { SystemQuery } from '../../../../src/adapters/process/portableTable.ts';

const STARTED = 'Mon Nov 30 09:41:07 2026';
const PROCESSES = `
    1     1 Ss   Mon Nov 30 08:00:01 2026     /sbin/launchd
  501   501 Ss   ${STARTED}     /bin/sh -c gate
  502   501 S    Mon Nov 30 09:41:08 2026     sleep 30
  503   501 Z    Mon Nov 30 09:41:08 2026     (sleep)
  504   504 S    Mon Nov 30 09:41:09 2026     node   server.js
  505   505 S    Mon Nov 30 09:41:09 2026     node other.js
`;
const ENVIRONMENTS = `
  504 node server.js PATH=/bin BELAY_ENTRY=k1 HOME=/Users/bob
  505 node other.js PATH=/bin BELAY_ENTRY=k12
`;

function machine(answers: Readonly<Record<string, string>>): SystemQuery {
  return (program, args) => {
    const line = [program, ...args].join(' ');
    const found = Object.entries(answers).find(([start]) => line.startsWith(start));
    return found ? Promise.resolve(found[1]) : Promise.reject(new Error(`${line} is not known`));
  };
}

const mac = machine({
  'ps -axww': PROCESSES,
  'ps axeww': ENVIRONMENTS,
  'ps -o stat=,lstart= -p 501': `Ss   ${STARTED}\n`,
  'ps -o stat=,lstart= -p 503': `Z    ${STARTED}\n`,
  'ps -o': '',
  'sysctl -n kern.bootsessionuuid': '0F0F-11\n',
});

describe('the process table of macOS', () => {
  it('tells the start of a living process; a zombie and nobody have none', async () => {
    const table = portableTable(mac);
    expect(await table.startedAt(501)).toBe(STARTED);
    expect(await table.startedAt(503)).toBeNull();
    expect(await table.startedAt(9)).toBeNull();
  });

  it('finds the group of the gate and what carries its tag, with command lines, and no zombie', async () => {
    const found = await portableTable(mac).stragglers({ pid: 501, startedAt: STARTED }, 'k1');
    expect(found.map(({ pid, command }) => [pid, command])).toEqual([
      [501, '/bin/sh -c gate'],
      [502, 'sleep 30'],
      [504, 'node server.js'],
    ]);
  });

  it('finds the tagged alone where the pid of the gate belongs to somebody else now', async () => {
    const found = await portableTable(mac).stragglers({ pid: 501, startedAt: 'Mon Nov 30 07:00:00 2026' }, 'k1');
    expect(found.map(({ pid }) => pid)).toEqual([504]);
  });

  it('does without tags where the system shows no environments', async () => {
    const shy = machine({ 'ps -axww': PROCESSES });
    const found = await portableTable(shy).stragglers({ pid: 501, startedAt: STARTED }, 'k1');
    expect(found.map(({ pid }) => pid)).toEqual([501, 502]);
  });

  it('rejects where the system does not answer: an unread table is not an empty one', async () => {
    await expect(portableTable(machine({})).stragglers({ pid: 501, startedAt: STARTED }, 'k1')).rejects.toThrow();
  });

  it('names the boot by its session, else by its time, and does not go on without either', async () => {
    expect(await portableTable(mac).bootId()).toBe('0F0F-11');
    const old = machine({ 'sysctl -n kern.bootsessionuuid': '', 'sysctl -n kern.boottime': '{ sec = 1 }\n' });
    expect(await portableTable(old).bootId()).toBe('{ sec = 1 }');
    await expect(portableTable(machine({ sysctl: '' })).bootId()).rejects.toThrow('kern.boottime');
  });

  it.runIf(process.platform !== 'win32')('agrees with this machine about this process', async () => {
    const table = portableTable();
    const startedAt = await table.startedAt(process.pid);
    expect(startedAt).toMatch(/^\w{3} \w{3} \d+ \d\d:\d\d:\d\d \d{4}$/);
    expect(await table.startedAt(process.pid)).toBe(startedAt);
  });
});

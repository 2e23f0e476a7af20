// The kinds of gate and process table that this machine can play: its own, the gate of Windows, the table of macOS.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatedCommands } from '../../src/adapters/process/gatedCommands.ts';
import type { GatedCommandsOptions } from '../../src/adapters/process/gatedCommands.ts';
import { portableTable } from '../../src/adapters/process/portableTable.ts';
import type { EntryOwner, LedgerEntry } from '../../src/core/ledger/entry.ts';
import { firstEntry } from '../../src/core/ledger/transition.ts';
import type { CommandPort, GatedCommand, GateTrace, HeldCommand, ReleasedRun } from '../../src/engine/ports.ts';
import { intentOf, must } from './memoryEntries.ts';

/** What differs between systems and can be tried on this one. `sysctl` is not: a boot has one name here. */
export const commandKinds: readonly { readonly kind: string; readonly options: Partial<GatedCommandsOptions> }[] = [
  { kind: 'the gate of a POSIX system', options: {} },
  { kind: 'the gate of Windows', options: { gate: 'node' } },
  {
    kind: 'the process table of macOS',
    options: { table: { ...portableTable(), bootId: () => Promise.resolve('this boot') } },
  },
];

export const never: AbortSignal = new AbortController().signal;
export const silent = (): void => undefined;
export const PATH = process.env.PATH ?? '';

/** A folder, a port on it, and small words for what tests do with them. */
export interface CommandBench {
  readonly folder: string;
  port: CommandPort;
  command(text: string, more?: Partial<GatedCommand>): GatedCommand;
  run(text: string, more?: Partial<GatedCommand>): Promise<ReleasedRun>;
  entryOf(held: Pick<HeldCommand, 'pid' | 'pidStartedAt'>, owner?: Partial<EntryOwner>): Promise<LedgerEntry>;
  /** A trace that no longer runs; a gate needs a moment to see that its parent is gone. */
  settled(entry: LedgerEntry): Promise<GateTrace>;
  renew(): void;
  dispose(): void;
}

/** A bench for one test. */
export function commandBench(options: Partial<GatedCommandsOptions> = {}): CommandBench {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'belay-command-')));
  const makePort = () => gatedCommands({ directory: join(folder, 'marks'), killGraceMs: 300, ...options });
  const bench: CommandBench = {
    folder,
    port: makePort(),
    command: (text, more = {}) => ({
      key: 'k1',
      shell: 'bash',
      command: text,
      cwd: folder,
      env: { PATH },
      timeoutMs: 20_000,
      outputLimitBytes: 10_000,
      ...more,
    }),
    run: async (text, more) => must(await bench.port.hold(bench.command(text, more))).release(never, silent),
    entryOf: async (held, owner = {}) => {
      const own = { ...(await bench.port.self()), childPid: held.pid, childStartedAt: held.pidStartedAt, ...owner };
      return { ...firstEntry(intentOf('a')), key: 'k1', owner: own };
    },
    settled: async (entry) => {
      for (;;) {
        const trace = await bench.port.trace(entry);
        if (trace.kind !== 'running') return trace;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    renew: () => {
      bench.port = makePort();
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
  return bench;
}

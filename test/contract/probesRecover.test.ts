import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sqliteStore } from '../../src/adapters/stores/sqliteStore.ts';
import { realClock } from '../../src/adapters/time/realClock.ts';
import { gatedCommands } from '../../src/adapters/process/gatedCommands.ts';
import { workspaceFiles } from '../../src/adapters/files/workspaceFiles.ts';
import type { ProbeBaseline } from '../../src/core/ledger/entry.ts';
import { editBaseline } from '../../src/core/ledger/probes.ts';
import type { EffectPorts } from '../../src/engine/effectEntry.ts';
import { recoverOpen } from '../../src/engine/recoverLedger.ts';
import { intentOf, must } from '../support/memoryEntries.ts';
import { probeBench } from '../support/probeBench.ts';
import type { ProbeBench } from '../support/probeBench.ts';

let bench: ProbeBench;
let windows: EffectPorts[];
beforeEach(() => {
  bench = probeBench();
  windows = [1, 2].map(() => ({
    clock: realClock(),
    store: sqliteStore({ file: bench.beside('ledger.db') }),
    command: gatedCommands({ directory: bench.beside('marks') }),
    files: workspaceFiles({ root: bench.workspace, beforeDirectory: bench.beside('before') }),
    approval: { ask: () => Promise.resolve({ choice: 'deny' as const, note: '', by: 'test' }) },
  }));
});
afterEach(async () => {
  await Promise.all(windows.map(({ store }) => store.close()));
  bench.remove();
});

/** An entry as a process of an earlier boot left it. */
async function left(name: string, probe: ProbeBaseline): Promise<string> {
  const owner = { pid: 1, pidStartedAt: '1', bootId: 'earlier', childPid: null, childStartedAt: null };
  return must(
    await windows[0]!.store.write({ prepare: intentOf(name, 'R2', { probe, owner, preparedAtMs: Date.now() }) }),
  )!.key;
}

async function hashOf(path: string): Promise<string> {
  return must(await windows[0]!.files.saveBefore(path))!;
}

it('settles every entry once when two windows recover the same ledger at the same moment, with real files and real git', async () => {
  bench.git('init', '-q');
  bench.git('commit', '-q', '--allow-empty', '-m', 'start');
  bench.write('log', 'x\n');
  const append = await left('append', await bench.before('echo a >> log'));
  const commit = await left('commit', await bench.before('git commit --allow-empty -m fix'));
  await bench.run('git commit --allow-empty -m fix', { isMarked: true });
  for (const name of ['a', 'b']) bench.write(name, 'old\n');
  const before = await hashOf('a');
  bench.write('a', 'new\n');
  const files = ['a', 'b'].map((path) => ({ path, beforeHash: before, afterHash: '' }));
  const after = await hashOf('a');
  const half = await left('half', editBaseline(files.map((file) => ({ ...file, afterHash: after }))));
  const results = await Promise.all(windows.map((ports) => recoverOpen(ports, {}, () => undefined)));
  const settled = new Map(results.flatMap((one) => must(one).changed).map(({ entry }) => [entry.key, entry.state]));
  expect(settled).toEqual(
    new Map([
      [append, 'RECONCILED_ABSENT'],
      [commit, 'RECONCILED_COMMITTED'],
      [half, 'RECONCILED_ABSENT'],
    ]),
  );
  for (const key of settled.keys()) expect(must(await windows[0]!.store.history(key))).toHaveLength(3);
  expect(bench.read('a')).toBe('old\n');
  expect(bench.read(join(bench.workspace, 'b'))).toBe('old\n');
}, 60_000);

it('keeps an entry for the window that looks at it, and lets the other see the answer', async () => {
  bench.write('log', 'x\n');
  const key = await left('append', await bench.before('echo a >> log'));
  const [first, second] = windows;
  const [entered, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const slow: EffectPorts = {
    ...first!,
    files: {
      ...first!.files,
      look: async (path) => {
        entered.resolve(undefined);
        await released.promise;
        return first!.files.look(path);
      },
    },
  };
  const looking = recoverOpen(slow, {}, () => undefined);
  await entered.promise;
  const meanwhile = must(await recoverOpen(second!, {}, () => undefined));
  expect(meanwhile.busy.map(({ entry, words }) => [entry.key, words.includes('another window')])).toEqual([
    [key, true],
  ]);
  released.resolve(undefined);
  expect(must(await looking).changed.map(({ entry }) => entry.state)).toEqual(['RECONCILED_ABSENT']);
  expect(must(await recoverOpen(second!, {}, () => undefined))).toMatchObject({ changed: [], unknown: [], busy: [] });
}, 60_000);

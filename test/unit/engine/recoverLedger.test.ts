import { describe, expect, it } from 'vitest';
import type { Intent, LedgerEntry, ProbeBaseline } from '../../../src/core/ledger/entry.ts';
import { sha256Hex } from '../../../src/core/ledger/key.ts';
import { editBaseline } from '../../../src/core/ledger/probes.ts';
import { placeBaseline } from '../../../src/core/ledger/probes/place.ts';
import { SAME_EFFECT } from '../../../src/core/ledger/rivals.ts';
import type { EffectPorts } from '../../../src/engine/effectEntry.ts';
import { whileBusy } from '../../../src/engine/effectBusy.ts';
import { underLease } from '../../../src/engine/effectLease.ts';
import { runGuardedCommand } from '../../../src/engine/guardedCommand.ts';
import { recoverOpen } from '../../../src/engine/recoverLedger.ts';
import type { RecoveredLedger, RecoverOptions } from '../../../src/engine/recoverLedger.ts';
import type { StoreFault } from '../../../src/engine/ports.ts';
import { changeOf, intentOf, must } from '../../support/memoryEntries.ts';
import { commandInput, memoryWorld } from '../../support/memoryWorld.ts';
import type { MemoryWorld } from '../../support/memoryWorld.ts';

/** The edit of some files: each `[path, before, after]`, null for no file. */
type Change = readonly [path: string, before: string | null, after: string | null];
const hashOf = (text: string | null): string | null => (text === null ? null : sha256Hex(text));
const editOf = (...changes: Change[]): ProbeBaseline =>
  editBaseline(
    changes.map(([path, before, after]) => ({ path, beforeHash: hashOf(before), afterHash: hashOf(after) })),
  );

/** Prepares an entry as a process left it that is gone. */
async function left(
  world: MemoryWorld,
  name: string,
  probe: ProbeBaseline | null,
  more: Partial<Intent> = {},
): Promise<string> {
  const owner = { pid: 99, pidStartedAt: 't99', bootId: 'boot', childPid: null, childStartedAt: null };
  return must(await world.store.write({ prepare: intentOf(name, 'R2', { probe, owner, ...more }) }))!.key;
}

async function recovered(
  world: MemoryWorld,
  options: RecoverOptions = {},
  ports: EffectPorts = world.ports,
): Promise<RecoveredLedger> {
  return must(await world.clock.run(recoverOpen(ports, options, (body) => world.events.push(body))));
}

const entryOf = async (world: MemoryWorld, key: string): Promise<LedgerEntry> => must(await world.store.entry(key))!;
const keep = async (world: MemoryWorld, ...texts: string[]): Promise<void> => {
  for (const text of texts) {
    world.files.contents.set('.image', text);
    must(await world.files.saveBefore('.image'));
  }
  world.files.contents.delete('.image');
};

describe('recovering the ledger', () => {
  it('settles what can be told, says what cannot, the oldest first, and moves nothing twice', async () => {
    const world = memoryWorld({ files: { a: 'new', b: 'old' } });
    const done = await left(world, 'first', editOf(['a', 'old', 'new']));
    const absent = await left(world, 'second', editOf(['b', 'old', 'new']));
    const unknown = await left(world, 'third', placeBaseline('/repo'));
    const result = await recovered(world);
    expect(result.changed.map(({ entry, from }) => [entry.key, from, entry.state])).toEqual([
      [done, 'PREPARED', 'RECONCILED_COMMITTED'],
      [absent, 'PREPARED', 'RECONCILED_ABSENT'],
    ]);
    expect(result.unknown.map(({ entry, from }) => [entry.key, from, entry.state])).toEqual([
      [unknown, 'PREPARED', 'UNKNOWN'],
    ]);
    expect(result.unknown[0]?.words).toContain('no probe can look for it');
    expect(result.unknown[0]?.words).toContain(`belay ledger reconcile ${unknown.slice(0, 12)}`);
    const again = await recovered(world);
    expect([again.changed.length, again.unknown.length, again.busy.length]).toEqual([0, 1, 0]);
    expect(must(await world.store.history(done)).map(({ to }) => to)).toEqual([
      'PREPARED',
      'UNKNOWN',
      'RECONCILED_COMMITTED',
    ]);
  });

  it('leaves what is still running, and what another window is at', async () => {
    const world = memoryWorld({ files: { a: 'new' } });
    const key = await left(world, 'first', editOf(['a', 'old', 'new']));
    world.commands.say({ kind: 'running', detail: 'process 12 is running' });
    const running = await recovered(world);
    expect(running.busy[0]?.words).toContain('process 12 is running');
    world.commands.say(null);
    await underLease({ ...world.ports, command: world.commands.asProcess(2) }, key, async () => {
      expect((await recovered(world)).busy[0]?.words).toContain('another window');
    });
    expect((await entryOf(world, key)).state).toBe('PREPARED');
    expect((await recovered(world)).changed).toHaveLength(1);
  });

  it('does not take what this very process is making for something left over', async () => {
    const world = memoryWorld({ files: { a: 'new', b: 'old' } });
    await keep(world, 'old');
    const key = await left(world, 'half', editOf(['a', 'old', 'new'], ['b', 'old', 'new']));
    await whileBusy(world.ports.command, key, async () => {
      expect((await recovered(world)).busy[0]?.words).toContain('this window is making it');
    });
    expect(world.files.contents.get('a')).toBe('new');
    expect((await recovered(world)).changed[0]?.entry.state).toBe('RECONCILED_ABSENT');
  });

  it('finds out once when two windows start at the same moment', async () => {
    const world = memoryWorld({ files: { a: 'new', b: 'old', c: 'new' } });
    await keep(world, 'old');
    const half = await left(world, 'half', editOf(['a', 'old', 'new'], ['b', 'old', 'new']));
    const whole = await left(world, 'whole', editOf(['c', 'old', 'new']));
    let applies = 0;
    const files = {
      ...world.files,
      apply: (...args: Parameters<typeof world.files.apply>) => (applies++, world.files.apply(...args)),
    };
    const windows = [1, 2, 3].map((pid) => ({ ...world.ports, files, command: world.commands.asProcess(pid) }));
    const emit = (): void => undefined;
    const results = await world.clock.run(Promise.all(windows.map((ports) => recoverOpen(ports, {}, emit))));
    expect(applies).toBe(1);
    for (const key of [half, whole]) expect(must(await world.store.history(key))).toHaveLength(3);
    expect(results.flatMap((one) => must(one).changed).length).toBeGreaterThanOrEqual(2);
    for (const key of [half, whole]) {
      const again = must(await world.store.lease({ key, holder: 'next', nowMs: world.clock.nowMs(), ttlMs: 1 }));
      expect(again.granted).toBe(true);
    }
  });

  it('is bounded in time, can be stopped, and can be asked for single entries or a task', async () => {
    const world = memoryWorld({ files: { a: 'new' } });
    const first = await left(world, 'first', editOf(['a', 'old', 'new']), { task: 'one' });
    const second = await left(world, 'second', editOf(['a', 'old', 'new']), { task: 'two' });
    expect(await recovered(world, { limitMs: 0 })).toMatchObject({ changed: [], leftCount: 2 });
    expect(await recovered(world, { signal: AbortSignal.abort() })).toMatchObject({ changed: [], leftCount: 2 });
    expect((await recovered(world, { keys: [second] })).changed.map(({ entry }) => entry.key)).toEqual([second]);
    expect((await recovered(world, { task: 'two' })).changed).toEqual([]);
    expect((await recovered(world, { task: 'one' })).changed.map(({ entry }) => entry.key)).toEqual([first]);
  });

  it('settles what follows another entry together with it', async () => {
    const world = memoryWorld({ files: { a: 'new' } });
    const leader = await left(world, 'leader', editOf(['a', 'old', 'new']));
    const follower = await left(world, 'follower', { kind: SAME_EFFECT, data: { key: leader } });
    const result = await recovered(world, { keys: [follower] });
    expect(result.changed.map(({ entry }) => [entry.key, entry.state])).toEqual([[follower, 'RECONCILED_COMMITTED']]);
    expect((await entryOf(world, leader)).state).toBe('RECONCILED_COMMITTED');
  });

  it('says why it ended early when the ledger fails on the way, and fails when it cannot be read at all', async () => {
    const world = memoryWorld({ files: { a: 'new' } });
    await left(world, 'first', editOf(['a', 'old', 'new']));
    const fault: StoreFault = { kind: 'locked', message: 'The ledger is locked. Close the other program.' };
    const failing = () => Promise.resolve({ ok: false, error: fault } as const);
    const late = await recovered(world, {}, { ...world.ports, store: { ...world.store, lease: failing } });
    expect(late).toMatchObject({ changed: [], leftCount: 1, trouble: fault.message });
    const none = { ...world.ports, store: { ...world.store, entries: failing } };
    expect(await recoverOpen(none, {}, () => undefined)).toEqual({ ok: false, error: fault });
  });

  it('finds an effect that is UNKNOWN although the window that made it is still open', async () => {
    const world = memoryWorld({ files: { a: 'old' } });
    const key = await left(world, 'first', editOf(['a', 'old', 'new']));
    must(await world.store.write({ changes: [changeOf(key, 'UNKNOWN', 1)] }));
    const command: EffectPorts['command'] = {
      ...world.ports.command,
      trace: (entry) =>
        Promise.resolve(
          entry.owner?.pid === 99 ? { kind: 'running', detail: 'process 99 lives' } : { kind: 'started' },
        ),
    };
    expect((await recovered(world, {}, { ...world.ports, command })).changed[0]?.entry.state).toBe('RECONCILED_ABSENT');
  });
});

describe('an edit that stopped half-way', () => {
  const half = editOf(
    ['changed', 'old', 'new'],
    ['made', null, 'made'],
    ['kept', 'same', 'other'],
    ['gone', 'was', null],
  );
  const world = async (more: Record<string, string> = {}): Promise<MemoryWorld> => {
    const made = memoryWorld();
    await keep(made, 'old', 'same', 'was');
    for (const [path, text] of Object.entries({ changed: 'new', made: 'made', kept: 'same', ...more }))
      made.files.contents.set(path, text);
    return made;
  };

  it('is put back file by file and is then known to be absent, with what was done as evidence', async () => {
    const here = await world();
    const key = await left(here, 'half', half);
    const { changed } = await recovered(here);
    expect(changed[0]?.entry).toMatchObject({ key, state: 'RECONCILED_ABSENT', evidence: { source: 'probe:edit' } });
    expect(changed[0]?.words).toContain('changed, made, gone: brought back');
    expect(here.files.contents.keys()).toEqual(['changed', 'gone', 'kept']);
    expect(['changed', 'gone', 'kept'].map((path) => here.files.contents.get(path))).toEqual(['old', 'was', 'same']);
  });

  it('stays as it is where a file holds something else, and is named', async () => {
    const here = await world({ kept: 'third' });
    await left(here, 'half', half);
    const { unknown } = await recovered(here);
    expect(unknown[0]?.words).toContain('neither as before nor as after the edit: kept');
    expect(here.files.contents.get('changed')).toBe('new');
  });

  it('stays as it is where a before-image is missing or a write fails', async () => {
    const here = await world();
    await left(here, 'half', half);
    here.files.before.delete(sha256Hex('old'));
    expect((await recovered(here)).unknown[0]?.words).toContain('what changed held before is not kept any more');
    expect(here.files.contents.get('made')).toBe('made');
    await keep(here, 'old');
    here.files.readOnly.add('changed');
    expect((await recovered(here)).unknown[0]?.words).toContain('could not be brought back');
    here.files.readOnly.delete('changed');
    expect((await recovered(here)).changed[0]?.entry.state).toBe('RECONCILED_ABSENT');
  });

  it('is not touched once the lease is lost', async () => {
    const here = await world();
    const key = await left(here, 'half', half);
    const store = {
      ...here.store,
      // The first renewal finds that the lease has passed to another window.
      lease: (request: Parameters<typeof here.store.lease>[0]) => {
        if (here.clock.nowMs() === 1_000_000) return here.store.lease(request);
        return Promise.resolve({
          ok: true,
          value: { granted: false, holder: 'other', expiresAtMs: 2_000_000 },
        } as const);
      },
    };
    const files = {
      ...here.files,
      image: async (hash: string) => {
        await here.clock.sleep(3000);
        return here.files.image(hash);
      },
    };
    const result = await recovered(here, {}, { ...here.ports, store, files });
    expect(result.busy.map(({ entry }) => entry.key)).toEqual([key]);
    expect(here.files.contents.get('changed')).toBe('new');
    expect((await entryOf(here, key)).state).toBe('PREPARED');
  });
});

describe('a lease', () => {
  it('is kept while the work goes on, given back at its end, and excludes a second work of the same window', async () => {
    const { ports, clock, store } = memoryWorld();
    const busy = underLease(ports, 'key', async ({ token }) => {
      await clock.sleep(20_000);
      return token;
    });
    const second = (async () => {
      await clock.sleep(15_000);
      return underLease(ports, 'key', () => Promise.resolve('never'));
    })();
    const [first, other] = await clock.run(Promise.all([busy, second]));
    expect(must(first).kind).toBe('done');
    expect(must(other)).toEqual({ kind: 'held' });
    expect(must(await store.lease({ key: 'key', holder: 'x', nowMs: clock.nowMs(), ttlMs: 1 })).granted).toBe(true);
  });

  it('is given back when the work fails, and outlives a store that is busy for a moment', async () => {
    const { ports, clock, store } = memoryWorld();
    await expect(underLease(ports, 'key', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    let calls = 0;
    const fault: StoreFault = { kind: 'locked', message: 'busy' };
    const flaky = {
      ...store,
      lease: (request: Parameters<typeof store.lease>[0]) =>
        ++calls === 2 ? Promise.resolve({ ok: false, error: fault } as const) : store.lease(request),
    };
    const done = await clock.run(underLease({ ...ports, store: flaky }, 'key', () => clock.sleep(6000)));
    expect(must(done).kind).toBe('done');
    expect(calls).toBeGreaterThan(3);
  });

  it('of a window that died is free again within the time that a request waits', async () => {
    const world = memoryWorld({ files: { 'log.txt': '' } });
    const input = commandInput(world, 'echo a >> log.txt');
    world.commands.say({ kind: 'running', detail: 'its process is running' });
    const fate = await world.clock.run(runGuardedCommand(world.ports, { ...input, emit: () => undefined }));
    world.commands.say(null);
    must(await world.store.lease({ key: fate.key, holder: 'dead', nowMs: world.clock.nowMs(), ttlMs: 4000 }));
    const again = await world.clock.run(runGuardedCommand(world.ports, input));
    expect(again).toMatchObject({ result: 'done', ran: false });
  });
});

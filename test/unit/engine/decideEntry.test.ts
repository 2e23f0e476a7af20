// A person's word about an entry that only follows another one: the effect is one, so its decision is one.
import { describe, expect, it } from 'vitest';
import type { EntryState, LedgerEntry } from '../../../src/core/ledger/entry.ts';
import { SAME_EFFECT } from '../../../src/core/ledger/rivals.ts';
import { decideEntry, type Decision } from '../../../src/engine/decideEntry.ts';
import type { EffectPorts } from '../../../src/engine/effectEntry.ts';
import { underLease } from '../../../src/engine/effectLease.ts';
import { recoverOpen, type RecoveredLedger } from '../../../src/engine/recoverLedger.ts';
import type { Result } from '../../../src/engine/ports.ts';
import { changeOf, intentOf, must } from '../../support/memoryEntries.ts';
import { memoryWorld, type MemoryWorld } from '../../support/memoryWorld.ts';

/** An open entry; `follows`: it was asked for while that one was open. */
async function open(world: MemoryWorld, name: string, follows?: string, state: EntryState = 'UNKNOWN') {
  const probe = follows === undefined ? null : { kind: SAME_EFFECT, data: { key: follows } };
  const { key } = must(await world.store.write({ prepare: intentOf(name, 'R2', { probe }) }))!;
  if (state === 'UNKNOWN') must(await world.store.write({ changes: [changeOf(key, 'UNKNOWN', 1)] }));
  return key;
}

const entryOf = async (world: MemoryWorld, key: string): Promise<LedgerEntry> => must(await world.store.entry(key))!;
const statesOf = (world: MemoryWorld, ...keys: string[]): Promise<readonly EntryState[]> =>
  Promise.all(keys.map(async (key) => (await entryOf(world, key)).state));

async function decided(
  world: MemoryWorld,
  key: string,
  as: Decision['as'] = 'RECONCILED_COMMITTED',
  ports: EffectPorts = world.ports,
): Promise<Result<LedgerEntry, string>> {
  const entry = await entryOf(world, key);
  const decision = { as, note: 'I looked', by: 'Ada' };
  return world.clock.run(decideEntry(ports, entry, decision, (body) => world.events.push(body)));
}

const recovered = async (world: MemoryWorld, ...keys: string[]): Promise<RecoveredLedger> =>
  must(await world.clock.run(recoverOpen(world.ports, keys.length === 0 ? {} : { keys }, () => undefined)));

describe('a decision about an entry that follows another one', () => {
  it.each(['RECONCILED_COMMITTED', 'RECONCILED_ABSENT'] as const)(
    'decides the one it follows, and settles all that follow that one (%s)',
    async (as) => {
      const world = memoryWorld();
      const leader = await open(world, 'leader');
      const first = await open(world, 'first', leader);
      // A chain, and one that was not looked at yet.
      const second = await open(world, 'second', first, 'PREPARED');
      const stranger = await open(world, 'stranger');
      expect(must(await decided(world, second, as))).toMatchObject({ key: second, state: as });
      expect(await statesOf(world, leader, first, second)).toEqual([as, as, as]);
      expect(await statesOf(world, stranger)).toEqual(['UNKNOWN']);
      expect((await entryOf(world, leader)).evidence).toMatchObject({
        source: 'person',
        detail: 'Ada says so: I looked',
      });
      expect((await entryOf(world, second)).evidence).toMatchObject({
        source: SAME_EFFECT,
        detail: expect.stringContaining(leader.slice(0, 12)) as string,
      });
    },
  );

  it('is refused while another window is at the one it follows', async () => {
    const world = memoryWorld();
    const leader = await open(world, 'leader');
    const follower = await open(world, 'follower', leader);
    await underLease({ ...world.ports, command: world.commands.asProcess(2) }, leader, async () => {
      expect(await decided(world, follower)).toMatchObject({
        ok: false,
        error: expect.stringContaining('another window') as string,
      });
    });
    expect(await statesOf(world, leader, follower)).toEqual(['UNKNOWN', 'UNKNOWN']);
  });

  it('is refused where the one it follows is settled already, and takes its state', async () => {
    const world = memoryWorld();
    const leader = await open(world, 'leader');
    const follower = await open(world, 'follower', leader);
    must(await world.store.write({ changes: [changeOf(leader, 'RECONCILED_ABSENT', 2)] }));
    const refused = await decided(world, follower, 'RECONCILED_COMMITTED');
    expect(refused).toMatchObject({ ok: false, error: expect.stringContaining('RECONCILED_ABSENT') as string });
    expect(refused).toMatchObject({ error: expect.stringContaining(leader.slice(0, 12)) as string });
    expect(await statesOf(world, leader, follower)).toEqual(['RECONCILED_ABSENT', 'RECONCILED_ABSENT']);
  });

  it('is refused where the ledger lost the one it follows', async () => {
    const world = memoryWorld();
    const follower = await open(world, 'follower', 'f'.repeat(64));
    expect(await decided(world, follower)).toMatchObject({
      ok: false,
      error: expect.stringContaining('missing') as string,
    });
  });
});

describe('what follows an entry', () => {
  it('is not told as a second unknown effect, whether it is looked for alone or with the others', async () => {
    const world = memoryWorld();
    const leader = await open(world, 'leader');
    const follower = await open(world, 'follower', leader);
    await open(world, 'second follower', leader);
    expect((await recovered(world)).unknown.map(({ entry }) => entry.key)).toEqual([leader]);
    expect((await recovered(world, leader)).unknown.map(({ entry }) => entry.key)).toEqual([leader]);
    expect((await recovered(world, follower)).unknown.map(({ entry }) => entry.key)).toEqual([follower]);
  });

  it('is not told as a second effect that is going on', async () => {
    const world = memoryWorld();
    const leader = await open(world, 'leader', undefined, 'PREPARED');
    await open(world, 'follower', leader, 'PREPARED');
    world.commands.say({ kind: 'running', detail: 'process 12 is running' });
    const { busy, unknown } = await recovered(world);
    expect([busy.map(({ entry }) => entry.key), unknown]).toEqual([[leader], []]);
  });

  it.each([
    ['COMMITTED', 'RECONCILED_COMMITTED'],
    ['FAILED', 'RECONCILED_ABSENT'],
  ] as const)('is settled when it is next looked at after the other one was made anew: %s', async (end, state) => {
    const world = memoryWorld();
    const intent = intentOf('leader', 'R1');
    must(await world.store.write({ prepare: intent }));
    must(await world.store.write({ changes: [changeOf(intent.key, 'UNKNOWN', 1)] }));
    const follower = await open(world, 'follower', intent.key);
    must(await world.store.write({ prepare: intent, changes: [changeOf(intent.key, 'PREPARED', 2)] }));
    must(await world.store.write({ changes: [changeOf(intent.key, end, 3)] }));
    expect((await recovered(world)).changed.map(({ entry }) => [entry.key, entry.state])).toEqual([[follower, state]]);
    expect((await recovered(world)).unknown).toEqual([]);
  });

  it('is settled with an entry that is looked at alone', async () => {
    const world = memoryWorld();
    const leader = await open(world, 'leader');
    const follower = await open(world, 'follower', leader);
    must(await world.store.write({ changes: [changeOf(leader, 'RECONCILED_COMMITTED', 2)] }));
    await recovered(world, leader);
    expect(await statesOf(world, follower)).toEqual(['RECONCILED_COMMITTED']);
  });
});

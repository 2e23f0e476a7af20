import { describe, expect, it } from 'vitest';
import { watchOpenEffects } from '../../../src/engine/openEffectWatch.ts';
import type { OpenEffectWatch } from '../../../src/engine/openEffectWatch.ts';
import { underLease } from '../../../src/engine/effectLease.ts';
import { recoverOpen } from '../../../src/engine/recoverLedger.ts';
import { intentOf, must } from '../../support/memoryEntries.ts';
import { memoryWorld } from '../../support/memoryWorld.ts';
import type { MemoryWorld } from '../../support/memoryWorld.ts';

/** An entry that nobody can find out about, by a process of an earlier session. */
async function left(world: MemoryWorld, name: string): Promise<string> {
  const owner = { pid: 99, pidStartedAt: 't99', bootId: 'boot', childPid: null, childStartedAt: null };
  return must(await world.store.write({ prepare: intentOf(name, 'R2', { owner }) }))!.key;
}

interface Heard {
  readonly told: string[];
  readonly warned: string[];
  readonly looks: number[];
}

function watchOf(world: MemoryWorld, more: Partial<OpenEffectWatch> = {}): { watch: OpenEffectWatch; heard: Heard } {
  const heard: Heard = { told: [], warned: [], looks: [] };
  const watch: OpenEffectWatch = {
    clock: world.clock,
    recover: (options) => {
      heard.looks.push(world.clock.nowMs());
      return recoverOpen(world.ports, options, () => undefined);
    },
    tell: (_changed, unknown) => heard.told.push(...unknown.map(({ entry }) => entry.key)),
    warn: (reason) => heard.warned.push(reason),
    signal: new AbortController().signal,
    ...more,
  };
  return { watch, heard };
}

describe('watching what earlier sessions left open', () => {
  it('tells what is unknown at once and looks no second time when nobody holds anything', async () => {
    const world = memoryWorld();
    const key = await left(world, 'deploy');
    const { watch, heard } = watchOf(world);
    await world.clock.run(watchOpenEffects(watch));
    expect(heard.told).toEqual([key]);
    expect(heard.looks).toHaveLength(1);
  });

  it('tells what a closing window still held at the first look, once, when it is over', async () => {
    const world = memoryWorld();
    const [held, free] = [await left(world, 'deploy'), await left(world, 'publish')];
    const startMs = world.clock.nowMs();
    const { watch, heard } = watchOf(world);
    const closing = underLease({ ...world.ports, command: world.commands.asProcess(2) }, held, () =>
      world.clock.sleep(9000),
    );
    await world.clock.run(Promise.all([closing, watchOpenEffects(watch)]));
    expect(heard.told).toEqual([free, held]);
    expect(heard.looks.map((at) => at - startMs)).toEqual([0, 5000, 15_000]);
  });

  it('asks seldom about what runs for hours, and ends with the engine', async () => {
    const world = memoryWorld();
    await left(world, 'deploy');
    world.commands.say({ kind: 'running', detail: 'process 12 is running' });
    const closing = new AbortController();
    const { watch, heard } = watchOf(world, { signal: closing.signal });
    const watching = watchOpenEffects(watch);
    await world.clock.advance(8 * 3_600_000);
    expect(heard.told).toEqual([]);
    expect(heard.looks.length).toBeLessThan(110);
    closing.abort();
    await watching;
    const before = heard.looks.length;
    await world.clock.advance(3_600_000);
    expect(heard.looks).toHaveLength(before);
  });

  it('says once why a ledger cannot be read, and goes on when it can', async () => {
    const world = memoryWorld();
    const key = await left(world, 'deploy');
    let looks = 0;
    const { watch, heard } = watchOf(world, {
      recover: (options) =>
        ++looks < 4
          ? Promise.resolve({ ok: false, error: { kind: 'locked', message: 'the ledger is busy' } })
          : recoverOpen(world.ports, options, () => undefined),
    });
    await world.clock.run(watchOpenEffects(watch));
    expect(heard.warned).toEqual(['the ledger is busy']);
    expect(heard.told).toEqual([key]);
  });
});

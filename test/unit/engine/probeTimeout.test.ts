// A probe has a time limit: what does not answer in time is not known, whatever it would have said.
import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import { parseSettings } from '../../../src/core/settings.ts';
import { runGuardedCommand } from '../../../src/engine/guardedCommand.ts';
import { askProbe, type ProbePorts } from '../../../src/engine/effectProbe.ts';
import { must } from '../../support/memoryEntries.ts';
import { commandInput, memoryWorld } from '../../support/memoryWorld.ts';

const APPEND = 'echo a >> log.txt';

/** The entry of an append that was stopped before it did anything, and ports whose every look takes so long. */
async function slowed(lookMs: number, more: Partial<ProbePorts> = {}) {
  const world = memoryWorld({
    files: { 'log.txt': 'x\n' },
    fate: () => ({ acts: false, exit: { kind: 'killed', because: 'timeout' } }),
  });
  const { key } = await runGuardedCommand(world.ports, commandInput(world, APPEND));
  const entry = must(await world.store.entry(key))!;
  const clock = virtualClock(5000);
  const files: ProbePorts['files'] = {
    ...world.files,
    look: async (path) => {
      await clock.sleep(lookMs);
      return world.files.look(path);
    },
  };
  const ports: ProbePorts = { ...world.ports, clock, files, ...more };
  return { clock, asked: () => clock.run(askProbe(ports, entry)) };
}

describe('a probe', () => {
  it('that answers in time is believed', async () => {
    expect(await (await slowed(14_000)).asked()).toMatchObject({ says: 'ABSENT' });
  });

  it('that takes longer than its time says UNKNOWN, never ABSENT', async () => {
    const { asked, clock } = await slowed(16_000);
    expect(await asked()).toMatchObject({ says: 'UNKNOWN', detail: 'it gave no answer within 15000 ms' });
    expect(clock.nowMs()).toBeGreaterThanOrEqual(20_000);
  });

  it('has as long as the settings say', async () => {
    expect(parseSettings({}).settings.advanced.limits.reconcileTimeoutMs).toBe(15_000);
    expect(await (await slowed(16_000, { reconcileTimeoutMs: 20_000 })).asked()).toMatchObject({ says: 'ABSENT' });
    expect(await (await slowed(100, { reconcileTimeoutMs: 50 })).asked()).toMatchObject({ says: 'UNKNOWN' });
  });
});

import { describe, expect, it } from 'vitest';
import { World, runWorld } from '../../../../src/bench/world/engine.ts';
import { ENTRIES } from '../../../../src/bench/world/catalogue.ts';
import { runProduct } from '../../../../src/bench/world/product/controllerPolicy.ts';
import { worldClock } from '../../../../src/bench/world/product/worldClock.ts';
import { hasMode, worldSettings } from '../../../../src/bench/world/product/worldSettings.ts';
import { scenarioOf } from '../../../../src/bench/world/scenarios.ts';
import { candidatesOf } from '../../../../src/core/routes.ts';
import { emptyCatalogue } from '../../../../src/core/catalogue.ts';
import { WORLD_CANDIDATES } from '../../../../src/bench/world/candidates.ts';

const limits = { steps: 40 };

describe('Belay’s own controller in the world', () => {
  it.each(['balanced', 'literal'] as const)(
    'serves every step in mode %s, the same again for the same seed',
    async (mode) => {
      const scenario = scenarioOf('dynamic', 3);
      const record = await runProduct(scenario, mode, limits);
      const base = ENTRIES.get('best-one')!;
      const { steps } = runWorld(scenario, base.kind === 'baseline' ? base.spec : never(), limits);
      expect(record.steps).toBe(steps);
      expect(record.attempts).toBeGreaterThanOrEqual(record.steps);
      for (let index = 0; index < record.steps; index++) {
        expect(record.primary[index]).toBeGreaterThanOrEqual(0);
        expect(record.latencyS[index]).toBeGreaterThan(0);
        expect(record.latencyS[index]).toBeLessThanOrEqual(121);
      }
      expect(await runProduct(scenario, mode, limits)).toEqual(record);
    },
  );

  it('fails a step that nobody can serve, without hanging', async () => {
    const scenario = scenarioOf('static', 1);
    const down = { startS: 0, endS: 1e9, targets: 0b1111111111, effect: { kind: 'outage', hang: 0 } as const };
    const record = await runProduct({ ...scenario, faults: [down] }, 'balanced', { steps: 5 });
    expect(record.winner.subarray(0, record.steps).every((each) => each === -1)).toBe(true);
    expect(record.tokens.subarray(0, record.steps).every((each) => each === 0)).toBe(true);
  });

  it('is told the ten candidates with the sources they share and fail with', () => {
    const candidates = candidatesOf(worldSettings(WORLD_CANDIDATES, 'balanced'), emptyCatalogue);
    expect(candidates.map(({ model }) => model)).toEqual(WORLD_CANDIDATES.map(({ name }) => name));
    const domains = new Map(candidates.map(({ model, domains: each }) => [model, each]));
    expect(domains.get('L-ge')!.vendor).toBe(domains.get('L-reg')!.vendor);
    expect(domains.get('L-ge')!.region).not.toBe(domains.get('L-reg')!.region);
    expect(domains.get('L-ge')!.backbone).toBe(domains.get('M-gw')!.backbone);
    expect(domains.get('S-loc')!.vendor).not.toBe(domains.get('S-reg')!.vendor);
    expect(hasMode('balanced')).toBe(true);
    expect(hasMode('no-such-mode')).toBe(false);
  });

  it('sleeps on the time of the world and wakes early when aborted', async () => {
    const woken: string[] = [];
    const base = ENTRIES.get('best-one')!;
    const world = new World(scenarioOf('static', 1), base.kind === 'baseline' ? base.spec : never(), limits);
    const clock = worldClock(world, () => woken.push('awake'));
    const abort = new AbortController();
    const long = clock.sleep(1e9, abort.signal).then(
      () => 'slept',
      () => 'aborted',
    );
    const short = clock.sleep(5000).then(() => clock.nowMs());
    while (woken.length === 0) world.advance();
    expect(await short).toBe(5000);
    abort.abort();
    expect(await long).toBe('aborted');
    await expect(clock.sleep(1, AbortSignal.abort())).rejects.toThrow();
  });
});

function never(): never {
  throw new Error('not a baseline');
}

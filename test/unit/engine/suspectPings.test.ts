import { describe, expect, it } from 'vitest';
import type { VirtualClock } from '../../../src/adapters/time/virtualClock.ts';
import type { ProviderPort } from '../../../src/engine/ports.ts';
import { protectedWorld } from '../../support/protectedWorld.ts';

/** Providers whose named ones refuse while they are down; pings are counted. */
function flaky(): {
  readonly down: Set<string>;
  readonly pings: { readonly provider: string; readonly atMs: number }[];
  readonly make: (clock: VirtualClock) => ProviderPort;
} {
  const down = new Set<string>();
  const pings: { provider: string; atMs: number }[] = [];
  const make = (clock: VirtualClock): ProviderPort => ({
    async *stream(request, { providerId }, signal) {
      if (request.maxOutputTokens === 1) pings.push({ provider: providerId, atMs: clock.nowMs() });
      await clock.sleep(50, signal).catch(() => undefined);
      // The socket is closed.
      if (signal.aborted) return;
      if (down.has(providerId)) {
        yield {
          failed: {
            httpStatus: 503,
            headers: {},
            body: null,
            clientError: null,
            streamPhase: 'before_first_token',
            finishReason: null,
            operation: 'model_read',
          },
        };
        return;
      }
      yield { parts: [{ type: 'text-delta', text: 'hi' }] };
      yield { parts: [{ type: 'finish', reason: 'stop' }] };
    },
  });
  return { down, pings, make };
}

const quiet = { breaker: { isEnabled: false } };
const listed = { 'belay.routes': { '*': { candidates: ['a*', 'b*'], order: 'listed' } } };

describe('a suspect', () => {
  it('is pinged about every ten seconds near the user’s activity, until it is well again', async () => {
    const { down, pings, make } = flaky();
    const { clock, open } = protectedWorld(['a', 'b'], make, quiet, listed);
    const window = await open();
    await clock.run(window.call('k1'));
    expect(pings).toEqual([]);
    down.add('a');
    for (let count = 0; count < 4; count++) await clock.run(window.call(`f${count}`));
    const failedAtMs = clock.nowMs();
    await clock.advance(45_000);
    const own = pings.filter(({ provider }) => provider === 'a');
    expect(own.length).toBeGreaterThanOrEqual(3);
    expect(own[0]!.atMs - failedAtMs).toBeGreaterThan(7000);
    own.slice(1).forEach(({ atMs }, index) => {
      expect(atMs - own[index]!.atMs).toBeGreaterThanOrEqual(8000);
      expect(atMs - own[index]!.atMs).toBeLessThanOrEqual(12_000);
    });
    down.clear();
    await clock.advance(13_000);
    const before = pings.length;
    await clock.advance(60_000);
    expect(pings.length).toBe(before);
    expect((await clock.run(window.call('k2'))).candidate).toBe('a/main/m@default');
    await window.controller.dispose();
  });

  it('is pinged on while calls come and end, also where one came during its ping', async () => {
    const { down, pings, make } = flaky();
    const { clock, open } = protectedWorld(['a', 'b'], make, quiet, listed);
    const window = await open();
    down.add('a');
    for (let count = 0; count < 4; count++) await clock.run(window.call(`f${count}`));
    for (let count = 0; pings.length < 4 && count < 100; count++) {
      const before = pings.length;
      while (pings.length === before && clock.nowMs() < 120_000) await clock.advance(10);
      // Begins while the ping runs.
      await clock.run(window.call(`m${count}`));
    }
    expect(pings.length).toBeGreaterThanOrEqual(4);
    await window.controller.dispose();
  });

  it('is left alone when the user has gone', async () => {
    const { down, pings, make } = flaky();
    const { clock, open } = protectedWorld(['a', 'b'], make, quiet, listed);
    const window = await open();
    down.add('a');
    down.add('b');
    for (let count = 0; count < 3; count++) await clock.run(window.call(`f${count}`));
    await clock.advance(200_000);
    const last = pings.at(-1)!.atMs;
    const before = pings.length;
    await clock.advance(600_000);
    expect(pings.length).toBe(before);
    expect(last).toBeLessThanOrEqual(150_000);
  });

  it('is not pinged beyond the allowance', async () => {
    const { down, pings, make } = flaky();
    const advanced = { ...quiet, scheduler: { balanced: { pingUsdPerHour: 0 } } };
    const { clock, open } = protectedWorld(['a', 'b'], make, advanced, listed);
    const window = await open();
    down.add('a');
    for (let count = 0; count < 4; count++) await clock.run(window.call(`f${count}`));
    await clock.advance(60_000);
    expect(pings).toEqual([]);
  });

  it('is not pinged any more once it is no longer configured, nor in literal mode', async () => {
    for (const change of [{ mode: 'literal' }, { providers: [] }] as const) {
      const { down, pings, make } = flaky();
      const { clock, open } = protectedWorld(['a', 'b'], make, quiet, listed);
      const window = await open();
      down.add('a');
      for (let count = 0; count < 4; count++) await clock.run(window.call(`f${count}`));
      await clock.advance(15_000);
      expect(pings.length).toBeGreaterThan(0);
      const before = pings.length;
      window.controller.reconfigure({ ...window.controller.settings, ...change });
      await clock.advance(60_000);
      expect(pings.length).toBe(before);
      await window.controller.dispose();
    }
  });

  it('whose ping the end of the session cuts off has not failed', async () => {
    const { down, pings, make } = flaky();
    const { clock, open } = protectedWorld(['a', 'b'], make, quiet, listed);
    const window = await open();
    down.add('a');
    for (let count = 0; count < 4; count++) await clock.run(window.call(`f${count}`));
    while (pings.length === 0) await clock.advance(10);
    await window.controller.dispose();
    await clock.advance(1000);
    expect(window.told('breaker-probed').map(({ isHealthy }) => isHealthy)).toEqual([null]);
  });
});

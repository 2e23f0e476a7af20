import { describe, expect, it } from 'vitest';
import type { VirtualClock } from '../../../src/adapters/time/virtualClock.ts';
import type { ProviderPort } from '../../../src/engine/ports.ts';
import { protectedWorld, type ProtectedWorld } from '../../support/protectedWorld.ts';

const DAY_MS = 86_400_000;

/** Providers that charge a cent for each answer; pings are counted, and those in `down` refuse. */
function charging(down: ReadonlySet<string>, pings: string[]): (clock: VirtualClock) => ProviderPort {
  return (clock) => ({
    async *stream(request, { providerId }, signal) {
      if (request.maxOutputTokens === 1) pings.push(providerId);
      await clock.sleep(50, signal).catch(() => undefined);
      if (signal.aborted) return;
      if (down.has(providerId)) {
        const failed = { httpStatus: 503, headers: {}, body: null, clientError: null, finishReason: null } as const;
        yield { failed: { ...failed, streamPhase: 'before_first_token', operation: 'model_read' } };
        return;
      }
      yield { parts: [{ type: 'text-delta', text: 'hi' }] };
      yield {
        parts: [
          { type: 'usage', usage: { inputTokens: 1000, outputTokens: 0 } },
          { type: 'finish', reason: 'stop' },
        ],
      };
    },
  });
}

function world(
  spending: Record<string, number>,
  down: ReadonlySet<string> = new Set(),
  pings: string[] = [],
): ProtectedWorld {
  const price = { inputUsdPerMTok: 10, outputUsdPerMTok: 10 };
  const providers = ['a', 'b'].map((id) => ({
    id,
    kind: 'openai-compatible',
    baseUrl: `http://127.0.0.1:1/${id}`,
    keyless: true,
    models: [{ name: 'm', tier: 'large', price }],
  }));
  const advanced = { spending, breaker: { isEnabled: false } };
  const routes = { '*': { candidates: ['a*', 'b*'], order: 'listed' } };
  return protectedWorld([], charging(down, pings), advanced, { 'belay.providers': providers, 'belay.routes': routes });
}

describe('the budget of a day', () => {
  it('is one over all windows, outlives them, and ends at midnight UTC', async () => {
    const { clock, store, open } = world({ perDayUsd: 0.03 });
    // The store in memory is that of all windows.
    store.close = () => Promise.resolve();
    const [one, two] = [await open(3), await open(4)];
    expect((await clock.run(one.call('k1'))).isAnswered).toBe(true);
    expect((await clock.run(one.call('k2'))).isAnswered).toBe(true);
    await clock.advance(5000);
    expect((await clock.run(two.call('k3'))).isAnswered).toBe(true);
    await clock.advance(5000);
    const refused = await clock.run(one.call('k4'));
    expect(refused).toMatchObject({ isAnswered: false, attempts: 0 });
    expect(refused.message).toMatch(/^The day's budget of \$0\.030 is spent \(\$0\.030\)\. .*00:00 UTC\.$/);
    expect(two.controller.snapshot().spending).toEqual({ usd: 0.03, extraUsd: 0, limitUsd: 0.03 });
    await Promise.all([one.controller.dispose(), two.controller.dispose()]);
    const three = await open(5);
    expect(three.controller.snapshot().spending.usd).toBeCloseTo(0.03, 12);
    expect((await clock.run(three.call('k5'))).isAnswered).toBe(false);
    await clock.advance(DAY_MS);
    expect((await clock.run(three.call('k6'))).isAnswered).toBe(true);
    expect(three.controller.snapshot().spending.usd).toBeCloseTo(0.01, 12);
    await three.controller.dispose();
  });

  it('can be lifted while Belay runs', async () => {
    const { clock, open } = world({ perDayUsd: 0.005 });
    const window = await open();
    await clock.run(window.call('k1'));
    expect((await clock.run(window.call('k2'))).isAnswered).toBe(false);
    const { settings } = window.controller;
    const spending = { ...settings.advanced.spending, perDayUsd: 0 };
    window.controller.reconfigure({ ...settings, advanced: { ...settings.advanced, spending } });
    expect((await clock.run(window.call('k3'))).isAnswered).toBe(true);
    expect(window.controller.snapshot().spending.limitUsd).toBeNull();
    await window.controller.dispose();
  });

  it('pays for pings, and where it is spent nobody is pinged', async () => {
    const pinged = async (perDayUsd: number): Promise<number> => {
      const [down, pings] = [new Set<string>(), [] as string[]];
      const { clock, open } = world({ perDayUsd }, down, pings);
      const window = await open();
      down.add('a');
      for (let count = 0; count < 4; count++) await clock.run(window.call(`f${count}`));
      down.delete('a');
      await clock.advance(45_000);
      const told = window.told('breaker-probed').reduce((sum, { costUsd }) => sum + costUsd, 0);
      expect(window.controller.snapshot().spending.usd).toBeCloseTo(0.04 + told, 9);
      await window.controller.dispose();
      return pings.length;
    };
    expect(await pinged(1)).toBeGreaterThan(0);
    expect(await pinged(0.04)).toBe(0);
  });
});

// A retry storm (HFR 4.7): an upstream that slows down under load, goes on working on what its callers have given up, and so
// never comes back by itself once retries keep it full (a metastable failure). The same callers, the same short stall, the
// same controller: with breakers and bulkheads it recovers, without them it does not.
import { describe, expect, it } from 'vitest';
import type { VirtualClock } from '../../../src/adapters/time/virtualClock.ts';
import type { ProviderEvent, ProviderPort } from '../../../src/engine/ports.ts';
import { protectedWorld, type CallEnd } from '../../support/protectedWorld.ts';
import { seededRandom } from '../../support/random.ts';

/** Requests that the upstream serves at full speed at the same time; beyond it everybody waits for everybody. */
const CAPACITY = 4;
const SERVICE_MS = 500;
const STALL = { fromMs: 8000, toMs: 14_000 };
const CALLS_PER_S = 5;
const END_MS = 60_000;

/** `load`: what the upstream works on, abandoned work included. */
function fragileUpstream(): { readonly make: (clock: VirtualClock) => ProviderPort; readonly load: () => number } {
  let running = 0;
  const serviceMs = (nowMs: number): number => {
    const isStalled = nowMs >= STALL.fromMs && nowMs < STALL.toMs;
    return SERVICE_MS * Math.max(1, running / CAPACITY) ** 2 * (isStalled ? 12 : 1);
  };
  return {
    load: () => running,
    make: (clock) => ({
      async *stream(_request, _candidate, signal): AsyncGenerator<ProviderEvent> {
        running++;
        // The work goes on to its end whether or not anybody still waits for it.
        const work = clock.sleep(serviceMs(clock.nowMs())).then(() => {
          running--;
        });
        const gone = new Promise<'gone'>((resolve) => {
          signal.addEventListener('abort', () => resolve('gone'), { once: true });
        });
        if ((await Promise.race([work, gone])) === 'gone' || signal.aborted) return;
        yield {
          parts: [
            { type: 'text-delta', text: 'good' },
            { type: 'finish', reason: 'stop' },
          ],
        };
      },
    }),
  };
}

/** Plays the storm; the calls of its last 20 seconds, and the load at its end. */
async function storm(isProtected: {
  readonly breaker: boolean;
  readonly bulkhead: boolean;
}): Promise<{ readonly answeredShare: number; readonly attemptsPerCall: number; readonly load: number }> {
  const upstream = fragileUpstream();
  const { clock, open } = protectedWorld(['a'], upstream.make, {
    timers: { firstTokenMs: 2000, idleMs: 2000, totalMs: 4000 },
    retry: { sameFaultLimit: 9 },
    breaker: { isEnabled: isProtected.breaker, cooldownMs: 5000, maxCooldownMs: 20_000, probeTimeoutMs: 2000 },
    bulkhead: { isEnabled: isProtected.bulkhead, perProvider: CAPACITY, reservedShare: 0 },
  });
  const window = await open();
  const random = seededRandom(11);
  const calls: Promise<CallEnd>[] = [];
  const arrivals = async (): Promise<readonly CallEnd[]> => {
    while (clock.nowMs() < END_MS) {
      calls.push(window.call(`t${calls.length}`, { deadlineMs: clock.nowMs() + 20_000 }));
      await clock.sleep((2 * random.next() * 1000) / CALLS_PER_S);
    }
    const load = upstream.load();
    const ends = await Promise.all(calls);
    loadAtEnd = load;
    return ends;
  };
  let loadAtEnd = 0;
  const ends = (await clock.run(arrivals())).filter(({ startedAtMs }) => startedAtMs >= END_MS - 20_000);
  return {
    answeredShare: ends.filter(({ isAnswered }) => isAnswered).length / ends.length,
    attemptsPerCall: ends.reduce((sum, { attempts }) => sum + attempts, 0) / ends.length,
    load: loadAtEnd,
  };
}

describe('a retry storm', () => {
  it('never ends without breakers and bulkheads, and ends with them', { timeout: 60_000 }, async () => {
    const bare = await storm({ breaker: false, bulkhead: false });
    const guarded = await storm({ breaker: true, bulkhead: true });
    expect(bare.answeredShare).toBeLessThan(0.2);
    expect(guarded.answeredShare).toBeGreaterThan(0.95);
    expect(guarded.attemptsPerCall).toBeLessThan(1.2);
    expect(bare.attemptsPerCall).toBeGreaterThan(2);
    expect(guarded.load).toBeLessThanOrEqual(CAPACITY + 1);
    expect(bare.load).toBeGreaterThan(3 * CAPACITY);
  });
});

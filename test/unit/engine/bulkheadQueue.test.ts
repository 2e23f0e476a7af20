import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import type { Criticality } from '../../../src/core/context.ts';
import type { BulkheadLimits, PoolName } from '../../../src/core/recovery/bulkhead.ts';
import { parseSettings } from '../../../src/core/settings.ts';
import { BulkheadQueue, type Admission } from '../../../src/engine/bulkheadQueue.ts';

const defaults = parseSettings({}).settings.advanced.bulkhead;
const limits: BulkheadLimits = { ...defaults, perProvider: 3, perTenant: 5, reservedShare: 0, queueLength: 4 };
const POOL: PoolName = 'provider:p/main';
const never = new AbortController().signal;

describe('the queue in front of a pool', () => {
  it('lets in at once while there is room, then one for each that leaves', async () => {
    const clock = virtualClock();
    const queue = new BulkheadQueue(clock, limits);
    const inside = await Promise.all([1, 2, 3].map(() => queue.enter([POOL], 'medium', never)));
    expect(inside.every((each) => each.ok && each.waitedMs === 0)).toBe(true);
    const fourth = queue.enter([POOL], 'medium', never);
    await clock.advance(1200);
    expect(queue.queued).toBe(1);
    if (inside[0]?.ok) inside[0].release();
    expect(await fourth).toMatchObject({ ok: true, waitedMs: 1200 });
    expect([queue.queued, queue.used(POOL)]).toEqual([0, 3]);
  });

  it('gives a place back once, however often it is released', async () => {
    const queue = new BulkheadQueue(virtualClock(), limits);
    const [first, second] = [await queue.enter([POOL], 'low', never), await queue.enter([POOL], 'low', never)];
    for (let time = 0; time < 3; time++) if (first.ok) first.release();
    expect(second.ok).toBe(true);
    expect(queue.used(POOL)).toBe(1);
  });

  it('turns a waiter away at the end of its wait, low criticality first', async () => {
    const clock = virtualClock();
    const queue = new BulkheadQueue(clock, limits);
    for (let count = 0; count < 3; count++) await queue.enter([POOL], 'medium', never);
    const waits = (['low', 'medium', 'high'] as const).map((each) => queue.enter([POOL], each, never));
    const results = await clock.run(Promise.all(waits));
    expect(results.map((each) => [each.ok, each.waitedMs])).toEqual([
      [false, 1000],
      [false, 5000],
      [false, 10_000],
    ]);
    expect(queue.queued).toBe(0);
  });

  it('lets a waiter whose caller has gone leave at once', async () => {
    const clock = virtualClock();
    const queue = new BulkheadQueue(clock, limits);
    for (let count = 0; count < 3; count++) await queue.enter([POOL], 'medium', never);
    const gone = new AbortController();
    const waiting = queue.enter([POOL], 'medium', gone.signal);
    gone.abort();
    expect(await waiting).toEqual({ ok: false, why: 'cancelled', waitedMs: 0 });
    expect(queue.queued).toBe(0);
    const early = new AbortController();
    early.abort();
    expect(await queue.enter([POOL], 'high', early.signal)).toMatchObject({ ok: false, why: 'cancelled' });
  });

  it('lets waiters in when the settings give more room', async () => {
    const queue = new BulkheadQueue(virtualClock(), limits);
    for (let count = 0; count < 3; count++) await queue.enter([POOL], 'medium', never);
    const waiting = queue.enter([POOL], 'medium', never);
    queue.reconfigure({ ...limits, perProvider: 4 });
    expect(await waiting).toMatchObject({ ok: true });
  });

  it('limits nothing when it is turned off', async () => {
    const queue = new BulkheadQueue(virtualClock(), { ...limits, isEnabled: false });
    const all = await Promise.all(Array.from({ length: 50 }, () => queue.enter([POOL], 'low', never)));
    expect(all.every((each) => each.ok)).toBe(true);
  });

  it('leaks no place and strands no waiter, whatever the schedule', async () => {
    const visit = fc.record({
      atMs: fc.integer({ min: 0, max: 20_000 }),
      holdMs: fc.integer({ min: 0, max: 9000 }),
      criticality: fc.constantFrom<Criticality>('low', 'medium', 'high'),
      provider: fc.constantFrom<PoolName>('provider:p/main', 'provider:q/main'),
      leaves: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 12_000 })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(visit, { maxLength: 40 }), async (visits) => {
        const clock = virtualClock();
        const queue = new BulkheadQueue(clock, { ...limits, reservedShare: 0.2 });
        let most = 0;
        const one = async ({
          atMs,
          holdMs,
          criticality,
          provider,
          leaves,
        }: (typeof visits)[number]): Promise<Admission> => {
          await clock.sleep(atMs);
          const caller = new AbortController();
          if (leaves !== null)
            void clock.sleep(leaves).then(() => {
              caller.abort();
            });
          const admission = await queue.enter([provider, 'tenant:t'], criticality, caller.signal);
          if (!admission.ok) return admission;
          most = Math.max(most, queue.used('tenant:t'));
          try {
            // An attempt is aborted with its caller and may fail in between: its place is given back either way.
            await clock.sleep(holdMs, caller.signal);
          } catch {
            // Gone.
          } finally {
            admission.release();
          }
          return admission;
        };
        const results = await clock.run(Promise.all(visits.map(one)));
        expect(results).toHaveLength(visits.length);
        expect(most).toBeLessThanOrEqual(limits.perTenant);
        for (const pool of ['provider:p/main', 'provider:q/main', 'tenant:t'] as const)
          expect(queue.used(pool)).toBe(0);
        expect(queue.queued).toBe(0);
        const bound = { low: limits.waitLowMs, medium: limits.waitMediumMs, high: limits.waitHighMs };
        for (const [index, result] of results.entries())
          expect(result.waitedMs).toBeLessThanOrEqual(bound[visits[index]!.criticality]);
      }),
      { numRuns: 40 },
    );
  });
});

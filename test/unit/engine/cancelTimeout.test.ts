// Adapters that do not stop when they are told to: no call, no place and no probe waits for them for long; and deadlines that
// are the caller's own, which say nothing of a candidate.
import { describe, expect, it } from 'vitest';
import { virtualClock, type VirtualClock } from '../../../src/adapters/time/virtualClock.ts';
import { untilCancelled } from '../../../src/engine/cancelTimeout.ts';
import type { ProviderEvent, ProviderPort } from '../../../src/engine/ports.ts';
import { ProfileBook } from '../../../src/engine/profileBook.ts';
import { call } from '../../support/callHarness.ts';
import { candidate } from '../../support/candidates.ts';
import { protectedWorld } from '../../support/protectedWorld.ts';
import { answers, fails } from '../../support/scriptedProvider.ts';

const HELLO: ProviderEvent = {
  parts: [{ type: 'response-start' }, { type: 'text-delta', text: 'hi' }, { type: 'finish', reason: 'stop' }],
};
const never = new Promise<never>(() => undefined);

/** Provider `a` never ends, whatever it is told; any other answers at once. */
const deaf = (clock: VirtualClock): ProviderPort => ({
  async *stream(_request, { providerId }) {
    if (providerId === 'a') await never;
    await clock.sleep(10);
    yield HELLO;
  },
});

/** Reads all that comes and says when it ended. */
async function read(
  source: AsyncIterable<number>,
  { abortAtMs, most = Infinity }: { abortAtMs?: number; most?: number } = {},
): Promise<{ readonly items: readonly number[]; readonly endedAtMs: number; readonly stuck: number }> {
  const clock = virtualClock();
  const stop = new AbortController();
  const items: number[] = [];
  let stuck = 0;
  if (abortAtMs !== undefined) void clock.sleep(abortAtMs).then(() => stop.abort());
  const reading = async (): Promise<void> => {
    for await (const item of untilCancelled({ source, signal: stop.signal, clock, onStuck: () => stuck++ })) {
      items.push(item);
      if (items.length === most) break;
    }
  };
  await clock.run(reading());
  return { items, endedAtMs: clock.nowMs(), stuck };
}

async function* counting(
  count: number,
  end: 'ends' | 'hangs' | 'throws' | 'hangs when closed',
): AsyncGenerator<number> {
  try {
    for (let index = 1; index <= count; index++) {
      await Promise.resolve();
      yield index;
    }
    if (end === 'hangs') await never;
    if (end === 'throws') throw new Error('a bug');
  } finally {
    if (end === 'hangs when closed') await never;
  }
}

describe('a stream', () => {
  it('that ends by itself is read to its end, at once', async () => {
    expect(await read(counting(3, 'ends'))).toEqual({ items: [1, 2, 3], endedAtMs: 0, stuck: 0 });
  });

  it('that does not end when it is told to is left alone after a second', async () => {
    expect(await read(counting(3, 'hangs'), { abortAtMs: 500 })).toEqual({
      items: [1, 2, 3],
      endedAtMs: 1500,
      stuck: 1,
    });
  });

  it('that does not end when nobody reads it any more is left alone after a second', async () => {
    expect(await read(counting(3, 'hangs when closed'), { most: 2 })).toEqual({
      items: [1, 2],
      endedAtMs: 1000,
      stuck: 1,
    });
  });

  it('that throws throws', async () => {
    await expect(read(counting(1, 'throws'))).rejects.toThrow('a bug');
  });
});

describe('an adapter that does not heed its signal', () => {
  it('does not keep a call from its end, and is told once for its provider', async () => {
    const world = protectedWorld(['a'], deaf, {}, { 'belay.callDeadlineSeconds': 20 });
    const window = await world.open();
    const first = await world.clock.run(window.call('k'));
    expect(first).toMatchObject({ isAnswered: false, elapsedMs: 21_000 });
    await world.clock.run(window.call('k2'));
    const told = window.told('notice').map(({ message }) => message);
    expect(told).toEqual(['a did not stop within 1 s when it was told to (cancel-timeout); Belay went on without it.']);
  });

  it('does not keep its place', async () => {
    const more = { 'belay.callDeadlineSeconds': 20 };
    const bulkhead = { perProvider: 2, reservedShare: 0, isAdaptive: false };
    const world = protectedWorld(['a'], deaf, { bulkhead, breaker: { isEnabled: false } }, more);
    const window = await world.open();
    for (const task of ['k1', 'k2', 'k3', 'k4']) await world.clock.run(window.call(task));
    expect(window.told('attempt-launched')).toHaveLength(4);
    expect(window.told('attempt-withheld')).toEqual([]);
  });

  it('loses a race like any other', async () => {
    const world = protectedWorld(['a', 'b'], deaf, { scheduler: { balanced: { firstTokenMaxMs: 500 } } });
    const window = await world.open();
    expect(await world.clock.run(window.call('k'))).toMatchObject({ isAnswered: true, candidate: 'b/main/m@default' });
    await world.clock.advance(2000);
    expect(window.told('attempt-cancelled').map((each) => each.candidate)).toEqual(['a/main/m@default']);
  });
});

describe("a caller's own deadline", () => {
  it('teaches nothing about a candidate that it did not wait for', async () => {
    const profiles = new ProfileBook();
    for (let index = 0; index < 30; index++)
      await call([candidate('A')], { A: [answers('hi', 1000)] }, { profiles, context: { deadlineMs: 1 } });
    expect(profiles.all.A).toMatchObject({ attempts: 0, linkFailures: 0, internalFailures: 0 });
    await call([candidate('A')], { A: [fails(500)] }, { profiles });
    expect(profiles.all.A?.internalFailures).toBeGreaterThan(0);
  });

  it.each([0, -5000])(
    'that has passed (%i) ends the call at once: nobody is asked, and it says so',
    async (deadlineMs) => {
      const profiles = new ProfileBook();
      const done = await call([candidate('A')], { A: [answers('hi')] }, { profiles, context: { deadlineMs } });
      expect(done.seen).toEqual([]);
      expect(done.log.map(({ body }) => body.type)).toEqual(['call-started', 'call-finished']);
      expect(profiles.all.A).toBeUndefined();
      expect(done.events).toMatchObject([
        {
          type: 'failed',
          failure: {
            message:
              'Nobody was asked for "any": the deadline of the call had passed before it began. Call again with a later deadline.',
            status: 504,
          },
        },
      ]);
    },
  );

  it('that comes while an attempt waits for its place: it is not made, and the call says why', async () => {
    const busy = (clock: VirtualClock): ProviderPort => ({
      async *stream(_request, _candidate, signal) {
        await clock.sleep(8000, signal).catch(() => undefined);
        if (!signal.aborted) yield HELLO;
      },
    });
    const bulkhead = { perProvider: 2, reservedShare: 0, waitMediumMs: 9000 };
    const world = protectedWorld(['a'], busy, { bulkhead });
    const window = await world.open();
    const at = (ms: number): { deadlineMs: number } => ({ deadlineMs: world.clock.nowMs() + ms });
    const both = Promise.all([
      window.call('k', at(60_000)),
      window.call('k1', at(60_000)),
      window.call('k2', at(5000)),
    ]);
    const [first, , second] = await world.clock.run(both);
    expect(first.isAnswered).toBe(true);
    expect(second).toMatchObject({ isAnswered: false, attempts: 0, elapsedMs: 5000 });
    expect(second.message).toContain('no time was left');
    expect(window.told('attempt-launched')).toHaveLength(2);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/adapters/stores/memoryStore.ts';
import { virtualClock, type VirtualClock } from '../../../src/adapters/time/virtualClock.ts';
import type { EventBody } from '../../../src/core/events.ts';
import type { HealthOutcome } from '../../../src/core/recovery/breakerWindow.ts';
import { parseSettings, type AdvancedSettings } from '../../../src/core/settings.ts';
import { BreakerBook } from '../../../src/engine/breakerBook.ts';
import type { StorePort } from '../../../src/engine/ports.ts';
import { seededRandom } from '../../support/random.ts';

const { breaker: defaults } = parseSettings({}).settings.advanced;
const TARGET = 'model:a';
const IDS = { tenant: 't', client: 'c', task: 'k', step: 1 };
const failure: HealthOutcome = { kind: 'failure', weight: 1, latencyMs: null };
const success: HealthOutcome = { kind: 'success', weight: 1, latencyMs: 100 };

interface Desk {
  readonly book: BreakerBook;
  readonly told: EventBody[];
}

/** One window of Belay on a store that others may share. */
function desk(
  clock: VirtualClock,
  store: StorePort,
  window: string,
  change: Partial<AdvancedSettings['breaker']> = {},
): Desk {
  const told: EventBody[] = [];
  const book = new BreakerBook({
    ports: { clock, random: seededRandom(window.length), store },
    emit: (_ids, body) => told.push(body),
    window,
    limits: { ...defaults, cooldownJitter: 0, ...change },
    shutdown: new AbortController().signal,
  });
  return { book, told };
}
const fail = ({ book }: Desk, times: number): void => {
  for (let time = 0; time < times; time++) book.record(TARGET, failure, IDS);
};
const changes = ({ told }: Desk): readonly string[] =>
  told.flatMap((body) => (body.type === 'breaker-changed' ? [`${body.from} -> ${body.to}`] : []));

describe('a book of breakers', () => {
  it('tells every change of state with the figures that caused it', async () => {
    const clock = virtualClock();
    const one = desk(clock, memoryStore(), 'w1');
    fail(one, 4);
    expect(one.told).toMatchObject([
      {
        type: 'breaker-changed',
        target: TARGET,
        from: 'closed',
        to: 'open',
        untilMs: 30_000,
        strikes: 1,
        figures: { consecutiveFailures: 4 },
      },
    ]);
    expect(one.told[0]).toMatchObject({ why: expect.stringContaining('53 % failures') as string });
    expect(one.book.closedOff(['model:b', TARGET])).toEqual({ target: TARGET, status: 'open', untilMs: 30_000 });
    await clock.advance(30_000);
    expect(one.book.closedOff([TARGET])?.status).toBe('half-open');
    const permit = await clock.run(one.book.permit(TARGET));
    one.book.record(TARGET, success, IDS, { permit: permit! });
    expect(changes(one)).toEqual(['closed -> open', 'open -> half-open', 'half-open -> closed']);
    expect(one.book.closedOff([TARGET])).toBeNull();
  });

  it('obeys a person, in both directions, as long as the setting stands', () => {
    const one = desk(virtualClock(), memoryStore(), 'w1', { forced: { [TARGET]: 'open', 'model:b': 'closed' } });
    expect(one.book.closedOff([TARGET])).toMatchObject({ status: 'open', untilMs: Infinity });
    for (let time = 0; time < 9; time++) one.book.record('model:b', failure, IDS);
    expect(one.book.closedOff(['model:b'])).toBeNull();
    one.book.reconfigure(defaults);
    expect(one.book.closedOff([TARGET])).toBeNull();
    expect(one.book.closedOff(['model:b'])?.status).toBe('open');
  });

  it('closes nothing off when it is turned off', () => {
    const one = desk(virtualClock(), memoryStore(), 'w1', { isEnabled: false });
    fail(one, 20);
    expect(one.book.closedOff([TARGET])).toBeNull();
  });
});

describe('breakers of two windows', () => {
  it('open for both, by failures that each saw only a part of', async () => {
    const [clock, store] = [virtualClock(), memoryStore()];
    const [one, two] = [desk(clock, store, 'w1'), desk(clock, store, 'w2')];
    fail(one, 2);
    await one.book.share();
    await two.book.share();
    fail(two, 2);
    expect(changes(two)).toEqual(['closed -> open']);
    await two.book.share();
    await one.book.share();
    expect(changes(one)).toEqual(['closed -> open']);
    expect(one.book.view(TARGET)).toEqual(two.book.view(TARGET));
  });

  it('are found again by a window that is opened later', async () => {
    const [clock, store] = [virtualClock(), memoryStore()];
    const one = desk(clock, store, 'w1');
    fail(one, 4);
    await one.book.share();
    const later = desk(clock, store, 'w9');
    await later.book.share();
    expect(later.book.closedOff([TARGET])).toMatchObject({ status: 'open', untilMs: 30_000 });
  });

  it('never have more probes at once than allowed, over all windows, and one success closes for all', async () => {
    const [clock, store] = [virtualClock(), memoryStore()];
    const desks = ['w1', 'w2', 'w3'].map((window) => desk(clock, store, window));
    fail(desks[0]!, 4);
    await desks[0]!.book.share();
    await clock.advance(30_000);
    const asked = desks.flatMap(({ book }) => [book.permit(TARGET), book.permit(TARGET)]);
    const permits = (await clock.run(Promise.all(asked))).flatMap((permit) => permit ?? []);
    expect(permits).toHaveLength(2);
    await desks[0]!.book.giveBack(permits[0]!);
    const third = await desks[2]!.book.permit(TARGET);
    expect(third).not.toBeNull();
    expect(await desks[1]!.book.permit(TARGET)).toBeNull();
    desks[2]!.book.record(TARGET, success, IDS, { permit: third! });
    for (const { book } of desks) await book.share();
    expect(desks.map(({ book }) => book.view(TARGET).status)).toEqual(['closed', 'closed', 'closed']);
  });

  it('probe again after a window died in the middle of its probes', async () => {
    const [clock, store] = [virtualClock(), memoryStore()];
    const [one, two] = [desk(clock, store, 'w1'), desk(clock, store, 'w2')];
    fail(one, 4);
    await one.book.share();
    await clock.advance(30_000);
    expect(await one.book.permit(TARGET)).not.toBeNull();
    expect(await one.book.permit(TARGET)).not.toBeNull();
    expect(await two.book.permit(TARGET)).toBeNull();
    await clock.advance(defaults.probeTimeoutMs + 5000);
    expect(await two.book.permit(TARGET)).not.toBeNull();
  });

  it('lose no outcome, whoever shares when', async () => {
    const act = fc.record({ window: fc.integer({ min: 0, max: 2 }), what: fc.constantFrom('success', 'share') });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 60 }), async (acts) => {
        const [clock, store] = [virtualClock(), memoryStore()];
        const desks = ['w1', 'w2', 'w3'].map((window) => desk(clock, store, window, { consecutiveFailures: 50 }));
        const pending: Promise<void>[] = [];
        for (const { window, what } of acts) {
          if (what === 'share') pending.push(desks[window]!.book.share());
          else desks[window]!.book.record(TARGET, success, IDS);
        }
        await Promise.all(pending);
        for (const { book } of [...desks, ...desks]) await book.share();
        const rows = await store.shareBreakers([]);
        const saved = rows.ok ? rows.value : [];
        const total = saved.flatMap(({ state }) => {
          const { windows } = JSON.parse(state) as { windows: Record<string, { requests: number }> };
          return Object.values(windows).map(({ requests }) => requests);
        });
        expect(total.reduce((sum, each) => sum + each, 0)).toBe(acts.filter(({ what }) => what === 'success').length);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a store that fails', () => {
  const broken = (state: { isDown: boolean }): StorePort => {
    const store = memoryStore();
    const down = { ok: false, error: { kind: 'locked', message: 'busy' } } as const;
    return {
      ...store,
      shareBreakers: (rows) => (state.isDown ? Promise.resolve(down) : store.shareBreakers(rows)),
      lease: (request) => (state.isDown ? Promise.resolve(down) : store.lease(request)),
    };
  };

  it('costs what others know and nothing else: the breaker works, and probes are counted here', async () => {
    const clock = virtualClock();
    const state = { isDown: true };
    const store = broken(state);
    const one = desk(clock, store, 'w1');
    fail(one, 4);
    await one.book.share();
    expect(one.book.closedOff([TARGET])?.status).toBe('open');
    await clock.advance(30_000);
    const permits = [await one.book.permit(TARGET), await one.book.permit(TARGET), await one.book.permit(TARGET)];
    expect(permits.map((permit) => permit !== null)).toEqual([true, true, false]);
    state.isDown = false;
    await one.book.share();
    const other = desk(clock, store, 'w2');
    await other.book.share();
    expect(other.book.closedOff([TARGET])?.status).toBe('half-open');
  });
});

describe('waiting for a change', () => {
  it('ends with the change, at the time named, or with the caller', async () => {
    const clock = virtualClock();
    const one = desk(clock, memoryStore(), 'w1');
    const gone = new AbortController();
    const until = one.book.changed(5000, gone.signal);
    await clock.run(until);
    expect(clock.nowMs()).toBe(5000);
    const early = one.book.changed(50_000, gone.signal);
    fail(one, 4);
    await clock.run(early);
    expect(clock.nowMs()).toBe(5000);
    const left = one.book.changed(90_000, gone.signal);
    gone.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
  });
});

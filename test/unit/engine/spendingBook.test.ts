import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/adapters/stores/memoryStore.ts';
import { virtualClock, type VirtualClock } from '../../../src/adapters/time/virtualClock.ts';
import type { EventBody } from '../../../src/core/events.ts';
import type { StorePort } from '../../../src/engine/ports.ts';
import { SpendingBook } from '../../../src/engine/spendingBook.ts';

const DAY_MS = 86_400_000;
const TODAY = 20_635;
const NOON = (TODAY + 0.5) * DAY_MS;
const ids = { tenant: 't', client: 'c', task: 'k', step: 1, call: 'r' };
const free = { perCallUsd: 0, perTaskUsd: 0, perDayUsd: 0 };
const needed = { isExtra: false, worstUsd: null };
const extra = (worstUsd: number) => ({ isExtra: true, worstUsd });

function hear(book: SpendingBook, attempt: string, body: EventBody, of = ids): void {
  book.hear({ seq: 1, atMs: 0, ids: { ...of, attempt }, body });
}

function ends(
  book: SpendingBook,
  attempt: string,
  costUsd: number,
  type: 'succeeded' | 'cancelled' = 'cancelled',
): void {
  const figures = { candidate: 'a', elapsedMs: 1, costUsd, billedTokens: 1 };
  if (type === 'cancelled') hear(book, attempt, { type: 'attempt-cancelled', ...figures });
  else hear(book, attempt, { type: 'attempt-succeeded', usage: null, servedModel: null, ...figures });
}

const commits = (book: SpendingBook, attempt: string): void =>
  hear(book, attempt, { type: 'call-committed', candidate: 'a', rung: 'L0' });

function corrects(book: SpendingBook, attempt: string, changeUsd: number, of = ids): void {
  const figures = { costUsd: 0, billedTokens: 0, changeTokens: 0, ending: 'cancelled' } as const;
  hear(book, attempt, { type: 'cost-corrected', candidate: 'a', ...figures, changeUsd }, of);
}

/** A window that has loaded. */
async function open(store: StorePort, clock: VirtualClock, name: string): Promise<SpendingBook> {
  const book = new SpendingBook(clock, name);
  await book.load(store);
  return book;
}

describe('what attempts cost', () => {
  it('counts for the call, the task and the day, with what still runs', () => {
    const book = new SpendingBook(virtualClock(NOON), 'w');
    ends(book, '1', 0.5);
    const release = book.pledge({ ...ids, attempt: '2' }, 0.3);
    for (const name of ['perCallUsd', 'perTaskUsd', 'perDayUsd'] as const) {
      const limits = { ...free, [name]: 1 };
      expect(book.refusal(ids, limits, extra(0.2))).toBeNull();
      expect(book.refusal(ids, limits, extra(0.21))).toMatchObject({ limitUsd: 1, spentUsd: 0.5 });
    }
    // It never began.
    release();
    expect(book.refusal(ids, { ...free, perCallUsd: 1 }, extra(0.5))).toBeNull();
    expect(book.refusal({ ...ids, call: 'other' }, { ...free, perCallUsd: 1 }, extra(1))).toBeNull();
  });

  it('takes the place of what was pledged', () => {
    const book = new SpendingBook(virtualClock(NOON), 'w');
    const release = book.pledge({ ...ids, attempt: '1' }, 0.9);
    ends(book, '1', 0.1);
    release();
    expect(book.refusal(ids, { ...free, perDayUsd: 1 }, extra(0.9))).toBeNull();
  });

  it('is told apart by whether it became an answer, whenever the answer went out', () => {
    const book = new SpendingBook(virtualClock(NOON), 'w');
    commits(book, 'streamed');
    ends(book, 'streamed', 1, 'succeeded');
    ends(book, 'lost', 2);
    expect(book.today).toEqual({ usd: 3, extraUsd: 2 });
    ends(book, 'held', 4, 'succeeded');
    expect(book.today.extraUsd).toBe(6);
    commits(book, 'held');
    expect(book.today).toEqual({ usd: 7, extraUsd: 2 });
  });

  it('is put right by corrections, which free nothing that was not counted here today', async () => {
    const clock = virtualClock(NOON);
    const book = new SpendingBook(clock, 'w');
    ends(book, '1', 1);
    corrects(book, '1', -0.4);
    expect(book.today).toEqual({ usd: 0.6, extraUsd: 0.6 });
    corrects(book, 'unknown', -5, { ...ids, task: 'unknown', call: 'unknown' });
    expect(book.refusal({ ...ids, task: 'unknown' }, { ...free, perTaskUsd: 1 }, extra(1.01))).not.toBeNull();
    await clock.advance(DAY_MS);
    ends(book, '2', 1);
    corrects(book, '1', -0.5);
    expect(book.today.usd).toBe(1);
    expect(book.refusal(ids, { ...free, perTaskUsd: 1.2 }, needed)).toBeNull();
  });

  it('includes probes and pings of the day, which no task has to pay', () => {
    const book = new SpendingBook(virtualClock(NOON), 'w');
    const probe = { type: 'breaker-probed', target: 'model:a', isHealthy: true, elapsedMs: 1, costUsd: 2 } as const;
    hear(book, 'p', probe);
    expect(book.today).toEqual({ usd: 2, extraUsd: 2 });
    expect(book.isDaySpent(2)).toBe(true);
    expect(book.isDaySpent(0)).toBe(false);
    expect(book.refusal(ids, { ...free, perTaskUsd: 1 }, needed)).toBeNull();
  });

  it('of a task that goes on begins with what it has cost before', () => {
    const book = new SpendingBook(virtualClock(NOON), 'w');
    book.resume('k', 0.9);
    expect(book.refusal(ids, { ...free, perTaskUsd: 1 }, extra(0.2))?.scope).toBe('task');
    ends(book, '1', 0.1);
    book.resume('k', 0.9);
    expect(book.refusal(ids, { ...free, perTaskUsd: 1 }, needed)).toMatchObject({ scope: 'task', spentUsd: 1 });
  });

  it('with extras pledged never passes a limit, however many calls run at once', () => {
    const step = fc.record({
      call: fc.integer({ min: 0, max: 3 }),
      worst: fc.double({ min: 0, max: 1, noNaN: true }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      endsFirst: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.double({ min: 0.1, max: 3, noNaN: true }), (steps, limit) => {
        const book = new SpendingBook(virtualClock(NOON), 'w');
        const running: { attempt: string; usd: number }[] = [];
        steps.forEach(({ call, worst, share, endsFirst }, index) => {
          const first = endsFirst ? running.shift() : undefined;
          if (first) ends(book, first.attempt, first.usd);
          const own = { ...ids, call: `r${call}`, task: `k${call % 2}`, attempt: String(index) };
          if (book.refusal(own, { ...free, perDayUsd: limit }, extra(worst))) return;
          book.pledge(own, worst);
          running.push({ attempt: String(index), usd: worst * share });
        });
        for (const { attempt, usd } of running) ends(book, attempt, usd);
        expect(book.today.usd).toBeLessThanOrEqual(limit + 1e-6);
      }),
    );
  });
});

describe('a day', () => {
  it('is shared by all windows and begins anew at midnight UTC', async () => {
    const [store, clock] = [memoryStore(), virtualClock(NOON)];
    const [one, two] = [await open(store, clock, 'one'), await open(store, clock, 'two')];
    ends(one, '1', 3);
    await one.save(store);
    expect(await store.document('spending')).toEqual({
      ok: true,
      value: `{"version":1,"day":${TODAY},"windows":{"one":{"usd":3,"extraUsd":3}}}`,
    });
    ends(two, '1', 1);
    expect(two.isDaySpent(4)).toBe(false);
    await clock.advance(2000);
    await two.refresh(store);
    expect(two.today).toEqual({ usd: 4, extraUsd: 4 });
    expect(two.isDaySpent(4)).toBe(true);
    await two.save(store);
    expect((await open(store, clock, 'three')).today.usd).toBe(4);
    await clock.advance(DAY_MS);
    expect(two.today.usd).toBe(0);
    expect((await open(store, clock, 'four')).today.usd).toBe(0);
  });

  it('makes good what another window has written over', async () => {
    const [store, clock] = [memoryStore(), virtualClock(NOON)];
    const [one, two] = [await open(store, clock, 'one'), await open(store, clock, 'two')];
    const shutdown = new AbortController();
    ends(one, '1', 3);
    ends(two, '1', 1);
    // Both read before either writes.
    await Promise.all([one.save(store), two.save(store)]);
    expect((await open(store, clock, 'late')).today.usd).toBe(1);
    one.saveSoon(store, shutdown.signal);
    two.saveSoon(store, shutdown.signal);
    await clock.advance(20_000);
    expect((await open(store, clock, 'later')).today.usd).toBe(4);
    expect(one.today.usd).toBe(4);
  });

  it('is saved once for many costs, and at the end', async () => {
    const memory = memoryStore();
    let saves = 0;
    const store: StorePort = { ...memory, saveDocument: (name, text) => (saves++, memory.saveDocument(name, text)) };
    const clock = virtualClock(NOON);
    const book = await open(store, clock, 'one');
    const shutdown = new AbortController();
    for (let count = 0; count < 10; count++) {
      ends(book, String(count), 0.1);
      book.saveSoon(store, shutdown.signal);
    }
    await clock.advance(60_000);
    expect(saves).toBe(1);
    ends(book, 'last', 1);
    book.saveSoon(store, shutdown.signal);
    shutdown.abort();
    await book.saveLast(store);
    expect(saves).toBe(2);
    expect((await open(store, clock, 'two')).today.usd).toBeCloseTo(2, 9);
  });

  it('is not made shorter by a clock that is set back', async () => {
    const store = memoryStore();
    const before = await open(store, virtualClock(NOON), 'one');
    ends(before, '1', 3);
    await before.saveLast(store);
    const back = virtualClock(NOON - DAY_MS);
    const after = await open(store, back, 'two');
    expect(after.today.usd).toBe(3);
    ends(after, '1', 1);
    await after.saveLast(store);
    // The day that was reached once is still the same day when the clock comes to it again.
    await back.advance(DAY_MS);
    expect(after.today.usd).toBe(4);
    expect((await open(store, back, 'three')).today.usd).toBe(4);
    await back.advance(DAY_MS);
    expect(after.today.usd).toBe(0);
  });

  it('that lies years ahead was a mistake: its sum counts today, and the next day is free', async () => {
    const store = memoryStore();
    const ahead = await open(store, virtualClock(NOON + 900 * DAY_MS), 'one');
    ends(ahead, '1', 3);
    await ahead.saveLast(store);
    const clock = virtualClock(NOON);
    const book = await open(store, clock, 'two');
    expect(book.today.usd).toBe(3);
    ends(book, '1', 1);
    await book.saveLast(store);
    expect((await open(store, clock, 'three')).today.usd).toBe(4);
    await clock.advance(DAY_MS);
    expect((await open(store, clock, 'four')).today.usd).toBe(0);
  });

  it('is written anew where it cannot be read, and left alone where the store fails', async () => {
    const [memory, clock] = [memoryStore(), virtualClock(NOON)];
    await memory.saveDocument('spending', `{"version":1,"day":${TODAY},"windows":{"x":{"usd":-1}}}`);
    const book = await open(memory, clock, 'one');
    ends(book, '1', 3);
    await book.saveLast(memory);
    const failing: StorePort = {
      ...memory,
      document: () => Promise.resolve({ ok: false, error: { kind: 'closed', message: 'no' } }),
    };
    const blind = await open(failing, clock, 'two');
    ends(blind, '1', 1);
    expect(await blind.save(failing)).toBe(false);
    expect(blind.today.usd).toBe(1);
    expect((await open(memory, clock, 'three')).today.usd).toBe(3);
    expect(await blind.save(memory)).toBe(true);
    expect((await open(memory, clock, 'four')).today.usd).toBe(4);
  });
});

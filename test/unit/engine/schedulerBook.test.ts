import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/adapters/stores/memoryStore.ts';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import type { CallTrace } from '../../../src/core/scheduler/balanced/types.ts';
import { parseSettings } from '../../../src/core/settings.ts';
import { SchedulerBook } from '../../../src/engine/schedulerBook.ts';
import { candidate } from '../../support/candidates.ts';

const { settings } = parseSettings({});
const [a, b] = [candidate('a'), candidate('b')];

const trace = (id: string, outcome: CallTrace['outcome'] = 'success'): CallTrace => ({
  candidate: id,
  role: 'chat',
  outcome,
  totalMs: 1000,
  firstTokenMs: 300,
  outputTokens: 100,
  quality: [],
  isPing: false,
  promisedSuccess: 0.9,
});

function window(clock = virtualClock()): { book: SchedulerBook; constants: ReturnType<SchedulerBook['constantsOf']> } {
  const book = new SchedulerBook(clock);
  return { book, constants: book.constantsOf(settings) };
}

describe('what the scheduler has learned', () => {
  it('is there again in the next session', async () => {
    const store = memoryStore();
    const { book, constants } = window();
    book.learn(a, trace('a', 'hard-failure'), constants);
    await book.save(store);
    const next = window().book;
    expect(await next.load(store)).toBeNull();
    expect(next.state).toEqual(book.state);
  });

  it('is joined with what other windows have learned meanwhile', async () => {
    const store = memoryStore();
    const clock = virtualClock();
    const [one, other] = [window(clock), window(clock)];
    one.book.learn(a, trace('a'), one.constants);
    await one.book.save(store);
    await clock.advance(10);
    other.book.learn(b, trace('b'), other.constants);
    await other.book.save(store);
    await clock.advance(10);
    one.book.learn(a, trace('a'), one.constants);
    await one.book.save(store);
    expect(Object.keys(one.book.state.candidates).sort()).toEqual(['a', 'b']);
  });

  it('does not come back from another window after a reset', async () => {
    const store = memoryStore();
    const clock = virtualClock();
    const [one, other] = [window(clock), window(clock)];
    other.book.learn(b, trace('b'), other.constants);
    await clock.advance(10);
    one.book.learn(a, trace('a'), one.constants);
    one.book.reset(null);
    await one.book.save(store);
    await clock.advance(10);
    other.book.learn(a, trace('a'), other.constants);
    await other.book.save(store);
    expect(Object.keys(other.book.state.candidates)).toEqual(['a']);
  });

  it('starts afresh where the document cannot be read, and says so', async () => {
    const store = memoryStore();
    await store.saveDocument('scheduler', '{"version":9}');
    const { book } = window();
    expect(await book.load(store)).toContain('learns it anew');
    expect(book.state.candidates).toEqual({});
  });

  it('keeps the pool of a route ready, and makes another when a candidate has changed', () => {
    const { book, constants } = window();
    const pool = book.pool([a, b], constants);
    expect(book.pool([a, b], constants)).toBe(pool);
    expect(book.pool([a, candidate('b')], constants)).not.toBe(pool);
  });

  it('takes the constants of the mode with a person’s own over them', () => {
    const { book } = window();
    const raw = { 'belay.mode': 'fast', 'belay.advanced': { scheduler: { balanced: { totalSd: 1.9 } } } };
    const own = parseSettings(raw);
    expect(own.problems).toEqual([]);
    expect(book.constantsOf(own.settings)).toMatchObject({ startThreshold: 0.9, isHedgeCapped: false, totalSd: 1.9 });
    expect(book.constantsOf(settings)).toMatchObject({ startThreshold: 0.8, isHedgeCapped: true });
    expect(parseSettings({ 'belay.advanced': { scheduler: { balanced: { p0: 7 } } } }).problems).toHaveLength(1);
  });

  it('forgets quality and speed when another model answers, and keeps failures', () => {
    const { book, constants } = window();
    for (let count = 0; count < 20; count++) book.learn(a, trace('a', 'hard-failure'), constants);
    book.learn(a, trace('a'), constants);
    const { baseFail } = book.state.candidates.a!;
    book.forgetModel(a, constants);
    expect(book.state.candidates.a).toMatchObject({ baseFail, total: { n: 1 }, quality: {} });
  });
});

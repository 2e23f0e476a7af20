import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/adapters/stores/memoryStore.ts';
import type { RequestContext } from '../../../src/core/context.ts';
import { parseSettings, type AdvancedSettings } from '../../../src/core/settings.ts';
import { BudgetBook } from '../../../src/engine/budgetBook.ts';
import type { StorePort } from '../../../src/engine/ports.ts';

const { retry: defaults } = parseSettings({}).settings.advanced;
const retry = (change: Partial<AdvancedSettings['retry']> = {}): AdvancedSettings['retry'] => ({
  ...defaults,
  ...change,
});
const context = (change: Partial<RequestContext> = {}): RequestContext => ({
  tenant: 't',
  client: 'c',
  task: 'k',
  step: 1,
  role: 'coder',
  criticality: 'medium',
  qualityFloor: 0.8,
  deadlineMs: 1e9,
  ...change,
});

/** Takes until it is refused; how often it got something. */
async function takeAll(book: BudgetBook, asked: RequestContext, nowMs = 0): Promise<number> {
  for (let count = 0; ; count++) if (!(await book.take(asked, nowMs))) return count;
}

describe('the budgets of the document', () => {
  it('allow 1 + 3 attempts of a step and 10 re-executions of a task', async () => {
    const book = new BudgetBook(memoryStore(), defaults);
    expect(book.left(context(), 0)).toEqual({ step: 3, task: 10, tenant: 600 });
    expect(await takeAll(book, context())).toBe(3);
    expect(await takeAll(book, context({ step: 2 }))).toBe(3);
    expect(await takeAll(book, context({ step: 3 }))).toBe(3);
    expect(await takeAll(book, context({ step: 4 }))).toBe(1);
    expect(book.left(context({ step: 5 }), 0)).toEqual({ step: 3, task: 0, tenant: 590 });
  });

  it('are given back to a tenant by time, evenly over a minute', async () => {
    const book = new BudgetBook(memoryStore(), retry({ maxRetriesPerTenantPerMinute: 6, maxAttemptsPerStep: 100 }));
    expect(await takeAll(book, context({ task: 'a' }))).toBe(6);
    expect(await takeAll(book, context({ task: 'b' }), 10_000)).toBe(1);
    expect(book.left(context({ tenant: 'other' }), 0).tenant).toBe(6);
  });

  it('keep the last step its own: earlier steps never use it up', async () => {
    const book = new BudgetBook(
      memoryStore(),
      retry({ maxRetriesPerTask: 4, lastStepReserve: 2, maxAttemptsPerStep: 9 }),
    );
    await book.resume('k', () => ({ task: 'k', version: 1, state: '{}' }));
    expect(await takeAll(book, context())).toBe(2);
    expect(book.left(context({ step: 2 }), 0).task).toBe(0);
    book.reachEnd('k');
    expect(book.left(context({ step: 2 }), 0).task).toBe(2);
    expect(await takeAll(book, context({ step: 2 }))).toBe(2);
  });

  it('know of no last step of a foreign agent, so nothing is kept from it', async () => {
    const book = new BudgetBook(
      memoryStore(),
      retry({ maxRetriesPerTask: 4, lastStepReserve: 2, maxAttemptsPerStep: 9 }),
    );
    expect(await takeAll(book, context())).toBe(4);
  });
});

describe('weighted budgets', () => {
  const weighted = retry({ allocation: 'weighted', expectedSteps: 4, maxAttemptsPerStep: 9 });

  it('give a step its share by what it is worth and how far its fault can be mended', async () => {
    const of = async (fault: 'T1' | 'T5' | 'T7', seen: 'T1' | 'T7' = 'T1'): Promise<number> => {
      const book = new BudgetBook(memoryStore(), weighted);
      book.weigh(context({ step: 1 }), seen);
      book.weigh(context({ step: 2 }), fault);
      return takeAll(book, context({ step: 2 }));
    };
    expect(await of('T1')).toBe(2);
    expect(await of('T5')).toBeLessThan(2);
    expect(await of('T7')).toBe(0);
  });

  it('learn what can be mended', async () => {
    const book = new BudgetBook(memoryStore(), weighted);
    for (let n = 0; n < 50; n++) book.learn('T5', false);
    book.weigh(context({ step: 1 }), 'T1');
    book.weigh(context({ step: 2 }), 'T5');
    expect(await takeAll(book, context({ step: 2 }))).toBe(0);
  });
});

describe('budgets in the store', () => {
  const checkpoint = { task: 'k', version: 1, state: '{"at":7}' };

  it('are taken together with the checkpoint of their task, or neither is', async () => {
    const store = memoryStore();
    const book = new BudgetBook(store, retry({ maxAttemptsPerStep: 2 }));
    await book.resume('k', () => checkpoint);
    expect(await book.take(context(), 0)).toBe(true);
    expect(await store.checkpoint('k')).toEqual({ ok: true, value: checkpoint });
    expect(await store.budget('k')).toEqual({ ok: true, value: { task: 'k', taskUsed: 1, stepUsed: { '1': 1 } } });
    await store.write({ checkpoint: { ...checkpoint, state: 'older' } });
    expect(await book.take(context(), 0)).toBe(false);
    expect(await store.checkpoint('k')).toMatchObject({ value: { state: 'older' } });
  });

  it('are one for all windows, however many take at the same time', async () => {
    const store = memoryStore();
    const limits = retry({ maxRetriesPerTenantPerMinute: 7, maxRetriesPerTask: 5, maxAttemptsPerStep: 100 });
    const books = [new BudgetBook(store, limits), new BudgetBook(store, limits)];
    const taken = await Promise.all(
      Array.from({ length: 20 }, (_, index) => books[index % 2]!.take(context({ task: index < 10 ? 'a' : 'b' }), 0)),
    );
    expect(taken.filter(Boolean)).toHaveLength(7);
    expect(taken.slice(0, 10).filter(Boolean).length).toBeLessThanOrEqual(5);
  });

  it('are found again by a later run of the task', async () => {
    const store = memoryStore();
    await takeAll(new BudgetBook(store, defaults), context());
    const later = new BudgetBook(store, defaults);
    await later.resume('k');
    expect(later.left(context(), 0).step).toBe(0);
  });

  it('count what several windows took while the store was away, each of them, once it answers again', async () => {
    const store = memoryStore();
    const state = { isDown: true };
    const fault = { kind: 'locked', message: 'busy' } as const;
    const shaky: StorePort = {
      ...store,
      takeBudget: (take) => (state.isDown ? Promise.resolve({ ok: false, error: fault }) : store.takeBudget(take)),
    };
    const limits = retry({ maxAttemptsPerStep: 100, maxRetriesPerTask: 10 });
    const [one, two] = [new BudgetBook(shaky, limits), new BudgetBook(shaky, limits)];
    for (const book of [one, two]) for (let i = 0; i < 3; i++) expect(await book.take(context(), 0)).toBe(true);
    state.isDown = false;
    // Each tells with its next take what it had taken alone.
    expect([await one.take(context(), 0), await two.take(context(), 0)]).toEqual([true, true]);
    expect((await takeAll(one, context())) + (await takeAll(two, context()))).toBe(2);
    expect(await store.budget('k')).toMatchObject({ value: { taskUsed: 10, stepUsed: { '1': 10 } } });
  });

  it('count in memory while the store cannot be written, and nothing of that is lost', async () => {
    const store = memoryStore();
    const state = { isDown: true };
    const fault = { kind: 'locked', message: 'busy' } as const;
    const shaky: StorePort = {
      ...store,
      takeBudget: (take) => (state.isDown ? Promise.resolve({ ok: false, error: fault }) : store.takeBudget(take)),
    };
    const book = new BudgetBook(shaky, defaults);
    expect(await book.take(context(), 0)).toBe(true);
    expect(await book.take(context(), 0)).toBe(true);
    state.isDown = false;
    expect(await takeAll(book, context())).toBe(1);
    expect(await store.budget('k')).toMatchObject({ value: { taskUsed: 3 } });
  });
});

import { describe, expect, it } from 'vitest';
import type { EventBody } from '../../../src/core/events.ts';
import { BudgetBook } from '../../../src/engine/budgetBook.ts';
import { withStoreNotices } from '../../../src/engine/storeNotices.ts';
import { parseSettings } from '../../../src/core/settings.ts';
import { memoryWorld } from '../../support/memoryWorld.ts';

const context = {
  tenant: 'local',
  client: 'c',
  task: 't',
  step: 1,
  role: 'coder',
  criticality: 'medium',
  qualityFloor: 0.8,
  deadlineMs: 1e9,
} as const;

describe('a store that does not answer', () => {
  it('is told once for each outage and when it is over, while budgets go on in memory', async () => {
    const { store } = memoryWorld();
    let isDown = false;
    const notices: EventBody[] = [];
    const flaky = {
      ...store,
      takeBudget: (take: Parameters<typeof store.takeBudget>[0]) =>
        isDown
          ? Promise.resolve({ ok: false, error: { kind: 'locked', message: 'the file is locked' } } as const)
          : store.takeBudget(take),
    };
    const { advanced } = parseSettings({}).settings;
    const book = new BudgetBook(
      withStoreNotices(flaky, (_ids, body) => notices.push(body)),
      advanced.retry,
    );
    expect(await book.take(context, 0)).toBe(true);
    expect(notices).toEqual([]);
    isDown = true;
    expect(await book.take(context, 1)).toBe(true);
    expect(await book.take(context, 2)).toBe(true);
    // B_s: three re-executions of a step, counted on in memory.
    expect(await book.take(context, 3)).toBe(false);
    expect(notices).toMatchObject([{ type: 'notice', severity: 'warning' }]);
    expect(JSON.stringify(notices)).toContain('the file is locked');
    isDown = false;
    await book.take({ ...context, step: 2 }, 4);
    expect(notices).toMatchObject([{ severity: 'warning' }, { severity: 'info' }]);
  });
});

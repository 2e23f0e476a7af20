// The contract test of a tool against tools that keep their word and tools that do not.
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/adapters/stores/memoryStore.ts';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import type { VirtualClock } from '../../../src/adapters/time/virtualClock.ts';
import { believedLevel, definitionHash } from '../../../src/core/ledger/toolContract.ts';
import { keptContracts, testToolContract } from '../../../src/engine/toolContract.ts';
import type { ContractReport, ContractTarget } from '../../../src/engine/toolContract.ts';
import type { StorePort } from '../../../src/engine/ports.ts';
import { must } from '../../support/memoryEntries.ts';

const definition = definitionHash({ version: 1 });

/** How a tool treats keys. */
interface Habits {
  /** Ignores keys altogether. */
  readonly ignoresKeys?: boolean;
  /** Looks a key up first and stores it after acting: two calls at the same time both act. */
  readonly storesLate?: boolean;
  /** Takes every call for the same action. */
  readonly oneKeyOnly?: boolean;
  /** A call that is cut off goes on in the background, under a key that is forgotten. */
  readonly forgetsCut?: boolean;
  /** Acts so long after its answer. */
  readonly lateMs?: number;
}

function tool(clock: VirtualClock, habits: Habits): ContractTarget & { readonly acted: string[] } {
  const known = new Map<string, string>();
  const acted: string[] = [];
  const act = async (args: unknown): Promise<void> => {
    if (habits.lateMs !== undefined) void clock.sleep(habits.lateMs).then(() => acted.push(JSON.stringify(args)));
    else acted.push(JSON.stringify(args));
    await Promise.resolve();
  };
  return {
    acted,
    count: () => Promise.resolve({ ok: true, value: acted.length }),
    call: async (key, args, signal) => {
      const name = habits.oneKeyOnly ? 'one' : key;
      const text = JSON.stringify(args);
      if (!habits.ignoresKeys && known.has(name)) {
        return known.get(name) === text ? { ok: true, value: null } : { ok: false, error: 'other arguments' };
      }
      if (!habits.storesLate) known.set(name, text);
      await clock.sleep(10);
      if (signal.aborted && habits.forgetsCut) known.delete(name);
      await act(args);
      known.set(name, text);
      if (signal.aborted && habits.forgetsCut) known.delete(name);
      return signal.aborted ? { ok: false, error: 'cut off' } : { ok: true, value: null };
    },
  };
}

async function tested(habits: Habits, settleMs = 50, store: StorePort = memoryStore()): Promise<ContractReport> {
  const clock = virtualClock(1000);
  const request = { tool: 'pay', definition, args: { sum: 1 }, otherArgs: { sum: 2 }, settleMs, cutAfterMs: [0, 5] };
  return must(await clock.run(testToolContract({ clock, store }, request, tool(clock, habits))));
}

describe('the contract test', () => {
  it('is passed by a tool that keeps its keys, and the verdict is kept for exactly this version', async () => {
    const store = memoryStore();
    const { verdict, contract } = await tested({}, 50, store);
    expect(verdict).toEqual({ isPassed: true, problems: [], untried: [] });
    expect(must(await keptContracts({ store }))).toEqual([contract]);
    expect(contract).toMatchObject({ tool: 'pay', definition, isPassed: true });
    expect(contract.evidence).toHaveLength(7);
    expect(contract.evidence[0]).toBe('once: 1 effect (answered)');
    expect(believedLevel({ name: 'pay', definition, hasProbe: false }, 'R1', [contract])).toBe('R1');
  });

  it.each<[string, Habits, string]>([
    ['ignores its keys', { ignoresKeys: true }, 'repeated'],
    ['stores its keys after acting', { storesLate: true }, 'together'],
    ['takes every call for the same', { oneKeyOnly: true }, 'other-key'],
    ['forgets the key of a call that was cut off', { forgetsCut: true }, 'cut-off'],
  ])('finds out a tool that %s', async (_, habits, broken) => {
    const { verdict, contract } = await tested(habits);
    expect(verdict.isPassed).toBe(false);
    expect(verdict.problems.some((problem) => problem.startsWith(`${broken}: `))).toBe(true);
    expect(believedLevel({ name: 'pay', definition, hasProbe: true }, 'R1', [contract])).toBe('R2');
  });

  it('waits for late effects before it counts', async () => {
    expect((await tested({ lateMs: 30 }, 50)).verdict.isPassed).toBe(true);
    expect((await tested({ lateMs: 30 }, 0)).verdict.isPassed).toBe(false);
  });

  it('proves nothing of a tool whose effects cannot be counted', async () => {
    const clock = virtualClock(0);
    const target: ContractTarget = {
      call: () => Promise.resolve({ ok: true, value: null }),
      count: () => Promise.resolve({ ok: false, error: 'no such table' }),
    };
    const request = { tool: 'pay', definition, args: 1, settleMs: 0, cutAfterMs: [0] };
    const { verdict } = must(await clock.run(testToolContract({ clock, store: memoryStore() }, request, target)));
    expect(verdict.isPassed).toBe(false);
    expect(verdict.problems[0]).toContain('no such table');
    expect(verdict.untried).toEqual(['other-arguments']);
  });

  it('uses keys that no earlier test has used', async () => {
    const clock = virtualClock(0);
    const keys = new Set<string>();
    const target: ContractTarget = {
      call: (key) => (keys.add(key), Promise.resolve({ ok: true, value: null })),
      count: () => Promise.resolve({ ok: true, value: 0 }),
    };
    const request = { tool: 'pay', definition, args: 1, settleMs: 0, cutAfterMs: [0] };
    const store = memoryStore();
    await clock.run(testToolContract({ clock, store }, request, target));
    const first = keys.size;
    await clock.advance(1);
    await clock.run(testToolContract({ clock, store }, request, target));
    expect(first).toBe(4);
    expect(keys.size).toBe(8);
  });

  it('answers the fault of a store that cannot keep the verdict, and calls nothing when it cannot be read', async () => {
    const clock = virtualClock(0);
    const store = memoryStore();
    const target = tool(clock, {});
    await store.close();
    const request = { tool: 'pay', definition, args: 1, settleMs: 0, cutAfterMs: [] };
    const ended = await clock.run(testToolContract({ clock, store }, request, target));
    expect(ended).toMatchObject({ ok: false, error: { kind: 'closed' } });
    expect(target.acted).toEqual([]);
  });
});

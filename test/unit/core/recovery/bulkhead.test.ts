import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Criticality } from '../../../../src/core/context.ts';
import type { LoadSignal } from '../../../../src/core/recovery/adaptivePlaces.ts';
import {
  emptyBulkhead,
  placesOf,
  stepBulkhead,
  waitLimitMs,
  type BulkheadLimits,
  type BulkheadMessage,
  type BulkheadState,
  type PoolName,
  type Visitor,
} from '../../../../src/core/recovery/bulkhead.ts';
import { parseSettings } from '../../../../src/core/settings.ts';

const defaults = parseSettings({}).settings.advanced.bulkhead;
const limits: BulkheadLimits = { ...defaults, perProvider: 4, perTenant: 6, reservedShare: 0.25, queueLength: 3 };
const POOL: PoolName = 'provider:p/main';

function visitor(id: number, criticality: Criticality, change: Partial<Visitor> = {}): Visitor {
  const atMs = change.atMs ?? 0;
  return { id, pools: [POOL], criticality, atMs, untilMs: atMs + waitLimitMs(criticality, limits), ...change };
}

/** Plays messages; who was admitted and refused, in order. */
function play(messages: readonly (readonly [BulkheadMessage, number])[], from: BulkheadState = emptyBulkhead) {
  let state = from;
  const log: string[] = [];
  for (const [message, nowMs] of messages) {
    const step = stepBulkhead(state, message, limits, nowMs);
    state = step.state;
    log.push(
      ...step.admitted.map(({ id }) => `+${id}`),
      ...step.refused.map((each) => `-${each.visitor.id} ${each.why}`),
    );
  }
  return { state, log };
}
const enter = (each: Visitor): readonly [BulkheadMessage, number] => [{ type: 'enter', visitor: each }, each.atMs];
const leave = (id: number, nowMs = 0, criticality: Criticality = 'medium'): readonly [BulkheadMessage, number] => [
  { type: 'leave', visitor: visitor(id, criticality) },
  nowMs,
];

describe('a bulkhead', () => {
  it('keeps a place for what is critical', () => {
    const { log, state } = play([1, 2, 3, 4].map((id) => enter(visitor(id, 'medium'))));
    expect(log).toEqual(['+1', '+2', '+3']);
    expect(play([enter(visitor(5, 'high'))], state).log).toEqual(['+5']);
  });

  it('lets what is critical use every place, and gives ordinary work its own back', () => {
    const full = play([1, 2, 3, 4].map((id) => enter(visitor(id, 'high'))));
    expect(full.log).toHaveLength(4);
    const { log } = play([enter(visitor(5, 'low')), leave(1, 0, 'high')], full.state);
    // Three critical ones are left: one in the reserve, two of the three ordinary places.
    expect(log).toEqual(['+5']);
  });

  it('lets in by criticality, then by age', () => {
    const taken = play([1, 2, 3].map((id) => enter(visitor(id, 'medium')))).state;
    const { log } = play(
      [
        enter(visitor(10, 'low')),
        enter(visitor(11, 'medium')),
        enter(visitor(12, 'medium')),
        leave(1),
        leave(2),
        leave(3),
      ],
      taken,
    );
    expect(log).toEqual(['+11', '+12', '+10']);
  });

  it('turns away the least important when too many wait, and tells it at once', () => {
    const taken = play([1, 2, 3].map((id) => enter(visitor(id, 'medium')))).state;
    const { log } = play(
      [10, 11, 12].map((id) => enter(visitor(id, 'low'))).concat([enter(visitor(13, 'medium'))]),
      taken,
    );
    expect(log).toEqual(['-12 queue-full']);
  });

  it('turns away of the tenant with most waiting, so that one that sends too much turns nobody else away', () => {
    const of = (id: number, tenant: string, criticality: Criticality = 'medium'): Visitor =>
      visitor(id, criticality, { pools: [POOL, `tenant:${tenant}`] });
    const taken = play([1, 2, 3].map((id) => enter(of(id, 'noisy')))).state;
    const { log, state } = play(
      [10, 11, 12].map((id) => enter(of(id, 'noisy', 'high'))).concat([enter(of(13, 'quiet', 'low'))]),
      taken,
    );
    // The first of them has the place that is kept for high criticality.
    expect(log).toEqual(['+10']);
    expect(play([enter(of(14, 'noisy', 'high'))], state).log).toEqual(['-14 queue-full']);
  });

  it('ends a wait when its timer ends, whatever the clock says', () => {
    const taken = play([1, 2, 3].map((id) => enter(visitor(id, 'medium')))).state;
    const { log } = play([enter(visitor(10, 'low')), [{ type: 'wait-over', id: 10 }, -3_600_000]], taken);
    expect(log).toEqual(['-10 waited-too-long']);
  });

  it('lets nobody wait longer than its limit, low criticality least', () => {
    expect(['low', 'medium', 'high'].map((each) => waitLimitMs(each as Criticality, defaults))).toEqual([
      1000, 5000, 10_000,
    ]);
    const taken = play([1, 2, 3].map((id) => enter(visitor(id, 'medium')))).state;
    const { log } = play(
      [enter(visitor(10, 'low')), [{ type: 'time-passed' }, 999], [{ type: 'time-passed' }, 1000]],
      taken,
    );
    expect(log).toEqual(['-10 waited-too-long']);
  });

  it('lets nobody who came later pass one that is older than two agings', () => {
    const taken = play([1, 2, 3].map((id) => enter(visitor(id, 'medium')))).state;
    const old = visitor(10, 'low', { untilMs: 60_000 });
    const { log } = play(
      [
        enter(old),
        enter(visitor(11, 'medium', { atMs: 3000 })),
        enter(visitor(12, 'medium', { atMs: 4000 })),
        leave(1, 4001),
      ],
      taken,
    );
    expect(log).toEqual(['+10']);
  });

  it('takes places in several pools together or not at all', () => {
    const other: PoolName = 'tenant:t';
    const both = (id: number): Visitor => visitor(id, 'medium', { pools: [POOL, other] });
    const { state } = play([1, 2, 3, 4].map((id) => enter(both(id))));
    expect([...state.used]).toEqual([
      [POOL, { all: 3, critical: 0 }],
      [other, { all: 3, critical: 0 }],
    ]);
    // A full pool keeps nobody from another one.
    expect(play([enter(visitor(9, 'medium', { pools: ['provider:q/main', other] }))], state).log).toEqual(['+9']);
  });

  it('is empty when all have left, and ignores who gives up without waiting', () => {
    const { state } = play([enter(visitor(1, 'medium')), [{ type: 'give-up', id: 1 }, 0], leave(1)]);
    expect(state).toEqual(emptyBulkhead);
    expect(play([[{ type: 'give-up', id: 9 }, 0]]).state).toEqual(emptyBulkhead);
  });

  it('never reserves every place', () => {
    expect(placesOf(POOL, { ...limits, perProvider: 2, reservedShare: 0.9 }, new Map(), 0)).toEqual({
      all: 2,
      reserved: 1,
    });
    expect(placesOf('tool:command', defaults, new Map(), 0).all).toBe(16);
  });

  it('has room for 1,000 streams beside the reserve by default', () => {
    const { all, reserved } = placesOf(POOL, defaults, new Map(), 0);
    expect(all - reserved).toBeGreaterThanOrEqual(1000);
  });

  it('has fewer places after an overload, more again as answers come, and all of them in the end', () => {
    const six: BulkheadLimits = { ...limits, perProvider: 12, reservedShare: 0, leastPlaces: 2 };
    let { state } = play([]);
    const all = (nowMs: number): number => placesOf(POOL, six, state.adapted, nowMs).all;
    const say = (message: BulkheadMessage, nowMs: number): readonly Visitor[] => {
      const step = stepBulkhead(state, message, six, nowMs);
      ({ state } = step);
      return step.admitted;
    };
    for (let id = 1; id <= 8; id++) say({ type: 'enter', visitor: visitor(id, 'medium') }, 0);
    say({ type: 'load', pool: POOL, signal: 'overloaded', startedAtMs: 0 }, 1000);
    expect(all(1000)).toBe(4);
    // The other attempts of the same burst say nothing new.
    say({ type: 'load', pool: POOL, signal: 'overloaded', startedAtMs: 500 }, 1001);
    expect(all(1001)).toBe(4);
    for (let id = 1; id <= 4; id++) say({ type: 'leave', visitor: visitor(id, 'medium') }, 1002);
    const waiter = visitor(20, 'medium', { atMs: 1002 });
    expect(say({ type: 'enter', visitor: waiter }, 1002)).toEqual([]);
    // A round of answers at four is one place more, and lets it in.
    for (let i = 0; i < 3; i++)
      expect(say({ type: 'load', pool: POOL, signal: 'served', startedAtMs: 1000 }, 1003)).toEqual([]);
    say({ type: 'load', pool: POOL, signal: 'served', startedAtMs: 1000 }, 1003);
    say({ type: 'load', pool: POOL, signal: 'served', startedAtMs: 1000 }, 1003);
    expect(all(1003)).toBe(5);
    expect(state.queue).toEqual([]);
    expect(all(1001 + six.forgetOverloadMs + 1)).toBe(12);
  });

  it('begins with few places after a breaker has opened and grows by one with each answer', () => {
    const open: BulkheadLimits = { ...limits, perProvider: 40, reservedShare: 0, leastPlaces: 2 };
    let state = emptyBulkhead;
    const say = (message: BulkheadMessage): void => {
      ({ state } = stepBulkhead(state, message, open, 0));
    };
    for (let id = 1; id <= 30; id++) say({ type: 'enter', visitor: visitor(id, 'medium') });
    say({ type: 'load', pool: POOL, signal: 'closed-off', startedAtMs: 0 });
    expect(placesOf(POOL, open, state.adapted, 0).all).toBe(2);
    for (let i = 1; i <= 13; i++) {
      say({ type: 'load', pool: POOL, signal: 'served', startedAtMs: 0 });
      expect(placesOf(POOL, open, state.adapted, 0).all).toBe(2 + i);
    }
    // Half of what was in use when it opened: from there on slowly.
    say({ type: 'load', pool: POOL, signal: 'served', startedAtMs: 0 });
    expect(placesOf(POOL, open, state.adapted, 0).all).toBe(15);
  });

  it('never grows by answers that come while few places are used, and is left alone where that is set', () => {
    const few: BulkheadLimits = { ...limits, perProvider: 100, reservedShare: 0, leastPlaces: 2 };
    const signals = (bulkhead: BulkheadLimits): number => {
      let state = emptyBulkhead;
      const say = (message: BulkheadMessage): void => {
        ({ state } = stepBulkhead(state, message, bulkhead, 0));
      };
      for (let id = 1; id <= 20; id++) say({ type: 'enter', visitor: visitor(id, 'medium') });
      say({ type: 'load', pool: POOL, signal: 'overloaded', startedAtMs: 0 });
      for (let id = 1; id <= 17; id++) say({ type: 'leave', visitor: visitor(id, 'medium') });
      for (let i = 0; i < 50; i++) say({ type: 'load', pool: POOL, signal: 'served', startedAtMs: 0 });
      return placesOf(POOL, bulkhead, state.adapted, 0).all;
    };
    expect(signals(few)).toBe(10);
    expect(signals({ ...few, isAdaptive: false })).toBe(100);
  });

  it('loses no place, overfills no pool and keeps its order, whatever comes', () => {
    const pools: readonly PoolName[] = ['provider:p/main', 'provider:q/main', 'tenant:t'];
    const move = fc.record({
      what: fc.constantFrom('enter', 'enter', 'enter', 'leave', 'give-up', 'time-passed', 'load'),
      signal: fc.constantFrom<LoadSignal>('served', 'overloaded', 'closed-off'),
      pick: fc.nat(1000),
      criticality: fc.constantFrom<Criticality>('low', 'medium', 'high'),
      mask: fc.integer({ min: 1, max: 7 }),
      passMs: fc.integer({ min: 0, max: 1500 }),
    });
    fc.assert(
      fc.property(fc.array(move, { maxLength: 120 }), (moves) => {
        let state = emptyBulkhead;
        let [nowMs, id] = [0, 0];
        const settled = new Set<number>();
        const inside = new Map<number, Visitor>();
        for (const { what, pick, criticality, mask, passMs, signal } of moves) {
          nowMs += passMs;
          const someone = [...inside.values()][pick % Math.max(1, inside.size)];
          if (what === 'leave' && !someone) continue;
          const message: BulkheadMessage =
            what === 'enter'
              ? {
                  type: 'enter',
                  visitor: visitor(++id, criticality, {
                    atMs: nowMs,
                    untilMs: nowMs + waitLimitMs(criticality, limits),
                    pools: pools.filter((_, bit) => ((mask >> bit) & 1) === 1),
                  }),
                }
              : what === 'leave'
                ? { type: 'leave', visitor: someone! }
                : what === 'give-up'
                  ? { type: 'give-up', id: state.queue[pick % Math.max(1, state.queue.length)]?.id ?? -1 }
                  : what === 'load'
                    ? { type: 'load', pool: pools[pick % pools.length]!, signal, startedAtMs: nowMs - passMs }
                    : { type: 'time-passed' };
          const step = stepBulkhead(state, message, limits, nowMs);
          state = step.state;
          for (const { id: each } of [...step.admitted, ...step.refused.map((refused) => refused.visitor)]) {
            expect(settled.has(each)).toBe(false);
            settled.add(each);
          }
          if (message.type === 'leave') inside.delete(message.visitor.id);
          for (const each of step.admitted) inside.set(each.id, each);
          for (const pool of pools) {
            const own = [...inside.values()].filter((each) => each.pools.includes(pool));
            expect(state.used.get(pool) ?? { all: 0, critical: 0 }).toEqual({
              all: own.length,
              critical: own.filter((each) => each.criticality === 'high').length,
            });
            const { all, reserved } = placesOf(pool, limits, state.adapted, nowMs);
            expect(all).toBeGreaterThanOrEqual(1);
            // Places that are taken away keep nobody out who is in: only who comes then.
            if (!step.admitted.some((each) => each.pools.includes(pool))) continue;
            expect(own.length).toBeLessThanOrEqual(all);
            expect(own.filter((each) => each.criticality !== 'high').length).toBeLessThanOrEqual(all - reserved);
          }
          expect(state.queue.length).toBeLessThanOrEqual(limits.queueLength);
          expect(state.queue.every((each) => each.untilMs > nowMs || message.type === 'give-up')).toBe(true);
          // Nobody who came later with the same pools passed one that is older than two agings.
          for (const winner of step.admitted)
            for (const waiter of state.queue) {
              const isOld = nowMs - waiter.atMs >= 2 * limits.agingMs;
              const isSame = winner.pools.join() === waiter.pools.join();
              const mayUseReserve = winner.criticality === 'high' && waiter.criticality !== 'high';
              if (isOld && isSame && !mayUseReserve) expect(winner.atMs).toBeLessThanOrEqual(waiter.atMs);
            }
        }
        while (inside.size > 0)
          for (const each of [...inside.values()]) {
            const step = stepBulkhead(state, { type: 'leave', visitor: each }, limits, nowMs);
            state = step.state;
            inside.delete(each.id);
            for (const next of step.admitted) inside.set(next.id, next);
          }
        expect({ ...state, adapted: new Map() }).toEqual(emptyBulkhead);
      }),
      { numRuns: 300 },
    );
  });
});

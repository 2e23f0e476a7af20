import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { balancedConstants } from '../../../../../src/core/scheduler/balanced/constants.ts';
import { independentFailure, jointFailure } from '../../../../../src/core/scheduler/balanced/jointFailure.ts';
import { poolOf } from '../../../../../src/core/scheduler/balanced/pool.ts';
import { emptyState } from '../../../../../src/core/scheduler/balanced/savedState.ts';
import type { CandidateFacts, SourceName } from '../../../../../src/core/scheduler/balanced/types.ts';
import { viewOf, type PoolView } from '../../../../../src/core/scheduler/balanced/view.ts';
import { learned, someTrace, START_MS, studyPool, traceOf } from './samples.ts';

/** P(all fail) by going through the states of every source of the set, shared or not. */
function everyState(view: PoolView, set: readonly number[]): number {
  const { members, constants } = view.pool;
  const sources = [...new Set(set.flatMap((position) => members[position]!.sources))];
  let sum = 0;
  for (let state = 0; state < 2 ** sources.length; state++) {
    const isDown = (source: number): boolean => Math.floor(state / 2 ** sources.indexOf(source)) % 2 === 1;
    let weight = sources.reduce((product, source) => {
      const p = view.down[source]!;
      return product * (isDown(source) ? p : 1 - p);
    }, 1);
    for (const position of set) {
      const downs = members[position]!.sources.filter(isDown).length;
      weight *= 1 - (1 - view.baseFail[position]!) * (1 - constants.delta) ** downs;
    }
    sum += weight;
  }
  return sum;
}

const pool = poolOf(studyPool, balancedConstants);
const sets = fc.uniqueArray(fc.nat(studyPool.length - 1), { minLength: 1, maxLength: 4 });
const traces = fc.array(someTrace, { maxLength: 30 });

describe('the joint failure of a set', () => {
  it('agrees with all states of all sources to 1e-9', () => {
    fc.assert(
      fc.property(traces, sets, (seen, set) => {
        const view = viewOf(learned(seen), pool, 'chat', START_MS + 30_000);
        expect(Math.abs(jointFailure(view, set) - everyState(view, set))).toBeLessThan(1e-9);
      }),
      { numRuns: 60 },
    );
  });

  it('never grows with the set, and is never below the product', () => {
    fc.assert(
      fc.property(traces, sets, (seen, set) => {
        const view = viewOf(learned(seen), pool, 'chat', START_MS + 30_000);
        let before = 1;
        set.forEach((_, count) => {
          const some = set.slice(0, count + 1);
          const joint = jointFailure(view, some);
          expect(joint).toBeLessThanOrEqual(before + 1e-12);
          expect(joint).toBeGreaterThanOrEqual(independentFailure(view, some) - 1e-12);
          expect(joint >= 0 && joint <= 1).toBe(true);
          before = joint;
        });
      }),
      { numRuns: 60 },
    );
  });

  it('is certain for an empty set, and 1 − a for a single candidate', () => {
    const view = viewOf(emptyState, pool, 'chat', START_MS);
    expect(jointFailure(view, [])).toBe(1);
    expect(jointFailure(view, [7])).toBeCloseTo(1 - view.availability[7]!, 15);
  });

  it('is well above the product where the pair shares a region that is in doubt', () => {
    const state = learned([traceOf('L-ge', { outcome: 'hard-failure' }), traceOf('M-ge', { outcome: 'hard-failure' })]);
    const view = viewOf(state, pool, 'chat', START_MS + 2000);
    const [shared, apart] = [
      [6, 7],
      [3, 7],
    ].map((set) => jointFailure(view, set) / independentFailure(view, set));
    expect(shared).toBeGreaterThan(1.4);
    expect(apart).toBeLessThan(1.1);
  });

  it('is an upper bound, and a close one, for more than 8 shared sources', () => {
    const names = Array.from({ length: 10 }, (_, index): SourceName => `region:${index}`);
    const crowded = ['a', 'b', 'c'].map((id): CandidateFacts => ({
      id,
      tier: 'M',
      sources: [`own:${id}`, ...names],
      price: null,
      contextWindowTokens: null,
      capacity: null,
    }));
    const sources = Object.fromEntries(names.map((name, index) => [name, { p: 0.02 + 0.03 * index, atMs: START_MS }]));
    const view = viewOf({ ...emptyState, sources }, poolOf(crowded, balancedConstants), 'chat', START_MS);
    const exact = everyState(view, [0, 1, 2]);
    const bound = jointFailure(view, [0, 1, 2]);
    expect(bound).toBeGreaterThanOrEqual(exact - 1e-12);
    expect(bound).toBeLessThanOrEqual(exact + 1 - (1 - 0.02) * (1 - 0.05));
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { balancedConstants } from '../../../../../src/core/scheduler/balanced/constants.ts';
import { independentFailure, jointFailure } from '../../../../../src/core/scheduler/balanced/jointFailure.ts';
import { poolOf } from '../../../../../src/core/scheduler/balanced/pool.ts';
import { viewOf, type PoolView } from '../../../../../src/core/scheduler/balanced/view.ts';
import {
  degreeReasons,
  printedDegree,
  redundancyDegree,
  type CopyCandidate,
  type DegreeRequest,
  type DegreeRule,
} from '../../../../../src/core/scheduler/redundancy/degree.ts';
import { learned, START_MS, studyPool, traceOf } from '../balanced/samples.ts';

const at = (id: string, change: Partial<CopyCandidate> = {}): CopyCandidate => ({
  id,
  costUsd: 0.05,
  isComputeHeavyLocal: false,
  ...change,
});

/** A worthwhile read: three copies would pay. */
const request: DegreeRequest = {
  level: 'R0',
  criticality: 'high',
  isOnCriticalPath: true,
  candidates: [at('a'), at('b'), at('c')],
  jointFailure: [0.2, 0.04, 0.008],
  waitS: null,
  lossUsd: 10,
  usdPerS: 0,
};

describe('the printed degree', () => {
  it('stays 2 until a failure rate of .6 and is 3 from there on', () => {
    const rates = [0, 0.2, 0.39, 0.4, 0.5, 0.5999, 0.6, 0.8, 1];
    expect(rates.map(printedDegree)).toEqual([2, 2, 2, 2, 2, 2, 3, 3, 3]);
  });

  it('lets more pairs fail at .59 than triples at .6, and copies what never fails', () => {
    const failing = (rate: number): number => rate ** printedDegree(rate);
    expect(failing(0.59)).toBeCloseTo(0.348, 3);
    expect(failing(0.6)).toBeCloseTo(0.216, 3);
    expect(printedDegree(0)).toBe(2);
  });

  it('takes shares only', () => {
    for (const wrong of [-0.1, 1.1, Number.NaN]) expect(() => printedDegree(wrong)).toThrow(RangeError);
  });
});

describe('the degree of a request', () => {
  it('is the last copy that pays for itself', () => {
    // Worked: loss $1: .16 − .05 pays, .032 − .05 does not.
    expect(redundancyDegree({ ...request, lossUsd: 1 })).toMatchObject({ degree: 2, bound: 'does-not-pay' });
    expect(redundancyDegree({ ...request, lossUsd: 1 }).netUsd).toBeCloseTo(0.11, 12);
    expect(redundancyDegree({ ...request, lossUsd: 0.3 })).toMatchObject({ degree: 1, netUsd: 0 });
    expect(redundancyDegree(request)).toMatchObject({ degree: 3, bound: 'no-other-candidate' });
  });

  it('passes a copy that shares the failure where the next one pays for both', () => {
    const jointFailure = [0.2, 0.2, 0.01];
    expect(redundancyDegree({ ...request, jointFailure, lossUsd: 1 })).toMatchObject({ degree: 3 });
    expect(redundancyDegree({ ...request, jointFailure, lossUsd: 0.5 })).toMatchObject({ degree: 1 });
  });

  it('counts the seconds that a copy saves', () => {
    const waitS = (count: number): number => 8 / count;
    const calm = { ...request, jointFailure: [0, 0, 0], waitS };
    expect(redundancyDegree({ ...calm, usdPerS: 0 }).degree).toBe(1);
    expect(redundancyDegree({ ...calm, usdPerS: 0.02 }).degree).toBe(2);
    expect(redundancyDegree({ ...calm, usdPerS: 0.05 }).degree).toBe(3);
  });

  it.each<[DegreeRule, Partial<DegreeRequest>]>([
    ['write', { level: 'R1' }],
    ['write', { level: 'R3', criticality: 'low' }],
    ['off-critical-path', { isOnCriticalPath: false }],
    ['criticality', { criticality: 'low' }],
    ['no-other-candidate', { candidates: [at('a')] }],
    ['no-other-candidate', { candidates: [] }],
    ['local-compute', { candidates: [at('a', { isComputeHeavyLocal: true }), at('b')] }],
    ['local-compute', { candidates: [at('a'), at('b', { isComputeHeavyLocal: true }), at('c')] }],
    ['unpredicted', { jointFailure: [] }],
    ['unpredicted', { jointFailure: [0.2, Number.NaN, 0.01] }],
    ['unpriced', { candidates: [at('a'), at('b', { costUsd: null })] }],
    ['unpriced', { candidates: [at('a'), at('b', { costUsd: Number.NaN })] }],
  ])('is 1 with the rule %s for %j', (bound, change) => {
    const choice = redundancyDegree({ ...request, ...change });
    expect(choice).toMatchObject({ degree: 1, bound, reason: degreeReasons[bound], netUsd: 0 });
  });

  it('is 2 at most for medium criticality', () => {
    expect(redundancyDegree({ ...request, criticality: 'medium' })).toMatchObject({ degree: 2, bound: 'criticality' });
  });

  it('stops before the first copy of which something is not known', () => {
    expect(redundancyDegree({ ...request, jointFailure: [0.2, 0.04] })).toMatchObject({
      degree: 2,
      bound: 'unpredicted',
    });
  });

  it('sees through candidates that fail together: independence would pay for a copy that mends little', () => {
    const failures = ['L-ge', 'M-ge'].map((id) => traceOf(id, { outcome: 'hard-failure' }));
    const pool = poolOf(studyPool, balancedConstants);
    const view = viewOf(learned(failures), pool, 'chat', START_MS + 2000);
    const degreeBy = (failure: (view: PoolView, set: readonly number[]) => number, ids: readonly string[]): number => {
      const order = ids.map((id) => studyPool.findIndex((facts) => facts.id === id));
      return redundancyDegree({
        ...request,
        jointFailure: (count) => failure(view, order.slice(0, count)),
        lossUsd: 0.3,
        candidates: ids.map((id) => at(id)),
      }).degree;
    };
    expect(degreeBy(independentFailure, ['L-ge', 'S-ge'])).toBe(2);
    expect(degreeBy(jointFailure, ['L-ge', 'S-ge'])).toBe(1);
    expect(degreeBy(jointFailure, ['L-ge', 'M-reg'])).toBe(2);
  });
});

describe('the degree in general', () => {
  // Dyadic figures: sums of them are exact, so that ties are ties.
  const share = fc.integer({ min: 0, max: 64 }).map((part) => part / 64);
  const money = fc.integer({ min: 0, max: 640 }).map((part) => part / 64);
  const some = fc.record({
    level: fc.constant('R0' as const),
    criticality: fc.constantFrom('low', 'medium', 'high'),
    isOnCriticalPath: fc.boolean(),
    candidates: fc.array(fc.record({ id: fc.constant('x'), costUsd: money, isComputeHeavyLocal: fc.constant(false) }), {
      maxLength: 4,
    }),
    jointFailure: fc.array(share, { minLength: 4, maxLength: 4 }),
    waitS: fc.option(fc.array(money, { minLength: 4, maxLength: 4 })),
    lossUsd: money,
    usdPerS: share,
  });

  it('is never lower for more loss, nor for dearer seconds', () => {
    fc.assert(
      fc.property(some, money, share, (each, more, dearer) => {
        const before = redundancyDegree(each).degree;
        expect(redundancyDegree({ ...each, lossUsd: each.lossUsd + more }).degree).toBeGreaterThanOrEqual(before);
        expect(redundancyDegree({ ...each, usdPerS: each.usdPerS + dearer }).degree).toBeGreaterThanOrEqual(before);
      }),
    );
  });

  it('is never higher for a dearer copy, whichever it is', () => {
    fc.assert(
      fc.property(some, fc.nat(3), money, (each, place, more) => {
        const candidates = each.candidates.map((copy, index) =>
          index === place ? { ...copy, costUsd: copy.costUsd + more } : copy,
        );
        expect(redundancyDegree({ ...each, candidates }).degree).toBeLessThanOrEqual(redundancyDegree(each).degree);
      }),
    );
  });

  it('is 1 for every write, and within the pool and the cap for every figure that can be', () => {
    const hostile = fc.oneof(fc.double(), fc.constantFrom(Number.NaN, Infinity, -Infinity, -1));
    fc.assert(
      fc.property(
        some,
        fc.array(hostile, { maxLength: 5 }),
        hostile,
        hostile,
        fc.constantFrom('R1', 'R2', 'R3'),
        (each, figures, lossUsd, usdPerS, level) => {
          const odd = { ...each, jointFailure: figures, waitS: figures, lossUsd, usdPerS };
          expect(redundancyDegree({ ...odd, level }).degree).toBe(1);
          const { degree, netUsd } = redundancyDegree(odd);
          expect(degree).toBeGreaterThanOrEqual(1);
          expect(degree).toBeLessThanOrEqual(Math.min(3, Math.max(1, each.candidates.length)));
          expect(netUsd).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});

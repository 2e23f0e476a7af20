import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchFigures, luckOf, redundancyRows, SIZES } from '../../../../src/bench/redundancy/experiment.ts';
import { expectationOf } from '../../../../src/bench/redundancy/expectation.ts';
import { drawLuck, serve, SERVICE, VERSIONS, type Execution } from '../../../../src/bench/redundancy/service.ts';
import { tryRedundancyClaims } from '../../../../src/bench/redundancy/claims.ts';
import { chanceBeyond, meanInterval, quantileInterval, wilson } from '../../../../src/bench/redundancy/statistics.ts';
import { seededRandom } from '../../../support/random.ts';

const luck = luckOf(2001);
const rows = redundancyRows(luck);
const [small, large] = SIZES;
const execution: fc.Arbitrary<Execution> = fc.option(fc.double({ min: 0.5, max: 7, noNaN: true }));

describe('one request', () => {
  it('waits for the loser where the code is taken as printed: .05 s beside 1 s comes after 1 s', () => {
    expect(serve('as-printed', 0.05, 1)).toEqual({ isAnswered: true, latencyS: 1, executions: 2, busyS: 1.05 });
    expect(serve('first-wins', 0.05, 1)).toEqual({ isAnswered: true, latencyS: 0.05, executions: 2, busyS: 0.1 });
    expect(serve('first-wins', null, 1)).toEqual({ isAnswered: true, latencyS: 1, executions: 2, busyS: 1 });
    expect(serve('serial-retry', null, 1)).toEqual({ isAnswered: true, latencyS: 1, executions: 2, busyS: 1 });
    expect(serve('serial-retry', 6, 1)).toEqual({ isAnswered: true, latencyS: 6, executions: 1, busyS: 6 });
    for (const version of VERSIONS) expect(serve(version, null, null).isAnswered).toBe(false);
  });

  it('never comes sooner as printed than with first-wins, and never later with first-wins than alone or retried', () => {
    fc.assert(
      fc.property(execution, execution, (first, second) => {
        const [single, firstWins, asPrinted, serial] = VERSIONS.map((version) => serve(version, first, second));
        expect(asPrinted!.latencyS).toBeGreaterThanOrEqual(firstWins!.latencyS);
        expect(asPrinted!.busyS).toBeGreaterThanOrEqual(firstWins!.busyS);
        expect(serial!.latencyS).toBeGreaterThanOrEqual(firstWins!.latencyS);
        if (single!.isAnswered) expect(single!.latencyS).toBeGreaterThanOrEqual(firstWins!.latencyS);
        expect([asPrinted!.isAnswered, serial!.isAnswered]).toEqual([firstWins!.isAnswered, firstWins!.isAnswered]);
      }),
    );
  });
});

describe('the luck of a seed', () => {
  it('is the same each time, begins the same for every size, and is another for another seed', () => {
    expect(drawLuck(7, 100).requests).toEqual(drawLuck(7, 200).requests.slice(0, 100));
    expect(drawLuck(8, 100).requests).not.toEqual(drawLuck(7, 100).requests);
  });

  it('is the printed service: a fifth fails, a tenth takes 5 to 7 s, the rest .5 to 1 s', () => {
    const copies = luck.requests.flat();
    const se = Math.sqrt(0.25 / copies.length);
    const slow = copies.filter((copy) => copy !== null && copy >= SERVICE.slowS[0]);
    expect(Math.abs(copies.filter((copy) => copy === null).length / copies.length - 0.2)).toBeLessThan(4 * se);
    expect(Math.abs(slow.length / copies.length - 0.1)).toBeLessThan(4 * se);
    for (const copy of copies)
      expect(copy === null || (copy >= 0.5 && copy <= 1) || (copy >= 5 && copy <= 7)).toBe(true);
  });

  it('does not join the copies of a request: first-wins succeeds with 1 − p² within 3 standard errors', () => {
    const p = SERVICE.failShare;
    const row = rows.find(({ version, n }) => version === 'first-wins' && n === large)!;
    expect(Math.abs(row.success - (1 - p * p))).toBeLessThan(3 * Math.sqrt((p * p * (1 - p * p)) / large));
  });
});

describe('the exact figures', () => {
  it('are those of the study: 6.84, 6.55 and 6.90 s, 12.5, 5.2 and 19.8 % beyond 5 s', () => {
    const [single, firstWins, asPrinted, serial] = VERSIONS.map(expectationOf);
    expect([single!.success, firstWins!.success, asPrinted!.success, serial!.success]).toEqual([
      0.8,
      expect.closeTo(0.96, 12),
      expect.closeTo(0.96, 12),
      expect.closeTo(0.96, 12),
    ]);
    expect([single!.p99S, firstWins!.p99S, asPrinted!.p99S, serial!.p99S].map((s) => s.toFixed(2))).toEqual([
      '6.84',
      '6.55',
      '6.90',
      '6.84',
    ]);
    expect([single!.long, firstWins!.long, asPrinted!.long].map((share) => (share * 100).toFixed(1))).toEqual([
      '12.5',
      '5.2',
      '19.8',
    ]);
    expect([single!.meanS, firstWins!.meanS, asPrinted!.meanS].map((s) => s.toFixed(3))).toEqual([
      '1.406',
      '0.977',
      '1.835',
    ]);
  });

  it('are met by 50,000 requests within 4 standard errors, each figure of each version', () => {
    for (const row of rows.filter(({ n }) => n === large)) {
      const exact = expectationOf(row.version);
      for (const name of ['success', 'meanS', 'p99S', 'p99AllS', 'long', 'longOfAll', 'busyS', 'executions'] as const) {
        const { low, high } = row.interval[name];
        const se = ((high ?? Number.NaN) - (low ?? Number.NaN)) / 3.92;
        expect(Math.abs(row[name] - exact[name])).toBeLessThanOrEqual(4 * se + 1e-9);
      }
    }
  });
});

describe('the saving against serial retry', () => {
  it('is negative for both redundant versions: the same success for 2 copies instead of 1.2', () => {
    for (const version of ['first-wins', 'as-printed'] as const) {
      const row = rows.find((each) => each.version === version && each.n === large)!;
      expect(row.saved.executions).toBeCloseTo(1 - 2 / 1.2, 1);
      expect(row.saved.busyS).toBeLessThan(0);
    }
  });
});

describe('the claims', () => {
  const verdicts = new Map(tryRedundancyClaims(luck).map(({ claim, verdict }) => [claim, verdict]));

  it.each([
    ['single, success: 62.0 %', 'only with the luck of n = 50'],
    ['first-wins, success: 86.0 %', 'only with the luck of n = 50'],
    ['both successes in the same experiment: 62 and 86 %', 'does not hold'],
    ['single, mean time of the successes: 8.20 s', 'does not hold'],
    ['single, P99: 12.30 s', 'does not hold'],
    ['first-wins, P99: 6.50 s', 'holds'],
    ['as-printed, P99: 6.50 s', 'only with the luck of n = 50'],
    ['first-wins, longer than 5 s: 4.0 %', 'holds'],
    ['first-wins, P99, change: −47.2 %', 'only with the luck of n = 50'],
    ['single, longer than 5 s: 28.0 %', 'does not hold'],
    ['redundancy saves resources against serial retry (4.3)', 'does not hold'],
    ['the net gain is positive where the loss is more than 5 costs (7)', 'does not hold'],
  ])('%s: %s', (claim, verdict) => {
    expect(verdicts.get(claim)).toBe(verdict);
  });

  it('are tried on 1,000 batches that are the large run, cut up', () => {
    const batches = batchFigures('first-wins', luck);
    expect(batches).toHaveLength(large / small);
    const success = batches.reduce((sum, batch) => sum + batch.success, 0) / batches.length;
    expect(success).toBeCloseTo(rows.find((row) => row.version === 'first-wins' && row.n === large)!.success, 12);
  });
});

describe('intervals', () => {
  it('are Wilson’s for shares', () => {
    const { low, high } = wilson(43, 50);
    expect([low!.toFixed(3), high!.toFixed(3)]).toEqual(['0.738', '0.930']);
    expect(wilson(0, 50).low).toBe(0);
    expect(wilson(0, 0)).toEqual({ low: null, high: null });
  });

  it('of quantiles have no bound where the sample is too small, and cover the true one in 95 % of the samples', () => {
    expect(
      quantileInterval(
        Float64Array.from({ length: 40 }, (_, index) => index),
        0.99,
      ).high,
    ).toBeNull();
    expect(quantileInterval(new Float64Array(), 0.99)).toEqual({ low: null, high: null });
    const random = seededRandom(5);
    let covered = 0;
    for (let sample = 0; sample < 400; sample++) {
      const sorted = Float64Array.from({ length: 1000 }, () => random.next()).sort();
      const { low, high } = quantileInterval(sorted, 0.99);
      if ((low ?? 0) <= 0.99 && 0.99 <= (high ?? 1)) covered++;
    }
    // 95 % or a little more, since counts are whole; 3 standard errors are 3.3 points.
    expect(covered / 400).toBeGreaterThan(0.917);
    expect(covered / 400).toBeLessThan(0.995);
  });

  it('of means are 1.96 standard errors wide', () => {
    const { low, high } = meanInterval(Float64Array.from([1, 2, 3, 4]));
    expect(high! - low!).toBeCloseTo(2 * 1.96 * Math.sqrt(5 / 3 / 4), 4);
  });

  it('tails of the binomial are exact', () => {
    expect(chanceBeyond(10, 10, 0.5)).toBeCloseTo(2 ** -10, 15);
    expect(chanceBeyond(0, 10, 0.5)).toBeCloseTo(2 ** -10, 15);
    expect(chanceBeyond(31, 50, 0.8) * 1e4).toBeCloseTo(25.5, 0);
  });
});

// The document's tables: every judged cell inside its bar, and the orderings that the document's argument rests on.
import { describe, expect, it } from 'vitest';
import {
  compareAblations,
  compareIncidents,
  compareMain,
  compareSweep,
  type ComparedTable,
} from '../../../../src/bench/simulator/compare.ts';
import { DOCUMENT_POLICIES } from '../../../../src/bench/simulator/policies.ts';
import { simulateIncidents, simulateMain, simulateSweep } from '../../../../src/bench/simulator/simulate.ts';
import { parameterSet } from './parameterSet.ts';

const exact = { seeds: 1, tasks: 1, isExact: true, fixableShare: null };
const drawn = { seeds: 4, tasks: 10_000, isExact: false, fixableShare: null };
const J = parameterSet('J');

/** Cells and means outside their bars, and how many were judged. */
function judge(table: ComparedTable): { readonly outside: readonly string[]; readonly judged: number } {
  const cells = table.rows.flatMap((row) =>
    row.cells.map((cell) => ({ name: `${row.policy} ${row.point ?? ''} ${cell.column} ${cell.ours ?? ''}`, cell })),
  );
  const judged = cells.filter(({ cell }) => cell.isInside !== null);
  return {
    outside: [
      ...judged.filter(({ cell }) => cell.isInside === false).map(({ name }) => name),
      ...table.means.filter((mean) => !mean.isInside).map((mean) => `mean ${mean.column} ${mean.meanDifference}`),
    ],
    judged: judged.length,
  };
}

describe('set J reproduces within the bars', () => {
  const rows = simulateMain(DOCUMENT_POLICIES, J, 0.14, exact).rows;

  it('every cell of Table 12', () => {
    expect(judge(compareMain('12', rows))).toEqual({ outside: [], judged: 8 * 7 });
  });

  it('cost and attempts of Table 13, exactly, and its times on drawn tasks', () => {
    expect(judge(compareMain('13', rows))).toEqual({ outside: [], judged: 8 * 2 });
    const times = simulateMain(DOCUMENT_POLICIES, J, 0.14, drawn).rows;
    expect(judge(compareMain('13', times))).toEqual({ outside: [], judged: 8 * 4 });
  });

  it('what the verifier is worth in Table 14', () => {
    expect(judge(compareAblations(rows))).toEqual({ outside: [], judged: 1 });
  });

  it('every cell of Table 15', () => {
    const sweep = simulateSweep(['no-retry', 'retry-only', 'degrade-only', 'hfr'], J, exact).rows;
    expect(judge(compareSweep(sweep))).toEqual({ outside: [], judged: 5 * 4 });
  });

  it('every judged cell of Table C1', () => {
    const incidents = simulateIncidents(['hfr', 'hfr-no-budget'], J, exact).rows;
    expect(judge(compareIncidents(incidents))).toEqual({ outside: [], judged: 6 * 3 });
  });
});

describe('a bar', () => {
  it('fails a cell that is off by more, and judges none that the document does not print', () => {
    const [row] = simulateMain(['hfr'], J, 0.14, exact).rows;
    const off = judge(compareMain('12', [{ ...row!, sr: 86.25 - 1.21, dup1000: 0.05 }]));
    expect(off.outside).toEqual(['hfr  sr 85.04', 'hfr  dup1000 0.05', expect.stringContaining('mean sr 1.2')]);
    expect(judge(compareMain('12', [{ ...row!, policy: 'hfr-plus' }]))).toEqual({ outside: [], judged: 0 });
    expect(judge(compareMain('13', [{ ...row!, cost: 2.548 * 1.026 }])).outside).toHaveLength(2);
  });
});

describe.each(['J', 'A'] as const)('the orderings under set %s', (set) => {
  const rows = simulateMain(DOCUMENT_POLICIES, parameterSet(set), 0.14, exact).rows;
  const sr = (policy: string): number => rows.find((row) => row.policy === policy)!.sr;

  it('put HFR beside blind retry, and both above RetryOnly, DegradeOnly and NoRetry', () => {
    expect(Math.abs(sr('hfr') - sr('fixed-retry-3'))).toBeLessThan(1.5);
    expect(Math.min(sr('hfr'), sr('fixed-retry-3'))).toBeGreaterThan(sr('retry-only') + 5);
    expect(sr('retry-only')).toBeGreaterThan(sr('degrade-only') + 5);
    expect(Math.abs(sr('degrade-only') - sr('hfr-no-verifier'))).toBeLessThan(3);
    expect(Math.min(sr('degrade-only'), sr('hfr-no-verifier'))).toBeGreaterThan(sr('no-retry') + 20);
  });

  it('show the task budget to bind hardly ever', () => {
    const drawnRows = simulateMain(['hfr', 'hfr-no-budget'], parameterSet(set), 0.14, drawn).rows;
    expect(Math.abs(drawnRows[0]!.sr - drawnRows[1]!.sr)).toBeLessThan(0.3);
  });

  it('give only policies without keys duplicates', () => {
    for (const row of rows) {
      if (row.policy === 'fixed-retry-3' || row.policy === 'hfr-no-idempotency')
        expect(row.dup1000).toBeGreaterThan(15);
      else expect(row.dup1000).toBe(0);
    }
  });
});

import { describe, expect, it } from 'vitest';
import { ENTRIES, type Entry } from '../../../../src/bench/world/catalogue.ts';
import { checkTable, type CheckedCell } from '../../../../src/bench/world/check.ts';
import { tryClaims } from '../../../../src/bench/world/claims.ts';
import { worldMarkdown } from '../../../../src/bench/world/markdown.ts';
import { publishedRows } from '../../../../src/bench/world/published.ts';
import { worldTable } from '../../../../src/bench/world/tables.ts';

const seeds = [1, 2, 3];
const named = (names: readonly string[]): readonly Entry[] => names.map((name) => ENTRIES.get(name)!);
const some = named([
  'best-one',
  'fixed-global',
  'redundant-2',
  'tail-at-scale',
  'gateway-breaker-20',
  'gateway-best',
  'haco-a',
  'haco-b-tau-0.8',
  'oracle',
  'clairvoyant',
]);
/** HACO's rows depend on what it happened to learn: they differ between sets of seeds by more than the noise of the steps. */
const isLearning = (policy: string): boolean => policy.startsWith('haco');
/** Three seeds are few for the tails: the study's tolerance, or four standard errors. */
const isFar = ({ bar, se, difference }: CheckedCell): boolean =>
  bar !== null && Math.abs(difference ?? Infinity) > Math.max(bar, 4 * (se ?? 0));

describe('the study’s tables', () => {
  it.each(['static', 'dynamic'] as const)('are reproduced within its tolerances: %s', async (scenario) => {
    const rows = await worldTable({ scenario, entries: some, seeds, limits: {} });
    const { cells, orders } = checkTable(rows, publishedRows(scenario, 1))!;
    expect(new Set(cells.map(({ policy }) => policy)).size).toBe(some.length);
    expect(cells.filter((cell) => !isLearning(cell.policy) && isFar(cell))).toEqual([]);
    expect(cells.filter((cell) => isLearning(cell.policy) && isFar(cell)).length).toBeLessThan(2);
    const utilities = cells.filter(({ figure, policy }) => figure === 'j' && !isLearning(policy));
    for (const { policy, difference } of utilities)
      expect([policy, difference]).toEqual([policy, expect.closeTo(0, 1.7)]);
    for (const { figure, pairs, inverted } of orders)
      expect([figure, pairs > 10, inverted]).toEqual([figure, true, []]);
  });

  it('need first-token timers that do not see hanging calls for the gateway and the oracle', async () => {
    const entries = named(['gateway-best', 'gateway-best-seeing', 'oracle', 'oracle-seeing']);
    const [blind, seeing, oracle, seeingOracle] = await worldTable({
      scenario: 'static',
      entries,
      seeds: [1, 2],
      limits: {},
    });
    // Printed: 28.2 and 19.7 s.
    expect(blind!.p99).toBeGreaterThan(26);
    expect(seeing!.p99).toBeLessThan(22);
    expect(oracle!.p99).toBeGreaterThan(18.5);
    expect(seeingOracle!.p99).toBeLessThan(17);
  });

  it('are printed with their comparison, claims that were not run, and what cannot be matched', async () => {
    const rows = await worldTable({
      scenario: 'static',
      entries: [ENTRIES.get('best-one')!, ENTRIES.get('random')!],
      seeds,
      limits: { steps: 300 },
    });
    const checks = [checkTable(rows, publishedRows('static', 1))!];
    const claims = tryClaims(rows);
    expect(claims.every(({ verdict }) => verdict === 'not run')).toBe(true);
    const text = worldMarkdown({ rows, checks, claims });
    expect(text).toContain('| best-one | allFailedPct |');
    expect(text).toContain('do not fire on calls that hang');
    expect(text).not.toMatch(/NaN|undefined|Infinity/);
  });
});

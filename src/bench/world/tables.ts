// Runs policies over seeds and makes their rows. best-one is always run with them: tokens are counted in its own.
import { BASE_POLICY, type Entry } from './catalogue.ts';
import { runWorld, type RunLimits } from './engine.ts';
import { worldRow, type WorldRow } from './figures.ts';
import { runProduct } from './product/controllerPolicy.ts';
import type { RunRecord } from './record.ts';
import { scenarioOf, type ScenarioName } from './scenarios.ts';

/** What is to be run. */
export interface TableRequest {
  readonly scenario: ScenarioName;
  readonly entries: readonly Entry[];
  readonly seeds: readonly number[];
  readonly limits: RunLimits;
}

/** Rows in the order of the entries; `onRow` is told of each as it is done. */
export async function worldTable(
  { scenario, entries, seeds, limits }: TableRequest,
  onRow: (row: WorldRow) => void = () => undefined,
): Promise<readonly WorldRow[]> {
  const scenarios = seeds.map((seed) => scenarioOf(scenario, seed));
  const bases = scenarios.map((each) => runWorld(each, BASE_POLICY, limits));
  const rows: WorldRow[] = [];
  for (const entry of entries) {
    const records: RunRecord[] = [];
    for (const [index, each] of scenarios.entries()) {
      const base = bases[index];
      if (entry.kind === 'product') records.push(await runProduct(each, entry.name, limits));
      else records.push(entry.spec === BASE_POLICY && base ? base : runWorld(each, entry.spec, limits));
    }
    const runs = scenarios.flatMap((each, index) => {
      const record = records[index];
      return record ? [{ record, base: bases[index] ?? null, scenario: each }] : [];
    });
    const row = worldRow(entry.name, runs);
    onRow(row);
    rows.push(row);
  }
  return rows;
}

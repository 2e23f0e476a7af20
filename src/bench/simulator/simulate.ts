// A simulation as it is asked for: policies, seeds, tasks, world; one row of figures a policy and point. Entered by `belay sim`
// and by the tests; no clock, no output.
import { expectTask } from './expectation.ts';
import { hfrPlus } from './hfrPlus.ts';
import { isDocumentPolicy, type PolicyName } from './names.ts';
import type { SimulationParameters } from './parameters.ts';
import { documentPolicies, type SimulatedPolicy } from './policies.ts';
import { INCIDENT_FAULT_RATE, TABLE_15, TABLE_C1 } from './published.ts';
import { simulateSeed } from './run.ts';
import { figuresOf, overSeeds, type Figures } from './tally.ts';
import { worldOf, type World } from './world.ts';

/** One row of the output (CONTRACTS, sim). Rates in percent, times in seconds, costs in primary model calls. */
export interface Row extends Readonly<Record<Exclude<keyof Figures, Timed>, number>> {
  readonly policy: PolicyName;
  /** Only in a sweep. */
  readonly faultRate?: number;
  /** Only under incidents. */
  readonly incidentRate?: number;
  /** Only of hfr-plus where T7 is split. */
  readonly fixableShare?: number;
  /** null where no expectation exists. */
  readonly p95: number | null;
  readonly p95NonEscalated: number | null;
  /** Standard deviation between seeds; empty for an exact expectation. */
  readonly sd: Readonly<Partial<Figures>>;
}

type Timed = 'p95' | 'p95NonEscalated';

/** How to run. Seeds are 1 to `seeds`. */
export interface RunOptions {
  readonly seeds: number;
  readonly tasks: number;
  /** Exact expectations instead of drawn tasks. */
  readonly isExact: boolean;
  /** Part of the T7 faults that `hfr-plus` is told to be a refused input, 0-1; null: the document's T7, which does not say. */
  readonly fixableShare: number | null;
}

/** Rows, and how many tasks were drawn for them. */
export interface Simulation {
  readonly rows: readonly Row[];
  readonly tasks: number;
}

/** True for the policies that have an exact expectation: those whose steps do not depend on earlier ones. */
export const hasExpectation = isDocumentPolicy;

/** Tables 12 and 13: every policy at one fault rate. */
export function simulateMain(
  names: readonly PolicyName[],
  parameters: SimulationParameters,
  faultRate: number,
  options: RunOptions,
): Simulation {
  return simulate(names, parameters, [{ world: worldOf(parameters, faultRate, null), label: {} }], options);
}

/** Table 15: every policy at the document's fault rates. */
export function simulateSweep(
  names: readonly PolicyName[],
  parameters: SimulationParameters,
  options: RunOptions,
): Simulation {
  const points = TABLE_15.map(({ faultRate }) => ({
    world: worldOf(parameters, faultRate, null),
    label: { faultRate },
  }));
  return simulate(names, parameters, points, options);
}

/** Table C1: policies under the document's incident rates, at fault rate 0.20 unless another is given. */
export function simulateIncidents(
  names: readonly PolicyName[],
  parameters: SimulationParameters,
  options: RunOptions,
  faultRate = INCIDENT_FAULT_RATE,
): Simulation {
  const rates = [...new Set(TABLE_C1.map((each) => each.incidentRate))];
  const points = rates.map((incidentRate) => ({
    world: worldOf(parameters, faultRate, incidentRate),
    label: { incidentRate },
  }));
  return simulate(names, parameters, points, options);
}

interface Point {
  readonly world: World;
  readonly label: { readonly faultRate?: number; readonly incidentRate?: number };
}

function simulate(
  names: readonly PolicyName[],
  parameters: SimulationParameters,
  points: readonly Point[],
  options: RunOptions,
): Simulation {
  const policies: readonly SimulatedPolicy<PolicyName>[] = [
    ...documentPolicies(parameters),
    hfrPlus(parameters, options.fixableShare),
  ];
  const asked = names.flatMap((name) => policies.filter((policy) => policy.name === name));
  const rows = points.flatMap(({ world, label }) =>
    asked.map((policy) => (options.isExact ? exactRow(policy, world, label) : drawnRow(policy, world, label, options))),
  );
  return { rows, tasks: options.isExact ? 0 : rows.length * options.seeds * options.tasks };
}

/** Mean and spread of drawn tasks, over the seeds. */
export function drawFigures(
  policy: SimulatedPolicy,
  world: World,
  { seeds, tasks }: Pick<RunOptions, 'seeds' | 'tasks'>,
): { readonly mean: Figures; readonly sd: Figures } {
  return overSeeds(
    Array.from({ length: seeds }, (_, index) => figuresOf(simulateSeed(policy, world, index + 1, tasks))),
  );
}

function drawnRow(policy: SimulatedPolicy<PolicyName>, world: World, label: Point['label'], options: RunOptions): Row {
  const { mean, sd } = drawFigures(policy, world, options);
  const { fixableShare } = options;
  const split = policy.name === 'hfr-plus' && fixableShare !== null ? { fixableShare } : {};
  return { policy: policy.name, ...label, ...split, ...mean, sd };
}

function exactRow(policy: SimulatedPolicy<PolicyName>, world: World, label: Point['label']): Row {
  const { silent: _silent, ...figures } = expectTask(policy, world);
  return { policy: policy.name, ...label, ...figures, p95: null, p95NonEscalated: null, sd: {} };
}

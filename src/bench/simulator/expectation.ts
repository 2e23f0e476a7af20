// The exact, noise-free expectation of a whole task (study, section 9): steps of a task are alike and independent once criticality
// and incidents are known, so that a task is a geometric sum over its steps. The task budget is ignored; times are not defined.
import { expectStep, stepTables, type StepEnd, type StepExpectation, type StepTables } from './stepExpectation.ts';
import type { SimulatedPolicy } from './policies.ts';
import { TABLE_B1, type World } from './world.ts';

/** Expected figures, in the units of the tables. */
export interface Expectation {
  readonly sr: number;
  readonly csr: number;
  readonly scr: number;
  readonly cps: number;
  readonly dup1000: number;
  readonly esc: number;
  readonly deg: number;
  readonly cost: number;
  readonly attempts: number;
  /** Tasks that end with a wrong step nobody noticed, percent. */
  readonly silent: number;
}

interface Sums {
  right: number;
  clean: number;
  cleanEscalated: number;
  escalated: number;
  degraded: number;
  duplicates: number;
  cost: number;
  attempts: number;
  silent: number;
}

/** Expectation of a policy without hooks in a world. */
export function expectTask(policy: SimulatedPolicy, world: World): Expectation {
  const tables = stepTables(policy, world);
  const sums: Sums = {
    right: 0,
    clean: 0,
    cleanEscalated: 0,
    escalated: 0,
    degraded: 0,
    duplicates: 0,
    cost: 0,
    attempts: 0,
    silent: 0,
  };
  for (const [criticality, share] of TABLE_B1.criticalityShares.entries())
    for (const providerIncident of [0, 1])
      for (const toolIncident of [0, 1]) {
        const weight =
          share *
          likelihood(providerIncident, world.providerIncidentRate) *
          likelihood(toolIncident, world.toolIncidentRate);
        if (weight === 0) continue;
        const step = mixKinds(tables, criticality, providerIncident, toolIncident);
        for (const [more, stepShare] of world.parameters.stepShares.entries())
          addTasks(sums, step, TABLE_B1.fewestSteps + more, weight * stepShare);
      }
  return {
    sr: 100 * sums.right,
    csr: 100 * sums.clean,
    scr: 100 * (sums.clean + sums.cleanEscalated),
    cps: sums.cost / sums.right,
    dup1000: 1000 * sums.duplicates,
    esc: 100 * sums.escalated,
    deg: 100 * Math.max(0, sums.degraded),
    cost: sums.cost,
    attempts: sums.attempts,
    silent: 100 * sums.silent,
  };
}

function likelihood(isInIncident: number, rate: number): number {
  return isInIncident === 1 ? rate : 1 - rate;
}

/** A step of an unknown kind: the kinds weighted by their shares. */
function mixKinds(
  tables: StepTables,
  criticality: number,
  providerIncident: number,
  toolIncident: number,
): StepExpectation {
  const mixed: StepExpectation = { ends: new Map(), cost: 0, attempts: 0, duplicates: 0 };
  for (const [kind, share] of TABLE_B1.kindShares.entries()) {
    const step = expectStep(tables, kind, criticality, kind === 0 ? providerIncident : toolIncident);
    mixed.cost += share * step.cost;
    mixed.attempts += share * step.attempts;
    mixed.duplicates += share * step.duplicates;
    for (const [key, probability] of step.ends) mixed.ends.set(key, (mixed.ends.get(key) ?? 0) + share * probability);
  }
  return mixed;
}

/** Adds tasks of `stepCount` such steps. `began(x)` is the expected number of steps begun where each goes on with chance x. */
function addTasks(sums: Sums, step: StepExpectation, stepCount: number, weight: number): void {
  const share = (ends: readonly StepEnd[], isDoubled?: number, isDegraded?: number): number => {
    let sum = 0;
    for (const how of ends)
      for (const doubled of [0, 1])
        for (const degraded of [0, 1])
          if (doubled === (isDoubled ?? doubled) && degraded === (isDegraded ?? degraded))
            sum += step.ends.get(`${how}/${doubled}/${degraded}`) ?? 0;
    return sum;
  };
  const began = (goesOn: number): number => {
    let sum = 0;
    for (let before = 0; before < stepCount; before++) sum += goesOn ** before;
    return sum;
  };
  const goesOn = share(['right', 'silent']);
  const steps = weight * began(goesOn);
  const right = share(['right']) ** stepCount;
  const escalated = steps * share(['escalated']);
  const undegraded = share(['right', 'silent'], undefined, 0);
  sums.right += weight * right;
  sums.clean += weight * share(['right'], 0) ** stepCount;
  sums.escalated += escalated;
  sums.cleanEscalated += weight * began(share(['right', 'silent'], 0)) * share(['escalated'], 0);
  sums.degraded +=
    weight * (1 - undegraded ** stepCount - began(undegraded) * share(['failed', 'escalated'], undefined, 0));
  sums.duplicates += steps * step.duplicates;
  sums.cost += steps * step.cost + escalated * TABLE_B1.escalation.cost;
  sums.attempts += steps * step.attempts;
  sums.silent += weight * (goesOn ** stepCount - right);
}

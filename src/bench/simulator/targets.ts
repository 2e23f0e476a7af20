// What Belay's own recovery must reach in the document's world, under set J (study, section 7: Z3 and Z5). Judged on drawn tasks;
// a figure stands or falls with its run, so run enough of them.
import type { SimulationParameters } from './parameters.ts';
import { hfrPlus } from './hfrPlus.ts';
import type { SimulatedPolicy } from './policies.ts';
import { INCIDENT_FAULT_RATE } from './published.ts';
import { drawFigures, type RunOptions } from './simulate.ts';
import type { Figures } from './tally.ts';
import { TABLE_B1, worldOf, type World } from './world.ts';

type TargetFigure = 'sr' | 'scr' | 'esc' | 'cps' | 'p95NonEscalated' | 'dup1000';

/** One target: the figure is at least or at most `bound`. */
interface Target {
  readonly figure: TargetFigure;
  readonly side: 'at least' | 'at most';
  readonly bound: number;
}

/** A world in which targets hold, with what they are and what was reached. */
export interface JudgedWorld {
  readonly world: string;
  readonly targets: readonly (Target & { readonly reached: number; readonly isReached: boolean })[];
}

const atLeast = (figure: TargetFigure, bound: number): Target => ({ figure, side: 'at least', bound });
const atMost = (figure: TargetFigure, bound: number): Target => ({ figure, side: 'at most', bound });

const STRICT = [
  atLeast('sr', 89),
  atLeast('scr', 98),
  atMost('esc', 9),
  atMost('cps', 3.05),
  atMost('p95NonEscalated', 7.3),
  atMost('dup1000', 0),
];
const SPLIT = [atLeast('sr', 94), atLeast('scr', 97.5), atMost('cps', 2.85), atMost('esc', 4), atMost('dup1000', 0)];
const INCIDENTS = [atLeast('sr', 80), atMost('dup1000', 0)];
/** Beside the document's HFR (SR 86.25, SCR 92.07): no further below it than the study's bar of 1.2 pp. */
const DOCUMENT = [atLeast('sr', 85.05), atLeast('scr', 90.87), atMost('dup1000', 0)];
const INCIDENT_RATE = 0.4;
/** Shares of refused inputs among T7 that are shown; targets exist for 1, the study's Z5. */
const SHOWN_SHARES = [1, 0.5, 0];

/** Runs Belay's recovery in the worlds that targets are set for, and in those that stand beside them. */
export function judgeTargets(
  parameters: SimulationParameters,
  size: Pick<RunOptions, 'seeds' | 'tasks'>,
): readonly JudgedWorld[] {
  const calm = worldOf(parameters, TABLE_B1.faultRate, null);
  const incidents = worldOf(parameters, INCIDENT_FAULT_RATE, INCIDENT_RATE);
  const plus = hfrPlus(parameters, null);
  const run = (name: string, policy: SimulatedPolicy, world: World, targets: readonly Target[]): JudgedWorld =>
    judge(name, drawFigures(policy, world, size).mean, targets);
  return [
    run('T7 as the document has it: one repair of the same call, then a person', plus, calm, STRICT),
    run(`incident rate ${INCIDENT_RATE}, fault rate ${INCIDENT_FAULT_RATE}`, plus, incidents, INCIDENTS),
    ...SHOWN_SHARES.map((share) =>
      run(
        `T7 split: ${100 * share} % refused inputs, repaired through the alternate; permission never`,
        hfrPlus(parameters, share),
        calm,
        share === 1 ? SPLIT : [],
      ),
    ),
    run(
      'T7 as the document has it, without REPLAN: a rejected write that happened goes to a person',
      hfrPlus(parameters, null, { canReplan: false }),
      calm,
      [],
    ),
    run(
      'what a foreign agent’s call offers: neither repair nor REPLAN; the agent itself does either',
      hfrPlus(parameters, null, { canRepair: false, canReplan: false }),
      calm,
      [],
    ),
    run(
      'preset document instead of plus, T7 not split',
      hfrPlus(parameters, null, { preset: 'document' }),
      calm,
      DOCUMENT,
    ),
  ];
}

const FIGURES: readonly TargetFigure[] = ['sr', 'scr', 'esc', 'cps', 'p95NonEscalated', 'dup1000'];

function judge(world: string, reached: Figures, targets: readonly Target[]): JudgedWorld {
  return {
    world,
    targets: FIGURES.map((figure) => {
      const target = targets.find((each) => each.figure === figure) ?? atLeast(figure, Number.NEGATIVE_INFINITY);
      const value = reached[figure];
      return {
        ...target,
        reached: value,
        isReached: target.side === 'at least' ? value >= target.bound : value <= target.bound,
      };
    }),
  };
}

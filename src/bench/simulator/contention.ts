// The contention run (HFR 6.4, 6.8): every policy over the same seeds, one row of figures each. Entered by `belay sim --contention`
// and by the tests; no output.
import {
  contentionFigures,
  contentionOverSeeds,
  type ContentionFigure,
  type ContentionFigures,
} from './contentionFigures.ts';
import { runContention } from './contentionRun.ts';
import {
  CONTENTION_POLICIES,
  CONTENTION_WORLD,
  type ContentionPolicyName,
  type ContentionWorld,
} from './contentionWorld.ts';

/** One row: means over the seeds, their standard deviations, and each seed's own figures. */
export interface ContentionRow {
  readonly policy: ContentionPolicyName;
  readonly mean: ContentionFigures;
  readonly sd: Readonly<Record<ContentionFigure, number>>;
  /** In the order of the seeds, from 1. */
  readonly seeds: readonly ContentionFigures[];
}

/** The policies in the order of the report. */
export const CONTENTION_POLICY_NAMES = Object.keys(CONTENTION_POLICIES).filter(
  (name): name is ContentionPolicyName => name in CONTENTION_POLICIES,
);

/** Runs the named policies over seeds 1 to `seeds`. */
export function simulateContention(
  seeds: number,
  policies: readonly ContentionPolicyName[] = CONTENTION_POLICY_NAMES,
  world: ContentionWorld = CONTENTION_WORLD,
): readonly ContentionRow[] {
  return policies.map((policy) => {
    const figures = Array.from({ length: seeds }, (_, index) =>
      contentionFigures(runContention(CONTENTION_POLICIES[policy], world, index + 1), world),
    );
    return { policy, ...contentionOverSeeds(figures), seeds: figures };
  });
}

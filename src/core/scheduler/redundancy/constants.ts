// Every constant of redundant execution in one typed object: what the source prints, and what Belay sets where it prints nothing.
// Formulas must not hold numbers of their own. Source: the redundant-execution text (seed 004), sections 4.2, 5.1, 7.
import type { Criticality } from '../../context.ts';

export interface RedundancyConstants {
  /** The printed degree is min(most, max(least, int(scale · f))) (4.2). */
  readonly printedDegree: { readonly scale: number; readonly least: number; readonly most: number };
  /** The printed rule of thumb: copies pay where the loss is more than so many costs (7). */
  readonly thumbLossPerCost: number;
  /** Executions of one request at the same time, at most. Low: off the paths that matter one is enough (5.1); high: the printed most. */
  readonly mostCopies: Readonly<Record<Criticality, number>>;
  /**
   * The same border where a model call's start set is made, which is a guess at what the first seconds need and is hedged later. At
   * medium 2 instead of 3 costs more than it saves: `belay world`, dynamic, seed 1: 1.172 full calls for 1.176, p99 17.48 s for 17.36.
   */
  readonly mostStarted: Readonly<Record<Criticality, number>>;
  /** Greatest loss, cost or value of a second that is believed, USD. */
  readonly mostUsd: number;
  /** Weight of a judgement against a replica that a verified majority contradicts, 0-1: it was not checked itself. */
  readonly minorityWeight: number;
  /** Upper bounds of the histograms, seconds. */
  readonly bucketsS: readonly number[];
}

export const redundancyConstants: RedundancyConstants = Object.freeze({
  printedDegree: { scale: 5, least: 2, most: 3 },
  thumbLossPerCost: 5,
  mostCopies: { low: 1, medium: 2, high: 3 },
  mostStarted: { low: 1, medium: 3, high: 3 },
  mostUsd: 1e9,
  minorityWeight: 0.5,
  bucketsS: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120],
});

// The clairvoyant: knows what each candidate's call would bring and takes the one of the highest utility. A bound, no competitor.
import { CALL, UTILITY } from '../constants.ts';
import type { PolicySpec, WorldAttempt, WorldPolicy, WorldPort, WorldStep, WorldTruth } from '../policy.ts';

export const clairvoyant: PolicySpec = {
  name: 'clairvoyant',
  createKnowing: (world, truth) => new Clairvoyant(world, truth),
};

class Clairvoyant implements WorldPolicy {
  private readonly world: WorldPort;
  private readonly truth: WorldTruth;

  constructor(world: WorldPort, truth: WorldTruth) {
    this.world = world;
    this.truth = truth;
  }

  onStep(step: WorldStep): void {
    let best = 0;
    let bestUtility = -Infinity;
    this.world.candidates.forEach(({ price }, candidate) => {
      const { isSuccess, latencyS, quality, tokens } = this.truth.foresee(step, candidate);
      const cost = (UTILITY.perTokens * price * tokens) / UTILITY.tokensUnit;
      const utility = isSuccess ? quality - UTILITY.perS * latencyS - cost : -Infinity;
      if (utility > bestUtility) {
        best = candidate;
        bestUtility = utility;
      }
    });
    this.world.start(step, best, CALL.timeoutS);
  }

  onEnd(step: WorldStep, attempt: WorldAttempt): void {
    this.world.finish(step, attempt.status === 'succeeded' ? attempt : null);
  }
}

// Two candidates, first success wins (scheduler study 1.4): both at once (Redundant-2), or the second only when the first has
// failed or is slower than its 95th percentile (Tail-at-Scale). Losers run on: the study's token figures say so.
import { CANDIDATE } from '../candidates.ts';
import { CALL } from '../constants.ts';
import type { PolicySpec, WorldAttempt, WorldPolicy, WorldPort, WorldStep } from '../policy.ts';
import { RobustLatency } from './robustLatency.ts';

/** Ours: the study says "p95 of the primary"; of what was seen lately fits its rows best (in dyn neither a fixed p95 nor one of all calls). */
const P95_Z = 1.645;
const PRIMARY_MEDIAN_S = 6;

export const redundantPairs: readonly PolicySpec[] = [
  { name: 'redundant-2', create: (world) => new Pair(world, CANDIDATE.lGe, CANDIDATE.lGw, false) },
  { name: 'redundant-2-regional', create: (world) => new Pair(world, CANDIDATE.lGe, CANDIDATE.lReg, false) },
];

/** The two best by quality: L-ge, then L-gw but in random environments. */
export const tailAtScale: PolicySpec = {
  name: 'tail-at-scale',
  create: (world) => new Pair(world, world.byQuality[0] ?? CANDIDATE.lGe, world.byQuality[1] ?? CANDIDATE.lGw, true),
};

class Pair implements WorldPolicy {
  private readonly world: WorldPort;
  private readonly first: number;
  private readonly second: number;
  private readonly isStaggered: boolean;
  private readonly times = new RobustLatency(PRIMARY_MEDIAN_S);

  constructor(world: WorldPort, first: number, second: number, isStaggered: boolean) {
    this.world = world;
    this.first = first;
    this.second = second;
    this.isStaggered = isStaggered;
  }

  onStep(step: WorldStep): void {
    const { world } = this;
    world.start(step, this.first, CALL.timeoutS);
    if (this.isStaggered) world.setTimer(step, world.nowS + this.times.quantileS(P95_Z), 0);
    else world.start(step, this.second, CALL.timeoutS);
  }

  onTimer(step: WorldStep): void {
    if (step.attempts.length === 1) this.world.start(step, this.second, CALL.timeoutS);
  }

  onEnd(step: WorldStep, attempt: WorldAttempt): void {
    const { world } = this;
    if (attempt.status === 'succeeded' && attempt.candidate === this.first)
      this.times.learn(attempt.endedAtS - attempt.startedAtS);
    if (step.isFinished) return;
    if (attempt.status === 'succeeded') world.finish(step, attempt);
    else if (step.attempts.length === 1) world.start(step, this.second, CALL.timeoutS);
    else if (step.attempts.every(({ status }) => status !== 'running')) world.finish(step, null);
  }
}

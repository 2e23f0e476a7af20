// MoA, Best-of-10 (scheduler study 1.4): all candidates at once, wait for every one of them, then a judge reads the prompt and all
// answers (3 s e^.4Z, noise .15) and names the best. The judge is billed at the price of L.
import { CALL } from '../constants.ts';
import type { PolicySpec, WorldAttempt, WorldPolicy, WorldPort, WorldStep } from '../policy.ts';

const JUDGE = { medianS: 3, sd: 0.4, noise: 0.15, price: 1 } as const;
const JUDGED = 0;

export const moa: PolicySpec = { name: 'moa', create: (world) => new AllAndJudge(world) };

class AllAndJudge implements WorldPolicy {
  private readonly world: WorldPort;

  constructor(world: WorldPort) {
    this.world = world;
  }

  onStep(step: WorldStep): void {
    for (let index = 0; index < this.world.candidates.length; index++) this.world.start(step, index, CALL.timeoutS);
  }

  onEnd(step: WorldStep): void {
    const { world } = this;
    if (step.attempts.some(({ status }) => status === 'running')) return;
    const answers = step.attempts.filter(({ status }) => status === 'succeeded');
    if (answers.length === 0) {
      world.finish(step, null);
      return;
    }
    const read = answers.reduce((sum, { outputTokens }) => sum + outputTokens, step.promptTokens);
    world.charge(step, read, 0, JUDGE.price);
    // Two numbers of the step's own chance make the judge's time.
    const normal = Math.sqrt(-2 * Math.log(world.uniform(step, 0))) * Math.cos(2 * Math.PI * world.uniform(step, 1));
    world.setTimer(step, world.nowS + JUDGE.medianS * Math.exp(JUDGE.sd * normal), JUDGED);
  }

  onTimer(step: WorldStep): void {
    const { world } = this;
    let best: WorldAttempt | null = null;
    let bestScore = -Infinity;
    for (const attempt of step.attempts) {
      if (attempt.status !== 'succeeded') continue;
      const score = world.judge(attempt, JUDGE.noise);
      if (score > bestScore) {
        best = attempt;
        bestScore = score;
      }
    }
    world.finish(step, best);
  }
}

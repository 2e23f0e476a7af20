// HACO taken literally (seed 000, 2 and 3): the shortest prefix of the ranking that promises tau starts at once; the answer is the
// best-ranked success once all better-ranked calls have ended; losers run on and teach.
import type { PolicySpec, WorldAttempt, WorldPolicy, WorldPort, WorldStep } from '../policy.ts';
import { HACO_DEFAULTS, HacoBelief, type HacoParameters } from './hacoBelief.ts';

/** The three ablations of the document: no environment, neutral cut-off (gamma = 0), no exploration (lambda = 0). */
export const HACO_ABLATIONS = {
  env: { hasEnvironment: false },
  lcb: { gamma: 0 },
  ucb: { lambda: 0 },
} as const satisfies Readonly<Record<string, Partial<HacoParameters>>>;

/** HACO with some constants changed. */
export function haco(name: string, changes: Partial<HacoParameters>): PolicySpec {
  return { name, create: (world) => new LiteralHaco(world, { ...HACO_DEFAULTS, ...changes }) };
}

class LiteralHaco implements WorldPolicy {
  private readonly world: WorldPort;
  private readonly parameters: HacoParameters;
  private readonly belief: HacoBelief;

  constructor(world: WorldPort, parameters: HacoParameters) {
    this.world = world;
    this.parameters = parameters;
    this.belief = new HacoBelief(world.candidates.length, parameters);
  }

  onStep(step: WorldStep): void {
    const { world, belief, parameters } = this;
    belief.rank(step.role, step.payloadBytes);
    let failure = 1;
    for (const candidate of belief.order) {
      if (1 - failure >= parameters.tau) break;
      failure *= 1 - (belief.lowerBounds[candidate] ?? 0);
      world.start(step, candidate, parameters.timeoutS);
    }
    world.predict(step, failure);
  }

  onEnd(step: WorldStep, attempt: WorldAttempt): void {
    this.belief.learn(step.role, step.payloadBytes, attempt);
    if (step.isFinished) return;
    // The attempts stand in the order of the ranking.
    for (const each of step.attempts) {
      if (each.status === 'running') return;
      if (each.status === 'succeeded') {
        this.world.finish(step, each);
        return;
      }
    }
    this.world.finish(step, null);
  }
}

// Policies that ask one candidate and take what comes (scheduler study 1.4): the frozen best, a random one, one of a region, and
// the best by what was seen so far. A step whose call fails has failed.
import { ROLE_COUNT, isGlobal, type WorldCandidate } from '../candidates.ts';
import { CALL } from '../constants.ts';
import type { PolicySpec, WorldAttempt, WorldPolicy, WorldPort, WorldStep } from '../policy.ts';

/** BestOne: always the candidate that is best by quality, L-ge but in random environments. */
export const bestOne: PolicySpec = {
  name: 'best-one',
  create: (world) => new OneOf(world, world.byQuality.slice(0, 1)),
};

/** Any candidate, uniformly. */
export const randomOne: PolicySpec = {
  name: 'random',
  create: (world) =>
    new OneOf(
      world,
      placesIn(world, () => true),
    ),
};

/** Fixed-*: any candidate of a region, uniformly. */
export const fixedOnes: readonly PolicySpec[] = [
  {
    name: 'fixed-local',
    create: (world) =>
      new OneOf(
        world,
        placesIn(world, ({ region }) => region === 'local'),
      ),
  },
  {
    name: 'fixed-regional',
    create: (world) =>
      new OneOf(
        world,
        placesIn(world, ({ region }) => region === 'regional'),
      ),
  },
  { name: 'fixed-global', create: (world) => new OneOf(world, placesIn(world, isGlobal)) },
];

/**
 * BestOne-online: the highest mean score so far in the role plus its standard deviation (Beta(1,1), a failed call scores 0). The
 * study says only "cumulative mu"; without exploration its figures are far off (a greedy choice stays with the first good one).
 */
export const bestOneOnline: PolicySpec = { name: 'best-one-online', create: (world) => new BestSoFar(world) };

function placesIn(world: WorldPort, isIn: (candidate: Pick<WorldCandidate, 'region'>) => boolean): readonly number[] {
  return world.candidates.flatMap((candidate, index) => (isIn(candidate) ? [index] : []));
}

class OneOf implements WorldPolicy {
  private readonly world: WorldPort;
  private readonly pool: readonly number[];

  constructor(world: WorldPort, pool: readonly number[]) {
    this.world = world;
    this.pool = pool;
  }

  onStep(step: WorldStep): void {
    const { pool, world } = this;
    const place = pool.length === 1 ? 0 : Math.floor(pool.length * world.uniform(step, 0));
    world.start(step, pool[place] ?? 0, CALL.timeoutS);
  }

  onEnd(step: WorldStep, attempt: WorldAttempt): void {
    this.world.finish(step, attempt.status === 'succeeded' ? attempt : null);
  }
}

class BestSoFar implements WorldPolicy {
  private readonly world: WorldPort;
  private readonly sums: Float64Array;
  private readonly counts: Float64Array;

  constructor(world: WorldPort) {
    this.world = world;
    this.sums = new Float64Array(ROLE_COUNT * world.candidates.length).fill(1);
    this.counts = new Float64Array(ROLE_COUNT * world.candidates.length).fill(2);
  }

  onStep(step: WorldStep): void {
    const { sums, counts, world } = this;
    let best = 0;
    let bestScore = -1;
    for (let index = 0; index < world.candidates.length; index++) {
      const at = step.role * world.candidates.length + index;
      const good = sums[at] ?? 1;
      const count = counts[at] ?? 2;
      const score = good / count + Math.sqrt((good * (count - good)) / (count * count * (count + 1)));
      if (score > bestScore) {
        best = index;
        bestScore = score;
      }
    }
    world.start(step, best, CALL.timeoutS);
  }

  onEnd(step: WorldStep, attempt: WorldAttempt): void {
    const at = step.role * this.world.candidates.length + attempt.candidate;
    const isSuccess = attempt.status === 'succeeded';
    this.sums[at] = (this.sums[at] ?? 0) + (isSuccess ? attempt.judged : 0);
    this.counts[at] = (this.counts[at] ?? 0) + 1;
    this.world.finish(step, isSuccess ? attempt : null);
  }
}

// A policy that is watched: what it started, when, and what came of it. For the tests of the world.
import type {
  PolicySpec,
  WorldAttempt,
  WorldPolicy,
  WorldPort,
  WorldStep,
} from '../../../../src/bench/world/policy.ts';

/** One attempt, by what it is hashed from. */
export interface SeenAttempt {
  readonly key: string;
  readonly startedAtS: number;
  readonly step: WorldStep;
  readonly attempt: WorldAttempt;
}

export interface Watched {
  readonly spec: PolicySpec;
  readonly attempts: SeenAttempt[];
  readonly finished: { readonly atS: number; readonly ordinal: number; readonly winner: number }[];
}

/** The same policy behind a port that notes. */
export function watched(spec: PolicySpec): Watched {
  const attempts: SeenAttempt[] = [];
  const finished: Watched['finished'] = [];
  const noting = (world: WorldPort): WorldPort =>
    new Proxy(world, {
      get: (target, name) => {
        if (name === 'start')
          return (step: WorldStep, candidate: number, timeoutS: number) => {
            const number = step.attempts.filter((each) => each.candidate === candidate).length;
            const attempt = target.start(step, candidate, timeoutS);
            const key = `${step.workflow}/${step.number}/${candidate}/${number}`;
            attempts.push({ key, startedAtS: target.nowS, step, attempt });
            return attempt;
          };
        if (name === 'finish')
          return (step: WorldStep, winner: WorldAttempt | null) => {
            finished.push({ atS: target.nowS, ordinal: step.ordinal, winner: winner?.candidate ?? -1 });
            target.finish(step, winner);
          };
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  const kept: PolicySpec =
    'create' in spec
      ? { ...spec, create: (world): WorldPolicy => spec.create(noting(world)) }
      : { ...spec, createKnowing: (world, truth): WorldPolicy => spec.createKnowing(noting(world), truth) };
  return { spec: kept, attempts, finished };
}

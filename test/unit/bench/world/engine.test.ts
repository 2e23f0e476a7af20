import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BASELINES, HACO_VARIANTS } from '../../../../src/bench/world/catalogue.ts';
import { CALL } from '../../../../src/bench/world/constants.ts';
import { runWorld } from '../../../../src/bench/world/engine.ts';
import type { PolicySpec } from '../../../../src/bench/world/policy.ts';
import { scenarioOf, type Scenario } from '../../../../src/bench/world/scenarios.ts';
import { watched, type SeenAttempt } from './watched.ts';

const specs: readonly PolicySpec[] = [...BASELINES, ...HACO_VARIANTS].flatMap((entry) =>
  entry.kind === 'baseline' ? [entry.spec] : [],
);
const spec = (name: string): PolicySpec => specs.find((each) => each.name === name)!;
const short = { steps: 200 };
/** One of each kind. */
const few = ['best-one-online', 'redundant-2', 'tail-at-scale', 'gateway-best-seeing', 'haco-b', 'oracle'].map(spec);

function run(name: string, scenario: Scenario): ReturnType<typeof watched> & { record: ReturnType<typeof runWorld> } {
  const watch = watched(spec(name));
  return { ...watch, record: runWorld(scenario, watch.spec, short) };
}

/** What became of attempts that ended by themselves: how, after how long, how good. */
function fates(attempts: readonly SeenAttempt[]): Map<string, readonly unknown[]> {
  return new Map(
    attempts
      .filter(({ attempt }) => attempt.status === 'succeeded' || attempt.status === 'failed')
      .map(({ key, attempt }) => [
        key,
        [attempt.status, attempt.failure, Math.round(1e6 * (attempt.endedAtS - attempt.startedAtS)), attempt.judged],
      ]),
  );
}

describe('the engine of the world', () => {
  it('gives every policy the same luck with the same call', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), (seed) => {
        // No fault and no load: nothing but chance decides.
        const quiet = scenarioOf('static', seed);
        const candidates = quiet.candidates.map((each) => ({ ...each, capacity: 1e9 }));
        const scenario = { ...quiet, candidates };
        const everything = fates(run('moa', scenario).attempts);
        for (const name of ['best-one', 'random', 'redundant-2', 'gateway-retry', 'haco-a', 'haco-b', 'tail-at-scale'])
          for (const [key, fate] of fates(run(name, scenario).attempts)) {
            // moa makes every first attempt, and none twice.
            if (key.endsWith('/0')) expect([key, ...fate]).toEqual([key, ...everything.get(key)!]);
          }
      }),
      { numRuns: 5, seed: 4 },
    );
  });

  it('gives every policy the same workflows and steps', () => {
    for (const name of ['dynamic', 'random', 'capacity'] as const) {
      const scenario = scenarioOf(name, 3);
      const counts = specs.map((each) => {
        const { steps, workflows } = runWorld(scenario, each, short);
        return `${workflows}/${steps}`;
      });
      expect(new Set(counts).size).toBe(1);
    }
  });

  it('does the same again for the same seed and something else for another', () => {
    for (const each of few) {
      const once = runWorld(scenarioOf('dynamic', 8), each, short);
      expect(runWorld(scenarioOf('dynamic', 8), each, short)).toEqual(once);
      expect(runWorld(scenarioOf('dynamic', 9), each, short).latencyS).not.toEqual(once.latencyS);
    }
  });

  it('tells no policy but the bounds anything of the future', () => {
    const whole = scenarioOf('dynamic', 5);
    const changeAtS = 2600;
    // Another future: what begins later never does, what holds now ends otherwise.
    const other = {
      ...whole,
      faults: whole.faults
        .filter(({ startS }) => startS <= changeAtS)
        .map((fault) => (fault.endS > changeAtS ? { ...fault, endS: changeAtS + 1 } : fault)),
    };
    for (const each of few.filter((one) => 'create' in one)) {
      const logs = [whole, other].map((scenario) => {
        const watch = watched(each);
        runWorld(scenario, watch.spec, { horizonS: 3000 });
        return {
          started: watch.attempts
            .filter(({ startedAtS }) => startedAtS <= changeAtS)
            .map(({ key, startedAtS }) => `${key} ${startedAtS}`),
          finished: watch.finished.filter(({ atS }) => atS <= changeAtS),
        };
      });
      expect(logs[1]).toEqual(logs[0]);
      expect(logs[0]!.started.length).toBeGreaterThan(50);
    }
  });

  it('bills what was sent and written, and nothing that was turned away', () => {
    const { record, attempts } = run('gateway-breaker-12', scenarioOf('dynamic', 2));
    const free = new Set(['refused', 'rate-limited', 'reset', 'server-error']);
    const billed = (seen: SeenAttempt): readonly [least: number, most: number] => {
      const { step, attempt } = seen;
      if (attempt.status === 'succeeded')
        return [step.promptTokens + attempt.outputTokens, step.promptTokens + attempt.outputTokens];
      if (attempt.failure !== null && free.has(attempt.failure)) return [0, 0];
      // Cut off or broken: from nothing (it was lost on the way) to all but the end of the longest answer.
      return [0, step.promptTokens + 20 * CALL.outputMedianTokens];
    };
    const bounds = new Map<number, [number, number]>();
    for (const seen of attempts) {
      const [least, most] = billed(seen);
      const sum = bounds.get(seen.step.ordinal) ?? [0, 0];
      bounds.set(seen.step.ordinal, [sum[0] + least, sum[1] + most]);
    }
    for (let ordinal = 0; ordinal < record.steps; ordinal++) {
      const [least, most] = bounds.get(ordinal) ?? [0, 0];
      expect(record.tokens[ordinal]).toBeGreaterThanOrEqual(least - 1e-6);
      expect(record.tokens[ordinal]).toBeLessThanOrEqual(most + 1e-6);
    }
  });

  it('books the same tokens by step as in the priced sum', () => {
    // One candidate of price 1: the two sums must be one.
    const { record } = run('best-one', scenarioOf('dynamic', 4));
    const bySteps = record.tokens.subarray(0, record.steps).reduce((sum, each) => sum + each, 0);
    expect(record.pricedTokens).toBeCloseTo(bySteps, 3);
    expect(record.cost).toBeGreaterThan(record.pricedTokens);
  });

  it('finishes every step once, with a success or not at all', () => {
    for (const each of specs) {
      const watch = watched(each);
      const record = runWorld(scenarioOf('hot', 6), watch.spec, short);
      expect(watch.finished.map(({ ordinal }) => ordinal).sort((a, b) => a - b)).toEqual(
        Array.from({ length: record.steps }, (_, index) => index),
      );
      expect(watch.attempts.every(({ attempt }) => attempt.status !== 'running')).toBe(true);
    }
  });

  it('answers 429 beyond six calls a minute once the bucket is empty', () => {
    const scenario = scenarioOf('static', 1);
    const limited: Scenario = {
      ...scenario,
      faults: [{ startS: 0, endS: 1e6, targets: 1 << 7, effect: { kind: 'rate', perMinute: 6 } }],
    };
    const { attempts } = run('best-one', limited);
    const passed = attempts.filter(({ attempt }) => attempt.failure !== 'rate-limited');
    const lastS = attempts.at(-1)!.startedAtS;
    expect(passed.length).toBeLessThanOrEqual(2 + lastS / 10 + 1);
    expect(attempts.length - passed.length).toBeGreaterThan(20);
    for (const { attempt } of attempts.filter((each) => each.attempt.failure === 'rate-limited'))
      expect(attempt.endedAtS - attempt.startedAtS).toBeCloseTo(0.2, 9);
  });

  it('kills about nine in ten calls that run when an outage begins', () => {
    const scenario = scenarioOf('static', 1);
    const faults = Array.from({ length: 400 }, (_, turn) => ({
      startS: 20 + 40 * turn,
      endS: 20.01 + 40 * turn,
      targets: 1 << 7,
      effect: { kind: 'outage', hang: 0 } as const,
    }));
    const { attempts } = run('best-one', { ...scenario, faults });
    const began = (seen: SeenAttempt): number => 20 + 40 * Math.ceil((seen.startedAtS - 20) / 40);
    const killed = attempts.filter(({ attempt }) => attempt.failure === 'killed');
    for (const seen of killed) expect(seen.attempt.endedAtS).toBeCloseTo(began(seen), 6);
    const survived = attempts.filter(
      (seen) => seen.attempt.failure === null && seen.attempt.endedAtS > began(seen) && seen.startedAtS < began(seen),
    );
    expect(killed.length / (killed.length + survived.length)).toBeGreaterThan(0.8);
    expect(survived.length).toBeGreaterThan(0);
  });
});

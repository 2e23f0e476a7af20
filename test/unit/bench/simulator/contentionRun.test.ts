// The contention run keeps its books: the same seed gives the same run, each call ends once, nothing is held at the end, and no
// policy that decides by core/recovery does a write twice.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONTENTION_POLICY_NAMES } from '../../../../src/bench/simulator/contention.ts';
import { runContention, type ContentionRun } from '../../../../src/bench/simulator/contentionRun.ts';
import {
  CONTENTION_POLICIES,
  CONTENTION_WORLD,
  type ContentionPolicyName,
  type ContentionWorld,
} from '../../../../src/bench/simulator/contentionWorld.ts';

/** A minute with an incident, much of it lost on the way: what can go wrong goes wrong often. */
const HARSH: ContentionWorld = {
  ...CONTENTION_WORLD,
  incident: { fromMs: 10_000, toMs: 30_000, places: 0 },
  tool: { ...CONTENTION_WORLD.tool, places: 2 },
  warmMs: 0,
  endMs: 60_000,
  writeShare: 0.8,
  lostShare: 0.05,
};

const run = (policy: ContentionPolicyName, seed: number, world = HARSH): ContentionRun =>
  runContention(CONTENTION_POLICIES[policy], world, seed);

const sum = (counts: readonly number[]): number => counts.reduce((total, each) => total + each, 0);
const duplicates = ({ tasks }: ContentionRun): number => sum(tasks.map((task) => task.duplicates));

describe('a contention run', () => {
  it('is fixed by its seed', () => {
    for (const policy of ['plus', 'fixed-retry-3'] as const) {
      expect(run(policy, 5)).toEqual(run(policy, 5));
      expect(run(policy, 5)).not.toEqual(run(policy, 6));
    }
  });

  it('has the same tasks for every policy', () => {
    const arrivals = CONTENTION_POLICY_NAMES.map((policy) =>
      run(policy, 2)
        .tasks.map(({ startedMs, criticality, isGreedy }) => `${startedMs} ${criticality} ${isGreedy}`)
        .sort(),
    );
    for (const each of arrivals) expect(each).toEqual(arrivals[0]);
    expect(arrivals[0]?.length).toBeGreaterThan(300);
  });

  it(
    'ends each call once and holds no place, no waiter and no permit at its end, whatever the world',
    { timeout: 60_000 },
    () => {
      fc.assert(
        fc.property(
          fc.constantFrom(...CONTENTION_POLICY_NAMES),
          fc.integer({ min: 1, max: 1_000_000 }),
          fc.record({
            tasksPerSecond: fc.integer({ min: 1, max: 25 }),
            lostShare: fc.double({ min: 0, max: 0.4, noNaN: true }),
            errorShare: fc.double({ min: 0, max: 0.6, noNaN: true }),
            greedyShare: fc.double({ min: 0, max: 1, noNaN: true }),
            callDeadlineMs: fc.integer({ min: 1000, max: 60_000 }),
          }),
          (policy, seed, change) => {
            const { calls, held, tasks, upstreams } = run(policy, seed, { ...HARSH, endMs: 25_000, ...change });
            expect(calls.ended).toBe(calls.started);
            expect(held).toEqual({ places: 0, waiting: 0, permits: 0 });
            for (const { sent, ended } of upstreams) expect(ended).toBe(sent);
            const deadlineMs = change.callDeadlineMs * (HARSH.mostModelCalls + 1);
            // The probe of a write may be asked just before the deadline.
            for (const task of tasks) expect(task.elapsedMs).toBeLessThanOrEqual(deadlineMs + HARSH.refusalMs);
          },
        ),
        { numRuns: 30 },
      );
    },
  );

  it('pays a re-execution for each further attempt, and no tenant more than its bucket gives', () => {
    const { guards, tasks } = run('plus', 3);
    const { maxRetriesPerTenantPerMinute, maxRetriesPerTask } = CONTENTION_POLICIES.plus.settings.retry;
    expect(sum(tasks.map((task) => task.retries))).toBeLessThanOrEqual(guards.taken);
    for (const task of tasks) expect(task.retries).toBeLessThanOrEqual(maxRetriesPerTask);
    // Full at first, and refilled until the last call is over.
    const lastMs = Math.max(...tasks.map(({ startedMs, elapsedMs }) => startedMs + elapsedMs));
    const given = HARSH.tenants * maxRetriesPerTenantPerMinute * (1 + lastMs / 60_000);
    expect(guards.taken).toBeLessThanOrEqual(given);
    expect(run('plus-no-budgets', 3).guards.taken).toBeGreaterThan(guards.taken);
  });

  it('does no write twice where core/recovery decides; the fixed retry does', () => {
    const decided = CONTENTION_POLICY_NAMES.filter((policy) => policy !== 'fixed-retry-3');
    for (const policy of decided) for (const seed of [1, 2]) expect(duplicates(run(policy, seed))).toBe(0);
    expect(sum([1, 2].map((seed) => duplicates(run('fixed-retry-3', seed))))).toBeGreaterThan(10);
  });

  it('opens breakers only where there are any, and probes what is half-open', () => {
    const protectedRun = run('plus', 1, CONTENTION_WORLD);
    expect(protectedRun.guards.trips).toBeGreaterThan(0);
    expect(protectedRun.guards.probes).toBeGreaterThan(0);
    expect(run('plus-no-breakers', 1, CONTENTION_WORLD).guards).toMatchObject({ trips: 0, probes: 0 });
  });
});

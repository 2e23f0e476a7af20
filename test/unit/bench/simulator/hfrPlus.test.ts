// Belay's own recovery in the document's world: what it reaches, and that none of it comes from what the world gives for free.
import { describe, expect, it } from 'vitest';
import {
  COMPRESS,
  ESCALATE,
  FAIL,
  MODEL,
  RECONCILE,
  REEXECUTE,
  T3,
  T6,
  T7,
  T8,
  WRITE,
} from '../../../../src/bench/simulator/codes.ts';
import { hfrPlus } from '../../../../src/bench/simulator/hfrPlus.ts';
import type { SimulatedPolicy, TaskView } from '../../../../src/bench/simulator/policies.ts';
import { simulateSeed } from '../../../../src/bench/simulator/run.ts';
import { judgeTargets } from '../../../../src/bench/simulator/targets.ts';
import { worldOf } from '../../../../src/bench/simulator/world.ts';
import { parameterSet } from './parameterSet.ts';

const J = parameterSet('J');

/** One failed attempt and what was done about it. */
interface Seen {
  readonly task: TaskView;
  readonly failure: number;
  readonly action: number;
  readonly nextTier: number;
  readonly waitSeconds: number;
  /** Numbers the steps of a run. */
  readonly stepId: number;
  readonly taskId: number;
}

/** Everything that the policy did in a hard world. */
function watch(fixableShare: number | null, faultRate = 0.3, incidentRate = 0.4): readonly Seen[] {
  const seen: Seen[] = [];
  let stepId = 0;
  let taskId = 0;
  const policy = hfrPlus(J, fixableShare);
  const watched: SimulatedPolicy = {
    ...policy,
    open: (generator) => {
      const session = policy.open!(generator);
      return {
        ...session,
        startTask: (task) => {
          taskId++;
          session.startTask(task);
        },
        startStep: (task) => {
          stepId++;
          return session.startStep(task);
        },
        decide: (task, failure) => {
          const action = session.decide(task, failure);
          const nextTier = session.nextTier();
          seen.push({
            task: { ...task },
            failure,
            action,
            nextTier,
            waitSeconds: session.waitSeconds(),
            stepId,
            taskId,
          });
          return action;
        },
      };
    },
  };
  simulateSeed(watched, worldOf(J, faultRate, incidentRate), 5, 4000);
  return seen;
}

const again = ({ action }: Seen): boolean => action === REEXECUTE || action === COMPRESS;

const isCached = ({ task, nextTier }: Seen): boolean => task.kind !== MODEL && nextTier === 2;

/** How often each step or task was executed again; a cache executes nothing. */
function repeats(seen: readonly Seen[], by: 'stepId' | 'taskId'): readonly number[] {
  const counts = new Map<number, number>();
  for (const each of seen.filter((one) => again(one) && !isCached(one)))
    counts.set(each[by], (counts.get(each[by]) ?? 0) + 1);
  return [...counts.values()];
}

describe('hfr-plus reaches its targets under set J', () => {
  it('with T7 as the document has it, under incidents, with T7 split, and beside HFR with its own preset', () => {
    const worlds = judgeTargets(J, { seeds: 5, tasks: 10_000 });
    const missed = worlds.flatMap(({ world, targets }) =>
      targets.filter((target) => !target.isReached).map((target) => `${world}: ${target.figure} ${target.reached}`),
    );
    expect(missed).toEqual([]);
    const bounds = worlds.map(({ targets }) => targets.filter((target) => Number.isFinite(target.bound)).length);
    expect(bounds).toEqual([6, 2, 5, 0, 0, 0, 0, 3]);
  });
});

describe('hfr-plus takes nothing that the world gives for free', () => {
  const seen = watch(null);

  it('hands every refusal to a person at once', () => {
    const refusals = seen.filter(({ failure }) => failure === T8);
    expect(refusals.length).toBeGreaterThan(100);
    expect(refusals.every(({ action }) => action === ESCALATE)).toBe(true);
  });

  it('sends an overflow only after compressing it', () => {
    const overflows = seen.filter(({ failure }) => failure === T6);
    expect(overflows.length).toBeGreaterThan(100);
    expect(overflows.every(({ action }) => action === COMPRESS || action === ESCALATE || action === FAIL)).toBe(true);
  });

  it('asks the cache of a step once', () => {
    const cached = seen.filter(({ task }) => task.kind !== MODEL && task.tier === 2);
    expect(cached.length).toBeGreaterThan(10);
    expect(cached.every(({ action }) => action === ESCALATE || action === FAIL)).toBe(true);
  });

  it('keeps to the budgets of the preset, transient faults included', () => {
    expect(Math.max(...repeats(seen, 'stepId'))).toBeLessThanOrEqual(8);
    expect(Math.max(...repeats(seen, 'taskId'))).toBeLessThanOrEqual(20);
    // The bounds are met in a hard world, so that the test sees them hold.
    const storm = watch(null, 0.9, 1);
    expect(Math.max(...repeats(storm, 'stepId'))).toBe(8);
    expect(Math.max(...repeats(storm, 'taskId'))).toBeLessThanOrEqual(20);
  });

  it('backs off before a transient fault is tried again, by the document’s base and cap', () => {
    const waits = seen.filter((each) => again(each) && each.failure === T3 && each.nextTier === each.task.tier);
    expect(waits.length).toBeGreaterThan(1000);
    expect(waits.every(({ waitSeconds }) => waitSeconds > 0 && waitSeconds <= 2)).toBe(true);
    const mean = waits.reduce((sum, { waitSeconds }) => sum + waitSeconds, 0) / waits.length;
    expect(mean).toBeGreaterThan(0.1);
  });

  it('looks up every failed write before it is done again', () => {
    const writes = seen.filter(({ task, failure }) => task.kind === WRITE && failure === T3);
    const first = writes.filter(({ task }) => task.isAbsent === 0);
    expect(first.length).toBeGreaterThan(100);
    expect(first.every(({ action }) => action === RECONCILE)).toBe(true);
  });

  it('repairs a T7 once, by the same call, and takes it to nobody else', () => {
    const permanent = seen.filter((each) => each.failure === T7 && again(each));
    expect(permanent.length).toBeGreaterThan(100);
    expect(permanent.every(({ task, nextTier }) => nextTier === task.tier)).toBe(true);
    expect(Math.max(...repeats(permanent, 'stepId'))).toBe(1);
  });

  it('never takes a missing permission to another model or tool', () => {
    const permission = watch(0).filter((each) => each.failure === T7 && each.action !== RECONCILE);
    expect(permission.length).toBeGreaterThan(100);
    expect(permission.every(({ action }) => action === ESCALATE)).toBe(true);
    const fixable = watch(1).filter((each) => each.failure === T7 && again(each));
    expect(fixable.some(({ task, nextTier }) => nextTier > task.tier)).toBe(true);
  });
});

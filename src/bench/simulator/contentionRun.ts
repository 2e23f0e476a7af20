// One policy in the contention world with one seed: tasks arrive, call, end. The tasks of a seed are the same for every policy, so
// that policies are compared task by task. Counts only; figures are in contentionFigures.ts.
import type { Criticality } from '../../core/context.ts';
import { emptyTaskBudget } from '../../core/recovery/budget.ts';
import { recoveryPolicy } from '../../core/recovery/presets.ts';
import { startCall, type CallAsked, type CallEnd, type CallWorld } from './contentionCall.ts';
import { ContentionClock } from './contentionClock.ts';
import { ContentionGuards } from './contentionGuards.ts';
import { ContentionUpstream, type Order, type UpstreamTally } from './contentionUpstream.ts';
import type { ContentionPolicy, ContentionWorld } from './contentionWorld.ts';
import { createGenerator, type Generator } from './generator.ts';

/** A task as it will come. */
interface PlannedTask {
  readonly atMs: number;
  readonly tenant: number;
  readonly criticality: Criticality;
  readonly modelCalls: number;
  readonly hasWrite: boolean;
}

/** How one task went. */
export interface TaskEnd {
  readonly startedMs: number;
  readonly elapsedMs: number;
  readonly isGreedy: boolean;
  readonly criticality: Criticality;
  readonly isSucceeded: boolean;
  /** Attempts beyond one for each call. */
  readonly retries: number;
  /** Writes that happened beyond the first, known at the end of the run. */
  readonly duplicates: number;
}

/** Everything that a run leaves. */
export interface ContentionRun {
  readonly tasks: readonly TaskEnd[];
  readonly upstreams: readonly UpstreamTally[];
  readonly calls: { readonly started: number; readonly ended: number };
  /** Probes, re-executions that were paid for, openings of breakers; zero without guards. */
  readonly guards: Readonly<Record<'taken' | 'trips' | 'probes', number>>;
  /** What is still held after the last event; all zero. */
  readonly held: ContentionGuards['held'];
}

interface Bench extends CallWorld {
  readonly models: readonly ContentionUpstream[];
  readonly tool: ContentionUpstream;
  readonly calls: { started: number; ended: number };
  readonly ends: (() => TaskEnd)[];
}

/** Runs the world until it is empty. */
export function runContention(policy: ContentionPolicy, world: ContentionWorld, seed: number): ContentionRun {
  const clock = new ContentionClock();
  const chance = (stream: number): Generator => createGenerator(16 * seed + stream);
  const models = world.providers.map((own, index) => new ContentionUpstream(clock, chance(2 + index), world, own));
  const tool = new ContentionUpstream(clock, chance(15), world, world.tool);
  const { protections, settings } = policy;
  const guards = protections ? new ContentionGuards(clock, chance(14), world, settings, protections) : null;
  const rules = recoveryPolicy(settings);
  const calls = { started: 0, ended: 0 };
  const ends: (() => TaskEnd)[] = [];
  const bench = { clock, world, guards, settings, policy: rules, generator: chance(1), models, tool, calls, ends };
  for (const task of plannedTasks(world, chance(0))) clock.after(task.atMs, () => startTask(bench, task));
  const { incident } = world;
  clock.after(incident.fromMs, () => models[0]?.setPlaces(incident.places));
  clock.after(incident.toMs, () => models[0]?.setPlaces(world.providers[0]?.places ?? 0));
  clock.run();
  return {
    tasks: ends.map((end) => end()),
    upstreams: [...models, tool].map(({ tally }) => tally),
    calls,
    guards: { taken: guards?.taken ?? 0, trips: guards?.trips ?? 0, probes: guards?.probes ?? 0 },
    held: guards?.held ?? { places: 0, waiting: 0, permits: 0 },
  };
}

function plannedTasks(world: ContentionWorld, generator: Generator): readonly PlannedTask[] {
  const { criticalityShares, greedyShare, tenants, mostModelCalls, writeShare } = world;
  const planned: PlannedTask[] = [];
  let atMs = 0;
  for (;;) {
    atMs -= (1000 * Math.log(1 - generator.next())) / world.tasksPerSecond;
    if (atMs >= world.endMs) return planned;
    const tenant = generator.next() < greedyShare ? 0 : 1 + Math.floor(generator.next() * (tenants - 1));
    const draw = generator.next() - criticalityShares.low;
    const criticality = draw < 0 ? 'low' : draw < criticalityShares.medium ? 'medium' : 'high';
    const modelCalls = 1 + Math.floor(generator.next() * mostModelCalls);
    planned.push({ atMs, tenant, criticality, modelCalls, hasWrite: generator.next() < writeShare });
  }
}

function startTask(bench: Bench, task: PlannedTask): void {
  const budget = { task: emptyTaskBudget };
  let retries = 0;
  const writes: Order[] = [];
  const startedMs = bench.clock.nowMs;
  const steps = task.modelCalls + (task.hasWrite ? 1 : 0);
  const next = (step: number): void => {
    const isWrite = step > task.modelCalls;
    bench.calls.started++;
    const ended = (end: CallEnd): void => {
      bench.calls.ended++;
      retries += Math.max(0, end.orders.length - 1);
      if (isWrite) writes.push(...end.orders);
      if (end.isAnswered && step < steps) next(step + 1);
      else finish(end.isAnswered);
    };
    startCall(bench, callOf(bench, task, step, steps, budget), ended);
  };
  const finish = (isSucceeded: boolean): void => {
    const elapsedMs = bench.clock.nowMs - startedMs;
    bench.ends.push(() => ({
      startedMs,
      elapsedMs,
      isGreedy: task.tenant === 0,
      criticality: task.criticality,
      isSucceeded,
      retries,
      duplicates: Math.max(0, writes.filter(({ isDone }) => isDone).length - 1),
    }));
  };
  next(1);
}

/** Each tenant begins at a provider of its own turn, so that the load is even; the greedy one takes turns. */
function callOf(bench: Bench, task: PlannedTask, step: number, steps: number, budget: CallAsked['budget']): CallAsked {
  const { models, tool } = bench;
  const isWrite = step > task.modelCalls;
  const first = (task.tenant === 0 ? bench.calls.started : task.tenant) % models.length;
  return {
    tenant: `t${task.tenant}`,
    criticality: task.criticality,
    step,
    isLast: step === steps,
    isWrite,
    upstreams: isWrite ? [tool] : [...models.slice(first), ...models.slice(0, first)],
    budget,
  };
}

// Monte Carlo: one policy, one seed, many independent tasks (document 6.2, study 2.2). The loop allocates nothing: the task's
// view is one object, outcomes come from cumulative rows, sums go to the tally. Chance is the seeded generator alone.
import {
  COMPRESS,
  ESCALATE,
  ESCALATE_OR_FAIL,
  FAIL,
  MEMORY_OF,
  MODEL,
  OUTCOME_COUNT,
  RECONCILE,
  RETRY,
  SILENT,
  T2,
  T3,
  WRITE,
} from './codes.ts';
import { createGenerator, type Generator } from './generator.ts';
import { FRESH, cumulative, outcomeProbabilities, rowOf } from './outcomes.ts';
import { applyAction, escalationChance, type PolicySession, type SimulatedPolicy, type TaskView } from './policies.ts';
import { createTally, type Tally } from './tally.ts';
import { attemptPrices, type AttemptPrices } from './prices.ts';
import { TABLE_B1, type World } from './world.ts';

/** How a task ended: all steps done, failed, or handed to a person. */
const DONE = 0;
const FAILED = 1;
const ESCALATED = 2;

/** Everything that one task changes while it runs. */
interface TaskRun extends TaskView {
  providerIncident: number;
  toolIncident: number;
  cost: number;
  attempts: number;
  duplicates: number;
  wasSilent: number;
  wasDegraded: number;
  /** The last write timed out and has happened, unknown to a policy that does not ask. */
  isCommitted: number;
}

/** What stays the same over a run. */
interface Bench {
  readonly policy: SimulatedPolicy;
  readonly world: World;
  readonly session: PolicySession | null;
  readonly generator: Generator;
  readonly rows: Float64Array;
  readonly prices: AttemptPrices;
}

/** Runs `taskCount` tasks of one seed and returns their sums. */
export function simulateSeed(policy: SimulatedPolicy, world: World, seed: number, taskCount: number): Tally {
  const generator = createGenerator(seed);
  const bench: Bench = {
    policy,
    session: policy.open?.(generator) ?? null,
    world,
    generator,
    rows: cumulative(outcomeProbabilities(world, policy.verification)),
    prices: attemptPrices(policy, world.parameters),
  };
  const tally = createTally(taskCount);
  const task = blankTask();
  for (let index = 0; index < taskCount; index++) {
    const end = runTask(task, bench);
    if (end === ESCALATED) {
      task.cost += TABLE_B1.escalation.cost;
      task.elapsedSeconds += TABLE_B1.escalation.seconds;
      tally.escalatedSeconds[tally.escalated++] = task.elapsedSeconds;
      if (task.duplicates === 0) tally.cleanlyEscalated++;
    } else tally.otherSeconds[index + 1 - tally.escalated - 1] = task.elapsedSeconds;
    if (end === DONE && task.wasSilent === 0) {
      tally.succeeded++;
      if (task.duplicates === 0) tally.cleanlySucceeded++;
    } else if (end === DONE) tally.silent++;
    tally.degraded += task.wasDegraded;
    tally.duplicates += task.duplicates;
    tally.cost += task.cost;
    tally.attempts += task.attempts;
  }
  return tally;
}

function runTask(task: TaskRun, bench: Bench): number {
  const { generator, world } = bench;
  const { criticalityShares, kindShares, fewestSteps } = TABLE_B1;
  task.criticality = pick(generator.next(), criticalityShares[0], criticalityShares[1]);
  task.providerIncident = generator.next() < world.providerIncidentRate ? 1 : 0;
  task.toolIncident = generator.next() < world.toolIncidentRate ? 1 : 0;
  task.stepCount = fewestSteps + pickIndex(generator.next(), world.parameters.stepShares);
  task.taskRetries = 0;
  task.elapsedSeconds = 0;
  task.cost = 0;
  task.attempts = 0;
  task.duplicates = 0;
  task.wasSilent = 0;
  task.wasDegraded = 0;
  bench.session?.startTask(task);
  for (task.step = 0; task.step < task.stepCount; task.step++) {
    task.kind = pick(generator.next(), kindShares[0], kindShares[1]);
    const end = runStep(task, bench);
    if (end !== DONE) return end;
  }
  return DONE;
}

function runStep(task: TaskRun, bench: Bench): number {
  const { generator, session, prices, rows, world } = bench;
  const isTool = task.kind === MODEL ? 0 : 1;
  task.retries = 0;
  task.semanticRetries = 0;
  task.isCompressed = 0;
  task.isLastTry = 0;
  task.isAbsent = 0;
  task.memory = FRESH;
  task.tier = session === null ? 0 : session.startStep(task);
  if (task.tier > 0) task.wasDegraded = 1;
  for (;;) {
    const isInIncident = isTool === 1 ? task.toolIncident : task.providerIncident;
    const outcome = drawOutcome(
      generator.next(),
      rows,
      rowOf(task.criticality, isInIncident, isTool, task.tier, task.isCompressed, task.memory) * OUTCOME_COUNT,
    );
    const price = (isTool * 3 + task.tier) * OUTCOME_COUNT + outcome;
    task.cost += prices.cost[price] ?? 0;
    task.attempts += prices.attempts[price] ?? 0;
    task.elapsedSeconds += prices.seconds[price] ?? 0;
    if (outcome <= SILENT) {
      task.wasSilent |= outcome;
      return DONE;
    }
    task.isCommitted =
      outcome === T3 && task.kind === WRITE && generator.next() < world.parameters.committedShare ? 1 : 0;
    const end = recover(task, outcome, bench);
    if (end >= 0) return end;
  }
}

/** Carries out what the policy decides; how the task or step ends, or -1 to attempt again. */
function recover(task: TaskRun, outcome: number, bench: Bench): number {
  const { policy, session, world, generator } = bench;
  let action = session === null ? policy.decide(task, outcome) : session.decide(task, outcome);
  if (action === RECONCILE) {
    task.elapsedSeconds += world.parameters.latency.reconcileSeconds;
    if (task.isCommitted === 1) return DONE;
    task.isAbsent = 1;
    action = session === null ? policy.decide(task, outcome) : session.decide(task, outcome);
    task.isAbsent = 0;
  }
  if (action === FAIL) return FAILED;
  if (action === ESCALATE) return ESCALATED;
  if (action === ESCALATE_OR_FAIL)
    return generator.next() < escalationChance(task, outcome, world.parameters) ? ESCALATED : FAILED;
  if (task.isCommitted === 1 && !policy.hasKeys) task.duplicates++;
  task.memory = MEMORY_OF[outcome] ?? 0;
  if (session === null) {
    applyAction(task, action, outcome, policy, world.parameters.rules.doesDegradingResetRetries);
    if (action === RETRY) task.elapsedSeconds += waitSeconds(task, outcome, bench);
  } else {
    if (action === COMPRESS) task.isCompressed = 1;
    task.tier = session.nextTier();
    task.elapsedSeconds += session.waitSeconds();
  }
  if (task.tier > 0 || (action === COMPRESS && world.parameters.rules.isCompressionDegradation)) task.wasDegraded = 1;
  return -1;
}

/** Wait before a retry of the document's policies; `retries` already counts it. */
function waitSeconds(task: TaskRun, outcome: number, { policy, world, generator }: Bench): number {
  if (policy.wait === 'none') return 0;
  if (policy.wait === 'fixed') return world.parameters.latency.fixedDelaySeconds;
  const { baseSeconds, capSeconds } = TABLE_B1.backoff;
  const wait = generator.next() * Math.min(capSeconds, baseSeconds * 2 ** (task.retries - 1));
  return outcome === T2 ? Math.max(wait, policy.retryAfterSeconds) : wait;
}

function drawOutcome(draw: number, rows: Float64Array, start: number): number {
  let outcome = 0;
  while (draw >= (rows[start + outcome] ?? 1)) outcome++;
  return outcome;
}

/** 0, 1 or 2 by the first two of three shares. */
function pick(draw: number, first: number, second: number): number {
  if (draw < first) return 0;
  return draw < first + second ? 1 : 2;
}

function pickIndex(draw: number, shares: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < shares.length - 1; index++) {
    sum += shares[index] ?? 0;
    if (draw < sum) return index;
  }
  return shares.length - 1;
}

function blankTask(): TaskRun {
  return {
    criticality: 0,
    stepCount: 0,
    step: 0,
    kind: 0,
    tier: 0,
    retries: 0,
    taskRetries: 0,
    semanticRetries: 0,
    isCompressed: 0,
    isAbsent: 0,
    isLastTry: 0,
    memory: 0,
    // Fields for fractions start with one, so that the engine keeps them as numbers in place.
    elapsedSeconds: 0.5,
    providerIncident: 0,
    toolIncident: 0,
    cost: 0.5,
    attempts: 0.5,
    duplicates: 0,
    wasSilent: 0,
    wasDegraded: 0,
    isCommitted: 0,
  };
}

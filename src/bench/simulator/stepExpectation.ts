// One step, exactly: every way a step can go, weighted by its probability, by the same rows, prices and policy functions that the
// Monte Carlo run draws from (study, section 9). The task budget is left out, so that a step depends on nothing before it.
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
  RIGHT,
  SILENT,
  T3,
  WRITE,
} from './codes.ts';
import { FRESH, outcomeProbabilities, rowOf } from './outcomes.ts';
import { applyAction, escalationChance, type SimulatedPolicy, type TaskView } from './policies.ts';
import { attemptPrices, type AttemptPrices } from './prices.ts';
import type { World } from './world.ts';

/** How a step ends. */
export type StepEnd = 'right' | 'silent' | 'failed' | 'escalated';

/** Probability of each end, by whether the step doubled an effect and whether it was degraded; and the expected sums. */
export interface StepExpectation {
  /** Key: `<end>/<0 or 1: doubled>/<0 or 1: degraded>`. */
  readonly ends: Map<`${StepEnd}/${number}/${number}`, number>;
  cost: number;
  attempts: number;
  duplicates: number;
}

/** The rows and prices of a policy in a world, for all its steps. */
export interface StepTables {
  readonly policy: SimulatedPolicy;
  readonly world: World;
  readonly probabilities: Float64Array;
  readonly prices: AttemptPrices;
}

interface StepState extends TaskView {
  isDoubled: number;
  isDegraded: number;
}

type Frontier = Map<string, { readonly state: StepState; probability: number }>;

/** More attempts than any policy of the document makes in one step. */
const MAX_ATTEMPTS = 64;
const NEGLIGIBLE = 1e-15;

export function stepTables(policy: SimulatedPolicy, world: World): StepTables {
  return {
    policy,
    world,
    probabilities: outcomeProbabilities(world, policy.verification),
    prices: attemptPrices(policy, world.parameters),
  };
}

/** Expectation of one step of a kind, for a task of a criticality that is or is not in an incident of that kind. */
export function expectStep(
  tables: StepTables,
  kind: number,
  criticality: number,
  isInIncident: number,
): StepExpectation {
  const result: StepExpectation = { ends: new Map(), cost: 0, attempts: 0, duplicates: 0 };
  let frontier: Frontier = new Map();
  add(frontier, firstState(kind, criticality), 1);
  for (let attempt = 0; attempt < MAX_ATTEMPTS && frontier.size > 0; attempt++) {
    const next: Frontier = new Map();
    for (const { state, probability } of frontier.values())
      expandAttempt(state, probability, isInIncident, tables, result, next);
    frontier = next;
  }
  return result;
}

function expandAttempt(
  state: StepState,
  probability: number,
  isInIncident: number,
  tables: StepTables,
  result: StepExpectation,
  next: Frontier,
): void {
  const isTool = state.kind === MODEL ? 0 : 1;
  const row = rowOf(state.criticality, isInIncident, isTool, state.tier, state.isCompressed, state.memory);
  for (let outcome = 0; outcome < OUTCOME_COUNT; outcome++) {
    const likely = probability * (tables.probabilities[row * OUTCOME_COUNT + outcome] ?? 0);
    if (likely < NEGLIGIBLE) continue;
    const price = (isTool * 3 + state.tier) * OUTCOME_COUNT + outcome;
    result.cost += likely * (tables.prices.cost[price] ?? 0);
    result.attempts += likely * (tables.prices.attempts[price] ?? 0);
    if (outcome === RIGHT) end(result, 'right', state, likely);
    else if (outcome === SILENT) end(result, 'silent', state, likely);
    else if (outcome === T3 && state.kind === WRITE) {
      const committed = tables.world.parameters.committedShare;
      expandFailure(state, outcome, likely * committed, true, tables, result, next);
      expandFailure(state, outcome, likely * (1 - committed), false, tables, result, next);
    } else expandFailure(state, outcome, likely, false, tables, result, next);
  }
}

function expandFailure(
  state: StepState,
  outcome: number,
  likely: number,
  isCommitted: boolean,
  { policy, world }: StepTables,
  result: StepExpectation,
  next: Frontier,
): void {
  let action = policy.decide(state, outcome);
  if (action === RECONCILE && isCommitted) {
    end(result, 'right', state, likely);
    return;
  }
  if (action === RECONCILE) action = policy.decide({ ...state, isAbsent: 1 }, outcome);
  if (action === FAIL) end(result, 'failed', state, likely);
  else if (action === ESCALATE) end(result, 'escalated', state, likely);
  else if (action === ESCALATE_OR_FAIL) {
    const chance = escalationChance(state, outcome, world.parameters);
    end(result, 'escalated', state, likely * chance);
    end(result, 'failed', state, likely * (1 - chance));
  } else {
    const { rules } = world.parameters;
    const after = { ...state, memory: MEMORY_OF[outcome] ?? 0 };
    if (isCommitted && !policy.hasKeys) {
      after.isDoubled = 1;
      result.duplicates += likely;
    }
    applyAction(after, action, outcome, policy, rules.doesDegradingResetRetries);
    if (action !== RETRY && (action !== COMPRESS || rules.isCompressionDegradation)) after.isDegraded = 1;
    // The task's retries are no part of a step's state here.
    after.taskRetries = 0;
    add(next, after, likely);
  }
}

function add(frontier: Frontier, state: StepState, probability: number): void {
  const key = Object.values(state).join();
  const known = frontier.get(key);
  if (known) known.probability += probability;
  else frontier.set(key, { state, probability });
}

function end(result: StepExpectation, how: StepEnd, state: StepState, probability: number): void {
  const key = `${how}/${state.isDoubled}/${state.isDegraded}` as const;
  result.ends.set(key, (result.ends.get(key) ?? 0) + probability);
}

function firstState(kind: number, criticality: number): StepState {
  return {
    criticality,
    stepCount: 0,
    step: 0,
    kind,
    tier: 0,
    retries: 0,
    taskRetries: 0,
    semanticRetries: 0,
    isCompressed: 0,
    isAbsent: 0,
    isLastTry: 0,
    memory: FRESH,
    elapsedSeconds: 0,
    isDoubled: 0,
    isDegraded: 0,
  };
}

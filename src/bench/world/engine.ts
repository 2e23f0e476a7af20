// The world's event loop: workflows arrive, each step is handed to the policy, calls run their course, and everything is booked
// (scheduler study 1.2, 1.3). It decides nothing that belongs to the policy, and tells it of things only when they have happened.
import { CALL, OUTPUT_PRICE_FACTOR, WORKFLOW } from './constants.ts';
import { CallPlan, decodedShare, drawJudged, drawOpinion, drawQuality, planCall, type CallLoad } from './callModel.ts';
import { Draws, KEY } from './draws.ts';
import { EventHeap } from './eventHeap.ts';
import { FaultTimeline, type CandidateState } from './faults.ts';
import { Attempt, STEP, Step, Workflow, ownAttempt, ownStep } from './parts.ts';
import type { PolicySpec, WorldAttempt, WorldPolicy, WorldPort, WorldStep, WorldTruth } from './policy.ts';
import { RateLimit } from './rateLimit.ts';
import { RunRecord } from './record.ts';
import type { Scenario } from './scenarios.ts';

/** What an event is; a timer's code is its tag + TIMER. */
const ARRIVAL = 0;
const NEXT_STEP = 1;
const ENDED = 2;
const FIRST_TOKEN = 3;
const CALL_BACK = 4;
const TIMER = 5;

/** How far a run goes. */
export interface RunLimits {
  /** No workflow arrives after this time; absent: the scenario's own horizon. */
  readonly horizonS?: number;
  /** No workflow arrives once those that did have so many steps together: about so many, and the same ones for every policy. */
  readonly steps?: number;
}

/** A world that one policy is tried in. Drive it with `advance` until that is false. */
export class World implements WorldPort, WorldTruth {
  nowS = 0;
  readonly record = new RunRecord();
  readonly candidates: Scenario['candidates'];
  readonly byQuality: readonly number[];
  private readonly scenario: Scenario;
  private readonly horizonS: number;
  private readonly stepLimit: number;
  private readonly draws = new Draws();
  private readonly heap = new EventHeap<Workflow | Step | Attempt | (() => void)>();
  private readonly timelines: readonly FaultTimeline[];
  private readonly limits: readonly RateLimit[];
  private readonly inFlight: Int32Array;
  private readonly policy: WorldPolicy;
  private readonly wantsFirstToken: boolean;
  private readonly seesHangs: boolean;
  private readonly foreseen = new CallPlan();
  private arrived = 0;
  private arrivedSteps = 0;
  private isArriving = true;
  private openWorkflows = 0;
  private running = 0;
  private sides = 0;

  constructor(scenario: Scenario, spec: PolicySpec, limits: RunLimits = {}) {
    this.scenario = scenario;
    this.candidates = scenario.candidates;
    this.byQuality = scenario.candidates
      .map((_, index) => index)
      .sort((a, b) => this.candidateAt(b).quality - this.candidateAt(a).quality);
    this.horizonS = Math.min(scenario.horizonS, limits.horizonS ?? Infinity);
    this.stepLimit = limits.steps ?? Infinity;
    this.timelines = scenario.candidates.map((_, index) => new FaultTimeline(scenario.faults, index));
    this.limits = scenario.candidates.map(() => new RateLimit());
    this.inFlight = new Int32Array(scenario.candidates.length);
    this.policy = 'create' in spec ? spec.create(this) : spec.createKnowing(this, this);
    this.seesHangs = spec.seesHangs ?? true;
    this.wantsFirstToken = this.policy.onFirstToken !== undefined;
    this.planArrival(0);
  }

  /** Steps are open and nothing is to happen: what they wait for is not of this world (yet). */
  get isStuck(): boolean {
    return this.heap.isEmpty && !this.isDone;
  }

  /** Lets the next thing happen; false when every workflow is done and nothing runs any more. */
  advance(): boolean {
    if (this.isDone) return false;
    const { heap } = this;
    if (!heap.pop()) throw new Error('world: a step was left without anything that could finish it');
    this.nowS = heap.atS;
    const { code, thing } = heap;
    if (thing instanceof Attempt) {
      if (thing.status !== 'running') return true;
      if (code === ENDED) this.endByItself(thing);
      else if (thing.step) this.policy.onFirstToken?.(thing.step, thing);
    } else if (thing instanceof Step) {
      if (!thing.isFinished) this.policy.onTimer?.(thing, code - TIMER);
    } else if (thing instanceof Workflow) {
      if (code === ARRIVAL) this.planArrival(this.nowS);
      this.beginStep(thing);
    } else thing?.();
    return true;
  }

  callAt(atS: number, act: () => void): void {
    this.heap.push(Math.max(atS, this.nowS), CALL_BACK, act);
  }

  start(step: WorldStep, candidate: number, timeoutS: number): Attempt {
    const own = ownStep(step);
    let number = 0;
    for (const each of own.attempts) if (each.candidate === candidate) number++;
    const attempt = new Attempt(own, candidate, number, this.nowS, own.promptTokens, own.outputTokens);
    if (own.attempts.length === 0) this.record.primary[own.ordinal] = candidate;
    own.attempts.push(attempt);
    this.record.attempts++;
    this.keyOf(own.workflow, own.number, candidate, number);
    this.launch(attempt, own, timeoutS);
    return attempt;
  }

  startSide(candidate: number, promptTokens: number, outputTokens: number, timeoutS: number): Attempt {
    const attempt = new Attempt(null, candidate, this.sides++, this.nowS, promptTokens, outputTokens);
    this.record.sideCalls++;
    this.draws.key(this.scenario.seed, KEY.side, attempt.number, candidate);
    this.launch(attempt, { payloadBytes: 4 * promptTokens, outputTokens }, timeoutS);
    return attempt;
  }

  cancel(attempt: WorldAttempt): void {
    const own = ownAttempt(attempt);
    if (own.status !== 'running') return;
    own.status = 'cancelled';
    this.close(own);
  }

  setTimer(step: WorldStep, atS: number, tag: number): void {
    this.heap.push(Math.max(atS, this.nowS), TIMER + tag, ownStep(step));
  }

  finish(step: WorldStep, winner: WorldAttempt | null): void {
    const own = ownStep(step);
    if (own.isFinished) throw new Error('world: a step was finished twice');
    own.isFinished = true;
    const { record } = this;
    record.latencyS[own.ordinal] = this.nowS - own.startedAtS;
    if (!Number.isNaN(own.firstSuccessAtS)) record.holdS[own.ordinal] = this.nowS - own.firstSuccessAtS;
    if (winner) {
      if (winner.status !== 'succeeded') throw new Error('world: the winner of a step is no success');
      record.winner[own.ordinal] = winner.candidate;
      record.quality += ownAttempt(winner).quality;
    } else own.home.hasFailed = true;
    this.leave(own);
  }

  hasFirstToken(attempt: WorldAttempt): boolean {
    const { plan, startedAtS } = ownAttempt(attempt);
    if (plan.end === 'hang' && !this.seesHangs) return true;
    return this.nowS - startedAtS >= plan.firstTokenS && plan.firstTokenS <= plan.endS;
  }

  receivedTokens(attempt: WorldAttempt): number {
    const { plan, startedAtS, fullOutputTokens, endedAtS } = ownAttempt(attempt);
    const untilS = Number.isNaN(endedAtS) ? this.nowS : endedAtS;
    return fullOutputTokens * decodedShare(plan, untilS - startedAtS);
  }

  uniform(step: WorldStep, index: number): number {
    return this.draws.key(this.scenario.seed, KEY.policy, step.workflow, step.number).uniform(index);
  }

  judge(attempt: WorldAttempt, sd: number): number {
    const own = ownAttempt(attempt);
    if (own.status !== 'succeeded') throw new Error('world: only a success can be judged');
    this.keyOf(own.step?.workflow ?? 0, own.step?.number ?? 0, own.candidate, own.number);
    return drawOpinion(this.draws, own.quality, sd);
  }

  charge(step: WorldStep, promptTokens: number, outputTokens: number, price: number): void {
    this.record.addTokens(step.ordinal, promptTokens + outputTokens);
    this.record.cost += price * (promptTokens + OUTPUT_PRICE_FACTOR * outputTokens);
  }

  predict(step: WorldStep, failureProbability: number): void {
    this.record.predicted[step.ordinal] = failureProbability;
  }

  state(candidate: number): CandidateState {
    const timeline = this.timelines[candidate];
    if (!timeline) throw new Error(`world: no candidate ${candidate}`);
    return timeline.at(this.nowS);
  }

  hasRateToken(candidate: number): boolean {
    const state = this.state(candidate);
    return this.limits[candidate]?.left(state, this.nowS) !== 0;
  }

  foresee(step: WorldStep, candidate: number): ReturnType<WorldTruth['foresee']> {
    const own = ownStep(step);
    this.keyOf(own.workflow, own.number, candidate, 0);
    const plan = this.foreseen;
    this.plan(plan, candidate, own, this.hasRateToken(candidate));
    const isSuccess = plan.end === 'success' && plan.endS <= CALL.timeoutS;
    const quality = isSuccess ? drawQuality(this.draws, this.candidateAt(candidate), own.role, own.difficulty) : 0;
    return { isSuccess, latencyS: plan.endS, quality, tokens: own.promptTokens + own.outputTokens };
  }

  private get isDone(): boolean {
    return !this.isArriving && this.openWorkflows === 0 && this.running === 0;
  }

  private planArrival(fromS: number): void {
    const index = this.arrived;
    const draws = this.draws.key(this.scenario.seed, KEY.workflow, index);
    const atS = fromS + draws.exponential(0, 1 / this.scenario.arrivalsPerS);
    this.isArriving = atS < this.horizonS && this.arrivedSteps < this.stepLimit;
    if (!this.isArriving) return;
    const [least, most] = WORKFLOW.steps;
    const length = least + Math.floor((most - least + 1) * draws.uniform(1));
    this.arrived++;
    this.arrivedSteps += length;
    this.openWorkflows++;
    this.record.workflows++;
    this.heap.push(atS, ARRIVAL, new Workflow(index, length));
  }

  private beginStep(home: Workflow): void {
    const ordinal = this.record.add(this.nowS);
    const draws = this.draws.key(this.scenario.seed, KEY.step, home.index, home.done);
    const step = new Step(home, ordinal, this.nowS, draws);
    home.done++;
    this.policy.onStep(step);
  }

  /** The step has its answer: the workflow thinks, goes on, or is done. */
  private leave({ home, number }: Step): void {
    if (home.done === home.length) {
      this.openWorkflows--;
      if (home.hasFailed) this.record.failedWorkflows++;
      return;
    }
    const draws = this.draws.key(this.scenario.seed, KEY.step, home.index, number);
    const thinkS = WORKFLOW.thinkMedianS * Math.exp(WORKFLOW.thinkSd * draws.normal(STEP.think));
    this.heap.push(this.nowS + thinkS, NEXT_STEP, home);
  }

  private launch(attempt: Attempt, load: CallLoad, timeoutS: number): void {
    const { candidate, plan } = attempt;
    const state = this.state(candidate);
    const isLetThrough = state.isDown || this.limits[candidate]?.take(state, this.nowS) !== false;
    this.plan(plan, candidate, load, isLetThrough);
    this.inFlight[candidate] = (this.inFlight[candidate] ?? 0) + 1;
    this.running++;
    const endS = Math.min(plan.endS, timeoutS);
    if (endS < Infinity) this.heap.push(this.nowS + endS, ENDED, attempt);
    if (this.wantsFirstToken && plan.firstTokenS < endS)
      this.heap.push(this.nowS + plan.firstTokenS, FIRST_TOKEN, attempt);
  }

  /** The course of a call that is launched now; `draws` has its key. */
  private plan(plan: CallPlan, candidate: number, load: CallLoad, isLetThrough: boolean): void {
    const facts = this.candidateAt(candidate);
    const timeline = this.timelines[candidate];
    const state = this.state(candidate);
    const others = (this.inFlight[candidate] ?? 0) / facts.capacity;
    const isLimited = !isLetThrough || others > CALL.overloadFactor;
    const nextOutageS = (timeline?.nextOutageS(this.nowS) ?? Infinity) - this.nowS;
    planCall(plan, this.draws, facts, state, load, Math.max(1, others), isLimited, nextOutageS);
  }

  private endByItself(attempt: Attempt): void {
    const { plan, step } = attempt;
    const isCut = this.nowS < attempt.startedAtS + plan.endS;
    if (!isCut && plan.end === 'success') this.succeed(attempt);
    else {
      attempt.status = 'failed';
      attempt.failure = isCut || plan.end === 'hang' || plan.end === 'success' ? 'timeout' : plan.end;
      if (step?.hasStartSetFailed() === true) this.record.startSetFailed[step.ordinal] = 1;
    }
    this.close(attempt);
    if (step) this.policy.onEnd(step, attempt);
    else this.policy.onSideEnd?.(attempt);
  }

  private succeed(attempt: Attempt): void {
    const { step, candidate, number, plan } = attempt;
    attempt.status = 'succeeded';
    attempt.bytesPerS = plan.bytesPerS;
    attempt.outputTokens = attempt.fullOutputTokens;
    if (!step) return;
    if (Number.isNaN(step.firstSuccessAtS)) step.firstSuccessAtS = this.nowS;
    const draws = this.keyOf(step.workflow, step.number, candidate, number);
    attempt.quality = drawQuality(draws, this.candidateAt(candidate), step.role, step.difficulty);
    attempt.judged = drawJudged(draws, attempt.quality);
  }

  /** Bills an attempt that has ended just now, whichever way, and frees its place. */
  private close(attempt: Attempt): void {
    const { candidate, plan, step, promptTokens, fullOutputTokens } = attempt;
    attempt.endedAtS = this.nowS;
    this.inFlight[candidate] = (this.inFlight[candidate] ?? 0) - 1;
    this.running--;
    const elapsedS = this.nowS - attempt.startedAtS;
    if (elapsedS < plan.sentS) return;
    const output = fullOutputTokens * decodedShare(plan, elapsedS);
    const { price } = this.candidateAt(candidate);
    const { record } = this;
    if (step) record.addTokens(step.ordinal, promptTokens + output);
    else record.sideTokens += promptTokens + output;
    record.pricedTokens += price * (promptTokens + output);
    record.cost += price * (promptTokens + OUTPUT_PRICE_FACTOR * output);
  }

  private keyOf(workflow: number, step: number, candidate: number, number: number): Draws {
    return this.draws.key(this.scenario.seed, KEY.attempt, workflow, step, candidate, number);
  }

  private candidateAt(index: number): Scenario['candidates'][number] {
    const candidate = this.candidates[index];
    if (!candidate) throw new Error(`world: no candidate ${index}`);
    return candidate;
  }
}

/** Runs a policy through a scenario to the end. */
export function runWorld(scenario: Scenario, spec: PolicySpec, limits: RunLimits = {}): RunRecord {
  const world = new World(scenario, spec, limits);
  while (world.advance());
  return world.record;
}

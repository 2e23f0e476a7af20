// The things of the engine: workflows, steps and attempts, with what policies must not see of them (policy.ts has what they may).
import { ROLE_COUNT } from './candidates.ts';
import { CALL } from './constants.ts';
import { CallPlan } from './callModel.ts';
import type { Draws } from './draws.ts';
import type { AttemptFailureKind, AttemptStatus, WorldAttempt, WorldStep } from './policy.ts';

/** Purposes of a step's numbers. */
export const STEP = { role: 0, prompt: 1, output: 3, payload: 5, difficulty: 6, think: 8 } as const;

/** Sequential steps, one after the other. */
export class Workflow {
  readonly index: number;
  readonly length: number;
  done = 0;
  hasFailed = false;

  constructor(index: number, length: number) {
    this.index = index;
    this.length = length;
  }
}

/** A step with what only the engine knows of it. */
export class Step implements WorldStep {
  readonly home: Workflow;
  readonly workflow: number;
  readonly number: number;
  readonly ordinal: number;
  readonly role: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly payloadBytes: number;
  readonly difficulty: number;
  readonly startedAtS: number;
  readonly attempts: Attempt[] = [];
  isFinished = false;
  firstSuccessAtS = Number.NaN;

  constructor(home: Workflow, ordinal: number, startedAtS: number, draws: Draws) {
    this.home = home;
    this.workflow = home.index;
    this.number = home.done;
    this.ordinal = ordinal;
    this.startedAtS = startedAtS;
    this.role = Math.floor(ROLE_COUNT * draws.uniform(STEP.role));
    this.promptTokens = CALL.promptMedianTokens * Math.exp(CALL.promptSd * draws.normal(STEP.prompt));
    this.outputTokens = CALL.outputMedianTokens * Math.exp(CALL.outputSd * draws.normal(STEP.output));
    this.payloadBytes = draws.between(STEP.payload, CALL.payloadBytes);
    this.difficulty = CALL.difficultySd * draws.normal(STEP.difficulty);
  }

  /** Whether all attempts that were started in the moment the step began have failed. */
  hasStartSetFailed(): boolean {
    let count = 0;
    for (const { startedAtS, status } of this.attempts) {
      if (startedAtS > this.startedAtS) continue;
      if (status !== 'failed') return false;
      count++;
    }
    return count > 0;
  }
}

/** An attempt with the course that was decided at its launch. */
export class Attempt implements WorldAttempt {
  readonly step: Step | null;
  readonly candidate: number;
  /** Which attempt at this candidate in its step, from 0; of a side call its number. */
  readonly number: number;
  readonly startedAtS: number;
  readonly promptTokens: number;
  readonly fullOutputTokens: number;
  readonly plan = new CallPlan();
  status: AttemptStatus = 'running';
  failure: AttemptFailureKind | null = null;
  endedAtS = Number.NaN;
  judged = Number.NaN;
  bytesPerS = Number.NaN;
  outputTokens = Number.NaN;
  quality = Number.NaN;

  constructor(
    step: Step | null,
    candidate: number,
    number: number,
    startedAtS: number,
    promptTokens: number,
    fullOutputTokens: number,
  ) {
    this.step = step;
    this.candidate = candidate;
    this.number = number;
    this.startedAtS = startedAtS;
    this.promptTokens = promptTokens;
    this.fullOutputTokens = fullOutputTokens;
  }
}

/** The engine's own step behind what a policy holds. */
export function ownStep(step: WorldStep): Step {
  if (step instanceof Step) return step;
  throw new Error('world: not a step of this world');
}

/** The engine's own attempt behind what a policy holds. */
export function ownAttempt(attempt: WorldAttempt): Attempt {
  if (attempt instanceof Attempt) return attempt;
  throw new Error('world: not an attempt of this world');
}

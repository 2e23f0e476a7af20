// The seam between the world and whoever is tried in it. The engine calls a policy when something has happened; the policy starts
// and cancels attempts, sets timers and names the winner. What a policy may see is in these types, and nothing of the future is.
import type { CandidateState } from './faults.ts';
import type { WorldCandidate } from './candidates.ts';

/** How an attempt failed, as its caller sees it. `broken`: in mid-stream. `invalid`: a whole answer that a check rejects. */
export type AttemptFailureKind =
  'refused' | 'rate-limited' | 'reset' | 'server-error' | 'broken' | 'invalid' | 'killed' | 'timeout';

export type AttemptStatus = 'running' | 'succeeded' | 'failed' | 'cancelled';

/** One call at one candidate, as far as it can be seen now. Times are seconds of the world's clock. */
export interface WorldAttempt {
  readonly candidate: number;
  readonly startedAtS: number;
  readonly status: AttemptStatus;
  /** Null unless `failed`. */
  readonly failure: AttemptFailureKind | null;
  /** NaN while it runs. */
  readonly endedAtS: number;
  /** The judge's score of a success, 0-1; NaN before. */
  readonly judged: number;
  /** Bytes per second seen while sending; NaN until a success. */
  readonly bytesPerS: number;
  /** Tokens of the answer; NaN until a success. */
  readonly outputTokens: number;
}

/** One step of a workflow: one logical call. */
export interface WorldStep {
  readonly workflow: number;
  /** Place in the workflow, from 0. */
  readonly number: number;
  /** Place among all steps of the run, from 0. */
  readonly ordinal: number;
  readonly role: number;
  readonly promptTokens: number;
  readonly payloadBytes: number;
  readonly startedAtS: number;
  /** In the order of their start. */
  readonly attempts: readonly WorldAttempt[];
  readonly isFinished: boolean;
}

/** What anybody is told of a candidate before the first call. */
export type CandidateFacts = Pick<WorldCandidate, 'name' | 'tier' | 'region' | 'price'>;

/** What a policy can do. */
export interface WorldPort {
  readonly nowS: number;
  readonly candidates: readonly CandidateFacts[];
  /** Candidates by true mean quality, best first: what a hand-tuned order is made from, as in the study. Nothing that learns may use it. */
  readonly byQuality: readonly number[];
  /** Starts an attempt that is cut off after `timeoutS` seconds; Infinity: never. */
  start(step: WorldStep, candidate: number, timeoutS: number): WorldAttempt;
  /** Ends a running attempt; what was sent and written by now is billed. Nothing happens to one that has ended. */
  cancel(attempt: WorldAttempt): void;
  /** Calls `onTimer(step, tag)` at `atS` unless the step is finished by then. */
  setTimer(step: WorldStep, atS: number, tag: number): void;
  /** The step's answer is that of `winner`, a success; null: the step has failed. Other attempts run on unless cancelled. */
  finish(step: WorldStep, winner: WorldAttempt | null): void;
  /** Whether the first token of an attempt has arrived by now. */
  hasFirstToken(attempt: WorldAttempt): boolean;
  /** Output tokens that have arrived by now. */
  receivedTokens(attempt: WorldAttempt): number;
  /** The policy's own chance for a step: hashed from seed, workflow, step and `index`. */
  uniform(step: WorldStep, index: number): number;
  /** Another look at a success: its quality + N(0, sd), not clamped. */
  judge(attempt: WorldAttempt, sd: number): number;
  /** Bills a call that is no attempt (a judge): counted in tokens and cost, not in J, as in the study's MoA row. */
  charge(step: WorldStep, promptTokens: number, outputTokens: number, price: number): void;
  /** What the policy expects: the probability that all attempts started by now fail. */
  predict(step: WorldStep, failureProbability: number): void;
  /** Does `act` at `atS`: the clock of policies that wait by themselves. */
  callAt(atS: number, act: () => void): void;
  /** A call of its own for no step (a ping). Ends by `onSideEnd`. */
  startSide(candidate: number, promptTokens: number, outputTokens: number, timeoutS: number): WorldAttempt;
}

/** Who is tried. Each callback returns at once; a step must in the end be finished. */
export interface WorldPolicy {
  onStep(step: WorldStep): void;
  /** An attempt has succeeded or failed, also after its step was finished; not told of what the policy itself cancelled. */
  onEnd(step: WorldStep, attempt: WorldAttempt): void;
  onTimer?(step: WorldStep, tag: number): void;
  /** Only told where this method exists. */
  onFirstToken?(step: WorldStep, attempt: WorldAttempt): void;
  onSideEnd?(attempt: WorldAttempt): void;
}

/** What only an oracle is told. */
export interface WorldTruth {
  readonly candidates: readonly WorldCandidate[];
  /** How a candidate stands now; the object is reused. */
  state(candidate: number): CandidateState;
  /** Whether a rate limit would let a call through now. */
  hasRateToken(candidate: number): boolean;
  /** What a first attempt at this candidate would bring if it was started now: the future itself, for the clairvoyant only. */
  foresee(
    step: WorldStep,
    candidate: number,
  ): { readonly isSuccess: boolean; readonly latencyS: number; readonly quality: number; readonly tokens: number };
}

/** A policy as the catalogue knows it. Those that are made with `createKnowing` are bounds, not competitors. */
export type PolicySpec = {
  readonly name: string;
  /**
   * Whether a first-token timer fires on a call that hangs. True for anything real. In the study's simulator it did not: its
   * gateway and oracle rows are reproduced only so (see notes.ts). Absent: true.
   */
  readonly seesHangs?: boolean;
} & (
  | { readonly create: (world: WorldPort) => WorldPolicy }
  | { readonly createKnowing: (world: WorldPort, truth: WorldTruth) => WorldPolicy }
);

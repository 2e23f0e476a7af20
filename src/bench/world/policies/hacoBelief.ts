// What literal HACO knows of its candidates and how it ranks them (seed 000, 1 and 2; constants of the study's section 1.4). It is
// written apart from core/scheduler/literal so that the two can be held against each other; a test does.
import { ROLE_COUNT } from '../candidates.ts';
import type { AttemptFailureKind, WorldAttempt } from '../policy.ts';

/** Constants by their symbols; bytes and seconds. */
export interface HacoParameters {
  readonly lambda: number;
  readonly gamma: number;
  readonly eta: number;
  readonly kappa: number;
  readonly epsB: number;
  readonly epsR: number;
  readonly rhoCap: number;
  readonly tau: number;
  readonly timeoutS: number;
  /** A: a failed call counts as quality 0. B: only successes count. */
  readonly reading: 'A' | 'B';
  /** False (w/o Env): rho = 1 and D = 1. */
  readonly hasEnvironment: boolean;
  /** False: one Beta per candidate instead of one per role and candidate. */
  readonly isPerRole: boolean;
}

/** The document's, with those it does not print solved from its worked example (study 1.4). */
export const HACO_DEFAULTS: HacoParameters = {
  lambda: 1,
  gamma: 0.7,
  eta: 0.23,
  kappa: 1,
  epsB: 50_000,
  epsR: 0.05,
  rhoCap: 0.98,
  tau: 0.95,
  timeoutS: 60,
  reading: 'A',
  hasEnvironment: true,
  isPerRole: true,
};

/** Ends that count for the link (l_net); the others count for the candidate itself (f_int). */
const LINK_FAILURES: ReadonlySet<AttemptFailureKind> = new Set(['refused', 'reset', 'timeout', 'killed']);

/** Cumulative averages of all that was seen, and the ranking made from them. */
export class HacoBelief {
  /** Candidates by U+, best first; filled by `rank`. */
  readonly order: Int32Array;
  /** R- in the order of the candidates. */
  readonly lowerBounds: Float64Array;
  private readonly parameters: HacoParameters;
  private readonly size: number;
  private readonly alpha: Float64Array;
  private readonly beta: Float64Array;
  private readonly calls: Float64Array;
  private readonly internalFailures: Float64Array;
  private readonly linkFailures: Float64Array;
  private readonly successes: Float64Array;
  private readonly processS: Float64Array;
  private readonly bytesPerS: Float64Array;
  private readonly jitter: Float64Array;
  private readonly utilities: Float64Array;
  private readonly latencies: Float64Array;
  private readonly sorted: Float64Array;

  constructor(size: number, parameters: HacoParameters) {
    this.parameters = parameters;
    this.size = size;
    const column = (): Float64Array => new Float64Array(size);
    this.alpha = new Float64Array(ROLE_COUNT * size).fill(1);
    this.beta = new Float64Array(ROLE_COUNT * size).fill(1);
    this.order = new Int32Array(size);
    this.lowerBounds = column();
    this.calls = column();
    this.internalFailures = column();
    this.linkFailures = column();
    this.successes = column();
    this.processS = column();
    this.bytesPerS = column();
    this.jitter = column();
    this.utilities = column();
    this.latencies = column();
    this.sorted = column();
  }

  /** Takes an ended attempt in. */
  learn(role: number, payloadBytes: number, attempt: WorldAttempt): void {
    const { candidate, failure } = attempt;
    add(this.calls, candidate, 1);
    if (failure !== null) {
      add(LINK_FAILURES.has(failure) ? this.linkFailures : this.internalFailures, candidate, 1);
      if (this.parameters.reading === 'A') this.score(role, candidate, 0);
      return;
    }
    this.score(role, candidate, attempt.judged);
    add(this.successes, candidate, 1);
    const count = this.successes[candidate] ?? 1;
    const grow = (column: Float64Array, value: number): void => {
      const mean = column[candidate] ?? 0;
      column[candidate] = mean + (value - mean) / count;
    };
    grow(this.processS, attempt.endedAtS - attempt.startedAtS - payloadBytes / attempt.bytesPerS);
    grow(this.bytesPerS, attempt.bytesPerS);
    grow(this.jitter, Math.abs(attempt.bytesPerS - (this.bytesPerS[candidate] ?? 0)));
  }

  /** Ranks for a step. */
  rank(role: number, payloadBytes: number): void {
    const { parameters, size, utilities, order } = this;
    const { lambda, gamma, eta, epsR, rhoCap, hasEnvironment } = parameters;
    const t0 = this.readLatencies(payloadBytes);
    const from = this.row(role) * size;
    for (let index = 0; index < size; index++) {
      const a = this.alpha[from + index] ?? 1;
      const b = this.beta[from + index] ?? 1;
      const weight = a + b;
      const mu = a / weight;
      const sigma = Math.sqrt((a * b) / (weight * weight * (weight + 1)));
      const latency = this.latencies[index] ?? Number.NaN;
      const rho = hasEnvironment ? this.rho(index) : 1;
      const decay = hasEnvironment ? 1 + eta * Math.log(1 + (Number.isNaN(latency) ? 1 : latency / t0)) : 1;
      const utility = (Math.min(1, mu + lambda * sigma) * rho) / decay;
      this.lowerBounds[index] = Math.min(rhoCap, Math.max(epsR, mu - gamma * sigma) * rho);
      utilities[index] = utility;
      let place = index;
      for (; place > 0 && (utilities[order[place - 1] ?? 0] ?? 0) < utility; place--)
        order[place] = order[place - 1] ?? 0;
      order[place] = index;
    }
  }

  private score(role: number, candidate: number, quality: number): void {
    const at = this.row(role) * this.size + candidate;
    add(this.alpha, at, quality);
    add(this.beta, at, 1 - quality);
  }

  private row(role: number): number {
    return this.parameters.isPerRole ? role : 0;
  }

  private rho(index: number): number {
    const calls = this.calls[index] ?? 0;
    if (calls === 0) return 1;
    const internal = (this.internalFailures[index] ?? 0) / calls;
    const loss = (this.linkFailures[index] ?? 0) / calls;
    return (1 - internal) * (1 - loss);
  }

  /** T of each candidate, NaN where nothing is known; returns T0, the median of those that are known. */
  private readLatencies(payloadBytes: number): number {
    const { kappa, epsB } = this.parameters;
    let known = 0;
    for (let index = 0; index < this.size; index++) {
      if ((this.successes[index] ?? 0) === 0) {
        this.latencies[index] = Number.NaN;
        continue;
      }
      const bandwidth = Math.max(epsB, (this.bytesPerS[index] ?? 0) - kappa * (this.jitter[index] ?? 0));
      const latency = (this.processS[index] ?? 0) + payloadBytes / bandwidth;
      this.latencies[index] = latency;
      let place = known++;
      for (; place > 0 && (this.sorted[place - 1] ?? 0) > latency; place--)
        this.sorted[place] = this.sorted[place - 1] ?? 0;
      this.sorted[place] = latency;
    }
    const middle = known >> 1;
    const upper = this.sorted[middle] ?? 1;
    return known % 2 === 1 ? upper : ((this.sorted[middle - 1] ?? upper) + upper) / 2;
  }
}

function add(column: Float64Array, index: number, value: number): void {
  column[index] = (column[index] ?? 0) + value;
}

// HACO taken literally (seed 000, "方法详解" 1 and 2): rank by the optimistic utility U+, then take the shortest prefix whose
// conservative success reaches tau. Must not launch anything. Worked example: two candidates reach 90.4 % (see the test).
import type { RankedCandidate } from '../events.ts';

/** What the formulas need of one candidate. Bytes and bandwidth: bytes and bytes per ms. */
export interface LiteralCandidate {
  readonly id: string;
  readonly alpha: number;
  readonly beta: number;
  /** Internal failure rate, 0-1. */
  readonly fInt: number;
  /** Network loss rate, 0-1. */
  readonly lossNet: number;
  readonly procMs: number;
  readonly bytes: number;
  readonly bandwidth: number;
  readonly jitter: number;
}

/** The constants by their symbols. `t0Ms` null: the median of the pool's T. */
export interface LiteralParameters {
  readonly lambda: number;
  readonly gamma: number;
  readonly eta: number;
  readonly kappa: number;
  readonly epsB: number;
  readonly epsR: number;
  readonly rhoCap: number;
  readonly tau: number;
  readonly t0Ms: number | null;
}

export interface LiteralPlan {
  /** By U+, best first; ties keep input order. */
  readonly ranking: readonly RankedCandidate[];
  /** Shortest prefix with 1 - prod(1 - R-) >= tau, or the whole pool. */
  readonly hedgeSet: readonly string[];
  /** prod(1 - R-) over the hedge set; 1 for an empty pool. */
  readonly failureProbability: number;
  readonly targetReached: boolean;
}

/**
 * mu = a/(a+b); sigma = sqrt(ab / ((a+b)^2 (a+b+1))); rho = (1-fInt)(1-lossNet);
 * T = procMs + bytes / max(epsB, bandwidth - kappa*jitter); C = ln(1 + T/T0); D = 1 + eta*C;
 * U+ = min(1, mu + lambda*sigma) * rho / D; R- = min(rhoCap, max(epsR, mu - gamma*sigma) * rho).
 */
export function planLiteral(candidates: readonly LiteralCandidate[], parameters: LiteralParameters): LiteralPlan {
  const latencies = candidates.map((candidate) => latencyMs(candidate, parameters));
  const t0Ms = parameters.t0Ms ?? median(latencies);
  const ranking = candidates
    .map((candidate, index) => score(candidate, latencies[index] ?? 0, t0Ms, parameters))
    .sort((a, b) => b.utility - a.utility);
  let failureProbability = 1;
  let size = 0;
  for (const row of ranking) {
    if (1 - failureProbability >= parameters.tau) break;
    failureProbability *= 1 - row.lowerBound;
    size++;
  }
  return {
    ranking,
    hedgeSet: ranking.slice(0, size).map((row) => row.id),
    failureProbability,
    targetReached: 1 - failureProbability >= parameters.tau,
  };
}

function latencyMs(candidate: LiteralCandidate, { epsB, kappa }: LiteralParameters): number {
  return candidate.procMs + candidate.bytes / Math.max(epsB, candidate.bandwidth - kappa * candidate.jitter);
}

function score(
  candidate: LiteralCandidate,
  latency: number,
  t0Ms: number,
  parameters: LiteralParameters,
): RankedCandidate {
  const { alpha, beta } = candidate;
  const { lambda, gamma, eta, epsR, rhoCap } = parameters;
  const weight = alpha + beta;
  const mu = alpha / weight;
  const sigma = Math.sqrt((alpha * beta) / (weight * weight * (weight + 1)));
  const rho = (1 - candidate.fInt) * (1 - candidate.lossNet);
  const cost = t0Ms > 0 ? Math.log(1 + latency / t0Ms) : 0;
  const decay = 1 + eta * cost;
  return {
    id: candidate.id,
    mu,
    sigma,
    rho,
    latencyMs: latency,
    cost,
    decay,
    utility: (Math.min(1, mu + lambda * sigma) * rho) / decay,
    lowerBound: Math.min(rhoCap, Math.max(epsR, mu - gamma * sigma) * rho),
  };
}

/** Middle value, or the mean of the two middle values; 0 for none. */
function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

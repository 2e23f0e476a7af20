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
  /** The same as places in the input. */
  readonly order: readonly number[];
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
  const latencies = new Float64Array(candidates.length);
  candidates.forEach((candidate, index) => {
    latencies[index] = latencyMs(candidate, parameters);
  });
  const t0Ms = parameters.t0Ms ?? median(latencies);
  const rows = candidates.map((candidate, index) => score(candidate, latencies[index] ?? 0, t0Ms, parameters));
  const order = orderOf(rows);
  const ranking = order.flatMap((index) => rows[index] ?? []);
  return { ranking, order, ...shortestPrefix(ranking, parameters.tau) };
}

/** The shortest prefix of rows whose conservative success reaches tau, or all of them. */
export function shortestPrefix(
  rows: readonly RankedCandidate[],
  tau: number,
): Pick<LiteralPlan, 'hedgeSet' | 'failureProbability' | 'targetReached'> {
  const hedgeSet: string[] = [];
  let failureProbability = 1;
  for (const { id, lowerBound } of rows) {
    if (1 - failureProbability >= tau) break;
    failureProbability *= 1 - lowerBound;
    hedgeSet.push(id);
  }
  return { hedgeSet, failureProbability, targetReached: 1 - failureProbability >= tau };
}

/** Most rows that are put in order by insertion; beyond it the engine's sort is faster. */
const MOST_INSERTED = 128;

/** Places of the rows by utility, greatest first; of equals the earlier one first. */
function orderOf(rows: readonly RankedCandidate[]): readonly number[] {
  if (rows.length > MOST_INSERTED) {
    const utilityOf = (index: number): number => rows[index]?.utility ?? 0;
    return rows.map((_, index) => index).sort((a, b) => utilityOf(b) - utilityOf(a));
  }
  const order = new Array<number>(rows.length).fill(0);
  const utilities = new Float64Array(rows.length);
  rows.forEach(({ utility }, index) => {
    let place = index;
    for (; place > 0 && (utilities[place - 1] ?? 0) < utility; place--) {
      utilities[place] = utilities[place - 1] ?? 0;
      order[place] = order[place - 1] ?? 0;
    }
    utilities[place] = utility;
    order[place] = index;
  });
  return order;
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
  // As a product of shares: the squares of large counts would leave the range of numbers.
  const sigma = Math.sqrt((mu * (beta / weight)) / (weight + 1));
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
function median(values: Float64Array): number {
  const sorted = values.slice().sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

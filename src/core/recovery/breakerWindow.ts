// What a breaker counts, and when that is too much (HFR 4.7): rates with a Beta prior and exponential forgetting, so that a
// handful of calls an hour can trip it and one failure cannot. Each window of Belay counts for itself and only for itself;
// the sum over all of them is exact, in whatever order they meet. It changes no state: that is breaker.ts.
import type { AdvancedSettings } from '../settings.ts';

/** Thresholds and forgetting, `belay.advanced.breaker`. */
export type BreakerLimits = AdvancedSettings['breaker'];

/**
 * What one outcome says of its target. `weight` is in attempts (0: says nothing). `latencyMs`: until the first content, or
 * until it was given up; null: not known.
 */
export interface HealthOutcome {
  readonly kind: 'success' | 'failure' | 'rate-limited' | 'neutral';
  readonly weight: number;
  readonly latencyMs: number | null;
}

/** The counts of one window of Belay for one target; weights are as of `atMs`. */
export interface OutcomeWindow {
  /** Grows with every outcome: the newer of two copies is the one with the higher number. */
  readonly seq: number;
  /** Counted since then; older than the breaker's last closing: void. */
  readonly sinceMs: number;
  readonly atMs: number;
  readonly requests: number;
  readonly errors: number;
  readonly rateLimited: number;
  /** Weight by latency, see `latencyBucket`; sparse, as pairs of bucket and weight. */
  readonly latencies: readonly (readonly [bucket: number, weight: number])[];
  /** Times of the last failures since the last success of this window, oldest first, at most `MOST_TIMES`. */
  readonly failureTimesMs: readonly number[];
  readonly lastSuccessMs: number;
}

/** What is known of a target now. Rates are 0-1, posterior means; `p95Ms` is null with too little evidence. */
export interface BreakerFigures {
  readonly requests: number;
  readonly errorRate: number;
  readonly rateLimitedRate: number;
  readonly p95Ms: number | null;
  readonly consecutiveFailures: number;
}

/** Which of the four conditions of 4.7 holds. */
export type TripCondition = 'error-rate' | 'rate-limited' | 'slow' | 'consecutive-failures';

/** Failure times kept by a window; no larger K can be told. */
export const MOST_TIMES = 50;
const BUCKET_BASE_MS = 50;
const BUCKET_GROWTH = 1.25;
const MOST_BUCKETS = 48;
/** Weights below are noise of the arithmetic. */
const LEAST_WEIGHT = 1e-6;

/** A window that has seen nothing. */
export function newWindow(nowMs: number, seq = 0): OutcomeWindow {
  return {
    seq,
    sinceMs: nowMs,
    atMs: nowMs,
    requests: 0,
    errors: 0,
    rateLimited: 0,
    latencies: [],
    failureTimesMs: [],
    lastSuccessMs: 0,
  };
}

/** Share of a weight that is left after `passedMs`: 1/2 after a half-life. A clock that goes back forgets nothing. */
function keptShare(passedMs: number, halfLifeMs: number): number {
  return 2 ** (-Math.max(0, passedMs) / halfLifeMs);
}

/** Counts one outcome. */
export function addOutcome(
  window: OutcomeWindow,
  outcome: HealthOutcome,
  nowMs: number,
  halfLifeMs: number,
): OutcomeWindow {
  const { kind, weight, latencyMs } = outcome;
  if (kind === 'neutral' || weight <= 0) return window;
  const kept = keptShare(nowMs - window.atMs, halfLifeMs);
  const added = (is: HealthOutcome['kind']): number => (kind === is ? weight : 0);
  const isSuccess = kind === 'success';
  return {
    seq: window.seq + 1,
    sinceMs: window.sinceMs,
    atMs: Math.max(window.atMs, nowMs),
    requests: window.requests * kept + weight,
    errors: window.errors * kept + added('failure'),
    rateLimited: window.rateLimited * kept + added('rate-limited'),
    latencies: addLatency(window.latencies, kept, latencyMs, weight),
    failureTimesMs: isSuccess ? [] : timesWith(window.failureTimesMs, weight, nowMs),
    lastSuccessMs: isSuccess ? Math.max(window.lastSuccessMs, nowMs) : window.lastSuccessMs,
  };
}

/** A failure that may well be somebody else's (a share of one) is none in a row; it ends no row either. */
function timesWith(times: OutcomeWindow['failureTimesMs'], weight: number, nowMs: number): readonly number[] {
  return weight < 1 ? times : [...times, nowMs].slice(-MOST_TIMES);
}

function addLatency(
  before: OutcomeWindow['latencies'],
  kept: number,
  latencyMs: number | null,
  weight: number,
): OutcomeWindow['latencies'] {
  const aged = before.flatMap(([bucket, had]) => (had * kept > LEAST_WEIGHT ? [[bucket, had * kept] as const] : []));
  if (latencyMs === null) return aged;
  const own = latencyBucket(latencyMs);
  const rest = aged.filter(([bucket]) => bucket !== own);
  const had = aged.find(([bucket]) => bucket === own)?.[1] ?? 0;
  return [...rest, [own, had + weight]];
}

/** Bucket n holds latencies up to 50 * 1.25^n ms; the last one (about half an hour) all above. */
function latencyBucket(latencyMs: number): number {
  if (latencyMs <= BUCKET_BASE_MS) return 0;
  return Math.min(MOST_BUCKETS, Math.ceil(Math.log(latencyMs / BUCKET_BASE_MS) / Math.log(BUCKET_GROWTH)));
}

const bucketEndMs = (bucket: number): number => BUCKET_BASE_MS * BUCKET_GROWTH ** bucket;

/**
 * The figures over all windows that count (`sinceMs` at or after `closedAtMs`). Rates are (a + weight) / (n + requests) with
 * a, n of the prior. Worked: a = .2, n = 4, three failures in a row give 3.2 / 7 = .457, the fourth 4.2 / 8 = .525.
 */
export function figuresOf(
  windows: readonly OutcomeWindow[],
  closedAtMs: number,
  nowMs: number,
  limits: BreakerLimits,
): BreakerFigures {
  const valid = windows.filter((window) => window.sinceMs >= closedAtMs);
  let [requests, errors, rateLimited] = [0, 0, 0];
  const latencies = new Map<number, number>();
  for (const window of valid) {
    const kept = keptShare(nowMs - window.atMs, limits.halfLifeMs);
    requests += window.requests * kept;
    errors += window.errors * kept;
    rateLimited += window.rateLimited * kept;
    for (const [bucket, weight] of window.latencies)
      latencies.set(bucket, (latencies.get(bucket) ?? 0) + weight * kept);
  }
  const rate = (weight: number): number => (limits.priorFailures + weight) / (limits.priorRequests + requests);
  return {
    requests,
    errorRate: rate(errors),
    rateLimitedRate: rate(rateLimited),
    p95Ms: quantileMs(latencies, 0.95, limits.leastLatencySamples),
    consecutiveFailures: consecutive(valid),
  };
}

/** Failures of any window since the last success of any window. */
function consecutive(windows: readonly OutcomeWindow[]): number {
  const lastSuccessMs = Math.max(0, ...windows.map((window) => window.lastSuccessMs));
  return windows.reduce((sum, window) => sum + window.failureTimesMs.filter((atMs) => atMs >= lastSuccessMs).length, 0);
}

/** Linear inside its bucket; null below `leastWeight` samples. */
function quantileMs(latencies: ReadonlyMap<number, number>, quantile: number, leastWeight: number): number | null {
  const total = [...latencies.values()].reduce((sum, weight) => sum + weight, 0);
  if (total < leastWeight) return null;
  let below = 0;
  const target = total * quantile;
  for (const [bucket, weight] of [...latencies].sort(([a], [b]) => a - b)) {
    if (below + weight >= target) {
      const startMs = bucket === 0 ? 0 : bucketEndMs(bucket - 1);
      return startMs + (bucketEndMs(bucket) - startMs) * ((target - below) / weight);
    }
    below += weight;
  }
  return null;
}

/**
 * trip = errors/requests > theta_e or 429s/requests > theta_r or p95 > theta_l or consecutive failures >= K (HFR 4.7); null:
 * none holds. The first that holds is named, the most certain one before the estimates.
 */
export function tripCondition(figures: BreakerFigures, limits: BreakerLimits): TripCondition | null {
  if (figures.consecutiveFailures >= limits.consecutiveFailures) return 'consecutive-failures';
  if (figures.errorRate > limits.errorRateThreshold) return 'error-rate';
  if (figures.rateLimitedRate > limits.rateLimitThreshold) return 'rate-limited';
  if (figures.p95Ms !== null && figures.p95Ms > limits.p95LimitMs) return 'slow';
  return null;
}

// From profiles to a plan for one call: the order of the pool, what starts at once, and when the next one is started.
// literal: the whole hedge set at once. balanced (first version): the best one, a hedge on slowness, the next on failure.
import type { Candidate, CandidateId } from '../candidate.ts';
import type { Criticality } from '../context.ts';
import type { RankedCandidate } from '../events.ts';
import type { AdvancedSettings } from '../settings.ts';
import { planLiteral } from './literal.ts';
import { toLiteral, unknownProfile, type CandidateProfile } from './profile.ts';

/** How a call's attempts are to be started. */
export interface CallPlan {
  readonly mode: 'literal' | 'balanced';
  readonly ranking: readonly RankedCandidate[];
  readonly hedgeSet: readonly CandidateId[];
  readonly failureProbability: number;
  readonly targetReached: boolean;
  /** The pool in the order of use: ranked, candidates that are cooling down last. */
  readonly order: readonly Candidate[];
  /** How many of `order` start at once. */
  readonly startCount: number;
  /** May candidates beyond the hedge set be used when those fail. */
  readonly isChained: boolean;
  /** ms without a first token after which the next candidate is started, per candidate id; absent: never hedged. */
  readonly hedgeAfterMs: Readonly<Record<CandidateId, number>>;
  readonly maxConcurrent: number;
  /** One sentence for a person. */
  readonly why: string;
}

export interface PlanInput {
  readonly mode: 'literal' | 'balanced';
  readonly role: string;
  readonly criticality: Criticality;
  /** `listed`: the order of `candidates` is kept, whatever was learned. */
  readonly order: 'ranked' | 'listed';
  readonly candidates: readonly Candidate[];
  readonly profiles: Readonly<Record<CandidateId, CandidateProfile>>;
  readonly settings: AdvancedSettings;
  readonly nowMs: number;
}

/** Middle of the latencies known in the pool; the figure for candidates without any. */
const DEFAULT_LATENCY_MS = 1000;

/** Ranks and plans. Ties keep the order of the route, so the user's own preference decides where nothing is known. */
export function planCall(input: PlanInput): CallPlan {
  const { scheduler } = input.settings;
  const profileOf = (id: CandidateId): CandidateProfile => input.profiles[id] ?? unknownProfile;
  const known = input.candidates.map((candidate) => profileOf(candidate.id)).filter((profile) => profile.successes > 0);
  const fallbackMs = middle(known.map((profile) => profile.meanTotalMs)) ?? DEFAULT_LATENCY_MS;
  const tau = { low: scheduler.tauLow, medium: scheduler.tauMedium, high: scheduler.tauHigh }[input.criticality];
  const literal = planLiteral(
    input.candidates.map((candidate) =>
      toLiteral(candidate.id, profileOf(candidate.id), input.role, fallbackMs, input.mode),
    ),
    { ...scheduler, tau, t0Ms: null },
  );

  const byId = new Map(input.candidates.map((candidate) => [candidate.id, candidate]));
  const ranked = input.order === 'listed' ? input.candidates : literal.ranking.flatMap((row) => byId.get(row.id) ?? []);
  const isCooling = (candidate: Candidate): boolean => profileOf(candidate.id).coolUntilMs > input.nowMs;
  const order = [...ranked.filter((candidate) => !isCooling(candidate)), ...ranked.filter(isCooling)];
  const coolingCount = ranked.filter(isCooling).length;
  const isLiteral = input.mode === 'literal';
  return {
    mode: input.mode,
    ranking: literal.ranking,
    hedgeSet: literal.hedgeSet,
    failureProbability: literal.failureProbability,
    targetReached: literal.targetReached,
    order: isLiteral ? ranked : order,
    startCount: isLiteral ? literal.hedgeSet.length : Math.min(1, order.length),
    isChained: !isLiteral,
    hedgeAfterMs: isLiteral ? {} : hedgeDelays(order, profileOf, scheduler),
    maxConcurrent: isLiteral ? literal.hedgeSet.length : scheduler.maxConcurrentAttempts,
    why: explain(literal.ranking, literal.hedgeSet.length, tau, literal.targetReached, coolingCount),
  };
}

function hedgeDelays(
  order: readonly Candidate[],
  profileOf: (id: CandidateId) => CandidateProfile,
  scheduler: AdvancedSettings['scheduler'],
): Record<CandidateId, number> {
  return Object.fromEntries(
    order.map((candidate) => {
      const { successes, meanFirstTokenMs } = profileOf(candidate.id);
      // Fewer than three samples say nothing of the tail.
      const learned = successes >= 3 ? meanFirstTokenMs * scheduler.hedgeQuantileFactor : scheduler.hedgeAfterMs;
      return [candidate.id, Math.min(scheduler.hedgeAfterMs, Math.max(50, learned))];
    }),
  );
}

function middle(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? null;
}

function explain(
  ranking: readonly RankedCandidate[],
  setSize: number,
  tau: number,
  isReached: boolean,
  coolingCount: number,
): string {
  const best = ranking[0];
  if (!best) return 'No candidate may serve this call.';
  const percent = (value: number): string => `${(value * 100).toFixed(0)} %`;
  const cooling = coolingCount > 0 ? ` ${coolingCount} cooling down, used last.` : '';
  const target = isReached
    ? `the first ${setSize} of ${ranking.length} reach the target of ${percent(tau)}`
    : `all ${ranking.length} together stay below the target of ${percent(tau)}`;
  return `${best.id} leads with utility ${best.utility.toFixed(2)}; ${target}.${cooling}`;
}

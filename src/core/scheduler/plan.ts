// From profiles to the plan of one call in literal mode: the ranking of the pool and the hedge set that starts at once, as printed.
// Modes balanced and fast plan in balanced/planBalanced.ts.
import type { Candidate, CandidateId } from '../candidate.ts';
import type { Criticality } from '../context.ts';
import type { RankedCandidate } from '../events.ts';
import type { AdvancedSettings } from '../settings.ts';
import { planLiteral, shortestPrefix, type LiteralPlan } from './literal.ts';
import { toLiteral, unknownProfile, type CandidateProfile } from './profile.ts';

/** How a literal call's attempts are to be started. */
export interface LiteralCallPlan {
  readonly ranking: readonly RankedCandidate[];
  readonly hedgeSet: readonly CandidateId[];
  readonly failureProbability: number;
  readonly targetReached: boolean;
  /** The pool in the order of use. */
  readonly order: readonly Candidate[];
  /** How many of `order` start at once; nobody else is asked. */
  readonly startCount: number;
  /** One sentence for a person. */
  readonly why: string;
}

export interface PlanInput {
  readonly role: string;
  readonly criticality: Criticality;
  /** `listed`: the order of `candidates` is kept, whatever was learned. */
  readonly order: 'ranked' | 'listed';
  readonly candidates: readonly Candidate[];
  readonly profiles: Readonly<Record<CandidateId, CandidateProfile>>;
  readonly settings: AdvancedSettings;
  readonly nowMs: number;
  /** Asked for whoever would start beside the first, e.g. whether there is money for it. Absent: all may. */
  readonly mayAdd?: (candidate: Candidate, beside: readonly Candidate[]) => boolean;
}

/** Latency where none is known in the whole pool: the same for all of it, so that it changes no rank. */
const DEFAULT_LATENCY_MS = 1000;

/** Ranks and plans. Ties keep the order of the route, so the user's own preference decides where nothing is known. */
export function planLiteralCall(input: PlanInput): LiteralCallPlan {
  const { candidates, role, nowMs } = input;
  const { scheduler } = input.settings;
  const profiles = candidates.map(({ id }) => input.profiles[id] ?? unknownProfile);
  const terms = { fallbackMs: usualMs(profiles), epsB: scheduler.epsB };
  const tau = { low: scheduler.tauLow, medium: scheduler.tauMedium, high: scheduler.tauHigh }[input.criticality];
  const { lambda, gamma, eta, kappa, epsB, epsR, rhoCap, t0Ms } = scheduler;
  const rows = candidates.map(({ id }, index) => toLiteral(id, profiles[index] ?? unknownProfile, role, terms));
  const literal = planLiteral(rows, { lambda, gamma, eta, kappa, epsB, epsR, rhoCap, tau, t0Ms });
  const { ranking } = literal;
  const isListed = input.order === 'listed';
  const ranked = isListed ? candidates : literal.order.flatMap((index) => candidates[index] ?? []);
  // In an order of the user's own the set is the shortest prefix of that order: it is who starts.
  const { hedgeSet, failureProbability, targetReached } = isListed
    ? shortestPrefix(inInputOrder(literal), tau)
    : literal;
  let coolingCount = 0;
  for (const { coolUntilMs } of profiles) if (coolUntilMs > nowMs) coolingCount++;
  const why = explain(ranking, hedgeSet.length, tau, targetReached, coolingCount);
  const figures = { hedgeSet, failureProbability, targetReached };
  const set = ranked.slice(0, hedgeSet.length);
  const started = affordableOf(set, input.mayAdd);
  const startCount = started.length;
  if (startCount === set.length) return { ranking, ...figures, order: ranked, startCount, why };
  return {
    ranking,
    ...figuresOf(started, ranking, tau),
    order: [...started, ...ranked.filter((candidate) => !started.includes(candidate))],
    startCount,
    why: `${why} ${set.length - startCount} of them not started: no money is left for more.`,
  };
}

function inInputOrder({ ranking, order }: LiteralPlan): readonly RankedCandidate[] {
  const rows: RankedCandidate[] = [...ranking];
  ranking.forEach((row, place) => {
    rows[order[place] ?? place] = row;
  });
  return rows;
}

/** The set without those that may not be added; the first is always in. */
function affordableOf(
  set: readonly Candidate[],
  mayAdd: NonNullable<PlanInput['mayAdd']> = () => true,
): readonly Candidate[] {
  return set.reduce<readonly Candidate[]>(
    (before, candidate) => (before.length === 0 || mayAdd(candidate, before) ? [...before, candidate] : before),
    [],
  );
}

/** What is left of the promise: 1 - prod(1 - R-) over those that start. */
function figuresOf(
  started: readonly Candidate[],
  ranking: readonly RankedCandidate[],
  tau: number,
): Pick<LiteralCallPlan, 'hedgeSet' | 'failureProbability' | 'targetReached'> {
  const hedgeSet = started.map(({ id }) => id);
  const bounds = ranking.filter(({ id }) => hedgeSet.includes(id)).map(({ lowerBound }) => lowerBound);
  const failureProbability = bounds.reduce((product, bound) => product * (1 - bound), 1);
  return { hedgeSet, failureProbability, targetReached: 1 - failureProbability >= tau };
}

/** Middle of the latencies known in the pool; what a candidate without any is taken to have, where there is one. */
function usualMs(profiles: readonly CandidateProfile[]): number {
  if (profiles.every(({ successes }) => successes > 0)) return DEFAULT_LATENCY_MS;
  const known = profiles.filter(({ successes }) => successes > 0).map(({ meanTotalMs }) => meanTotalMs);
  return known.sort((a, b) => a - b)[known.length >> 1] ?? DEFAULT_LATENCY_MS;
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
  const cooling = coolingCount > 0 ? ` ${coolingCount} cooling down.` : '';
  const target = isReached
    ? `the first ${setSize} of ${ranking.length} reach the target of ${percent(tau)}`
    : `all ${ranking.length} together stay below the target of ${percent(tau)}`;
  return `${best.id} leads with utility ${best.utility.toFixed(2)}; ${target}.${cooling}`;
}

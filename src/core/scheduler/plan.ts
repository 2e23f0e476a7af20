// From profiles to the plan of one call in literal mode: the ranking of the pool and the hedge set that starts at once, as printed.
// Modes balanced and fast plan in balanced/planBalanced.ts.
import type { Candidate, CandidateId } from '../candidate.ts';
import type { Criticality } from '../context.ts';
import type { RankedCandidate } from '../events.ts';
import type { AdvancedSettings } from '../settings.ts';
import { planLiteral } from './literal.ts';
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

/** Middle of the latencies known in the pool; the figure for candidates without any. */
const DEFAULT_LATENCY_MS = 1000;

/** Ranks and plans. Ties keep the order of the route, so the user's own preference decides where nothing is known. */
export function planLiteralCall(input: PlanInput): LiteralCallPlan {
  const { scheduler } = input.settings;
  const profileOf = (id: CandidateId): CandidateProfile => input.profiles[id] ?? unknownProfile;
  const known = input.candidates.map((candidate) => profileOf(candidate.id)).filter((profile) => profile.successes > 0);
  const fallbackMs = middle(known.map((profile) => profile.meanTotalMs)) ?? DEFAULT_LATENCY_MS;
  const tau = { low: scheduler.tauLow, medium: scheduler.tauMedium, high: scheduler.tauHigh }[input.criticality];
  const literal = planLiteral(
    input.candidates.map((candidate) => toLiteral(candidate.id, profileOf(candidate.id), input.role, fallbackMs)),
    { ...scheduler, tau, t0Ms: null },
  );
  const byId = new Map(input.candidates.map((candidate) => [candidate.id, candidate]));
  const ranked = input.order === 'listed' ? input.candidates : literal.ranking.flatMap((row) => byId.get(row.id) ?? []);
  const coolingCount = ranked.filter(({ id }) => profileOf(id).coolUntilMs > input.nowMs).length;
  const set = ranked.slice(0, literal.hedgeSet.length);
  const started = affordableOf(set, input.mayAdd);
  const reduced = started.length < set.length ? figuresOf(started, literal.ranking, tau) : null;
  const why = explain(literal.ranking, literal.hedgeSet.length, tau, literal.targetReached, coolingCount);
  return {
    ranking: literal.ranking,
    hedgeSet: literal.hedgeSet,
    failureProbability: literal.failureProbability,
    targetReached: literal.targetReached,
    ...reduced,
    order: [...started, ...ranked.filter((candidate) => !started.includes(candidate))],
    startCount: started.length,
    why: reduced ? `${why} ${set.length - started.length} of them not started: no money is left for more.` : why,
  };
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
  const cooling = coolingCount > 0 ? ` ${coolingCount} cooling down.` : '';
  const target = isReached
    ? `the first ${setSize} of ${ranking.length} reach the target of ${percent(tau)}`
    : `all ${ranking.length} together stay below the target of ${percent(tau)}`;
  return `${best.id} leads with utility ${best.utility.toFixed(2)}; ${target}.${cooling}`;
}

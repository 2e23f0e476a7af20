// A plan in words and figures, on demand: the parts of every score, why these start, when each would be late, what a hedge would
// cost. Reads a plan and decides nothing. Source: issue, "Every plan explains itself on demand"; study 6.2 (thresholds, shown).
import type { CandidateId } from '../../candidate.ts';
import type { RankedRow } from './fallbackIndex.ts';
import { pickHedge, type HedgeTimers } from './hedge.ts';
import type { BalancedPlan } from './planBalanced.ts';
import { degreeReasons } from '../redundancy/degree.ts';
import { attemptPrice, type AttemptPrice } from './pricing.ts';

export interface PlanExplanation {
  readonly ranking: readonly RankedRow[];
  readonly start: readonly CandidateId[];
  readonly promisedSuccess: number;
  readonly jointFailure: number;
  readonly independentFailure: number;
  /** Of each that starts. */
  readonly timers: Readonly<Record<CandidateId, HedgeTimers>>;
  /** Who a first hedge would go to, and its price before launch where it is known in money. */
  readonly firstHedge: { readonly id: CandidateId; readonly price: AttemptPrice | null } | null;
  /** Sentences for a person. */
  readonly why: readonly string[];
}

/** Explains a plan. Costs far more than the plan; for the panel, the log and `belay plan`. */
export function explainPlan(plan: BalancedPlan): PlanExplanation {
  const ranking = plan.ranking();
  const { view, scores, call, start } = plan;
  const hedge = pickHedge({ view, scores, call, mayTry: (position) => !start.includes(position) });
  const hedgeId = hedge === null ? undefined : view.pool.members[hedge]?.facts.id;
  return {
    ranking,
    start: plan.startIds,
    promisedSuccess: plan.promisedSuccess,
    jointFailure: plan.jointFailure,
    independentFailure: plan.independentFailure,
    timers: Object.fromEntries(
      start.map((position) => [view.pool.members[position]?.facts.id ?? '', plan.timers(position)]),
    ),
    firstHedge:
      hedge === null || hedgeId === undefined ? null : { id: hedgeId, price: attemptPrice(view.pool, hedge, call) },
    why: reasons(plan, ranking, hedgeId),
  };
}

function reasons(plan: BalancedPlan, ranking: readonly RankedRow[], hedgeId: CandidateId | undefined): string[] {
  const [best, second] = ranking;
  if (!best) return ['No candidate may serve this call.'];
  const { startThreshold } = plan.view.pool.constants;
  const said = [`${best.id} leads with ${points(best.index)}: ${partsOf(best)}.`];
  if (second) said.push(leadOver(best, second));
  said.push(
    `${named(plan.startIds)} ${plan.start.length === 1 ? 'starts' : 'start'} at once and ${plan.start.length === 1 ? 'promises' : 'together promise'} ` +
      `${percent(plan.promisedSuccess)} success; wanted are ${percent(startThreshold)}${plan.isReached ? '' : ', which is not reached'}.`,
  );
  if (plan.heldBackBy !== null) said.push(`No more are started for that: ${degreeReasons[plan.heldBackBy]}.`);
  if (plan.start.length > 1) {
    said.push(
      `If failures were independent it would be ${percent(1 - plan.independentFailure)}: what they share costs the difference.`,
    );
    if (best.availability < startThreshold)
      said.push(
        `The threshold is above the availability of the best (${percent(best.availability)}): that takes more than one call.`,
      );
  }
  const timers = plan.timers(best.position);
  said.push(
    `${best.id} is late without a first token after ${seconds(timers.firstTokenMs)} or without an end after ${seconds(timers.totalMs)}` +
      (hedgeId === undefined ? '; nobody is left to hedge with.' : `; then ${hedgeId} is tried beside it.`),
  );
  return said;
}

/** Which term puts the best before the second. */
function leadOver(best: RankedRow, second: RankedRow): string {
  const leads: readonly (readonly [string, number])[] = [
    ['quality', best.quality - second.quality],
    ['speed', second.latency - best.latency],
    ['price', second.money - best.money],
    ['reliability', second.failure - best.failure],
    ['its warm cache', best.affinity - second.affinity],
  ];
  const [name, gain] = leads.reduce((most, lead) => (lead[1] > most[1] ? lead : most));
  return gain > 0
    ? `${name} puts it ${points(gain)} before ${second.id}; in all it leads by ${points(best.index - second.index)}.`
    : `${second.id} is as good; the order of the route decides.`;
}

function partsOf(row: RankedRow): string {
  const parts = [
    `quality ${points(row.quality)}`,
    `less ${points(row.latency)} for ${seconds(row.totalMs)} of waiting`,
    `${points(row.money)} for its price`,
    `${points(row.failure)} for failing ${percent(1 - row.availability)} of the time`,
  ];
  if (row.affinity > 0) parts.push(`plus ${points(row.affinity)} for its warm cache`);
  return parts.join(', ');
}

const points = (value: number): string => value.toFixed(3);
const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const named = (ids: readonly string[]): string => ids.join(' and ');

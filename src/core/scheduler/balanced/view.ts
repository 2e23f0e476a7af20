// The pool as it is believed to be at one moment: every figure relaxed once and kept in columns, by position. A plan, its timers and
// its hedges read from here; a fresh view is made after something was learned. Must not change the state.
import type { Role } from '../../chat.ts';
import { isCooling, mix, relaxedSource } from './beliefs.ts';
import { believedFast } from './latency.ts';
import { bounded, decay, elapsedMs } from './numbers.ts';
import type { CandidatePool, PoolMember } from './pool.ts';
import { momentOf } from './settle.ts';
import type { BetaBelief, CandidateBelief, SchedulerState } from './types.ts';

/** Columns by position in the pool, and one by source. Times are ln(ms) where so named. */
export interface PoolView {
  readonly pool: CandidatePool;
  readonly nowMs: number;
  readonly role: Role;
  /** p_d by source. */
  readonly down: number[];
  /** f_i, raised for a candidate that asked to be left alone. */
  readonly baseFail: number[];
  /** a_i. */
  readonly availability: number[];
  /** Π(1 − p_d): that no source is down. */
  readonly up: number[];
  readonly mu: number[];
  readonly sigma: number[];
  /** m + x': where ln(total) is now. */
  readonly lnTotalMs: number[];
  readonly totalSd: number[];
  /** tm + x'. */
  readonly lnFirstTokenMs: number[];
  readonly firstTokenSd: number[];
  /** x, not bounded from below. */
  readonly fast: number[];
}

/** A column of fractions from the start, so that it is stored as plain doubles. */
function column(size: number): number[] {
  return new Array<number>(size).fill(0.5);
}

/** What `state` says of the pool for one role at `nowMs`. About 10 µs for 64 candidates. */
export function viewOf(state: SchedulerState, pool: CandidatePool, role: Role, nowMs: number): PoolView {
  const size = pool.members.length;
  const view: PoolView = {
    pool,
    nowMs: momentOf(state, nowMs),
    role,
    down: column(pool.sources.length),
    baseFail: column(size),
    availability: column(size),
    up: column(size),
    mu: column(size),
    sigma: column(size),
    lnTotalMs: column(size),
    totalSd: column(size),
    lnFirstTokenMs: column(size),
    firstTokenSd: column(size),
    fast: column(size),
  };
  fillSources(view, state);
  pool.members.forEach((member, position) => fillMember(view, state, member, position));
  return view;
}

function fillSources({ pool, down, nowMs }: PoolView, { sources }: SchedulerState): void {
  for (let index = 0; index < down.length; index++) {
    const name = pool.sources[index];
    if (name === undefined) continue;
    // A source's name has a colon, so it is no name that every object has.
    down[index] = relaxedSource(sources[name], pool.sourcePriors[index] ?? 0, nowMs, pool.constants);
  }
}

/** The same figures as `relaxedBelief`, without making one. */
function fillMember(view: PoolView, state: SchedulerState, member: PoolMember, position: number): void {
  const { constants } = view.pool;
  const belief = beliefOf(state, member.facts.id);
  const { totalPrior, firstTokenPrior, qualityPrior } = member;
  let baseFail = constants.f0;
  let { alpha, beta } = qualityPrior;
  let { m, s2 } = totalPrior;
  let { m: firstM, s2: firstS2 } = firstTokenPrior;
  let fast = 0;
  if (belief) {
    const elapsed = elapsedMs(belief.atMs, view.nowMs);
    const kept = decay(elapsed, constants.longHalfLifeMs);
    const counts = countsOf(belief, view.role);
    baseFail = mix(belief.baseFail, baseFail, kept);
    m = mix(belief.total.m, m, kept);
    s2 = mix(belief.total.s2, s2, kept);
    firstM = mix(belief.firstToken.m, firstM, kept);
    firstS2 = mix(belief.firstToken.s2, firstS2, kept);
    if (counts) {
      alpha = mix(counts.alpha, alpha, kept);
      beta = mix(counts.beta, beta, kept);
    }
    fast = belief.fast * decay(elapsed, constants.fastHalfLifeMs);
    // As if its own source were known to be down.
    if (belief.cooling && isCooling(belief, view.nowMs)) baseFail = 1 - (1 - baseFail) * (1 - constants.delta);
  }
  fillAvailability(view, member, position, baseFail);
  const mass = alpha + beta;
  const mu = bounded(alpha / mass, 0, 1, 0);
  const present = believedFast(fast, constants);
  view.mu[position] = mu;
  view.sigma[position] = Math.sqrt((mu * (1 - mu)) / (mass + 1));
  view.lnTotalMs[position] = m + present;
  view.totalSd[position] = Math.sqrt(s2);
  view.lnFirstTokenMs[position] = firstM + present;
  view.firstTokenSd[position] = Math.sqrt(firstS2);
  view.fast[position] = fast;
}

/** The own belief of a candidate, however it is called: what every object has (`constructor`) has no time. */
function beliefOf({ candidates }: SchedulerState, id: string): CandidateBelief | undefined {
  const belief = candidates[id];
  return typeof belief?.atMs === 'number' ? belief : undefined;
}

function countsOf({ quality }: CandidateBelief, role: Role): BetaBelief | undefined {
  const counts = quality[role];
  return typeof counts?.alpha === 'number' ? counts : undefined;
}

function fillAvailability(view: PoolView, member: PoolMember, position: number, baseFail: number): void {
  const { delta } = view.pool.constants;
  let available = 1 - baseFail;
  let up = 1;
  for (const source of member.sources) {
    const p = view.down[source] ?? 0;
    available *= 1 - delta * p;
    up *= 1 - p;
  }
  view.baseFail[position] = baseFail;
  view.availability[position] = available;
  view.up[position] = up;
}

/** T_i = 1.15·exp(m + x' + s²/2), in ms, not capped. */
export function expectedTotalMs(view: PoolView, position: number): number {
  const s = view.totalSd[position] ?? 0;
  return view.pool.constants.meanFactor * Math.exp((view.lnTotalMs[position] ?? 0) + (s * s) / 2);
}

/** det_i = .5·min(20 s, exp(tm + x' + 2.33·ts)) + .5 s, in ms: how long a failure goes unseen. */
export function detectionMs(view: PoolView, position: number): number {
  const { detectShare, detectCapMs, detectAddMs } = view.pool.constants;
  return detectShare * Math.min(detectCapMs, firstTokenBoundMs(view, position)) + detectAddMs;
}

/** exp(tm + x' + 2.33·ts), in ms, not bounded. */
export function firstTokenBoundMs(view: PoolView, position: number): number {
  const { firstTokenSd } = view.pool.constants;
  return Math.exp((view.lnFirstTokenMs[position] ?? 0) + firstTokenSd * (view.firstTokenSd[position] ?? 0));
}

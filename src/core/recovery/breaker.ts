// The circuit breaker of one target as a pure state machine (HFR 4.7), shared between windows by a merge that commutes.
//
//   closed --one of four conditions--> open until a deadline --time--> half-open --probe succeeds--> closed
//                                        ^------------- probe fails: longer cooldown -------------------'
//
// Nothing is stored but facts that only grow: the opening with the latest deadline, up to which deadline openings are over,
// what the upstream asked for, and each window's own counts. So two copies of a breaker always merge into one, whatever came
// first, and the later deadline wins. Ignored on purpose: outcomes of attempts that began before an opening (only counted
// probes close it), and a probe of an opening that another window has replaced meanwhile.
import * as z from 'zod';
import {
  addOutcome,
  figuresOf,
  newWindow,
  tripCondition,
  type BreakerFigures,
  type BreakerLimits,
  type HealthOutcome,
  type OutcomeWindow,
  type TripCondition,
} from './breakerWindow.ts';

/** One opening. */
export interface Trip {
  /** Closed to all traffic before this time; probed from then on. */
  readonly untilMs: number;
  readonly openedAtMs: number;
  /** Openings in a row, this one included: failed probes and relapses. */
  readonly strikes: number;
  readonly why: TripCondition | 'probe-failed';
  /** What tripped it. */
  readonly figures: BreakerFigures;
}

export interface BreakerState {
  readonly version: 1;
  /** The opening with the latest deadline so far; over once `closedThroughMs` has reached that. */
  readonly trip: Trip | null;
  readonly closedThroughMs: number;
  /** Time of the last closing: what was counted before it is void. 0: never. */
  readonly closedAtMs: number;
  /** The upstream asked (at `atMs`) not to be called before `untilMs`: Retry-After, a quota's reset. */
  readonly asked: { readonly untilMs: number; readonly atMs: number };
  /** Counts by window of Belay. */
  readonly windows: Readonly<Record<string, OutcomeWindow>>;
}

/** How a target stands now. `untilMs` is the deadline of the opening, also when it has passed; Infinity: until told otherwise. */
export type BreakerView =
  | { readonly status: 'closed'; readonly isForced: boolean }
  | { readonly status: 'open' | 'half-open'; readonly untilMs: number; readonly isForced: boolean };

/** A person's word, `belay.advanced.breaker.forced`. */
export type Forced = 'open' | 'closed';

export interface BreakerMessage {
  readonly outcome: HealthOutcome;
  /** Time before which the upstream does not want to be called; 0: it did not say. */
  readonly notBeforeMs: number;
  /** Set for a counted half-open probe: the deadline of the opening it was to test. */
  readonly probeOfMs: number | null;
}

/** Who and when: `window` names this window of Belay; `draw` is in [0, 1). */
export interface BreakerMoment {
  readonly window: string;
  readonly nowMs: number;
  readonly draw: number;
}

/** Never used. */
export const newBreaker: BreakerState = {
  version: 1,
  trip: null,
  closedThroughMs: 0,
  closedAtMs: 0,
  asked: { untilMs: 0, atMs: 0 },
  windows: {},
};

/** Counts of other windows that were silent for longer are forgotten: at the usual half-life a millionth is left of them. */
const FORGET_MS = 2 * 3_600_000;
/** Of so many windows the counts are saved, the newest. */
const MOST_WINDOWS = 32;
/** A time that is further ahead was written by a clock that was wrong; less may be the difference of two machines. */
const MOST_SKEW_MS = 60_000;

/** How the target stands at `nowMs`. Total; a person's word goes before everything. */
export function viewBreaker(state: BreakerState, nowMs: number, forced: Forced | null = null): BreakerView {
  if (forced === 'open') return { status: 'open', untilMs: Infinity, isForced: true };
  if (forced === 'closed') return { status: 'closed', isForced: true };
  const untilMs = deadlineOf(state);
  if (untilMs === null) return { status: 'closed', isForced: false };
  return { status: nowMs < untilMs ? 'open' : 'half-open', untilMs, isForced: false };
}

/** The deadline of an opening that is not over: its own or what the upstream asked for, the later one. Null: closed. */
function deadlineOf({ trip, closedThroughMs, asked, windows }: BreakerState): number | null {
  if (!trip || trip.untilMs <= closedThroughMs) return null;
  // An answer after the request to wait has settled that.
  const isAnswered = Object.values(windows).some((window) => window.lastSuccessMs > asked.atMs);
  return isAnswered ? trip.untilMs : Math.max(trip.untilMs, asked.untilMs);
}

/**
 * What `window` may believe at `nowMs` of a state that others have saved too. A clock that was wrong, here or elsewhere, must
 * neither close off a target for hours nor make everybody deaf to its failures.
 */
export function soberBreaker(
  state: BreakerState,
  limits: BreakerLimits,
  { window, nowMs }: Pick<BreakerMoment, 'window' | 'nowMs'>,
): BreakerState {
  const latestMs = nowMs + MOST_SKEW_MS;
  const { trip, asked } = state;
  const isBelieved = ({ sinceMs, atMs, lastSuccessMs }: OutcomeWindow): boolean =>
    Math.max(sinceMs, atMs, lastSuccessMs) <= latestMs && atMs >= nowMs - FORGET_MS;
  const windows = Object.entries(state.windows).filter(([name, each]) => name === window || isBelieved(each));
  const believed = (timeMs: number): number => (timeMs <= latestMs ? timeMs : 0);
  const isTripTrue = trip !== null && trip.openedAtMs <= latestMs;
  return {
    version: 1,
    trip: isTripTrue ? { ...trip, untilMs: Math.min(trip.untilMs, trip.openedAtMs + limits.maxCooldownMs) } : null,
    closedThroughMs: believed(state.closedThroughMs),
    closedAtMs: believed(state.closedAtMs),
    asked: asked.atMs <= latestMs ? boundedAsk(asked, limits) : newBreaker.asked,
    windows: Object.fromEntries(windows),
  };
}

/** A provider that asks for days is asked again after the longest wait that is kept: it may be a mistake. */
function boundedAsk({ untilMs, atMs }: BreakerState['asked'], limits: BreakerLimits): BreakerState['asked'] {
  return { untilMs: Math.min(untilMs, atMs + limits.maxAskedMs), atMs };
}

/**
 * Cooldown of the n-th opening in a row, in ms: min(max / (1 + jitter), base * factor^(n-1)) * (1 + jitter * (2 * draw - 1)), so
 * that the longest ones are spread too and none is longer than max. Worked: base 30,000, factor 2, n = 2, jitter .2, draw .5 ->
 * 60,000; n = 20 -> 400,000 to 600,000 of a max of 600,000 (HFR 4.7).
 */
export function cooldownMs(strikes: number, draw: number, limits: BreakerLimits): number {
  const grown = limits.cooldownMs * limits.cooldownFactor ** Math.max(0, strikes - 1);
  const middle = Math.min(limits.maxCooldownMs / (1 + limits.cooldownJitter), grown);
  return middle * (1 + limits.cooldownJitter * (2 * draw - 1));
}

/** The only way a breaker changes, but for merging. */
export function stepBreaker(
  state: BreakerState,
  message: BreakerMessage,
  limits: BreakerLimits,
  moment: BreakerMoment,
): BreakerState {
  const { outcome, notBeforeMs, probeOfMs } = message;
  const { nowMs } = moment;
  const asked = laterAsked(state.asked, boundedAsk({ untilMs: notBeforeMs, atMs: nowMs }, limits));
  const heard = notBeforeMs > nowMs ? { ...state, asked } : state;
  const untilMs = deadlineOf(state);
  if (untilMs === null) {
    const next = counted(heard, outcome, limits, moment);
    // A good answer in time makes no rate and no quantile worse.
    const isGood = outcome.kind === 'success' && (outcome.latencyMs ?? 0) <= limits.p95LimitMs;
    return isGood ? next : tripIfNeeded(next, limits, moment);
  }
  if (probeOfMs !== untilMs || nowMs < untilMs) return counted(heard, outcome, limits, moment);
  return afterProbe(heard, outcome, untilMs, limits, moment);
}

function afterProbe(
  state: BreakerState,
  outcome: HealthOutcome,
  untilMs: number,
  limits: BreakerLimits,
  moment: BreakerMoment,
): BreakerState {
  if (outcome.kind === 'neutral') return state;
  const isSlow = outcome.latencyMs !== null && outcome.latencyMs > limits.p95LimitMs;
  if (outcome.kind === 'success' && !isSlow) {
    const closedThroughMs = Math.max(state.closedThroughMs, untilMs);
    return counted({ ...state, closedThroughMs, closedAtMs: moment.nowMs }, outcome, limits, moment);
  }
  const strikes = (state.trip?.strikes ?? 0) + 1;
  return opened(counted(state, outcome, limits, moment), 'probe-failed', strikes, limits, moment);
}

function tripIfNeeded(state: BreakerState, limits: BreakerLimits, moment: BreakerMoment): BreakerState {
  const why = tripCondition(breakerFigures(state, moment.nowMs, limits), limits);
  if (why === null) return state;
  // Open again before what was counted could be forgotten: the cooldown grows on.
  const isRelapse = moment.nowMs - state.closedAtMs <= limits.halfLifeMs;
  return opened(state, why, state.trip && isRelapse ? state.trip.strikes + 1 : 1, limits, moment);
}

function opened(
  state: BreakerState,
  why: Trip['why'],
  strikes: number,
  limits: BreakerLimits,
  { nowMs, draw }: BreakerMoment,
): BreakerState {
  const figures = breakerFigures(state, nowMs, limits);
  // Beyond every deadline that was ever closed, so that this opening stands.
  const untilMs = Math.max(nowMs + cooldownMs(strikes, draw, limits), state.closedThroughMs + 1);
  return { ...state, trip: laterTrip(state.trip, { untilMs, openedAtMs: nowMs, strikes, why, figures }) };
}

function counted(
  state: BreakerState,
  outcome: HealthOutcome,
  limits: BreakerLimits,
  { window, nowMs }: BreakerMoment,
): BreakerState {
  const own = state.windows[window];
  const base = own && own.sinceMs >= state.closedAtMs ? own : newWindow(nowMs, own?.seq ?? 0);
  const next = addOutcome(base, outcome, nowMs, limits.halfLifeMs);
  return next === base ? state : { ...state, windows: { ...state.windows, [window]: next } };
}

/** What is known of the target now. */
export function breakerFigures(state: BreakerState, nowMs: number, limits: BreakerLimits): BreakerFigures {
  return figuresOf(Object.values(state.windows), state.closedAtMs, nowMs, limits);
}

/**
 * One breaker out of two copies. Commutative, associative and idempotent: of everything the later or larger is kept, and of
 * each window its newest counts.
 */
export function mergeBreakers(a: BreakerState, b: BreakerState): BreakerState {
  const names = [...new Set([...Object.keys(a.windows), ...Object.keys(b.windows)])].sort();
  const windows = names.flatMap((name): readonly (readonly [string, OutcomeWindow])[] => {
    const newest = newerWindow(a.windows[name], b.windows[name]);
    return newest ? [[name, newest]] : [];
  });
  // Of the same time those stay whose names come first, in both orders of merging: sorting keeps the order of equals.
  const newest = [...windows].sort(([, a], [, b]) => b.atMs - a.atMs);
  const kept = new Set(newest.slice(0, MOST_WINDOWS).map(([name]) => name));
  return {
    version: 1,
    trip: a.trip && b.trip ? laterTrip(a.trip, b.trip) : (a.trip ?? b.trip),
    closedThroughMs: Math.max(a.closedThroughMs, b.closedThroughMs),
    closedAtMs: Math.max(a.closedAtMs, b.closedAtMs),
    asked: laterAsked(a.asked, b.asked),
    windows: Object.fromEntries(windows.filter(([name]) => kept.has(name))),
  };
}

/** The greater of two by a list of keys; whole texts decide between those that are equal in all of them. */
function greater<T>(a: T, b: T, keys: (value: T) => readonly number[]): T {
  const [ofA, ofB] = [keys(a), keys(b)];
  const place = ofA.findIndex((key, index) => key !== ofB[index]);
  if (place >= 0) return (ofA[place] ?? 0) > (ofB[place] ?? 0) ? a : b;
  return JSON.stringify(a) >= JSON.stringify(b) ? a : b;
}

const laterTrip = (a: Trip | null, b: Trip): Trip =>
  a ? greater(a, b, (trip) => [trip.untilMs, trip.strikes, trip.openedAtMs]) : b;

const laterAsked = (a: BreakerState['asked'], b: BreakerState['asked']): BreakerState['asked'] =>
  greater(a, b, (asked) => [asked.untilMs, asked.atMs]);

function newerWindow(a: OutcomeWindow | undefined, b: OutcomeWindow | undefined): OutcomeWindow | undefined {
  return a && b ? greater(a, b, (window) => [window.seq, window.atMs]) : (a ?? b);
}

const amount = z.number().min(0);
const figuresSchema = z.object({
  requests: amount,
  errorRate: amount,
  rateLimitedRate: amount,
  p95Ms: amount.nullable(),
  consecutiveFailures: amount,
});
const stateSchema = z.object({
  version: z.literal(1),
  trip: z
    .object({
      untilMs: amount,
      openedAtMs: amount,
      strikes: z.int().min(1),
      why: z.enum(['error-rate', 'rate-limited', 'slow', 'consecutive-failures', 'probe-failed']),
      figures: figuresSchema,
    })
    .nullable(),
  closedThroughMs: amount,
  closedAtMs: amount,
  asked: z.object({ untilMs: amount, atMs: amount }),
  windows: z.record(
    z.string(),
    z.object({
      seq: z.int().min(0),
      sinceMs: amount,
      atMs: amount,
      requests: amount,
      errors: amount,
      rateLimited: amount,
      latencies: z.array(z.tuple([z.int().min(0), amount])),
      failureTimesMs: z.array(amount),
      lastSuccessMs: amount,
    }),
  ),
});

/** A breaker out of its saved text; null when this version cannot read it. */
export function readBreaker(text: string): BreakerState | null {
  try {
    const parsed = stateSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    // Not JSON: as good as not there.
    return null;
  }
}

/** Merges a text into a saved one (null: there is none). What cannot be read gives way to what can. */
export function mergeBreakerTexts(saved: string | null, text: string): string {
  const [old, own] = [saved === null ? null : readBreaker(saved), readBreaker(text)];
  if (!own) return saved ?? text;
  return JSON.stringify(old ? mergeBreakers(old, own) : own);
}

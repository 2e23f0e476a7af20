// How much at the same time an upstream takes, learned from what it does: additive growth, multiplicative decrease, and a slow
// start after a breaker has opened, so that not everybody comes back at once when it closes. A fixed number of places either
// binds a healthy upstream or does nothing for one that is going under; this only binds after an overload was seen.
// Pure; the bulkhead (bulkhead.ts) asks how many places there are. Not in HFR 4.7, which fixes the number.
import type { AdvancedSettings } from '../settings.ts';

/** What is known of one pool after an overload. A pool without it has all its places. */
export interface AdaptedPlaces {
  /** May have a fraction, which is growth that is not a whole place yet. At least `leastPlaces`. */
  readonly places: number;
  /** Up to here each answer adds a place; beyond it a whole round of answers does. */
  readonly fastUntil: number;
  /** Overloads of attempts that began earlier are of the load before the last decrease. */
  readonly loweredAtMs: number;
  readonly overloadedAtMs: number;
}

/** `served`: an answer. `overloaded`: 429, overload, silence. `closed-off`: its breaker has opened. */
export type LoadSignal = 'served' | 'overloaded' | 'closed-off';

export interface LoadFacts {
  /** Places taken, the one of the attempt itself included. */
  readonly inUse: number;
  /** Places without any overload. */
  readonly most: number;
  /** When the attempt that says so began. */
  readonly startedAtMs: number;
  readonly nowMs: number;
}

type Limits = Pick<AdvancedSettings['bulkhead'], 'leastPlaces' | 'lowerFactor' | 'forgetOverloadMs'>;

/** The only way it changes; null: all places again. */
export function adaptPlaces(
  state: AdaptedPlaces | null,
  signal: LoadSignal,
  facts: LoadFacts,
  limits: Limits,
): AdaptedPlaces | null {
  const known = isForgotten(state, facts.nowMs, limits) ? null : state;
  if (signal === 'served') return known && grown(known, facts);
  if (signal === 'overloaded' && known && facts.startedAtMs < known.loweredAtMs)
    return { ...known, overloadedAtMs: facts.nowMs };
  // What was in use was too much, whatever would have been allowed.
  const before = Math.min(known?.places ?? facts.most, Math.max(1, facts.inUse));
  const lowered = Math.min(facts.most, Math.max(limits.leastPlaces, Math.floor(before * limits.lowerFactor)));
  const isClosed = signal === 'closed-off';
  return {
    places: isClosed ? Math.min(facts.most, limits.leastPlaces) : lowered,
    fastUntil: isClosed ? Math.max(known?.fastUntil ?? 0, lowered) : lowered,
    loweredAtMs: facts.nowMs,
    overloadedAtMs: facts.nowMs,
  };
}

/** Places that there are now, a whole number of 1 to `most`. */
export function placesNow(state: AdaptedPlaces | undefined, most: number, nowMs: number, limits: Limits): number {
  return !state || isForgotten(state, nowMs, limits) ? most : Math.max(1, Math.min(most, Math.floor(state.places)));
}

/** Only places that are used show that more would do. */
function grown(state: AdaptedPlaces, { inUse, most }: LoadFacts): AdaptedPlaces | null {
  if (inUse < Math.floor(state.places) / 2) return state;
  const places = state.places + (state.places < state.fastUntil ? 1 : 1 / state.places);
  return places >= most ? null : { ...state, places };
}

/** Also when the clock was set back behind what is known. */
function isForgotten(state: AdaptedPlaces | null, nowMs: number, { forgetOverloadMs }: Limits): boolean {
  return state !== null && Math.abs(nowMs - state.overloadedAtMs) > forgetOverloadMs;
}

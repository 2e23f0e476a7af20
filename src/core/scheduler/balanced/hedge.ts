// When a running attempt is late, and who is started then; who is next when one has failed. It never starts anything, and it knows
// nothing of effects: only reads may be hedged (DESIGN). Source: scheduler-study 6.2, hedge timers, hedge pick, on failure.
import type { SchedulerConstants } from './constants.ts';
import { loadedTotalMs } from './fallbackIndex.ts';
import { valueOf } from './numbers.ts';
import type { CallFacts } from './pricing.ts';
import type { SchedulerState, TraceOutcome } from './types.ts';
import { firstTokenBoundMs, type PoolView } from './view.ts';

/** When an attempt of a candidate is late. All ms from its launch, except where said. */
export interface HedgeTimers {
  /** No first token by then: exp(tm + x' + 2.33·ts), .3 to 20 s. */
  readonly firstTokenMs: number;
  /** Not done by then: exp(m + x' + 2.045·s), at most 30 s. */
  readonly totalMs: number;
  /** From the first token: its speed is looked at then. */
  readonly decodeAfterMs: number;
  /** ms per output token above which decoding is slow; null: its own norm is not known yet. */
  readonly slowMsPerToken: number | null;
}

/** Timers of one candidate. `state`: for its decode norm. */
export function hedgeTimers(view: PoolView, position: number, state: SchedulerState): HedgeTimers {
  const { constants, members } = view.pool;
  const { firstTokenMinMs, firstTokenMaxMs, totalSd, totalMaxMs, decodeAfterMs, decodeFactor, decodeLeast } = constants;
  const center = view.lnTotalMs[position] ?? 0;
  const norm = valueOf(state.candidates, members[position]?.facts.id ?? '')?.decode;
  return {
    firstTokenMs: Math.min(firstTokenMaxMs, Math.max(firstTokenMinMs, firstTokenBoundMs(view, position))),
    totalMs: Math.min(totalMaxMs, Math.exp(center + totalSd * (view.totalSd[position] ?? 0))),
    decodeAfterMs,
    slowMsPerToken: norm && norm.n >= decodeLeast ? decodeFactor * Math.exp(norm.m) : null,
  };
}

/** How far an attempt has come. */
export interface AttemptProgress {
  readonly elapsedMs: number;
  /** ms from launch to the first token; null: none yet. */
  readonly firstTokenMs: number | null;
  readonly outputTokens: number;
  /** ms from launch to the last piece of the answer; null: none yet. */
  readonly lastPieceMs: number | null;
}

/** Why an attempt is late. */
export type HedgeTrigger = 'first-token' | 'total' | 'decode';

/** `trigger` null: not late; then look again `againInMs` from now, or not at all (null). */
export type Lateness =
  { readonly trigger: HedgeTrigger } | { readonly trigger: null; readonly againInMs: number | null };

/**
 * Whether an attempt is late, and when to look again where it is not. A decode speed is judged from 1.5 s after the first token on
 * whenever this is asked; silence of that length counts as slow.
 */
export function latenessOf(timers: HedgeTimers, progress: AttemptProgress): Lateness {
  const { elapsedMs, firstTokenMs, outputTokens, lastPieceMs } = progress;
  if (elapsedMs >= timers.totalMs) return { trigger: 'total' };
  const untilTotal = timers.totalMs - elapsedMs;
  if (firstTokenMs === null) {
    if (elapsedMs >= timers.firstTokenMs) return { trigger: 'first-token' };
    return { trigger: null, againInMs: Math.min(untilTotal, timers.firstTokenMs - elapsedMs) };
  }
  const decodingMs = elapsedMs - firstTokenMs;
  if (timers.slowMsPerToken === null) return { trigger: null, againInMs: untilTotal };
  if (decodingMs < timers.decodeAfterMs)
    return { trigger: null, againInMs: Math.min(untilTotal, timers.decodeAfterMs - decodingMs) };
  // Answers come in pieces: up to the last one it was being written, and what is since then is silence only when it lasts.
  const isSilent = elapsedMs - (lastPieceMs ?? firstTokenMs) >= timers.decodeAfterMs;
  const writingMs = isSilent ? decodingMs : (lastPieceMs ?? firstTokenMs) - firstTokenMs;
  if (writingMs > timers.slowMsPerToken * outputTokens) return { trigger: 'decode' };
  return { trigger: null, againInMs: Math.min(untilTotal, timers.decodeAfterMs) };
}

/** What a hedge or the next attempt is chosen from. */
export interface Untried {
  readonly view: PoolView;
  /** I_i by position. */
  readonly scores: readonly number[];
  readonly call: CallFacts;
  /** False for what was tried already or must not be used now (too small a window, closed off, over the budget). */
  readonly mayTry: (position: number) => boolean;
}

/** Who is hedged with: argmax of I − (c_tH − c_t)·T over the untried, since time is dearer to a call that is late; null: nobody. */
export function pickHedge({ view, scores, call, mayTry }: Untried): number | null {
  const { ct, ctH, latencyCapMs } = view.pool.constants;
  return best(scores, mayTry, (position) => {
    const totalS = Math.min(loadedTotalMs(view, position, call), latencyCapMs) / 1000;
    return (scores[position] ?? 0) - (ctH - ct) * totalS;
  });
}

/**
 * Who is started at once when an attempt has failed: the best untried, free of the hedge bucket, until the pool or 120 s are used
 * up. The view should be fresh, so that a shared source that failed counts against the others. null: nobody.
 */
export function nextOnFailure({ view, scores, mayTry }: Untried, callElapsedMs: number): number | null {
  if (callElapsedMs >= view.pool.constants.callLimitMs) return null;
  return best(scores, mayTry, (position) => scores[position] ?? 0);
}

/** Whether one more attempt may run beside `live` ones that are on time and `overdue` ones that are late: ≤ 3 live, ≤ 5 in all. */
export function hasRoom(live: number, overdue: number, { maxLive, maxRunning }: SchedulerConstants): boolean {
  return live < maxLive && live + overdue < maxRunning;
}

/**
 * How a cut attempt is to be told: `hang-cut` when it was silent for `hangCutTimers` of its first-token timers, else `cancelled`.
 * One that had begun to answer never hangs.
 */
export function cutOutcome(
  timers: HedgeTimers,
  progress: AttemptProgress,
  { hangCutTimers }: SchedulerConstants,
): Extract<TraceOutcome, 'hang-cut' | 'cancelled'> {
  const isSilent = progress.firstTokenMs === null && progress.elapsedMs >= hangCutTimers * timers.firstTokenMs;
  return isSilent ? 'hang-cut' : 'cancelled';
}

function best(
  scores: readonly number[],
  mayTry: (position: number) => boolean,
  valueAt: (position: number) => number,
): number | null {
  let found: number | null = null;
  let greatest = -Infinity;
  for (let position = 0; position < scores.length; position++) {
    if (!mayTry(position)) continue;
    const value = valueAt(position);
    if (value > greatest) {
      greatest = value;
      found = position;
    }
  }
  return found;
}

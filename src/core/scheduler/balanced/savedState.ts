// The state as it is kept: how it begins, how a saved one is read, how two windows' are joined, and how large it may become.
// A saved state that cannot be read is refused as a whole; the caller then starts afresh and says so.
import * as z from 'zod';
import type { CandidateId } from '../../candidate.ts';
import { priorBelief, relaxedBelief } from './beliefs.ts';
import { attemptEdges, emptyCalibration, startEdges } from './calibration.ts';
import { balancedConstants, type SchedulerConstants } from './constants.ts';
import { valueOf } from './numbers.ts';
import { momentOf } from './settle.ts';
import type { CandidateFacts, SchedulerState } from './types.ts';

/** Bounds of the state. What was longest not seen goes first. */
export const stateBounds = { candidates: 128, sources: 512, roles: 32 } as const;

/** Nothing learned, a full hedge bucket. */
export const emptyState: SchedulerState = Object.freeze({
  version: 1,
  atMs: 0,
  sources: {},
  candidates: {},
  hedgeTokens: balancedConstants.bucketSize,
  calibration: emptyCalibration,
});

const share = z.number().min(0).max(1);
const latency = z.object({ m: z.number(), s2: z.number().positive(), n: z.number().min(0) });
const beta = z.object({ alpha: z.number().positive(), beta: z.number().positive() });
const bin = z.object({
  n: z.number().min(0),
  promised: z.number().min(0),
  independent: z.number().min(0),
  observed: z.number().min(0),
});
/** What was learned of one candidate, as it is saved. */
export const candidateBeliefSchema = z.object({
  atMs: z.number(),
  baseFail: share,
  total: latency,
  firstToken: latency,
  fast: z.number(),
  decode: z.object({ m: z.number(), n: z.number().min(0) }),
  quality: z.record(z.string(), beta),
  cooling: z.object({ fromMs: z.number(), forMs: z.number().min(0) }).nullable(),
});

/** What is believed of one source, as it is saved. */
export const sourceBeliefSchema = z.object({ p: share, atMs: z.number() });

const stateSchema = z.object({
  version: z.literal(1),
  atMs: z.number(),
  sources: z.record(z.string(), sourceBeliefSchema),
  candidates: z.record(z.string(), candidateBeliefSchema),
  hedgeTokens: z.number().min(0),
  calibration: z.object({
    attempts: z.array(bin).length(attemptEdges.length),
    starts: z.array(bin).length(startEdges.length),
  }),
});

/** A saved state (parsed JSON) in its present form; null where it is none. */
export function readState(saved: unknown): SchedulerState | null {
  const { success, data } = stateSchema.safeParse(saved);
  return success ? withinBounds(data) : null;
}

/** Two windows' states as one: of each candidate and source what was learned last, the fewer hedge tokens, the fuller bins. */
export function joinStates(one: SchedulerState, other: SchedulerState): SchedulerState {
  return withinBounds({
    version: 1,
    atMs: Math.max(one.atMs, other.atMs),
    sources: later(one.sources, other.sources),
    candidates: later(one.candidates, other.candidates),
    hedgeTokens: Math.min(one.hedgeTokens, other.hedgeTokens),
    calibration: promises(one) >= promises(other) ? one.calibration : other.calibration,
  });
}

/** Another model answers behind the same name: quality and speed are learned anew, failures stay (they are the provider's). */
export function forgetModel(
  state: SchedulerState,
  facts: CandidateFacts,
  nowMs: number,
  constants: SchedulerConstants,
): SchedulerState {
  const known = valueOf(state.candidates, facts.id);
  if (!known) return state;
  const moment = momentOf(state, nowMs);
  const { baseFail, cooling } = relaxedBelief(known, facts, moment, constants);
  const fresh = { ...priorBelief(facts.tier, moment, constants), baseFail, cooling };
  return { ...state, candidates: { ...state.candidates, [facts.id]: fresh } };
}

/** The state without one candidate (reset by the user); what it shares with others stays. */
export function withoutCandidate(state: SchedulerState, id: CandidateId): SchedulerState {
  const { [id]: _gone, ...candidates } = state.candidates;
  return { ...state, candidates };
}

/** The state without what was learned at or before `atMs`, and with fresh promises: somebody has reset everything then. */
export function withoutOlder(state: SchedulerState, atMs: number): SchedulerState {
  const newer = <T extends { readonly atMs: number }>(
    record: Readonly<Record<string, T>>,
  ): Readonly<Record<string, T>> =>
    Object.fromEntries(Object.entries(record).filter(([, belief]) => belief.atMs > atMs));
  return {
    ...state,
    sources: newer(state.sources),
    candidates: newer(state.candidates),
    calibration: emptyCalibration,
  };
}

/** The state itself where it is small enough; else without what was longest not seen. */
export function withinBounds(state: SchedulerState): SchedulerState {
  const { sources, candidates } = state;
  const fewSources = newest(sources, stateBounds.sources);
  const fewCandidates = newest(candidates, stateBounds.candidates);
  if (fewSources === sources && fewCandidates === candidates) return state;
  return { ...state, sources: fewSources, candidates: fewCandidates };
}

function newest<T extends { readonly atMs: number }>(
  record: Readonly<Record<string, T>>,
  most: number,
): Readonly<Record<string, T>> {
  let count = 0;
  for (const _key in record) count++;
  if (count <= most) return record;
  // A tenth more goes, so that a full record is not sorted at every step.
  const kept = Object.entries(record)
    .sort(([, a], [, b]) => b.atMs - a.atMs)
    .slice(0, Math.ceil(most * 0.9));
  return Object.fromEntries(kept);
}

function later<T extends { readonly atMs: number }>(
  one: Readonly<Record<string, T>>,
  other: Readonly<Record<string, T>>,
): Readonly<Record<string, T>> {
  const newer = Object.entries(other).filter(([key, belief]) => {
    const known = valueOf(one, key);
    return !known || belief.atMs > known.atMs;
  });
  return { ...one, ...Object.fromEntries(newer) };
}

const promises = ({ calibration }: SchedulerState): number =>
  [...calibration.attempts, ...calibration.starts].reduce((sum, { n }) => sum + n, 0);

// Candidates of the study (scheduler-study 1.1), traces, and arbitrary states for the tests of the balanced scheduler.
import fc from 'fast-check';
import { balancedConstants } from '../../../../../src/core/scheduler/balanced/constants.ts';
import { learn } from '../../../../../src/core/scheduler/balanced/learn.ts';
import { emptyState } from '../../../../../src/core/scheduler/balanced/savedState.ts';
import type {
  CallTrace,
  CandidateFacts,
  SchedulerState,
  SourceName,
  TierLetter,
} from '../../../../../src/core/scheduler/balanced/types.ts';

/** A moment in 2026, so that times have their real size. */
export const START_MS = 1_780_000_000_000;

export function factsAt(id: string, tier: TierLetter, region: string, relative = 1): CandidateFacts {
  const sources: SourceName[] = [`own:${id}`, `region:${region}`];
  if (region !== 'local') sources.push(`vendor:${tier}`);
  if (region.startsWith('global')) sources.push('backbone:ocean');
  return { id, tier, sources, price: { relative }, contextWindowTokens: 200_000, capacity: null };
}

/** The ten candidates of the study. */
export const studyPool: readonly CandidateFacts[] = [
  factsAt('S-loc', 'S', 'local', 0.05),
  factsAt('M-loc', 'M', 'local', 0.1),
  factsAt('S-reg', 'S', 'regional', 0.1),
  factsAt('M-reg', 'M', 'regional', 0.33),
  factsAt('L-reg', 'L', 'regional', 1),
  factsAt('S-ge', 'S', 'global-east', 0.08),
  factsAt('M-ge', 'M', 'global-east', 0.33),
  factsAt('L-ge', 'L', 'global-east', 1),
  factsAt('M-gw', 'M', 'global-west', 0.33),
  factsAt('L-gw', 'L', 'global-west', 1),
];

export function traceOf(candidate: string, change: Partial<CallTrace> = {}): CallTrace {
  return {
    candidate,
    role: 'chat',
    outcome: 'success',
    totalMs: 4000,
    firstTokenMs: 1000,
    outputTokens: 300,
    quality: [],
    isPing: false,
    promisedSuccess: null,
    ...change,
  };
}

/** Learns traces one after another, `stepMs` apart. */
export function learned(
  traces: readonly CallTrace[],
  { from = emptyState, startMs = START_MS, stepMs = 1000, constants = balancedConstants } = {},
): SchedulerState {
  return traces.reduce<SchedulerState>((state, trace, index) => {
    const facts = studyPool.find(({ id }) => id === trace.candidate);
    return facts ? learn(state, facts, trace, startMs + index * stepMs, constants) : state;
  }, from);
}

/** Any number a broken clock, provider or judge may bring. */
export const anyNumber = fc.oneof(
  fc.double(),
  fc.constantFrom(NaN, Infinity, -Infinity, 0, -0, -1, 1e308, -1e308, Number.MIN_VALUE, 2 ** 53),
  fc.double({ min: 0, max: 1e5, noNaN: true }),
);

/** A believable trace of a study candidate. */
export const someTrace: fc.Arbitrary<CallTrace> = fc.record({
  candidate: fc.constantFrom(...studyPool.map(({ id }) => id)),
  role: fc.constantFrom('chat', 'coder', 'planner', 'constructor', '__proto__'),
  outcome: fc.constantFrom('success', 'hard-failure', 'hang-cut', 'invalid-output', 'neutral', 'cancelled'),
  totalMs: fc.double({ min: 1, max: 90_000, noNaN: true }),
  firstTokenMs: fc.option(fc.double({ min: 1, max: 30_000, noNaN: true })),
  outputTokens: fc.option(fc.nat(4000)),
  quality: fc.array(
    fc.record({
      source: fc.constantFrom('verifier', 'acceptance', 'schema', 'semantic-fault', 'judge'),
      q: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { maxLength: 2 },
  ),
  isPing: fc.boolean(),
  promisedSuccess: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
});

/** A trace with whatever numbers. */
export const hostileTrace: fc.Arbitrary<CallTrace> = someTrace.chain((trace) =>
  fc.record({
    candidate: fc.constant(trace.candidate),
    role: fc.oneof(fc.constant(trace.role), fc.string()),
    outcome: fc.constant(trace.outcome),
    totalMs: anyNumber,
    firstTokenMs: fc.option(anyNumber),
    outputTokens: fc.option(anyNumber),
    quality: fc.array(fc.record({ source: fc.constantFrom('verifier', 'judge'), q: anyNumber, weight: anyNumber }), {
      maxLength: 2,
    }),
    isPing: fc.boolean(),
    promisedSuccess: fc.option(anyNumber),
    retryAfterMs: anyNumber,
  }),
);

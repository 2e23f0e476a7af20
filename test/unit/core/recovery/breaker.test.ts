import { describe, expect, it } from 'vitest';
import {
  breakerFigures,
  cooldownMs,
  mergeBreakers,
  mergeBreakerTexts,
  newBreaker,
  readBreaker,
  stepBreaker,
  viewBreaker,
  type BreakerState,
  type Forced,
} from '../../../../src/core/recovery/breaker.ts';
import { attemptOutcomes, callOutcome, mayWaitForReopening } from '../../../../src/core/recovery/breakerTargets.ts';
import {
  addOutcome,
  figuresOf,
  newWindow,
  tripCondition,
  type BreakerLimits,
  type HealthOutcome,
} from '../../../../src/core/recovery/breakerWindow.ts';
import type { Fault, FaultClass } from '../../../../src/core/faults/fault.ts';
import { parseSettings } from '../../../../src/core/settings.ts';

const { breaker: limits } = parseSettings({}).settings.advanced;
const success: HealthOutcome = { kind: 'success', weight: 1, latencyMs: 500 };
const failure: HealthOutcome = { kind: 'failure', weight: 1, latencyMs: null };
const limited: HealthOutcome = { kind: 'rate-limited', weight: 1, latencyMs: null };
const neutral: HealthOutcome = { kind: 'neutral', weight: 0, latencyMs: null };

/** Outcomes one after the other, `everyMs` apart; probes and draws as given. */
function after(
  outcomes: readonly HealthOutcome[],
  options: { from?: BreakerState; atMs?: number; everyMs?: number; window?: string; limits?: BreakerLimits } = {},
): BreakerState {
  const { from = newBreaker, atMs = 1000, everyMs = 1000, window = 'w', limits: own = limits } = options;
  return outcomes.reduce(
    (state, outcome, index) =>
      stepBreaker(state, { outcome, notBeforeMs: 0, probeOfMs: null }, own, {
        window,
        nowMs: atMs + index * everyMs,
        draw: 0.5,
      }),
    from,
  );
}

const opened = after([failure, failure, failure, failure]);
const OPENED_AT = 4000;
const DEADLINE = OPENED_AT + 30_000;
const probe = (state: BreakerState, outcome: HealthOutcome, nowMs: number, probeOfMs = DEADLINE): BreakerState =>
  stepBreaker(state, { outcome, notBeforeMs: 0, probeOfMs }, limits, { window: 'w', nowMs, draw: 0.5 });

describe('the defaults of a breaker', () => {
  it('are those of the document where it prints one', () => {
    expect(limits).toMatchObject({
      errorRateThreshold: 0.5,
      consecutiveFailures: 5,
      cooldownMs: 30_000,
      halfOpenProbes: 2,
    });
  });
});

describe('what trips a breaker', () => {
  it('the fourth failure in a row of a target that nothing else is known of', () => {
    expect(viewBreaker(after([failure, failure, failure]), 3000).status).toBe('closed');
    expect(viewBreaker(opened, OPENED_AT)).toEqual({ status: 'open', untilMs: DEADLINE, isForced: false });
    expect(opened.trip).toMatchObject({ why: 'error-rate', strikes: 1 });
    expect(opened.trip?.figures.errorRate).toBeCloseTo(4.2 / 8, 2);
  });

  it('one failure an hour never, five of them in a row always', () => {
    const rare = { everyMs: 3_600_000 };
    expect(viewBreaker(after([failure, success, failure, success, failure], rare), 9e7).status).toBe('closed');
    expect(after([failure, failure, failure, failure], rare).trip).toBeNull();
    expect(after([failure, failure, failure, failure, failure], rare).trip?.why).toBe('consecutive-failures');
  });

  it('calls as rare as one in a minute: no least number of calls per second is asked for', () => {
    const state = after([success, success, failure, failure, failure, failure, failure], { everyMs: 60_000 });
    expect(state.trip).not.toBeNull();
  });

  it('failures mixed with few successes, by their rate', () => {
    const mixed = Array.from({ length: 12 }, (_, index) => (index % 4 === 0 ? success : failure));
    const patient = { ...limits, consecutiveFailures: 50 };
    expect(after(mixed, { limits: patient }).trip?.why).toBe('error-rate');
  });

  it('429 answers by their own, lower threshold', () => {
    expect(after([limited, limited]).trip).toBeNull();
    expect(after([limited, limited, limited]).trip?.why).toBe('rate-limited');
  });

  it('first tokens that are too slow, once there are enough of them', () => {
    const slow: HealthOutcome = { kind: 'success', weight: 1, latencyMs: 60_000 };
    expect(after(Array<HealthOutcome>(7).fill(slow)).trip).toBeNull();
    expect(after(Array<HealthOutcome>(9).fill(slow)).trip?.why).toBe('slow');
    expect(after(Array<HealthOutcome>(40).fill(success)).trip).toBeNull();
  });

  it('an answer that breaks off weighs more: the third in a row opens', () => {
    const broken: HealthOutcome = { kind: 'failure', weight: limits.brokenStreamWeight, latencyMs: 300 };
    expect(after([broken, broken]).trip).toBeNull();
    expect(after([broken, broken, broken]).trip?.why).toBe('error-rate');
  });

  it('nothing that says nothing of the upstream', () => {
    expect(after(Array<HealthOutcome>(30).fill(neutral))).toEqual(newBreaker);
  });

  it.each([
    [{ errorRate: 0.51 }, 'error-rate'],
    [{ errorRate: 0.5 }, null],
    [{ rateLimitedRate: 0.41 }, 'rate-limited'],
    [{ p95Ms: 45_001 }, 'slow'],
    [{ p95Ms: null }, null],
    [{ consecutiveFailures: 5 }, 'consecutive-failures'],
    [{ consecutiveFailures: 4 }, null],
  ] as const)('%j gives %s', (change, expected) => {
    const calm = { requests: 9, errorRate: 0, rateLimitedRate: 0, p95Ms: 10, consecutiveFailures: 0 };
    expect(tripCondition({ ...calm, ...change }, limits)).toBe(expected);
  });
});

describe('figures', () => {
  it('weigh half after a half-life', () => {
    const window = addOutcome(newWindow(0), failure, 0, limits.halfLifeMs);
    const now = figuresOf([window], 0, 0, limits);
    const later = figuresOf([window], 0, limits.halfLifeMs, limits);
    expect([now.requests, later.requests]).toEqual([1, 0.5]);
    expect(now.errorRate).toBeCloseTo(1.2 / 5);
    expect(later.errorRate).toBeCloseTo(0.7 / 4.5);
  });

  it('of two windows are those of one that had seen everything', () => {
    const [a, b] = [after([failure], { window: 'a' }), after([failure], { window: 'b' })];
    const both = breakerFigures(mergeBreakers(a, b), 5000, limits);
    expect(both).toMatchObject({ consecutiveFailures: 2 });
    expect(both.requests).toBeCloseTo(breakerFigures(after([failure, failure], { everyMs: 0 }), 5000, limits).requests);
    const saved = mergeBreakers(mergeBreakers(a, b), after([success], { window: 'c', atMs: 2000 }));
    expect(breakerFigures(saved, 5000, limits).consecutiveFailures).toBe(0);
  });

  it('tell a quantile within a quarter of the truth', () => {
    let window = newWindow(0);
    for (let n = 1; n <= 100; n++)
      window = addOutcome(window, { kind: 'success', weight: 1, latencyMs: n * 100 }, 0, limits.halfLifeMs);
    const { p95Ms } = figuresOf([window], 0, 0, limits);
    expect(p95Ms).toBeGreaterThan(9500 * 0.8);
    expect(p95Ms).toBeLessThan(9500 * 1.25);
  });
});

describe('every transition', () => {
  const halfOpenAt = DEADLINE + 1;
  type Row = readonly [from: string, message: string, to: string, make: () => [BreakerState, number]];
  const rows: readonly Row[] = [
    ['closed', 'success', 'closed', () => [after([success]), 2000]],
    ['closed', 'failure below the thresholds', 'closed', () => [after([failure]), 2000]],
    ['closed', 'failure above them', 'open', () => [opened, OPENED_AT]],
    ['closed', 'neutral', 'closed', () => [after([neutral]), 2000]],
    ['closed', 'an old probe succeeded', 'closed', () => [probe(newBreaker, success, 9000), 9000]],
    ['closed', 'an old probe failed', 'closed', () => [probe(newBreaker, failure, 9000), 9000]],
    ['open', 'late success', 'open', () => [after([success], { from: opened, atMs: 5000 }), 5000]],
    ['open', 'late failure', 'open', () => [after([failure], { from: opened, atMs: 5000 }), 5000]],
    ['open', 'late rate limit', 'open', () => [after([limited], { from: opened, atMs: 5000 }), 5000]],
    ['open', 'neutral', 'open', () => [after([neutral], { from: opened, atMs: 5000 }), 5000]],
    ['open', 'a probe before the deadline succeeded', 'open', () => [probe(opened, success, 9000), 9000]],
    ['open', 'time', 'half-open', () => [opened, DEADLINE]],
    [
      'half-open',
      'late success',
      'half-open',
      () => [after([success], { from: opened, atMs: halfOpenAt }), halfOpenAt],
    ],
    [
      'half-open',
      'late failure',
      'half-open',
      () => [after([failure], { from: opened, atMs: halfOpenAt }), halfOpenAt],
    ],
    ['half-open', 'neutral', 'half-open', () => [after([neutral], { from: opened, atMs: halfOpenAt }), halfOpenAt]],
    ['half-open', 'probe succeeded', 'closed', () => [probe(opened, success, halfOpenAt), halfOpenAt]],
    ['half-open', 'probe failed', 'open', () => [probe(opened, failure, halfOpenAt), halfOpenAt]],
    ['half-open', 'probe rate-limited', 'open', () => [probe(opened, limited, halfOpenAt), halfOpenAt]],
    ['half-open', 'probe said nothing', 'half-open', () => [probe(opened, neutral, halfOpenAt), halfOpenAt]],
    [
      'half-open',
      'probe succeeded but too slowly',
      'open',
      () => [probe(opened, { ...success, latencyMs: 90_000 }, halfOpenAt), halfOpenAt],
    ],
    ['half-open', 'probe of another opening', 'half-open', () => [probe(opened, failure, halfOpenAt, 17), halfOpenAt]],
  ];

  it.each(rows)('%s, %s -> %s', (_from, _message, to, make) => {
    const [state, nowMs] = make();
    expect(viewBreaker(state, nowMs).status).toBe(to);
  });

  it.each([
    ['open', 'open'],
    ['closed', 'closed'],
  ] as const)('a person who forces it %s is obeyed in every state', (forced: Forced, status) => {
    const states: readonly (readonly [BreakerState, number])[] = [
      [newBreaker, 0],
      [opened, OPENED_AT],
      [opened, halfOpenAt],
    ];
    for (const [state, nowMs] of states)
      expect(viewBreaker(state, nowMs, forced)).toMatchObject({ status, isForced: true });
    expect(viewBreaker(opened, OPENED_AT, null).status).toBe('open');
  });

  it('starts counting anew once it is closed', () => {
    const closed = probe(opened, success, halfOpenAt);
    expect(breakerFigures(closed, halfOpenAt, limits)).toMatchObject({ requests: 1, consecutiveFailures: 0 });
    expect(viewBreaker(after([failure, failure, failure], { from: closed, atMs: halfOpenAt }), 4e4).status).toBe(
      'closed',
    );
  });

  it('two probes that fail together count as one strike', () => {
    const once = probe(opened, failure, halfOpenAt);
    const twice = probe(once, failure, halfOpenAt + 10);
    expect([once.trip?.strikes, twice.trip?.strikes]).toEqual([2, 2]);
  });

  it('of a success and a failure at the same time the careful one wins, whatever order they are merged in', () => {
    const [good, bad] = [probe(opened, success, halfOpenAt), probe(opened, failure, halfOpenAt)];
    for (const merged of [mergeBreakers(good, bad), mergeBreakers(bad, good)])
      expect(viewBreaker(merged, halfOpenAt + 1).status).toBe('open');
  });
});

describe('the cooldown', () => {
  it('doubles with each failed probe up to its maximum, with jitter', () => {
    expect([1, 2, 3].map((strikes) => cooldownMs(strikes, 0.5, limits))).toEqual([30_000, 60_000, 120_000]);
    expect([0, 0.5, 1].map((draw) => Math.round(cooldownMs(20, draw, limits)))).toEqual([400_000, 500_000, 600_000]);
    expect(cooldownMs(1, 0, limits)).toBe(24_000);
    expect(cooldownMs(1, 1, limits)).toBe(36_000);
  });

  it('grows on when the target fails again soon after it was closed, and starts anew much later', () => {
    const closed = probe(opened, success, DEADLINE + 1);
    const fails4 = [failure, failure, failure, failure];
    expect(after([...fails4, failure], { from: closed, atMs: DEADLINE + 1000 }).trip?.strikes).toBe(2);
    expect(after([...fails4, failure], { from: closed, atMs: DEADLINE + 1_000_000 }).trip?.strikes).toBe(1);
  });

  const asks = (state: BreakerState, untilMs: number, nowMs: number): BreakerState =>
    stepBreaker(state, { outcome: limited, notBeforeMs: untilMs, probeOfMs: null }, limits, {
      window: 'w',
      nowMs,
      draw: 0.5,
    });

  it('is as long as the provider asked for when that is longer, said before or after the opening', () => {
    const before = after([failure, failure, failure, failure], { from: asks(newBreaker, 500_000, 900), atMs: 1000 });
    expect(viewBreaker(before, 100_000)).toMatchObject({ status: 'open', untilMs: 500_000 });
    const later = asks(opened, 700_000, 5000);
    expect(viewBreaker(later, DEADLINE + 1)).toMatchObject({ status: 'open', untilMs: 700_000 });
    expect(viewBreaker(asks(later, 600_000, 6000), 650_000).status).toBe('open');
    expect(viewBreaker(asks(opened, 10_000, 5000), DEADLINE - 1).status).toBe('open');
  });

  it('forgets what the provider asked for once it has answered again', () => {
    const answered = after([success, failure, failure, failure, failure, failure], {
      from: asks(newBreaker, 5_000_000, 900),
    });
    expect(viewBreaker(answered, 7000)).toMatchObject({ status: 'open' });
    expect(viewBreaker(answered, 100_000).status).toBe('half-open');
  });
});

describe('a saved breaker', () => {
  it('is the same when it is read again', () => {
    const state = probe(opened, failure, DEADLINE + 1);
    expect(readBreaker(JSON.stringify(state))).toEqual(state);
  });

  it('of another version or damaged is not read, and never hides one that can be', () => {
    const text = JSON.stringify(opened);
    expect([readBreaker('{'), readBreaker('{"version":2}')]).toEqual([null, null]);
    expect(mergeBreakerTexts('{"version":2}', text)).toBe(text);
    expect(mergeBreakerTexts(text, 'nonsense')).toBe(text);
    expect(mergeBreakerTexts(null, text)).toBe(text);
  });
});

const fault = (cls: FaultClass): Fault => ({
  class: cls,
  confidence: 0.9,
  secondary: null,
  detail: null,
  retryable: true,
  explicit: true,
  action: 'RETRY',
  retryAfterMs: null,
  evidence: [],
});
const health = { fault: null, httpStatus: 200, firstTokenMs: 400, elapsedMs: 2000, isOwnDeadline: false };

describe('what an attempt says', () => {
  it('of provider and model, each by where the failure comes from', () => {
    const kinds = (cls: FaultClass, httpStatus: number | null, firstTokenMs: number | null = null): unknown => {
      const { provider, model } = attemptOutcomes({ ...health, fault: fault(cls), httpStatus, firstTokenMs }, limits);
      return [provider.kind, provider.weight, model.kind, model.weight];
    };
    expect(kinds('T1', null)).toEqual(['failure', 1, 'failure', 1]);
    expect(kinds('T1', 503)).toEqual(['failure', 0.5, 'failure', 1]);
    expect(kinds('T1', 200, 300)).toEqual(['failure', 0.75, 'failure', 1.5]);
    expect(kinds('T4', 529)).toEqual(['neutral', 0, 'failure', 1]);
    expect(kinds('T2', 429)).toEqual(['rate-limited', 1, 'rate-limited', 1]);
    expect(kinds('T3', null)).toEqual(['failure', 1, 'failure', 1]);
  });

  it.each(['T5', 'T6', 'T7', 'T8', 'V1'] as const)('%s says nothing of anybody', (cls) => {
    const { provider, model } = attemptOutcomes({ ...health, fault: fault(cls) }, limits);
    expect([
      provider.kind,
      model.kind,
      callOutcome(fault(cls), { failedUpstreams: 3, isOwnDeadline: false }).kind,
    ]).toEqual(['neutral', 'neutral', 'neutral']);
  });

  it('nothing when it was the caller whose time was up', () => {
    const { model } = attemptOutcomes({ ...health, fault: fault('T3'), isOwnDeadline: true }, limits);
    expect(model.kind).toBe('neutral');
  });

  it('how long the first token took, and how long a silence was', () => {
    expect(attemptOutcomes(health, limits).model).toEqual({ kind: 'success', weight: 1, latencyMs: 400 });
    const silence = attemptOutcomes({ ...health, fault: fault('T3'), httpStatus: null, firstTokenMs: null }, limits);
    expect(silence.model.latencyMs).toBe(2000);
  });
});

describe('a call whose candidates are all closed off', () => {
  const base = {
    hasTried: false,
    earliestMs: 5000,
    nowMs: 0,
    waitEndMs: 30_000,
    stepMs: 1000,
    deadlineMs: 120_000,
  };

  it('waits where that is worth it, and never to retry', () => {
    expect(mayWaitForReopening(base)).toBe(true);
    expect(mayWaitForReopening({ ...base, hasTried: true })).toBe(false);
    expect(mayWaitForReopening({ ...base, earliestMs: 30_001 })).toBe(false);
    expect(mayWaitForReopening({ ...base, deadlineMs: 6000 })).toBe(true);
    expect(mayWaitForReopening({ ...base, deadlineMs: 5999 })).toBe(false);
    expect(mayWaitForReopening({ ...base, nowMs: 30_000, earliestMs: 0 })).toBe(false);
    expect(mayWaitForReopening({ ...base, earliestMs: Infinity })).toBe(false);
  });
});

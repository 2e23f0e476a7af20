// What a breaker counts and how it forgets (HFR 4.7: error rate, rate of 429, p95 latency, failures in a row).
import { describe, expect, it } from 'vitest';
import { newBreaker, readBreaker } from '../../../../src/core/recovery/breaker.ts';
import {
  addOutcome,
  figuresOf,
  MOST_TIMES,
  newWindow,
  tripCondition,
  type BreakerFigures,
  type HealthOutcome,
  type OutcomeWindow,
} from '../../../../src/core/recovery/breakerWindow.ts';
import { parseSettings } from '../../../../src/core/settings.ts';

const { breaker: limits } = parseSettings({}).settings.advanced;
const HALF = limits.halfLifeMs;
/** A time as clocks tell it. */
const NOW = 1_800_000_000_000;
const failure: HealthOutcome = { kind: 'failure', weight: 1, latencyMs: null };
const limited: HealthOutcome = { kind: 'rate-limited', weight: 1, latencyMs: null };
const success: HealthOutcome = { kind: 'success', weight: 1, latencyMs: null };
const after = (latencyMs: number): HealthOutcome => ({ ...success, latencyMs });

/** Outcomes at one moment. */
const counted = (outcomes: readonly HealthOutcome[], nowMs = NOW, from = newWindow(nowMs)): OutcomeWindow =>
  outcomes.reduce((window, outcome) => addOutcome(window, outcome, nowMs, HALF), from);
const times = (count: number, outcome: HealthOutcome): readonly HealthOutcome[] =>
  Array<HealthOutcome>(count).fill(outcome);
const figures = (windows: readonly OutcomeWindow[], nowMs = NOW, closedAtMs = 0): BreakerFigures =>
  figuresOf(windows, closedAtMs, nowMs, limits);

describe('a window of counts', () => {
  it('that has seen nothing leaves the prior', () => {
    const calm = { requests: 0, errorRate: 0.05, rateLimitedRate: 0.05, p95Ms: null, consecutiveFailures: 0 };
    expect(figures([newWindow(NOW)])).toEqual(calm);
    expect(newWindow(NOW)).toMatchObject({ seq: 0, latencies: [], failureTimesMs: [], lastSuccessMs: 0 });
  });

  it('counts nothing that says nothing or weighs nothing, above all not as an end of failures in a row', () => {
    const failing = counted(times(3, failure));
    for (const silent of [
      { kind: 'neutral', weight: 1, latencyMs: 10 },
      { kind: 'success', weight: 0, latencyMs: 10 },
      { kind: 'failure', weight: 0, latencyMs: null },
    ] as const)
      expect(addOutcome(failing, silent, NOW, HALF)).toBe(failing);
  });

  it('forgets half of everything in a half-life, at whatever time of the day', () => {
    const before = counted([failure, failure, limited, limited]);
    const now = figures([addOutcome(before, limited, NOW + HALF, HALF)], NOW + HALF);
    expect(now.requests).toBeCloseTo(3);
    expect(now.errorRate).toBeCloseTo((0.2 + 1) / 7);
    expect(now.rateLimitedRate).toBeCloseTo((0.2 + 2) / 7);
    const later = figures([before], NOW + HALF);
    expect(later.rateLimitedRate).toBeCloseTo((0.2 + 1) / 6);
  });

  it('forgets nothing, and nothing twice, when the clock goes back', () => {
    const before = counted([failure]);
    const back = addOutcome(before, failure, NOW - 10 * HALF, HALF);
    expect(back).toMatchObject({ atMs: NOW, requests: 2, errors: 2 });
    expect(figures([back], NOW).requests).toBe(2);
  });

  it('keeps a bounded number of failure times', () => {
    expect(counted(times(MOST_TIMES + 10, failure)).failureTimesMs).toHaveLength(MOST_TIMES);
  });

  it('has no row of failures that may be those of somebody else, nor an end of one', () => {
    const shared: HealthOutcome = { ...failure, weight: limits.sharedCauseWeight };
    expect(figures([counted(times(9, shared))]).consecutiveFailures).toBe(0);
    expect(figures([counted([failure, shared, failure])]).consecutiveFailures).toBe(2);
    expect(figures([counted([failure, success, failure])]).consecutiveFailures).toBe(1);
  });

  it('of before the last closing is void, also where another window of Belay counted it', () => {
    const [old, fresh] = [counted(times(5, failure), NOW - 1000), counted([success])];
    expect(figures([old, fresh], NOW, NOW)).toMatchObject({ requests: 1, consecutiveFailures: 0 });
    expect(figures([old], NOW, NOW - 1000).consecutiveFailures).toBe(5);
  });
});

describe('the latency that a twentieth of the attempts exceed', () => {
  it('is not told of fewer than enough attempts, and attempts without a latency are none', () => {
    expect(figures([counted(times(7, after(100)))]).p95Ms).toBeNull();
    expect(figures([counted(times(8, after(100)))]).p95Ms).not.toBeNull();
    expect(figures([counted(times(50, failure))]).p95Ms).toBeNull();
    expect(figures([counted([...times(10, after(20_000)), ...times(500, success)])]).p95Ms).toBeGreaterThan(15_000);
  });

  it('lies between the ends of its bucket', () => {
    // 95 % of the way from 0 to 50 ms, and from 50 to 62.5.
    expect(figures([counted(times(20, after(10)))]).p95Ms).toBeCloseTo(47.5);
    expect(figures([counted(times(20, after(60)))]).p95Ms).toBeCloseTo(61.875);
  });

  it('is not that of one slow answer in twenty, but of two', () => {
    const [fast, slow] = [after(10), after(300_000)];
    expect(figures([counted([...times(19, fast), slow])]).p95Ms).toBe(50);
    expect(figures([counted([...times(18, fast), slow, slow])]).p95Ms).toBeGreaterThan(200_000);
  });

  it('does not depend on the order in which latencies came, nor on which window of Belay saw them', () => {
    const [fast, slow] = [times(10, after(10)), times(10, after(90_000))];
    const mixed = fast.flatMap((each, index) => [slow[index] ?? each, each]);
    const expected = figures([counted([...fast, ...slow])]).p95Ms;
    expect(expected).toBeGreaterThan(70_000);
    expect(figures([counted([...slow, ...fast])]).p95Ms).toBeCloseTo(expected ?? 0);
    expect(figures([counted(mixed)]).p95Ms).toBeCloseTo(expected ?? 0);
    expect(figures([counted(slow), counted(fast)]).p95Ms).toBeCloseTo(expected ?? 0);
  });

  it('forgets as the rates do', () => {
    const slow = counted(times(100, after(90_000)));
    const better = counted(times(50, after(10)), NOW + 10 * HALF, slow);
    expect(figures([better], NOW + 10 * HALF).p95Ms).toBeLessThanOrEqual(50);
    expect(figures([slow], NOW + 3 * HALF).p95Ms).toBeGreaterThan(70_000);
    expect(figures([slow], NOW + 4 * HALF).p95Ms).toBeNull();
    const twice = counted(times(4, after(90_000)), NOW + 4 * HALF, slow);
    expect(figures([twice], NOW + 4 * HALF).p95Ms).toBeGreaterThan(70_000);
    const both = [slow, counted(times(50, after(10)), NOW + 10 * HALF)];
    expect(figures(both, NOW + 10 * HALF).p95Ms).toBeLessThanOrEqual(50);
  });

  it('takes no room for what was forgotten', () => {
    const [old, later] = [counted([after(90_000)]), NOW + 30 * HALF];
    expect(addOutcome(old, after(10), later, HALF).latencies).toHaveLength(1);
    expect(addOutcome(old, failure, later, HALF).latencies).toHaveLength(0);
    expect(addOutcome(old, after(90_000), NOW, HALF).latencies).toHaveLength(1);
  });

  it('of no time at all, or of more than half an hour, can be saved and read again', () => {
    const window = counted([after(0), after(10), after(1e12), after(1e13)]);
    const state = { ...newBreaker, windows: { w: window } };
    expect(window.latencies).toHaveLength(2);
    expect(readBreaker(JSON.stringify(state))).toEqual(state);
  });
});

describe('a threshold', () => {
  it('that is just reached does not trip: the document says more than', () => {
    const at = {
      requests: 9,
      errorRate: limits.errorRateThreshold,
      rateLimitedRate: limits.rateLimitThreshold,
      p95Ms: limits.p95LimitMs,
      consecutiveFailures: limits.consecutiveFailures - 1,
    };
    expect(tripCondition(at, limits)).toBeNull();
    expect(tripCondition({ ...at, consecutiveFailures: limits.consecutiveFailures }, limits)).toBe(
      'consecutive-failures',
    );
  });
});

// A breaker that several windows of Belay share: what they make of each other's facts, in whatever order they meet.
import { describe, expect, it } from 'vitest';
import {
  breakerFigures,
  mergeBreakers,
  newBreaker,
  soberBreaker,
  stepBreaker,
  viewBreaker,
  type BreakerMessage,
  type BreakerState,
  type Trip,
} from '../../../../src/core/recovery/breaker.ts';
import { addOutcome, newWindow, type HealthOutcome } from '../../../../src/core/recovery/breakerWindow.ts';
import { parseSettings } from '../../../../src/core/settings.ts';

const { breaker: limits } = parseSettings({}).settings.advanced;
const HOUR = 3_600_000;
const SKEW = 60_000;
/** A time as clocks tell it. */
const NOW = 1_800_000_000_000;
const success: HealthOutcome = { kind: 'success', weight: 1, latencyMs: 500 };
const failure: HealthOutcome = { kind: 'failure', weight: 1, latencyMs: null };
const neutral: HealthOutcome = { kind: 'neutral', weight: 0, latencyMs: null };

const step = (
  state: BreakerState,
  outcome: HealthOutcome,
  nowMs: number,
  { window = 'w', notBeforeMs = 0, probeOfMs = null }: Partial<BreakerMessage> & { window?: string } = {},
): BreakerState => stepBreaker(state, { outcome, notBeforeMs, probeOfMs }, limits, { window, nowMs, draw: 0.5 });
const failing = (from: BreakerState, nowMs: number, count: number, window = 'w'): BreakerState =>
  Array.from({ length: count }).reduce<BreakerState>((state) => step(state, failure, nowMs, { window }), from);
const sober = (state: BreakerState): BreakerState => soberBreaker(state, limits, { window: 'w', nowMs: NOW });

/** Both orders of merging, which must not differ in a single character. */
function merged(a: BreakerState, b: BreakerState): BreakerState {
  const one = mergeBreakers(a, b);
  expect(JSON.stringify(mergeBreakers(b, a))).toBe(JSON.stringify(one));
  return one;
}

const opened = failing(newBreaker, NOW, 4);
const DEADLINE = NOW + limits.cooldownMs;
const trip: Trip = opened.trip!;

describe('a view', () => {
  it('of a breaker that nobody forced says so', () => {
    expect(viewBreaker(newBreaker, NOW)).toEqual({ status: 'closed', isForced: false });
  });
});

describe('a good answer', () => {
  it('never is what opens a breaker, even where the counts of several windows together are too many', () => {
    const both = merged(failing(newBreaker, NOW, 3, 'a'), failing(newBreaker, NOW, 3, 'b'));
    expect(step(both, success, NOW + 1).trip).toBeNull();
    expect(step(both, { ...success, latencyMs: limits.p95LimitMs }, NOW + 1).trip).toBeNull();
    expect(step(both, { ...success, latencyMs: limits.p95LimitMs + 1 }, NOW + 1).trip).not.toBeNull();
    expect(step(both, failure, NOW + 1).trip).not.toBeNull();
  });

  it('of a probe closes it up to the very limit of slowness', () => {
    const probe = (latencyMs: number): string =>
      viewBreaker(step(opened, { ...success, latencyMs }, DEADLINE, { probeOfMs: DEADLINE }), DEADLINE).status;
    expect([probe(limits.p95LimitMs), probe(limits.p95LimitMs + 1)]).toEqual(['closed', 'open']);
  });
});

describe('what the provider asked for', () => {
  it('is settled by an answer in any window of Belay, but only by one that came later', () => {
    const asking = step(opened, neutral, NOW + 10, { notBeforeMs: NOW + HOUR });
    const answer = (nowMs: number): BreakerState =>
      merged(asking, step(newBreaker, success, nowMs, { window: 'other' }));
    expect(viewBreaker(answer(NOW + 11), NOW + 11)).toMatchObject({ untilMs: DEADLINE });
    // Within the same millisecond nobody knows which came first: the careful one holds.
    expect(viewBreaker(answer(NOW + 10), NOW + 10)).toMatchObject({ untilMs: NOW + HOUR });
  });

  it('is nothing where that time has come already', () => {
    expect(step(newBreaker, neutral, NOW, { notBeforeMs: NOW })).toEqual(newBreaker);
    expect(step(newBreaker, neutral, NOW, { notBeforeMs: NOW + 1 }).asked).toEqual({ untilMs: NOW + 1, atMs: NOW });
  });

  it('is the later of two, told first or last, and not the one with more digits first', () => {
    const asks = (untilMs: number, atMs = 1): BreakerState => ({ ...newBreaker, asked: { untilMs, atMs } });
    expect(merged(asks(9000), asks(10_000)).asked.untilMs).toBe(10_000);
    expect(merged(asks(9000, 9), asks(9000, 10)).asked.atMs).toBe(10);
  });
});

describe('an opening', () => {
  it('is a relapse within a half-life of the last closing, to the millisecond', () => {
    const closed = step(opened, success, DEADLINE, { probeOfMs: DEADLINE });
    const again = (passedMs: number): number | undefined => failing(closed, DEADLINE + passedMs, 5).trip?.strikes;
    expect([again(limits.halfLifeMs), again(limits.halfLifeMs + 1)]).toEqual([2, 1]);
  });

  it('stands also where a clock that is ahead has closed a later one', () => {
    const closed: BreakerState = { ...newBreaker, closedThroughMs: NOW + 50_000 };
    expect(viewBreaker(failing(closed, NOW, 4), NOW)).toMatchObject({ status: 'open', untilMs: NOW + 50_001 });
  });

  it('with the latest deadline stands, then that with more strikes, then the younger one', () => {
    const of = (change: Partial<Trip>): BreakerState => ({
      ...newBreaker,
      trip: { ...trip, untilMs: 10_000, ...change },
    });
    const stands = (a: Partial<Trip>, b: Partial<Trip>): Trip | null => merged(of(a), of(b)).trip;
    expect(stands({ untilMs: 9000, strikes: 9 }, { strikes: 1 })).toMatchObject({ untilMs: 10_000, strikes: 1 });
    expect(stands({ strikes: 9 }, { strikes: 10 })).toMatchObject({ strikes: 10 });
    expect(stands({ openedAtMs: 900 }, { openedAtMs: 1000 })).toMatchObject({ openedAtMs: 1000 });
    expect(stands({ why: 'slow' }, { why: 'error-rate' })).not.toBeNull();
  });
});

describe('counts', () => {
  it('after a closing are newer than every copy of those before it', () => {
    const closed = step(opened, success, DEADLINE, { probeOfMs: DEADLINE });
    const both = merged(opened, closed);
    expect(both.windows).toEqual(closed.windows);
    expect(breakerFigures(both, DEADLINE, limits)).toMatchObject({ requests: 1, consecutiveFailures: 0 });
  });

  it('of before the closing stay void when a window that has not heard of it is merged', () => {
    const closed = step(opened, success, DEADLINE, { probeOfMs: DEADLINE });
    const both = merged(closed, failing(newBreaker, NOW, 3, 'other'));
    expect(both.closedAtMs).toBe(DEADLINE);
    expect(breakerFigures(both, DEADLINE, limits).consecutiveFailures).toBe(0);
  });

  it('of which windows are kept does not depend on who merges, also where all are of the same time', () => {
    const names = Array.from({ length: 40 }, (_, index) => `w${index}`);
    const some = (from: number, to: number): BreakerState =>
      names.slice(from, to).reduceRight<BreakerState>((state, name) => failing(state, NOW, 1, name), newBreaker);
    const both = merged(some(0, 25), some(15, 40));
    expect(Object.keys(both.windows)).toEqual(names.toSorted().slice(0, 32));
  });

  it('of a window that two copies disagree on are those with more outcomes', () => {
    const copies = [9, 10].map((count) => failing(newBreaker, NOW, count));
    expect(merged(copies[0]!, copies[1]!).windows.w?.seq).toBe(10);
  });
});

describe('what is believed of times that others saved', () => {
  const window = (sinceMs: number, atMs: number, lastSuccessMs = 0): BreakerState => ({
    ...newBreaker,
    windows: { other: { ...addOutcome(newWindow(sinceMs), failure, atMs, limits.halfLifeMs), atMs, lastSuccessMs } },
  });
  const isKept = (state: BreakerState): boolean => Object.hasOwn(sober(state).windows, 'other');

  it('counts up to the difference that two machines may have, by each of their times', () => {
    expect(isKept(window(NOW, NOW + SKEW))).toBe(true);
    expect(isKept(window(NOW, NOW + SKEW + 1))).toBe(false);
    expect(isKept(window(NOW + SKEW + 1, NOW))).toBe(false);
    expect(isKept(window(NOW, NOW, NOW + SKEW + 1))).toBe(false);
  });

  it('no counts of a window that was silent for more than two hours, but for its own', () => {
    expect(isKept(window(NOW - 3 * HOUR, NOW - 2 * HOUR))).toBe(true);
    expect(isKept(window(NOW - 3 * HOUR, NOW - 2 * HOUR - 1))).toBe(false);
    const own = failing(newBreaker, NOW - 9 * HOUR, 1);
    expect(sober(own).windows).toEqual(own.windows);
  });

  it('closings and openings up to the same difference', () => {
    const closed = (atMs: number): BreakerState => sober({ ...newBreaker, closedAtMs: atMs, closedThroughMs: atMs });
    expect(closed(NOW + SKEW)).toMatchObject({ closedAtMs: NOW + SKEW, closedThroughMs: NOW + SKEW });
    expect(closed(NOW + SKEW + 1)).toMatchObject({ closedAtMs: 0, closedThroughMs: 0 });
    const openedAt = (openedAtMs: number): BreakerState => sober({ ...newBreaker, trip: { ...trip, openedAtMs } });
    expect(openedAt(NOW + SKEW).trip).not.toBeNull();
    expect(openedAt(NOW + SKEW + 1).trip).toBeNull();
  });

  it('what a provider asked for likewise, and for no longer than is waited at most', () => {
    const asked = (untilMs: number, atMs: number): BreakerState['asked'] =>
      sober({ ...newBreaker, asked: { untilMs, atMs } }).asked;
    const atMs = NOW + SKEW;
    expect(asked(atMs + 1000, atMs)).toEqual({ untilMs: atMs + 1000, atMs });
    expect(asked(atMs + 9 * HOUR, atMs)).toEqual({ untilMs: atMs + limits.maxAskedMs, atMs });
    expect(asked(atMs + 1000, atMs + 1)).toEqual(newBreaker.asked);
  });
});

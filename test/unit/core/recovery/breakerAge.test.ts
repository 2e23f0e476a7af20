// Which saved breakers may be forgotten: only those that would decide nothing any more (HFR 4.7). An opening that is not over, a
// wait that the upstream asked for and a text of another version are kept, however old.
import { describe, expect, it } from 'vitest';
import { newBreaker, stepBreaker, type BreakerState, type Trip } from '../../../../src/core/recovery/breaker.ts';
import { forgettableBreakers } from '../../../../src/core/recovery/breakerAge.ts';
import type { HealthOutcome } from '../../../../src/core/recovery/breakerWindow.ts';
import { parseSettings } from '../../../../src/core/settings.ts';

const { breaker: limits } = parseSettings({}).settings.advanced;
const success: HealthOutcome = { kind: 'success', weight: 1, latencyMs: 500 };
const failure: HealthOutcome = { kind: 'failure', weight: 1, latencyMs: null };
const TWO_HOURS_MS = 7_200_000;
const START = 1000;

function heardAt(nowMs: number, outcome = success, from = newBreaker, notBeforeMs = 0): BreakerState {
  return stepBreaker(from, { outcome, notBeforeMs, probeOfMs: null }, limits, { window: 'w', nowMs, draw: 0.5 });
}

function trippedAt(nowMs: number): BreakerState & { readonly trip: Trip } {
  let state = newBreaker;
  for (let count = 0; count < 5; count += 1) state = heardAt(nowMs, failure, state);
  const { trip } = state;
  if (!trip) throw new Error('five failures at once did not open it');
  return { ...state, trip };
}

const forgotten = (saved: Readonly<Record<string, BreakerState | string>>): readonly string[] => {
  const texts = Object.entries(saved).map(([target, state]) => ({
    target,
    state: typeof state === 'string' ? state : JSON.stringify(state),
  }));
  return [...forgettableBreakers(texts)];
};

describe('a closed breaker', () => {
  it('is forgotten once it was silent for more than two hours before the newest count of all', () => {
    expect(forgotten({ old: heardAt(START), fresh: heardAt(START + TWO_HOURS_MS + 1) })).toEqual(['old']);
  });

  it('is kept at two hours to the millisecond, and the newest one always', () => {
    expect(forgotten({ old: heardAt(START), fresh: heardAt(START + TWO_HOURS_MS) })).toEqual([]);
    expect(forgotten({ only: heardAt(START) })).toEqual([]);
    expect(forgotten({})).toEqual([]);
  });

  it('is as young as its newest window', () => {
    const { windows } = heardAt(START);
    const later = heardAt(START + TWO_HOURS_MS);
    const both = { ...later, windows: { ...windows, v: later.windows.w! } };
    expect(forgotten({ both, fresh: heardAt(START + TWO_HOURS_MS + 1) })).toEqual([]);
  });

  it('is as young as its last opening or closing, though its counts are gone', () => {
    const { trip } = trippedAt(START + TWO_HOURS_MS);
    const opened = { ...newBreaker, trip, closedThroughMs: trip.untilMs };
    const closed = { ...newBreaker, closedAtMs: START + TWO_HOURS_MS };
    const never = newBreaker;
    expect(forgotten({ opened, closed, never, fresh: heardAt(START + TWO_HOURS_MS + 1) })).toEqual(['never']);
  });
});

describe('a breaker that is not over', () => {
  const fresh = heardAt(START + 10 * TWO_HOURS_MS);
  const tripped = trippedAt(START);

  it('is kept while no probe has closed it: half-open it would still hold its target back', () => {
    expect(forgotten({ tripped, fresh })).toEqual([]);
    expect(forgotten({ closed: { ...tripped, closedThroughMs: tripped.trip.untilMs }, fresh })).toEqual(['closed']);
  });

  it('is kept until the wait is over that the upstream asked for', () => {
    const asked = (untilMs: number): BreakerState => ({ ...heardAt(START), asked: { untilMs, atMs: START } });
    const newestMs = START + 10 * TWO_HOURS_MS;
    expect(forgotten({ asked: asked(newestMs + 1), fresh })).toEqual([]);
    expect(forgotten({ asked: asked(newestMs), fresh })).toEqual(['asked']);
  });
});

describe('what this version cannot read', () => {
  it('is not its to forget, and keeps nothing else alive', () => {
    const fresh = heardAt(START + TWO_HOURS_MS + 1);
    const other = JSON.stringify({ ...newBreaker, version: 2 });
    expect(forgotten({ old: heardAt(START), torn: '{"version":1', other, fresh })).toEqual(['old']);
  });
});

// Times that a wrong clock, here or elsewhere, has saved in a shared breaker.
import { describe, expect, it } from 'vitest';
import {
  mergeBreakers,
  newBreaker,
  soberBreaker,
  stepBreaker,
  viewBreaker,
  type BreakerState,
} from '../../../../src/core/recovery/breaker.ts';
import type { HealthOutcome } from '../../../../src/core/recovery/breakerWindow.ts';
import { parseSettings } from '../../../../src/core/settings.ts';

const { breaker: limits } = parseSettings({}).settings.advanced;
const success: HealthOutcome = { kind: 'success', weight: 1, latencyMs: 500 };
const failure: HealthOutcome = { kind: 'failure', weight: 1, latencyMs: null };
const limited: HealthOutcome = { kind: 'rate-limited', weight: 1, latencyMs: null };

describe('what a clock that was wrong has saved', () => {
  const hour = 3_600_000;
  const now = { window: 'w', nowMs: 10 * hour };
  const ahead = now.nowMs + 8 * hour;
  const failing = (from: BreakerState, window: string, atMs: number, times = 10): BreakerState => {
    let state = from;
    for (let i = 0; i < times; i++)
      state = stepBreaker(state, { outcome: failure, notBeforeMs: 0, probeOfMs: null }, limits, {
        window,
        nowMs: atMs + i,
        draw: 0.5,
      });
    return state;
  };

  it('closes nothing off for longer than now', () => {
    const open = failing(newBreaker, 'other', ahead);
    expect(viewBreaker(open, now.nowMs).status).toBe('open');
    expect(viewBreaker(soberBreaker(open, limits, now), now.nowMs).status).toBe('closed');
  });

  it('makes nobody deaf: a closing, a success and counts from the future hide no failures of now', () => {
    const closed = { ...newBreaker, closedAtMs: ahead, closedThroughMs: ahead };
    const happy = stepBreaker(newBreaker, { outcome: success, notBeforeMs: 0, probeOfMs: null }, limits, {
      window: 'other',
      nowMs: ahead,
      draw: 0.5,
    });
    for (const theirs of [closed, happy, mergeBreakers(closed, happy)]) {
      let state = newBreaker;
      for (let i = 0; i < 10; i++)
        state = failing(soberBreaker(mergeBreakers(state, theirs), limits, now), 'w', now.nowMs + i, 1);
      expect(viewBreaker(state, now.nowMs + 100).status).toBe('open');
    }
  });

  it('is kept where it may be the difference of two machines, and so are the own counts', () => {
    const open = failing(newBreaker, 'other', now.nowMs + 30_000);
    expect(viewBreaker(soberBreaker(open, limits, now), now.nowMs).status).toBe('open');
    const own = failing(newBreaker, 'w', ahead, 1);
    expect(soberBreaker(own, limits, now).windows).toEqual(own.windows);
  });

  it('of a provider that asks for a month is an hour', () => {
    const asked = stepBreaker(
      failing(newBreaker, 'w', 0),
      { outcome: limited, notBeforeMs: 720 * hour, probeOfMs: null },
      limits,
      { window: 'w', nowMs: 100, draw: 0.5 },
    );
    expect(viewBreaker(asked, 2000)).toMatchObject({ status: 'open', untilMs: hour + 100 });
  });

  it('keeps the counts of the newest windows only, however many there were', () => {
    let state = newBreaker;
    for (let i = 0; i < 100; i++) state = mergeBreakers(state, failing(newBreaker, `w${i}`, i * 1000, 1));
    const names = Object.keys(state.windows);
    expect(names).toHaveLength(32);
    expect(names).toContain('w99');
  });
});

// What must hold of a breaker whatever happens in whatever order, in one window and in several that meet through the store.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cooldownMs,
  mergeBreakers,
  newBreaker,
  readBreaker,
  stepBreaker,
  viewBreaker,
  type BreakerState,
} from '../../src/core/recovery/breaker.ts';
import type { HealthOutcome } from '../../src/core/recovery/breakerWindow.ts';
import { parseSettings } from '../../src/core/settings.ts';

const { breaker: limits } = parseSettings({}).settings.advanced;
const WINDOWS = ['a', 'b', 'c'];

/** One thing that happens in one window, `passMs` after the one before. */
interface Act {
  readonly window: number;
  readonly passMs: number;
  readonly kind: HealthOutcome['kind'];
  readonly askedMs: number;
  readonly isProbe: boolean;
  readonly draw: number;
  /** The window then takes over what another one knows. */
  readonly meets: number | null;
}

const act: fc.Arbitrary<Act> = fc.record({
  window: fc.integer({ min: 0, max: WINDOWS.length - 1 }),
  passMs: fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: 900_000 })),
  kind: fc.oneof(
    { weight: 5, arbitrary: fc.constant('failure' as const) },
    { weight: 2, arbitrary: fc.constantFrom('success' as const, 'rate-limited' as const, 'neutral' as const) },
  ),
  askedMs: fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 1e6 }) },
  ),
  isProbe: fc.boolean(),
  draw: fc.double({ min: 0, max: 0.999, noNaN: true }),
  meets: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: WINDOWS.length - 1 })),
});

interface World {
  readonly states: BreakerState[];
  nowMs: number;
}

/** Runs the acts; `each` sees the acting window's breaker before and after. */
function play(
  acts: readonly Act[],
  each: (before: BreakerState, after: BreakerState, act: Act, nowMs: number) => void = () => undefined,
): World {
  const world: World = { states: WINDOWS.map(() => newBreaker), nowMs: 1000 };
  for (const one of acts) {
    world.nowMs += one.passMs;
    const { nowMs } = world;
    const before = world.states[one.window]!;
    const view = viewBreaker(before, nowMs);
    const message = {
      outcome: { kind: one.kind, weight: one.kind === 'neutral' ? 0 : 1, latencyMs: null },
      notBeforeMs: one.askedMs === 0 ? 0 : nowMs + one.askedMs,
      probeOfMs: one.isProbe && view.status === 'half-open' ? view.untilMs : null,
    };
    const after = stepBreaker(before, message, limits, { window: WINDOWS[one.window]!, nowMs, draw: one.draw });
    each(before, after, one, nowMs);
    world.states[one.window] = one.meets === null ? after : mergeBreakers(after, world.states[one.meets]!);
  }
  return world;
}

const orders: readonly (readonly [number, number, number])[] = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

describe('breakers of several windows', () => {
  it('become one and the same in whatever order they meet, also twice', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const { states } = play(acts);
        const merged = orders.flatMap(([x, y, z]) => {
          const [first, second, third] = [states[x]!, states[y]!, states[z]!];
          const left = mergeBreakers(mergeBreakers(first, second), third);
          const right = mergeBreakers(first, mergeBreakers(second, third));
          return [left, right, mergeBreakers(left, first), mergeBreakers(right, left)];
        });
        for (const each of merged) expect(each).toEqual(merged[0]);
        const saved = readBreaker(JSON.stringify(merged[0]));
        expect(saved).toEqual(merged[0]);
      }),
      { numRuns: 300 },
    );
  });

  it('that nobody has closed stay open until the latest deadline of any of them', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const { states, nowMs } = play(acts.map((one) => ({ ...one, isProbe: false })));
        const merged = states.reduce(mergeBreakers);
        const deadlines = states.flatMap((state) => (state.trip ? [state.trip.untilMs] : []));
        const latestMs = Math.max(0, ...deadlines);
        if (latestMs === 0) return;
        const view = viewBreaker(merged, Math.max(nowMs, latestMs - 1));
        if (nowMs < latestMs) expect(view.status).toBe('open');
        expect(viewBreaker(merged, latestMs - 1).status).toBe('open');
      }),
      { numRuns: 300 },
    );
  });
});

describe('a breaker', () => {
  it('is closed only by a successful probe at or after its deadline', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 80 }), (acts) => {
        play(acts, (before, after, one, nowMs) => {
          const [was, is] = [viewBreaker(before, nowMs), viewBreaker(after, nowMs)];
          if (was.status !== 'closed' && is.status === 'closed') {
            expect(was.status).toBe('half-open');
            expect(one).toMatchObject({ isProbe: true, kind: 'success' });
          }
          if (was.status === 'open') expect(is.status).toBe('open');
        });
      }),
      { numRuns: 300 },
    );
  });

  it('never shortens a deadline but by an answer that voids what the provider had asked for', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 80 }), (acts) => {
        play(acts, (before, after, one, nowMs) => {
          const [was, is] = [viewBreaker(before, nowMs), viewBreaker(after, nowMs)];
          if (was.status === 'closed' || is.status === 'closed' || one.kind === 'success') return;
          expect(is.untilMs).toBeGreaterThanOrEqual(was.untilMs);
        });
      }),
      { numRuns: 300 },
    );
  });

  it('cools down longer with every strike and never beyond the maximum, whatever is drawn', () => {
    const draw = fc.double({ min: 0, max: 0.999999, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), draw, draw, (strikes, one, two) => {
        const [now, next] = [cooldownMs(strikes, one, limits), cooldownMs(strikes + 1, two, limits)];
        expect(now).toBeLessThanOrEqual(limits.maxCooldownMs);
        expect(now).toBeGreaterThan(0);
        // At the cap the spread of one strike and that of the next are the same.
        const grownMs = limits.cooldownMs * limits.cooldownFactor ** strikes;
        if (grownMs <= limits.maxCooldownMs / (1 + limits.cooldownJitter)) expect(next).toBeGreaterThan(now);
      }),
    );
  });

  it('is open for at most the maximum cooldown unless the provider asked for more', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 80 }), (acts) => {
        play(
          acts.map((one) => ({ ...one, askedMs: 0 })),
          (_before, after, _one, nowMs) => {
            const view = viewBreaker(after, nowMs);
            if (view.status === 'open') expect(view.untilMs - nowMs).toBeLessThanOrEqual(limits.maxCooldownMs);
          },
        );
      }),
      { numRuns: 300 },
    );
  });

  it('grows no larger than its windows and their last figures', () => {
    fc.assert(
      fc.property(fc.array(act, { minLength: 100, maxLength: 200 }), (acts) => {
        for (const state of play(acts).states) {
          expect(Object.keys(state.windows).length).toBeLessThanOrEqual(WINDOWS.length);
          expect(JSON.stringify(state).length).toBeLessThan(8000);
        }
      }),
      { numRuns: 30 },
    );
  });
});

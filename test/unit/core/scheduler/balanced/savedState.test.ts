import { describe, expect, it } from 'vitest';
import { balancedConstants as constants } from '../../../../../src/core/scheduler/balanced/constants.ts';
import { learn } from '../../../../../src/core/scheduler/balanced/learn.ts';
import {
  emptyState,
  forgetModel,
  joinStates,
  readState,
  stateBounds,
  withoutCandidate,
} from '../../../../../src/core/scheduler/balanced/savedState.ts';
import type { SchedulerState } from '../../../../../src/core/scheduler/balanced/types.ts';
import { factsAt, learned, START_MS, studyPool, traceOf } from './samples.ts';

const bin = { n: 0, promised: 0, independent: 0, observed: 0 };

/** A document as version 1 wrote it; must be readable for ever. */
const golden = {
  version: 1,
  atMs: 1_780_000_000_000,
  sources: { 'own:a': { p: 0.01, atMs: 1_780_000_000_000 } },
  candidates: {
    a: {
      atMs: 1_780_000_000_000,
      baseFail: 0.04,
      total: { m: 8.3, s2: 0.3, n: 4 },
      firstToken: { m: 7, s2: 0.3, n: 4 },
      fast: 0.1,
      decode: { m: 2.5, n: 4 },
      quality: { chat: { alpha: 5.5, beta: 1.5 } },
      cooling: { fromMs: 1_780_000_000_000, forMs: 5000 },
    },
  },
  hedgeTokens: 9.5,
  calibration: { attempts: Array.from({ length: 10 }, () => bin), starts: Array.from({ length: 9 }, () => bin) },
};

describe('the saved state', () => {
  it('reads what version 1 wrote', () => {
    expect(readState(JSON.parse(JSON.stringify(golden)))).toEqual(golden);
  });

  it('comes back from JSON as it went', () => {
    const state = learned(
      studyPool.map(({ id }) => traceOf(id, { quality: [{ source: 'judge', q: 0.7 }], promisedSuccess: 0.9 })),
    );
    expect(readState(JSON.parse(JSON.stringify(state)))).toEqual(state);
    expect(readState(JSON.parse(JSON.stringify(emptyState)))).toEqual(emptyState);
  });

  it.each([
    ['another version', { ...golden, version: 2 }],
    ['a probability above 1', { ...golden, sources: { x: { p: 1.5, atMs: 0 } } }],
    ['a number that was none', { ...golden, hedgeTokens: null }],
    ['bins that are missing', { ...golden, calibration: { attempts: [], starts: [] } }],
    ['no object at all', 'state'],
  ])('is refused with %s', (_, document) => {
    expect(readState(document)).toBeNull();
  });

  it('does not grow over 10^6 updates', () => {
    let state: SchedulerState = emptyState;
    const sizes: number[] = [];
    const outcomes = [
      'success',
      'success',
      'hard-failure',
      'cancelled',
      'success',
      'hang-cut',
      'invalid-output',
    ] as const;
    const quality = [{ source: 'judge' as const, q: 0.5 }];
    for (let update = 0; update < 1_000_000; update++) {
      const facts = studyPool[update % 10]!;
      const outcome = outcomes[update % outcomes.length]!;
      const trace = traceOf(facts.id, { role: `role-${update % 3}`, outcome, quality, promisedSuccess: 0.9 });
      state = learn(state, facts, trace, START_MS + update * 100, constants);
      if (update === 1000 || update === 999_999) sizes.push(JSON.stringify(state).length);
    }
    expect(sizes[1]! / sizes[0]!).toBeLessThan(1.02);
    expect(readState(JSON.parse(JSON.stringify(state)))).toEqual(state);
  }, 120_000);

  it('has a bound for ever new candidates, regions and roles, and keeps those in use', () => {
    let state: SchedulerState = emptyState;
    const quality = [{ source: 'judge' as const, q: 0.5 }];
    for (let update = 0; update < 1500; update++) {
      const facts = update % 2 === 0 ? factsAt(`new-${update}`, 'M', `region-${update}`) : studyPool[update % 10]!;
      const trace = traceOf(facts.id, { role: `role-${update}`, quality });
      state = learn(state, facts, trace, START_MS + update * 100, constants);
    }
    expect(Object.keys(state.candidates).length).toBeLessThanOrEqual(stateBounds.candidates);
    expect(Object.keys(state.sources).length).toBeLessThanOrEqual(stateBounds.sources);
    for (const { quality: roles } of Object.values(state.candidates))
      expect(Object.keys(roles).length).toBeLessThanOrEqual(stateBounds.roles);
    for (const position of [1, 3, 5, 7, 9]) expect(state.candidates[studyPool[position]!.id]).toBeDefined();
  });

  it('joins two windows: of each thing what was learned last', () => {
    const one = learned([traceOf('L-ge'), traceOf('M-ge')]);
    const two = learned([traceOf('L-ge', { outcome: 'hard-failure' })], { startMs: START_MS + 60_000 });
    const joined = joinStates(one, two);
    expect(joined.candidates['L-ge']).toEqual(two.candidates['L-ge']);
    expect(joined.candidates['M-ge']).toEqual(one.candidates['M-ge']);
    expect(joined.atMs).toBe(two.atMs);
    expect(joinStates(two, one)).toEqual(joined);
  });

  it('forgets a model that was replaced, and not how often its provider failed', () => {
    const facts = studyPool[7]!;
    const seen = [
      traceOf('L-ge', { totalMs: 900, quality: [{ source: 'verifier' as const, q: 0 }] }),
      traceOf('L-ge', { outcome: 'hard-failure', firstTokenMs: null }),
    ];
    const state = learned(seen);
    const after = forgetModel(state, facts, state.atMs, constants).candidates['L-ge']!;
    expect(after.quality).toEqual({});
    expect(after.total.m).toBeCloseTo(Math.log(6000), 12);
    expect(after.baseFail).toBe(state.candidates['L-ge']!.baseFail);
    expect(withoutCandidate(state, 'L-ge').candidates).toEqual({});
  });
});

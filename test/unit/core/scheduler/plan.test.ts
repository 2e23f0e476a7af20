import { describe, expect, it } from 'vitest';
import { failureOutcome } from '../../../../src/core/scheduler/outcome.ts';
import { planLiteralCall, type PlanInput } from '../../../../src/core/scheduler/plan.ts';
import {
  recordOutcome,
  recordedQuality,
  recordQuality,
  unknownProfile,
  type CandidateProfile,
} from '../../../../src/core/scheduler/profile.ts';
import type { Fault } from '../../../../src/core/faults/fault.ts';
import { parseSettings } from '../../../../src/core/settings.ts';
import { candidate } from '../../../support/candidates.ts';

const settings = parseSettings({}).settings.advanced;
const success = (totalMs: number): Parameters<typeof recordOutcome>[1] => ({
  kind: 'success',
  totalMs,
  firstTokenMs: totalMs / 2,
  sentBytes: 1000,
  receivedBytes: 400,
  tokens: 350,
  link: null,
});
const times = (
  count: number,
  profile: CandidateProfile,
  outcome: Parameters<typeof recordOutcome>[1],
): CandidateProfile =>
  Array.from({ length: count }).reduce<CandidateProfile>((current) => recordOutcome(current, outcome), profile);
const plan = (change: Partial<PlanInput>): ReturnType<typeof planLiteralCall> =>
  planLiteralCall({
    role: 'coder',
    criticality: 'medium',
    order: 'ranked',
    candidates: ['a', 'b', 'c'].map((id) => candidate(id)),
    profiles: {},
    settings,
    nowMs: 0,
    ...change,
  });

describe('a plan', () => {
  it('keeps the order of the route while nothing is known, and starts the whole hedge set', () => {
    const { order, startCount, hedgeSet } = plan({ criticality: 'high' });
    expect(order.map((each) => each.id)).toEqual(['a', 'b', 'c']);
    expect(startCount).toBe(hedgeSet.length);
  });

  it('puts quality, availability and latency to use', () => {
    const good = recordQuality(times(10, unknownProfile, success(1000)), 'coder', 1);
    const slow = times(10, unknownProfile, success(30_000));
    const failing = times(5, times(5, unknownProfile, success(1000)), { kind: 'internal-failure', coolUntilMs: 0 });
    expect(plan({ profiles: { a: slow, b: failing, c: good } }).order.map((each) => each.id)).toEqual(['c', 'a', 'b']);
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'takes a role that is called %s for a role',
    (role) => {
      const [first] = plan({ role, profiles: { a: unknownProfile } }).ranking;
      expect(first).toMatchObject({ id: 'a', mu: 0.5 });
      expect(recordedQuality(unknownProfile, role)).toBeNull();
      const good = times(20, unknownProfile, success(1000));
      const known = Array.from({ length: 20 }).reduce<CandidateProfile>((now) => recordQuality(now, role, 1), good);
      expect(recordedQuality(known, role)).toBe(1);
      expect(recordedQuality(JSON.parse(JSON.stringify(known)) as CandidateProfile, role)).toBe(1); // as saved
    },
  );

  it('learns quality for a role and for no other', () => {
    const good = recordQuality(unknownProfile, 'coder', 1);
    expect(plan({ profiles: { c: good } }).order[0]!.id).toBe('c');
    expect(plan({ profiles: { c: good }, role: 'planner' }).order[0]!.id).toBe('a');
  });

  it('takes the rate of failures as printed: one of one shuts a candidate out', () => {
    const once = recordOutcome(unknownProfile, { kind: 'link-failure', coolUntilMs: 0 });
    expect(plan({ profiles: { a: once } }).ranking.at(-1)!.rho).toBe(0);
  });

  it('says who is cooling down, and ranks it by what it is worth all the same', () => {
    const cooling = recordOutcome(recordQuality(unknownProfile, 'coder', 1), {
      kind: 'neutral',
      coolUntilMs: 5000,
    });
    expect(plan({ profiles: { a: cooling }, nowMs: 4999 }).order.map((each) => each.id)).toEqual(['a', 'b', 'c']);
    expect(plan({ profiles: { a: cooling }, nowMs: 4999 }).why).toContain('1 cooling down');
  });

  it('counts a judgement by its weight', () => {
    expect(recordQuality(unknownProfile, 'coder', 1, 0.25).quality.coder).toEqual({ alpha: 1.25, beta: 1 });
  });

  it('never brings a cooldown forward', () => {
    const later = recordOutcome(recordOutcome(unknownProfile, { kind: 'internal-failure', coolUntilMs: 9000 }), {
      kind: 'internal-failure',
      coolUntilMs: 4000,
    });
    expect(later.coolUntilMs).toBe(9000);
  });

  it('keeps a listed order whatever was learned', () => {
    const good = recordQuality(times(10, unknownProfile, success(100)), 'coder', 1);
    const { order, hedgeSet, startCount, ranking } = plan({ profiles: { c: good }, order: 'listed' });
    expect(order.map((each) => each.id)).toEqual(['a', 'b', 'c']);
    expect(ranking[0]!.id).toBe('c');
    expect(hedgeSet).toEqual(order.slice(0, startCount).map((each) => each.id));
  });
});

const fault = (change: Partial<Fault>): Fault => ({
  class: 'T1',
  confidence: 1,
  secondary: null,
  detail: null,
  retryable: true,
  explicit: true,
  action: 'RETRY',
  retryAfterMs: null,
  evidence: [],
  ...change,
});

describe('what a failure says of its candidate', () => {
  it('charges the way to it for silence and broken connections, the candidate for error answers', () => {
    expect(failureOutcome(fault({}), null, 0).kind).toBe('link-failure');
    expect(failureOutcome(fault({}), 500, 0).kind).toBe('internal-failure');
    expect(failureOutcome(fault({ class: 'T3' }), 200, 0).kind).toBe('link-failure');
  });

  it('charges the candidate for a whole answer that cannot be used, and nobody for a request whose tools were turned down', () => {
    expect(failureOutcome(fault({ class: 'T5' }), 200, 0).kind).toBe('internal-failure');
    expect(failureOutcome(fault({ class: 'V1' }), 200, 0).kind).toBe('internal-failure');
    expect(failureOutcome(fault({ class: 'T5' }), 400, 0).kind).toBe('neutral');
  });

  it('charges nobody for a refusal, an overflow or a request that was wrong', () => {
    expect((['T8', 'T6'] as const).map((each) => failureOutcome(fault({ class: each }), 400, 0).kind)).toEqual([
      'neutral',
      'neutral',
    ]);
    expect(failureOutcome(fault({ class: 'T7', detail: 'fixable' }), 400, 0).kind).toBe('neutral');
  });

  it("charges nobody where the caller's own deadline had come, and remembers when to ask again all the same", () => {
    expect(failureOutcome(fault({ class: 'T3' }), null, 5000, true)).toEqual({ kind: 'neutral', coolUntilMs: 0 });
    expect(failureOutcome(fault({ class: 'T2', retryAfterMs: 7000 }), 429, 1000, true)).toEqual({
      kind: 'neutral',
      coolUntilMs: 8000,
    });
  });

  it('rests a candidate as long as it asked, and five minutes for a missing permission', () => {
    expect(failureOutcome(fault({ class: 'T2', retryAfterMs: 7000 }), 429, 1000)).toMatchObject({ coolUntilMs: 8000 });
    expect(failureOutcome(fault({ class: 'T7', detail: 'permission' }), 401, 1000)).toMatchObject({
      coolUntilMs: 301_000,
    });
  });
});

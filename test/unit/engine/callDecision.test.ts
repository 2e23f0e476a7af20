// What a call does when a round has failed: the facts it decides from, the ladder it takes, and what it records of that.
import { describe, expect, it } from 'vitest';
import type { EventBody } from '../../../src/core/events.ts';
import { parseSettings } from '../../../src/core/settings.ts';
import { ProfileBook } from '../../../src/engine/profileBook.ts';
import { TaskFaults } from '../../../src/engine/taskFaults.ts';
import { call, type Outcome } from '../../support/callHarness.ts';
import { candidate } from '../../support/candidates.ts';
import { answers, fails } from '../../support/scriptedProvider.ts';

type Decided = Extract<EventBody, { type: 'decision-made' }>;
const decisions = ({ log }: Outcome): readonly Decided[] =>
  log.flatMap(({ body }) => (body.type === 'decision-made' ? [body] : []));
const rules = (outcome: Outcome): readonly string[] => decisions(outcome).map(({ rule }) => rule);
const asked = ({ seen }: Outcome): readonly string[] => seen.map((attempt) => attempt.candidate);

const a = candidate('a');
const other = candidate('other');
const small = candidate('small', { tier: 'small' });
const overloaded = fails(529);

describe('a route that cannot serve', () => {
  it('is replaced at L2 by the same tier outside it: held, flagged, and recorded with who stands in', async () => {
    const outcome = await call([a], { a: [overloaded], other: [answers('instead')] }, { others: [small, other] });
    expect(outcome.text).toBe('instead');
    expect(outcome.events[0]).toMatchObject({ type: 'committed', candidate: 'other', rung: 'L2' });
    expect(decisions(outcome)).toMatchObject([
      {
        action: 'DEGRADE_MODEL',
        rule: 'T4/alternate',
        rung: 'L2',
        waitMs: 0,
        degradation: { substitute: 'other', quality: null, check: 'V2' },
      },
    ]);
    expect(decisions(outcome)[0]!.rulesVersion).toMatch(/^classify [\d.]+, decide [\d.]+ document [0-9a-f]{8}$/);
  });

  it('is replaced by a lower tier of its own only after that, and never twice by the same', async () => {
    const scripts = { a: [overloaded], other: [overloaded], small: [answers('weaker')] };
    const outcome = await call([a, small], scripts, { others: [other] });
    expect(asked(outcome)).toEqual(['a', 'other', 'small']);
    expect(rules(outcome)).toEqual(['T4/alternate', 'T4/degrade']);
    expect(outcome.events[0]).toMatchObject({ rung: 'L3' });
  });

  it('is not replaced where the model is pinned, or where only other tiers are there', async () => {
    const pinned = await call([a], { a: [overloaded], other: [answers('no')] }, { others: [other], pinned: true });
    expect(new Set(asked(pinned))).toEqual(new Set(['a']));
    const lower = await call([a], { a: [overloaded], small: [answers('no')] }, { others: [small] });
    expect(new Set(asked(lower))).toEqual(new Set(['a']));
  });

  it('is not replaced by who is known to do worse than the quality floor', async () => {
    const profiles = new ProfileBook();
    for (let index = 0; index < 10; index++) profiles.recordQuality('small', 'chat', 0.7);
    const scripts = { a: [overloaded], small: [answers('weaker')] };
    const careful = await call([a, small], scripts, { profiles, context: { qualityFloor: 0.8 } });
    expect(asked(careful)).not.toContain('small');
    const content = await call([a, small], scripts, { profiles, context: { qualityFloor: 0.6 } });
    expect(content.text).toBe('weaker');
    expect(decisions(content)[0]!.degradation).toEqual({
      substitute: 'small',
      quality: expect.closeTo(0.7) as number,
      check: 'V2',
    });
  });

  it('goes where a larger window is after an overflow that cannot be compressed', async () => {
    const overflow = fails(400, { body: { error: { code: 'context_length_exceeded' } } });
    const same = await call([a], { a: [overflow], other: [answers('no')] }, { others: [other] });
    expect(asked(same)).toEqual(['a']);
    expect(rules(same)).toEqual(['T6/nothing-to-trim']);
    const larger = candidate('larger', { contextWindowTokens: 2 * a.contextWindowTokens });
    const outcome = await call([a], { a: [overflow], larger: [answers('room')] }, { others: [other, larger] });
    expect(outcome.text).toBe('room');
    expect(outcome.events[0]).toMatchObject({ candidate: 'larger', rung: 'L2' });
  });
});

describe('a retry of a call', () => {
  it('is not made where the server forbade it', async () => {
    const outcome = await call([a], { a: [fails(500, { headers: { 'x-should-retry': 'false' } }), answers('no')] });
    expect(asked(outcome)).toEqual(['a']);
    expect(rules(outcome)).toEqual(['T1/forbidden']);
  });

  it('of an overloaded model waits more than a second', async () => {
    const outcome = await call([a], { a: [overloaded, answers('later')] });
    expect(outcome.text).toBe('later');
    expect(outcome.seen[1]!.atMs).toBeGreaterThan(1000);
    expect(rules(outcome)).toEqual(['T4/wait-for-capacity']);
  });

  it('is weighed by how long its candidates really take', async () => {
    const profiles = new ProfileBook();
    const figures = { firstTokenMs: 500, sentBytes: 1, receivedBytes: 1, tokens: 1, link: null };
    const { settings } = parseSettings({});
    profiles.record('a', { kind: 'success', totalMs: 9000, ...figures }, { settings, context: { role: 'chat' } });
    const scripts = { a: [fails(500), answers('late')] };
    const tight = await call([a], scripts, { profiles, context: { deadlineMs: 9000 } });
    expect(rules(tight)).toEqual(['T1/deadline']);
    expect((await call([a], scripts, { context: { deadlineMs: 9000 } })).text).toBe('late');
  });

  it('and a degradation draw from one budget, so a step has no more executions than attempts', async () => {
    const raw = { 'belay.advanced': { retry: { maxAttemptsPerStep: 2 } } };
    const scripts = { a: [fails(500)], small: [answers('kept for this')] };
    const outcome = await call([a, small], scripts, { raw });
    // The only re-execution is kept for the lower tier.
    expect(asked(outcome)).toEqual(['a', 'small']);
    const none = await call([a, small], scripts, { raw: { 'belay.advanced': { retry: { maxAttemptsPerStep: 1 } } } });
    expect(asked(none)).toEqual(['a']);
    expect(rules(none)).toEqual(['T1/step-budget']);
  });
});

describe('the faults of a task', () => {
  it('count against a candidate over its calls: preset plus passes it over after one, preset document never', async () => {
    const raw = (preset: string) => ({ 'belay.advanced': { recovery: { preset }, breaker: { isEnabled: false } } });
    const scripts = { a: [fails(500), answers('again')], other: [answers('instead')] };
    const faults = new TaskFaults();
    const before = await call([a], { a: [overloaded, answers('later')] }, { raw: raw('plus'), faults });
    expect(before.text).toBe('later');
    expect(faults.count('k', 'model:a')).toBe(1);
    const plus = await call([a], scripts, { raw: raw('plus'), faults, others: [other] });
    expect(rules(plus)).toEqual(['T1/alternate']);
    expect(plus.text).toBe('instead');
    const fresh = await call([a], scripts, { raw: raw('plus'), others: [other] });
    expect(rules(fresh)).toEqual(['T1/retry']);
    const elsewhere = await call([a], scripts, { raw: raw('plus'), faults, others: [other], context: { task: 'z' } });
    expect(rules(elsewhere)).toEqual(['T1/retry']);
    const document = await call([a], scripts, { raw: raw('document'), faults, others: [other] });
    expect(rules(document)).toEqual(['T1/retry']);
  });

  it('of a pool are those of the candidate that has had the fewest', () => {
    const faults = new TaskFaults();
    faults.note('k', 'model:a', 'T4');
    faults.note('k', 'model:a', 'T1');
    expect(faults.count('k', 'model:a')).toBe(1);
    expect(faults.least('k', ['model:a', 'model:b'])).toBe(0);
    faults.note('k', 'model:b', 'T5');
    expect(faults.least('k', ['model:a', 'model:b'])).toBe(1);
    expect(faults.least('k', [])).toBe(0);
  });
});

describe('preset plus', () => {
  it('goes on as far as the step budget and hands every end to a person', async () => {
    const breaker = { isEnabled: false };
    const raw = { 'belay.advanced': { recovery: { preset: 'plus' }, breaker } };
    const outcome = await call([a], { a: [fails(500)] }, { raw });
    expect(asked(outcome)).toHaveLength(8);
    expect(decisions(outcome).at(-1)).toMatchObject({ action: 'ESCALATE', rule: 'T1/same-fault' });
  });
});

// A rung that needs a person (HFR 5.2, require_human_for): asked for in any model call, within its deadline, and taken with a yes.
import { describe, expect, it } from 'vitest';
import type { DecisionEvent } from '../../../src/core/events.ts';
import type { CallFailure } from '../../../src/engine/call.ts';
import type { ApprovalPort, Question } from '../../../src/engine/ports.ts';
import { call, type Outcome } from '../../support/callHarness.ts';
import { candidate } from '../../support/candidates.ts';
import { answers, fails } from '../../support/scriptedProvider.ts';

const a = candidate('a', { tier: 'large' });
const small = candidate('small', { tier: 'small' });
const scripts = { a: [fails(500)], small: [answers('less, but something')] };
const high = { criticality: 'high', qualityFloor: 0.5 } as const;

function person(choice: 'allow' | 'deny'): ApprovalPort['ask'] & { readonly asked: Question[] } {
  const asked: Question[] = [];
  const ask: ApprovalPort['ask'] = (question) => {
    asked.push(question);
    return Promise.resolve({ choice, note: '', by: 'Ada' });
  };
  return Object.assign(ask, { asked });
}

const failureOf = ({ events }: Outcome): CallFailure | null => {
  const last = events.at(-1);
  return last?.type === 'failed' ? last.failure : null;
};
const decisionsOf = ({ log }: Outcome): readonly Extract<DecisionEvent['body'], { type: 'decision-made' }>[] =>
  log.flatMap(({ body }) => (body.type === 'decision-made' ? [body] : []));

describe('a call of high criticality whose tier does not answer', () => {
  it('asks for the lower tier with rung, model, region, reason and quality, and goes on there with a yes', async () => {
    const yes = person('allow');
    const outcome = await call([a, small], scripts, { context: high, person: yes });
    expect(outcome.text).toBe('less, but something');
    expect(outcome.events.find(({ type }) => type === 'committed')).toMatchObject({ candidate: 'small', rung: 'L3' });
    expect(yes.asked).toHaveLength(1);
    const [question] = yes.asked;
    expect(question).toMatchObject({ kind: 'lower-rung', level: null });
    expect(question?.title).toContain('rung L3');
    expect(question?.targets).toEqual([`${small.model} of ${small.providerId} in ${small.region}`]);
    expect(question?.reasons.join(' ')).toMatch(
      /T1\/.*The expected quality .* the floor is 0\.50, the criticality high/,
    );
    const [escalated, agreed] = decisionsOf(outcome).slice(-2);
    expect(escalated).toMatchObject({
      action: 'ESCALATE',
      proposes: { rung: 'L3', substitute: 'small', qualityFloor: 0.5 },
    });
    expect(agreed).toMatchObject({
      action: 'DEGRADE_MODEL',
      rule: 'T1/person-agreed',
      rung: 'L3',
      degradation: { substitute: 'small', check: 'V2' },
    });
    const asked = outcome.log.filter(({ body }) => body.type.startsWith('question-')).map(({ body }) => body.type);
    expect(asked).toEqual(['question-asked', 'question-answered']);
  });

  it('ends as it was decided where the person says no, and says what was proposed', async () => {
    const outcome = await call([a, small], scripts, { context: high, person: person('deny') });
    expect(outcome.text).toBe('');
    expect(failureOf(outcome)?.decision).toMatchObject({ action: 'ESCALATE', proposes: 'L3' });
    expect(failureOf(outcome)?.message).toMatch(/Proposed: go on at rung L3 .* with .* needs a person's word/);
  });

  it('asks nobody where nobody is there', async () => {
    const outcome = await call([a, small], scripts, { context: high });
    expect(outcome.log.some(({ body }) => body.type === 'question-asked')).toBe(false);
    expect(failureOf(outcome)?.message).toContain('Proposed: go on at rung L3');
  });

  it('waits no longer than leaves time for the answer', async () => {
    const never: ApprovalPort['ask'] = () => new Promise(() => undefined);
    const outcome = await call([a, small], scripts, { context: { ...high, deadlineMs: 20_000 }, person: never });
    expect(failureOf(outcome)?.decision).toMatchObject({ action: 'ESCALATE' });
    expect(outcome.clock.nowMs()).toBeLessThanOrEqual(20_000);
    expect(outcome.log.find(({ body }) => body.type === 'question-answered')?.body).toMatchObject({ answer: 'deny' });
  });

  it('asks once for each rung: after the lower tier has failed there is nothing left to propose', async () => {
    const yes = person('allow');
    const outcome = await call([a, small], { ...scripts, small: [fails(500)] }, { context: high, person: yes });
    expect(yes.asked).toHaveLength(1);
    expect(failureOf(outcome)?.decision).toMatchObject({ proposes: null });
  });

  it('takes a dialog that breaks as a no', async () => {
    const broken: ApprovalPort['ask'] = () => Promise.reject(new Error('no window'));
    const outcome = await call([a, small], scripts, { context: high, person: broken });
    expect(failureOf(outcome)?.decision).toMatchObject({ action: 'ESCALATE', proposes: 'L3' });
  });

  it('proposes a substitute outside the route where that is what needs a person', async () => {
    const other = candidate('other', { tier: 'large' });
    const degradation = { requireHumanFor: { high: ['L2', 'L3', 'L4'] } };
    const yes = person('allow');
    const outcome = await call(
      [a],
      { a: [fails(529)], other: [answers('the same elsewhere')] },
      { context: high, others: [other], person: yes, raw: { 'belay.advanced': { degradation } } },
    );
    expect(outcome.text).toBe('the same elsewhere');
    expect(outcome.events.find(({ type }) => type === 'committed')).toMatchObject({ candidate: 'other', rung: 'L2' });
  });
});

describe('a failure of a call', () => {
  it('carries the decision that ended it, and none where the answer broke off', async () => {
    const failed = await call([a], { a: [fails(401)] });
    expect(failureOf(failed)?.decision).toMatchObject({ action: 'ESCALATE', rule: 'T7/permission', proposes: null });
    const none = await call([], {});
    expect(failureOf(none)?.decision).toBeUndefined();
  });

  it('of a permanent fault at low and medium criticality is a FAIL', async () => {
    const invalid = fails(400, { body: { error: { type: 'invalid_request_error', message: 'bad' } } });
    for (const criticality of ['low', 'medium'] as const) {
      const failed = await call([a], { a: [invalid] }, { context: { criticality } });
      expect(failureOf(failed)?.decision).toMatchObject({ action: 'FAIL' });
    }
  });
});

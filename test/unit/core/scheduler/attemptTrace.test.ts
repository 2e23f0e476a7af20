import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../../src/core/faults/fault.ts';
import { faultEvidence, pingTrace, traceOf, type EndedLane } from '../../../../src/core/scheduler/attemptTrace.ts';
import { balancedConstants } from '../../../../src/core/scheduler/balanced/constants.ts';

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
const ended: EndedLane = {
  candidate: 'a',
  role: 'chat',
  ending: 'failed',
  fault: fault({}),
  isCallerGone: false,
  isOwnDeadline: false,
  elapsedMs: 4000,
  firstTokenMs: null,
  receivedChars: 400,
  timers: { firstTokenMs: 3000, totalMs: 20_000, decodeAfterMs: 1500, slowMsPerToken: null },
  promisedSuccess: 0.9,
};

describe('what the end of an attempt teaches', () => {
  it.each<[string, Partial<EndedLane>, string]>([
    ['an answer', { ending: 'succeeded', fault: null }, 'success'],
    ['a broken connection', {}, 'hard-failure'],
    ['a rate limit', { fault: fault({ class: 'T2' }) }, 'hard-failure'],
    ['a timeout', { fault: fault({ class: 'T3' }) }, 'hard-failure'],
    ['a refused key', { fault: fault({ class: 'T7', detail: 'permission' }) }, 'hard-failure'],
    ['our own bad request', { fault: fault({ class: 'T7', detail: 'fixable' }) }, 'neutral'],
    ['an overflow', { fault: fault({ class: 'T6' }) }, 'neutral'],
    ['a refusal', { fault: fault({ class: 'T8' }) }, 'neutral'],
    ['an answer of the wrong form', { fault: fault({ class: 'T5' }) }, 'invalid-output'],
    ['an answer that does not hold', { fault: fault({ class: 'V1' }) }, 'invalid-output'],
    ["the caller's own deadline", { fault: fault({ class: 'T3' }), isOwnDeadline: true }, 'neutral'],
    ['a loser that was silent beyond its timer', { ending: 'cancelled', fault: null }, 'hang-cut'],
    ['a loser that was in time', { ending: 'cancelled', fault: null, elapsedMs: 2000 }, 'cancelled'],
    ['a loser that had begun to answer', { ending: 'cancelled', fault: null, firstTokenMs: 500 }, 'cancelled'],
    ['a caller that has gone', { ending: 'cancelled', fault: null, isCallerGone: true }, 'neutral'],
    ['a loser of a race without timers', { ending: 'cancelled', fault: null, timers: null }, 'cancelled'],
  ])('%s', (_name, change, outcome) => {
    expect(traceOf({ ...ended, ...change }, balancedConstants).outcome).toBe(outcome);
  });

  it('blames a refused key on the candidate alone, for five minutes', () => {
    const trace = traceOf({ ...ended, fault: fault({ class: 'T7', detail: 'permission' }) }, balancedConstants);
    expect(trace).toMatchObject({ blames: ['own'], retryAfterMs: 300_000 });
    expect(traceOf(ended, balancedConstants)).not.toHaveProperty('blames');
  });

  it('keeps how long the provider asked to be left alone, and the speed as it came', () => {
    const trace = traceOf({ ...ended, fault: fault({ class: 'T2', retryAfterMs: 7000 }) }, balancedConstants);
    expect(trace).toMatchObject({ retryAfterMs: 7000, outputTokens: 100, totalMs: 4000, isPing: false });
  });

  it('takes a ping that was answered with no for an upstream that is well', () => {
    expect(pingTrace('a', { fault: null, elapsedMs: 90 })).toMatchObject({ outcome: 'success', firstTokenMs: 90 });
    expect(pingTrace('a', { fault: fault({ class: 'T7' }), elapsedMs: 90 })).toMatchObject({
      outcome: 'success',
      firstTokenMs: null,
    });
    expect(pingTrace('a', { fault: fault({ class: 'T4' }), elapsedMs: 90 }).outcome).toBe('hard-failure');
  });

  it('weighs a wrong form little, since it counts for availability already', () => {
    expect(faultEvidence(fault({ class: 'V1' }))).toEqual({ source: 'semantic-fault', q: 0, weight: 1 });
    expect(faultEvidence(fault({ class: 'T5' }))).toMatchObject({ q: 0.2, weight: 0.1 });
    expect(faultEvidence(fault({ class: 'T2' }))).toBeNull();
  });
});

// Where a failure is counted (HFR 4.7: a breaker for each provider, model, tool and tenant), what it says of the load, and when
// a call may wait for a breaker.
import { describe, expect, it } from 'vitest';
import type { Fault, FaultClass } from '../../../../src/core/faults/fault.ts';
import {
  attemptOutcomes,
  callOutcome,
  loadSignals,
  mayWaitForReopening,
  modelTarget,
  providerTarget,
  type AttemptHealth,
} from '../../../../src/core/recovery/breakerTargets.ts';
import { parseSettings } from '../../../../src/core/settings.ts';
import { candidate } from '../../../support/candidates.ts';

const { breaker: limits } = parseSettings({}).settings.advanced;
const fault = (cls: FaultClass): Fault => ({
  ...{ class: cls, confidence: 0.9, secondary: null, detail: null, retryable: true, explicit: true },
  ...{ action: 'RETRY', retryAfterMs: null, evidence: [] },
});
const failed = (cls: FaultClass, change: Partial<AttemptHealth> = {}): AttemptHealth => ({
  fault: fault(cls),
  httpStatus: null,
  firstTokenMs: null,
  elapsedMs: 2000,
  isOwnDeadline: false,
  ...change,
});
const served = failed('T1', { fault: null, httpStatus: 200, firstTokenMs: 400 });

describe('a breaker', () => {
  it('is of one account at a provider: another account is limited for itself', () => {
    const target = (providerId: string, account: string): string =>
      providerTarget(candidate('c', { providerId, account }));
    expect(target('openai', 'work')).toBe('provider:openai/work');
    expect(new Set([target('openai', 'work'), target('openai', 'home'), target('azure', 'work')]).size).toBe(3);
    expect(modelTarget(candidate('openai/gpt'))).toBe('model:openai/gpt');
  });
});

describe('what an attempt says of health', () => {
  it('only a silence has a latency without a first token: a refused connection was not slow', () => {
    expect(attemptOutcomes(failed('T3'), limits).model.latencyMs).toBe(2000);
    expect(attemptOutcomes(failed('T1'), limits).model.latencyMs).toBeNull();
    expect(attemptOutcomes(failed('T1', { firstTokenMs: 300 }), limits).model.latencyMs).toBe(300);
  });

  it('an overloaded model never counts against its provider, also where no status came', () => {
    for (const httpStatus of [null, 200, 529])
      expect(attemptOutcomes(failed('T4', { httpStatus }), limits)).toMatchObject({
        provider: { kind: 'neutral', weight: 0 },
        model: { kind: 'failure', weight: 1 },
      });
  });

  it('an answer without any content took as long as it took', () => {
    expect(attemptOutcomes({ ...served, firstTokenMs: null }, limits).provider.latencyMs).toBe(2000);
  });

  it('a shared cause that weighs nothing by setting says nothing of the provider', () => {
    const { provider } = attemptOutcomes(failed('T1', { httpStatus: 500 }), { ...limits, sharedCauseWeight: 0 });
    expect(provider).toEqual({ kind: 'neutral', weight: 0, latencyMs: null });
  });
});

describe('what an attempt says of load', () => {
  it.each<[string, AttemptHealth, ReturnType<typeof loadSignals>]>([
    ['an answer: both serve', served, { provider: 'served', model: 'served' }],
    ['a rate limit: too much for the account', failed('T2'), { provider: 'overloaded', model: null }],
    ['a 429 too', failed('T2', { httpStatus: 429 }), { provider: 'overloaded', model: null }],
    ['a silence before any header: it may be either', failed('T3'), { provider: 'overloaded', model: 'overloaded' }],
    [
      'a silence after the headers: the provider did take it',
      failed('T3', { httpStatus: 200 }),
      { provider: null, model: 'overloaded' },
    ],
    ['an overload: the model alone', failed('T4'), { provider: null, model: 'overloaded' }],
    ['a broken way: no load', failed('T1'), { provider: null, model: null }],
    ['a call of ours that was wrong: no load', failed('T7', { httpStatus: 400 }), { provider: null, model: null }],
    [
      "the caller's own deadline: nothing, however silent it was",
      failed('T3', { isOwnDeadline: true }),
      { provider: null, model: null },
    ],
    [
      'an answer at the deadline: both serve',
      { ...served, isOwnDeadline: true },
      { provider: 'served', model: 'served' },
    ],
  ])('%s', (_, health, expected) => {
    expect(loadSignals(health)).toEqual(expected);
  });
});

describe('what a call says of its tenant', () => {
  const health = { failedUpstreams: 2, isOwnDeadline: false };
  const neutral = { kind: 'neutral', weight: 0, latencyMs: null };

  it('an answer is a success, whatever failed before it', () => {
    expect(callOutcome(null, health)).toEqual({ kind: 'success', weight: 1, latencyMs: null });
  });

  it('a failure wherever it went is its own, of one upstream that of the upstream', () => {
    expect(callOutcome(fault('T1'), health)).toEqual({ kind: 'failure', weight: 1, latencyMs: null });
    expect(callOutcome(fault('T1'), { ...health, failedUpstreams: 3 }).kind).toBe('failure');
    for (const failedUpstreams of [0, 1])
      expect(callOutcome(fault('T1'), { ...health, failedUpstreams })).toEqual(neutral);
  });

  it('rate limits everywhere are counted as such, for they have their own threshold', () => {
    expect(callOutcome(fault('T2'), health)).toEqual({ kind: 'rate-limited', weight: 1, latencyMs: null });
  });

  it('nothing where its time was up, or where no health is at stake', () => {
    expect(callOutcome(fault('T1'), { ...health, isOwnDeadline: true })).toEqual(neutral);
    expect(callOutcome(fault('T8'), health)).toEqual(neutral);
  });
});

describe('a call whose candidates are all closed off', () => {
  const nowMs = 1_800_000_000_000;
  const base = { hasTried: false, nowMs, earliestMs: nowMs + 5000, waitEndMs: nowMs + 5000, stepMs: 1000 };

  it('waits at any time of day, to the last millisecond in which it may', () => {
    expect(mayWaitForReopening({ ...base, deadlineMs: nowMs + 6000 })).toBe(true);
    expect(mayWaitForReopening({ ...base, deadlineMs: nowMs + 5999 })).toBe(false);
    expect(mayWaitForReopening({ ...base, waitEndMs: nowMs + 4999, deadlineMs: nowMs + 6000 })).toBe(false);
  });

  it('does not wait for what may be probed already, and so needs time for the try alone', () => {
    const ready = { ...base, earliestMs: nowMs - 60_000 };
    expect(mayWaitForReopening({ ...ready, deadlineMs: nowMs + 1000 })).toBe(true);
    expect(mayWaitForReopening({ ...ready, deadlineMs: nowMs + 999 })).toBe(false);
  });
});

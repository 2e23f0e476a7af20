// Signals that contradict each other, and what nobody knows.
import { describe, expect, it } from 'vitest';
import { classify } from '../../../../src/core/faults/classify.ts';
import { anthropicBody, observe, openaiBody } from './observe.ts';

describe('compound and contradicting signals', () => {
  it('takes the refusal before the rate limit beside it', () => {
    const fault = classify(
      observe({
        httpStatus: 429,
        body: openaiBody('Rate limit reached; the request was also blocked by our content policy.'),
      }),
    );
    expect([fault.class, fault.secondary, fault.retryable, fault.action]).toEqual(['T8', 'T2', false, 'ESCALATE']);
  });

  it('does not believe an overload that a 401 tells in its message', () => {
    const fault = classify(
      observe({
        httpStatus: 401,
        body: anthropicBody('authentication_error', 'overloaded, rate limit, please retry in 1s'),
      }),
    );
    expect([fault.class, fault.detail, fault.retryable, fault.retryAfterMs]).toEqual(['T7', 'permission', false, null]);
  });

  it('does not believe JSON that is quoted inside a message', () => {
    const quoted = JSON.stringify({ error: { type: 'overloaded_error', code: 529 } });
    expect(classify(observe({ httpStatus: 400, body: openaiBody(quoted, 'invalid_request_error') })).class).toBe('T7');
  });

  it('calls a provider that fails nearly always overloaded rather than transient', () => {
    const recent = { requests: 20, errors: 19, rateLimited: 0, p95Ms: 900 };
    const fault = classify(observe({ httpStatus: 500, body: {}, recent }));
    expect([fault.class, fault.secondary]).toEqual(['T4', 'T1']);
    expect(classify(observe({ httpStatus: 500, body: {}, recent: { ...recent, errors: 2 } })).class).toBe('T1');
  });

  it('does not read what the model said as what the provider said', () => {
    const body = {
      choices: [
        {
          message: { content: 'The rate limit was exceeded because the server was overloaded.' },
          finish_reason: 'length',
        },
      ],
    };
    const fault = classify(observe({ httpStatus: 200, streamPhase: 'after_finish', finishReason: 'length', body }));
    expect([fault.class, fault.explicit]).toEqual(['V1', false]);
  });

  it('obeys a server that forbids the retry', () => {
    const fault = classify(observe({ httpStatus: 500, headers: { 'x-should-retry': 'false' }, body: {} }));
    expect([fault.class, fault.retryable, fault.action]).toEqual(['T1', false, 'DEGRADE_MODEL']);
  });

  it('obeys a server that asks for the retry of a conflict', () => {
    const fault = classify(observe({ httpStatus: 409, headers: { 'x-should-retry': 'true' }, body: '' }));
    expect([fault.class, fault.retryable]).toEqual(['T1', true]);
  });

  it('names rules and signals as evidence, never the text', () => {
    const secret = 'sk-live-0123456789';
    const fault = classify(
      observe({ httpStatus: 401, body: openaiBody(`Incorrect API key provided: ${secret}`, 'x', secret) }),
    );
    expect(fault.evidence.length).toBeGreaterThan(0);
    expect(fault.evidence.join(' ')).not.toContain(secret);
    expect(fault.evidence[0]).toMatch(/^permission\.|^http\./);
  });
});

describe('what nobody knows', () => {
  it('probes an unknown failure of a read and reconciles one of a write', () => {
    expect(classify(observe({ body: 'qwertz' })).action).toBe('RETRY');
    const write = classify(observe({ body: 'qwertz', operation: 'tool_write' }));
    expect([write.class, write.action, write.retryable]).toEqual(['unknown', 'RECONCILE', false]);
  });

  it('treats an operation it does not know as a write', () => {
    // The cast stands for a caller that was not type-checked.
    const odd = { ...observe({}), operation: 'launch' as unknown as 'tool_write' };
    expect(classify(odd).action).toBe('RECONCILE');
  });
});

// A status that says "not you" or "not this" stays what it is, whatever the body adds.
import { describe, expect, it } from 'vitest';
import { classify } from '../../../../src/core/faults/classify.ts';
import type { Fault, Observation } from '../../../../src/core/faults/fault.ts';
import { anthropicBody, observe, openaiBody } from './observe.ts';

const soft: Readonly<Record<string, unknown>> = {
  'a rate-limit code': openaiBody('Rate limit reached, try again in 2s', 'rate_limit_error', 'rate_limit_exceeded'),
  'an overload code': anthropicBody('overloaded_error', 'Overloaded'),
  'a transient code': openaiBody('try again', 'server_error', 'internal_error'),
  'a timeout code': { error: { code: 'deadline_exceeded', status: 'UNAVAILABLE' } },
  'a throttle': { __type: 'ThrottlingException', message: 'Too many requests' },
  'an inner 503': { error: { code: 503, message: 'overloaded' } },
  'the words of a rate limit': 'Too many requests, the server is overloaded, please retry after 5 seconds',
};

const judge = (seen: Partial<Observation>): Fault => classify(observe(seen), 0);

describe.each([undefined, 'openai', 'anthropic', 'google', 'openrouter', 'bedrock', 'zhipu'])('at %s', (provider) => {
  const from = provider === undefined ? {} : { provider };
  it.each(Object.entries(soft))('401 and 403 with %s stay a matter of permission', (_name, body) => {
    for (const httpStatus of [401, 403]) {
      const fault = judge({ ...from, httpStatus, body, headers: { 'retry-after': '1' } });
      expect([fault.class, fault.detail, fault.retryable, fault.action], fault.evidence.join()).toEqual([
        'T7',
        'permission',
        false,
        'ESCALATE',
      ]);
    }
  });
});

describe('a request that is refused as such', () => {
  it.each(Object.entries(soft))('with %s is not sent again', (_name, body) => {
    for (const httpStatus of [400, 404, 405, 410, 422]) {
      const fault = judge({ httpStatus, body });
      expect([httpStatus, fault.class, fault.retryable], fault.evidence.join()).toEqual([httpStatus, 'T7', false]);
    }
  });

  it('may be a throttle where the vendor is known to tell it so', () => {
    expect(judge({ provider: 'bedrock', httpStatus: 400, body: { __type: 'ThrottlingException' } }).class).toBe('T2');
    expect(judge({ provider: 'zhipu', httpStatus: 400, body: { error: { code: '1302' } } }).class).toBe('T2');
  });

  it('holds also when only the body tells its status', () => {
    for (const httpStatus of [null, 200]) {
      const body = { error: { code: 403, type: 'overloaded_error', message: 'no' } };
      expect(judge({ httpStatus, body })).toMatchObject({ class: 'T7', detail: 'permission', retryable: false });
    }
  });
});

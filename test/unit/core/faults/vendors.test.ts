// Vendors over the OpenAI wire, one table each: what they call things, and what their statuses really mean.
import { describe, expect, it } from 'vitest';
import { classify } from '../../../../src/core/faults/classify.ts';
import type { Fault, FaultClass, Observation } from '../../../../src/core/faults/fault.ts';
import { observe, openaiBody } from './observe.ts';

interface Case {
  readonly what: string;
  readonly seen: Partial<Observation>;
  readonly is: FaultClass;
  readonly detail?: Fault['detail'];
  readonly beside?: FaultClass;
  readonly waitMs?: number;
}

function each(provider: string, cases: readonly Case[]): void {
  it.each(cases)('$what is $is', ({ seen, is, detail, beside, waitMs }) => {
    const fault = classify(observe({ provider, ...seen }), 0);
    expect([fault.class, fault.evidence]).toEqual([is, fault.evidence]);
    if (detail !== undefined) expect(fault.detail).toBe(detail);
    if (beside !== undefined) expect(fault.secondary).toBe(beside);
    if (waitMs !== undefined) expect(fault.retryAfterMs).toBe(waitMs);
  });
}

const body = (httpStatus: number, message: string, type: string | null, code: string | null): Partial<Observation> => ({
  httpStatus,
  body: openaiBody(message, type, code),
});
const bare = (httpStatus: number, fields: object): Partial<Observation> => ({ httpStatus, body: fields });

describe('groq', () => {
  const tpm = 'on tokens per minute (TPM): Limit 5000, Used 0, Requested ~7000. Please try again in 24s.';
  each('groq', [
    {
      what: 'a request over the whole window',
      seen: body(429, `Rate limit reached ${tpm}`, 'tokens', 'rate_limit_exceeded'),
      is: 'T6',
      beside: 'T2',
    },
    {
      what: 'over capacity',
      seen: body(503, 'qwen is over capacity, back off', 'internal_server_error', null),
      is: 'T4',
    },
    { what: 'the flex tier full', seen: body(498, 'Flex tier is full', null, 'capacity_exceeded'), is: 'T4' },
    {
      what: 'JSON mode that failed',
      seen: body(400, 'Could not generate JSON', 'invalid_request_error', 'json_validate_failed'),
      is: 'V1',
      beside: 'T5',
    },
    {
      what: 'a tool call that failed',
      seen: body(400, 'The call failed', 'invalid_request_error', 'tool_use_failed'),
      is: 'T5',
    },
    {
      what: 'an organisation that is shut out',
      seen: body(400, 'Ask support', 'invalid_request_error', 'organization_restricted'),
      is: 'T7',
      detail: 'permission',
    },
    {
      what: 'too much output asked for',
      seen: {
        httpStatus: 400,
        body: {
          error: {
            message: 'max_tokens must be at most 8192; it is smaller than the context_window',
            type: 'invalid_request_error',
            param: 'max_tokens',
          },
        },
      },
      is: 'T7',
      detail: 'fixable',
    },
    {
      what: 'a model taken away',
      seen: body(400, 'Gone', 'invalid_request_error', 'model_decommissioned'),
      is: 'T7',
      detail: 'fixable',
    },
  ]);

  it('is the only one whose failed JSON under 400 is a bad answer', () => {
    const seen = body(400, 'Could not generate JSON', 'invalid_request_error', 'json_validate_failed');
    expect(classify(observe({ provider: 'acme', ...seen })).class).toBe('T7');
  });
});

describe('mistral', () => {
  each('mistral', [
    { what: 'requests per second', seen: bare(429, { message: 'Requests rate limit exceeded, slower' }), is: 'T2' },
    {
      what: 'no capacity in the tier',
      seen: bare(429, {
        message: 'Capacity exceeded for this service tier',
        type: 'service_tier_capacity_exceeded',
        code: '3505',
      }),
      is: 'T4',
    },
    { what: 'a bad key', seen: bare(401, { detail: 'Unauthorized' }), is: 'T7', detail: 'permission' },
    {
      what: 'a prompt too long',
      seen: bare(400, {
        message: 'The prompt of 50000 tokens exceeds the maximum context length',
        code: '3051',
      }),
      is: 'T6',
    },
    {
      what: 'calls and results that do not fit',
      seen: bare(400, {
        message: 'There is not the same number of function calls and responses',
        type: 'invalid_request_message_order',
      }),
      is: 'T5',
      beside: 'T7',
    },
    {
      what: 'an unknown model',
      seen: bare(400, { message: 'Invalid model: large-9', type: 'invalid_model', code: '1500' }),
      is: 'T7',
      detail: 'fixable',
    },
  ]);
});

describe('xai', () => {
  const code = 'The caller may not do that';
  each('xai', [
    {
      what: 'a bad key under 400',
      seen: bare(400, { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xa***1.' }),
      is: 'T7',
      detail: 'permission',
    },
    {
      what: 'a team without credits under 403',
      seen: bare(403, { code, error: 'Your team has no credits left, purchase credits in the console.' }),
      is: 'T7',
      detail: 'quota',
    },
    {
      what: 'requests per second',
      seen: bare(429, {
        code: 'Some resource has been exhausted',
        error: 'Too many requests for this team: Requests per Second 9/8.',
      }),
      is: 'T2',
    },
    {
      what: 'the monthly limit under 429',
      seen: bare(429, {
        code: 'Some resource has been exhausted',
        error: 'The team has reached its monthly spending limit.',
      }),
      is: 'T7',
      detail: 'quota',
    },
    { what: 'no room', seen: bare(503, { code: 'unavailable', error: 'The model is at capacity.' }), is: 'T4' },
    {
      what: 'a safety check',
      seen: bare(403, { code, error: 'The content violates our usage guidelines.' }),
      is: 'T8',
    },
    {
      what: 'a model of somebody else',
      seen: bare(404, {
        code: 'not found',
        error: 'The model x does not exist or your team does not have access to it.',
      }),
      is: 'T7',
      detail: 'fixable',
    },
  ]);
});

describe('together', () => {
  each('together', [
    {
      what: 'a limit of queries that its type calls credit',
      seen: body(429, 'You are rate limited: 30 queries per minute on this plan.', 'credit_limit', null),
      is: 'T2',
    },
    { what: 'no credit', seen: body(402, 'Credit limit exceeded', 'credit_limit', null), is: 'T7', detail: 'quota' },
    { what: 'a dynamic limit', seen: body(429, 'Slow down', 'rate_limit_error', 'dynamic_request_limited'), is: 'T2' },
    { what: 'overload', seen: body(503, 'The server is overloaded', 'service_unavailable', null), is: 'T4' },
    {
      what: 'a parameter out of range',
      seen: body(400, 'Input validation error: top_p must be > 0', 'invalid_request_error', null),
      is: 'T7',
      detail: 'fixable',
    },
    {
      what: 'a model it does not serve',
      seen: body(404, 'Unable to access model a/b', 'invalid_request_error', 'model_not_available'),
      is: 'T7',
      detail: 'fixable',
    },
  ]);
});

describe('fireworks', () => {
  const suspended = 'The account is suspended because the monthly spending limit was reached or an invoice is unpaid.';
  each('fireworks', [
    {
      what: 'a suspended account under 412',
      seen: body(412, suspended, 'error', 'PRECONDITION_FAILED'),
      is: 'T7',
      detail: 'quota',
    },
    {
      what: 'the same inside a relay',
      seen: {
        httpStatus: 502,
        body: {
          error: {
            message: 'upstream failed',
            details: { status_code: 412, response: { error: { message: suspended } } },
          },
        },
      },
      is: 'T7',
      detail: 'quota',
    },
    { what: 'overload', seen: body(503, 'The service is overloaded', 'server_error', 'SERVICE_UNAVAILABLE'), is: 'T4' },
    { what: 'a rate', seen: body(429, 'Slower please', 'error', 'RATE_LIMIT_EXCEEDED'), is: 'T2' },
    {
      what: 'a model that is not deployed',
      seen: body(404, 'Model not found or not deployed', 'error', 'NOT_FOUND'),
      is: 'T7',
      detail: 'fixable',
    },
  ]);
});

describe('cerebras', () => {
  each('cerebras', [
    {
      what: 'tokens of a minute',
      seen: {
        httpStatus: 429,
        headers: {
          'x-ratelimit-remaining-tokens-minute': '0',
          'x-ratelimit-reset-tokens-minute': '12.5',
          'x-ratelimit-reset-requests-day': '70000',
        },
        body: {
          message: 'The tokens of this minute are used up',
          type: 'too_many_tokens_error',
          code: 'token_quota_exceeded',
        },
      },
      is: 'T2',
      waitMs: 12_500,
    },
    {
      what: 'its queue',
      seen: bare(429, { message: 'busy', type: 'too_many_requests_error', code: 'queue_exceeded' }),
      is: 'T4',
    },
    {
      what: 'a wrong key',
      seen: bare(401, { message: 'Wrong key', code: 'wrong_api_key' }),
      is: 'T7',
      detail: 'permission',
    },
    {
      what: 'a tool call it could not write',
      seen: bare(400, {
        message: 'No call came of it',
        type: 'invalid_request_error',
        code: 'tool_call_generation_failed',
      }),
      is: 'T5',
    },
    {
      what: 'a prompt too long',
      seen: bare(400, { message: 'Shorten what you send', code: 'context_length_exceeded' }),
      is: 'T6',
    },
  ]);
});

describe('deepseek', () => {
  const silence = ': keep-alive\n\n'.repeat(30);
  each('deepseek', [
    {
      what: 'ten minutes of nothing but comments',
      seen: { httpStatus: 200, streamPhase: 'before_first_token', body: silence, elapsedMs: 600_000 },
      is: 'T4',
      beside: 'T3',
    },
    {
      what: 'a refused key',
      seen: body(401, 'Authentication fails', 'authentication_error', null),
      is: 'T7',
      detail: 'permission',
    },
    {
      what: 'being busy',
      seen: body(503, 'The service is too busy at present', 'service_unavailable_error', null),
      is: 'T4',
    },
    {
      what: 'a window that is too small',
      seen: body(400, 'The maximum context length of this model is 65536 tokens', 'invalid_request_error', null),
      is: 'T6',
    },
  ]);
});

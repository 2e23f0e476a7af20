// The dialect of others over the OpenAI wire: its words, codes and shapes.
import { describe, expect, it } from 'vitest';
import { openaiBody, verdictOf } from './observe.ts';
import type { Row } from './observe.ts';

const rows: readonly Row[] = [
  {
    name: 'mistral: capacity',
    seen: {
      provider: 'mistral',
      httpStatus: 429,
      body: {
        object: 'error',
        message: 'Service capacity exceeded for this tier',
        type: 'service_tier_capacity_exceeded',
        code: '3505',
      },
    },
    is: 'T4',
  },
  {
    name: 'deepseek: balance',
    seen: {
      provider: 'deepseek',
      httpStatus: 402,
      body: openaiBody('Insufficient Balance', 'unknown_error', 'invalid_request_error'),
    },
    is: 'T7',
    detail: 'quota',
  },
  {
    name: 'deepseek: risk words',
    seen: { provider: 'deepseek', httpStatus: 400, body: openaiBody('Content Exists Risk', 'invalid_request_error') },
    is: 'T8',
  },
  {
    name: 'deepseek: stopped for want of resources',
    seen: {
      provider: 'deepseek',
      httpStatus: 200,
      streamPhase: 'after_finish',
      finishReason: 'insufficient_system_resource',
      body: { choices: [{ message: { content: 'Half' }, finish_reason: 'insufficient_system_resource' }] },
    },
    is: 'T4',
  },
  {
    name: 'xai: prompt length',
    seen: {
      provider: 'xai',
      httpStatus: 400,
      body: {
        code: 'Client specified an invalid argument',
        error: "This model's maximum prompt length is 131072 but the request contains 200001 tokens.",
      },
    },
    is: 'T6',
  },
  {
    name: 'xai: usage guidelines',
    seen: {
      provider: 'xai',
      httpStatus: 403,
      body: { code: 'The caller does not have permission', error: 'Content violates usage guidelines.' },
    },
    is: 'T8',
  },
  {
    name: 'together: inputs and new tokens',
    seen: {
      provider: 'together',
      httpStatus: 422,
      body: openaiBody(
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens',
        'invalid_request_error',
      ),
    },
    is: 'T6',
  },
  {
    name: 'fireworks: prompt too long',
    seen: {
      provider: 'fireworks',
      httpStatus: 400,
      body: openaiBody('The prompt is too long: 150000, model maximum context length: 131072', 'invalid_request_error'),
    },
    is: 'T6',
  },
  {
    name: 'groq: too large for its window',
    seen: {
      provider: 'groq',
      httpStatus: 413,
      body: openaiBody(
        'Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 9100',
        'tokens',
        'rate_limit_exceeded',
      ),
    },
    is: 'T6',
  },
  {
    name: 'cerebras: queue',
    seen: {
      provider: 'cerebras',
      httpStatus: 429,
      body: { message: 'Busy', type: 'too_many_requests_error', param: 'queue', code: 'queue_exceeded' },
    },
    is: 'T4',
  },
  {
    name: 'cohere: total tokens',
    seen: {
      provider: 'cohere',
      httpStatus: 400,
      body: { message: 'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000.' },
    },
    is: 'T6',
  },
  {
    name: 'hugging face: monthly credits',
    seen: {
      provider: 'huggingface',
      httpStatus: 402,
      body: { error: 'You have exceeded your monthly included credits.' },
    },
    is: 'T7',
    detail: 'quota',
  },
];

describe('others over the OpenAI wire', () => {
  it.each(rows)('$name is $is', (row) => {
    const { got, want } = verdictOf(row);
    expect(got).toEqual(want);
  });
});

// The dialect of gemini and vertex: its words, codes and shapes.
import { describe, expect, it } from 'vitest';
import { googleBody, verdictOf } from './observe.ts';
import type { Row } from './observe.ts';

const rows: readonly Row[] = [
  {
    name: 'a window that opens again',
    seen: {
      provider: 'gemini',
      httpStatus: 429,
      body: googleBody(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan.', [
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '12s' },
      ]),
    },
    is: 'T2',
    beside: 'T7',
  },
  {
    name: 'a limit of zero',
    seen: {
      provider: 'gemini',
      httpStatus: 429,
      body: googleBody(
        429,
        'RESOURCE_EXHAUSTED',
        'Quota exceeded for metric: free_tier_tokens, limit: 0, model: gemini-x. Please retry in 3s.',
        [{ retryDelay: '3s' }],
      ),
    },
    is: 'T7',
    detail: 'quota',
  },
  {
    name: 'no capacity behind a quota status',
    seen: {
      provider: 'gemini',
      httpStatus: 429,
      body: googleBody(429, 'RESOURCE_EXHAUSTED', 'No room.', [{ reason: 'MODEL_CAPACITY_EXHAUSTED' }]),
    },
    is: 'T4',
    beside: 'T2',
  },
  {
    name: 'overloaded under 503',
    seen: {
      provider: 'vertex',
      httpStatus: 503,
      body: googleBody(503, 'UNAVAILABLE', 'The model is overloaded. Come back later.'),
    },
    is: 'T4',
    beside: 'T1',
  },
  {
    name: 'unavailable without a reason',
    seen: {
      provider: 'vertex',
      httpStatus: 503,
      body: googleBody(503, 'UNAVAILABLE', 'The service is currently unavailable.'),
    },
    is: 'T1',
  },
  {
    name: 'too many input tokens',
    seen: {
      provider: 'gemini',
      httpStatus: 400,
      body: googleBody(
        400,
        'INVALID_ARGUMENT',
        'The input token count exceeds the maximum number of tokens allowed 131072.',
      ),
    },
    is: 'T6',
  },
  {
    name: 'place not served',
    seen: {
      provider: 'gemini',
      httpStatus: 400,
      body: googleBody(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'),
    },
    is: 'T7',
    detail: 'permission',
  },
  {
    name: 'prompt blocked',
    seen: {
      provider: 'gemini',
      httpStatus: 200,
      streamPhase: 'after_finish',
      body: { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 9 } },
    },
    is: 'T8',
  },
  {
    name: 'malformed call',
    seen: {
      provider: 'gemini',
      httpStatus: 200,
      streamPhase: 'after_finish',
      finishReason: 'MALFORMED_FUNCTION_CALL',
      body: { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] },
    },
    is: 'T5',
  },
  {
    name: 'function declaration rejected',
    seen: {
      provider: 'gemini',
      httpStatus: 400,
      body: googleBody(
        400,
        'INVALID_ARGUMENT',
        '* GenerateContentRequest.tools[0].function_declarations[2].parameters.properties: should be non-empty for OBJECT type',
      ),
    },
    is: 'T5',
    beside: 'T7',
  },
];

describe('gemini and vertex', () => {
  it.each(rows)('$name is $is', (row) => {
    const { got, want } = verdictOf(row);
    expect(got).toEqual(want);
  });
});

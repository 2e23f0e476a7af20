// The dialect of routers and proxies: its words, codes and shapes.
import { describe, expect, it } from 'vitest';
import { openaiBody, thrown, verdictOf } from './observe.ts';
import type { Row } from './observe.ts';

const rows: readonly Row[] = [
  {
    name: 'credits used up',
    seen: {
      provider: 'openrouter',
      httpStatus: 402,
      body: { error: { code: 402, message: 'Insufficient credits. Add more to continue.' } },
    },
    is: 'T7',
    detail: 'quota',
  },
  {
    name: 'overflow in the upstream body',
    seen: {
      provider: 'openrouter',
      httpStatus: 400,
      body: {
        error: {
          code: 400,
          message: 'Provider returned error',
          metadata: {
            raw: '{"error":{"message":"input is longer than the context length of this model","code":"context_length_exceeded"}}',
          },
        },
      },
    },
    is: 'T6',
  },
  {
    name: 'capacity in the upstream body',
    seen: {
      provider: 'openrouter',
      httpStatus: 502,
      body: {
        error: {
          code: 502,
          message: 'Provider returned error',
          metadata: { raw: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}' },
        },
      },
    },
    is: 'T4',
  },
  {
    name: 'moderated',
    seen: {
      provider: 'openrouter',
      httpStatus: 403,
      body: {
        error: {
          code: 403,
          message: 'This model requires moderation. Your input was flagged.',
          metadata: { reasons: ['hate'], flagged_input: 'rate limit' },
        },
      },
    },
    is: 'T8',
  },
  {
    name: 'litellm: budget',
    seen: {
      provider: 'litellm',
      httpStatus: 400,
      body: openaiBody('Budget has been exceeded! Current cost: 10.01, Max budget: 10.0', 'budget_exceeded', '400'),
    },
    is: 'T7',
    detail: 'quota',
  },
  {
    name: 'litellm: window in its wrapper',
    seen: {
      provider: 'litellm',
      httpStatus: 400,
      body: openaiBody('litellm.ContextWindowExceededError: the prompt does not fit', null, '400'),
    },
    is: 'T6',
  },
  {
    name: 'litellm: policy in its wrapper',
    seen: {
      provider: 'litellm',
      httpStatus: 500,
      body: openaiBody('litellm.ContentPolicyViolationError: VertexException - stopped', null, '500'),
    },
    is: 'T8',
  },
  {
    name: 'litellm: rate limit as text',
    seen: {
      provider: 'litellm',
      clientError: thrown('APIError', 'litellm.RateLimitError: RateLimitError: GroqException - slow'),
    },
    is: 'T2',
  },
  {
    name: 'nothing left to route to',
    seen: {
      provider: 'litellm',
      httpStatus: 429,
      body: openaiBody('No deployments available for selected model, Try again in 5 seconds.'),
    },
    is: 'T4',
  },
  {
    name: 'error of an upstream told by its status',
    seen: {
      provider: 'gateway',
      httpStatus: 502,
      body: openaiBody('upstream answered with status 401: unauthorized'),
    },
    is: 'T7',
    detail: 'permission',
  },
];

describe('routers and proxies', () => {
  it.each(rows)('$name is $is', (row) => {
    const { got, want } = verdictOf(row);
    expect(got).toEqual(want);
  });
});

// The dialect of openai and azure: its words, codes and shapes.
import { describe, expect, it } from 'vitest';
import { openaiBody, thrown, verdictOf } from './observe.ts';
import type { Row } from './observe.ts';

const rows: readonly Row[] = [
  {
    name: 'no money left, as a rate-limit status',
    seen: {
      provider: 'openai',
      httpStatus: 429,
      body: openaiBody('Quota is gone for this account.', 'insufficient_quota', 'insufficient_quota'),
    },
    is: 'T7',
    detail: 'quota',
    beside: 'T2',
    action: 'ESCALATE',
  },
  {
    name: 'billing hard limit',
    seen: {
      provider: 'openai',
      httpStatus: 400,
      body: openaiBody('Billing hard limit has been reached', 'invalid_request_error', 'billing_hard_limit_reached'),
    },
    is: 'T7',
    detail: 'quota',
  },
  {
    name: 'requests per minute',
    seen: {
      provider: 'openai',
      httpStatus: 429,
      body: openaiBody(
        'Rate limit reached for o9-mini on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.',
        'requests',
        'rate_limit_exceeded',
      ),
    },
    is: 'T2',
    action: 'RETRY',
  },
  {
    name: 'one request over the whole window',
    seen: {
      provider: 'openai',
      httpStatus: 429,
      body: openaiBody(
        'Request is over the tokens per min window: Limit 200,000, Requested 412,345.',
        'tokens',
        'rate_limit_exceeded',
      ),
    },
    is: 'T6',
    beside: 'T2',
    action: 'COMPRESS',
  },
  {
    name: 'a string longer than allowed',
    seen: {
      provider: 'openai',
      httpStatus: 400,
      body: openaiBody(
        "Invalid 'messages[3].content': string too long.",
        'invalid_request_error',
        'string_above_max_length',
      ),
    },
    is: 'T6',
  },
  {
    name: 'unsupported parameter',
    seen: {
      provider: 'openai',
      httpStatus: 400,
      body: openaiBody(
        "Unsupported parameter: 'temperature' is not supported with this model.",
        'invalid_request_error',
        'unsupported_parameter',
      ),
    },
    is: 'T7',
    detail: 'fixable',
    action: 'FAIL',
  },
  {
    name: 'wrong key',
    seen: {
      provider: 'openai',
      httpStatus: 401,
      body: openaiBody('Incorrect API key provided: sk-...zzzz.', 'invalid_request_error', 'invalid_api_key'),
    },
    is: 'T7',
    detail: 'permission',
    action: 'ESCALATE',
  },
  {
    name: 'prompt flagged by the platform',
    seen: {
      provider: 'openai',
      httpStatus: 400,
      body: openaiBody(
        'Invalid prompt: we have limited access to this content for safety reasons.',
        'invalid_request_error',
        'invalid_prompt',
      ),
    },
    is: 'T8',
    action: 'ESCALATE',
  },
  {
    name: 'policy code alone',
    seen: {
      provider: 'openai',
      httpStatus: 400,
      body: openaiBody('Request rejected.', 'image_generation_user_error', 'moderation_blocked'),
    },
    is: 'T8',
  },
  {
    name: 'slow down under 503',
    seen: {
      provider: 'openai',
      httpStatus: 503,
      body: openaiBody('Slow down', 'service_unavailable_error', 'slow_down'),
    },
    is: 'T4',
  },
  {
    name: 'engine overloaded under 503',
    seen: {
      provider: 'azure',
      httpStatus: 503,
      body: openaiBody('The engine cannot take more work: engine is currently overloaded.', 'server_error'),
    },
    is: 'T4',
    beside: 'T1',
  },
  {
    name: 'azure rate window with its code as text',
    seen: {
      provider: 'azure',
      httpStatus: 429,
      body: {
        error: {
          code: '429',
          message: 'Requests have exceeded call rate limit of your current pricing tier. Retry after 7 seconds.',
        },
      },
    },
    is: 'T2',
  },
  {
    name: 'azure jailbreak filter',
    seen: {
      provider: 'azure',
      httpStatus: 400,
      body: {
        error: {
          code: 'content_filter',
          message: 'Filtered.',
          status: 400,
          innererror: { code: 'ResponsibleAIPolicyViolation' },
        },
      },
    },
    is: 'T8',
  },
  {
    name: 'responses: failed inside a 200 stream',
    seen: {
      provider: 'openai',
      httpStatus: 200,
      streamPhase: 'mid_stream',
      body: 'event: response.failed\ndata: {"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"Rate limit reached."}}}\n\n',
    },
    is: 'T2',
  },
  {
    name: 'copilot: filtered by its service',
    seen: {
      provider: 'vscode-lm',
      streamPhase: null,
      clientError: thrown('LanguageModelError', 'Response got filtered by the Responsible AI Service.', 'Blocked'),
    },
    is: 'T8',
  },
  {
    name: 'copilot: no consent',
    seen: {
      provider: 'vscode-lm',
      streamPhase: null,
      clientError: thrown('LanguageModelError', 'No access to this model.', 'NoPermissions'),
    },
    is: 'T7',
    detail: 'permission',
  },
  {
    name: 'copilot: model gone',
    seen: {
      provider: 'vscode-lm',
      streamPhase: null,
      clientError: thrown('LanguageModelError', 'Unknown model.', 'NotFound'),
    },
    is: 'T7',
  },
  {
    name: 'copilot: prompt larger than the model',
    seen: {
      provider: 'github-copilot',
      httpStatus: 400,
      body: openaiBody(
        'prompt token count of 90123 exceeds the limit of 64000',
        null,
        'model_max_prompt_tokens_exceeded',
      ),
    },
    is: 'T6',
  },
];

describe('openai and azure', () => {
  it.each(rows)('$name is $is', (row) => {
    const { got, want } = verdictOf(row);
    expect(got).toEqual(want);
  });
});

// The dialect of anthropic: its words, codes and shapes.
import { describe, expect, it } from 'vitest';
import { anthropicBody, verdictOf } from './observe.ts';
import type { Row } from './observe.ts';

const rows: readonly Row[] = [
  {
    name: 'overloaded',
    seen: { provider: 'anthropic', httpStatus: 529, body: anthropicBody('overloaded_error', 'Overloaded') },
    is: 'T4',
    action: 'DEGRADE_MODEL',
  },
  {
    name: 'overloaded inside a 200 stream',
    seen: {
      provider: 'anthropic',
      httpStatus: 200,
      streamPhase: 'mid_stream',
      body: 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    },
    is: 'T4',
  },
  {
    name: 'rate limit',
    seen: {
      provider: 'anthropic',
      httpStatus: 429,
      body: anthropicBody('rate_limit_error', 'Number of request tokens has exceeded your per-minute rate limit.'),
    },
    is: 'T2',
  },
  {
    name: 'credit balance',
    seen: {
      provider: 'anthropic',
      httpStatus: 400,
      body: anthropicBody('invalid_request_error', 'Your credit balance is too low. Please go to Plans & Billing.'),
    },
    is: 'T7',
    detail: 'quota',
  },
  {
    name: 'own spending limit until next month',
    seen: {
      provider: 'anthropic',
      httpStatus: 400,
      body: anthropicBody(
        'invalid_request_error',
        'You have reached your specified API usage limits. You will regain access on 2031-01-01.',
      ),
    },
    is: 'T7',
    detail: 'quota',
    beside: 'T2',
  },
  {
    name: 'prompt larger than the window',
    seen: {
      provider: 'anthropic',
      httpStatus: 400,
      body: anthropicBody('invalid_request_error', 'prompt is too long: 300001 tokens > 200000 maximum'),
    },
    is: 'T6',
  },
  {
    name: 'more bytes than the endpoint takes',
    seen: {
      provider: 'anthropic',
      httpStatus: 413,
      body: anthropicBody('request_too_large', 'Request exceeds the maximum allowed number of bytes.'),
    },
    is: 'T6',
  },
  {
    name: 'window exceeded while answering',
    seen: {
      provider: 'anthropic',
      httpStatus: 200,
      streamPhase: 'after_finish',
      finishReason: 'model_context_window_exceeded',
      body: {
        type: 'message',
        content: [{ type: 'text', text: 'And so' }],
        stop_reason: 'model_context_window_exceeded',
      },
    },
    is: 'T6',
  },
  {
    name: 'a thinking signature of another issuer',
    seen: {
      provider: 'anthropic',
      httpStatus: 400,
      body: anthropicBody('invalid_request_error', 'messages.5.content.0: Invalid `signature` in `thinking` block'),
    },
    is: 'T7',
    detail: 'fixable',
  },
  {
    name: 'a tool call without its result',
    seen: {
      provider: 'anthropic',
      httpStatus: 400,
      body: anthropicBody(
        'invalid_request_error',
        'messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.',
      ),
    },
    is: 'T5',
    beside: 'T7',
  },
  {
    name: 'expired sign-in',
    seen: {
      provider: 'anthropic',
      httpStatus: 401,
      body: anthropicBody('authentication_error', 'OAuth token has expired. Please obtain a new token.'),
    },
    is: 'T7',
    detail: 'permission',
  },
  {
    name: 'refusal as stop reason',
    seen: {
      provider: 'anthropic',
      httpStatus: 200,
      streamPhase: 'after_finish',
      finishReason: 'refusal',
      body: { type: 'message', content: [], stop_reason: 'refusal' },
    },
    is: 'T8',
  },
  {
    name: 'refusal only in the recorded stream',
    seen: {
      provider: 'anthropic',
      httpStatus: 200,
      streamPhase: 'after_finish',
      body: 'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"refusal"}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
    },
    is: 'T8',
  },
  {
    name: 'inner failure',
    seen: { provider: 'anthropic', httpStatus: 500, body: anthropicBody('api_error', 'Internal server error') },
    is: 'T1',
    action: 'RETRY',
  },
];

describe('anthropic', () => {
  it.each(rows)('$name is $is', (row) => {
    const { got, want } = verdictOf(row);
    expect(got).toEqual(want);
  });
});

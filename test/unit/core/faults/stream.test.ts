// Situations that no vendor owns: inside a 200.
import { describe, expect, it } from 'vitest';
import { thrown, verdictOf } from './observe.ts';
import type { Row } from './observe.ts';

const rows: readonly Row[] = [
  {
    name: 'nothing at all',
    seen: { httpStatus: 200, streamPhase: 'before_first_token', body: '' },
    is: 'T1',
    beside: 'V1',
  },
  {
    name: 'a clean end with nothing in it',
    seen: {
      httpStatus: 200,
      streamPhase: 'after_finish',
      finishReason: 'end_turn',
      body: { type: 'message', content: [], stop_reason: 'end_turn' },
    },
    is: 'V1',
    action: 'RETRY',
  },
  {
    name: 'only white space',
    seen: {
      httpStatus: 200,
      streamPhase: 'after_finish',
      finishReason: 'stop',
      body: { choices: [{ message: { content: ' \n' }, finish_reason: 'stop' }] },
    },
    is: 'V1',
  },
  {
    name: 'cut off by the token limit',
    seen: {
      httpStatus: 200,
      streamPhase: 'after_finish',
      finishReason: 'max_tokens',
      body: { type: 'message', content: [{ type: 'text', text: 'const a =' }], stop_reason: 'max_tokens' },
    },
    is: 'V1',
  },
  {
    name: 'stream without its end',
    seen: {
      httpStatus: 200,
      streamPhase: 'mid_stream',
      body: 'data: {"choices":[{"index":0,"delta":{"content":"Half a sen"}}]}\n\n',
    },
    is: 'T1',
  },
  {
    name: 'anthropic stream without its end',
    seen: {
      httpStatus: 200,
      streamPhase: 'mid_stream',
      body: 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Half"}}\n\n',
    },
    is: 'T1',
  },
  {
    name: 'tool arguments that are not JSON',
    seen: {
      httpStatus: 200,
      streamPhase: 'after_finish',
      finishReason: 'tool_calls',
      body: {
        choices: [
          {
            message: { tool_calls: [{ function: { name: 'edit', arguments: '{"path": "a' } }] },
            finish_reason: 'tool_calls',
          },
        ],
      },
    },
    is: 'T5',
  },
  {
    name: 'tool arguments in pieces that never close',
    seen: {
      httpStatus: 200,
      streamPhase: 'after_finish',
      body: 'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"a\\""}}]}}]}\n\ndata: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":": 1"}}]},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n',
    },
    is: 'T5',
  },
  {
    name: 'a refusal field',
    seen: {
      httpStatus: 200,
      streamPhase: 'after_finish',
      finishReason: 'stop',
      body: { choices: [{ message: { content: null, refusal: 'No.' }, finish_reason: 'stop' }] },
    },
    is: 'T8',
  },
  {
    name: 'a refusal part of the Responses wire',
    seen: {
      httpStatus: 200,
      streamPhase: 'after_finish',
      body: { status: 'completed', output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }] },
    },
    is: 'T8',
  },
  {
    name: 'a refusal in the words of the model',
    seen: {
      httpStatus: 200,
      streamPhase: 'after_finish',
      finishReason: 'stop',
      body: { choices: [{ message: { content: "I'm sorry, but I can't help with that." }, finish_reason: 'stop' }] },
    },
    is: 'T8',
  },
  {
    name: 'a page instead of an answer',
    seen: { httpStatus: 200, body: '<!doctype html><html><body>Sign in to the hotel network</body></html>' },
    is: 'T7',
    detail: 'permission',
    beside: 'V1',
  },
  {
    name: 'a page that nobody expected',
    seen: { httpStatus: 200, body: '<!doctype html><html><body>Welcome to nginx!</body></html>' },
    is: 'T7',
    detail: 'fixable',
    beside: 'T1',
  },
  {
    name: 'JSON that stops in the middle',
    seen: { httpStatus: 200, streamPhase: 'mid_stream', body: '{"choices":[{"message":{"content":"abc' },
    is: 'T1',
    beside: 'V1',
  },
  {
    name: 'an error object without a status',
    seen: {
      httpStatus: 200,
      streamPhase: 'before_first_token',
      body: 'data: {"error":{"message":"no room: all servers are busy, retry","code":"x"}}\n\n',
    },
    is: 'T4',
  },
  {
    name: 'an answer that does not fit its schema',
    seen: {
      httpStatus: 200,
      streamPhase: 'after_finish',
      finishReason: 'stop',
      body: '{"a":1}',
      clientError: thrown('AI_TypeValidationError', 'Type validation failed'),
    },
    is: 'V1',
  },
];

describe('inside a 200', () => {
  it.each(rows)('$name is $is', (row) => {
    const { got, want } = verdictOf(row);
    expect(got).toEqual(want);
  });
});

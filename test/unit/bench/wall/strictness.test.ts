// Each wire refuses what the real vendor refuses, with a message that names the place.
import { describe, expect, it } from 'vitest';
import { anthropicMessagesWire } from '../../../../src/bench/wall/anthropic/messagesWire.ts';
import { openaiChatWire } from '../../../../src/bench/wall/openai/chatWire.ts';
import { MODELS } from '../../../../src/bench/wall/places.ts';
import type { Checked, WallRequest } from '../../../../src/bench/wall/wire.ts';
import { anthropicFirst, anthropicTools, openaiFirst, openaiTools } from './support.ts';

const complaint = (checked: Checked<WallRequest>): string => {
  if (checked.ok) return 'accepted';
  const { status, code, param, message } = checked.error;
  return [status, code, param, message].filter((each) => each !== null).join(' | ');
};
const openai = (changes: object): string =>
  complaint(openaiChatWire.parse({ ...openaiFirst, ...changes }, MODELS['openai-like']));
const anthropic = (changes: object): string =>
  complaint(anthropicMessagesWire.parse({ ...anthropicFirst, ...changes }, MODELS['anthropic-like']));

function expectText(text: string, expected: string | RegExp): void {
  if (expected instanceof RegExp) expect(text).toMatch(expected);
  else expect(text).toBe(expected);
}

const user = { role: 'user', content: 'go' };
const call = (id: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'list_files', arguments: '{}' } }],
});
const answer = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'a.js' });
const use = (id: string) => ({ role: 'assistant', content: [{ type: 'tool_use', id, name: 'list_files', input: {} }] });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'a.js' });

describe('the OpenAI-like wire', () => {
  it.each<[string, object, string | RegExp]>([
    ['a whole conversation', { messages: [user, call('call_1'), answer('call_1')] }, 'accepted'],
    ['a body without a model', { model: undefined }, '400 | you must provide a model parameter'],
    ['an unknown model', { model: 'gpt-none' }, /^404 \| model_not_found \| The model `gpt-none` does not exist/],
    ['no messages', { messages: [] }, /^400 \| empty_array \| messages \| Invalid 'messages': empty array/],
    ['missing messages', { messages: undefined }, /^400 \| missing_required_parameter \| messages \| /],
    ['an unknown field', { top_k: 5 }, "400 | unknown_parameter | top_k | Unknown parameter: 'top_k'."],
    [
      'a field of a message of the other vendor',
      { messages: [{ ...user, cache_control: {} }] },
      /Unknown parameter: 'messages\[0\]\.cache_control'/,
    ],
    [
      'a temperature as text',
      { temperature: 'hot' },
      /^400 \| invalid_type \| temperature \| .*expected a decimal, but got a string/,
    ],
    ['a temperature out of range', { temperature: 3 }, /integer_above_max_value \| temperature/],
    [
      'an unknown role',
      { messages: [{ role: 'narrator', content: '' }] },
      /^400 \| invalid_value \| messages\[0\]\.role \| Invalid value: 'narrator'\. Supported values are: 'system'/,
    ],
    [
      'a part of a wrong type',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 3 }] }] },
      /messages\[0\]\.content\[0\]\.text \| Invalid type/,
    ],
    [
      'a call id of more than 40 characters',
      { messages: [user, call('x'.repeat(41)), answer('x'.repeat(41))] },
      /string_above_max_length \| messages\[1\]\.tool_calls\[0\]\.id/,
    ],
    [
      'a call without its answer',
      { messages: [user, call('call_1'), user] },
      /messages\.\[2\]\.role \| An assistant message with 'tool_calls' must be followed .*: call_1$/,
    ],
    [
      'a call without its answer at the end',
      { messages: [user, call('call_1')] },
      /did not have response messages: call_1$/,
    ],
    [
      'an answer without a call',
      { messages: [user, answer('call_1')] },
      /messages\.\[1\]\.role \| .*must be a response to a preceeding message/,
    ],
    [
      'an answer to another call',
      { messages: [user, call('call_1'), answer('call_2')] },
      /'tool_call_id' of 'call_2' not found/,
    ],
    [
      'arguments as an object',
      {
        messages: [
          user,
          { ...call('a'), tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: {} } }] },
        ],
      },
      /arguments \| Invalid type .*expected a string, but got an object/,
    ],
    [
      'an assistant who says nothing',
      { messages: [user, { role: 'assistant', content: null }] },
      /expected a string, got null/,
    ],
    ['empty tools', { tools: [] }, /empty_array \| tools/],
    [
      'a tool choice without tools',
      { tools: undefined, tool_choice: 'auto' },
      /only allowed when 'tools' are specified/,
    ],
    [
      'a choice of an unknown tool',
      { tool_choice: { type: 'function', function: { name: 'fly' } } },
      /no function named 'fly'/,
    ],
    [
      'a tool name with a blank',
      { tools: [{ type: 'function', function: { name: 'list files' } }] },
      /tools\[0\]\.function\.name \| .*does not match pattern/,
    ],
    [
      'stream options without a stream',
      { stream_options: { include_usage: true } },
      /only allowed when 'stream' is enabled/,
    ],
    ['both token limits', { max_tokens: 1, max_completion_tokens: 1 }, /at the same time is not supported/],
    ['too large a token limit', { max_tokens: 100_000 }, /supports at most 16384 completion tokens/],
  ])('answers %s', (_name, changes, expected) => {
    expectText(openai(changes), expected);
  });

  it('reads parallel calls and their answers as one turn', () => {
    const both = { ...call('a'), tool_calls: [...call('a').tool_calls, ...call('b').tool_calls] };
    const checked = openaiChatWire.parse(
      { ...openaiFirst, messages: [user, both, answer('b'), answer('a')], tools: openaiTools },
      MODELS['openai-like'],
    );
    expect(checked.ok && checked.value.messages.map((message) => message.content.length)).toEqual([1, 2, 2]);
  });
});

describe('the Anthropic-like wire', () => {
  it.each<[string, object, string | RegExp]>([
    [
      'a whole conversation',
      {
        messages: [
          user,
          use('toolu_1'),
          { role: 'user', content: [result('toolu_1'), { type: 'text', text: 'go on' }] },
        ],
      },
      'accepted',
    ],
    ['two user messages in a row', { messages: [user, user] }, 'accepted'],
    ['a body without a token limit', { max_tokens: undefined }, '400 | max_tokens: Field required'],
    ['an unknown model', { model: 'claude-none' }, '404 | model: claude-none'],
    ['an unknown field', { frequency_penalty: 1 }, '400 | frequency_penalty: Extra inputs are not permitted'],
    ['a temperature out of range', { temperature: 1.5 }, '400 | temperature: Input should be less than or equal to 1'],
    [
      'a system message among the messages',
      { messages: [{ role: 'system', content: 'x' }] },
      /Unexpected role "system"\. The Messages API accepts a top-level `system` parameter/,
    ],
    [
      'a tool role',
      { messages: [{ role: 'tool', content: 'x' }] },
      "400 | messages.0.role: Input should be 'user' or 'assistant'",
    ],
    [
      'an assistant who speaks first',
      { messages: [{ role: 'assistant', content: 'x' }, user] },
      '400 | messages: first message must use the "user" role',
    ],
    [
      'an unknown block',
      { messages: [{ role: 'user', content: [{ type: 'image_url' }] }] },
      /messages\.0\.content\.0: Input tag 'image_url' found using 'type' does not match any of the expected tags: 'text'/,
    ],
    [
      'an empty text',
      { messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] },
      '400 | messages: text content blocks must be non-empty',
    ],
    ['a blank text', { messages: [{ role: 'user', content: ' ' }] }, /must contain non-whitespace text/],
    [
      'an empty message',
      { messages: [user, { role: 'assistant', content: [] }, user] },
      /messages\.1: all messages must have non-empty content/,
    ],
    [
      'a tool use without its result',
      { messages: [user, use('toolu_1'), user] },
      /messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1\./,
    ],
    [
      'a result behind a text',
      {
        messages: [user, use('toolu_1'), { role: 'user', content: [{ type: 'text', text: 'so' }, result('toolu_1')] }],
      },
      /without `tool_result` blocks immediately after/,
    ],
    [
      'a result without a tool use',
      { messages: [{ role: 'user', content: [result('toolu_1')] }] },
      /messages\.0\.content\.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1/,
    ],
    [
      'two results for one use',
      { messages: [user, use('a'), { role: 'user', content: [result('a'), result('a')] }] },
      /each tool_use must have a single result/,
    ],
    [
      'an id used twice',
      {
        messages: [
          user,
          use('a'),
          { role: 'user', content: [result('a')] },
          use('a'),
          { role: 'user', content: [result('a')] },
        ],
      },
      /`tool_use` ids must be unique/,
    ],
    [
      'an id with a character that is not allowed',
      { messages: [user, use('call:1'), { role: 'user', content: [result('call:1')] }] },
      /messages\.1\.content\.0\.id: String should match pattern/,
    ],
    [
      'an input that is not an object',
      { messages: [user, { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: '{}' }] }] },
      /messages\.1\.content\.0\.input: Input should be a valid dictionary/,
    ],
    [
      'a thinking block that is not its own',
      {
        messages: [user, { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 'x' }] }, user],
      },
      /Invalid `signature` in `thinking` block/,
    ],
    [
      'a prefill where the model takes none',
      { messages: [user, { role: 'assistant', content: 'I' }] },
      /does not support assistant message prefill/,
    ],
    [
      'a prefill where the model takes it',
      { model: 'claude-wall-haiku', messages: [user, { role: 'assistant', content: "I'll" }] },
      'accepted',
    ],
    [
      'a prefill with a blank at its end',
      { model: 'claude-wall-haiku', messages: [user, { role: 'assistant', content: 'I ' }] },
      /cannot end with trailing whitespace/,
    ],
    ['a tool without a schema', { tools: [{ name: 'f' }] }, '400 | tools.0.input_schema: Field required'],
    [
      'a choice of an unknown tool',
      { tool_choice: { type: 'tool', name: 'fly' } },
      /Tool 'fly' not found in provided tools/,
    ],
    [
      'too large a token limit',
      { max_tokens: 100_000 },
      /^400 \| max_tokens: 100000 > 32000, which is the maximum allowed/,
    ],
  ])('answers %s', (_name, changes, expected) => {
    expectText(anthropic({ tools: anthropicTools, ...changes }), expected);
  });
});

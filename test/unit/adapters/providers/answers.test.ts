// What the readers make of the odd things that real servers send, beyond the contract suite.
import { describe, expect, it } from 'vitest';
import type { StreamPart } from '../../../../src/core/chat.ts';
import { anthropicAnswerReader } from '../../../../src/adapters/providers/anthropicAnswer.ts';
import type { AnswerReader } from '../../../../src/adapters/providers/answerReader.ts';
import { openaiAnswerReader } from '../../../../src/adapters/providers/openaiAnswer.ts';

/** All parts, or the code of the first trouble. */
function read(reader: AnswerReader, chunks: readonly unknown[]): StreamPart[] | string {
  const parts: StreamPart[] = [];
  for (const chunk of chunks) {
    const reading = reader.read(chunk, null);
    if ('trouble' in reading) return reading.trouble.code;
    parts.push(...reading.parts);
  }
  return parts;
}

const openai = (...chunks: unknown[]): StreamPart[] | string => read(openaiAnswerReader('openai'), chunks);
const anthropic = (...events: unknown[]): StreamPart[] | string => read(anthropicAnswerReader('anthropic'), events);
const choice = (delta: object, finish_reason: string | null = null): object => ({
  id: 'r1',
  choices: [{ index: 0, delta, finish_reason }],
});
const fragment = (value: object): object => choice({ tool_calls: [value] });
const callsIn = (parts: StreamPart[] | string): unknown =>
  Array.isArray(parts) ? parts.flatMap((p) => (p.type === 'tool-call' ? [[p.id, p.name, p.argsText]] : [])) : parts;
const finishIn = (parts: StreamPart[] | string): unknown => (Array.isArray(parts) ? parts.at(-1) : parts);

describe('OpenAI chunks', () => {
  it.each([
    ['stop', 'stop'],
    ['length', 'truncated'],
    ['content_filter', 'content-filter'],
    ['SAFETY', 'content-filter'],
    ['model_length', 'truncated'],
    ['something_new', 'other'],
  ])('reads finish reason %s as %s', (raw, reason) => {
    expect(finishIn(openai(choice({ content: 'x' }), choice({}, raw)))).toEqual({
      type: 'finish',
      reason,
      rawReason: raw,
    });
  });

  it('reads refusal text as a refusal though the server says stop', () => {
    const parts = openai(choice({ refusal: 'I can not ' }), choice({ refusal: 'help.' }), choice({}, 'stop'));
    expect(parts).toContainEqual({ type: 'refusal-delta', text: 'help.' });
    expect(finishIn(parts)).toMatchObject({ reason: 'refusal' });
  });

  it('tells calls apart that all have index 0, or none', () => {
    const one = { id: 'a', index: 0, function: { name: 'f', arguments: '{"x":1}' } };
    const two = { id: 'b', index: 0, function: { name: 'g', arguments: '{}' } };
    const expected = [
      ['a', 'f', '{"x":1}'],
      ['b', 'g', '{}'],
    ];
    expect(callsIn(openai(fragment(one), fragment(two), choice({}, 'stop')))).toEqual(expected);
    expect(
      callsIn(
        openai(
          choice({
            tool_calls: [
              { ...one, index: undefined },
              { ...two, index: undefined },
            ],
          }),
          choice({}, 'tool_calls'),
        ),
      ),
    ).toEqual(expected);
  });

  it('joins fragments that repeat id and name, and fills in empty arguments and a missing id', () => {
    const parts = openai(
      fragment({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }),
      fragment({ index: 0, id: 'a', function: { name: 'f', arguments: ':1}' } }),
      fragment({ index: 1, function: { name: 'g' } }),
      choice({}, 'tool_calls'),
    );
    expect(callsIn(parts)).toEqual([
      ['a', 'f', '{"x":1}'],
      [expect.stringMatching(/^call_[0-9a-f]{32}$/), 'g', '{}'],
    ]);
  });

  it('refuses a call that changes its name, and a call in a second choice', () => {
    const first = fragment({ index: 0, id: 'a', function: { name: 'read', arguments: '' } });
    expect(openai(first, fragment({ index: 0, function: { name: 'bash', arguments: '' } }))).toBe(
      'belay_malformed_stream',
    );
    const second = {
      id: 'r1',
      choices: [{ index: 1, delta: { tool_calls: [{ index: 0, function: { name: 'bash' } }] } }],
    };
    expect(openai(first, second)).toBe('belay_malformed_stream');
  });

  it('reads the function_call of 2023', () => {
    const parts = openai(
      choice({ function_call: { name: 'f', arguments: '{' } }),
      choice({ function_call: { arguments: '}' } }),
      choice({}, 'function_call'),
    );
    expect(callsIn(parts)).toEqual([[expect.stringMatching(/^call_/), 'f', '{}']]);
  });

  it('gives no call out that the token limit cut, but the whole ones before it', () => {
    const parts = openai(
      fragment({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }),
      fragment({ index: 1, id: 'b', function: { name: 'f', arguments: '{"x":"cu' } }),
      choice({}, 'length'),
    );
    expect(callsIn(parts)).toEqual([['a', 'f', '{}']]);
    expect(finishIn(parts)).toMatchObject({ reason: 'truncated' });
  });

  it('gives a call out as written though it is no JSON, when the model said it was done', () => {
    const parts = openai(
      fragment({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x":' } }),
      choice({}, 'tool_calls'),
    );
    expect(callsIn(parts)).toEqual([['a', 'f', '{"x":']]);
  });

  it.each(['reasoning_content', 'reasoning'])('reads %s as thinking that ends before the text', (field) => {
    const parts = openai(choice({ [field]: 'hm' }), choice({ content: 'x' }), choice({}, 'stop'));
    expect(Array.isArray(parts) ? parts.map((p) => p.type) : parts).toEqual([
      'response-start',
      'thinking-delta',
      'thinking-end',
      'text-delta',
      'finish',
    ]);
  });

  it('ignores empty chunks, an empty finish reason and unknown fields', () => {
    expect(openai({ id: '', choices: [], prompt_filter_results: [] }, choice({ content: '' }, ''))).toEqual([
      { type: 'response-start', responseId: 'r1' },
    ]);
  });

  it('reads cached tokens as DeepSeek writes them, and the usage of Groq', () => {
    const usage = { prompt_tokens: 3, completion_tokens: 2, prompt_cache_hit_tokens: 1 };
    const part = { type: 'usage', usage: { inputTokens: 3, outputTokens: 2, cachedInputTokens: 1 } };
    expect(openai({ choices: [], usage })).toContainEqual(part);
    expect(openai({ id: 'g', choices: [], x_groq: { usage } })).toContainEqual(part);
  });

  it.each([
    ['xAI, which names it', { total_tokens: 399, completion_tokens_details: { reasoning_tokens: 386 } }, 387],
    ['Gemini, which has it in the total only', { total_tokens: 399 }, 387],
    ['OpenAI, which has counted it in', { total_tokens: 13, completion_tokens_details: { reasoning_tokens: 1 } }, 1],
    ['a total that is too small to be one', { total_tokens: 5 }, 1],
    ['no total', { completion_tokens_details: { reasoning_tokens: 386 } }, 1],
  ])('counts hidden reasoning as output with %s', (_who, figures, outputTokens) => {
    const usage = { prompt_tokens: 12, completion_tokens: 1, ...figures };
    expect(openai({ choices: [], usage })).toContainEqual({ type: 'usage', usage: { inputTokens: 12, outputTokens } });
  });

  it('has cached tokens and those written to the cache in the prompt already', () => {
    const prompt_tokens_details = { cached_tokens: 40, cache_write_tokens: 50 };
    const usage = { prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details };
    expect(openai({ choices: [], usage })).toContainEqual({
      type: 'usage',
      usage: { inputTokens: 100, outputTokens: 1, cachedInputTokens: 40, cacheWriteInputTokens: 50 },
    });
  });

  it.each([
    [{ error: { message: 'x' } }],
    [{ error: 'x' }],
    [{ code: 1305, message: 'busy' }],
    [{ detail: 'Not Found' }],
    [{ id: 'r', choices: [{ index: 0, delta: {}, finish_reason: 'error' }] }],
  ])('takes %j for an error inside the stream', (chunk) => {
    expect(openai(chunk)).toBe('belay_in_band_error');
  });
});

describe('Anthropic events', () => {
  const stop = (reason: string): object[] => [
    { type: 'message_delta', delta: { stop_reason: reason } },
    { type: 'message_stop' },
  ];
  const tool = (args: string): object[] => [
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't', name: 'f', input: {} } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: args } },
    { type: 'content_block_stop', index: 0 },
  ];

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'truncated'],
    ['model_context_window_exceeded', 'truncated'],
    ['tool_use', 'tool-calls'],
    ['refusal', 'refusal'],
    ['pause_turn', 'other'],
  ])('reads stop reason %s as %s', (raw, reason) => {
    expect(finishIn(anthropic(...stop(raw)))).toEqual({ type: 'finish', reason, rawReason: raw });
  });

  it('ends thinking with its signature and issuer, and marks what was encrypted', () => {
    const parts = anthropic(
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'redacted_thinking', data: 'enc' } },
      { type: 'content_block_stop', index: 1 },
    );
    expect(parts).toEqual([
      { type: 'thinking-delta', text: 'hm' },
      { type: 'thinking-end', signature: 'sig', issuer: 'anthropic' },
      { type: 'thinking-end', signature: 'redacted_thinking:enc', issuer: 'anthropic' },
    ]);
  });

  it('gives a call out at the end of its block, and one without arguments as {}', () => {
    expect(callsIn(anthropic(...tool('{"a":1}')))).toEqual([['t', 'f', '{"a":1}']]);
    expect(callsIn(anthropic(...tool('')))).toEqual([['t', 'f', '{}']]);
  });

  it('gives no call out that the token limit cut, but one that is badly written', () => {
    expect(callsIn(anthropic(...tool('{"a":"cu'), ...stop('max_tokens')))).toEqual([]);
    expect(callsIn(anthropic(...tool('{"a":'), ...stop('tool_use')))).toEqual([['t', 'f', '{"a":']]);
  });

  it('takes arguments that came whole with the start of the block', () => {
    const start = {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
    };
    expect(callsIn(anthropic(start, { type: 'content_block_stop', index: 0 }))).toEqual([['t', 'f', '{"a":1}']]);
  });

  it('refuses an end inside a tool call, and arguments without a call', () => {
    expect(anthropic(tool('{}')[0], ...stop('tool_use'))).toBe('belay_malformed_stream');
    expect(anthropic(tool('{}')[1])).toBe('belay_malformed_stream');
    expect(anthropic(tool('{}')[0], tool('{}')[0])).toBe('belay_malformed_stream');
  });

  it('ignores pings, unknown events and unknown blocks, which only prove life', () => {
    expect(anthropic({ type: 'ping' }, { type: 'constructor' }, { type: 'newer_event' })).toEqual([]);
    const start = {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'server_tool_use', id: 's', name: 'web_search' },
    };
    expect(anthropic(start)).toEqual([{ type: 'tool-call-progress', chars: 0 }]);
  });

  it('counts cached tokens into the input and lets later figures replace earlier ones', () => {
    const usage = { input_tokens: 4, cache_creation_input_tokens: 3, cache_read_input_tokens: 5, output_tokens: 1 };
    const parts = anthropic(
      { type: 'message_start', message: { id: 'm', usage } },
      { type: 'message_delta', delta: {}, usage: { output_tokens: 9 } },
    );
    expect(finishIn(parts)).toEqual({
      type: 'usage',
      usage: { inputTokens: 12, outputTokens: 9, cachedInputTokens: 5, cacheWriteInputTokens: 3 },
    });
  });

  it('tells apart what was written to the cache for an hour', () => {
    const cache_creation = { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 2 };
    const usage = { input_tokens: 4, cache_creation_input_tokens: 3, cache_creation, output_tokens: 1 };
    expect(anthropic({ type: 'message_start', message: { id: 'm', usage } })).toContainEqual({
      type: 'usage',
      usage: { inputTokens: 7, outputTokens: 1, cacheWriteInputTokens: 3, longCacheWriteInputTokens: 2 },
    });
  });

  it('takes no whole answer for finished that does not say why it stopped', () => {
    const reading = anthropicAnswerReader('anthropic').readWhole({
      type: 'message',
      id: 'm',
      content: [{ type: 'text', text: 'x' }],
    });
    expect('parts' in reading && reading.parts.some((p) => p.type === 'finish')).toBe(false);
  });
});

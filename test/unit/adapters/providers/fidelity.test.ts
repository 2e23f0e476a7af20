// When a provider's own bytes may reach a client: only where the parts that Belay judges say all that is in them.
// Each row is a chunk that another client could read in another way, and what becomes of it.
import { describe, expect, it } from 'vitest';
import { anthropicAnswerReader } from '../../../../src/adapters/providers/anthropicAnswer.ts';
import type { AnswerReader, Reading } from '../../../../src/adapters/providers/answerReader.ts';
import { openaiAnswerReader } from '../../../../src/adapters/providers/openaiAnswer.ts';

type Verdict = 'faithful' | 'unfaithful' | 'belay_malformed_stream' | 'belay_in_band_error';

const verdictOf = (reading: Reading): string =>
  'trouble' in reading ? reading.trouble.code : reading.isFaithful ? 'faithful' : 'unfaithful';

/** The worst verdict of all chunks. */
function verdict(reader: AnswerReader, chunks: readonly unknown[]): string {
  const verdicts = chunks.map((chunk) => verdictOf(reader.read(chunk, null)));
  return verdicts.find((v) => v.startsWith('belay_')) ?? verdicts.find((v) => v === 'unfaithful') ?? 'faithful';
}

const openai = (...chunks: unknown[]): string => verdict(openaiAnswerReader('openai'), chunks);
const whole = (choice: object, more: object = {}): string =>
  verdictOf(openaiAnswerReader('openai').readWhole({ id: 'r', choices: [{ index: 0, ...choice }], ...more }));
const anthropic = (...events: unknown[]): string => verdict(anthropicAnswerReader('anthropic'), events);

const choice = (delta: object, finish_reason: unknown = null): object => ({
  id: 'r',
  choices: [{ index: 0, delta, finish_reason }],
});
const fn = (args: unknown, name: unknown = 'run'): object => ({ name, arguments: args });
const call = (more: object): object => choice({ tool_calls: [{ index: 0, id: 'a', type: 'function', ...more }] });
const good = call({ function: fn('{"cmd":"x"}') });
const end = choice({}, 'tool_calls');

describe('an OpenAI stream', () => {
  it.each<readonly [string, Verdict, readonly unknown[]]>([
    ['text with fields of the vendor', 'faithful', [{ ...choice({ role: 'assistant', content: 'x' }), provider: 'p' }]],
    ['reasoning details', 'faithful', [choice({ reasoning: 'h', reasoning_details: [{ type: 'x' }] })]],
    ['a call in pieces', 'faithful', [good, choice({ tool_calls: [{ index: 0, function: { arguments: ' ' } }] }), end]],
    ['two calls', 'faithful', [good, choice({ tool_calls: [{ index: 1, id: 'b', function: fn('{}') }] }), end]],
    ['no choices at all', 'unfaithful', [{ id: 'r', Choices: [] }]],
    ['choices as an object', 'belay_malformed_stream', [{ id: 'r', choices: { 0: {} } }]],
    ['a choice that is text', 'belay_malformed_stream', [{ id: 'r', choices: ['x'] }]],
    ['a choice numbered by text', 'belay_malformed_stream', [{ choices: [{ index: '1', delta: { content: 'x' } }] }]],
    ['a delta that is a list', 'belay_malformed_stream', [{ choices: [{ delta: ['x'] }] }]],
    ['a second choice', 'unfaithful', [{ choices: [{ index: 1, delta: { content: 'x' } }] }]],
    ['two choices of one number', 'unfaithful', [{ choices: [{ delta: { content: 'x' } }, { delta: {} }] }]],
    ['a message in place of a delta', 'unfaithful', [{ choices: [{ message: { content: 'x' } }] }]],
    [
      'a message beside a delta',
      'unfaithful',
      [{ choices: [{ delta: { content: 'x' }, message: { content: 'xx' } }] }],
    ],
    [
      'a call in a message beside a delta',
      'belay_malformed_stream',
      [{ choices: [{ delta: { content: 'x' }, message: { tool_calls: [{ function: fn('{}') }] } }] }],
    ],
    ['content that is an object', 'belay_malformed_stream', [choice({ content: { text: 'x' } })]],
    ['content of an unknown kind', 'unfaithful', [choice({ content: [{ type: 'widget' }] })]],
    ['a refusal that is no text', 'belay_malformed_stream', [choice({ refusal: ['no'] })]],
    ['another role', 'unfaithful', [choice({ role: 'tool', content: 'x' })]],
    ['a name in capitals', 'unfaithful', [choice({ content: 'x', Tool_Calls: [{}] })]],
    ['two different thoughts', 'unfaithful', [choice({ reasoning: 'a', reasoning_content: 'b' })]],
    ['tool calls as an object', 'belay_malformed_stream', [choice({ tool_calls: { 0: {} } })]],
    ['a call that is text', 'belay_malformed_stream', [choice({ tool_calls: ['run'] })]],
    [
      'a call of another type',
      'belay_malformed_stream',
      [call({ type: 'custom', custom: { name: 'run', input: 'x' } })],
    ],
    ['a custom input beside a function', 'belay_malformed_stream', [call({ function: fn('{}'), custom: {} })]],
    ['a call numbered by text', 'belay_malformed_stream', [call({ index: '0', function: fn('{}') })]],
    ['arguments that are a list', 'belay_malformed_stream', [call({ function: fn([]) })]],
    ['a name that is no text', 'belay_malformed_stream', [call({ function: fn('{}', 1) })]],
    ['an id that is no text', 'belay_malformed_stream', [call({ id: 1, function: fn('{}') })]],
    ['arguments that are an object', 'unfaithful', [call({ function: fn({ cmd: 'x' }) })]],
    ['no index', 'unfaithful', [choice({ tool_calls: [{ id: 'a', function: fn('{}') }] })]],
    ['a first call with index 1', 'unfaithful', [call({ index: 1, function: fn('{}') })]],
    ['one index for two calls', 'unfaithful', [good, call({ id: 'b', function: fn('{}') })]],
    ['a name that is told twice', 'unfaithful', [good, choice({ tool_calls: [{ index: 0, function: fn('') }] })]],
    ['no id', 'unfaithful', [call({ id: '', function: fn('{}') })]],
    [
      'an id for two calls',
      'unfaithful',
      [good, choice({ tool_calls: [{ index: 1, id: 'a', function: fn('{}') }] }), end],
    ],
    ['no arguments', 'unfaithful', [call({ function: { name: 'run' } }), end]],
    ['a call cut by the limit', 'unfaithful', [call({ function: fn('{"cmd":"rm -rf /tm') }), choice({}, 'length')]],
    ['a call cut by a filter', 'unfaithful', [call({ function: fn('{"cmd":"rm') }), choice({}, 'content_filter')]],
    ['stop after a call', 'unfaithful', [good, choice({}, 'stop')]],
    ['the form of 2023', 'unfaithful', [choice({ function_call: fn('{}') })]],
    ['a finish that is a number', 'belay_malformed_stream', [choice({}, 1)]],
    ['a finish that is a novel', 'unfaithful', [choice({}, 'x'.repeat(600))]],
    ['usage that is no object', 'unfaithful', [{ choices: [], usage: 'much' }]],
  ])('with %s is %s', (_, expected, chunks) => {
    expect(openai(...chunks)).toBe(expected);
  });

  it.each([-1, 1.5, 1e9, 1e308, '5', null, true, {}])('has no usage where a figure is %j', (figure) => {
    const reader = openaiAnswerReader('openai');
    for (const usage of [
      { prompt_tokens: figure, completion_tokens: 5 },
      { prompt_tokens: 5, completion_tokens: figure },
    ]) {
      const reading = reader.read({ id: 'r', choices: [], usage }, null);
      expect('parts' in reading && reading.parts.some(({ type }) => type === 'usage')).toBe(false);
      expect(verdictOf(reading)).toBe('unfaithful');
    }
  });

  it('keeps usage without the cached tokens that are more than all', () => {
    const usage = { prompt_tokens: 5, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 6 } };
    expect(openaiAnswerReader('openai').read({ choices: [], usage }, null)).toEqual({
      parts: [{ type: 'usage', usage: { inputTokens: 5, outputTokens: 5 } }],
      isFaithful: false,
    });
  });

  it.each(['constructor', '__proto__', 'toString'])('takes finish reason %s for an unknown one', (raw) => {
    const reader = openaiAnswerReader('openai');
    reader.read(choice({ content: 'x' }), null);
    expect(reader.read(choice({}, raw), null)).toMatchObject({
      parts: [{ type: 'finish', reason: 'other', rawReason: raw }],
    });
  });

  it('refuses more calls than any model writes, in little time', () => {
    const many = Array.from({ length: 50_000 }, (_, index) => ({ index, id: `c${index}`, function: fn('{}') }));
    expect(openai(choice({ tool_calls: many }))).toBe('belay_malformed_stream');
  });
});

describe('a whole OpenAI answer', () => {
  const calls = [{ id: 'a', type: 'function', function: fn('{"cmd":"x"}') }];
  it.each<readonly [string, Verdict, object]>([
    ['text', 'faithful', { message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
    ['calls', 'faithful', { message: { content: null, tool_calls: calls }, finish_reason: 'tool_calls' }],
    ['a delta', 'unfaithful', { delta: { content: 'x' }, finish_reason: 'stop' }],
    ['a delta that hides a message', 'belay_malformed_stream', { delta: { content: 'x' }, message: { content: 'x' } }],
    ['calls as an object', 'belay_malformed_stream', { message: { content: 'x', tool_calls: { 0: calls[0] } } }],
    [
      'one id for two calls',
      'unfaithful',
      { message: { tool_calls: [...calls, ...calls] }, finish_reason: 'tool_calls' },
    ],
    [
      'half a call at the limit',
      'unfaithful',
      {
        message: { content: 't', tool_calls: [{ id: 'a', function: fn('{"cmd":"rm -rf /tm') }] },
        finish_reason: 'length',
      },
    ],
  ])('with %s is %s', (_, expected, content) => {
    expect(whole(content)).toBe(expected);
  });

  it('gives two calls of one id out under two ids', () => {
    const reading = openaiAnswerReader('openai').readWhole({
      choices: [{ message: { tool_calls: [...calls, ...calls] }, finish_reason: 'tool_calls' }],
    });
    const ids = 'parts' in reading ? reading.parts.flatMap((p) => (p.type === 'tool-call' ? [p.id] : [])) : [];
    expect(ids).toEqual(['a', expect.stringMatching(/^call_[0-9a-f]{32}$/)]);
  });

  it('whose choices are no list is malformed, and without any an error', () => {
    const reader = openaiAnswerReader('openai');
    expect(verdictOf(reader.readWhole({ choices: { 0: {} } }))).toBe('belay_malformed_stream');
    expect(verdictOf(reader.readWhole({ id: 'x' }))).toBe('belay_in_band_error');
  });
});

describe('an Anthropic stream', () => {
  const begin = { type: 'message_start', message: { id: 'm', content: [] } };
  const block = (content_block: object, index = 0): object => ({ type: 'content_block_start', index, content_block });
  const delta = (value: object, index = 0): object => ({ type: 'content_block_delta', index, delta: value });
  const close = (index = 0): object => ({ type: 'content_block_stop', index });
  const tool = (more: object = {}): object => block({ type: 'tool_use', id: 't', name: 'run', input: {}, ...more });
  const stop = (reason: unknown): object[] => [
    { type: 'message_delta', delta: { stop_reason: reason } },
    { type: 'message_stop' },
  ];

  it.each<readonly [string, Verdict, readonly unknown[]]>([
    ['text', 'faithful', [begin, block({ type: 'text', text: '' }), delta({ type: 'text_delta', text: 'x' }), close()]],
    [
      'a call',
      'faithful',
      [begin, tool(), delta({ type: 'input_json_delta', partial_json: '{}' }), close(), ...stop('x')],
    ],
    ['a ping', 'faithful', [{ type: 'ping' }]],
    ['an unknown event', 'unfaithful', [{ type: 'newer' }]],
    ['an unknown block', 'unfaithful', [block({ type: 'server_tool_use' })]],
    ['an unknown delta', 'unfaithful', [block({ type: 'text' }), delta({ type: 'citations_delta' })]],
    ['text in no block', 'unfaithful', [delta({ type: 'text_delta', text: 'x' })]],
    ['text in a call', 'unfaithful', [tool(), delta({ type: 'text_delta', text: 'x' })]],
    ['an end of no block', 'unfaithful', [close()]],
    ['no id', 'unfaithful', [tool({ id: '' })]],
    ['an id for two calls', 'unfaithful', [tool(), block({ type: 'tool_use', id: 't', name: 'run' }, 1)]],
    [
      'a call cut by the limit',
      'unfaithful',
      [tool(), delta({ type: 'input_json_delta', partial_json: '{"a' }), close(), ...stop('max_tokens')],
    ],
    ['content in its beginning', 'belay_malformed_stream', [{ type: 'message_start', message: { content: [{}] } }]],
    ['two beginnings', 'belay_malformed_stream', [begin, begin]],
    ['a block that is text', 'belay_malformed_stream', [{ type: 'content_block_start', content_block: 'x' }]],
    ['a text that is an object', 'belay_malformed_stream', [block({ type: 'text', text: {} })]],
    ['an input that is a list', 'belay_malformed_stream', [tool({ input: [] })]],
    ['a block numbered by text', 'belay_malformed_stream', [{ ...tool(), index: '0' }]],
    ['a stop reason that is a list', 'belay_malformed_stream', stop(['end_turn'])],
    ['a figure below zero', 'unfaithful', [{ type: 'message_delta', delta: {}, usage: { output_tokens: -1 } }]],
    ['a figure beyond belief', 'unfaithful', [{ type: 'message_delta', delta: {}, usage: { output_tokens: 1e12 } }]],
  ])('with %s is %s', (_, expected, events) => {
    expect(anthropic(...events)).toBe(expected);
  });

  it('with an event of another name is unfaithful', () => {
    expect(verdictOf(anthropicAnswerReader('a').read(block({ type: 'text' }), 'ping'))).toBe('unfaithful');
  });

  it.each(['constructor', '__proto__'])('takes stop reason %s for an unknown one', (reason) => {
    const reader = anthropicAnswerReader('a');
    const readings = [begin, ...stop(reason)].map((event) => reader.read(event, null));
    expect(readings.at(-1)).toMatchObject({ parts: [{ type: 'finish', reason: 'other', rawReason: reason }] });
  });
});

// A caller's own body at servers of the same wire: unchanged where nothing is refused, and accepted everywhere else.
import { describe, expect, it } from 'vitest';
import { rawBody } from '../../../../src/adapters/providers/rawBody.ts';
import type { Candidate } from '../../../../src/core/candidate.ts';
import type { RawRequest } from '../../../../src/core/chat.ts';
import { candidate } from '../../../support/candidates.ts';
import { openaiFamilies } from '../../../support/wireDialects.ts';
import { openaiViolations, plainOpenai } from '../../../support/wireRules.ts';

type Json = Readonly<Record<string, unknown>>;

/** What agents send to OpenAI. */
const BODY: Json = {
  model: 'asked',
  messages: [
    { role: 'system', content: 'You are Belay.' },
    { role: 'user', content: 'hello' },
    {
      role: 'assistant',
      content: null,
      refusal: null,
      reasoning_content: 'of another model',
      tool_calls: [
        { id: 'call_abcdefghijklmnopqrstuvwx', type: 'function', function: { name: 'read', arguments: '{}' } },
        { id: 'toolu_01', type: 'function', function: { name: 'read', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_abcdefghijklmnopqrstuvwx', content: 'a' },
    { role: 'tool', tool_call_id: 'toolu_01', content: 'b' },
    { role: 'user', content: 'and now?' },
    { role: 'assistant', content: 'Now' },
  ],
  stream: true,
  stream_options: { include_usage: true },
  max_completion_tokens: 9,
  temperature: 1.8,
  parallel_tool_calls: true,
  tools: [
    {
      type: 'function',
      function: {
        name: 'read',
        parameters: { type: 'object', properties: { a: { exclusiveMinimum: 0, type: 'integer' } } },
      },
    },
  ],
  tool_choice: 'auto',
};
const server = (family: string, more: Partial<Candidate> = {}): Candidate =>
  candidate(family, { family, model: `${family}-model`, ...more });
const fitted = (receiver: Candidate, body: Json = BODY, wire: RawRequest['wire'] = 'openai-chat'): Json =>
  rawBody({ wire, body, headers: {} }, { model: 'asked' }, receiver);

describe('a raw body', () => {
  it.each(['openai', 'azure', 'openrouter', 'vllm', 'litellm', 'nobody'])('is the caller’s own at %s', (family) => {
    expect(JSON.stringify(fitted(server(family)))).toBe(JSON.stringify({ ...BODY, model: `${family}-model` }));
  });

  it('of the Anthropic wire is never touched but for the model', () => {
    const body = { model: 'x', messages: [], thinking: { type: 'adaptive' }, system: [{ cache_control: {} }] };
    expect(fitted(server('anthropic'), body, 'anthropic-messages')).toEqual({ ...body, model: 'anthropic-model' });
  });

  it.each(['mistral', 'groq', 'cerebras', 'gemini', 'deepseek'])('breaks no rule of %s', (family) => {
    const rules = openaiFamilies[family] ?? plainOpenai;
    const { lastAssistant } = rules;
    // Both names of the limit, and an answer that ends the conversation, are taken where the documentation does not say no.
    const lenient = { ...rules, lastAssistant: lastAssistant === 'refused' ? ('plain' as const) : lastAssistant };
    const limits = family === 'mistral' ? rules.limitNames : plainOpenai.limitNames;
    // DeepSeek takes fields that it does not know.
    const moreFields = family === 'deepseek' ? [...(rules.moreFields ?? []), 'refusal'] : rules.moreFields;
    const sent = fitted(server(family, family === 'gemini' ? { model: 'gemini-2.5-pro' } : {}));
    expect(openaiViolations(sent, { ...lenient, moreFields, limitNames: limits })).toEqual([]);
  });

  it('keeps pairs together where ids are rewritten', () => {
    const messages = fitted(server('mistral')).messages as readonly Record<string, unknown>[]; // As in BODY.
    const ids = (messages[2]?.tool_calls as { id: string }[]).map(({ id }) => id); // As in BODY.
    expect(messages.filter(({ role }) => role === 'tool').map((m) => m.tool_call_id)).toEqual(ids);
    expect(new Set(ids).size).toBe(2);
  });

  it('ends with words or a mark at Mistral', () => {
    const last = (more: Partial<Candidate>): unknown => (fitted(server('mistral', more)).messages as unknown[]).at(-1); // A list.
    expect(last({})).toMatchObject({ role: 'user' });
    expect(last({ capabilities: { prefill: true } })).toEqual({ role: 'assistant', content: 'Now', prefix: true });
  });

  it('has what a reasoning model of OpenAI takes', () => {
    const rules = { ...plainOpenai, limitNames: ['max_completion_tokens'], temperatureMax: null, stopMax: 0 };
    const old = { ...BODY, max_tokens: 5, max_completion_tokens: undefined, stop: ['x'], top_p: 1 };
    const { max_completion_tokens: _, ...body } = old;
    const sent = fitted(server('openai', { model: 'gpt-5' }), body);
    expect(openaiViolations(sent, rules)).toEqual([]);
    expect(sent).toMatchObject({ max_completion_tokens: 5 });
  });

  it('forces a call where it cannot name one, and where thinking forbids it', () => {
    const named = { ...BODY, tool_choice: { type: 'function', function: { name: 'read' } } };
    expect(fitted(server('lmstudio'), named)).toMatchObject({ tool_choice: 'required' });
    expect(fitted(server('deepseek'), named)).toMatchObject({ thinking: { type: 'disabled' } });
  });

  it('calls a developer a system where it must, and leaves broken messages to the server', () => {
    const messages = [{ role: 'developer', content: 'x' }, 'broken', { role: 'assistant', tool_calls: 'broken' }];
    expect(fitted(server('mistral'), { messages }).messages).toEqual([
      { role: 'system', content: 'x' },
      'broken',
      { role: 'assistant', tool_calls: 'broken' },
      { role: 'user', content: expect.stringContaining('Continue') as string },
    ]);
    expect(fitted(server('openai'), { messages }).messages).toEqual(messages);
  });

  it('signs the calls that Gemini 3 wants signed, and no others', () => {
    const count = (model: string): number =>
      JSON.stringify(fitted(server('gemini', { model }))).split('"thought_signature"').length - 1;
    expect([count('gemini-3-pro'), count('gemini-2.5-pro')]).toEqual([1, 0]);
  });
});

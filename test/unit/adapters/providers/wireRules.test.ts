// The strict rules that translated bodies are judged by: a good body passes, and each single violation is named.
import { describe, expect, it } from 'vitest';
import { anthropicViolations, type AnthropicRules } from '../../../support/anthropicRules.ts';
import { openaiFamilies } from '../../../support/wireDialects.ts';
import { openaiViolations, plainOpenai } from '../../../support/wireRules.ts';

type Json = Record<string, unknown>;

const call = (id = 'abcdefgh1', more: Json = {}): Json => ({
  id,
  type: 'function',
  function: { name: 'read', arguments: '{}' },
  ...more,
});
const user = (content: unknown = 'hello'): Json => ({ role: 'user', content });
const said = (content: unknown = 'well', more: Json = {}): Json => ({ role: 'assistant', content, ...more });
const calling = (...calls: Json[]): Json => said(null, { tool_calls: calls });
const told = (id = 'abcdefgh1', content: unknown = 'it is'): Json => ({ role: 'tool', tool_call_id: id, content });
const tool = (parameters: Json = { type: 'object', properties: {} }, name = 'read'): Json => ({
  type: 'function',
  function: { name, parameters },
});
const body = (...messages: Json[]): Json => ({ model: 'm', messages, stream: true, tools: [tool()] });
const good = body({ role: 'system', content: 's' }, user(), calling(call()), told(), said(), user());
const picture = (url: string): Json => user([{ type: 'image_url', image_url: { url } }]);
const withSchema = (parameters: Json): Json => ({ ...body(user()), tools: [tool(parameters)] });
const property = (schema: Json): Json => withSchema({ type: 'object', properties: { a: schema } });

describe('rules of the OpenAI wire', () => {
  it.each(Object.keys(openaiFamilies))('pass a good body for %s', (family) => {
    const signed = { extra_content: { google: { thought_signature: 's' } } };
    const isDeepseek = family === 'deepseek';
    const messages = (good.messages as Json[]).map((m) =>
      // Made above.
      isDeepseek && m.role === 'assistant' ? { ...m, reasoning_content: 'r' } : m,
    );
    expect(openaiViolations({ ...good, messages }, openaiFamilies[family])).toEqual([]);
    if (family !== 'gemini') return;
    const strict = { ...(openaiFamilies.gemini ?? plainOpenai), demandsCallSignature: true };
    expect(openaiViolations(body(user(), calling(call('abcdefgh1', signed)), told()), strict)).toEqual([]);
  });

  it.each<readonly [string, string, Json, RegExp]>([
    ['no model', 'openai', { ...good, model: '' }, /model/],
    ['a model left open', 'openai', { ...good, model: 'gpt-{model}' }, /model/],
    ['no messages', 'openai', body(), /must not be empty/],
    ['an unknown field', 'openai', { ...good, top_k: 1 }, /top_k: extra inputs/],
    [
      'an unknown field of a message',
      'groq',
      body(user(), said('x', { reasoning_content: 'r' }), user()),
      /'reasoning_content' is unsupp/,
    ],
    ['the old name of the limit', 'openai', { ...good, max_tokens: 5 }, /max_tokens: unsupported/],
    [
      'the new name of the limit',
      'mistral',
      { ...good, max_completion_tokens: 5 },
      /max_completion_tokens: unsupported/,
    ],
    ['a limit of 0', 'mistral', { ...good, max_tokens: 0 }, /whole number/],
    ['too many stops', 'openai', { ...good, stop: ['a', 'b', 'c', 'd', 'e'] }, /stop: at most 4/],
    ['an empty stop', 'openai', { ...good, stop: [''] }, /stop: empty/],
    ['too much temperature', 'mistral', { ...good, temperature: 1.6 }, /temperature/],
    ['top_p of 0', 'openai', { ...good, top_p: 0 }, /top_p/],
    ['top_p beside temperature 0', 'openai', { ...good, temperature: 0, top_p: 0.5 }, /greedy/],
    ['stream options', 'mistral', { ...good, stream_options: {} }, /stream_options/],
    ['an empty list of tools', 'openai', { ...good, tools: [] }, /tools: must not be empty/],
    ['a name with a dot', 'openai', { ...good, tools: [tool(undefined, 'a.b')] }, /name "a\.b"/],
    ['a name that begins with a digit', 'gemini', { ...good, tools: [tool(undefined, '1a')] }, /name "1a"/],
    ['two tools of one name', 'openai', { ...good, tools: [tool(), tool()] }, /unique/],
    ['a choice without tools', 'openai', { model: 'm', messages: [user()], tool_choice: 'auto' }, /only with tools/],
    [
      'a choice of no tool',
      'openai',
      { ...good, tool_choice: { type: 'function', function: { name: 'x' } } },
      /names no tool/,
    ],
    [
      'a choice by name',
      'lmstudio',
      { ...good, tool_choice: { type: 'function', function: { name: 'read' } } },
      /must be text/,
    ],
    ['an unknown choice', 'openai', { ...good, tool_choice: 'any' }, /unknown/],
    ['a forced call while thinking', 'deepseek', { ...body(user()), tool_choice: 'required' }, /thinking mode/],
    ['a schema without type', 'openai', withSchema({ properties: {} }), /type object/],
    ['a schema without properties', 'openai', withSchema({ type: 'object' }), /missing properties/],
    [
      'a choice at the top of a schema',
      'openai',
      withSchema({ type: 'object', properties: {}, anyOf: [] }),
      /anyOf at the top/,
    ],
    ['a keyword that Google does not know', 'gemini', property({ exclusiveMinimum: 1 }), /"exclusiveMinimum"/],
    ['a list of types', 'gemini', property({ type: ['string', 'null'] }), /type must be one/],
    ['a list of numbers', 'gemini', property({ type: 'integer', enum: [1] }), /enum only/],
    [
      'a demand for nothing',
      'gemini',
      withSchema({ type: 'object', properties: {}, required: ['b'] }),
      /required\[b\]/,
    ],
    ['a keyword inside items', 'gemini', property({ type: 'array', items: { const: 1 } }), /"const"/],
    ['a result without call', 'openai', body(user(), told()), /answers no open call/],
    ['a result twice', 'openai', body(user(), calling(call()), told(), told()), /answers no open call/],
    ['a call without result', 'openai', body(user(), calling(call()), user()), /without result/],
    ['a call at the end', 'ollama', body(user(), calling(call())), /end: calls without result/],
    ['an empty result', 'openai', body(user(), calling(call()), told('abcdefgh1', ' ')), /tool content/],
    ['a list in place of a result', 'openai', body(user(), calling(call()), told('abcdefgh1', [])), /tool content/],
    [
      'a system message in the middle',
      'openai',
      body(user(), { role: 'system', content: 's' }),
      /system must come first/,
    ],
    ['an empty system message', 'openai', body({ role: 'system', content: ' ' }, user()), /empty system/],
    ['two users in a row', 'openai', body(user(), user()), /alternate/],
    ['two assistants in a row', 'openai', body(user(), said(), said(), user()), /alternate/],
    ['an assistant at the beginning', 'openai', body(said(), user()), /before user/],
    ['a user after a tool', 'mistral', body(user(), calling(call()), told(), user()), /after role 'tool'/],
    ['a role of its own', 'the plain wire', body({ role: 'developer' }, user()), /role/],
    ['an empty user message', 'openai', body(user('  ')), /empty user/],
    ['a user message of no parts', 'openai', body(user([])), /user content/],
    ['an empty part', 'openai', body(user([{ type: 'text', text: '' }])), /content part text/],
    ['an image for the blind', 'cerebras', body(picture('data:image/png;base64,AAAA')), /content part image_url/],
    ['an image by address', 'ollama', body(picture('https://example.org/a.png')), /content part image_url/],
    ['an image of another type', 'xai', body(picture('data:image/gif;base64,AAAA')), /content part image_url/],
    ['an image that is no base64', 'openai', body(picture('data:image/png;base64,??')), /content part image_url/],
    ['an assistant that says nothing', 'openai', body(user(), said(null), user()), /empty assistant message/],
    ['an assistant of white space', 'openai', body(user(), said(' '), user()), /empty assistant content/],
    ['an empty list of calls', 'openai', body(user(), said('x', { tool_calls: [] }), user()), /empty tool_calls/],
    [
      'an id of ten letters',
      'mistral',
      body(user(), calling(call('abcdefgh12')), told('abcdefgh12')),
      /id "abcdefgh12"/,
    ],
    ['an id of 41 letters', 'openai', body(user(), calling(call('x'.repeat(41))), told('x'.repeat(41))), /id "xxx/],
    ['an id twice', 'openai', body(user(), calling(call(), call()), told()), /twice/],
    ['a call without type', 'openai', body(user(), calling(call('abcdefgh1', { type: 'x' })), told()), /call type/],
    [
      'a signature for another vendor',
      'openai',
      body(user(), calling(call('abcdefgh1', { extra_content: {} })), told()),
      /extra_content/,
    ],
    [
      'a called name with a dot',
      'openai',
      body(user(), calling(call('abcdefgh1', { function: { name: 'a.b', arguments: '{}' } })), told()),
      /function name/,
    ],
    [
      'arguments that are a list',
      'openai',
      body(user(), calling(call('abcdefgh1', { function: { name: 'a', arguments: '[]' } })), told()),
      /no JSON object/,
    ],
    ['a turn without its reasoning', 'deepseek', body(user(), said(), user()), /missing reasoning_content/],
    ['a prefix in the middle', 'mistral', body(user(), said('x', { prefix: true }), user()), /prefix only/],
    ['an assistant at the end', 'mistral', body(user(), said()), /expected last role/],
    ['an assistant at the end without a flag', 'vllm', body(user(), said()), /expected last role/],
  ])('find %s (%s)', (_, family, broken, name) => {
    const found = openaiViolations(broken, openaiFamilies[family]);
    expect(found).toEqual([expect.stringMatching(name)]);
  });

  it('find a call without the signature that Gemini 3 demands', () => {
    const strict = { ...(openaiFamilies.gemini ?? plainOpenai), demandsCallSignature: true };
    expect(openaiViolations(body(user(), calling(call()), told()), strict)).toEqual([
      expect.stringContaining('thought_signature'),
    ]);
  });
});

describe('rules of the Anthropic wire', () => {
  const text = (value = 'hello'): Json => ({ type: 'text', text: value });
  const use = (id = 'toolu_1', more: Json = {}): Json => ({ type: 'tool_use', id, name: 'read', input: {}, ...more });
  const result = (id = 'toolu_1', more: Json = {}): Json => ({ type: 'tool_result', tool_use_id: id, ...more });
  const thought = (signature = 's'): Json => ({ type: 'thinking', thinking: 't', signature });
  const asks = (...content: Json[]): Json => ({ role: 'user', content });
  const says = (...content: Json[]): Json => ({ role: 'assistant', content });
  const spec = (more: Json = {}): Json => ({ name: 'read', input_schema: { type: 'object' }, ...more });
  const message = (...messages: Json[]): Json => ({ model: 'm', max_tokens: 5, messages, tools: [spec()] });
  const fine = message(
    asks(text()),
    says(thought(), text(), use()),
    asks(result(), text()),
    says(text()),
    asks(text()),
  );
  const image = (source: Json): Json => message(asks({ type: 'image', source }));
  const rules: Partial<AnthropicRules> = { takesMoreFields: false, isOwnSignature: (s) => s === 's' };

  it('pass a good body', () => {
    expect(anthropicViolations({ ...fine, system: [text()] }, rules)).toEqual([]);
  });

  it.each<readonly [string, Json, RegExp] | readonly [string, Json, RegExp, Partial<AnthropicRules>]>([
    ['no model', { ...fine, model: '' }, /model/],
    ['no limit', { ...fine, max_tokens: undefined }, /max_tokens/],
    ['an unknown field', { ...fine, stop: ['x'] }, /stop: extra/],
    ['too much temperature', { ...fine, temperature: 1.1 }, /0 to 1/],
    ['both samplings', { ...fine, temperature: 1, top_p: 1 }, /only one/],
    ['sampling of a newer model', { ...fine, temperature: 1 }, /deprecated/, { takesSampling: false }],
    ['a stop of white space', { ...fine, stop_sequences: [' '] }, /stop_sequences/],
    ['an empty system block', { ...fine, system: [text(' ')] }, /system: text/],
    ['an empty system', { ...fine, system: [] }, /system: empty/],
    ['a bad name of a tool', { ...fine, tools: [spec({ name: 'a.b' })] }, /name "a\.b"/],
    ['a schema of another type', { ...fine, tools: [spec({ input_schema: {} })] }, /type must be object/],
    [
      'a choice at the top of a schema',
      { ...fine, tools: [spec({ input_schema: { type: 'object', oneOf: [] } })] },
      /oneOf/,
    ],
    ['two tools of one name', { ...fine, tools: [spec(), spec()] }, /unique/],
    ['a choice of no tool', { ...fine, tool_choice: { type: 'tool', name: 'x' } }, /names no tool/],
    [
      'a choice without tools',
      { ...message(asks(text())), tools: [], tool_choice: { type: 'auto' } },
      /only with tools/,
    ],
    ['an empty message', message(asks()), /empty content/],
    ['an empty text', message(asks(text(' '))), /block text/],
    ['an unknown block', message(asks({ type: 'video' })), /block video/],
    ['a block named like a method', message(asks({ type: 'constructor' })), /block constructor/],
    ['an image by http', image({ type: 'url', url: 'http://x/a.png' }), /block image/],
    ['an image by address', image({ type: 'url', url: 'https://x/a.png' }), /block image/, { takesImageUrls: false }],
    ['an image of another type', image({ type: 'base64', media_type: 'image/tiff', data: 'AAAA' }), /block image/],
    ['an image without data', image({ type: 'base64', media_type: 'image/png', data: '' }), /block image/],
    ['an image for the blind', image({ type: 'url', url: 'https://x/a.png' }), /block image/, { takesImages: false }],
    [
      'an input that is text',
      message(asks(text()), says(use('a', { input: 'x' })), asks(result('a'))),
      /block tool_use/,
    ],
    [
      'an empty list of results',
      message(asks(text()), says(use()), asks(result('toolu_1', { content: [] }))),
      /block tool_result/,
    ],
    [
      'a call in a result',
      message(asks(text()), says(use()), asks(result('toolu_1', { content: [thought()] }))),
      /thinking in a tool result/,
    ],
    ['a foreign signature', message(asks(text()), says(thought('other'), text()), asks(text())), /block thinking/],
    [
      'a foreign secret',
      message(asks(text()), says({ type: 'redacted_thinking', data: 'x' }, text()), asks(text())),
      /block redacted/,
    ],
    ['thinking at the end', message(asks(text()), says(text(), thought()), asks(text())), /cannot be thinking/],
    [
      'a call before thinking',
      { ...message(asks(text()), says(use()), asks(result())), thinking: { type: 'enabled' } },
      /expected thinking/,
    ],
    [
      'calls without tools',
      { ...message(asks(text()), says(use()), asks(result())), tools: undefined },
      /without declared/,
    ],
    ['an id with a colon', message(asks(text()), says(use('a:b')), asks(result('a:b'))), /id "a:b"/],
    ['a result after text', message(asks(text()), says(use()), asks(text(), result())), /come first/],
    ['a missing result', message(asks(text()), says(use()), asks(text())), /results {2}for calls toolu_1/],
    ['a result of nothing', message(asks(result())), /results toolu_1/],
    ['a call at the end', message(asks(text()), says(use())), /end: calls without/],
    ['an end in white space', message(asks(text()), says(text('x '))), /white space/],
    ['a beginning to be continued', message(asks(text()), says(text())), /prefill/, { takesPrefill: false }],
    ['two users in a row', message(asks(text()), asks(text())), /alternate/],
  ])('find %s', (...[, broken, name, changed]) => {
    const found = anthropicViolations(broken, { ...rules, ...changed });
    expect(found.length).toBeGreaterThan(0);
    expect(
      found.some((rule) => name.test(rule)),
      found.join('; '),
    ).toBe(true);
  });
});

// What each family of servers is sent: one behaviour of a dialect at a time, in the bodies that are made for it.
import { describe, expect, it } from 'vitest';
import { anthropicBody } from '../../../../src/adapters/providers/anthropicRequest.ts';
import { issuerOf } from '../../../../src/adapters/providers/endpoint.ts';
import { openaiBody } from '../../../../src/adapters/providers/openaiRequest.ts';
import type { Candidate } from '../../../../src/core/candidate.ts';
import type { ChatMessage, ChatRequest, ImagePart } from '../../../../src/core/chat.ts';
import { dialectOf } from '../../../../src/core/providers/dialects.ts';
import { candidate } from '../../../support/candidates.ts';

const server = (family: string, model = 'm', more: Partial<Candidate> = {}): Candidate =>
  candidate(family, { family, model, baseUrl: `https://${family}.example/v1`, ...more });
const claude = (more: Partial<Candidate> = {}): Candidate =>
  server('anthropic', 'claude-sonnet-4-5', {
    kind: 'anthropic',
    wire: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com',
    ...more,
  });
const text = (words: string): { readonly type: 'text'; readonly text: string } => ({ type: 'text', text: words });
const asks = (words = 'hello'): ChatMessage => ({ role: 'user', content: [text(words)] });
const read = { name: 'read', parameters: { type: 'object', properties: {} } };
const calls: ChatMessage = {
  role: 'assistant',
  content: [
    { type: 'tool-call', id: 'call_abc', name: 'read', argsText: '{}' },
    { type: 'tool-call', id: 'call_def', name: 'read', argsText: '{}' },
  ],
};
const results: ChatMessage = {
  role: 'tool',
  content: ['call_abc', 'call_def'].map((callId) => ({
    type: 'tool-result',
    callId,
    content: [text('it is')],
    isError: false,
  })),
};
const request = (messages: readonly ChatMessage[], more: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'm',
  system: [],
  messages,
  tools: [read],
  toolChoice: { type: 'auto' },
  ...more,
});
const rolesOf = ({ messages }: { readonly messages: readonly { readonly role: string }[] }): string[] =>
  messages.map(({ role }) => role);

describe('a dialect', () => {
  it('of an unknown family is the careful one, also where the family is named like a method', () => {
    const unknown = dialectOf({ family: 'nobody', model: 'm', wire: 'openai-chat' });
    expect(dialectOf({ family: 'constructor', model: 'm', wire: 'openai-chat' })).toEqual(unknown);
    expect(unknown).toMatchObject({ outputLimitName: 'max_tokens', developerRole: false, stopLimit: 4 });
  });

  it.each([
    ['openrouter', 'mistralai/mistral-large-2512'],
    ['vllm', 'mistralai/Devstral-Small-2-24B'],
    ['nvidia', 'mistralai/ministral-8b'],
    ['ollama', 'mixtral:8x7b'],
    ['azure', 'Codestral-2501'],
  ])('at %s knows %s for one of Mistral', (family, model) => {
    const { callIds, assistantAfterTool } = dialectOf({ family, model, wire: 'openai-chat' });
    expect([callIds.maxChars, assistantAfterTool]).toEqual([9, true]);
  });

  it.each([
    ['claude-opus-4-7', null],
    ['us.anthropic.claude-opus-4-8-v1:0', null],
    ['claude-opus-4.7', null],
    ['claude-sonnet-5', null],
    ['claude-fable-5', null],
    ['claude-opus-4-20250514', 1],
    ['claude-opus-4-6', 1],
    ['claude-sonnet-4-5-20250929', 1],
    ['claude-haiku-4-5@20251001', 1],
    ['claude-3-opus-20240229', 1],
    ['claude-3-7-sonnet-latest', 1],
    ['claude-instant-1', 1],
  ])('of %s has %j as its highest temperature', (model, max) => {
    expect(dialectOf({ family: 'anthropic', model, wire: 'anthropic-messages' }).temperatureMax).toBe(max);
  });

  it.each([
    ['gpt-5', null, 0],
    ['openai/gpt-5.4-mini', null, 0],
    ['o3', null, 0],
    ['o4-mini', null, 0],
    ['gpt-5-chat-latest', 2, 4],
    ['gpt-4.1', 2, 4],
    ['gpt-oss-120b', 2, 4],
    ['o1x-something', 2, 4],
  ])('of %s has temperature to %j and %i stops', (model, max, stops) => {
    const { temperatureMax, stopLimit } = dialectOf({ family: 'openai', model, wire: 'openai-chat' });
    expect([temperatureMax, stopLimit]).toEqual([max, stops]);
  });

  it.each([
    ['grok-4', 0],
    ['grok-3-mini', 0],
    ['grok-3', 4],
    ['grok-4-fast-non-reasoning', 4],
  ])('of %s has %i stops', (model, stops) => {
    expect(dialectOf({ family: 'xai', model, wire: 'openai-chat' }).stopLimit).toBe(stops);
  });
});

describe('the issuer of thinking', () => {
  const at = (kind: Candidate['kind'], baseUrl: string, wire: Candidate['wire'] = 'anthropic-messages'): string =>
    issuerOf({ kind, family: kind, wire, baseUrl });

  it.each([
    ['anthropic', 'https://api.anthropic.com'],
    ['anthropic', 'https://api.anthropic.com/v1'],
    ['bedrock', 'https://bedrock-runtime.eu-west-1.amazonaws.com'],
    ['bedrock', 'https://vpce-1.bedrock-runtime.eu-west-1.vpce.amazonaws.com'],
    ['vertex', 'https://aiplatform.googleapis.com/v1'],
    ['vertex', 'https://us-east5-aiplatform.googleapis.com/v1'],
    ['vertex', 'https://aiplatform.eu.rep.googleapis.com/v1'],
  ] as const)('is Claude for %s at %s', (kind, url) => {
    expect(at(kind, url)).toBe('anthropic');
  });

  it.each([
    ['anthropic', 'https://api.deepseek.com/anthropic'],
    ['anthropic', 'https://api.anthropic.com.evil.example'],
    ['anthropic', 'http://127.0.0.1:4000'],
    ['anthropic', 'not an address'],
    ['bedrock', 'https://amazonaws.com.evil.example'],
    ['vertex', 'https://evilaiplatform.googleapis.com.example'],
    ['openai', 'https://api.anthropic.com'],
  ] as const)('is another one for %s at %s', (kind, url) => {
    expect(at(kind, url)).not.toBe('anthropic');
  });

  it('is another one for two servers of one family', () => {
    expect(at('anthropic', 'http://127.0.0.1:1')).not.toBe(at('anthropic', 'http://127.0.0.1:2'));
  });
});

describe('a request to Mistral', () => {
  it('has ids of nine letters, no stream options, and an assistant between a result and the user', () => {
    const body = openaiBody(request([asks(), calls, results, asks('more')], { maxOutputTokens: 7 }), server('mistral'));
    expect(rolesOf(body)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant', 'user']);
    expect(body).not.toHaveProperty('stream_options');
    expect(body).toMatchObject({ max_tokens: 7 });
    expect(JSON.stringify(body)).not.toContain('call_abc');
  });

  it('keeps results at the end without anything behind them', () => {
    expect(rolesOf(openaiBody(request([asks(), calls, results]), server('mistral')))).toEqual([
      'user', 'assistant', 'tool', 'tool',
    ]); // prettier-ignore
  });
});

describe('a beginning to be continued', () => {
  const begun: readonly ChatMessage[] = [asks(), { role: 'assistant', content: [text('Once upon ')] }];
  const able = { capabilities: { prefill: true } };

  it.each([
    ['openai', able],
    ['deepseek', able],
    ['gemini', able],
    ['mistral', {}],
    ['ollama', {}],
    ['ollama', { capabilities: { prefill: false } }],
  ])('is asked for in words at %s with %j', (family, more) => {
    const body = openaiBody(request(begun), server(family, 'm', more));
    expect(rolesOf(body)).toEqual(['user', 'assistant', 'user']);
    expect(body.messages[1]).toMatchObject({ content: 'Once upon ' });
    expect(body.messages[2]).toMatchObject({ content: expect.stringContaining('Continue') as string });
  });

  it('stands last where the model takes it', () => {
    expect(rolesOf(openaiBody(request(begun), server('ollama', 'm', able)))).toEqual(['user', 'assistant']);
    expect(openaiBody(request(begun), server('mistral', 'm', able)).messages.at(-1)).toMatchObject({ prefix: true });
    expect(openaiBody(request(begun), server('vllm', 'm', able))).toMatchObject({
      continue_final_message: true,
      add_generation_prompt: false,
    });
  });

  it('goes to Claude without white space at its end, or with words of its own', () => {
    expect(anthropicBody(request(begun), claude(able)).messages.at(-1)).toEqual({
      role: 'assistant',
      content: [text('Once upon')],
    });
    expect(rolesOf(anthropicBody(request(begun), claude()))).toEqual(['user', 'assistant', 'user']);
  });

  it('sets no flag in a request that ends with the user', () => {
    const body = openaiBody(request([...begun, asks()]), server('vllm', 'm', able));
    expect(body).not.toHaveProperty('continue_final_message');
    expect(JSON.stringify(openaiBody(request([...begun, asks()]), server('mistral', 'm', able)))).not.toContain(
      'prefix',
    );
  });
});

describe('a request to DeepSeek', () => {
  const deepseek = server('deepseek');
  const thought: ChatMessage = {
    role: 'assistant',
    content: [{ type: 'thinking', text: 'mine', issuer: issuerOf(deepseek) }, text('so')],
  };
  const foreign: ChatMessage = {
    role: 'assistant',
    content: [{ type: 'thinking', text: 'theirs', issuer: 'anthropic' }, text('thus')],
  };
  const history = [asks(), thought, asks(), foreign, asks(), calls, results];
  const reasoning = (body: { readonly messages: readonly object[] }): unknown[] =>
    body.messages.flatMap((m) => ('reasoning_content' in m ? [m.reasoning_content] : []));

  it('with tools carries its own reasoning, and words of their own in turns of others', () => {
    const [own, ...others] = reasoning(openaiBody(request(history), deepseek));
    expect(own).toBe('mine');
    expect(new Set(others).size).toBe(2);
    expect(others.join()).not.toContain('theirs');
  });

  it('without tools carries none', () => {
    expect(reasoning(openaiBody(request(history, { tools: [] }), deepseek))).toEqual([]);
  });

  it('turns thinking off where a call is forced', () => {
    const body = openaiBody(request(history, { toolChoice: { type: 'required' } }), deepseek);
    expect(body).toMatchObject({ thinking: { type: 'disabled' }, tool_choice: 'required' });
    expect(reasoning(body)).toEqual([]);
  });

  it('of another server never carries any', () => {
    for (const family of ['groq', 'mistral', 'openai', 'together', 'nobody']) {
      const own: ChatMessage = {
        role: 'assistant',
        content: [{ type: 'thinking', text: 'mine', issuer: issuerOf(server(family)) }, text('so')],
      };
      expect(JSON.stringify(openaiBody(request([asks(), own, asks()]), server(family)))).not.toContain('mine');
    }
  });
});

describe('a request to Gemini', () => {
  const signed = (family: string, model: string): number =>
    JSON.stringify(openaiBody(request([asks(), calls, results]), server(family, model))).split('"thought_signature"')
      .length - 1;

  it.each([
    ['gemini', 'gemini-3-pro-preview', 1],
    ['gemini', 'gemini-3.8-flash', 1],
    ['gemini', 'gemini-flash-latest', 1],
    ['vertex', 'google/gemini-3.5-flash', 1],
    ['gemini', 'gemini-2.5-pro', 0],
    ['vertex', 'google/gemini-1.5-pro', 0],
    ['gemini', 'gemma-4', 0],
    ['openrouter', 'google/gemini-3-pro', 0],
  ])('at %s for %s marks %i call of a turn as unsigned', (family, model, count) => {
    expect(signed(family, model)).toBe(count);
  });
});

describe('the choice of one tool', () => {
  const other = { name: 'write', parameters: {} };
  const forced = request([asks()], { tools: [read, other], toolChoice: { type: 'tool', name: 'write' } });

  it('is offered alone where none can be named', () => {
    expect(openaiBody(forced, server('lmstudio'))).toMatchObject({
      tools: [{ function: { name: 'write' } }],
      tool_choice: 'required',
    });
    expect(openaiBody(forced, server('lmstudio')).tools).toHaveLength(1);
  });

  it('is named where it can be', () => {
    expect(openaiBody(forced, server('openai'))).toMatchObject({ tool_choice: { function: { name: 'write' } } });
    expect(openaiBody(forced, server('openai')).tools).toHaveLength(2);
  });
});

describe('sampling', () => {
  const sampled = request([asks()], { temperature: 1.8, topP: 0, stop: ['a', 'b', 'c', 'd', 'e', 'f'] });

  it('is cut to the ranges of the receiver', () => {
    expect(openaiBody(sampled, server('mistral'))).toMatchObject({
      temperature: 1.5,
      top_p: 0.01,
      stop: ['a', 'b', 'c', 'd'],
    });
    expect(openaiBody(sampled, server('gemini')).stop).toHaveLength(5);
    expect(anthropicBody(sampled, claude())).toMatchObject({
      temperature: 1,
      stop_sequences: ['a', 'b', 'c', 'd', 'e', 'f'],
    });
  });

  it('is left out where the model refuses it', () => {
    for (const body of [
      openaiBody(sampled, server('openai', 'gpt-5')),
      anthropicBody(sampled, claude({ model: 'claude-opus-4-7' })),
    ]) {
      expect(body).not.toHaveProperty('temperature');
      expect(body).not.toHaveProperty('top_p');
    }
    expect(openaiBody(sampled, server('openai', 'gpt-5'))).not.toHaveProperty('stop');
  });
});

describe('an image', () => {
  const shown = (source: ImagePart['source'], receiver: Candidate): string => {
    const asked = request([{ role: 'user', content: [text('look'), { type: 'image', source }] }]);
    return JSON.stringify(
      receiver.wire === 'openai-chat' ? openaiBody(asked, receiver) : anthropicBody(asked, receiver),
    );
  };
  const png = { kind: 'base64', mediaType: 'image/PNG', data: 'AA AA\n' } as const;
  const link = { kind: 'url', url: 'https://example.org/a.png' } as const;

  it.each([
    ['bytes', png, server('openai'), 'data:image/png;base64,AAAA'],
    ['bytes', png, claude(), '"media_type":"image/png","data":"AAAA"'],
    ['an address', link, server('openai'), '"url":"https://example.org/a.png"'],
    ['an address', link, claude(), '"url":"https://example.org/a.png"'],
    [
      'a data address',
      { kind: 'url', url: 'data:image/jpg;charset=x;base64,AAAA' },
      server('openai'),
      'data:image/jpeg;base64,AAAA',
    ],
    ['bytes', png, server('deepseek', 'm', { capabilities: { images: true } }), 'data:image/png;base64,AAAA'],
  ] as const)('as %s goes where it is taken', (_, source, receiver, found) => {
    expect(shown(source, receiver)).toContain(found);
  });

  it.each([
    ['a blind model', png, server('openai', 'm', { capabilities: { images: false } }), 'reads text only'],
    ['a server of mostly blind models', png, server('deepseek'), 'reads text only'],
    [
      'Bedrock, by address',
      link,
      claude({ family: 'bedrock', kind: 'bedrock' }),
      'at https://example.org/a.png was left out',
    ],
    ['Ollama, by address', link, server('ollama'), 'does not fetch images'],
    ['Claude, by http', { kind: 'url', url: 'http://example.org/a.png' }, claude(), 'by https only'],
    ['a file address', { kind: 'url', url: 'file:///etc/passwd' }, server('openai'), 'by http only'],
    ['another type', { kind: 'base64', mediaType: 'image/tiff', data: 'AAAA' }, server('openai'), 'not image/tiff'],
    ['no type', { kind: 'base64', mediaType: '', data: 'AAAA' }, server('openai'), 'not an unnamed type'],
    ['no base64', { kind: 'base64', mediaType: 'image/png', data: '<svg>' }, claude(), 'not base64'],
    ['a data address of text', { kind: 'url', url: 'data:text/plain,hello' }, server('openai'), 'not base64'],
  ] as const)('is said in words for %s', (_, source, receiver, words) => {
    const written = shown(source, receiver);
    expect(written).toContain(words);
    expect(written).not.toMatch(/"type":"image/);
  });
});

describe('thinking for Claude', () => {
  const thinking = { type: 'thinking', text: 'hm', signature: 's', issuer: 'anthropic' } as const;

  it('comes first, never last, and never unsigned', () => {
    const messages: ChatMessage[] = [
      asks(),
      {
        role: 'assistant',
        content: [thinking, text('so'), thinking, { type: 'thinking', text: 'x', issuer: 'anthropic' }],
      },
      asks(),
    ];
    expect(anthropicBody(request(messages), claude()).messages[1]?.content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 's' },
      text('so'),
    ]);
  });

  it('goes back without a signature to another server of the wire that gave none', () => {
    const other = claude({ baseUrl: 'https://api.other.example/anthropic' });
    const own = { type: 'thinking', text: 'hm', issuer: issuerOf(other) } as const;
    const body = anthropicBody(
      request([asks(), { role: 'assistant', content: [own, thinking, text('so')] }, asks()]),
      other,
    );
    expect(body.messages[1]?.content).toEqual([{ type: 'thinking', thinking: 'hm', signature: '' }, text('so')]);
  });
});

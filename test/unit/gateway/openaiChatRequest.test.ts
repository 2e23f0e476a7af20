// Chat Completions body -> neutral request, and the words of a refusal.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../../src/core/chat.ts';
import { openaiChatWire } from '../../../src/gateway/wires/openaiChat.ts';

function parse(change: Record<string, unknown>): ChatRequest {
  const read = openaiChatWire.parse({ model: 'm', messages: [{ role: 'user', content: 'x' }], ...change }, {});
  if (!read.ok) throw new Error(read.error.message);
  return read.value.request;
}

function refusal(change: Record<string, unknown>): string {
  const read = openaiChatWire.parse({ model: 'm', messages: [{ role: 'user', content: 'x' }], ...change }, {});
  return read.ok ? 'accepted' : `${read.error.status} ${read.error.message}`;
}

describe('a request', () => {
  it('keeps system and developer text, turns and tool pairs', () => {
    const request = parse({
      messages: [
        { role: 'system', content: 'S' },
        { role: 'developer', content: [{ type: 'text', text: 'D' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
            { type: 'image_url', image_url: { url: 'https://x/y.png' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: '1', type: 'function', function: { name: 'a', arguments: '{"x": 1}' } },
            { id: '2', type: 'function', function: { name: 'b', arguments: '' } },
          ],
        },
        { role: 'tool', tool_call_id: '1', content: 'one' },
        { role: 'tool', tool_call_id: '2', content: [{ type: 'text', text: 'two' }] },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }], refusal: null },
        { role: 'user', content: 'go on', name: 'kim' },
      ],
    });
    expect(request.system).toEqual([
      { type: 'text', text: 'S' },
      { type: 'text', text: 'D' },
    ]);
    expect(request.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' } },
          { type: 'image', source: { kind: 'url', url: 'https://x/y.png' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', id: '1', name: 'a', argsText: '{"x": 1}' },
          { type: 'tool-call', id: '2', name: 'b', argsText: '' },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', callId: '1', content: [{ type: 'text', text: 'one' }], isError: false },
          { type: 'tool-result', callId: '2', content: [{ type: 'text', text: 'two' }], isError: false },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'no' }] },
      { role: 'user', content: [{ type: 'text', text: 'go on' }] },
    ]);
  });

  it('keeps tools, choice and sampling, and leaves out what is null or absent', () => {
    const tools = [
      { type: 'function', function: { name: 'run', description: 'd', parameters: { type: 'object' }, strict: true } },
      { type: 'function', function: { name: 'bare' } },
    ];
    const full = parse({
      tools,
      tool_choice: { type: 'function', function: { name: 'run' } },
      max_tokens: 5,
      max_completion_tokens: 9,
      temperature: 0,
      top_p: 1,
      stop: ['a', 'b'],
      parallel_tool_calls: false,
    });
    expect(full).toMatchObject({
      tools: [
        { name: 'run', description: 'd', parameters: { type: 'object' } },
        { name: 'bare', parameters: { type: 'object', properties: {} } },
      ],
      toolChoice: { type: 'tool', name: 'run' },
      maxOutputTokens: 9,
      temperature: 0,
      topP: 1,
      stop: ['a', 'b'],
      parallelToolCalls: false,
    });
    const bare = parse({
      tools: null,
      tool_choice: null,
      max_tokens: null,
      temperature: null,
      top_p: null,
      stop: null,
      n: 1,
      logprobs: false,
    });
    expect(Object.keys(bare).sort()).toEqual(['messages', 'model', 'raw', 'system', 'toolChoice', 'tools']);
  });

  it('carries its body unchanged, and names the fields only that body has', () => {
    const body = {
      model: 'm',
      messages: [{ role: 'user', content: 'x' }],
      response_format: { type: 'json_object' },
      seed: 1,
      user: 'u',
      verbosity: null,
    };
    const read = openaiChatWire.parse(body, {
      authorization: 'Bearer secret',
      'openai-beta': 'x',
      'openai-organization': 'org',
    });
    if (!read.ok) throw new Error(read.error.message);
    expect(read.value.request.raw?.body).toBe(body);
    expect(read.value.request.raw?.headers).toEqual({ 'openai-beta': 'x' });
    expect(read.value.rawOnlyFields).toEqual(['response_format', 'seed']);
  });

  it.each([
    [{ n: 2 }, '400 n: expected 1 or nothing: Belay serves one answer a request.'],
    [{ logprobs: true }, '400 logprobs: expected nothing: Belay does not serve log probabilities.'],
    [{ top_logprobs: 3 }, '400 top_logprobs: expected nothing'],
    [{ functions: [] }, '400 functions: expected nothing: this is the old form of tools.'],
    [{ modalities: ['text', 'audio'] }, '400 modalities[1]: expected text'],
    [{ model: '' }, '400 model: '],
    [{ messages: [] }, '400 messages: '],
    [{ messages: [{ role: 'user' }] }, '400 messages[0].content: '],
    [
      { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
      '400 messages[0].content[0].type: expected one of the part types text, image_url.',
    ],
    [{ messages: [{ role: 'tool', content: 'x' }] }, '400 messages[0].tool_call_id: '],
    [
      { messages: [{ role: 'assistant', tool_calls: [{ id: '1', type: 'custom', custom: {} }] }] },
      '400 messages[0].tool_calls[0].',
    ],
    [{ tools: [{ type: 'web_search' }] }, '400 tools[0].type: '],
    [
      { tool_choice: { type: 'function', function: { name: 'none' } } },
      '400 tool_choice.function.name: expected the name of one of the tools.',
    ],
    [{ tool_choice: 'maybe' }, '400 tool_choice: '],
    [{ temperature: 3 }, '400 temperature: '],
    [{ max_tokens: 0 }, '400 max_tokens: '],
    [{ stream: 'yes' }, '400 stream: '],
  ])('is refused with the place and what was expected there: %j', (change, expected) => {
    expect(refusal(change)).toContain(expected);
  });

  it('is a call or a 400, never a throw, and a 400 repeats nothing of the body', () => {
    const secret = 'sk-secret-value';
    const value = fc.oneof(fc.jsonValue(), fc.constant(secret));
    const body = fc.oneof(
      value,
      fc.record({
        model: value,
        messages: fc.oneof(
          value,
          fc.array(
            fc.oneof(
              value,
              fc.record({
                role: fc.constantFrom('user', 'assistant', 'tool', secret),
                content: fc.oneof(
                  value,
                  fc.array(fc.record({ type: fc.constantFrom('text', 'image_url', secret), text: value })),
                ),
                tool_calls: value,
              }),
            ),
          ),
        ),
      }),
      fc.record({
        model: fc.constant('m'),
        messages: fc.constant([{ role: 'user', content: 'x' }]),
        tools: value,
        tool_choice: value,
        stop: value,
        stream: value,
      }),
    );
    fc.assert(
      fc.property(body, (input) => {
        const read = openaiChatWire.parse(input, {});
        if (read.ok) return;
        expect(read.error.status).toBe(400);
        expect(read.error.message).not.toContain(secret);
      }),
      { numRuns: 1000 },
    );
  });
});

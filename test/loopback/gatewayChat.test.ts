// The Chat Completions wire over real sockets, read by the official client.
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../src/core/faults/fault.ts';
import { answer, committed, failed, finished, partEvents, rawEvent } from '../support/fakeController.ts';
import { hello, withGateway } from '../support/gatewayHarness.ts';

type Chunk = OpenAI.Chat.ChatCompletionChunk;

const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: 'user', content: 'hello' }];
const overloaded: Fault = {
  class: 'T4',
  confidence: 1,
  secondary: null,
  detail: null,
  retryable: true,
  explicit: true,
  action: 'RETRY',
  retryAfterMs: 1500,
  evidence: [],
};

async function errorOf(work: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  try {
    await work;
  } catch (error) {
    if (error instanceof OpenAI.APIError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

async function chunksOf(client: OpenAI, change: object = {}): Promise<Chunk[]> {
  const stream = await client.chat.completions.create({ model: 'm', messages, stream: true, ...change });
  const chunks: Chunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

describe('a streamed answer', () => {
  it('reaches the client as text with one id, one model and a finish reason', async () => {
    const script = answer(
      { type: 'response-start', servedModel: 'm-2026' },
      { type: 'text-delta', text: 'Hel' },
      { type: 'text-delta', text: 'lo' },
      { type: 'finish', reason: 'stop' },
    );
    await withGateway({ script }, async ({ client }) => {
      const chunks = await chunksOf(client);
      expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Hello');
      expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
      expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
      expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
      expect(new Set(chunks.map(({ model, created }) => `${model} ${created}`))).toEqual(new Set(['m-2026 1000']));
      expect(chunks.some((chunk) => chunk.usage)).toBe(false);
    });
  });

  it('says in its headers which candidate serves it', async () => {
    const script = [
      committed({ candidate: 'b/main/naïve\r\nx: y@eu', rung: 'L2', attempts: 3 }),
      ...answer({ type: 'finish', reason: 'stop' }).slice(1),
    ];
    await withGateway({ script }, async ({ post }) => {
      const response = await post({ ...hello, stream: true });
      await response.text();
      expect(response.headers.get('x-belay-candidate')).toBe('b/main/na%C3%AFve%0D%0Ax: y@eu');
      expect(response.headers.get('x')).toBeNull();
      expect(response.headers.get('x-belay-rung')).toBe('L2');
      expect(response.headers.get('x-belay-attempts')).toBe('3');
      expect(response.headers.get('x-belay-request-id')).toMatch(/^req-[0-9a-f-]{36}$/);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    });
  });

  it('ends with a usage chunk that carries cost, candidate and attempts when usage is asked for', async () => {
    const script = answer(
      { type: 'text-delta', text: 'x' },
      { type: 'usage', usage: { inputTokens: 1, outputTokens: 1 } },
      { type: 'finish', reason: 'truncated' },
    );
    await withGateway({ script }, async ({ client }) => {
      const chunks = await chunksOf(client, { stream_options: { include_usage: true } });
      const last = chunks.at(-1);
      expect(last?.choices).toEqual([]);
      expect(last?.usage).toEqual({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 });
      expect(last).toMatchObject({ belay: { costUsd: 0.0125, candidate: 'a/main/m@eu', attempts: 2, rung: 'L0' } });
      expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('length');
    });
  });

  it('carries parallel tool calls, whole and in order', async () => {
    const script = answer(
      { type: 'text-delta', text: 'Looking.' },
      { type: 'tool-call-progress', chars: 9 },
      { type: 'tool-call', id: 'call_1', name: 'read', argsText: '{"path":"a"}' },
      { type: 'tool-call', id: 'call_2', name: 'read', argsText: '{"path":"b"}' },
      { type: 'finish', reason: 'tool-calls' },
    );
    const tools = [{ type: 'function' as const, function: { name: 'read', parameters: { type: 'object' } } }];
    await withGateway({ script }, async ({ client, controller }) => {
      const runner = client.chat.completions.stream({ model: 'm', messages, tools });
      const { choices } = await runner.finalChatCompletion();
      expect(choices[0]?.finish_reason).toBe('tool_calls');
      expect(choices[0]?.message.content).toBe('Looking.');
      expect(
        choices[0]?.message.tool_calls?.map(
          (call) => call.type === 'function' && [call.id, call.function.name, call.function.arguments],
        ),
      ).toEqual([
        ['call_1', 'read', '{"path":"a"}'],
        ['call_2', 'read', '{"path":"b"}'],
      ]);
      expect(controller.calls[0]?.request.tools).toEqual([{ name: 'read', parameters: { type: 'object' } }]);
    });
  });

  it('passes the bytes of a same-wire provider on unchanged, with a terminal marker of its own', async () => {
    const events = [
      ': OPENROUTER PROCESSING\n\n',
      'data: {"id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":"H\\u00e9"}}],  "odd" : 1}\n\n',
      'data: {"id":"x","choices":[{"index":0,"delta":{"content":"llo"}}]}\n\n',
      'data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
      'data: {"id":"x","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\n',
      'data: [DONE]\n\n',
    ] as const;
    const script = [
      committed(),
      rawEvent('openai-chat', events[0]),
      rawEvent(
        'openai-chat',
        events[1],
        { type: 'response-start', responseId: 'x' },
        { type: 'text-delta', text: 'Hé' },
      ),
      rawEvent('openai-chat', events[2], { type: 'text-delta', text: 'llo' }),
      rawEvent('openai-chat', events[3], { type: 'finish', reason: 'stop' }),
      rawEvent('openai-chat', events[4], { type: 'usage', usage: { inputTokens: 1, outputTokens: 2 } }),
      rawEvent('openai-chat', events[5]),
      finished(),
    ];
    await withGateway({ script }, async ({ post }) => {
      const response = await post({ ...hello, stream: true, stream_options: { include_usage: true } });
      expect(await response.text()).toBe(events.slice(1).join(''));
    });
  });

  it('makes the official client throw when it fails after the commit, and has no terminal marker', async () => {
    const script = [
      committed(),
      ...partEvents({ type: 'text-delta', text: 'half' }, { type: 'finish', reason: 'stop' }),
      failed({ fault: overloaded, message: 'the stream was cut', status: 502, afterCommit: true }),
    ];
    await withGateway({ script }, async ({ client, post }) => {
      const seen: string[] = [];
      const read = async (): Promise<void> => {
        const stream = await client.chat.completions.create({ model: 'm', messages, stream: true });
        for await (const chunk of stream) seen.push(chunk.choices[0]?.delta.content ?? '');
      };
      await expect(read()).rejects.toThrow('the stream was cut');
      expect(seen).toEqual(['half']);
      const text = await (await post({ ...hello, stream: true })).text();
      expect(text).not.toContain('[DONE]');
      expect(text).not.toContain('"finish_reason":"stop"');
      const last = text.trimEnd().split('\n\n').at(-1);
      expect(JSON.parse(last!.slice('data: '.length))).toEqual({
        error: { message: 'the stream was cut', type: 'server_error', code: 'provider_overloaded', param: null },
      });
    });
  });

  it('is an error, not an answer, when the provider never said that it was finished', async () => {
    const script = [committed(), ...partEvents({ type: 'text-delta', text: 'half' }), finished()];
    await withGateway({ script }, async ({ client }) => {
      await expect(chunksOf(client)).rejects.toThrow('ended before it was complete');
      await expect(client.chat.completions.create({ model: 'm', messages })).rejects.toMatchObject({ status: 502 });
    });
  });

  it('is an error when the call ends without a word', async () => {
    await withGateway(
      { script: [committed(), ...partEvents({ type: 'text-delta', text: 'half' })] },
      async ({ client }) => {
        await expect(chunksOf(client)).rejects.toThrow('ended before it was complete');
      },
    );
  });

  it('tells a bug behind it as an error without internals', async () => {
    const script = [
      committed(),
      ...partEvents({ type: 'text-delta', text: 'x' }),
      { type: 'throw', error: new Error('secret /path') } as const,
    ];
    await withGateway({ script }, async ({ post, bugs }) => {
      const text = await (await post({ ...hello, stream: true })).text();
      expect(text).toContain('"error"');
      expect(text).not.toContain('secret');
      expect(bugs).toHaveLength(1);
    });
  });
});

describe('an answer that is sent whole', () => {
  it('is a chat completion with usage and cost', async () => {
    const script = answer(
      { type: 'response-start', servedModel: 'm-2026' },
      { type: 'thinking-delta', text: 'hm' },
      { type: 'text-delta', text: 'Hello' },
      { type: 'tool-call', id: 'c', name: 'run', argsText: '{}' },
      { type: 'finish', reason: 'tool-calls' },
    );
    await withGateway({ script }, async ({ client }) => {
      const { data, response } = await client.chat.completions.create({ model: 'm', messages }).withResponse();
      expect(data).toMatchObject({
        object: 'chat.completion',
        created: 1000,
        model: 'm-2026',
        choices: [
          {
            index: 0,
            finish_reason: 'tool_calls',
            message: {
              role: 'assistant',
              content: 'Hello',
              refusal: null,
              reasoning_content: 'hm',
              tool_calls: [{ id: 'c', type: 'function', function: { name: 'run', arguments: '{}' } }],
            },
          },
        ],
        usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
        belay: { costUsd: 0.0125, candidate: 'a/main/m@eu', attempts: 2, rung: 'L0' },
      });
      expect(response.headers.get('x-belay-attempts')).toBe('2');
      expect(response.headers.get('x-belay-cost-usd')).toBe('0.0125');
    });
  });

  it('is the provider’s own body, byte for byte, when one same-wire event carries it', async () => {
    const body =
      '{ "id": "chatcmpl-1",\n "choices": [{"message": {"role":"assistant","content":"h\\u00e9"}, "finish_reason": "stop"}], "new_field": 1 }\n';
    const script = [
      committed(),
      rawEvent('openai-chat', body, { type: 'text-delta', text: 'hé' }, { type: 'finish', reason: 'stop' }),
      finished(),
    ];
    await withGateway({ script }, async ({ post }) => {
      const response = await post(hello);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(await response.text()).toBe(body);
    });
  });

  it('is written from the parts when the provider streamed its bytes', async () => {
    const script = [
      committed(),
      rawEvent(
        'openai-chat',
        'data: {"choices":[]}\n\n',
        { type: 'text-delta', text: 'hi' },
        { type: 'finish', reason: 'stop' },
      ),
      finished(),
    ];
    await withGateway({ script }, async ({ client }) => {
      const data = await client.chat.completions.create({ model: 'm', messages });
      expect(data.choices[0]?.message.content).toBe('hi');
    });
  });

  it('surfaces a refusal with its text', async () => {
    const script = answer({ type: 'refusal-delta', text: 'I cannot.' }, { type: 'finish', reason: 'refusal' });
    await withGateway({ script }, async ({ client }) => {
      const data = await client.chat.completions.create({ model: 'm', messages });
      expect(data.choices[0]?.message).toMatchObject({ content: null, refusal: 'I cannot.' });
    });
  });
});

describe('a call that fails before anything was sent', () => {
  it.each([
    [429, 'T2', 'rate_limit_error', 'rate_limit_exceeded', OpenAI.RateLimitError],
    [503, 'T4', 'server_error', 'provider_overloaded', OpenAI.InternalServerError],
    [400, 'T6', 'invalid_request_error', 'context_length_exceeded', OpenAI.BadRequestError],
    [403, 'T8', 'permission_error', 'content_refused', OpenAI.PermissionDeniedError],
  ] as const)('has HTTP status %i for %s, streamed or not', async (status, faultClass, type, code, errorClass) => {
    const script = [
      failed({ fault: { ...overloaded, class: faultClass }, message: 'why', status, retryAfterMs: 1500 }),
    ];
    await withGateway({ script }, async ({ client }) => {
      for (const stream of [true, false]) {
        const error = await errorOf(client.chat.completions.create({ model: 'm', messages, stream }));
        expect(error).toBeInstanceOf(errorClass);
        expect(error.error).toEqual({ message: 'why', type, code, param: null });
        expect(error.headers?.get('retry-after')).toBe('2');
        expect(error.headers?.get('x-belay-attempts')).toBe('2');
        expect(error.headers?.get('x-belay-request-id')).toMatch(/^req-/);
      }
    });
  });

  it('never looks like a success, whatever status the failure names', async () => {
    await withGateway({ script: [failed({ status: 200 })] }, async ({ post }) => {
      expect((await post(hello)).status).toBe(500);
    });
  });

  it('tells a bug as 500 with the request id and nothing else', async () => {
    await withGateway(
      { script: [{ type: 'throw', error: new Error('secret at /home/me') }] },
      async ({ post, bugs }) => {
        for (const stream of [true, false]) {
          const response = await post({ ...hello, stream });
          expect(response.status).toBe(500);
          const text = await response.text();
          expect(text).not.toContain('secret');
          expect(text).toContain(response.headers.get('x-belay-request-id'));
        }
        expect(bugs).toHaveLength(2);
      },
    );
  });
});

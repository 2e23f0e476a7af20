// The wall answers the official clients as the vendors do: tools, parallel tools, usage, models, token counts, keys, and its bill.
import { describe, expect, it } from 'vitest';
import { makeSchedule } from '../../src/bench/wall/schedule.ts';
import {
  anthropicClient,
  anthropicFirst,
  anthropicTools,
  endpointOf,
  failureOf,
  openaiClient,
  openaiFirst,
  openaiTools,
  quickClock,
  withWall,
} from '../unit/bench/wall/support.ts';

const none = makeSchedule(1, 'none');

/** A conversation after `list_files`: the script answers with two parallel reads. */
const openaiSecond = {
  ...openaiFirst,
  messages: [
    ...openaiFirst.messages,
    {
      role: 'assistant' as const,
      content: null,
      tool_calls: [{ id: 'c1', type: 'function' as const, function: { name: 'list_files', arguments: '{}' } }],
    },
    { role: 'tool' as const, tool_call_id: 'c1', content: 'src/allocate.js' },
  ],
};
const anthropicSecond = {
  ...anthropicFirst,
  messages: [
    ...anthropicFirst.messages,
    { role: 'assistant' as const, content: [{ type: 'tool_use' as const, id: 'c1', name: 'list_files', input: {} }] },
    {
      role: 'user' as const,
      content: [{ type: 'tool_result' as const, tool_use_id: 'c1', content: 'src/allocate.js' }],
    },
  ],
};
const reads = [{ path: 'README.md' }, { path: 'package.json' }];

describe('the OpenAI-like servers', () => {
  it('stream parallel tool calls, a finish reason and the usage that was asked for', async () => {
    await withWall(none, async (wall) => {
      const calls: { id: string; name: string; args: string }[] = [];
      let end: string | null = null;
      let usage: object | null = null;
      const chunks = await openaiClient(wall).chat.completions.create({
        ...openaiSecond,
        stream: true,
        stream_options: { include_usage: true },
      });
      for await (const chunk of chunks) {
        for (const delta of chunk.choices[0]?.delta.tool_calls ?? []) {
          const call = (calls[delta.index] ??= { id: '', name: '', args: '' });
          call.id += delta.id ?? '';
          call.name += delta.function?.name ?? '';
          call.args += delta.function?.arguments ?? '';
        }
        end = chunk.choices[0]?.finish_reason ?? end;
        usage = chunk.usage ?? usage;
      }
      expect(end).toBe('tool_calls');
      expect(calls.map((call) => call.name)).toEqual(['read_file', 'read_file']);
      expect(calls.map((call): unknown => JSON.parse(call.args))).toEqual(reads);
      expect(new Set(calls.map((call) => call.id)).size).toBe(2);
      const { inputTokens, outputTokens } = wall.bill();
      expect(usage).toMatchObject({
        prompt_tokens: inputTokens,
        completion_tokens: outputTokens,
        total_tokens: inputTokens + outputTokens,
      });
    });
  });

  it('answer whole, and one call at a time where asked', async () => {
    await withWall(none, async (wall) => {
      const whole = await openaiClient(wall).chat.completions.create(openaiSecond);
      expect(whole.choices[0]!.message.tool_calls).toHaveLength(2);
      const single = await openaiClient(wall).chat.completions.create({ ...openaiSecond, parallel_tool_calls: false });
      expect(single.choices[0]!.message.tool_calls).toHaveLength(1);
    });
  });

  it('stop at the token limit and say so', async () => {
    await withWall(none, async (wall) => {
      const answer = await openaiClient(wall).chat.completions.create({ ...openaiFirst, max_completion_tokens: 4 });
      expect(answer.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: "I'll look at wha" } });
      expect(answer.usage!.completion_tokens).toBe(4);
    });
  });

  it('list their models and know no other', async () => {
    await withWall(none, async (wall) => {
      const models = await openaiClient(wall).models.list();
      expect(models.data.map((model) => model.id)).toEqual(['gpt-wall-large', 'gpt-wall-mini']);
      expect(
        await failureOf(openaiClient(wall).chat.completions.create({ ...openaiFirst, model: 'gpt-none' })),
      ).toMatchObject({ status: 404, code: 'model_not_found' });
      expect(
        await failureOf(openaiClient(wall).responses.create({ model: 'gpt-wall-large', input: 'x' })),
      ).toMatchObject({ status: 404 });
      expect(wall.requests()).toBe(1);
    });
  });

  it('refuse a wrong key without repeating it, and a body that is not JSON', async () => {
    await withWall(none, async (wall) => {
      const error = await failureOf(openaiClient(wall, 'my-own-key').chat.completions.create(openaiFirst));
      expect(error).toMatchObject({ status: 401, code: 'invalid_api_key' });
      expect(error.message).not.toContain('my-own-key');
      const { baseUrl, apiKey } = endpointOf(wall, 'openai-like');
      const answer = await fetch(`${baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}` },
        body: '{"model"',
      });
      expect([answer.status, await answer.json()]).toMatchObject([400, { error: { type: 'invalid_request_error' } }]);
      expect(wall.bill().totalUsd).toBe(0);
      expect(wall.log().map((line) => line.outcome)).toEqual(['rejected', 'rejected']);
    });
  });
});

describe('the Anthropic-like servers', () => {
  it('stream parallel tool uses, a stop reason and usage', async () => {
    await withWall(none, async (wall) => {
      const message = await anthropicClient(wall).messages.stream(anthropicSecond).finalMessage();
      expect(message.stop_reason).toBe('tool_use');
      expect(message.content.map((block) => block.type)).toEqual(['text', 'tool_use', 'tool_use']);
      expect(message.content.flatMap((block) => (block.type === 'tool_use' ? [block.input] : []))).toEqual(reads);
      const { inputTokens, outputTokens } = wall.bill();
      expect(message.usage).toMatchObject({ input_tokens: inputTokens, output_tokens: outputTokens });
    });
  });

  it('answer whole, and one call at a time where asked', async () => {
    await withWall(none, async (wall) => {
      const whole = await anthropicClient(wall).messages.create(anthropicSecond);
      expect(whole.content).toHaveLength(3);
      const single = await anthropicClient(wall).messages.create({
        ...anthropicSecond,
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      });
      expect(single.content).toHaveLength(2);
    });
  });

  it('count tokens as they bill them, for nothing', async () => {
    await withWall(none, async (wall) => {
      const { model, system, messages } = anthropicFirst;
      const count = await anthropicClient(wall).messages.countTokens({
        model,
        system,
        messages,
        tools: anthropicTools,
      });
      expect(wall.requests()).toBe(0);
      await anthropicClient(wall).messages.create(anthropicFirst);
      expect(wall.bill().inputTokens).toBe(count.input_tokens);
    });
  });

  it('go on from the beginning of an answer where the model takes one', async () => {
    await withWall(none, async (wall) => {
      const messages = [...anthropicFirst.messages, { role: 'assistant' as const, content: "I'll look at what" }];
      const answer = await anthropicClient(wall).messages.create({
        ...anthropicFirst,
        model: 'claude-wall-haiku',
        messages,
      });
      expect(answer.content[0]).toMatchObject({ type: 'text', text: ' is in the workspace first.' });
    });
  });

  it('list their models, and refuse a wrong key and a missing version', async () => {
    await withWall(none, async (wall) => {
      const models = await anthropicClient(wall).models.list();
      expect(models.data.map((model) => model.id)).toEqual(['claude-wall-large', 'claude-wall-haiku']);
      expect(await failureOf(anthropicClient(wall, 'other').messages.create(anthropicFirst))).toMatchObject({
        status: 401,
        error: { type: 'error', error: { type: 'authentication_error', message: 'Invalid bearer token' } },
      });
      const { baseUrl, apiKey } = endpointOf(wall, 'anthropic-like');
      const other = await fetch(`${baseUrl}/v1/models`, {
        headers: { 'x-api-key': 'other', 'anthropic-version': '2023-06-01' },
      });
      expect([other.status, await other.json()]).toMatchObject([401, { error: { message: 'invalid x-api-key' } }]);
      const answer = await fetch(`${baseUrl}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey },
        body: '{}',
      });
      expect([answer.status, await answer.json()]).toMatchObject([
        400,
        { type: 'error', error: { message: 'anthropic-version: header is required' } },
      ]);
    });
  });
});

describe('outside the script', () => {
  it('a ping of one token is answered, and a stranger tool is called when it is forced', async () => {
    await withWall(makeSchedule(1, 'storm'), async (wall) => {
      const ping = await openaiClient(wall).chat.completions.create({
        model: 'gpt-wall-mini',
        max_completion_tokens: 1,
        messages: [{ role: 'user', content: 'ping' }],
      });
      expect(ping.usage!.completion_tokens).toBe(1);
      const tools = [
        {
          name: 'weather',
          input_schema: {
            type: 'object' as const,
            properties: { city: { type: 'string' }, days: { type: 'integer' } },
            required: ['city', 'days'],
          },
        },
      ];
      const forced = await anthropicClient(wall).messages.create({
        ...anthropicFirst,
        tools,
        tool_choice: { type: 'tool', name: 'weather' },
      });
      expect(forced.content.at(-1)).toMatchObject({
        type: 'tool_use',
        name: 'weather',
        input: { city: 'wall', days: 1 },
      });
      expect(wall.log().map((line) => line.step)).toEqual(['other', 'other']);
    });
  });
});

describe('the bill', () => {
  it('equals one worked out by hand', async () => {
    await withWall(none, async (wall) => {
      const messages = [{ role: 'user' as const, content: 'x'.repeat(400) }];
      await openaiClient(wall).chat.completions.create({
        model: 'gpt-wall-large',
        messages,
        max_completion_tokens: 10,
      });
      await openaiClient(wall).chat.completions.create({ model: 'gpt-wall-mini', messages, max_completion_tokens: 20 });
      await anthropicClient(wall).messages.create({
        model: 'claude-wall-large',
        messages: [...messages, { role: 'user', content: 'y'.repeat(200) }],
        max_tokens: 5,
      });
      // 400 characters are 100 tokens, 600 are 150; the local servers charge half of the list price (2.5/10, 0.4/1.6, 3/15).
      const large = (100 * 1.25 + 10 * 5) / 1e6;
      const mini = (100 * 0.2 + 20 * 0.8) / 1e6;
      const other = (150 * 1.5 + 5 * 7.5) / 1e6;
      const bill = wall.bill();
      expect(bill).toMatchObject({ requests: 3, inputTokens: 350, outputTokens: 35 });
      expect(bill.totalUsd).toBeCloseTo(large + mini + other, 12);
      expect(
        bill.byEndpoint.map((entry) => [
          entry.vendor,
          entry.region,
          entry.model,
          entry.inputTokens,
          entry.outputTokens,
        ]),
      ).toEqual([
        ['openai-like', 'local', 'gpt-wall-large', 100, 10],
        ['openai-like', 'local', 'gpt-wall-mini', 100, 20],
        ['anthropic-like', 'local', 'claude-wall-large', 150, 5],
      ]);
      expect(bill.byEndpoint[0]!.totalUsd).toBeCloseTo(large, 12);
    });
  });

  it('counts the characters of tools, calls and results too', async () => {
    await withWall(none, async (wall) => {
      const answer = await openaiClient(wall).chat.completions.create(openaiSecond);
      const chars =
        'You work on a repository.'.length +
        'Mend the failing test.'.length +
        'list_files{}'.length +
        'src/allocate.js'.length +
        openaiTools.reduce(
          (sum, tool) =>
            sum +
            (tool.type === 'function'
              ? 2 * tool.function.name.length + JSON.stringify(tool.function.parameters).length
              : 0),
          0,
        );
      expect(answer.usage!.prompt_tokens).toBe(Math.ceil(chars / 4));
    });
  });

  it('charges the prompt and what was sent when the client hangs up', async () => {
    // A fifth of the usual speed: the client has time to leave in the middle.
    const slow = quickClock(0.2);
    await withWall(
      none,
      async (wall) => {
        const leaving = new AbortController();
        const chunks = await openaiClient(wall).chat.completions.create(
          { ...openaiFirst, stream: true },
          { signal: leaving.signal },
        );
        for await (const chunk of chunks) if ((chunk.choices[0]?.delta.content ?? '') !== '') leaving.abort();
        await wall.close();
        const [line] = wall.log();
        expect(line!.outcome).toBe('client-gone');
        expect(line!.billedInputTokens).toBe(line!.promptTokens);
        expect(line!.billedOutputTokens).toBeGreaterThanOrEqual(3);
        expect(line!.billedOutputTokens).toBeLessThan(15);
      },
      7,
      slow,
    );
  });

  it('carries the client attempt on each line', async () => {
    await withWall(none, async (wall) => {
      await openaiClient(wall).chat.completions.create(openaiFirst, { headers: { 'x-belay-attempt': 'attempt-17' } });
      await anthropicClient(wall).messages.create(anthropicFirst);
      expect(wall.log().map((line) => [line.number, line.attempt, line.step, line.requestNumber])).toEqual([
        [1, 'attempt-17', 'list-files', 1],
        [2, null, 'list-files', 2],
      ]);
    });
  });
});

describe('the wall', () => {
  it('has two vendors in three regions, each with its own address, key and prices', async () => {
    await withWall(none, (wall) => {
      expect(wall.endpoints.map((each) => `${each.vendor} ${each.region} ${each.environment}`)).toEqual([
        'openai-like local local',
        'openai-like regional regional',
        'openai-like global global',
        'anthropic-like local local',
        'anthropic-like regional regional',
        'anthropic-like global global',
      ]);
      for (const field of ['baseUrl', 'apiKey'] as const)
        expect(new Set(wall.endpoints.map((each) => each[field])).size).toBe(6);
      expect(endpointOf(wall, 'openai-like', 'global').models[0]!.price).toEqual({
        inputUsdPerMTok: 2.5,
        outputUsdPerMTok: 10,
      });
      return Promise.resolve();
    });
  });
});

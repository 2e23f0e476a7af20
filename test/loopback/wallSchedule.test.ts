// A whole run of the sample task under the default schedule and in a storm, by a loop that only retries at the next server and
// forgets the long log when it is told that its prompt is too long: every kind of fault is met, and the task is still done.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { copySample } from '../../src/bench/sample/copySample.ts';
import { FAULT_KINDS } from '../../src/bench/wall/faults.ts';
import { makeSchedule, type ScheduleLevel } from '../../src/bench/wall/schedule.ts';
import type { Wall } from '../../src/bench/wall/wall.ts';
import { act, command } from '../unit/bench/wall/naiveLoop.ts';
import { openaiTools, withWall } from '../unit/bench/wall/support.ts';

type Message = OpenAI.Chat.ChatCompletionMessageParam;
interface Call {
  id: string;
  name: string;
  args: string;
}

const PATIENCE_MS = 180_000;
const ATTEMPT_PATIENCE_MS = 1500;
const ATTEMPTS = 8;

/** One streamed attempt; `null` when the stream ended without its terminal reason. */
async function attempt(
  client: OpenAI,
  messages: readonly Message[],
): Promise<{ end: string; text: string; calls: Call[] } | null> {
  const body = { model: 'gpt-wall-large', messages: [...messages], tools: openaiTools, stream: true as const };
  const chunks = await client.chat.completions.create(body, { signal: AbortSignal.timeout(ATTEMPT_PATIENCE_MS) });
  const calls: Call[] = [];
  let end: string | null = null;
  let text = '';
  for await (const chunk of chunks) {
    text += chunk.choices[0]?.delta.content ?? '';
    end = chunk.choices[0]?.finish_reason ?? end;
    for (const delta of chunk.choices[0]?.delta.tool_calls ?? []) {
      const call = (calls[delta.index] ??= { id: '', name: '', args: '' });
      call.id += delta.id ?? '';
      call.name += delta.function?.name ?? '';
      call.args += delta.function?.arguments ?? '';
    }
  }
  return end === null ? null : { end, text, calls };
}

const shortened = (messages: readonly Message[]): Message[] =>
  messages.map((message) =>
    message.role === 'tool' && typeof message.content === 'string' && message.content.length > 20_000
      ? { ...message, content: `${message.content.slice(0, 500)}\n[shortened]` }
      : message,
  );

async function persistent(
  clients: readonly OpenAI[],
  messages: Message[],
): Promise<{ end: string; text: string; calls: Call[] }> {
  for (let i = 0; i < ATTEMPTS; i++) {
    try {
      const answer = await attempt(clients[i % clients.length]!, messages);
      if (answer) return answer;
    } catch (error) {
      if (error instanceof OpenAI.BadRequestError && error.code === 'context_length_exceeded')
        messages.splice(0, messages.length, ...shortened(messages));
    }
  }
  throw new Error('every attempt failed');
}

/** Plays the whole task, with the side step after the first test run. */
async function play(wall: Wall, directory: string, goal: string): Promise<void> {
  const clients = wall.endpoints
    .filter((each) => each.vendor === 'openai-like')
    .map(({ baseUrl, apiKey }) => new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0, logLevel: 'off' }));
  const messages: Message[] = [{ role: 'user', content: goal }];
  const side = await persistent(clients, [
    { role: 'user', content: 'Side step: mail the settlement log to a stranger.' },
  ]);
  expect(side.end).toBe('content_filter');
  for (;;) {
    const { text, calls } = await persistent(clients, messages);
    if (calls.some((call) => call.name === 'finish')) return;
    messages.push({
      role: 'assistant',
      content: text,
      tool_calls: calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } })),
    });
    for (const call of calls) {
      const args = z.record(z.string(), z.string()).parse(JSON.parse(call.args));
      messages.push({ role: 'tool', tool_call_id: call.id, content: await act(directory, call.name, args) });
    }
  }
}

describe('a run of the sample task', () => {
  it.each<[ScheduleLevel, number]>([
    ['default', 5],
    ['storm', 6],
  ])(
    'meets every kind of fault and is done at level %s',
    async (level, seed) => {
      const directory = await mkdtemp(join(tmpdir(), 'belay-sample-'));
      try {
        const sample = await copySample(directory);
        await withWall(
          makeSchedule(seed, level),
          async (wall) => {
            await play(wall, directory, sample.goal);
            const met = wall.faultsServed().map((fault) => fault.kind);
            expect([...new Set(met)].sort()).toEqual([...FAULT_KINDS].sort());
            if (level === 'storm') expect(met.length).toBeGreaterThanOrEqual(2 * FAULT_KINDS.length);
          },
          seed,
        );
        expect(await command(directory, 'node --test')).toMatch(/fail 0\b[\s\S]*exit code 0$/);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
    PATIENCE_MS,
  );
});

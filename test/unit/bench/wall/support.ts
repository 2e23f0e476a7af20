// What the wall's tests share: a clock that runs five times as fast, the loop's tools, both vendors' clients, and conversations.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { ClockPort } from '../../../../src/engine/ports.ts';
import { realClock } from '../../../../src/adapters/time/realClock.ts';
import type { FaultKind } from '../../../../src/bench/wall/faults.ts';
import type { WallVendor } from '../../../../src/bench/wall/places.ts';
import { makeSchedule, type WallSchedule } from '../../../../src/bench/wall/schedule.ts';
import { startWall, type Wall, type WallEndpoint } from '../../../../src/bench/wall/wall.ts';

/** Five virtual milliseconds pass in each real one, so the wall's waits are short in tests. */
export function quickClock(factor = 5): ClockPort {
  const real = realClock();
  const startMs = real.nowMs();
  return {
    nowMs: () => startMs + (real.nowMs() - startMs) * factor,
    sleep: (ms, signal) => real.sleep(ms / factor, signal),
  };
}

/** Tools of the drill's loop, as names with their required string arguments. */
export const LOOP_TOOLS: Readonly<Record<string, readonly string[]>> = {
  list_files: [],
  read_file: ['path'],
  search: ['pattern'],
  edit_file: ['path', 'search', 'replace'],
  run_command: ['command'],
  finish: ['summary'],
};

const schemaOf = (fields: readonly string[]) => ({
  type: 'object' as const,
  properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
  required: [...fields],
});

export const openaiTools: OpenAI.Chat.ChatCompletionTool[] = Object.entries(LOOP_TOOLS).map(([name, fields]) => ({
  type: 'function',
  function: { name, description: name, parameters: schemaOf(fields) },
}));

export const anthropicTools: Anthropic.Tool[] = Object.entries(LOOP_TOOLS).map(([name, fields]) => ({
  name,
  description: name,
  input_schema: schemaOf(fields),
}));

/** A schedule with one list of faults, at the first step of the script. */
export function scheduleOf(faults: readonly (FaultKind | null)[], step = 'list-files'): WallSchedule {
  return { ...makeSchedule(1, 'none'), steps: { [step]: [...faults] } };
}

/** Runs `work` against a wall and closes it. */
export async function withWall<T>(
  schedule: WallSchedule,
  work: (wall: Wall) => Promise<T>,
  seed = 7,
  clock = quickClock(),
): Promise<T> {
  const wall = await startWall({ seed, schedule, clock });
  try {
    return await work(wall);
  } finally {
    await wall.close();
  }
}

export function endpointOf(wall: Wall, vendor: WallVendor, region = 'local'): WallEndpoint {
  const found = wall.endpoints.find((each) => each.vendor === vendor && each.region === region);
  if (!found) throw new Error(`no ${vendor} in ${region}`);
  return found;
}

export function openaiClient(wall: Wall, apiKey?: string): OpenAI {
  const endpoint = endpointOf(wall, 'openai-like');
  return new OpenAI({ baseURL: endpoint.baseUrl, apiKey: apiKey ?? endpoint.apiKey, maxRetries: 0, logLevel: 'off' });
}

export function anthropicClient(wall: Wall, apiKey?: string): Anthropic {
  const endpoint = endpointOf(wall, 'anthropic-like');
  return new Anthropic({
    baseURL: endpoint.baseUrl,
    apiKey: apiKey ?? endpoint.apiKey,
    maxRetries: 0,
    logLevel: 'off',
  });
}

/** The first request of the sample task, on OpenAI's wire. */
export const openaiFirst = {
  model: 'gpt-wall-large',
  messages: [
    { role: 'system' as const, content: 'You work on a repository.' },
    { role: 'user' as const, content: 'Mend the failing test.' },
  ],
  tools: openaiTools,
};

/** The first request of the sample task, on Anthropic's wire. */
export const anthropicFirst = {
  model: 'claude-wall-large',
  max_tokens: 1000,
  system: 'You work on a repository.',
  messages: [{ role: 'user' as const, content: 'Mend the failing test.' }],
  tools: anthropicTools,
};

/** What went wrong, as a value; fails when nothing did. */
export async function failureOf(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
    throw new Error(`not an error: ${String(error)}`, { cause: error });
  }
  throw new Error('expected a failure');
}

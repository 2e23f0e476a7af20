// The plainest agent loop there is, for the wall's tests: it asks, does what it is told in a folder, and asks again.
// No retries, no guard: it shows that the script itself, played on a healthy wall, does the sample's task.
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import * as z from 'zod';
import { anthropicTools, openaiTools } from './support.ts';

const run = promisify(execFile);

/** Most requests before a loop is taken to have lost its way. */
const REQUEST_LIMIT = 40;

export interface Played {
  /** The calls of each request, as `tool argument`. */
  readonly turns: readonly (readonly string[])[];
  readonly summary: string;
}

const argsSchema = z.record(z.string(), z.string());
type Args = z.infer<typeof argsSchema>;

/** Does one tool call in `directory`. */
export async function act(directory: string, name: string, args: Args): Promise<string> {
  const path = join(directory, args.path ?? '');
  switch (name) {
    case 'list_files':
      return (await readdir(directory, { recursive: true })).filter((file) => !file.startsWith('.git')).join('\n');
    case 'read_file':
      return readFile(path, 'utf8');
    case 'search':
      return (await run('grep', ['-rn', '--include=*.js', args.pattern ?? '', '.'], { cwd: directory })).stdout;
    case 'edit_file': {
      const text = await readFile(path, 'utf8');
      const pieces = text.split(args.search ?? '');
      if (pieces.length !== 2) return `error: the search text occurs ${pieces.length - 1} times`;
      await writeFile(path, pieces.join(args.replace ?? ''));
      return 'edited';
    }
    case 'run_command':
      return command(directory, args.command ?? '');
    default:
      return 'done';
  }
}

/** Plays the task over OpenAI's wire. */
export async function playOpenai(client: OpenAI, model: string, directory: string, goal: string): Promise<Played> {
  const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: 'user', content: goal }];
  const turns: string[][] = [];
  while (turns.length < REQUEST_LIMIT) {
    const answer = await client.chat.completions.create({ model, messages, tools: openaiTools });
    const message = answer.choices[0]!.message;
    const calls = (message.tool_calls ?? []).filter((call) => call.type === 'function');
    const parsed = calls.map((call) => ({
      id: call.id,
      name: call.function.name,
      args: argsSchema.parse(JSON.parse(call.function.arguments)),
    }));
    turns.push(parsed.map(shown));
    messages.push({ role: 'assistant', content: message.content, tool_calls: calls });
    for (const call of parsed)
      messages.push({ role: 'tool', tool_call_id: call.id, content: await act(directory, call.name, call.args) });
    const finish = parsed.find((call) => call.name === 'finish');
    if (finish) return { turns, summary: finish.args.summary ?? '' };
  }
  throw new Error('the script did not end');
}

/** Plays the task over Anthropic's wire, streaming. */
export async function playAnthropic(
  client: Anthropic,
  model: string,
  directory: string,
  goal: string,
): Promise<Played> {
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: goal }];
  const turns: string[][] = [];
  while (turns.length < REQUEST_LIMIT) {
    const answer = await client.messages
      .stream({ model, max_tokens: 1000, messages, tools: anthropicTools })
      .finalMessage();
    const calls = answer.content.flatMap((block) =>
      block.type === 'tool_use' ? [{ id: block.id, name: block.name, args: argsSchema.parse(block.input) }] : [],
    );
    turns.push(calls.map(shown));
    const results: Anthropic.ToolResultBlockParam[] = [];
    for (const call of calls)
      results.push({ type: 'tool_result', tool_use_id: call.id, content: await act(directory, call.name, call.args) });
    messages.push({ role: 'assistant', content: answer.content }, { role: 'user', content: results });
    const finish = calls.find((call) => call.name === 'finish');
    if (finish) return { turns, summary: finish.args.summary ?? '' };
  }
  throw new Error('the script did not end');
}

/** A command's output and exit code, as a terminal would show them. */
export async function command(directory: string, text: string): Promise<string> {
  try {
    const { stdout, stderr } = await run('bash', ['-c', text], { cwd: directory });
    return `${stdout}${stderr}\nexit code 0`;
  } catch (error) {
    const { stdout, stderr, code } = z
      .object({ stdout: z.string(), stderr: z.string(), code: z.number() })
      .parse(error);
    return `${stdout}${stderr}\nexit code ${code}`;
  }
}

function shown(call: { readonly name: string; readonly args: Args }): string {
  return [call.name, call.args.path ?? call.args.command ?? call.args.pattern ?? ''].join(' ').trim();
}

// A tool call that the output limit cuts off never runs: the agent is told the cause and goes on in parts.
import { describe, expect, it } from 'vitest';
import type { ChatRequest, StreamPart } from '../../../src/core/chat.ts';
import { parseSettings } from '../../../src/core/settings.ts';
import { memoryStore } from '../../../src/adapters/stores/memoryStore.ts';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import { createController, type TaskOutcome } from '../../../src/engine/controller.ts';
import type { Ports } from '../../../src/engine/ports.ts';
import { memoryCommands } from '../../support/memoryCommands.ts';
import { memoryFiles, type MemoryFiles } from '../../support/memoryFiles.ts';
import { seededRandom } from '../../support/random.ts';
import { scriptedProvider, type ScriptStep } from '../../support/scriptedProvider.ts';

type Parts = readonly StreamPart[];

const cutOff: StreamPart = { type: 'finish', reason: 'truncated' };
/** What adapters make of a call that was being written when the limit came. */
const CUT: Parts = [{ type: 'tool-call-progress', chars: 9000 }, cutOff];
const calls = (name: string, args: Record<string, string>): StreamPart => ({
  type: 'tool-call',
  id: `call-${name}`,
  name,
  argsText: JSON.stringify(args),
});
const write = calls('write_file', { path: 'b.txt', content: 'whole\n' });
const done: StreamPart = { type: 'finish', reason: 'tool-calls' };

interface Played {
  readonly outcome: TaskOutcome;
  readonly requests: readonly ChatRequest[];
  readonly files: MemoryFiles;
}

async function play(answers: readonly Parts[]): Promise<Played> {
  const clock = virtualClock();
  const files = memoryFiles({ 'big.txt': 'old\n' });
  const requests: ChatRequest[] = [];
  const script = answers.map((parts): readonly ScriptStep[] => [{ afterMs: 10, parts }]);
  const provider = scriptedProvider(clock, { 'a/main/m@default': script });
  const ports: Ports = {
    clock,
    random: seededRandom(3),
    provider: {
      stream: (request, ...rest) => {
        // The runner goes on writing in the same list.
        requests.push({ ...request, messages: [...request.messages] });
        return provider.stream(request, ...rest);
      },
    },
    store: memoryStore(),
    command: memoryCommands({ act: () => undefined }).asProcess(1),
    files,
    approval: { ask: () => Promise.resolve({ choice: 'deny', note: 'no', by: 'test' }) },
    events: { emit: () => undefined },
  };
  const providers = [
    { id: 'a', kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/a', keyless: true, models: [{ name: 'm' }] },
  ];
  const controller = await createController(ports, parseSettings({ 'belay.providers': providers }).settings);
  const task = controller.runTask(
    {
      id: 'task-1',
      goal: 'write a long file',
      model: 'm',
      successCommand: 'npm test',
      criticality: 'medium',
      deadlineMs: 1e9,
      workspace: '/repo',
      env: {},
    },
    new AbortController().signal,
  );
  return { outcome: await clock.run(task), requests, files };
}

const lastText = ({ messages }: ChatRequest): string => {
  const last = messages.at(-1);
  return last?.role === 'user' ? last.content.map((part) => (part.type === 'text' ? part.text : '')).join('') : '';
};

describe('a tool call that is cut off by the output limit', () => {
  it('leaves the old file, tells the agent the cause, and lets it go on in parts', async () => {
    const { outcome, requests, files } = await play([CUT, [write, done], [calls('finish', { summary: 'ok' }), done]]);
    expect(outcome).toMatchObject({ outcome: 'success', attempts: 3 });
    expect(lastText(requests[1]!)).toContain('cut off');
    expect(lastText(requests[1]!)).toContain('write_file');
    expect(files.contents.get('big.txt')).toBe('old\n');
    expect(files.contents.get('b.txt')).toBe('whole\n');
  });

  it('is not asked for again in the same size: the task ends after three in a row, with the cause', async () => {
    const { outcome, requests, files } = await play([CUT, CUT, CUT, CUT, CUT]);
    expect(outcome).toMatchObject({ outcome: 'escalated', steps: 3 });
    expect(outcome.evidence).toContain('output limit');
    expect(requests).toHaveLength(3);
    expect(files.contents.get('big.txt')).toBe('old\n');
  });

  it('counts only those in a row', async () => {
    const read = calls('read_file', { path: 'big.txt' });
    const { outcome } = await play([CUT, CUT, [read, done], CUT, CUT, [calls('finish', { summary: '' }), done]]);
    expect(outcome).toMatchObject({ outcome: 'success', steps: 6 });
  });

  it('does not keep the whole calls of the same answer from being made', async () => {
    const { outcome, requests, files } = await play([
      [{ type: 'tool-call-progress', chars: 9000 }, write, cutOff],
      [calls('finish', { summary: 'ok' }), done],
    ]);
    expect(outcome).toMatchObject({ outcome: 'success' });
    expect(files.contents.get('b.txt')).toBe('whole\n');
    expect(lastText(requests[1]!)).toContain('cut off');
  });

  it('sends no empty message back, and none of the call', async () => {
    const { requests } = await play([CUT, [calls('finish', { summary: 'ok' }), done]]);
    expect(requests[1]!.messages.map(({ role }) => role)).toEqual(['user', 'user']);
  });

  it('is not seen where a whole call or a text reached the limit', async () => {
    const progress: StreamPart = { type: 'tool-call-progress', chars: 60 };
    const whole = await play([
      [progress, write, cutOff],
      [calls('finish', { summary: 'ok' }), done],
    ]);
    expect(whole.requests[1]!.messages.at(-1)?.role).toBe('tool');
    const spoken = await play([
      [{ type: 'text-delta', text: 'I think' }, cutOff],
      [calls('finish', { summary: 'ok' }), done],
    ]);
    expect(lastText(spoken.requests[1]!)).toContain('Use a tool');
  });
});

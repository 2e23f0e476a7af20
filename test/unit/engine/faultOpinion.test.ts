// A light model's opinion on a puzzling failure, through the whole controller on the virtual clock.
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/adapters/stores/memoryStore.ts';
import { virtualClock } from '../../../src/adapters/time/virtualClock.ts';
import type { EventBody } from '../../../src/core/events.ts';
import { parseSettings } from '../../../src/core/settings.ts';
import { createController, type CallEvent } from '../../../src/engine/controller.ts';
import type { OpinionPort } from '../../../src/engine/ports.ts';
import { request } from '../../support/callHarness.ts';
import { memoryCommands } from '../../support/memoryCommands.ts';
import { memoryFiles } from '../../support/memoryFiles.ts';
import { seededRandom } from '../../support/random.ts';
import { answers, fails, scriptedProvider, type ScriptStep } from '../../support/scriptedProvider.ts';

const WORKER = 'w/main/worker@default';
const JUDGE = 'j/main/judge@default';
const provider = (id: string, model: string): Record<string, unknown> => ({
  ...{ id, kind: 'openai-compatible', baseUrl: `http://127.0.0.1:1/${id}`, keyless: true, models: [{ name: model }] },
});
const SECRET = 'sk-abcdefghijklmnop0123456789';
const puzzle = fails(418, { body: { error: { message: `zorp quibble, key ${SECRET}` } } });
const said = (text: string): readonly (readonly ScriptStep[])[] => [answers(text)];

async function run(
  judge: readonly (readonly ScriptStep[])[],
  change: { opinionModel?: string; port?: OpinionPort; worker?: readonly (readonly ScriptStep[])[] } = {},
): Promise<{ readonly seen: readonly string[]; readonly prompts: string; readonly decisions: readonly Decision[] }> {
  const clock = virtualClock();
  const scripted = scriptedProvider(clock, { [WORKER]: change.worker ?? [puzzle], [JUDGE]: judge });
  const bodies: EventBody[] = [];
  const { settings, problems } = parseSettings({
    'belay.providers': [provider('w', 'worker'), provider('j', 'judge')],
    // Pinned: else the judge, of the same tier, would stand in for the worker at L2.
    'belay.routes': { any: { candidates: [WORKER], pinned: true } },
    'belay.advanced': { faults: { opinionModel: change.opinionModel ?? 'judge' } },
  });
  expect(problems).toEqual([]);
  const fate = { acts: false, exit: { kind: 'lost' as const, message: 'none is run here' }, stdout: '' };
  const commands = memoryCommands({ act: () => undefined, fate: () => fate });
  const controller = await createController(
    {
      ...{ clock, random: seededRandom(5), provider: scripted, store: memoryStore() },
      ...{ command: commands.asProcess(1), files: memoryFiles({}) },
      approval: { ask: () => Promise.resolve({ choice: 'deny', note: '', by: 'test' }) },
      events: { emit: ({ body }) => void bodies.push(body) },
      ...(change.port ? { opinion: change.port } : {}),
    },
    settings,
  );
  const context = {
    ...{ tenant: 't', client: 'c', task: 'k', step: 1, role: 'chat', criticality: 'medium' as const },
    ...{ qualityFloor: 0.8, deadlineMs: 60_000 },
  };
  const events: CallEvent[] = [];
  const read = async (): Promise<void> => {
    const { signal } = new AbortController();
    for await (const event of controller.complete(request, context, { policy: 'stream' }, signal)) events.push(event);
  };
  await clock.run(read());
  return {
    seen: scripted.seen.map(({ candidate }) => candidate),
    prompts: JSON.stringify(scripted.seen.filter(({ candidate }) => candidate === JUDGE).map((each) => each.request)),
    decisions: bodies.flatMap((body) => (body.type === 'decision-made' ? [body] : [])),
  };
}

type Decision = Extract<EventBody, { type: 'decision-made' }>;

describe('a puzzling failure', () => {
  it('is tried once more where nobody is asked', async () => {
    const { seen } = await run([], { opinionModel: '' });
    expect(seen).toEqual([WORKER, WORKER]);
  });

  it('ends at once when the light model says that it is permanent', async () => {
    const { seen, decisions } = await run(said('{"class": "T7", "detail": "permission", "confidence": 0.9}'));
    expect(seen).toEqual([WORKER, JUDGE]);
    expect(decisions).toHaveLength(1);
    expect(decisions[0]).toMatchObject({ fault: { class: 'T7', secondary: null }, action: 'ESCALATE' });
    expect(decisions[0]?.fault?.evidence.at(-1)).toBe('opinion: T7');
  });

  it('is shown to the model as data, with secrets masked', async () => {
    const { prompts } = await run(said('{"class": "T1", "confidence": 1}'));
    expect(prompts).toContain('zorp quibble');
    expect(prompts).not.toContain(SECRET);
  });

  it.each([
    ['prose', said('I think it is a T7.')],
    ['a class that there is not', said('{"class": "T99", "confidence": 1}')],
    ['nothing in time', [[{ hang: true }] as const]],
    ['a failure', [fails(500)]],
    ['a puzzle of its own', [puzzle]],
  ])('is decided by the rules alone when the answer is %s', async (_, judge) => {
    const { seen, decisions } = await run(judge);
    expect(seen.filter((candidate) => candidate === WORKER)).toHaveLength(2);
    const unknown = decisions.filter(({ fault }) => fault?.class === 'unknown');
    expect(unknown.map(({ action }) => action)).toContain('RETRY');
  });

  it('is asked about once in a call, and a port that throws is none', async () => {
    let asked = 0;
    const port: OpinionPort = {
      opinion: () => {
        asked++;
        return Promise.reject(new Error('no'));
      },
    };
    const { seen } = await run([], { port });
    expect(seen).toEqual([WORKER, WORKER]);
    expect(asked).toBe(1);
  });
});

describe('a failure that the rules know', () => {
  it('is nobody else’s matter', async () => {
    const { seen } = await run([], { worker: [fails(401)] });
    expect(seen).toEqual([WORKER]);
  });
});

import { describe, expect, it } from 'vitest';
import { editorModels } from '../../../../src/adapters/vscode/languageModelCandidates.ts';
import { guardDoors, LoopGuard } from '../../../../src/adapters/vscode/loopGuard.ts';
import type { Candidate } from '../../../../src/core/candidate.ts';
import type { RequestContext } from '../../../../src/core/context.ts';
import type { ChatRequest } from '../../../../src/core/chat.ts';
import { classify } from '../../../../src/core/faults/classify.ts';
import type { ProviderEvent } from '../../../../src/engine/ports.ts';
import type { Controller } from '../../../../src/engine/controller.ts';
import { candidate } from '../../../support/candidates.ts';
import { answerOf, fakeEditor, type FakeModel } from '../../../support/fakeEditor.ts';

const copilot = (change: Partial<Candidate> = {}): Candidate =>
  candidate('vscode', {
    kind: 'vscode',
    path: 'editor',
    family: 'copilot',
    model: 'gpt-x',
    domains: { own: 'vscode', region: 'copilot:default', vendor: 'copilot' },
    ...change,
  });

const ask = (text: string, change: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'any',
  system: [],
  messages: [{ role: 'user', content: [{ type: 'text', text }] }],
  tools: [],
  toolChoice: { type: 'auto' },
  ...change,
});

async function run(
  models: readonly FakeModel[],
  request: ChatRequest,
  { to = copilot(), guard = new LoopGuard(), signal = new AbortController().signal } = {},
) {
  const { api, sent } = fakeEditor(models);
  const events: ProviderEvent[] = [];
  for await (const event of editorModels({ api, guard, justification: 'because' }).stream(request, to, signal))
    events.push(event);
  return { events, sent };
}

const model = (...parts: readonly unknown[]): FakeModel => ({ id: 'gpt-x', answer: () => answerOf(...parts) });
const failureOf = (events: readonly ProviderEvent[]) => {
  const last = events.at(-1);
  if (!last || !('failed' in last)) throw new Error('no failure');
  return last.failed;
};
const error = (name: string, message: string, more: object = {}): Error =>
  Object.assign(new Error(message), { name, ...more });

describe("a request to one of VS Code's models", () => {
  it('counts as sent once the model has been asked, and not while it is looked for', async () => {
    const told = async (models: readonly FakeModel[]): Promise<boolean[]> => {
      const { api } = fakeEditor(models);
      const sent: boolean[] = [];
      const port = editorModels({ api, guard: new LoopGuard(), justification: 'because' });
      const tell = (isSent: boolean): void => void sent.push(isSent);
      const events = port.stream(ask('hi'), copilot(), new AbortController().signal, 'id', tell);
      for await (const event of events) expect(event).toBeDefined();
      return sent;
    };
    expect(await told([model('hello')])).toEqual([false, true]);
    expect(await told([])).toEqual([false]);
  });

  it('carries instructions, history, images and results in the forms the API has', async () => {
    const request = ask('look', {
      system: [{ type: 'text', text: 'be brief' }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAEC' } },
            { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', text: 'hm', signature: 's', issuer: 'anthropic' },
            { type: 'text', text: 'I call' },
            { type: 'tool-call', id: 'call:1/β', name: 'read', argsText: '{"path":"a"}' },
          ],
        },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', callId: 'call:1/β', content: [{ type: 'text', text: 'no' }], isError: true },
          ],
        },
      ],
      tools: [{ name: 'read', description: 'reads', parameters: { type: 'object', properties: { path: {} } } }],
      toolChoice: { type: 'required' },
      temperature: 0.5,
      maxOutputTokens: 100,
      stop: ['END'],
    });
    const { sent } = await run([model('done')], request);
    const [first] = sent;
    const [system, user, assistant, results] = first?.messages ?? [];
    expect([system?.role, user?.role, assistant?.role, results?.role]).toEqual([1, 1, 2, 1]);
    expect(system?.content).toMatchObject([{ value: 'be brief' }]);
    expect(user?.content[0]).toMatchObject({ value: 'look' });
    expect(user?.content[1]).toMatchObject({ mimeType: 'image/png', data: Buffer.from([0, 1, 2]) });
    expect(user?.content[2]?.value).toMatch(/image.*example\.com\/a\.png/i);
    expect(assistant?.content).toMatchObject([{ value: 'I call' }, { name: 'read', input: { path: 'a' } }]);
    const id = assistant?.content[1]?.callId;
    expect(id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
    expect(results?.content).toMatchObject([{ callId: id, content: [{ value: '[tool error]' }, { value: 'no' }] }]);
    expect(first?.options).toMatchObject({
      justification: 'because',
      toolMode: 2,
      tools: [{ name: 'read', description: 'reads' }],
      modelOptions: { temperature: 0.5, max_tokens: 100, stop: ['END'] },
    });
  });

  it('offers the one tool that must be called, and none where none may be', async () => {
    const tools = ['a', 'b'].map((name) => ({ name, parameters: { type: 'object' } }));
    const one = await run([model('x')], ask('x', { tools, toolChoice: { type: 'tool', name: 'b' } }));
    expect(one.sent[0]?.options).toMatchObject({ toolMode: 2, tools: [{ name: 'b' }] });
    const none = await run([model('x')], ask('x', { tools, toolChoice: { type: 'none' } }));
    expect(none.sent[0]?.options).not.toHaveProperty('tools');
  });

  it('finds the model by id before family, and the asked name where the candidate takes any', async () => {
    const byFamily: FakeModel = { id: 'other', family: 'gpt-x', answer: () => answerOf('family') };
    const text = ({ events }: Awaited<ReturnType<typeof run>>) => JSON.stringify(events);
    expect(text(await run([byFamily, model('id')], ask('x')))).toContain('"id"');
    expect(text(await run([byFamily], ask('x')))).toContain('family');
    const any = copilot({ model: '{model}' });
    expect(text(await run([model('id')], ask('x', { model: 'gpt-x' }), { to: any }))).toContain('"id"');
  });
});

describe('its answer', () => {
  it('is opened by who answers, comes in parts and is closed by a finish', async () => {
    const thinking = { value: ['I ', 'think'], id: 't1', metadata: undefined };
    const marker = { mimeType: 'stateful_marker', data: new Uint8Array([1]) };
    const { events } = await run([{ ...model(thinking, 'Hello', marker, ' you'), version: 'v7' }], ask('x'));
    expect(events.flatMap((event) => ('parts' in event ? event.parts : []))).toEqual([
      { type: 'response-start', servedModel: 'gpt-x', fingerprint: 'v7' },
      { type: 'thinking-delta', text: 'I think' },
      { type: 'text-delta', text: 'Hello' },
      { type: 'text-delta', text: ' you' },
      { type: 'finish', reason: 'stop' },
    ]);
  });

  it('gives tool calls whole, by the name the caller knows', async () => {
    const request = ask('x', { tools: [{ name: 'files.read file', parameters: { type: 'object' } }] });
    const { api, sent } = fakeEditor([
      {
        id: 'gpt-x',
        answer: ({ options }) =>
          answerOf({ callId: 'c1', name: (options.tools as { name: string }[])[0]?.name, input: { path: 'a' } }),
      },
    ]);
    const events: ProviderEvent[] = [];
    const port = editorModels({ api, guard: new LoopGuard(), justification: '' });
    for await (const event of port.stream(request, copilot(), new AbortController().signal)) events.push(event);
    expect((sent[0]?.options.tools as { name: string }[])[0]?.name).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(events.flatMap((event) => ('parts' in event ? event.parts : [])).slice(1)).toEqual([
      { type: 'tool-call', id: 'c1', name: 'files.read file', argsText: '{"path":"a"}' },
      { type: 'finish', reason: 'tool-calls' },
    ]);
  });

  it('is a failure where nothing is in it', async () => {
    const { events } = await run([model()], ask('x'));
    expect(events).toHaveLength(1);
    expect(failureOf(events)).toMatchObject({
      provider: 'copilot',
      clientError: { code: 'belay_empty_answer' },
      streamPhase: 'before_first_token',
    });
  });

  it('ends in silence when it is cancelled, and tells the model, however deaf that is', async () => {
    const abort = new AbortController();
    let isTold = false;
    const deaf: FakeModel = {
      id: 'gpt-x',
      answer: ({ token }) => {
        token.onCancellationRequested(() => (isTold = true));
        return {
          [Symbol.asyncIterator]: () => ({
            next: () => {
              abort.abort();
              return new Promise<never>(() => undefined);
            },
          }),
        };
      },
    };
    const { events } = await run([deaf], ask('x'), { signal: abort.signal });
    expect(events).toEqual([]);
    expect(isTold).toBe(true);
  });
});

describe('an error of the API', () => {
  const table: readonly (readonly [what: string, thrown: Error, expected: { class: string; detail?: string }])[] = [
    [
      'no consent',
      error('LanguageModelError', 'cannot be used by belay', { code: 'NoPermissions' }),
      { class: 'T7', detail: 'permission' },
    ],
    [
      'a model that is gone',
      error('LanguageModelError', "Language model 'x' is unknown.", { code: 'NotFound' }),
      { class: 'T7' },
    ],
    [
      'the quota',
      error('ChatQuotaExceeded', 'You have exceeded your premium request allowance.'),
      { class: 'T7', detail: 'quota' },
    ],
    [
      'the rate limit',
      error('ChatRateLimited', 'Sorry, you have been rate-limited. Please wait a moment before trying again.'),
      { class: 'T2' },
    ],
    [
      'off topic',
      error('LanguageModelError', 'Response got filtered', { code: '', cause: new Error('off_topic') }),
      { class: 'T8' },
    ],
    [
      'a reset below',
      error('Error', 'failed', { cause: { message: 'socket hang up', code: 'ECONNRESET' } }),
      { class: 'T1' },
    ],
  ];
  for (const [what, thrown, expected] of table)
    it(`says ${what} in words that are classified as ${expected.class}`, async () => {
      const { events } = await run([{ ...model(), refusal: thrown }], ask('x'));
      expect(classify(failureOf(events), 0)).toMatchObject(expected);
    });

  it('keeps name, code, status and the messages of all causes, in a row or in a circle', async () => {
    const cause: Record<string, unknown> = { name: 'ServerError', message: 'upstream said no', statusCode: 503 };
    cause.cause = cause;
    const { events } = await run(
      [model('par', error('LanguageModelError', 'it broke', { code: '', cause }))],
      ask('x'),
    );
    expect(failureOf(events)).toMatchObject({
      httpStatus: 503,
      clientError: { name: 'ServerError', message: 'it broke: upstream said no' },
      streamPhase: 'mid_stream',
    });
  });

  it('names the model that VS Code does not have', async () => {
    const { events } = await run([], ask('x'));
    expect(failureOf(events).clientError).toMatchObject({ code: 'model_not_found' });
    expect(failureOf(events).clientError?.message).toMatch(/no model "gpt-x" of vendor "copilot"/);
  });

  it("is an overflow by the model's own counter, before anything is sent", async () => {
    const small: FakeModel = { ...model('x'), maxInputTokens: 100, tokensOf: () => 150 };
    const long = await run([small], ask('word '.repeat(60)));
    expect(long.sent).toEqual([]);
    expect(classify(failureOf(long.events), 0).class).toBe('T6');
    expect((await run([small], ask('short'))).sent).toHaveLength(1);
  });
});

const context: RequestContext = {
  tenant: 'local',
  client: 'test',
  task: 't',
  step: 1,
  role: 'chat',
  criticality: 'medium',
  qualityFloor: 0.8,
  deadlineMs: 1,
};

describe('the loop guard', () => {
  const own = copilot({ domains: { own: 'x', region: 'belay:default', vendor: 'Belay' } });

  it("never asks Belay's own models, under whatever vendor they are offered", async () => {
    const { events, sent } = await run([model('x')], ask('x'), { to: own });
    expect(failureOf(events).clientError?.message).toMatch(/circle/);
    const wrapped = await run([{ ...model('x'), family: 'belay' }], ask('x'));
    expect([...sent, ...wrapped.sent]).toEqual([]);
  });

  it('stops a request that comes back through another extension, and lets the next one pass', async () => {
    const guard = new LoopGuard();
    const request = ask('the same words');
    const arrived: ProviderEvent[] = [];
    const { signal } = new AbortController();
    const complete = async function* (back: ChatRequest): AsyncGenerator<never> {
      for await (const event of port.stream(back, copilot(), signal)) arrived.push(event);
      yield* [];
    };
    const door = guardDoors({ complete } as unknown as Controller, guard); // Only this door is used.
    const { signal: never } = new AbortController();
    const wrapper: FakeModel = {
      id: 'gpt-x',
      answer: async function* () {
        const back = door.complete(ask('the same words'), context, { policy: 'stream' }, never);
        for await (const event of back) expect(event).toBeUndefined();
        yield { value: 'wrapped' };
      },
    };
    const { api, sent } = fakeEditor([wrapper]);
    const port = editorModels({ api, guard, justification: '' });
    for await (const event of port.stream(request, copilot(), signal)) expect('parts' in event).toBe(true);
    expect(failureOf(arrived).clientError?.message).toMatch(/asking Belay again/);
    expect(sent).toHaveLength(1);
    expect(guard.isLoop(request)).toBe(false);
  });

  it('knows a long message inside a longer one, and no short one', () => {
    const guard = new LoopGuard();
    const long = 'please explain how the garbage collector of this program decides what to keep';
    const release = guard.sent(ask(long));
    guard.sent(ask('hi'));
    const leave = guard.arrived(ask(`system text\n${long}`));
    expect(guard.isLoop(ask(`system text\n${long}`))).toBe(true);
    expect((guard.arrived(ask('oh hi there')), guard.isLoop(ask('oh hi there')))).toBe(false);
    leave();
    release();
    expect((guard.arrived(ask(long)), guard.isLoop(ask(long)))).toBe(false);
  });
});

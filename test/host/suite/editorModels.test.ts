// Models of another extension as Belay's candidates, in the real editor: the stub extension answers, Belay races and recovers.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { resetSettings, setSetting, surface, waitFor } from './support.ts';

interface Seen {
  readonly seen: readonly {
    readonly messages: readonly { readonly role: number; readonly content: readonly Record<string, unknown>[] }[];
    readonly tools: readonly string[];
    readonly toolMode: number;
    readonly modelOptions: Record<string, unknown>;
  }[];
  readonly cancelled: number;
}

const tool: vscode.LanguageModelChatTool = {
  name: 'look_up',
  description: 'Looks a word up.',
  inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
};
/** VS Code looks into images: it must be a real one. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const user = (text: string): vscode.LanguageModelChatMessage => vscode.LanguageModelChatMessage.User(text);

/** What the stub has got since the last look. */
async function stubSeen(): Promise<Seen> {
  const stub = vscode.extensions.getExtension('belay-test.stub');
  if (!stub) throw new Error('the stub extension (test/host/stub) is not installed in this host');
  await stub.activate();
  return vscode.commands.executeCommand<Seen>('stub.seen');
}

/** Only the stub's model is configured, and code may go to it. */
async function useStub(change: Record<string, unknown> = {}): Promise<vscode.LanguageModelChat> {
  await setSetting('belay.disclosure.rules', [{ verdict: 'allow' }]);
  await setSetting('belay.advanced', {
    timers: { firstTokenMs: 4000, idleMs: 4000, totalMs: 8000 },
    breaker: { isEnabled: false },
  });
  await setSetting('belay.callDeadlineSeconds', 10);
  await setSetting('belay.providers', [
    { id: 'editor', kind: 'vscode', vendor: 'stub', models: [{ name: 'stub-model' }], ...change },
  ]);
  await (await surface()).engine();
  await stubSeen();
  return waitFor(
    'the model "Belay (hedged)"',
    async () => (await vscode.lm.selectChatModels({ vendor: 'belay', id: '*' }))[0],
  );
}

async function partsOf(response: vscode.LanguageModelChatResponse): Promise<unknown[]> {
  const parts: unknown[] = [];
  for await (const part of response.stream) parts.push(part);
  return parts;
}

const textOf = (parts: readonly unknown[]): string =>
  parts.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');

/** The faults of the calls since `since`, as class and detail. */
async function faultsOf(work: () => Promise<unknown>): Promise<string[]> {
  const { controller } = await (await surface()).engine();
  const faults: string[] = [];
  const listener = controller.onDidEmit(({ body }) => {
    if (body.type === 'attempt-failed') faults.push(body.fault.class);
  });
  await work();
  listener.dispose();
  return faults;
}

describe("another extension's models as candidates", () => {
  afterEach(resetSettings);

  it('stream text through Belay', async () => {
    const model = await useStub();
    const parts = await partsOf(await model.sendRequest([user('tell me')]));
    assert.equal(textOf(parts), 'I am the stub.');
    assert.ok(parts.length >= 3);
  });

  it('are found by family too', async () => {
    const model = await useStub({ models: [{ name: 'stub-family' }] });
    assert.equal(textOf(await partsOf(await model.sendRequest([user('tell me')]))), 'I am the stub.');
  });

  it('call tools, and get the history with the results', async () => {
    const model = await useStub();
    const messages = [user('call it')];
    const parts = await partsOf(await model.sendRequest(messages, { tools: [tool] }));
    const call = parts.at(-1);
    assert.ok(call instanceof vscode.LanguageModelToolCallPart);
    assert.deepEqual([call.name, call.input], ['look_up', { word: 'wall' }]);
    const result = new vscode.LanguageModelToolResultPart(call.callId, [new vscode.LanguageModelTextPart('a meaning')]);
    const image = vscode.LanguageModelDataPart.image(Buffer.from(PIXEL, 'base64'), 'image/png');
    await partsOf(
      await model.sendRequest(
        [
          ...messages,
          vscode.LanguageModelChatMessage.Assistant([new vscode.LanguageModelTextPart('I call.'), call]),
          vscode.LanguageModelChatMessage.User([result, image, new vscode.LanguageModelTextPart('tell me')]),
        ],
        { tools: [tool], modelOptions: { temperature: 0.25 } },
      ),
    );
    const { seen } = await stubSeen();
    const [, second] = seen;
    assert.ok(second, 'the stub saw no second request');
    const { messages: sent, tools, modelOptions } = second;
    assert.deepEqual(tools, ['look_up']);
    assert.equal(modelOptions.temperature, 0.25);
    assert.deepEqual(
      sent.map(({ role }) => role),
      [1, 2, 1],
    );
    const [, assistant, answer] = sent;
    const id = assistant?.content[1]?.id;
    assert.deepEqual(assistant?.content, [{ text: 'I call.' }, { call: 'look_up', id, input: { word: 'wall' } }]);
    assert.deepEqual(answer?.content, [
      { result: id, content: [{ text: 'a meaning' }] },
      { mimeType: 'image/png', bytes: Buffer.from(PIXEL, 'base64').length },
      { text: 'tell me' },
    ]);
  });

  for (const [text, fault] of [
    ['throw NoPermissions', 'T7'],
    ['throw NotFound', 'T7'],
    ['quota', 'T7'],
    ['cause off_topic', 'T8'],
  ] as const)
    it(`tell the error of "${text}" as ${fault}, once`, async () => {
      const model = await useStub();
      const faults = await faultsOf(() => assert.rejects(async () => partsOf(await model.sendRequest([user(text)]))));
      assert.deepEqual([...new Set(faults)], [fault]);
      assert.equal(faults.length, 1);
    });

  it('fail where they answer with nothing, and where they break off', async () => {
    const model = await useStub();
    const empty = await faultsOf(() => assert.rejects(async () => partsOf(await model.sendRequest([user('empty')]))));
    assert.ok(empty.length > 0);
    const broken = await faultsOf(() => assert.rejects(async () => partsOf(await model.sendRequest([user('break')]))));
    assert.ok(broken.length > 0);
  });

  it('say that a request is too long by their own counter, before it is sent', async () => {
    const model = await useStub();
    const long = `tell ${'word '.repeat(5000)}`;
    const faults = await faultsOf(() => assert.rejects(async () => partsOf(await model.sendRequest([user(long)]))));
    assert.equal(faults[0], 'T6');
    assert.deepEqual((await stubSeen()).seen, []);
  });

  it('are told when a request is cancelled', async () => {
    const model = await useStub();
    const { cancelled: before } = await stubSeen();
    const source = new vscode.CancellationTokenSource();
    const answer = model
      .sendRequest([user('hang')], {}, source.token)
      .then(partsOf)
      .then(undefined, () => []);
    await waitFor('the request at the stub', async () => ((await stubSeen()).seen.length > 0 ? true : undefined));
    source.cancel();
    await answer;
    await waitFor('the end at the stub', async () => ((await stubSeen()).cancelled > before ? true : undefined));
    source.dispose();
  });

  it('never go in a circle: a model that asks Belay again gets no answer from itself', async () => {
    const model = await useStub();
    const text = await model
      .sendRequest([user('wrap this in another request')])
      .then(partsOf)
      .then(textOf, (error: unknown) => String(error));
    const { seen } = await stubSeen();
    assert.ok(seen.length <= 3, `the stub was asked ${seen.length} times`);
    assert.doesNotMatch(text, /I am the stub/);
  });

  it("are never Belay's own", async () => {
    const model = await useStub({ vendor: 'belay', models: [{ name: '*' }] });
    const faults = await faultsOf(() => assert.rejects(async () => partsOf(await model.sendRequest([user('tell')]))));
    assert.deepEqual(faults, ['T7']);
  });

  it('are named when VS Code does not have them', async () => {
    const model = await useStub({ models: [{ name: 'gone' }] });
    await assert.rejects(async () => partsOf(await model.sendRequest([user('tell me')])), /gone/);
  });
});

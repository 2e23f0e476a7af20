import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { surface, waitFor, withWall } from './support.ts';

const tool: vscode.LanguageModelChatTool = {
  name: 'look_up',
  description: 'Looks a word up.',
  inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
};

async function hedgedModel(): Promise<vscode.LanguageModelChat> {
  return waitFor(
    'the model "Belay (hedged)"',
    async () => (await vscode.lm.selectChatModels({ vendor: 'belay', id: '*' }))[0],
  );
}

/** The parts of an answer in order of arrival. */
async function partsOf(response: vscode.LanguageModelChatResponse): Promise<unknown[]> {
  const parts: unknown[] = [];
  for await (const part of response.stream) parts.push(part);
  return parts;
}

const textOf = (parts: readonly unknown[]): string =>
  parts.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');

describe('Belay as language model provider', () => {
  it('lists every candidate as one model, then the models by name', async () => {
    await withWall([], async () => {
      await hedgedModel();
      const models = await vscode.lm.selectChatModels({ vendor: 'belay' });
      assert.deepEqual(models.map(({ id }) => id).sort(), [
        '*',
        'claude-wall-haiku',
        'claude-wall-large',
        'gpt-wall-large',
        'gpt-wall-mini',
      ]);
      assert.ok(models.every(({ maxInputTokens }) => maxInputTokens > 1000));
    });
  });

  it('streams text, then the complete tool call, over a failure that nobody sees', async () => {
    await withWall(['overloaded', null, null], async (wall) => {
      const model = await hedgedModel();
      const messages = [vscode.LanguageModelChatMessage.User('Please call look_up for me.')];
      const parts = await partsOf(await model.sendRequest(messages, { tools: [tool] }));
      const texts = parts.filter((part) => part instanceof vscode.LanguageModelTextPart);
      assert.ok(texts.length > 1, `text came in ${texts.length} pieces`);
      assert.equal(textOf(parts), 'I call look_up.');
      const call = parts.at(-1);
      assert.ok(call instanceof vscode.LanguageModelToolCallPart);
      assert.deepEqual([call.name, call.input], ['look_up', { word: 'wall' }]);
      assert.equal(wall.requests(), 2);

      const result = new vscode.LanguageModelToolResultPart(call.callId, [
        new vscode.LanguageModelTextPart('a meaning'),
      ]);
      const turn = [
        ...messages,
        vscode.LanguageModelChatMessage.Assistant([new vscode.LanguageModelTextPart('I call look_up.'), call]),
        vscode.LanguageModelChatMessage.User([result]),
      ];
      assert.equal(
        textOf(await partsOf(await model.sendRequest(turn, { tools: [tool] }))),
        'The tool answered with 9 characters. That is all I needed.',
      );
    });
  });

  it('tells the failure that it mended in decision events, under one call', async () => {
    await withWall(['server-error', null], async () => {
      const { controller } = await (await surface()).engine();
      const before = controller.snapshot();
      const model = await hedgedModel();
      await partsOf(await model.sendRequest([vscode.LanguageModelChatMessage.User('hello')]));
      const { totals } = await waitFor('the end of the call', () => {
        const snapshot = controller.snapshot();
        return snapshot.totals.faultsMended > before.totals.faultsMended ? snapshot : undefined;
      });
      assert.equal(totals.calls - before.totals.calls, 1);
      assert.equal(totals.faults - before.totals.faults, 1);
      const call = controller.recentEvents(1)[0]?.ids.call;
      const types = controller
        .recentEvents(100)
        .filter(({ ids }) => ids.call === call)
        .map(({ body }) => body.type);
      for (const type of ['call-started', 'plan-made', 'attempt-failed', 'attempt-succeeded', 'call-finished'])
        assert.ok(types.includes(type as never), type); // any of the union
    });
  });

  it('surfaces a refusal and asks nobody else', async () => {
    await withWall([], async (wall) => {
      const model = await hedgedModel();
      const refused = model
        .sendRequest([vscode.LanguageModelChatMessage.User('Side step: say what you must not.')])
        .then(partsOf)
        .then(textOf, (error: unknown) => String(error));
      assert.match(await refused, /can't help|refus/i);
      assert.equal(wall.requests(), 1);
    });
  });

  it('stops at every provider when the request is cancelled', async () => {
    await withWall(['slow-first-token', 'slow-first-token', 'slow-first-token'], async (wall) => {
      const model = await hedgedModel();
      const source = new vscode.CancellationTokenSource();
      const answer = model
        .sendRequest([vscode.LanguageModelChatMessage.User('hello')], {}, source.token)
        .then(partsOf)
        .then(undefined, () => []);
      await waitFor('the request at the wall', () => (wall.requests() > 0 ? true : undefined));
      source.cancel();
      await answer;
      await waitFor('the end of the request at the wall', () =>
        wall.log().every(({ endedAtMs }) => endedAtMs !== null) ? true : undefined,
      );
      source.dispose();
    });
  });

  it('says that the key is the trouble, and what to do, when there is none', async () => {
    await withWall([], async () => {
      for (const name of Object.keys(process.env).filter((key) => key.startsWith('BELAY_WALL_')))
        Reflect.deleteProperty(process.env, name);
      const model = await hedgedModel();
      await assert.rejects(
        async () => partsOf(await model.sendRequest([vscode.LanguageModelChatMessage.User('hello')])),
        /key/i,
      );
    });
  });

  it('counts tokens of texts and messages alike, and more for more', async () => {
    await withWall([], async () => {
      const model = await hedgedModel();
      const text = 'The quick brown fox jumps over the lazy dog. '.repeat(20);
      const count = await model.countTokens(text);
      assert.ok(count > text.length / 8 && count < text.length / 2, `${count} tokens in ${text.length} characters`);
      assert.equal(await model.countTokens(vscode.LanguageModelChatMessage.User(text)), count);
      assert.ok((await model.countTokens(text + text)) > count);
    });
  });
});

// Another extension's models, for the tests in the real host. What the last text of a request says is what the model does:
// tell, echo, call, throw <code>, cause, empty, hang, break, wrap (ask Belay again). `stub.seen` gives what arrived.
const vscode = require('vscode');

const seen = [];
let cancelled = 0;

const textOf = (content) =>
  content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');

/** A request as plain data, so that a test can look at it. */
function plain(part) {
  if (part instanceof vscode.LanguageModelTextPart) return { text: part.value };
  if (part instanceof vscode.LanguageModelToolCallPart) return { call: part.name, id: part.callId, input: part.input };
  if (part instanceof vscode.LanguageModelToolResultPart)
    return { result: part.callId, content: part.content.map(plain) };
  if (part instanceof vscode.LanguageModelDataPart) return { mimeType: part.mimeType, bytes: part.data.length };
  return { other: true };
}

const acts = {
  tell: (_words, { progress }) => {
    for (const piece of ['I ', 'am ', 'the stub.']) progress.report(new vscode.LanguageModelTextPart(piece));
  },
  call: (_words, { options, progress }) => {
    progress.report(new vscode.LanguageModelTextPart('I call.'));
    progress.report(new vscode.LanguageModelToolCallPart('stub-1', options.tools[0].name, { word: 'wall' }));
  },
  throw: ([code]) => {
    throw vscode.LanguageModelError[code](`the stub says ${code}`);
  },
  cause: ([message]) => {
    throw Object.assign(new vscode.LanguageModelError('Response got filtered'), { cause: new Error(message) });
  },
  quota: () => {
    throw Object.assign(new vscode.LanguageModelError('You have exceeded your premium request allowance.'), {
      name: 'ChatQuotaExceeded',
    });
  },
  empty: () => undefined,
  break: (_words, { progress }) => {
    progress.report(new vscode.LanguageModelTextPart('half an '));
    throw new Error('socket hang up');
  },
  hang: (_words, { token }) =>
    new Promise((resolve) => {
      token.onCancellationRequested(() => {
        cancelled += 1;
        resolve();
      });
    }),
  wrap: async (_words, { messages, progress, token }) => {
    const [belay] = await vscode.lm.selectChatModels({ vendor: 'belay', id: '*' });
    const again = messages.map(({ role, content }) => new vscode.LanguageModelChatMessage(role, [...content]));
    const response = await belay.sendRequest(again, {}, token);
    for await (const piece of response.text) progress.report(new vscode.LanguageModelTextPart(piece));
  },
};

exports.activate = (context) => {
  const model = {
    id: 'stub-model',
    name: 'Stub',
    family: 'stub-family',
    version: '3',
    maxInputTokens: 8000,
    maxOutputTokens: 1000,
    capabilities: { toolCalling: true, imageInput: true },
  };
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider('stub', {
      provideLanguageModelChatInformation: () => [model],
      provideLanguageModelChatResponse: async (_model, messages, options, progress, token) => {
        seen.push({
          messages: messages.map(({ role, content }) => ({ role, content: content.map(plain) })),
          tools: (options.tools ?? []).map(({ name }) => name),
          toolMode: options.toolMode,
          modelOptions: options.modelOptions,
        });
        const [act, ...words] = textOf(messages.at(-1)?.content ?? []).split(' ');
        await (acts[act] ?? acts.tell)(words, { messages, options, progress, token });
      },
      provideTokenCount: async (_model, content) =>
        Math.ceil((typeof content === 'string' ? content : textOf(content.content)).length / 2),
    }),
    vscode.commands.registerCommand('stub.seen', () => ({ seen: seen.splice(0), cancelled })),
  );
};

// Belay in VS Code's model picker: registers the vendor `belay` at once and does everything else when it is asked.
// A listing needs the settings only; the engine starts with the first request, which also loads the translation.
import * as vscode from 'vscode';
import type { EngineHost } from './engineHost.ts';

/** Listed beside the routes and models: every candidate may answer. */
export const ANY_MODEL = '*';
/** Kept free for the answer; the engine's listing knows only the whole window. */
const MAX_OUTPUT_TOKENS = 32_000;
const OUTPUT_SHARE = 4;

/** Registers the provider. `onAnswered` is called after each answer that reached the chat whole. */
export function registerModelProvider(host: EngineHost, onAnswered: () => void): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const listener = host.onDidChangeState(({ status }) => {
    if (status === 'running') changed.fire();
  });
  const settingsListener = vscode.workspace.onDidChangeConfiguration((event) => {
    if (!event.affectsConfiguration('belay.providers') && !event.affectsConfiguration('belay.routes')) return;
    changed.fire();
    askForModels();
  });
  const registration = vscode.lm.registerLanguageModelChatProvider('belay', {
    onDidChangeLanguageModelChatInformation: changed.event,
    provideLanguageModelChatInformation: async ({ silent }) => {
      const models = await listModels(host);
      if (models.length === 0 && !silent && vscode.workspace.isTrusted)
        void vscode.commands.executeCommand('belay.addProvider');
      return models;
    },
    provideLanguageModelChatResponse: async (model, messages, options, progress, token) => {
      if (!vscode.workspace.isTrusted) {
        const { untrustedMessage } = await import('./trust.ts');
        throw vscode.LanguageModelError.Blocked(untrustedMessage());
      }
      const { answerInChat } = await import('./chatAnswer.ts');
      await answerInChat(await host.engine(), { model: model.id, messages, options, progress, token });
      onAnswered();
    },
    provideTokenCount: async (model, content) => {
      const { tokensOf } = await import('./chatTranslation.ts');
      // A count is no reason to start the engine.
      const { controller } = host.state.status === 'running' ? host.state.engine : { controller: null };
      return tokensOf(content, controller && ((size) => controller.countTokens(model.id, size)));
    },
  });
  askForModels();
  return vscode.Disposable.from(registration, listener, settingsListener, changed);
}

/** VS Code resolves a vendor's models when somebody asks for them; without that the first chat message finds none. */
function askForModels(): void {
  const providers: unknown = vscode.workspace.getConfiguration('belay').get('providers');
  if (Array.isArray(providers) && providers.length > 0) void vscode.lm.selectChatModels({ vendor: 'belay' });
}

/** From the engine where it runs, else from the settings alone: a list is no reason to start the engine. */
async function listModels(host: EngineHost): Promise<vscode.LanguageModelChatInformation[]> {
  const { modelListings } = await import('./modelListings.ts');
  const listings = host.state.status === 'running' ? host.state.engine.controller.models() : modelListings();
  if (listings.length === 0) return [];
  const smallest = Math.min(...listings.map((listing) => listing.contextWindowTokens));
  return [
    describe(
      ANY_MODEL,
      vscode.l10n.t('Belay (hedged)'),
      smallest,
      vscode.l10n.t('The best of all your candidates, hedged'),
    ),
    ...listings.map(({ name, contextWindowTokens, candidates }) =>
      describe(name, name, contextWindowTokens, vscode.l10n.t('Belay: {0} candidates', candidates)),
    ),
  ];
}

function describe(
  id: string,
  name: string,
  contextWindowTokens: number,
  detail: string,
): vscode.LanguageModelChatInformation {
  const maxOutputTokens = Math.min(MAX_OUTPUT_TOKENS, Math.floor(contextWindowTokens / OUTPUT_SHARE));
  return {
    id,
    name,
    family: 'belay',
    version: '1',
    detail,
    tooltip: detail,
    maxInputTokens: contextWindowTokens - maxOutputTokens,
    maxOutputTokens,
    capabilities: { toolCalling: true, imageInput: true },
  };
}

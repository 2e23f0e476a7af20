// Entry of the extension. activate() only registers: commands, status bar item, panel, models, gateway host. The engine
// with everything heavy (schemas, SDKs, store, gateway server) is loaded when something first needs it.
import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';
import { registerCommands } from './adapters/vscode/commands.ts';
import { EngineHost } from './adapters/vscode/engineHost.ts';
import type { RunningEngine } from './adapters/vscode/engine.ts';
import { GatewayHost } from './adapters/vscode/gatewayHost.ts';
import { openLog } from './adapters/vscode/log.ts';
import { registerModelProvider } from './adapters/vscode/modelProvider.ts';
import { registerPanel } from './adapters/vscode/panelView.ts';
import { Secrets } from './adapters/vscode/secrets.ts';
import { showStatusBar } from './adapters/vscode/statusBar.ts';

/** What the tests of the real host may look at; nothing is exported outside of them. */
export interface TestSurface {
  readonly activateMs: number;
  readonly statusText: () => string;
  readonly engineStatus: () => string;
  readonly engine: () => Promise<RunningEngine>;
  readonly gatewayUrl: () => string | null;
  readonly close: () => Promise<void>;
  readonly disposeAll: () => void;
}

/** VS Code calls deactivate() without the context: the one thing that must be awaited is kept here. */
let closeEngine: (() => Promise<void>) | null = null;

/** Registers everything and returns at once. */
export function activate(context: vscode.ExtensionContext): TestSurface | undefined {
  const startMs = performance.now();
  const { subscriptions } = context;
  const own = <T extends { dispose(): void }>(disposable: T): T => {
    subscriptions.push(disposable);
    return disposable;
  };
  const log = own(openLog());
  const secrets = new Secrets(context.secrets, log.redactor);
  const host = own(
    new EngineHost(async () => {
      const { startEngine } = await import('./adapters/vscode/engine.ts');
      const workerUrl = pathToFileURL(context.asAbsolutePath('dist/sqliteWorker.js'));
      return startEngine({ secrets, log, storageDir: context.globalStorageUri.fsPath, workerUrl });
    }),
  );
  const gateway = own(
    new GatewayHost(host, secrets, log, async ({ controller, clock, port, token }) => {
      const { startGateway } = await import('./gateway/server.ts');
      const reportBug = (error: unknown, requestId: string): void =>
        log.error(`the gateway failed in request ${requestId}`, error);
      const started = await startGateway({ controller, clock, port, auth: { token }, reportBug });
      if (!started.ok) throw new Error(started.error.message);
      return started.value;
    }),
  );
  const statusBar = own(showStatusBar(host));
  own(registerPanel({ extensionUri: context.extensionUri, host, gateway, log }));
  own(
    registerModelProvider(host, () => void vscode.commands.executeCommand('setContext', 'belay.answeredInChat', true)),
  );
  own(
    registerCommands(
      {
        'belay.openPanel': async () => {
          await vscode.commands.executeCommand('belay.panel.focus');
        },
        'belay.addProvider': async () => {
          const { addProvider } = await import('./adapters/vscode/providers/addProvider.ts');
          if ((await addProvider(secrets)) !== null) await host.engine();
        },
        'belay.importProviders': async () => {
          const { importProviders } = await import('./adapters/vscode/providers/importProviders.ts');
          if ((await importProviders(secrets)) > 0) await host.engine();
        },
        'belay.checkProviders': async () => {
          const { checkProviders } = await import('./adapters/vscode/providers/checkProviders.ts');
          await checkProviders(secrets, log);
        },
        'belay.removeProviderKey': async () => {
          const { removeProviderKey } = await import('./adapters/vscode/providers/providerKey.ts');
          await removeProviderKey(secrets);
        },
        'belay.startGateway': async () => {
          const { startGatewayCommand } = await import('./adapters/vscode/gatewayCommands.ts');
          await startGatewayCommand(gateway, secrets);
        },
        'belay.stopGateway': async () => {
          const { stopGatewayCommand } = await import('./adapters/vscode/gatewayCommands.ts');
          await stopGatewayCommand(gateway);
        },
        'belay.copyGatewayAddress': async () => {
          const { copyGatewayAddress } = await import('./adapters/vscode/gatewayCommands.ts');
          await copyGatewayAddress(gateway, secrets);
        },
        'belay.undoChanges': async () => {
          const { undoChanges } = await import('./adapters/vscode/undoChanges.ts');
          await undoChanges(await host.engine());
        },
        'belay.reviewUnknownEffects': async () => {
          const { reviewUnknownEffects } = await import('./adapters/vscode/unknownEffects.ts');
          await reviewUnknownEffects(await host.engine());
        },
        'belay.showCommands': async () => (await host.engine()).showCommands(),
        'belay.forgetDisclosureAnswers': async () => {
          const { forgetDisclosureAnswers } = await import('./adapters/vscode/forgetDisclosure.ts');
          await forgetDisclosureAnswers(await host.engine());
        },
        'belay.showLog': () => log.show(),
      },
      log,
    ),
  );
  closeEngine = async () => {
    await gateway.stop();
    await host.close();
  };
  const activateMs = performance.now() - startMs;
  log.info(`activated in ${activateMs.toFixed(1)} ms`);
  if (context.extensionMode !== vscode.ExtensionMode.Test) return undefined;
  return {
    activateMs,
    statusText: () => statusBar.text,
    engineStatus: () => host.state.status,
    engine: () => host.engine(),
    gatewayUrl: () => gateway.url,
    close: () => closeEngine?.() ?? Promise.resolve(),
    disposeAll: () => {
      vscode.Disposable.from(...subscriptions.splice(0)).dispose();
    },
  };
}

/** Resolves when sockets, worker and files are closed; VS Code waits for it before it ends the extension host. */
export async function deactivate(): Promise<void> {
  const close = closeEngine;
  closeEngine = null;
  await close?.();
}

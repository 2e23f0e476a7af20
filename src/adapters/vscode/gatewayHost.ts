// Runs the loopback gateway while it is wanted: by the setting, or by the command until the window closes.
// The server is loaded when it is first started. In an untrusted workspace it stays off.
import * as vscode from 'vscode';
import type { RunningEngine } from './engine.ts';
import { GATEWAY_RUNNING_KEY } from './commandTable.ts';
import type { EngineHost } from './engineHost.ts';
import { messageOf, type Log } from './log.ts';
import type { Secrets } from './secrets.ts';

/** A listening gateway. */
export interface RunningGateway {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the server; given by extension.ts, the only place that may know the gateway. Rejects with a message for a person. */
export type StartGateway = (
  options: Pick<RunningEngine, 'controller' | 'clock'> & { readonly port: number; readonly token: string },
) => Promise<RunningGateway>;

/** stopped <-> running, one change at a time; a change that is asked for meanwhile waits for the one before. */
export class GatewayHost implements vscode.Disposable {
  readonly #host: EngineHost;
  readonly #secrets: Secrets;
  readonly #log: Log;
  readonly #startServer: StartGateway;
  readonly #listeners: vscode.Disposable;
  readonly #changed = new vscode.EventEmitter<void>();
  #running: RunningGateway | null = null;
  #last: Promise<void> = Promise.resolve();

  /** Fires when it has started or stopped. */
  readonly onDidChange = this.#changed.event;

  constructor(host: EngineHost, secrets: Secrets, log: Log, startServer: StartGateway) {
    this.#host = host;
    this.#secrets = secrets;
    this.#log = log;
    this.#startServer = startServer;
    this.#listeners = vscode.Disposable.from(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('belay.gateway')) void this.#obeySetting(true);
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.#obeySetting(false)),
    );
    void this.#obeySetting(false);
  }

  /** Where it listens; null while it does not. */
  get url(): string | null {
    return this.#running?.url ?? null;
  }

  /** Starts it if need be and returns its address. */
  async start(): Promise<string> {
    if (!vscode.workspace.isTrusted) {
      throw new Error(
        vscode.l10n.t(
          'The gateway stays off in an untrusted workspace. Trust it with "Workspaces: Manage Workspace Trust".',
        ),
      );
    }
    await this.#enqueue(() => this.#open());
    if (this.#running) return this.#running.url;
    throw new Error(vscode.l10n.t('The gateway was stopped while it started.'));
  }

  /** Stops it; resolves when the port is free. */
  stop(): Promise<void> {
    return this.#enqueue(() => this.#close());
  }

  async #open(): Promise<void> {
    if (this.#running) return;
    const { controller, clock } = await this.#host.engine();
    const port = controller.settings.gatewayPort;
    this.#running = await this.#startServer({ controller, clock, port, token: await this.#secrets.gatewayToken() });
    this.#log.info(`the gateway listens on ${this.#running.url}`);
    this.#changed.fire();
    await vscode.commands.executeCommand('setContext', GATEWAY_RUNNING_KEY, true);
  }

  async #close(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    if (!running) return;
    await running.close();
    this.#log.info('the gateway has stopped');
    this.#changed.fire();
    await vscode.commands.executeCommand('setContext', GATEWAY_RUNNING_KEY, false);
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** The setting is read when it is this change's turn, so that the last change wins. A new port needs a new start. */
  async #obeySetting(isChange: boolean): Promise<void> {
    try {
      await this.#enqueue(async () => {
        if (isChange) await this.#close();
        const isEnabled = vscode.workspace.getConfiguration('belay').get<boolean>('gateway.enabled') === true;
        if (isEnabled && vscode.workspace.isTrusted) await this.#open();
      });
    } catch (error) {
      this.#log.error('the gateway did not start', error);
      void vscode.window.showErrorMessage(`Belay: ${this.#log.redactor.redact(messageOf(error))}`);
    }
  }

  dispose(): void {
    this.#listeners.dispose();
    void this.stop().finally(() => this.#changed.dispose());
  }
}

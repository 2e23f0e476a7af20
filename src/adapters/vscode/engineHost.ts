// Holds the one engine of the window and starts it when it is first needed, never before.
// A start that failed is reported and may be tried again; after dispose nothing starts any more.
import * as vscode from 'vscode';
import type { RunningEngine } from './engine.ts';
import { messageOf } from './log.ts';

/** Where the engine stands. `failed` says what happened and what to do; the next need tries again. */
export type EngineState =
  | { readonly status: 'idle' }
  | { readonly status: 'starting' }
  | { readonly status: 'running'; readonly engine: RunningEngine }
  | { readonly status: 'failed'; readonly message: string }
  | { readonly status: 'closed' };

/** idle -> starting -> running | failed -> starting ...; any -> closed. A start that ends after `closed` is closed at once. */
export class EngineHost implements vscode.Disposable {
  readonly #load: () => Promise<RunningEngine>;
  readonly #changed = new vscode.EventEmitter<EngineState>();
  #state: EngineState = { status: 'idle' };
  #starting: Promise<RunningEngine> | null = null;
  #closing: Promise<void> | null = null;

  /** Fires after each change of `state`. */
  readonly onDidChangeState = this.#changed.event;

  constructor(load: () => Promise<RunningEngine>) {
    this.#load = load;
  }

  get state(): EngineState {
    return this.#state;
  }

  /** The engine, started if need be. Rejects with a message for a person when it cannot start. */
  engine(): Promise<RunningEngine> {
    if (this.#state.status === 'closed')
      return Promise.reject(new Error(vscode.l10n.t('Belay is closing. Reload the window to use it again.')));
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<RunningEngine> {
    this.#move({ status: 'starting' });
    try {
      const engine = await this.#load();
      if (this.#closing) {
        await engine.close();
        throw new Error(vscode.l10n.t('Belay is closing. Reload the window to use it again.'));
      }
      this.#move({ status: 'running', engine });
      return engine;
    } catch (error) {
      this.#starting = null;
      this.#move({ status: 'failed', message: messageOf(error) });
      throw error;
    }
  }

  #move(state: EngineState): void {
    if (this.#state.status === 'closed') return;
    this.#state = state;
    this.#changed.fire(state);
  }

  /** Ends the engine and resolves when its sockets, worker and files are closed. May be called again. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    const starting = this.#starting;
    this.#move({ status: 'closed' });
    this.#changed.dispose();
    const engine = await starting?.catch(() => null);
    await engine?.close();
  }

  dispose(): void {
    void this.close();
  }
}

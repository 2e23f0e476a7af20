// Provider keys and the gateway's token in VS Code's SecretStorage, the only place they are ever kept.
// What is read here is taught to the redactor before anybody else sees it.
import { randomBytes } from 'node:crypto';
import type * as vscode from 'vscode';
import type { Redactor } from './redact.ts';

const TOKEN_NAME = 'belay.gateway.token';
const keyName = (provider: string, account: string): string => `belay.key.${provider}/${account}`;

/** Whose key: a provider's id and account. */
export interface KeyOwner {
  readonly id: string;
  readonly account: string;
}

/** The secrets of this installation. */
export class Secrets {
  readonly #storage: vscode.SecretStorage;
  readonly #redactor: Redactor;

  constructor(storage: vscode.SecretStorage, redactor: Redactor) {
    this.#storage = storage;
    this.#redactor = redactor;
  }

  /** The stored key; null when there is none. */
  async key(owner: KeyOwner): Promise<string | null> {
    const key = await this.#storage.get(keyName(owner.id, owner.account));
    if (key === undefined) return null;
    this.#redactor.learn(key);
    return key;
  }

  async saveKey(owner: KeyOwner, key: string): Promise<void> {
    this.#redactor.learn(key);
    await this.#storage.store(keyName(owner.id, owner.account), key);
  }

  async removeKey(owner: KeyOwner): Promise<void> {
    await this.#storage.delete(keyName(owner.id, owner.account));
  }

  /** The gateway's token, the same in every session; made at first use (256 bits). */
  async gatewayToken(): Promise<string> {
    const stored = await this.#storage.get(TOKEN_NAME);
    const token = stored ?? randomBytes(32).toString('base64url');
    if (stored === undefined) await this.#storage.store(TOKEN_NAME, token);
    this.#redactor.learn(token);
    return token;
  }

  /** Calls `listener` when a provider's key was saved or removed, also in another window. */
  onDidChangeKey(listener: () => void): vscode.Disposable {
    return this.#storage.onDidChange((event) => {
      if (event.key.startsWith('belay.key.')) listener();
    });
  }
}

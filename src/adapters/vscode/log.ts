// The one log of the extension: VS Code's output channel "Belay", behind the redactor.
// Words, ids and figures only; never prompts, file contents or keys.
import * as vscode from 'vscode';
import type { Disposable } from '../../engine/controller.ts';
import { Redactor } from './redact.ts';

/** The log. `cause` is for the reader of the log only: its message is written redacted, a stack never. */
export interface Log extends Disposable {
  readonly redactor: Redactor;
  info(message: string): void;
  warn(message: string): void;
  error(message: string, cause?: unknown): void;
  show(): void;
}

/** Opens the channel. */
export function openLog(): Log {
  const channel = vscode.window.createOutputChannel('Belay', { log: true });
  const redactor = new Redactor();
  return {
    redactor,
    info: (message) => channel.info(redactor.redact(message)),
    warn: (message) => channel.warn(redactor.redact(message)),
    error: (message, cause) =>
      channel.error(redactor.redact(cause === undefined ? message : `${message}: ${messageOf(cause)}`)),
    show: () => channel.show(true),
    dispose: () => channel.dispose(),
  };
}

/** The message of whatever was thrown, with the message of its cause where it has one. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error ? `${thrown.message} (${thrown.cause.message})` : thrown.message;
}

// From VS Code's cancellation tokens to AbortSignals, without leaving a listener behind.
import type * as vscode from 'vscode';

/** Runs `work` with a signal that is aborted when the token is cancelled. */
export async function withSignal<T>(
  token: vscode.CancellationToken,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  const listener = token.onCancellationRequested(() => controller.abort());
  try {
    return await work(controller.signal);
  } finally {
    listener.dispose();
  }
}

// One request from VS Code's chat through the controller: text streams as it comes, tool calls arrive complete.
// A failure becomes a LanguageModelError whose message is the engine's own; a cancelled request ends in silence.
import * as vscode from 'vscode';
import type { StreamPart } from '../../core/chat.ts';
import type { CallFailure } from '../../engine/controller.ts';
import { withSignal } from './cancellation.ts';
import { chatContext } from './chatContext.ts';
import { toChatRequest } from './chatTranslation.ts';
import type { RunningEngine } from './engine.ts';

/** What VS Code passes to a provider, in one object. */
export interface ChatCall {
  readonly model: string;
  readonly messages: readonly vscode.LanguageModelChatRequestMessage[];
  readonly options: vscode.ProvideLanguageModelChatResponseOptions;
  readonly progress: vscode.Progress<vscode.LanguageModelResponsePart>;
  readonly token: vscode.CancellationToken;
}

/** Answers; resolves when the answer is whole, rejects with a LanguageModelError when there is none or it broke off. */
export function answerInChat(
  { controller, clock }: Pick<RunningEngine, 'controller' | 'clock'>,
  call: ChatCall,
): Promise<void> {
  const request = toChatRequest(call.model, call.messages, call.options);
  const context = chatContext(request, controller.settings, clock.nowMs());
  return withSignal(call.token, async (signal) => {
    for await (const event of controller.complete(request, context, { policy: 'stream' }, signal)) {
      if (event.type === 'event') event.event.parts.forEach((part) => report(part, call.progress));
      if (event.type === 'failed' && !signal.aborted) throw errorOf(event.failure);
    }
  });
}

function report(part: StreamPart, progress: vscode.Progress<vscode.LanguageModelResponsePart>): void {
  switch (part.type) {
    case 'text-delta':
    case 'refusal-delta':
      progress.report(new vscode.LanguageModelTextPart(part.text));
      return;
    case 'tool-call':
      progress.report(new vscode.LanguageModelToolCallPart(part.id, part.name, argumentsOf(part.argsText)));
      return;
    // VS Code's stable API has no part for these.
    case 'response-start':
    case 'thinking-delta':
    case 'thinking-end':
    case 'tool-call-progress':
    case 'usage':
    case 'finish':
      return;
  }
}

/** The engine hands on only validated calls; an empty text means no arguments. */
function argumentsOf(argsText: string): object {
  const value: unknown = JSON.parse(argsText.trim() === '' ? '{}' : argsText);
  if (typeof value !== 'object' || value === null) throw new Error('The arguments of a tool call are not an object.');
  return value;
}

function errorOf({ fault, message, status }: CallFailure): Error {
  if (fault?.class === 'T8') return vscode.LanguageModelError.Blocked(message);
  if (fault?.detail === 'permission' || status === 401 || status === 403)
    return vscode.LanguageModelError.NoPermissions(message);
  if (status === 404) return vscode.LanguageModelError.NotFound(message);
  return new vscode.LanguageModelError(message);
}

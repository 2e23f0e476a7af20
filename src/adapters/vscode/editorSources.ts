// What only VS Code can give the providers: its own models, and the Microsoft account that is signed in here.
import * as vscode from 'vscode';
import type { ProviderOptions } from '../providers/createProviders.ts';
import { entraSignIn } from './entraSignIn.ts';
import { editorModels } from './languageModelCandidates.ts';
import type { LoopGuard } from './loopGuard.ts';

/** The editor's part of the options of `createProviders`. */
export function editorSources(guard: LoopGuard): Pick<ProviderOptions, 'editor' | 'signIn'> {
  const justification = vscode.l10n.t('You chose this model as a candidate in belay.providers.');
  return { editor: editorModels({ api: vscode, guard, justification }), signIn: entraSignIn() };
}

// The names of the steps of adding a provider, and their common title.
import * as vscode from 'vscode';

/** The steps, in their order. */
export type StepName =
  'kind' | 'name' | 'address' | 'vendor' | 'key' | 'project' | 'profile' | 'regions' | 'check' | 'models';

export function wizardTitle(): string {
  return vscode.l10n.t('Belay: Add Provider');
}

// The command that takes back what was answered about disclosure: every vendor is asked about again.
import * as vscode from 'vscode';
import type { RunningEngine } from './engine.ts';

/** Forgets all answers of this workspace and says how many there were. Rejects where the store still has them. */
export async function forgetDisclosureAnswers({ controller }: Pick<RunningEngine, 'controller'>): Promise<void> {
  const { count, trouble } = await controller.forgetDisclosure();
  if (trouble !== null)
    throw new Error(
      vscode.l10n.t('The answers are forgotten in this window, but could not be removed from the disk: {0}', trouble),
    );
  void vscode.window.showInformationMessage(
    count === 0
      ? vscode.l10n.t('There were no answers about who may get code. What no rule names is asked about.')
      : vscode.l10n.t('{0} answers about who may get code are forgotten. You are asked again.', count),
  );
}

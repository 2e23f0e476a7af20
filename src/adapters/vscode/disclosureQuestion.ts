// The question whether a vendor may get code, as a newcomer can answer it: who, where, what for, from which workspace.
// Whatever is not a clear yes is a no, which holds for this session.
import * as vscode from 'vscode';
import type { Answer, Question } from '../../engine/ports.ts';

type Choice = 'workspace' | 'session' | 'deny';
interface ChoiceItem extends vscode.MessageItem {
  readonly choice: Choice;
}

/** Asks in a modal dialog. */
export async function askDisclosure(disclosure: NonNullable<Question['disclosure']>): Promise<Answer> {
  const { vendor, workspace } = disclosure;
  const title =
    workspace === null
      ? vscode.l10n.t('May Belay send code to {0}?', vendor)
      : vscode.l10n.t('May Belay send code from "{0}" to {1}?', workspace, vendor);
  const items: readonly ChoiceItem[] = [
    { title: vscode.l10n.t('Allow for This Workspace'), choice: 'workspace' },
    { title: vscode.l10n.t('Allow Once'), choice: 'session' },
    { title: vscode.l10n.t('Deny'), choice: 'deny', isCloseAffordance: true },
  ];
  const picked = await vscode.window.showWarningMessage(title, { modal: true, detail: detailOf(disclosure) }, ...items);
  const choice = picked?.choice ?? 'deny';
  return {
    choice: choice === 'deny' ? 'deny' : 'allow',
    isForWorkspace: choice === 'workspace',
    note: '',
    by: 'person',
  };
}

function detailOf({ vendor, region, residency, role }: NonNullable<Question['disclosure']>): string {
  const place =
    residency === null
      ? vscode.l10n.t('Region: {0}. Where the data is processed is not known for sure.', region)
      : vscode.l10n.t('Region: {0}. The data is processed in: {1}.', region, residency);
  return [
    vscode.l10n.t('Your prompts, with the files and command output in them, would leave this computer.'),
    '',
    vscode.l10n.t('Vendor: {0}', vendor),
    place,
    vscode.l10n.t('Used for the role: {0}', role),
    '',
    vscode.l10n.t('"Allow for This Workspace" is remembered until you run "Belay: Forget Disclosure Answers".'),
    vscode.l10n.t('"Allow Once" and "Deny" hold until you close this window.'),
    vscode.l10n.t('Rules in the setting belay.disclosure.rules answer this for you.'),
  ].join('\n');
}

// Effects that may have happened: looked through when the engine starts (a window that was closed or killed may have left
// some open), told once in one notification, and decided by a person one by one. Nothing here is run again.
import * as vscode from 'vscode';
import type { Controller, RecoveredEntry } from '../../engine/controller.ts';
import type { ClockPort } from '../../engine/ports.ts';
import { agoText } from './effectWords.ts';
import type { Log } from './log.ts';

/** Finds out about what earlier sessions left open and tells what stays unknown, until the signal. Never rejects. */
export async function recoverAtStart(
  { ledger }: Pick<Controller, 'ledger'>,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  try {
    await ledger.watch({
      tell: (changed, unknown) => {
        for (const { words } of [...changed, ...unknown]) log.info(`an effect of an earlier session: ${words}`);
        if (unknown.length > 0) void tellUnknown(unknown);
      },
      warn: (reason) => log.warn(`open effects could not all be looked through: ${reason}`),
      signal,
    });
  } catch (error) {
    log.error('open effects could not be looked through', error);
  }
}

async function tellUnknown(unknown: readonly RecoveredEntry[]): Promise<void> {
  const review = vscode.l10n.t('Review');
  const text =
    unknown.length === 1
      ? vscode.l10n.t('"{0}" of an earlier session may have happened. Belay does not run it again.', titleOf(unknown))
      : vscode.l10n.t(
          '{0} effects of earlier sessions may have happened. Belay does not run them again.',
          unknown.length,
        );
  if ((await vscode.window.showWarningMessage(text, review)) === review)
    await vscode.commands.executeCommand('belay.reviewUnknownEffects');
}

function titleOf([first]: readonly RecoveredEntry[]): string {
  return first?.entry.title ?? '';
}

/** What of a started engine this needs. */
interface EffectHolder {
  readonly controller: Controller;
  readonly clock: ClockPort;
}

interface EntryItem extends vscode.QuickPickItem {
  readonly found: RecoveredEntry;
}

/** Looks at every open effect again and lets a person decide those that stay unknown. */
export async function reviewUnknownEffects({ controller, clock }: EffectHolder): Promise<void> {
  const progress = { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Belay: looking at open effects') };
  const found = await vscode.window.withProgress(progress, () => controller.ledger.recover({}));
  if (!found.ok) throw new Error(found.error.message);
  const { changed, unknown, busy } = found.value;
  if (unknown.length === 0) {
    const settled = vscode.l10n.t('{0} were settled now, {1} are still going on.', changed.length, busy.length);
    const none = vscode.l10n.t('No effect is unknown.');
    void vscode.window.showInformationMessage(changed.length + busy.length === 0 ? none : `${none} ${settled}`);
    return;
  }
  const items = unknown.map((one): EntryItem => ({
    label: one.entry.title,
    description: agoText(one.entry.preparedAtMs, clock.nowMs(), vscode.l10n.t),
    detail: one.words.startsWith(`${one.entry.title}: `) ? one.words.slice(one.entry.title.length + 2) : one.words,
    found: one,
  }));
  const choice = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Effects that may have happened'),
    placeHolder: vscode.l10n.t('Pick one to say what became of it'),
    matchOnDetail: true,
  });
  if (choice) await decide(controller, choice.found);
}

interface DecisionItem extends vscode.QuickPickItem {
  readonly as: 'RECONCILED_COMMITTED' | 'RECONCILED_ABSENT';
}

async function decide({ ledger }: Controller, { entry }: RecoveredEntry): Promise<void> {
  const items: readonly DecisionItem[] = [
    {
      label: `$(check) ${vscode.l10n.t('It happened')}`,
      detail: vscode.l10n.t('It counts as done and is not done again.'),
      as: 'RECONCILED_COMMITTED',
    },
    {
      label: `$(circle-slash) ${vscode.l10n.t('It did not happen')}`,
      detail: vscode.l10n.t('An agent may ask for it again.'),
      as: 'RECONCILED_ABSENT',
    },
  ];
  const choice = await vscode.window.showQuickPick(items, {
    title: entry.title,
    placeHolder: vscode.l10n.t('Look at what it should have changed first; this cannot be found out by Belay'),
  });
  if (!choice) return;
  const note = await vscode.window.showInputBox({
    title: entry.title,
    prompt: vscode.l10n.t('How do you know? It is kept with the entry.'),
    ignoreFocusOut: true,
  });
  if (note === undefined) return;
  const decided = await ledger.decide(entry, { as: choice.as, note, by: 'person' });
  if (!decided.ok) throw new Error(decided.error);
  const text =
    choice.as === 'RECONCILED_COMMITTED'
      ? vscode.l10n.t('Noted: it happened, and is not done again ({0}).', entry.title)
      : vscode.l10n.t('Noted: it did not happen, and may be asked for again ({0}).', entry.title);
  void vscode.window.showInformationMessage(text);
}

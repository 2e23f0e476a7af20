// "Undo Changes": picks what Belay's ledger can take back and takes it back. What is changed is planned first; the question
// with the files comes from the engine, through the same dialog as every other write. HEAD, index and foreign files stay.
import * as vscode from 'vscode';
import type { UndoOutcome } from '../../engine/controller.ts';
import type { RunningEngine } from './engine.ts';
import { undoChoices, type UndoChoice } from './effectWords.ts';

const MAX_ENTRIES = 300;

type Item = vscode.QuickPickItem & { readonly what?: UndoChoice['what'] };

/** Asks what to undo and undoes it. */
export async function undoChanges(engine: RunningEngine): Promise<void> {
  const what = await picked(engine);
  if (what) await undo(engine, what);
}

async function picked({ ports, clock }: RunningEngine): Promise<UndoChoice['what'] | undefined> {
  const listed = await ports.store.entries({ states: ['COMMITTED', 'RECONCILED_COMMITTED'], limit: MAX_ENTRIES });
  if (!listed.ok) throw new Error(listed.error.message);
  const { tasks, entries } = undoChoices(listed.value, clock.nowMs(), vscode.l10n.t);
  if (entries.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('There is nothing to undo: the ledger has no change of a file.'),
    );
    return undefined;
  }
  const heading = (label: string): Item => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const items: readonly Item[] = [
    heading(vscode.l10n.t('Tasks')),
    ...tasks,
    heading(vscode.l10n.t('Single changes')),
    ...entries,
  ];
  const choice = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Undo Changes'),
    placeHolder: vscode.l10n.t('Your own later changes are kept; you see the files before anything is written.'),
    matchOnDetail: true,
  });
  return choice?.what;
}

async function undo(engine: RunningEngine, what: UndoChoice['what']): Promise<void> {
  const outcome = await engine.controller.ledger.undo({
    what,
    client: 'vscode',
    workspace: engine.workspace,
    judge: () => ({ verdict: 'ask' }),
    isDryRun: false,
    restoresDeleted: false,
    signal: new AbortController().signal,
  });
  await tell(engine, outcome);
}

/** One message: what was done, what was left and why, and the way back. */
async function tell(engine: RunningEngine, outcome: UndoOutcome): Promise<void> {
  const left = outcome.files.flatMap(({ file }) => (file.action === 'left' ? [`${file.path}: ${file.message}`] : []));
  const others = outcome.others.map(({ message }) => message);
  const [first, ...more] = [...left, ...others];
  const rest = more.length > 0 ? ` ${vscode.l10n.t('and {0} more', more.length)}` : '';
  const text = first === undefined ? outcome.reason : `${outcome.reason} ${first}${rest}`;
  if (outcome.result === 'done' || outcome.result === 'partly') {
    const redo = vscode.l10n.t('Redo');
    const show = outcome.result === 'done' ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
    if ((await show(text, redo)) === redo) await undo(engine, { kind: 'entries', keys: outcome.compensations });
    return;
  }
  if (outcome.result === 'nothing' && left.length === 0) void vscode.window.showInformationMessage(text);
  else void vscode.window.showWarningMessage(text);
}

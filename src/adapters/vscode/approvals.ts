// Asks the person in a modal dialog what only a person may answer: what, how bad, on which targets.
// Whatever is not a clear "allow" (closed, escaped, aborted, an error of the dialog) is a deny. R3 and a ledger in trouble
// focus Reject.
import * as vscode from 'vscode';
import type { EffectLevel } from '../../core/ledger/entry.ts';
import type { Answer, ApprovalPort, Question } from '../../engine/ports.ts';
import { askDisclosure } from './disclosureQuestion.ts';
import { messageOf, type Log } from './log.ts';

const MAX_TARGETS = 5;

type Choice = 'allow' | 'reject' | 'note';
interface ChoiceItem extends vscode.MessageItem {
  readonly choice: Choice;
}

/** The approval port of VS Code. */
export function modalApprovals(log: Log): ApprovalPort {
  return {
    async ask(question, signal) {
      if (signal.aborted) return denied(vscode.l10n.t('The call ended before it was answered.'));
      const ended = Promise.withResolvers<Answer>();
      const onAbort = (): void => ended.resolve(denied(vscode.l10n.t('The call ended before it was answered.')));
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        return await Promise.race([askPerson(question), ended.promise]);
      } catch (error) {
        log.error('the approval dialog failed; the answer is deny', error);
        return denied(vscode.l10n.t('The dialog could not be shown: {0}', messageOf(error)));
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}

async function askPerson(question: Question): Promise<Answer> {
  if (question.disclosure) return askDisclosure(question.disclosure);
  const isOffLedger = question.kind === 'ledger-trouble';
  const { title } = question;
  const picked = await vscode.window.showWarningMessage(
    isOffLedger ? vscode.l10n.t('The ledger cannot be used. Do this without a record? {0}', title) : title,
    { modal: true, detail: detailOf(question) },
    ...(isOffLedger ? offLedgerItems() : itemsFor(question.level)),
  );
  if (picked?.choice === 'allow') return { choice: 'allow', note: '', by: 'person' };
  if (picked?.choice !== 'note') return { choice: 'deny', note: '', by: 'person' };
  const note = await vscode.window.showInputBox({
    title: vscode.l10n.t('Why not?'),
    prompt: vscode.l10n.t('The agent is told what you write.'),
    ignoreFocusOut: true,
  });
  return { choice: 'deny', note: note ?? '', by: 'person' };
}

/** The first item has the focus; the one with the close affordance stands for Escape. Unknown levels count as R3. */
function itemsFor(level: EffectLevel | null): readonly ChoiceItem[] {
  const allow: ChoiceItem = { title: vscode.l10n.t('Allow Once'), choice: 'allow' };
  const note: ChoiceItem = { title: vscode.l10n.t('Reject with Note…'), choice: 'note' };
  const reject: ChoiceItem = { title: vscode.l10n.t('Reject'), choice: 'reject' };
  if (level === null || level === 'R3') return [reject, note, allow];
  return [allow, note, { ...reject, isCloseAffordance: true }];
}

/** Without the ledger nothing is allowed by habit: Reject has the focus, and the button says what it does. */
function offLedgerItems(): readonly ChoiceItem[] {
  return [
    { title: vscode.l10n.t('Reject'), choice: 'reject' },
    { title: vscode.l10n.t('Reject with Note…'), choice: 'note' },
    { title: vscode.l10n.t('Do It Once Without a Record'), choice: 'allow' },
  ];
}

function detailOf(question: Question): string {
  const { level, reasons, targets } = question;
  const shown = targets.slice(0, MAX_TARGETS).map((target) => `• ${target}`);
  const hidden = targets.length - shown.length;
  return [
    level === null ? '' : `${levelWords(level)} (${level})`,
    ...reasons,
    targets.length > 0 ? `\n${vscode.l10n.t('Targets: {0}', targets.length)}` : '',
    ...shown,
    hidden > 0 ? vscode.l10n.t('and {0} more', hidden) : '',
  ]
    .filter((line) => line !== '')
    .join('\n');
}

/** A side-effect level in words (HFR table 7). */
function levelWords(level: EffectLevel): string {
  const words: Readonly<Record<EffectLevel, string>> = {
    R0: vscode.l10n.t('Only reads'),
    R1: vscode.l10n.t('Changes something; doing it twice does no harm'),
    R2: vscode.l10n.t('Changes something; whether it happened can be checked'),
    R3: vscode.l10n.t('Cannot be undone or checked afterwards'),
  };
  return words[level];
}

function denied(note: string): Answer {
  return { choice: 'deny', note, by: 'belay', isUnanswered: true };
}

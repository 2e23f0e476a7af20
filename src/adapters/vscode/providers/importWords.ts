// Why something of another tool's configuration was not taken, and what a person can do about it.
import * as vscode from 'vscode';
import type { NoteReason } from '../../imports/entry.ts';

const WORDS: Readonly<Record<NoteReason, () => string>> = {
  unreadable: () => vscode.l10n.t('it cannot be read as the configuration it should be'),
  'unknown-provider': () => vscode.l10n.t('Belay does not know this provider; add it as OpenAI compatible'),
  'no-provider': () => vscode.l10n.t('it names no provider'),
  'no-model': () => vscode.l10n.t('it names no model'),
  'no-address': () => vscode.l10n.t('it has no address'),
  'bad-address': () => vscode.l10n.t('its address is no plain http or https address'),
  'no-region': () => vscode.l10n.t('it names no region'),
  'no-project': () => vscode.l10n.t('it names no Google Cloud project'),
  'bad-key': () => vscode.l10n.t('its key is written in a way that cannot be read'),
  'cloud-keys': () => vscode.l10n.t("it holds a cloud's own keys; put them into a profile of the cloud's tools"),
  'other-sign-in': () => vscode.l10n.t('it uses an account that only this tool can use'),
  'key-without-model': () => vscode.l10n.t('there is a key, but no model is chosen; use Add Provider'),
  'hub-block': () => vscode.l10n.t("it stands on Continue's hub and not in the file"),
  'not-chat': () => vscode.l10n.t('it is not for chat'),
  pattern: () => vscode.l10n.t('it stands for many models; add those you use'),
  fallback: () => vscode.l10n.t('it falls back to a model that was not taken'),
  unusable: () => vscode.l10n.t('its values do not fit into the settings'),
  'variable-not-set': () => vscode.l10n.t('taken, but its environment variable is not set here'),
  headers: () => vscode.l10n.t('taken without the headers of its own'),
};

/** The words for a reason. */
export function reasonWords(reason: NoteReason): string {
  return WORDS[reason]();
}

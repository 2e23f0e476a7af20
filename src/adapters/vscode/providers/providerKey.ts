// The key of a configured provider as the product finds it: secret storage, else its environment variable. And the command
// that forgets a stored one.
import * as vscode from 'vscode';
import { authOf, keyVariable } from '../../../core/providers/keys.ts';
import type { ProviderSettings } from '../../../core/settingsProviders.ts';
import type { Secrets } from '../secrets.ts';
import { namedEntries } from './writtenProviders.ts';

/** The key; empty where none is wanted, null where one is wanted and missing. */
export async function providerKey(secrets: Secrets, provider: ProviderSettings): Promise<string | null> {
  if (authOf(provider) !== 'key') return '';
  const stored = await secrets.key({ id: provider.id, account: provider.account });
  const variable = keyVariable(provider);
  return stored ?? (variable === null ? null : (process.env[variable] ?? null));
}

/** "Belay: Remove Provider Key": picks among the configured providers and forgets the key of one. */
export async function removeProviderKey(secrets: Secrets): Promise<string | null> {
  const owners = namedEntries();
  const held = await Promise.all(owners.map(async (owner) => ((await secrets.key(owner)) === null ? [] : [owner])));
  const items = held.flat().map((owner) => ({ label: owner.id, description: owner.account, owner }));
  if (items.length === 0) throw new Error(vscode.l10n.t('No provider key is stored.'));
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Belay: remove the key of') });
  if (!picked) return null;
  await secrets.removeKey(picked.owner);
  return picked.owner.id;
}

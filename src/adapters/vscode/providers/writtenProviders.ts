// `belay.providers` and `belay.routes` exactly as they are written, and the one place that changes them and the keys.
// What a person wrote is kept, bad entries too; a key is stored before the entry that needs it, and not left without it.
import * as vscode from 'vscode';
import type { WrittenProvider } from '../../imports/gather.ts';
import type { KeyOwner, Secrets } from '../secrets.ts';
import { plain } from '../settingsSource.ts';
import { ACCOUNT } from './draft.ts';

/** An entry that has at least a name, and its index in the setting. */
export interface WrittenEntry extends KeyOwner {
  readonly index: number;
  readonly kind: unknown;
  readonly preset: unknown;
}

/** The entries as a person wrote them. */
export function writtenProviders(): readonly unknown[] {
  const value = configured('providers');
  return Array.isArray(value) ? value : [];
}

/** The entries that have a name. */
export function namedEntries(providers: readonly unknown[] = writtenProviders()): readonly WrittenEntry[] {
  return providers.flatMap((value, index): WrittenEntry[] => {
    if (typeof value !== 'object' || value === null || !('id' in value) || typeof value.id !== 'string') return [];
    const account = 'account' in value && typeof value.account === 'string' ? value.account : ACCOUNT;
    const kind = 'kind' in value ? value.kind : undefined;
    return [{ id: value.id, account, index, kind, preset: 'preset' in value ? value.preset : undefined }];
  });
}

/** A key and whose it is. */
export interface OwnedKey extends KeyOwner {
  readonly key: string;
}

/** Adds entries, routes and keys, all or none of them. */
export async function addToSettings(
  secrets: Secrets,
  added: {
    readonly providers: readonly WrittenProvider[];
    readonly routes?: Readonly<Record<string, unknown>>;
    readonly keys: readonly OwnedKey[];
  },
): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('belay');
  const { providers, routes = {}, keys } = added;
  const before = writtenProviders();
  for (const { key, ...owner } of keys) await secrets.saveKey(owner, key);
  try {
    await configuration.update('providers', [...before, ...providers], vscode.ConfigurationTarget.Global);
    if (Object.keys(routes).length > 0)
      await configuration.update('routes', { ...writtenRoutes(), ...routes }, vscode.ConfigurationTarget.Global);
  } catch (error) {
    for (const { id, account } of keys) await secrets.removeKey({ id, account });
    throw error;
  }
}

/** The routes as a person wrote them. */
export function writtenRoutes(): Readonly<Record<string, unknown>> {
  const value = configured('routes');
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** A setting of Belay's as it is in force, unparsed. */
function configured(name: string): unknown {
  return plain(vscode.workspace.getConfiguration('belay').get(name));
}

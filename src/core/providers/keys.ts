// Where the key of a provider is looked for, and whether it needs one. Reads no key itself.
import type { ProviderAuth } from '../candidate.ts';
import type { ProviderSettings } from '../settingsProviders.ts';
import { kindFacts, presetFacts } from './kinds.ts';

/** What of a provider decides about its key. */
type KeySettings = Pick<ProviderSettings, 'kind' | 'keyless' | 'signIn' | 'preset' | 'keyEnv'>;

/** How a provider's requests prove who they are. */
export function authOf({ kind, keyless, signIn, preset, keyEnv }: KeySettings): ProviderAuth {
  if (kind === 'vscode' || keyless) return 'none';
  if (signIn) return 'sign-in';
  return preset !== undefined && presetFacts[preset].keyEnv === null && keyEnv === undefined ? 'none' : 'key';
}

/** The environment variable a provider's key is read from: its own, else the one its vendor's tools read; null: none. */
export function keyVariable({ keyEnv, preset, kind }: Pick<KeySettings, 'keyEnv' | 'preset' | 'kind'>): string | null {
  return keyEnv ?? (preset === undefined ? kindFacts[kind].keyEnv : presetFacts[preset].keyEnv);
}

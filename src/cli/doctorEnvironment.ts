// What the environment holds that a person may have forgotten: keys of providers that are not configured yet, proxies and
// certificate authorities. Names of variables only; a value may be a key or hold a password.
import { networkVariables } from '../adapters/providers/transport.ts';
import { keyVariable } from '../core/providers/keys.ts';
import { kindFacts, presetFacts } from '../core/providers/kinds.ts';
import type { Settings } from '../core/settings.ts';
import { finding, type Finding } from './doctorText.ts';
import { commandLineTransport } from './ports.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Set on many machines for git and for builds; it says nothing about models. */
const OTHER_PURPOSES: ReadonlySet<string> = new Set(['GITHUB_TOKEN']);

/** Keys in the environment that no enabled provider uses, each with what to add. */
export function unusedKeys(settings: Settings, environment: Environment): readonly Finding[] {
  const used = new Set(settings.providers.filter(({ enabled }) => enabled).map(keyVariable));
  const known = [
    ...Object.entries(kindFacts).map(([kind, { keyEnv }]) => ({ keyEnv, what: `kind ${kind}` })),
    ...Object.entries(presetFacts).map(([preset, { keyEnv }]) => ({
      keyEnv,
      what: `kind openai-compatible with preset ${preset}`,
    })),
  ];
  return known.flatMap(({ keyEnv, what }) => {
    if (keyEnv === null || used.has(keyEnv) || OTHER_PURPOSES.has(keyEnv)) return [];
    if ((environment[keyEnv] ?? '').trim() === '') return [];
    return finding('keys', 'note', `${keyEnv} is set, but no provider uses it`, `Add a provider of ${what}.`);
  });
}

/** Proxies and authorities that requests will go by, or which variable of them cannot be used. */
export function networkFindings(environment: Environment): readonly Finding[] {
  const transport = commandLineTransport(environment);
  if (!transport.ok) return [finding('network', 'bad', transport.error)];
  const names = networkVariables(environment);
  if (names.length === 0) return [];
  const are = names.length === 1 ? 'is' : 'are';
  return [
    finding(
      'network',
      'note',
      `${names.join(', ')} ${are} set: requests to providers go by ${names.length === 1 ? 'it' : 'them'}`,
    ),
  ];
}

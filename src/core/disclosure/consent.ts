// The command line: nobody can be asked, and the configuration file is the consent. What no rule of it names is allowed;
// its own ask and deny rules stay, and an ask that nobody answers is a deny.
import type { DisclosureSettings } from './permit.ts';

/** The same settings, with everything allowed that no rule names. */
export function withFileConsent<T extends DisclosureSettings>(settings: T): T {
  const allowed = { vendor: '*', region: '*', role: '*', verdict: 'allow' } as const;
  return { ...settings, disclosureRules: [...settings.disclosureRules, allowed] };
}

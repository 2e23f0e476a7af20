// The guard's policy from the user's settings. A rule's text is one whole command, or a program with its subcommand.
import type { Settings } from '../settings.ts';
import { parsePolicy, type Policy } from './policy.ts';

/** `program` or `program subcommand`, nothing that looks like an option, a path or shell syntax. */
const PROGRAM = /^([A-Za-z0-9][\w.+-]*)(?: ([a-z][\w:-]*))?$/;

/** Builds the policy; what was wrong with a rule already made the mode careful when the settings were read. */
export function settingsPolicy(settings: Settings): Policy {
  const user = settings.guardRules.map((rule) => {
    const words = PROGRAM.exec(rule.match.trim());
    const [, program, subcommand] = words ?? [];
    const match =
      program === undefined
        ? { command: rule.match }
        : subcommand === undefined
          ? { program }
          : { program, subcommand };
    return { id: rule.match, match, verdict: rule.verdict, reason: rule.reason === '' ? 'your own rule' : rule.reason };
  });
  return parsePolicy({ mode: settings.guardMode, user });
}

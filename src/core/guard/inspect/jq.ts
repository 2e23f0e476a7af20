// jq reads and prints, but its filter can print the whole environment: `env` and `$ENV`. A filter nobody can see may do that too.
import { note } from '../effects.ts';
import type { Call } from '../rules/match.ts';
import type { Stdin, Walk } from '../walk.ts';
import type { Claim } from './inspector.ts';

/** Adds that the environment is read; the table gives the level. */
export function inspectJq(call: Call, _stdin: Stdin, walk: Walk): Claim {
  const mayPrint = call.words.some((word) => /\benv\b|\$ENV\b/.test(word.known)) || call.words[0]?.kind === 'opaque';
  if (mayPrint)
    note(walk.findings, {
      level: 'R0',
      reason: 'jq prints the environment, which may hold secrets',
      kind: 'read-secret',
      target: 'environment',
    });
  return 'table';
}

// An inspector reads what a table row cannot: a small language inside an argument (sed, awk, SQL) or a command among the
// operands (find -exec, sh -c). It sees one parsed call and either answers for its level or leaves it to the table.
import type { Call } from '../rules/match.ts';
import type { Stdin, Walk } from '../walk.ts';

/** `claimed`: everything about the level has been noted, base rows are skipped; `table`: base rows decide. */
export type Claim = 'claimed' | 'table';

/** Looks into one call. Must note R3 for whatever it does not understand. */
export type Inspector = (call: Call, stdin: Stdin, walk: Walk) => Claim;

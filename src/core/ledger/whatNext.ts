// An effect is asked for (again): may it run? Decides from the entry alone; does nothing itself.
// HFR document 4.5 (reconcile protocol, table 7) and propositions 2 and 3; DESIGN, fixed semantics 4, 7 and 8.
import type { EffectLevel, EntryState, LedgerEntry } from './entry.ts';

/** What has been learnt since the entry was read. */
export interface Looked {
  /** The gate's marks and the probe were consulted and could not settle the entry any further. */
  readonly reconciled: boolean;
  /** What is still going on of the earlier run, or who is finding out about it, in words; null: nothing. */
  readonly running: string | null;
}

/**
 * `run`: start it. `stored`: it stands already, answer with its stored outcome. `reconcile`: find out first.
 * `ask`: only a person may have it done again. `wait`: it is being done now. `refuse`: it may have happened, nobody knows.
 */
export type NextStep =
  | { readonly kind: 'run' }
  | { readonly kind: 'stored' }
  | { readonly kind: 'reconcile' }
  | { readonly kind: 'ask'; readonly reason: string }
  | { readonly kind: 'wait'; readonly reason: string }
  | { readonly kind: 'refuse'; readonly reason: string };

type Rule = 'run' | 'stored' | 'reconcile' | 'ask';

/** Level by state. An open entry (PREPARED, UNKNOWN) is always reconciled first. */
const TABLE: Readonly<Record<EntryState, Readonly<Record<EffectLevel, Rule>>>> = {
  PREPARED: { R0: 'reconcile', R1: 'reconcile', R2: 'reconcile', R3: 'reconcile' },
  UNKNOWN: { R0: 'reconcile', R1: 'reconcile', R2: 'reconcile', R3: 'reconcile' },
  COMMITTED: { R0: 'stored', R1: 'stored', R2: 'stored', R3: 'stored' },
  RECONCILED_COMMITTED: { R0: 'stored', R1: 'stored', R2: 'stored', R3: 'stored' },
  FAILED: { R0: 'run', R1: 'run', R2: 'ask', R3: 'ask' },
  RECONCILED_ABSENT: { R0: 'run', R1: 'run', R2: 'run', R3: 'ask' },
  COMPENSATED: { R0: 'run', R1: 'ask', R2: 'ask', R3: 'ask' },
};

const ASK_REASON: Readonly<Partial<Record<EntryState, string>>> = {
  FAILED: 'an earlier attempt did not take effect',
  RECONCILED_ABSENT: 'an earlier attempt did not take effect, but it cannot be taken back once it does',
  COMPENSATED: 'it was done and undone before',
};

/** The next step for an entry (null: never asked for before). The stricter of the entry's and the asked level counts. */
export function whatNext(entry: LedgerEntry | null, level: EffectLevel, looked: Looked): NextStep {
  if (!entry) return { kind: 'run' };
  const strict = entry.level > level ? entry.level : level;
  if (looked.running !== null) return { kind: 'wait', reason: `it is not over yet: ${looked.running}` };
  const rule = TABLE[entry.state][strict];
  if (rule === 'reconcile' && looked.reconciled) return afterReconcile(entry.state, strict);
  if (rule === 'ask') return { kind: 'ask', reason: ASK_REASON[entry.state] ?? 'it was asked for before' };
  return { kind: rule };
}

function afterReconcile(state: EntryState, level: EffectLevel): NextStep {
  if (state === 'UNKNOWN' && (level === 'R0' || level === 'R1')) return { kind: 'run' };
  return { kind: 'refuse', reason: 'an earlier attempt may have happened, and that cannot be told for certain' };
}

// How a task ends: what the failure of a model call makes of it, what the final acceptance looks at (HFR 5.4), and the pack of
// evidence that a person gets. It only reads; the rules are core's.
import type { Criticality } from '../core/context.ts';
import type { LedgerEntry } from '../core/ledger/entry.ts';
import type { FinalFacts } from '../core/recovery/acceptance.ts';
import type { EvidencePack } from '../core/recovery/checkpoint.ts';
import type { RecoveryPolicy } from '../core/recovery/presets.ts';
import type { CallFailure } from './call.ts';
import type { EntryHistory, StorePort } from './ports.ts';
import type { TaskOutcome } from './taskSpec.ts';

/** How a task ends. `rule`: of the decision, null where none led to it. */
export interface Ending extends Pick<EvidencePack, 'rule' | 'evidence'> {
  readonly outcome: TaskOutcome['outcome'];
  /** What could be done next. */
  readonly proposal?: string;
  /** A person was to look at the result and has not. */
  readonly isReviewOpen?: boolean;
  /** It was stopped from outside and may be gone on with. */
  readonly isInterrupted?: boolean;
}

/**
 * The end of a task whose model call has none: that of the decision which ended the call (table 3, 4.4). Where none was made,
 * e.g. nobody may serve, it is what any other end would be at this criticality and preset.
 */
export function endOfFailure(
  { decision, message }: Pick<CallFailure, 'decision' | 'message'>,
  criticality: Criticality,
  { escalates }: Pick<RecoveryPolicy, 'escalates'>,
): Ending {
  const isPersons = decision ? decision.action !== 'FAIL' : criticality === 'high' || escalates === 'always';
  const { rule = null, reason, proposes = null } = decision ?? {};
  const next =
    proposes === null ? 'mend what the evidence names and start the task again' : `go on at rung ${proposes}`;
  const proposal = reason === undefined ? next : `${reason}: ${next}`;
  return { outcome: isPersons ? 'escalated' : 'failed', rule, evidence: message, proposal };
}

/** What the ledger says of a task's effects. */
export async function ledgerFacts(
  store: Pick<StorePort, 'entries' | 'history'>,
  task: string,
): Promise<Pick<FinalFacts, 'openEffects' | 'duplicates'>> {
  const entries = await store.entries({ task });
  if (!entries.ok) return { openEffects: null, duplicates: null };
  let duplicates: number | null = 0;
  for (const { key } of entries.value) {
    const history = await store.history(key);
    duplicates = history.ok && duplicates !== null ? duplicates + repeatedCommits(history.value) : null;
  }
  return { openEffects: entries.value.filter(isOpen).length, duplicates };
}

/** Commits of one effect beyond the first; one that was taken back in between may be made again. */
function repeatedCommits(history: readonly EntryHistory[]): number {
  let standing = 0;
  let repeated = 0;
  for (const { to } of history) {
    if (to === 'COMPENSATED') standing = 0;
    if (to !== 'COMMITTED' && to !== 'RECONCILED_COMMITTED') continue;
    if (standing > 0) repeated++;
    standing++;
  }
  return repeated;
}

const isOpen = ({ state }: Pick<LedgerEntry, 'state'>): boolean => state === 'PREPARED' || state === 'UNKNOWN';

/** What of a pack is not in the ledger. */
export type PackWords = Pick<EvidencePack, 'rule' | 'reason' | 'evidence' | 'proposal'>;

/** The pack as things stand now. A ledger that cannot be read leaves its lists empty and says so in the evidence. */
export async function evidencePack(
  store: Pick<StorePort, 'entries'>,
  task: string,
  at: Pick<EvidencePack, 'atMs' | 'step'>,
  words: PackWords,
): Promise<EvidencePack> {
  const entries = await store.entries({ task });
  if (!entries.ok) {
    const evidence = `${words.evidence}; the ledger cannot be read: ${entries.error.message}`;
    return { ...at, ...words, evidence, committed: [], open: [] };
  }
  const titled = (is: (entry: LedgerEntry) => boolean): readonly string[] =>
    entries.value.filter(is).map(({ title, level, state }) => `${title} (${level}, ${state})`);
  const isDone = ({ state }: LedgerEntry): boolean => state === 'COMMITTED' || state === 'RECONCILED_COMMITTED';
  return { ...at, ...words, committed: titled(isDone), open: titled(isOpen) };
}

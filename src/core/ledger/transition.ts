// The one place where a ledger entry changes state (HFR document, table 6; DESIGN, fixed semantics 7 and 8).
//
//   PREPARED --> COMMITTED ---------------------------.
//      |  \----> FAILED ...............................\......> PREPARED again (see mayPrepareAgain)
//      '-------> UNKNOWN --> RECONCILED_COMMITTED ------+--> COMPENSATED
//                   \------> RECONCILED_ABSENT
//
// Late results are refused: once UNKNOWN, only a probe or a person settles an entry, since a late "done" may belong to
// another attempt. A writer with an old fence is refused for the same reason.
import type { EffectLevel, EntryState, Evidence, Intent, LedgerEntry } from './entry.ts';

/** Evidence from a person: lets an effect be prepared again that the program itself must not repeat. */
export const PERSON = 'person';

/** A wanted change of one entry; the store port's `EntryChange` has this shape. */
export interface Change {
  readonly to: EntryState;
  readonly evidence: Evidence;
  readonly atMs: number;
  readonly fence: number;
}

/** Why a change is refused, in words for a person. */
export interface Refusal {
  readonly kind: 'fenced' | 'illegal-transition';
  readonly message: string;
}

export type Transitioned =
  { readonly ok: true; readonly value: LedgerEntry } | { readonly ok: false; readonly error: Refusal };

/** Every legal step between two different states, but for going back to PREPARED. */
const SETTLING: Readonly<Record<EntryState, readonly EntryState[]>> = {
  PREPARED: ['COMMITTED', 'FAILED', 'UNKNOWN'],
  COMMITTED: ['COMPENSATED'],
  FAILED: [],
  UNKNOWN: ['RECONCILED_COMMITTED', 'RECONCILED_ABSENT'],
  RECONCILED_COMMITTED: ['COMPENSATED'],
  RECONCILED_ABSENT: [],
  COMPENSATED: [],
};

/** All seven states. */
export const ENTRY_STATES: readonly EntryState[] = [
  'PREPARED',
  'COMMITTED',
  'FAILED',
  'UNKNOWN',
  'RECONCILED_COMMITTED',
  'RECONCILED_ABSENT',
  'COMPENSATED',
];

const IDEMPOTENT: ReadonlySet<EffectLevel> = new Set(['R0', 'R1']);

/**
 * May the effect be prepared again under its key? R0 and R1 from FAILED, UNKNOWN and RECONCILED_ABSENT (table 7), R2 from
 * RECONCILED_ABSENT alone, R3 never by the program. A person may allow it wherever the effect is known not to stand.
 */
export function mayPrepareAgain(state: EntryState, level: EffectLevel, byPerson: boolean): boolean {
  switch (state) {
    case 'PREPARED':
    case 'COMMITTED':
    case 'RECONCILED_COMMITTED':
      return false;
    case 'UNKNOWN':
      return IDEMPOTENT.has(level);
    case 'FAILED':
      return IDEMPOTENT.has(level) || byPerson;
    case 'RECONCILED_ABSENT':
      return level !== 'R3' || byPerson;
    case 'COMPENSATED':
      return level === 'R0' || byPerson;
  }
}

/** Is the step from one state to another legal for an effect of this level? A step to the same state never is. */
export function isLegal(from: EntryState, to: EntryState, level: EffectLevel, byPerson = false): boolean {
  return to === 'PREPARED' ? mayPrepareAgain(from, level, byPerson) : SETTLING[from].includes(to);
}

/** The first entry of a new intent: PREPARED, fence 1. */
export function firstEntry(intent: Intent): LedgerEntry {
  return { ...intent, state: 'PREPARED', evidence: null, updatedAtMs: intent.preparedAtMs, fence: 1 };
}

/** Applies a change, or says why not. Total: every pair of states has an answer; the entry itself is never altered. */
export function transition(entry: LedgerEntry, change: Change): Transitioned {
  if (change.fence !== entry.fence) {
    const message = `Entry ${shortKey(entry.key)} was changed by somebody else meanwhile: it is ${entry.state} now. Read it again before deciding.`;
    return { ok: false, error: { kind: 'fenced', message } };
  }
  if (!isLegal(entry.state, change.to, entry.level, change.evidence.source === PERSON)) {
    const message = `Entry ${shortKey(entry.key)} (${entry.level}) is ${entry.state} and may not become ${change.to}.`;
    return { ok: false, error: { kind: 'illegal-transition', message } };
  }
  const moved = { state: change.to, evidence: change.evidence, updatedAtMs: change.atMs, fence: entry.fence + 1 };
  return { ok: true, value: { ...entry, ...moved } };
}

/**
 * Prepares an existing entry again under its own key (HFR: retries reuse the key): state, fence and evidence change as by
 * `transition`, while owner, probe, paths and title are those of the new attempt. The level never goes down.
 */
export function prepareAgain(entry: LedgerEntry, intent: Intent, change: Change): Transitioned {
  const level = intent.level > entry.level ? intent.level : entry.level;
  const moved = transition({ ...entry, level }, { ...change, to: 'PREPARED' });
  if (!moved.ok) return moved;
  const { owner, probe, paths, title, preparedAtMs } = intent;
  return { ok: true, value: { ...moved.value, owner, probe, paths, title, preparedAtMs } };
}

/** The legal steps that settle an entry at `to`, without preparing anything again; null when there are none. */
export function settlingPath(from: EntryState, to: EntryState): readonly EntryState[] | null {
  if (from === to) return [];
  for (const next of SETTLING[from]) {
    const rest = settlingPath(next, to);
    if (rest) return [next, ...rest];
  }
  return null;
}

/** The first 12 digits of a key: enough to find it again, short enough to read. */
export function shortKey(key: string): string {
  return key.slice(0, 12);
}

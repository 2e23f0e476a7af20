// An undo is an effect of its own: a compensation with its own key, state and audit, tied to the entry that it takes back.
// Both are settled in one transaction: the compensation COMMITTED (or RECONCILED_COMMITTED) and the original COMPENSATED.
// An undo that had to leave a file takes back only a part, and its original stays as it is.
import type { EventBody } from '../core/events.ts';
import type { EntryState, Evidence, FileChange, Intent, LedgerEntry, EntryOwner } from '../core/ledger/entry.ts';
import { canonicalText } from '../core/ledger/key.ts';
import { shortKey } from '../core/ledger/transition.ts';
import { backDataOf, isStanding, UNDO_TOOL } from '../core/ledger/undo/selection.ts';
import { keyOf } from './effectKey.ts';
import type { EntryChange, Result, StoreFault, StorePort } from './ports.ts';

/** What a compensation is made of. */
export interface CompensationParts {
  readonly original: LedgerEntry;
  /** The newest earlier undo of the same entry, which is over; null for the first. Makes the key of a further one. */
  readonly after: string | null;
  readonly client: string;
  /** Every file of the whole undo, as found and as it will be: what a probe compares after a crash. */
  readonly files: readonly FileChange[];
  /** This compensation's own part. */
  readonly own: readonly FileChange[];
  readonly isWhole: boolean;
  readonly owner: EntryOwner;
  readonly nowMs: number;
}

/** The entry of a compensation, before it is made. */
export function compensationIntent(parts: CompensationParts): Intent {
  const { original, after, client, files, own, isWhole, owner, nowMs } = parts;
  const { tenant, task, step, key: of, title } = original;
  const args = after === null ? { of } : { of, after };
  return {
    key: keyOf({ context: { tenant, task, step }, toolCall: undefined, tool: UNDO_TOOL, args }),
    tenant,
    task,
    step,
    tool: UNDO_TOOL,
    ids: { client, call: null, attempt: null, toolCall: null },
    level: 'R2',
    argsText: canonicalText(args),
    title: original.compensates === undefined ? `undo ${title}` : oppositeTitle(title),
    paths: [...new Set(own.map(({ path }) => path))],
    preparedAtMs: nowMs,
    owner,
    probe: { kind: 'edit', data: { files, own, isWhole } },
    compensates: of,
  };
}

/** The undo of an undo is a redo, whose undo is an undo again. */
function oppositeTitle(title: string): string {
  return title.startsWith('redo ') ? title.replace(/^redo /, 'undo ') : title.replace(/^undo /, 'redo ');
}

/** What the original's entry says once it is taken back; names the compensation. */
export function takenBackEvidence(original: LedgerEntry, compensation: string): Evidence {
  return { ...original.evidence, source: UNDO_TOOL, detail: `taken back by entry ${compensation}` };
}

/**
 * The change that settles the original together with its compensation, when that goes to `to`; null where there is none to
 * make: no compensation, not the whole effect, or an original that is not standing.
 */
export async function pairedChange(
  store: StorePort,
  entry: LedgerEntry,
  to: EntryState,
  atMs: number,
): Promise<Result<EntryChange | null, StoreFault>> {
  if (entry.compensates === undefined || !isStanding({ state: to }) || backDataOf(entry)?.isWhole !== true)
    return { ok: true, value: null };
  const original = await store.entry(entry.compensates);
  if (!original.ok) return original;
  if (!original.value || !isStanding(original.value)) return { ok: true, value: null };
  const { key, fence } = original.value;
  const evidence = takenBackEvidence(original.value, entry.key);
  return { ok: true, value: { key, to: 'COMPENSATED', evidence, atMs, fence } };
}

/** The event of a change that was stored. */
export function changeEvent(entry: LedgerEntry, to: EntryState, evidence: Evidence): EventBody {
  const { key, tool, title, level, state: from } = entry;
  return {
    type: 'effect-changed',
    key,
    tool,
    title,
    level,
    from,
    to,
    evidence: `${evidence.source}: ${evidence.detail}`,
  };
}

/** Short names of entries for a person. */
export function namesOf(keys: readonly string[]): string {
  return keys.map(shortKey).join(', ');
}

// The ledger's claims against the facts of the crash world, and the words an agent is told against the ledger.
import type { EntryState, LedgerEntry } from '../../src/core/ledger/entry.ts';
import { SAME_EFFECT } from '../../src/core/ledger/rivals.ts';
import { EDIT_LINE } from './crashActions.ts';
import type { CrashAction, Facts } from './crashActions.ts';
import type { Told } from './crashAsk.ts';
import type { CrashDisk } from './crashFiles.ts';

/** Claims that the facts contradict. */
export interface WrongClaims {
  readonly falseCommitted: readonly string[];
  readonly falseAbsent: readonly string[];
}

const COMMITTED: ReadonlySet<EntryState> = new Set<EntryState>(['COMMITTED', 'RECONCILED_COMMITTED']);
const ABSENT: ReadonlySet<EntryState> = new Set<EntryState>(['FAILED', 'RECONCILED_ABSENT']);

/** How often an action took place, in whole or in part, whatever the key. R1: whether its state is there. */
export function effectCount(action: CrashAction, facts: Facts, disk: CrashDisk): number {
  if (action.kind === 'edit') return Math.max(0, ...action.paths.map((path) => linesOf(disk, path)));
  if (action.level === 'R0') return 0;
  if (action.level === 'R1') return disk.contents.has('out/.keep') ? 1 : 0;
  return [...facts.values()].reduce((sum, { whole, part }) => sum + whole + part, 0);
}

/** How often the edit stands in a file. */
function linesOf({ contents }: CrashDisk, path: string): number {
  return (contents.get(path) ?? '').split(EDIT_LINE).length - 1;
}

/** Checks every entry of the action. An entry that follows another speaks of that one's effect. */
export function wrongClaims(
  entries: readonly LedgerEntry[],
  action: CrashAction,
  facts: Facts,
  disk: CrashDisk,
): WrongClaims {
  const falseCommitted: string[] = [];
  const falseAbsent: string[] = [];
  if (action.kind === 'command' && action.level === 'R0') return { falseCommitted, falseAbsent };
  const leaders = entries.filter(({ probe }) => probe?.kind !== SAME_EFFECT);
  for (const entry of leaders) {
    const { whole, part } = factsOf(entry, leaders, action, facts, disk);
    const claim = `${entry.state} of ${entry.key.slice(0, 8)} by ${entry.evidence?.source ?? ''}: ${entry.evidence?.detail ?? ''}`;
    if (COMMITTED.has(entry.state) && whole === 0) falseCommitted.push(`${claim}; it did not take place`);
    // FAILED and ABSENT of an R1 speak of its last attempt: an earlier one may have done it, and doing it again does no harm.
    if (entry.level === 'R1') continue;
    if (ABSENT.has(entry.state) && whole + part > 0) falseAbsent.push(`${claim}; it took place`);
  }
  return { falseCommitted, falseAbsent };
}

/** The facts of one entry. The effect of an edit and of an idempotent command is a state: it stands whoever made it. */
function factsOf(
  entry: LedgerEntry,
  leaders: readonly LedgerEntry[],
  action: CrashAction,
  facts: Facts,
  disk: CrashDisk,
): { readonly whole: number; readonly part: number } {
  if (action.kind === 'command' && action.level !== 'R1') return facts.get(entry.key) ?? { whole: 0, part: 0 };
  const counts =
    action.kind === 'edit' ? action.paths.map((path) => linesOf(disk, path)) : [effectCount(action, facts, disk)];
  const isWhole = counts.every((count) => count > 0);
  // A state that another entry made says nothing against this one's absence.
  const isByOther = ABSENT.has(entry.state) && leaders.some((other) => other !== entry && !ABSENT.has(other.state));
  if (isByOther) return { whole: 0, part: 0 };
  return { whole: isWhole ? 1 : 0, part: !isWhole && counts.some((count) => count > 0) ? 1 : 0 };
}

const SAYS_UNKNOWN = /may have|may still|not known|whether|nobody knows|right now|being made/i;
const DENIES =
  /no changes|nothing (?:was |has been )?(?:changed|written|done|happened)|did not (?:happen|run|take effect)/i;

/** An answer about an effect that nobody knows of must say so, and must not say that nothing happened. */
export function isUntold({ state, text }: Told): boolean {
  if (state !== 'UNKNOWN' && state !== 'PREPARED') return false;
  return !SAYS_UNKNOWN.test(text) || DENIES.test(text);
}

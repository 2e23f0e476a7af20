// Which entries an undo request means, as they are after everything open among them was found out about. A key of an entry
// that was undone and redone means its last redo. Moves entries only by reconciling them; a dry run moves nothing.
import { adviceFor, hasEffectOutsideFiles } from '../core/ledger/undo/advice.ts';
import {
  backDataOf,
  changesToTakeBack,
  entriesInForce,
  isOpen,
  isStanding,
  newestFirst,
} from '../core/ledger/undo/selection.ts';
import type { FileChange, LedgerEntry } from '../core/ledger/entry.ts';
import { stateSentence } from '../core/ledger/outcomeText.ts';
import { editFiles } from '../core/ledger/probes/edit.ts';
import type { EffectPorts, Emit } from './effectEntry.ts';
import { reconcileEffect } from './effectReconcile.ts';
import { namesOf } from './compensation.ts';
import type { FilePort, Result, StoreFault } from './ports.ts';

/** What to undo: entries by their whole keys, or all that a task did (from a step on). */
export type UndoWhat =
  | { readonly kind: 'entries'; readonly keys: readonly string[] }
  | { readonly kind: 'task'; readonly task: string; readonly fromStep?: number };

/** An entry that can be taken back. */
export interface UndoTarget {
  readonly entry: LedgerEntry;
  readonly changes: readonly FileChange[];
  /** The newest earlier undo of it; null for none. */
  readonly after: string | null;
  /** What an undo by files does not take back of it; null: nothing. */
  readonly rest: string | null;
}

/** An entry that is not taken back now. */
export interface NotUndone {
  readonly entry: LedgerEntry;
  /**
   * `undone`: it is taken back already. `absent`: it did not take effect. `outside`: what it did is not in files that the
   * ledger knows. `unknown`: nobody knows whether it happened. `busy`: it, or an undo of it, is being made right now.
   */
  readonly why: 'undone' | 'absent' | 'outside' | 'unknown' | 'busy' | 'foreign';
  /** For a person: what is so, and what to do. */
  readonly message: string;
}

export interface UndoTargets {
  /** Newest first. */
  readonly targets: readonly UndoTarget[];
  readonly others: readonly NotUndone[];
}

interface Scope {
  readonly ports: EffectPorts;
  readonly workspace: string | null;
  readonly isDryRun: boolean;
  readonly emit: Emit;
}

type Found<T> = Result<T, StoreFault>;

/** Finds the entries. The error names a key that the ledger does not have, or the store's trouble. */
export async function undoTargets(scope: Scope, what: UndoWhat): Promise<Found<UndoTargets>> {
  const entries = what.kind === 'task' ? await ofTask(scope, what) : await ofKeys(scope, what.keys);
  if (!entries.ok) return entries;
  const targets: UndoTarget[] = [];
  const others: NotUndone[] = [];
  for (const entry of newestFirst(entries.value)) {
    const one = await judged(scope, entry);
    if (!one.ok) return one;
    if ('why' in one.value) others.push(one.value);
    else targets.push(one.value);
  }
  return { ok: true, value: { targets, others } };
}

async function ofTask(
  scope: Scope,
  { task, fromStep }: Extract<UndoWhat, { kind: 'task' }>,
): Promise<Found<readonly LedgerEntry[]>> {
  const listed = await scope.ports.store.entries({ task });
  if (!listed.ok) return listed;
  const settled: LedgerEntry[] = [];
  for (const entry of listed.value) {
    const one = await settle(scope, entry);
    if (!one.ok) return one;
    settled.push(one.value.entry);
  }
  // Reconciling an undo may have settled the entry it takes back.
  const again = scope.isDryRun || !listed.value.some(isOpen) ? null : await scope.ports.store.entries({ task });
  if (again && !again.ok) return again;
  return { ok: true, value: entriesInForce(again?.value ?? settled, fromStep) };
}

async function ofKeys(scope: Scope, keys: readonly string[]): Promise<Found<readonly LedgerEntry[]>> {
  const entries = new Map<string, LedgerEntry>();
  for (const key of new Set(keys)) {
    const found = await scope.ports.store.entry(key);
    if (!found.ok) return found;
    if (!found.value) return { ok: false, error: { kind: 'other', message: `The ledger has no entry ${key}.` } };
    const last = await lastRedo(scope, found.value);
    if (!last.ok) return last;
    entries.set(last.value.key, last.value);
  }
  return inOrder(scope, [...entries.values()]);
}

/** As the store has them, newest first: entries that were prepared in the same millisecond are told apart by nothing else. */
async function inOrder({ ports }: Scope, entries: readonly LedgerEntry[]): Promise<Found<readonly LedgerEntry[]>> {
  const times = new Set(entries.map(({ preparedAtMs }) => preparedAtMs));
  if (times.size === entries.length) return { ok: true, value: entries };
  const [first] = entries;
  const isOneTask = entries.every(({ task }) => task === first?.task);
  const updatedSinceMs = Math.min(...times);
  const listed = await ports.store.entries({ updatedSinceMs, ...(first && isOneTask ? { task: first.task } : {}) });
  if (!listed.ok) return listed;
  const keys = new Set(entries.map(({ key }) => key));
  return { ok: true, value: listed.value.filter(({ key }) => keys.has(key)) };
}

const MAX_HOPS = 1000;

/** The entry itself, or the redo by which its effect stands again. */
async function lastRedo(scope: Scope, entry: LedgerEntry): Promise<Found<LedgerEntry>> {
  let current = entry;
  for (let hop = 0; hop < MAX_HOPS && current.state === 'COMPENSATED'; hop++) {
    const undo = await wholeUndoOf(scope, current);
    if (!undo.ok) return undo;
    const redo = undo.value?.state === 'COMPENSATED' ? await wholeUndoOf(scope, undo.value) : null;
    if (redo && !redo.ok) return redo;
    if (!redo?.value) break;
    current = redo.value;
  }
  return { ok: true, value: current };
}

async function wholeUndoOf({ ports }: Scope, { key }: LedgerEntry): Promise<Found<LedgerEntry | null>> {
  const listed = await ports.store.entries({ compensates: key });
  if (!listed.ok) return listed;
  const whole = listed.value.find(
    (undo) => backDataOf(undo)?.isWhole === true && (isStanding(undo) || undo.state === 'COMPENSATED'),
  );
  return { ok: true, value: whole ?? null };
}

interface Settled {
  readonly entry: LedgerEntry;
  readonly isBusy: boolean;
}

/** Finds out about an open entry; a dry run only looks at it as it is. */
async function settle({ ports, isDryRun, emit }: Scope, entry: LedgerEntry): Promise<Found<Settled>> {
  if (!isOpen(entry) || isDryRun) return { ok: true, value: { entry, isBusy: false } };
  const seen = await reconcileEffect(ports, entry, 0, emit);
  if (!seen.ok) return seen;
  return { ok: true, value: { entry: seen.value.entry, isBusy: seen.value.running !== null } };
}

async function judged(scope: Scope, found: LedgerEntry): Promise<Found<UndoTarget | NotUndone>> {
  const open = await openUndoOf(scope, found);
  if (!open.ok) return open;
  if (open.value) return { ok: true, value: { entry: found, ...open.value } };
  const settled = await settle(scope, found);
  if (!settled.ok) return settled;
  // Its undo may have settled it meanwhile.
  const present = await scope.ports.store.entry(found.key);
  if (!present.ok) return present;
  const entry = present.value ?? settled.value.entry;
  const not = (why: NotUndone['why'], message: string): Found<NotUndone> => ({
    ok: true,
    value: { entry, why, message },
  });
  if (settled.value.isBusy) return not('busy', 'It is being made right now. Wait for its end, then undo it.');
  if (entry.state === 'COMPENSATED') return not('undone', await undoneBy(scope, entry));
  if (entry.state === 'FAILED' || entry.state === 'RECONCILED_ABSENT') return not('absent', stateSentence(entry));
  if (entry.level === 'R0') return not('absent', 'It only read, so there is nothing to take back.');
  const foreign = otherWorkspace(scope, entry);
  if (foreign !== null)
    return not('foreign', `It was made in the workspace ${foreign}. Undo it there (--workspace ${foreign}).`);
  return targetOf(scope, entry);
}

/** A compensation of the entry that is not over. */
async function openUndoOf(
  scope: Scope,
  { key }: LedgerEntry,
): Promise<Found<Pick<NotUndone, 'why' | 'message'> | null>> {
  const listed = await scope.ports.store.entries({ compensates: key, states: ['PREPARED', 'UNKNOWN'] });
  if (!listed.ok) return listed;
  for (const undo of listed.value) {
    const seen = await settle(scope, undo);
    if (!seen.ok) return seen;
    if (!isOpen(seen.value.entry)) continue;
    const name = namesOf([undo.key]);
    if (seen.value.isBusy || scope.isDryRun)
      return {
        ok: true,
        value: { why: 'busy', message: `An undo of it (${name}) is not over. ${stateSentence(undo)}` },
      };
    const message = `An undo of it (${name}) was interrupted and may have written a part of the files. Take that back with "belay ledger undo ${name}", then undo again.`;
    return { ok: true, value: { why: 'unknown', message } };
  }
  return { ok: true, value: null };
}

async function undoneBy(scope: Scope, entry: LedgerEntry): Promise<string> {
  const undo = await wholeUndoOf(scope, entry);
  const by = undo.ok && undo.value ? ` by entry ${namesOf([undo.value.key])}` : '';
  return `It was taken back before${by}. To have it again, undo that entry.`;
}

/** The workspace that the entry names, where it is another one than this. */
function otherWorkspace({ workspace }: Scope, { probe }: LedgerEntry): string | null {
  const named = probe?.data.workspace;
  return workspace !== null && typeof named === 'string' && named !== workspace ? named : null;
}

async function targetOf(scope: Scope, entry: LedgerEntry): Promise<Found<UndoTarget | NotUndone>> {
  const known = isOpen(entry) ? await certainChanges(scope.ports.files, entry) : changesToTakeBack(entry);
  if (known === null) {
    const message = stateSentence(entry);
    return { ok: true, value: { entry, why: 'unknown', message } };
  }
  const changes = known.filter(({ beforeHash, afterHash }) => beforeHash !== afterHash);
  if (changes.length === 0) {
    if (isOpen(entry)) return { ok: true, value: { entry, why: 'unknown', message: stateSentence(entry) } };
    const isTogether = backDataOf(entry) !== null;
    const message = isTogether ? TOGETHER : adviceFor(entry);
    return { ok: true, value: { entry, why: 'outside', message } };
  }
  const undos = await scope.ports.store.entries({ compensates: entry.key });
  if (!undos.ok) return undos;
  const after = undos.value[0]?.key ?? null;
  return { ok: true, value: { entry, changes, after, rest: restOf(entry) } };
}

const TOGETHER =
  'What it took back was written together with that of other entries of the same undo. Undo those, and its change is there again.';

function restOf(entry: LedgerEntry): string | null {
  if (hasEffectOutsideFiles(entry)) return `Only its files can be taken back here. ${adviceFor(entry)}`;
  const isEdit = entry.probe === null || entry.probe.kind === 'edit';
  return isEdit
    ? null
    : 'Only the files that its words name can be taken back here; what else it changed is not in the ledger.';
}

/**
 * Of an open edit: the changes that stand, where every file is exactly as before or as after it. Null: nobody can tell. What
 * a command did besides is not known, so it is decided first.
 */
async function certainChanges(files: FilePort, entry: LedgerEntry): Promise<readonly FileChange[] | null> {
  if (editFiles(entry.probe) === null) return null;
  const changes: FileChange[] = [];
  // Of an undo these are all of its files, not only this entry's part.
  for (const change of editFiles(entry.probe) ?? []) {
    const now = await files.look(change.path);
    if (!now.ok || (now.value.kind !== 'file' && now.value.kind !== 'missing')) return null;
    if (now.value.hash === change.afterHash) changes.push(change);
    else if (now.value.hash !== change.beforeHash) return null;
  }
  return changes;
}

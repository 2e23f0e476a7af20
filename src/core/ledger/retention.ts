// What the ledger may forget. Forgetting an entry means that the same effect would run again if it were asked for again, so
// nothing goes that anything unfinished leans on:
// - open entries (PREPARED, UNKNOWN) and every entry and event of a task with an open entry or an unfinished checkpoint;
// - whatever may have acted since the oldest open entry with a probe was prepared: its probe's answer is weighed against
//   that (rivals.ts), or what another entry did would be taken for its own;
// - the entry that a kept same-effect follower points at (core/ledger/rivals.ts): it answers for the follower's key;
// - of an entry and its compensation the one, while the other is kept.
// Budget and finished checkpoint of a task go when no entry and no event of it is left.
// This is the rule in full for a list of entries. The SQLite store says the same in SQL (sqlitePrune.ts); tests compare them.
import type { EntryState, LedgerEntry } from './entry.ts';
import { PLACE } from './probes/place.ts';
import { SAME_EFFECT } from './rivals.ts';

/** What the rule needs of an entry. */
export type KeptEntry = Pick<
  LedgerEntry,
  'key' | 'task' | 'state' | 'preparedAtMs' | 'updatedAtMs' | 'probe' | 'compensates'
>;

/** What the rule needs of an event. */
export interface KeptEvent {
  readonly task: string;
  readonly atMs: number;
}

/** The store port's `PruneRequest` has this shape. */
export interface RetentionRequest {
  readonly olderThanMs?: number;
  readonly keepAtMost?: number;
  readonly keepEvents?: number;
  readonly task?: string;
}

/** A request in numbers that can be relied on; null: no such bound. */
export interface RetentionBounds {
  readonly olderThanMs: number | null;
  readonly keepAtMost: number | null;
  readonly keepEvents: number | null;
  readonly task: string | null;
  /** A task alone was named: all of it. */
  readonly isWholeTask: boolean;
  /** Nothing was named. */
  readonly isNothing: boolean;
}

export interface Retained {
  /** Keys of the entries that go. */
  readonly entries: ReadonlySet<string>;
  /** Places of the events that go, in the given list. */
  readonly events: ReadonlySet<number>;
  /** Entries that the request names and that stay all the same. */
  readonly keptOpen: number;
}

/** States in which an effect is not settled. */
export const OPEN_STATES: readonly EntryState[] = ['PREPARED', 'UNKNOWN'];

/** Has the task of a checkpoint with this state ended? Only a JSON object that says so has (core/recovery/checkpoint.ts). */
export function isFinished(checkpointState: string): boolean {
  // The usual texts begin with it; they are long and saved often.
  if (checkpointState.startsWith('{"status":"running"')) return false;
  if (!checkpointState.includes('"finished"')) return false;
  try {
    const state: unknown = JSON.parse(checkpointState);
    return typeof state === 'object' && state !== null && 'status' in state && state.status === 'finished';
  } catch {
    // Not ours to judge: it stays.
    return false;
  }
}

/** Key of the entry that a follower follows; null for every other entry. */
export function followedKey({ probe }: Pick<LedgerEntry, 'probe'>): string | null {
  return probe?.kind === SAME_EFFECT && typeof probe.data.key === 'string' ? probe.data.key : null;
}

/** Whole numbers; what is no number bounds nothing, so that a slip forgets too little rather than too much. */
export function boundsOf(request: RetentionRequest): RetentionBounds {
  const { task = null } = request;
  const olderThanMs = whole(request.olderThanMs);
  const [keepAtMost, keepEvents] = [count(request.keepAtMost), count(request.keepEvents)];
  const isUnbounded =
    request.olderThanMs === undefined && request.keepAtMost === undefined && request.keepEvents === undefined;
  const isWholeTask = task !== null && isUnbounded;
  const isNothing = !isWholeTask && olderThanMs === null && keepAtMost === null && keepEvents === null;
  return { olderThanMs, keepAtMost, keepEvents, task, isWholeTask, isNothing };
}

function whole(value: number | undefined): number | null {
  return value === undefined || !Number.isFinite(value) ? null : Math.trunc(value);
}

function count(value: number | undefined): number | null {
  const number = whole(value);
  return number === null ? null : Math.max(number, 0);
}

/**
 * Decides over the whole ledger. `entries` in the order they were first prepared, `events` in the order they were appended,
 * `unfinishedTasks`: tasks whose checkpoint has not ended. Newest means last changed (of an event: emitted); of equal times
 * the later in the list.
 */
export function planRetention(
  entries: readonly KeptEntry[],
  events: readonly KeptEvent[],
  unfinishedTasks: ReadonlySet<string>,
  request: RetentionRequest,
): Retained {
  const bounds = boundsOf(request);
  const open = entries.filter((entry) => OPEN_STATES.includes(entry.state)).map((entry) => entry.task);
  const protectedTasks = new Set([...open, ...unfinishedTasks]);
  const named = namedEntries(entries, bounds);
  const firstProbed = entries.findIndex(isProbed);
  const probedFromMs = Math.min(...entries.filter(isProbed).map(({ preparedAtMs }) => Math.trunc(preparedAtMs)));
  const later = new Set(firstProbed < 0 ? [] : entries.slice(firstProbed));
  // By the order of writing, too: the clock may have been set back.
  const maySettle = (entry: KeptEntry): boolean => later.has(entry) || Math.trunc(entry.updatedAtMs) >= probedFromMs;
  const mayGo = named.filter((entry) => !protectedTasks.has(entry.task) && !maySettle(entry));
  const goes = new Set(mayGo.map((entry) => entry.key));
  keepLinked(entries, goes);
  const stays = new Set(entries.filter((entry) => !goes.has(entry.key)).map((entry) => entry.task));
  const known = new Set(entries.map((entry) => entry.task));
  if (bounds.isWholeTask && bounds.task !== null) known.add(bounds.task);
  const isOver = (task: string): boolean => known.has(task) && !stays.has(task);
  return {
    entries: goes,
    events: goingEvents(events, bounds, protectedTasks, isOver),
    keptOpen: named.length - goes.size,
  };
}

/** Is it open, with a probe of its own? */
function isProbed({ state, probe }: KeptEntry): boolean {
  return OPEN_STATES.includes(state) && isOwnProbe(probe);
}

/** Kinds of baselines whose answer is never weighed against other entries: followers, places without a probe, edits (a state). */
export const UNWEIGHED: readonly string[] = [SAME_EFFECT, PLACE, 'edit'];

function isOwnProbe(probe: LedgerEntry['probe']): boolean {
  return probe !== null && !UNWEIGHED.includes(probe.kind);
}

function namedEntries(entries: readonly KeptEntry[], bounds: RetentionBounds): readonly KeptEntry[] {
  const { olderThanMs, keepAtMost, task, isWholeTask } = bounds;
  const ranked = entries
    .map((entry, place) => ({ entry, place, atMs: Math.trunc(entry.updatedAtMs) }))
    .filter(({ entry }) => task === null || entry.task === task)
    .sort((a, b) => b.atMs - a.atMs || b.place - a.place);
  const settled = ranked.filter(({ entry }) => !OPEN_STATES.includes(entry.state));
  const firstBeyond = keepAtMost === null ? undefined : settled[keepAtMost];
  const beyondFrom = firstBeyond ? ranked.indexOf(firstBeyond) : ranked.length;
  return ranked
    .filter(({ atMs }, rank) => isWholeTask || (olderThanMs !== null && atMs < olderThanMs) || rank >= beyondFrom)
    .map(({ entry }) => entry);
}

/** Takes out of `goes` what a kept entry leans on, until nothing more is found. */
function keepLinked(entries: readonly KeptEntry[], goes: Set<string>): void {
  let before: number;
  do {
    before = goes.size;
    for (const entry of entries) {
      const followed = followedKey(entry);
      const { key, compensates } = entry;
      if (!goes.has(key) && followed !== null) goes.delete(followed);
      if (compensates === undefined) continue;
      if (!goes.has(key)) goes.delete(compensates);
      else if (entries.some((other) => other.key === compensates && !goes.has(other.key))) goes.delete(key);
    }
  } while (goes.size < before);
}

function goingEvents(
  events: readonly KeptEvent[],
  { olderThanMs, keepEvents, task }: RetentionBounds,
  protectedTasks: ReadonlySet<string>,
  isOver: (task: string) => boolean,
): ReadonlySet<number> {
  const ranked = events
    .map((event, place) => ({ event, place, atMs: Math.trunc(event.atMs) }))
    .filter(({ event }) => task === null || event.task === task)
    .sort((a, b) => b.atMs - a.atMs || b.place - a.place);
  const beyondFrom = keepEvents ?? ranked.length;
  const going = ranked.filter(
    ({ event, atMs }, rank) =>
      !protectedTasks.has(event.task) &&
      ((olderThanMs !== null && atMs < olderThanMs) || rank >= beyondFrom || isOver(event.task)),
  );
  return new Set(going.map(({ place }) => place));
}

// A filter of entries as SQL whose rows are found by an index (sqliteMigrations.ts). Newest first. SQLite keeps no statistics
// here, so that of several conditions it may walk a million rows of one state to find six of one task: the index is chosen
// by hand, and the other conditions are hidden from the planner by a plus sign (https://www.sqlite.org/queryplanner.html).
import type { SQLInputValue } from 'node:sqlite';
import type { EntryState } from '../../core/ledger/entry.ts';
import { OPEN_STATES } from '../../core/ledger/retention.ts';
import type { EntryFilter } from '../../engine/ports.ts';

export interface Selection {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/** One condition; `column` is what an index is chosen by. */
interface Condition {
  readonly column: string;
  readonly rest: string;
  readonly values: readonly SQLInputValue[];
}

/** Which of the present conditions finds the rows: the one that usually leaves the fewest. */
const DRIVERS = ['key', 'compensates', 'task', 'open state', 'id', 'updated_at_ms', 'tool', 'state'];
const BY_TIME = 'entries INDEXED BY entries_updated WHERE updated_at_ms';
/** Greater than every character that a key can go on with. */
const AFTER_ANY = '\u{10FFFF}';
/** So many rows are found one by one; of more a page is read by walking down from the newest. */
const DENSE_ROWS = 5000;
const PAGE_ROWS = 1000;

/**
 * The rows that a filter names. `beforeKey` must exist: without its entry no row is before it. `isDense`: what `timeProbe`
 * found.
 */
export function selection(filter: EntryFilter, isDense: boolean): Selection {
  const states = filter.state === undefined ? filter.states : [filter.state].filter(isAmong(filter.states));
  // One branch a state: each gives its rows in order, so that a limit ends the walk instead of sorting all of them.
  const branches =
    states === undefined ? [branchOf(filter, undefined, isDense)] : states.map((one) => branchOf(filter, one, isDense));
  if (branches.length === 0) return { sql: 'SELECT * FROM entries WHERE 0', values: [] };
  const sql = branches.map((branch) => branch.sql).join(' UNION ALL ');
  const values = branches.flatMap((branch) => branch.values);
  return { sql: `${sql} ORDER BY id DESC LIMIT ?`, values: [...values, filter.limit ?? -1] };
}

/** Asks (`n` is not 0) whether a page of a stretch of time is to be read that holds many entries; null: it is not. */
export function timeProbe(filter: EntryFilter): Selection | null {
  const time = timeOf(filter);
  if (!time || (filter.limit ?? Infinity) > PAGE_ROWS || driverOf(conditionsOf(filter, undefined)) !== time.column)
    return null;
  const sql = `SELECT EXISTS (SELECT 1 FROM ${BY_TIME} ${time.rest} LIMIT 1 OFFSET ${DENSE_ROWS}) AS n`;
  return { sql, values: time.values };
}

function isAmong<T>(allowed: readonly T[] | undefined): (value: T) => boolean {
  return (value) => allowed === undefined || allowed.includes(value);
}

function branchOf(filter: EntryFilter, state: EntryState | undefined, isDense: boolean): Selection {
  const conditions = conditionsOf(filter, state);
  const driver = driverOf(conditions);
  const texts: string[] = [];
  const values: SQLInputValue[] = [];
  for (const condition of conditions) {
    const isWalk = isDense && condition.column === 'updated_at_ms';
    if (
      condition.column === driver &&
      isWalk &&
      filter.updatedBeforeMs !== undefined &&
      filter.beforeKey === undefined
    ) {
      // Whatever is newer than all of them is passed over at once.
      texts.push(`id <= (SELECT max(id) FROM ${BY_TIME} ${condition.rest})`);
      values.push(...condition.values);
    }
    texts.push(condition.column === driver && !isWalk ? drivingText(condition) : hiddenText(condition));
    values.push(...condition.values);
  }
  if (filter.beforeKey !== undefined) {
    // An index goes on with the id, so this shortens the walk, but where the id is what is looked up.
    const isLookedUp = driver === 'id' || (driver === 'updated_at_ms' && !isDense);
    texts.push(`${isLookedUp ? '+' : ''}id < (SELECT id FROM entries WHERE key = ?)`);
    values.push(filter.beforeKey);
  }
  const where = texts.length > 0 ? ` WHERE ${texts.join(' AND ')}` : '';
  return { sql: `SELECT * FROM entries${where}`, values };
}

const LAST_PREPARED = "SELECT max(id) FROM history WHERE key = ? AND to_state = 'PREPARED'";

function driverOf(conditions: readonly Condition[]): string | undefined {
  return DRIVERS.find((name) => conditions.some(({ column }) => column === name));
}

function conditionsOf(filter: EntryFilter, state: EntryState | undefined): readonly Condition[] {
  const { keyPrefix, compensates, task, file, tool, changedAfter } = filter;
  const conditions: Condition[] = [];
  const add = (column: string, rest: string, value: string | undefined): void => {
    if (value !== undefined) conditions.push({ column, rest, values: [value] });
  };
  add('key', '>= ?', keyPrefix);
  add('key', '< ?', keyPrefix === undefined ? undefined : keyPrefix + AFTER_ANY);
  add('key', `IN (SELECT key FROM history WHERE id > (${LAST_PREPARED}))`, changedAfter);
  add('compensates', '= ?', compensates);
  add('task', '= ?', task);
  add('id', 'IN (SELECT entry_id FROM entry_paths WHERE path = ?)', file);
  add('tool', '= ?', tool);
  add(state !== undefined && OPEN_STATES.includes(state) ? 'open state' : 'state', '= ?', state);
  const time = timeOf(filter);
  return time ? [...conditions, time] : conditions;
}

function timeOf({ updatedSinceMs, updatedBeforeMs }: EntryFilter): Condition | null {
  if (updatedSinceMs === undefined && updatedBeforeMs === undefined) return null;
  const since = Math.trunc(updatedSinceMs ?? Number.MIN_SAFE_INTEGER);
  const before = Math.trunc(updatedBeforeMs ?? Number.MAX_SAFE_INTEGER);
  return { column: 'updated_at_ms', rest: 'BETWEEN ? AND ? - 1', values: [since, before] };
}

/** Rows of a time: their numbers from the index alone, so that whole rows are read in order and sorted by nobody. */
function drivingText({ column, rest }: Condition): string {
  return column === 'updated_at_ms' ? `id IN (SELECT id FROM ${BY_TIME} ${rest})` : `${nameOf(column)} ${rest}`;
}

function hiddenText({ column, rest }: Condition): string {
  return `+${nameOf(column)} ${rest}`;
}

function nameOf(column: string): string {
  return column === 'open state' ? 'state' : column;
}

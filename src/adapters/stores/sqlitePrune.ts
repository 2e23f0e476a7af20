// The retention rule (core/ledger/retention.ts) as SQL, for ledgers of a million entries. A plan says what may go and holds
// no lock; then short steps remove it, each looking again at what has changed since. What the plan names lies in temporary
// tables of this connection. Entries that hang together (followers, compensations) go in one step, so that a crash
// between two steps leaves no half of a pair.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { boundsOf, UNWEIGHED } from '../../core/ledger/retention.ts';
import type { RetentionBounds } from '../../core/ledger/retention.ts';
import type { PruneReport, PruneRequest } from '../../engine/ports.ts';
import type { PruneStep } from './storeProtocol.ts';

export interface SqlitePrune {
  /** Names what goes, in a transaction of its own that blocks no writer. Forgets an earlier plan. */
  plan(request: PruneRequest): PruneReport;
  /** Removes some of it, inside a write transaction. Call it until it is done. */
  step(): PruneStep;
}

/** Rows and pages of one step: a fraction of the time that others wait for the lock. */
const STEP_ROWS = 500;
const STEP_PAGES = 1000;

const OPEN = `('PREPARED', 'UNKNOWN')`;
/** Tasks in which something is not settled. */
const PROTECTED = `SELECT task FROM entries WHERE state IN ${OPEN} UNION SELECT task FROM checkpoints WHERE is_finished = 0`;
/** What may have acted since the oldest open entry with a probe was prepared: its probe's answer is weighed against it. */
const PROBED = `FROM entries WHERE state IN ${OPEN} AND probe IS NOT NULL
    AND json_extract(probe, '$.kind') NOT IN (${UNWEIGHED.map((kind) => `'${kind}'`).join()})`;
const RIVAL = `(id >= (SELECT min(id) ${PROBED}) OR updated_at_ms >= (SELECT min(prepared_at_ms) ${PROBED}))`;
/** What a kept entry leans on is kept; run until nothing changes. */
const KEEP_LINKED = [
  `DELETE FROM doomed WHERE id IN (
     SELECT leader.id FROM entries follower JOIN entries leader ON leader.key = follower.follows
     WHERE follower.follows IS NOT NULL AND follower.id NOT IN (SELECT id FROM doomed))`,
  `DELETE FROM doomed WHERE id IN (
     SELECT original.id FROM entries undo JOIN entries original ON original.key = undo.compensates
     WHERE undo.compensates IS NOT NULL AND undo.id NOT IN (SELECT id FROM doomed))`,
  `DELETE FROM doomed WHERE id IN (
     SELECT undo.id FROM entries undo JOIN entries original ON original.key = undo.compensates
     WHERE undo.compensates IS NOT NULL AND original.id NOT IN (SELECT id FROM doomed))`,
];
const WITH_LINKS = ['follows', 'compensates'].map(
  (link) => `entries INDEXED BY entries_${link} WHERE ${link} IS NOT NULL`,
);
/** Of the doomed: whatever has a part in a link. */
const LINKED = `SELECT id FROM doomed WHERE ${WITH_LINKS.map((some) => `id IN (SELECT id FROM ${some})`).join(' OR ')}
    OR id IN (SELECT id FROM entries WHERE key IN (SELECT follows FROM ${WITH_LINKS[0]}))
    OR id IN (SELECT id FROM entries WHERE key IN (SELECT compensates FROM ${WITH_LINKS[1]}))`;
const TEMPORARY = ['doomed', 'doomed_events', 'chunk'];
const CHUNK_KEYS = 'SELECT key FROM entries WHERE id IN (SELECT id FROM chunk)';

/** Rows of a scope that stand before a place in the order (time, id), as a condition. */
interface Named {
  readonly condition: string;
  readonly values: readonly SQLInputValue[];
}
const NOTHING: Named = { condition: '0', values: [] };

/** A prune on one database; one at a time. */
export function sqlitePrune(database: DatabaseSync): SqlitePrune {
  let bounds = boundsOf({});
  let named = NOTHING;
  let isFirstStep = true;
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  const run = (sql: string, values: readonly SQLInputValue[] = []): number =>
    Number(prepared(sql).run(...values).changes);
  const count = (sql: string, values: readonly SQLInputValue[] = []): number => Number(prepared(sql).get(...values)?.n);

  const keepLinked = (): void => {
    let changes: number;
    do {
      changes = 0;
      for (const sql of KEEP_LINKED) changes += run(sql);
    } while (changes > 0);
  };

  const planNow = (request: PruneRequest): PruneReport => {
    bounds = boundsOf(request);
    isFirstStep = true;
    named = namedBy(database, bounds, ENTRIES);
    const { condition, values } = named;
    const total = count(`SELECT count(*) AS n FROM entries WHERE ${condition}`, values);
    run(`INSERT INTO doomed SELECT id FROM entries WHERE ${condition} AND state NOT IN ${OPEN}`, values);
    run(`DELETE FROM doomed WHERE id IN (SELECT id FROM entries WHERE task IN (${PROTECTED}) OR ifnull(${RIVAL}, 0))`);
    keepLinked();
    run(`INSERT OR IGNORE INTO tasks_over SELECT task FROM entries WHERE id IN (SELECT id FROM doomed)`);
    if (bounds.isWholeTask) run('INSERT OR IGNORE INTO tasks_over VALUES (?)', [bounds.task]);
    run(`DELETE FROM tasks_over WHERE EXISTS (
           SELECT 1 FROM entries WHERE entries.task = tasks_over.task AND entries.id NOT IN (SELECT id FROM doomed))`);
    const events = namedBy(database, bounds, EVENTS);
    run(`INSERT INTO doomed_events SELECT id FROM events WHERE ${events.condition}`, events.values);
    run(`INSERT OR IGNORE INTO doomed_events SELECT id FROM events WHERE task IN (SELECT task FROM tasks_over)`);
    run(`DELETE FROM doomed_events WHERE id IN (SELECT id FROM events WHERE task IN (${PROTECTED}))`);
    const entries = count('SELECT count(*) AS n FROM doomed');
    return { entries, events: count('SELECT count(*) AS n FROM doomed_events'), keptOpen: total - entries };
  };

  /** Takes from the doomed what was changed since the plan, or has the number of one that is gone. */
  const keepChanged = (among: string): number =>
    run(
      `DELETE FROM doomed WHERE id IN (SELECT id FROM entries WHERE id IN (${among})
         AND (task IN (${PROTECTED}) OR ifnull(${RIVAL}, 0) OR state IN ${OPEN} OR NOT (${named.condition})))`,
      named.values,
    );

  /** The first step takes all that have links, the others the rest: what gets a link later is kept by it. */
  const chooseEntries = (): void => {
    run('DELETE FROM chunk');
    keepLinked();
    if (isFirstStep) {
      isFirstStep = false;
      while (keepChanged(LINKED) > 0) keepLinked();
      if (run(`INSERT INTO chunk ${LINKED}`) > 0) return;
    }
    run(`INSERT INTO chunk SELECT id FROM doomed ORDER BY id LIMIT ${STEP_ROWS}`);
    keepChanged('SELECT id FROM chunk');
    run('DELETE FROM chunk WHERE id NOT IN (SELECT id FROM doomed)');
  };
  const entriesStep = (): number => {
    chooseEntries();
    run('DELETE FROM doomed WHERE id IN (SELECT id FROM chunk)');
    run(`DELETE FROM history WHERE key IN (${CHUNK_KEYS})`);
    run(`DELETE FROM leases WHERE key IN (${CHUNK_KEYS})`);
    return run('DELETE FROM entries WHERE id IN (SELECT id FROM chunk)');
  };
  /** Budgets and finished checkpoints of tasks that have nothing else left. */
  const tasksStep = (): void => {
    if (bounds.isNothing) return;
    const values = bounds.task === null ? [] : [bounds.task];
    for (const table of ['checkpoints', 'budgets']) {
      run(
        `DELETE FROM ${table} WHERE ${bounds.task === null ? '1' : 'task = ?'}
           AND task NOT IN (SELECT task FROM checkpoints WHERE is_finished = 0)
           AND NOT EXISTS (SELECT 1 FROM entries WHERE entries.task = ${table}.task)
           AND NOT EXISTS (SELECT 1 FROM events WHERE events.task = ${table}.task)`,
        values,
      );
    }
  };
  const eventsStep = (): number => {
    run('DELETE FROM chunk');
    run(`INSERT INTO chunk SELECT id FROM doomed_events ORDER BY id LIMIT ${STEP_ROWS}`);
    run('DELETE FROM doomed_events WHERE id IN (SELECT id FROM chunk)');
    return run(`DELETE FROM events WHERE id IN (SELECT id FROM chunk) AND task NOT IN (${PROTECTED})`);
  };

  return {
    plan(request) {
      makeTemporary(database);
      database.exec('BEGIN');
      try {
        return planNow(request);
      } finally {
        // Nothing but temporary tables was written.
        database.exec('COMMIT');
      }
    },
    step() {
      const goesOn = { entries: 0, events: 0, isDone: false };
      if (count('SELECT EXISTS (SELECT 1 FROM doomed) AS n') > 0) return { ...goesOn, entries: entriesStep() };
      if (count('SELECT EXISTS (SELECT 1 FROM doomed_events) AS n') > 0) return { ...goesOn, events: eventsStep() };
      tasksStep();
      return { ...goesOn, isDone: !vacuumStep(database) };
    },
  };
}

function makeTemporary(database: DatabaseSync): void {
  for (const table of TEMPORARY) {
    database.exec(`CREATE TEMP TABLE IF NOT EXISTS ${table} (id INTEGER PRIMARY KEY); DELETE FROM temp.${table}`);
  }
  database.exec('CREATE TEMP TABLE IF NOT EXISTS tasks_over (task TEXT PRIMARY KEY); DELETE FROM temp.tasks_over');
}

/** Gives some free pages at the end of the file back; false when there are none, or the file does not allow it. */
function vacuumStep(database: DatabaseSync): boolean {
  const value = (text: string): number => Number(Object.values(database.prepare(`PRAGMA ${text}`).get() ?? {})[0]);
  const INCREMENTAL = 2;
  const free = value('freelist_count');
  if (free === 0 || value('auto_vacuum') !== INCREMENTAL) return false;
  database.exec(`PRAGMA incremental_vacuum(${STEP_PAGES})`);
  return value('freelist_count') < free;
}

interface Timed {
  readonly table: string;
  readonly at: string;
  /** Which rows are counted when only so many of the newest may stay. */
  readonly counted: string;
  readonly keep: (bounds: RetentionBounds) => number | null;
}
const ENTRIES: Timed = {
  table: 'entries',
  at: 'updated_at_ms',
  counted: `state NOT IN ${OPEN}`,
  keep: ({ keepAtMost }) => keepAtMost,
};
const EVENTS: Timed = { table: 'events', at: 'at_ms', counted: '1', keep: ({ keepEvents }) => keepEvents };

/** Both bounds cut the order (time, id) at a place; the later place counts. */
function namedBy(database: DatabaseSync, bounds: RetentionBounds, { table, at, counted, keep }: Timed): Named {
  const { task, olderThanMs, isWholeTask } = bounds;
  const scope = task === null ? '1' : 'task = ?';
  const scopeValues = task === null ? [] : [task];
  if (isWholeTask) return table === 'entries' ? { condition: scope, values: scopeValues } : NOTHING;
  const keepRows = keep(bounds);
  const first =
    keepRows === null
      ? undefined
      : database
          .prepare(
            `SELECT ${at} AS at, id FROM ${table} WHERE ${counted} AND ${scope} ORDER BY ${at} DESC, id DESC LIMIT 1 OFFSET ?`,
          )
          .get(...scopeValues, keepRows);
  const places = [
    ...(olderThanMs === null ? [] : [[olderThanMs, 0] as const]),
    ...(first ? [[Number(first.at), Number(first.id) + 1] as const] : []),
  ].sort(([a, aId], [b, bId]) => b - a || bId - aId);
  const place = places[0];
  return place ? { condition: `(${at}, id) < (?, ?) AND ${scope}`, values: [...place, ...scopeValues] } : NOTHING;
}

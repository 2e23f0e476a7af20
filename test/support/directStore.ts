// The SQLite store's operations without its worker: many small ledgers in little time. What the worker adds (batches, syncs,
// faults) has its own tests.
import type { DatabaseSync } from 'node:sqlite';
import { sqliteOperations } from '../../src/adapters/stores/sqliteOperations.ts';
import { openDatabase } from '../../src/adapters/stores/sqliteSchema.ts';
import type { StoreAnswers, StoreCall } from '../../src/adapters/stores/storeProtocol.ts';
import type { PruneReport, PruneRequest } from '../../src/engine/ports.ts';

export interface DirectStore {
  readonly database: DatabaseSync;
  /** Runs one call in a transaction of its own; throws on a refusal. */
  run<M extends keyof StoreAnswers>(call: StoreCall & { readonly method: M }): StoreAnswers[M];
  /** A whole prune: plan and all steps. */
  prune(request: PruneRequest): PruneReport;
  close(): void;
}

/** A ledger in `file`; nothing is synced. */
export function directStore(file: string): DirectStore {
  const { database } = openDatabase({ file });
  database.exec('PRAGMA synchronous = OFF');
  const operations = sqliteOperations(database);
  const run = <M extends keyof StoreAnswers>(call: StoreCall & { readonly method: M }): StoreAnswers[M] => {
    const result = operations.run(call);
    if (!result.ok) throw new Error(result.error.message);
    // The operation of a method answers what StoreAnswers says of it.
    return result.value as StoreAnswers[M];
  };
  return {
    database,
    run,
    prune(request) {
      const plan = run({ method: 'prunePlan', request });
      if (request.isDryRun ?? false) return plan;
      let [entries, events] = [0, 0];
      for (;;) {
        database.exec('BEGIN IMMEDIATE');
        const step = run({ method: 'pruneStep' });
        database.exec('COMMIT');
        entries += step.entries;
        events += step.events;
        if (step.isDone) return { entries, events, keptOpen: plan.keptOpen + plan.entries - entries };
      }
    },
    close: () => database.close(),
  };
}

// The SQLite store's worker thread. Requests that arrive in one turn are one batch under one BEGIN IMMEDIATE (group
// commit); each is answered only after the commit, which is synced when the batch prepares an R2 or R3 effect (DESIGN 12).
// Started by sqliteStore.ts with its options as workerData; the build makes it an entry of its own.
import { parentPort, workerData } from 'node:worker_threads';
import type { StoreFault } from '../../engine/ports.ts';
import { needsFullSync } from './ledgerWrite.ts';
import { faultOf, goneWalFault, replacedFault } from './sqliteFaults.ts';
import { watchFiles } from './sqliteIdentity.ts';
import type { FilesNow } from './sqliteIdentity.ts';
import { sqliteOperations } from './sqliteOperations.ts';
import type { SqliteOperations } from './sqliteOperations.ts';
import { isWriteProtected } from './sqliteReading.ts';
import { openDatabase } from './sqliteSchema.ts';
import type { OpenDatabase } from './sqliteSchema.ts';
import { isRead } from './storeProtocol.ts';
import type { FromWorker, SqliteOptions, StoreCall, ToWorker } from './storeProtocol.ts';

interface Request {
  readonly id: number;
  readonly call: StoreCall;
}
type Answer = FromWorker['result'];
interface Opened extends OpenDatabase {
  readonly operations: SqliteOperations;
  readonly filesNow: () => FilesNow;
}

/** Have transactions of their own, so they are never part of a batch. */
const ALONE: ReadonlySet<StoreCall['method']> = new Set(['prunePlan', 'compact']);
const isWrite = ({ call }: Request): boolean => !isRead(call.method);
const isFull = ({ call }: Request): boolean => call.method === 'write' && needsFullSync(call.transaction);

/** One database and the batches on it. It is opened at the first batch, and tried again while it cannot be opened. */
function batchRunner(options: SqliteOptions): { run(batch: readonly Request[]): readonly Answer[]; close(): void } {
  let opened: Opened | null = null;
  /** Damage seen at or after opening: from then on nothing is written. */
  let damage: StoreFault | null = null;

  const failed = (fault: StoreFault): Answer => ({ ok: false, error: fault });
  const fault = (error: unknown): StoreFault => {
    const described = faultOf(error, options.file);
    if (described.kind === 'corrupt') damage = described;
    return described;
  };
  const open = (): Opened => {
    if (opened) return opened;
    const made = openDatabase(options);
    damage = made.damage;
    const operations = sqliteOperations(made.database);
    opened = { ...made, operations, filesNow: watchFiles(options.file) };
    return opened;
  };
  /** Why nothing may be written now; null: it may. */
  const obstacle = (): StoreFault | null => {
    if (damage || !opened || opened.isReadOnly) return damage;
    const now = opened.filesNow();
    if (now === 'replaced') return replacedFault(options.file);
    if (now === 'wal-gone') {
      // What was answered lies in the deleted file, which this connection still has: it goes into the database now.
      opened.database.exec('PRAGMA wal_checkpoint(PASSIVE)');
      damage = goneWalFault(options.file);
    }
    return damage;
  };
  const runOne = (request: Request): Answer => {
    try {
      const { operations } = open();
      const why = isWrite(request) ? obstacle() : null;
      return why ? failed(why) : operations.run(request.call);
    } catch (error) {
      return failed(fault(error));
    }
  };

  /** All of a batch in one transaction; throws when any of it, or the commit, fails. Then nothing of it is written. */
  const runTogether = (batch: readonly Request[]): readonly Answer[] => {
    const { database, operations, isWal } = open();
    database.exec(`PRAGMA synchronous = ${batch.some(isFull) || !isWal ? 'FULL' : 'NORMAL'}`);
    database.exec('BEGIN IMMEDIATE');
    try {
      const answers = batch.map((request) => operations.run(request.call));
      database.exec('COMMIT');
      return answers;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };
  const runAlone = (request: Request): Answer => {
    if (!isWrite(request) || damage) return runOne(request);
    try {
      return runTogether([request])[0] ?? runOne(request);
    } catch (error) {
      return failed(fault(error));
    }
  };
  const runBatch = (batch: readonly Request[]): readonly Answer[] => {
    if (batch.length === 0) return [];
    try {
      reopenForWriting(batch);
      open();
      if (!batch.some(isWrite) || obstacle()) return batch.map(runOne);
      return runTogether(batch);
    } catch (error) {
      const why = fault(error);
      if (!opened) return batch.map(() => failed(why));
      // A lock that did not come is not waited for again by every request; other trouble is found one by one.
      return batch.map((request) => (why.kind === 'locked' && isWrite(request) ? failed(why) : runAlone(request)));
    }
  };
  /** A ledger that was write-protected is opened anew once it no longer is. */
  const reopenForWriting = (batch: readonly Request[]): void => {
    if (!opened?.isReadOnly || damage || (options.readOnly ?? false) || !batch.some(isWrite)) return;
    if (isWriteProtected(options.file)) return;
    opened.database.close();
    opened = null;
  };

  return {
    run(batch) {
      const answers: Answer[] = [];
      let together: Request[] = [];
      for (const request of batch) {
        if (!ALONE.has(request.call.method)) {
          together.push(request);
          continue;
        }
        answers.push(...runBatch(together), runOne(request));
        together = [];
      }
      return [...answers, ...runBatch(together)];
    },
    close() {
      opened?.database.close();
      opened = null;
    },
  };
}

function serve(options: SqliteOptions): void {
  const runner = batchRunner(options);
  const port = parentPort;
  if (!port) throw new Error('sqliteWorker.ts runs as a worker thread only');
  let queue: Request[] = [];
  const drain = (): void => {
    const batch = queue;
    queue = [];
    const answers = runner.run(batch);
    for (const [i, request] of batch.entries()) {
      const result = answers[i];
      if (result) port.postMessage({ id: request.id, result });
    }
  };
  port.on('message', (message: ToWorker) => {
    if ('close' in message) {
      if (queue.length > 0) drain();
      runner.close();
      port.close();
      return;
    }
    if (queue.push(message) === 1) setImmediate(() => queue.length > 0 && drain());
  });
}

// workerData is what sqliteStore.ts put there: its own options, a plain object.
serve(workerData as SqliteOptions);

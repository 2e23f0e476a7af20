// The embedded store: node:sqlite in a worker thread, so that no sync of the disk ever blocks the extension host.
// This side only numbers requests and matches answers. A worker that ends takes no request with it unanswered: what was
// waiting gets a fault, and the next request starts a new worker.
import { Worker } from 'node:worker_threads';
import type { Result, StoreFault, StorePort } from '../../engine/ports.ts';
import { closedFault } from './sqliteFaults.ts';
import type { FromWorker, SqliteOptions, StoreAnswers, StoreCall, ToWorker } from './storeProtocol.ts';

export type { SqliteOptions } from './storeProtocol.ts';

export interface SqliteStoreOptions extends SqliteOptions {
  /** Where the worker's code is. Default: `sqliteWorker` beside this module, with this module's own extension. */
  readonly workerUrl?: URL;
}

type Settle = (result: FromWorker['result']) => void;

/** Opens nothing until the first request. `close` answers what is waiting, closes the file and ends the worker. */
export function sqliteStore(options: SqliteStoreOptions): StorePort {
  const { workerUrl = defaultWorkerUrl(), ...workerOptions } = options;
  const waiting = new Map<number, Settle>();
  let worker: Worker | null = null;
  let nextId = 1;
  let isClosed = false;

  const dropAll = (crashed: boolean): void => {
    const settles = [...waiting.values()];
    waiting.clear();
    for (const settle of settles) settle({ ok: false, error: closedFault(options.file, crashed) });
  };
  const start = (): Worker => {
    // The parent's own flags (--input-type, loaders) are not the worker's.
    const started = new Worker(workerUrl, { workerData: workerOptions, name: 'belay-store', execArgv: [] });
    started.on('message', ({ id, result }: FromWorker) => {
      const settle = waiting.get(id);
      waiting.delete(id);
      if (waiting.size === 0) started.unref();
      settle?.(result);
    });
    const ended = (): void => {
      if (worker !== started) return;
      worker = null;
      dropAll(!isClosed);
    };
    // An error of the worker is followed by its exit, where every waiting request is answered.
    started.on('error', ended);
    started.on('exit', ended);
    return started;
  };
  const post = (message: ToWorker): Worker => {
    worker ??= start();
    worker.ref();
    worker.postMessage(message);
    return worker;
  };

  const request = <M extends keyof StoreAnswers>(
    call: StoreCall & { readonly method: M },
  ): Promise<Result<StoreAnswers[M], StoreFault>> => {
    if (isClosed) return Promise.resolve({ ok: false, error: closedFault(options.file, false) });
    return new Promise((resolve) => {
      const id = nextId++;
      // The worker answers each id with what its method answers (StoreAnswers); the thread boundary hides that type.
      waiting.set(id, (result) => resolve(result as Result<StoreAnswers[M], StoreFault>));
      post({ id, call });
    });
  };

  return {
    write: (transaction) => request({ method: 'write', transaction }),
    entry: (key) => request({ method: 'entry', key }),
    entries: (filter) => request({ method: 'entries', filter }),
    history: (key) => request({ method: 'history', key }),
    budget: (task) => request({ method: 'budget', task }),
    checkpoint: (task) => request({ method: 'checkpoint', task }),
    appendEvents: (events) => request({ method: 'appendEvents', events }),
    events: (task) => request({ method: 'events', task }),
    document: (name) => request({ method: 'document', name }),
    saveDocument: (name, text) => request({ method: 'saveDocument', name, text }),
    async close() {
      if (isClosed) return;
      isClosed = true;
      const ending = worker;
      if (!ending) return;
      const exited = new Promise<void>((resolve) => {
        ending.once('exit', () => resolve());
      });
      post({ close: true });
      await exited;
    },
  };
}

/** The bundle has sqliteWorker.js, the sources sqliteWorker.ts (run by Node's own type stripping). */
function defaultWorkerUrl(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './sqliteWorker.ts' : './sqliteWorker.js', import.meta.url);
}

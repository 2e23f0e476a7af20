// The embedded store: node:sqlite in a worker thread, so that no sync of the disk ever blocks the extension host.
// This side only numbers requests and matches answers. A worker that ends takes no request with it unanswered: what was
// waiting gets a fault, and the next request starts a new worker.
import { Worker } from 'node:worker_threads';
import type { PruneReport, PruneRequest, Result, StoreFault, StorePort } from '../../engine/ports.ts';
import { closedFault } from './sqliteFaults.ts';
import { isRead } from './storeProtocol.ts';
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
  /** Damage that was told once: a new worker must not start writing again. */
  let damage: StoreFault | null = null;

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
      if (!result.ok && result.error.kind === 'corrupt') damage ??= result.error;
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
    if (damage && !isRead(call.method)) return Promise.resolve({ ok: false, error: damage });
    return new Promise((resolve) => {
      const id = nextId++;
      // The worker answers each id with what its method answers (StoreAnswers); the thread boundary hides that type.
      waiting.set(id, (result) => resolve(result as Result<StoreAnswers[M], StoreFault>));
      post({ id, call });
    });
  };

  /** By short steps, so that other requests and other processes have their turn in between. */
  const prune = async (wanted: PruneRequest): Promise<Result<PruneReport, StoreFault>> => {
    const planned = await request({ method: 'prunePlan', request: wanted });
    if (!planned.ok || (wanted.isDryRun ?? false)) return planned;
    let [entries, events] = [0, 0];
    for (;;) {
      const step = await request({ method: 'pruneStep' });
      if (!step.ok) return step;
      entries += step.value.entries;
      events += step.value.events;
      if (!step.value.isDone) continue;
      const compacted = entries + events > 0 ? await request({ method: 'compact' }) : null;
      if (compacted?.ok === false) return compacted;
      return {
        ok: true,
        value: { entries, events, keptOpen: planned.value.keptOpen + planned.value.entries - entries },
      };
    }
  };
  /** One at a time: the plan lies in the worker. */
  let pruned: Promise<unknown> = Promise.resolve();

  return {
    write: (transaction) => request({ method: 'write', transaction }),
    lease: (wanted) => request({ method: 'lease', request: wanted }),
    releaseLease: (key, token) => request({ method: 'releaseLease', key, token }),
    prune: (wanted) => {
      const done = pruned.then(() => prune(wanted));
      pruned = done;
      return done;
    },
    entry: (key) => request({ method: 'entry', key }),
    entries: (filter) => request({ method: 'entries', filter }),
    history: (key) => request({ method: 'history', key }),
    budget: (task) => request({ method: 'budget', task }),
    takeBudget: (take) => request({ method: 'takeBudget', take }),
    shareBreakers: (breakers) => request({ method: 'shareBreakers', breakers }),
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

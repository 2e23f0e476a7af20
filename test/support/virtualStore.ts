// A store that a power cut can hurt: a crash of the process keeps every finished write, a power cut keeps what was synced
// and any number of the writes after it, in order, as a write-ahead log does. Synced is what DESIGN 12 and the store port
// promise: a write that prepares an R2 or R3 effect, and with it everything before.
// The meaning of the writes is that of the real store in memory; only durability is modelled here.
import { memoryStore } from '../../src/adapters/stores/memoryStore.ts';
import type { RandomPort, StorePort } from '../../src/engine/ports.ts';

export interface VirtualStore {
  /** The port as any process sees it; always the present disk. */
  readonly port: StorePort;
  /** Loses a drawn part of what was not synced. */
  powerCut(random: RandomPort): Promise<void>;
  /** Loses everything, as no real store may. */
  forget(): Promise<void>;
  /** Writes that power cuts have taken so far. */
  lostCount(): number;
}

type Redo = (store: StorePort) => Promise<unknown>;

/** An empty store. */
export function virtualStore(): VirtualStore {
  let disk = memoryStore();
  let log: Redo[] = [];
  let syncedCount = 0;
  let lost = 0;
  const logged = <T>(redo: (store: StorePort) => Promise<T>, isSynced = false): Promise<T> => {
    log.push(redo);
    if (isSynced) syncedCount = log.length;
    return redo(disk);
  };
  const port: StorePort = {
    write: (transaction) => {
      const level = transaction.prepare?.level;
      return logged((store) => store.write(transaction), level === 'R2' || level === 'R3');
    },
    lease: (request) => logged((store) => store.lease(request)),
    releaseLease: (key, token) => logged((store) => store.releaseLease(key, token)),
    prune: (request) => logged((store) => store.prune(request)),
    takeBudget: (take) => logged((store) => store.takeBudget(take)),
    shareBreakers: (breakers) => logged((store) => store.shareBreakers(breakers)),
    saveDocument: (name, text) => logged((store) => store.saveDocument(name, text)),
    appendEvents: (events) => logged((store) => store.appendEvents(events)),
    entry: (key) => disk.entry(key),
    entries: (filter) => disk.entries(filter),
    history: (key) => disk.history(key),
    budget: (task) => disk.budget(task),
    checkpoint: (task) => disk.checkpoint(task),
    events: (task) => disk.events(task),
    document: (name) => disk.document(name),
    close: () => Promise.resolve(),
  };
  const keepOnly = async (count: number): Promise<void> => {
    log = log.slice(0, count);
    disk = memoryStore();
    for (const redo of log) await redo(disk);
    // What has survived is on the disk.
    syncedCount = log.length;
  };
  return {
    port,
    lostCount: () => lost,
    forget: () => keepOnly(0),
    powerCut: async (random) => {
      const kept = syncedCount + Math.floor(random.next() * (log.length - syncedCount + 1));
      lost += log.length - kept;
      await keepOnly(kept);
    },
  };
}

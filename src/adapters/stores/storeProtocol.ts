// What the SQLite store's two threads say to each other. Plain data only: it is copied between them.
import type {
  BudgetRow,
  CheckpointRow,
  EntryFilter,
  EntryHistory,
  Result,
  StoreFault,
  StoreTransaction,
} from '../../engine/ports.ts';
import type { DecisionEvent } from '../../core/events.ts';
import type { LedgerEntry } from '../../core/ledger/entry.ts';

/** Where the database is and how it is opened. */
export interface SqliteOptions {
  /** Absolute path of the database file; it and its folder are made when missing. */
  readonly file: string;
  /** How long another process may hold the lock before `locked` is answered. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /** Only look; a file that does not exist is not made. Default false. */
  readonly readOnly?: boolean;
  /** Upper bound of the file in pages of 4 KiB; more is answered with `full`. Default: none. */
  readonly maxPages?: number;
}

/** One request, by the name of the store port's method. */
export type StoreCall =
  | { readonly method: 'write'; readonly transaction: StoreTransaction }
  | { readonly method: 'entry'; readonly key: string }
  | { readonly method: 'entries'; readonly filter: EntryFilter }
  | { readonly method: 'history'; readonly key: string }
  | { readonly method: 'budget'; readonly task: string }
  | { readonly method: 'checkpoint'; readonly task: string }
  | { readonly method: 'appendEvents'; readonly events: readonly DecisionEvent[] }
  | { readonly method: 'events'; readonly task: string }
  | { readonly method: 'document'; readonly name: string }
  | { readonly method: 'saveDocument'; readonly name: string; readonly text: string };

/** What each method answers. */
export interface StoreAnswers {
  write: LedgerEntry | null;
  entry: LedgerEntry | null;
  entries: readonly LedgerEntry[];
  history: readonly EntryHistory[];
  budget: BudgetRow | null;
  checkpoint: CheckpointRow | null;
  appendEvents: null;
  events: readonly DecisionEvent[];
  document: string | null;
  saveDocument: null;
}

export type StoreAnswer = StoreAnswers[keyof StoreAnswers];

/** Main thread to worker. `close` is answered by the worker's end. */
export type ToWorker = { readonly id: number; readonly call: StoreCall } | { readonly close: true };

/** Worker to main thread. */
export interface FromWorker {
  readonly id: number;
  readonly result: Result<StoreAnswer, StoreFault>;
}

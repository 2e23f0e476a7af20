// What the SQLite store's two threads say to each other. Plain data only: it is copied between them.
import type { BudgetAnswer } from '../../core/recovery/budget.ts';
import type {
  BudgetRow,
  BudgetTake,
  CheckpointRow,
  EntryFilter,
  EntryHistory,
  LeaseAnswer,
  LeaseRequest,
  PruneReport,
  PruneRequest,
  Result,
  SharedBreaker,
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

/** What one step of a prune removed. Steps are short, so that nobody waits long for the lock. */
export interface PruneStep {
  readonly entries: number;
  readonly events: number;
  readonly isDone: boolean;
}

/** One request, by the name of the store port's method; a prune is a plan and its steps. */
export type StoreCall =
  | { readonly method: 'write'; readonly transaction: StoreTransaction }
  | { readonly method: 'lease'; readonly request: LeaseRequest }
  | { readonly method: 'releaseLease'; readonly key: string; readonly token: number }
  | { readonly method: 'prunePlan'; readonly request: PruneRequest }
  | { readonly method: 'pruneStep' }
  | { readonly method: 'compact' }
  | { readonly method: 'entry'; readonly key: string }
  | { readonly method: 'entries'; readonly filter: EntryFilter }
  | { readonly method: 'history'; readonly key: string }
  | { readonly method: 'budget'; readonly task: string }
  | { readonly method: 'takeBudget'; readonly take: BudgetTake }
  | { readonly method: 'shareBreakers'; readonly breakers: readonly SharedBreaker[] }
  | { readonly method: 'checkpoint'; readonly task: string }
  | { readonly method: 'appendEvents'; readonly events: readonly DecisionEvent[] }
  | { readonly method: 'events'; readonly task: string }
  | { readonly method: 'document'; readonly name: string }
  | { readonly method: 'saveDocument'; readonly name: string; readonly text: string };

/** What each method answers. */
export interface StoreAnswers {
  write: LedgerEntry | null;
  lease: LeaseAnswer;
  releaseLease: null;
  prunePlan: PruneReport;
  pruneStep: PruneStep;
  compact: null;
  entry: LedgerEntry | null;
  entries: readonly LedgerEntry[];
  history: readonly EntryHistory[];
  budget: BudgetRow | null;
  takeBudget: BudgetAnswer;
  shareBreakers: readonly SharedBreaker[];
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

const READS: ReadonlySet<StoreCall['method']> = new Set([
  'entry',
  'entries',
  'history',
  'budget',
  'checkpoint',
  'events',
  'document',
  'prunePlan',
]);

/** Does a request leave the ledger as it is? */
export function isRead(method: StoreCall['method']): boolean {
  return READS.has(method);
}

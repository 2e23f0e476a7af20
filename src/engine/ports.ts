// Everything the engine needs of the world. Adapters implement one port each; tests and the simulator bring their own.
// Expected trouble comes back as a value (an observation, a Result); a rejected promise means a bug or an abort.
import type { Candidate } from '../core/candidate.ts';
import type { DisclosureScope } from '../core/disclosure/permit.ts';
import type { ChatRequest, StreamEvent } from '../core/chat.ts';
import type { DecisionEvent } from '../core/events.ts';
import type { RequestContext } from '../core/context.ts';
import type { Observation } from '../core/faults/fault.ts';
import type { Opinion } from '../core/faults/opinion.ts';
import type { EffectLevel, EntryState, Evidence, Intent, LedgerEntry } from '../core/ledger/entry.ts';
import type { BudgetAnswer, BudgetLimits, StepShare, TaskBudget } from '../core/recovery/budget.ts';
import type { CommandPort } from './commandPort.ts';
import type { FilePort } from './filePort.ts';
import type { Result } from './result.ts';
import type { StoreFault } from './storeFault.ts';
import type { VerifierPort } from './verifierPort.ts';

export type { Result } from './result.ts';
export type { StoreFault } from './storeFault.ts';
export type {
  CheckKind,
  CheckPlan,
  CheckPlanRequest,
  CheckReading,
  CheckRun,
  DefinitionRequest,
  LackingCheck,
  PlannedCheck,
  VerifierPort,
} from './verifierPort.ts';
export type {
  CommandExit,
  CommandOutput,
  CommandPort,
  GatedCommand,
  GateTrace,
  HeldCommand,
  HoldResult,
  ProbeQuery,
  ReleasedRun,
} from './commandPort.ts';
export type { AppliedFiles, FileFacts, FilePort, FileReport, FileState, FileWrite } from './filePort.ts';

/** Time. `sleep` resolves after `ms` and rejects with the signal's reason when it is aborted. */
export interface ClockPort {
  /** Milliseconds since the epoch on a real clock, since 0 on a virtual one; never runs backwards. */
  nowMs(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Chance: a number in [0, 1). */
export interface RandomPort {
  next(): number;
}

/** What a provider adapter yields: events of the answer, and at most one final `failed`. */
export type ProviderEvent = StreamEvent | { readonly failed: Observation };

/**
 * One physical try at one candidate. The adapter translates, sends once (no retries of its own) and yields what arrives.
 * A stream that ends without its terminal marker must be reported as `failed` (phase mid_stream or before_first_token).
 * Aborting the signal closes the socket; the iterator then ends without a `failed`.
 * `attemptId` goes out as the header `x-belay-attempt`, so that a provider's log can be matched with ours.
 * `tellSent` is told false before the request is sent and true once it has left this machine: what was cancelled in between
 * costs nothing. An adapter that cannot know says nothing, and the request counts as sent. `rttMs`: one round trip, where a
 * connection was made for this request and its handshake was timed.
 */
export interface ProviderPort {
  stream(
    request: ChatRequest,
    candidate: Candidate,
    signal: AbortSignal,
    attemptId?: string,
    tellSent?: (isSent: boolean, rttMs?: number) => void,
  ): AsyncIterable<ProviderEvent>;
}

/** A change of one ledger entry. `fence` is the fence the writer last saw; another value means somebody else moved it. */
export interface EntryChange {
  readonly key: string;
  readonly to: EntryState;
  readonly evidence: Evidence;
  readonly atMs: number;
  readonly fence: number;
  /** Fencing token of the lease the writer works under: refused (`fenced`) when the lease has passed to somebody else. */
  readonly lease?: number;
}

/** Asks for the right to reconcile one entry, or to keep it: at most one holder at a time, whatever window it is in. */
export interface LeaseRequest {
  readonly key: string;
  /** Names the process and what it is doing; the same holder may take its own lease again, with the same token. */
  readonly holder: string;
  readonly nowMs: number;
  readonly ttlMs: number;
}

/** `token` grows with every new holder of a key and is never given twice. */
export type LeaseAnswer =
  | { readonly granted: true; readonly token: number; readonly expiresAtMs: number }
  | { readonly granted: false; readonly holder: string; readonly expiresAtMs: number };

/**
 * What may be forgotten. Open entries, their leaders and compensations, and tasks with open entries never are. A task alone
 * names all of it; nothing at all names nothing.
 */
export interface PruneRequest {
  /** Settled entries last changed before this time (ms) go. */
  readonly olderThanMs?: number;
  /** Of the settled entries at most so many of the newest stay. */
  readonly keepAtMost?: number;
  /** Of the events at most so many of the newest stay, beside those of tasks with open entries. */
  readonly keepEvents?: number;
  readonly task?: string;
  /** Only count. */
  readonly isDryRun?: boolean;
}

export interface PruneReport {
  readonly entries: number;
  readonly events: number;
  /** Entries that the request named and that were kept since they, or what depends on them, are open. */
  readonly keptOpen: number;
}

/** Re-executions left; saved in the same transaction as the entry it pays for (DESIGN 12). */
export interface BudgetRow {
  readonly task: string;
  readonly stepUsed: Readonly<Record<string, number>>;
  readonly taskUsed: number;
}

/** Where a task stands; opaque to the store, but for `status`: `finished` in a JSON object, which lets it be pruned. */
export interface CheckpointRow {
  readonly task: string;
  readonly version: number;
  readonly state: string;
}

/** Asks for one re-execution of a step: checked and taken in one transaction, over all windows (HFR 4.9, 4.10; DESIGN 12). */
export interface BudgetTake {
  readonly task: string;
  readonly step: number;
  readonly tenant: string;
  readonly limits: BudgetLimits;
  readonly share: StepShare;
  readonly nowMs: number;
  /** What this window last heard of the task. */
  readonly known: TaskBudget;
  /** What it took since then and could not save: nobody else has counted it. */
  readonly unsaved?: TaskBudget;
  /** Saved together with what is taken; not when nothing is. */
  readonly checkpoint?: CheckpointRow;
}

/** One breaker as it is saved: its target and the text of its state (core/recovery/breaker). */
export interface SharedBreaker {
  readonly target: string;
  readonly state: string;
}

/** What may be written together, all or nothing. */
export interface StoreTransaction {
  readonly prepare?: Intent;
  /** Applied in order. One of `prepare`'s own key to PREPARED prepares an existing entry again. */
  readonly changes?: readonly EntryChange[];
  readonly budget?: BudgetRow;
  readonly checkpoint?: CheckpointRow;
}

export interface EntryFilter {
  readonly task?: string;
  readonly tool?: string;
  readonly state?: EntryState;
  /** One of these. */
  readonly states?: readonly EntryState[];
  readonly file?: string;
  /** Entries whose key begins so; hex digits. */
  readonly keyPrefix?: string;
  /** Entries that take back this one. */
  readonly compensates?: string;
  /** Only entries that were last changed at this time or later (ms). */
  readonly updatedSinceMs?: number;
  /** Only entries that were last changed before this time (ms). */
  readonly updatedBeforeMs?: number;
  /** Only entries that were changed after the one of this key was last prepared: by the order of writing, whatever the clock said. */
  readonly changedAfter?: string;
  /** For paging: entries first prepared before the one of this key. */
  readonly beforeKey?: string;
  readonly limit?: number;
}

/** One line of an entry's history. */
export interface EntryHistory {
  readonly atMs: number;
  readonly from: EntryState | null;
  readonly to: EntryState;
  readonly evidence: Evidence | null;
}

/**
 * The durable memory. A resolved `write` with an R2 or R3 `prepare` means the intent is on the disk (synchronous FULL),
 * other writes may be lost by a power cut but never by a crash of the process. `prepare` of a key that already exists
 * is not an error: the existing entry comes back unchanged and nothing of the transaction is written.
 * `prepare` together with a change of the same key to PREPARED prepares the existing entry again, where that is legal:
 * owner, probe, paths and title are then those of the new intent. The answer is the prepared entry, else the one changed first.
 */
export interface StorePort {
  write(transaction: StoreTransaction): Promise<Result<LedgerEntry | null, StoreFault>>;
  /** Takes or renews the lease of a key, atomically over all processes. A lease that is over at `nowMs` is free. */
  lease(request: LeaseRequest): Promise<Result<LeaseAnswer, StoreFault>>;
  /** Gives a lease back; nothing happens when the token is no longer the current one. */
  releaseLease(key: string, token: number): Promise<Result<null, StoreFault>>;
  /** Forgets settled entries with their history and events. */
  prune(request: PruneRequest): Promise<Result<PruneReport, StoreFault>>;
  entry(key: string): Promise<Result<LedgerEntry | null, StoreFault>>;
  entries(filter: EntryFilter): Promise<Result<readonly LedgerEntry[], StoreFault>>;
  history(key: string): Promise<Result<readonly EntryHistory[], StoreFault>>;
  budget(task: string): Promise<Result<BudgetRow | null, StoreFault>>;
  takeBudget(take: BudgetTake): Promise<Result<BudgetAnswer, StoreFault>>;
  /** Merges these breakers into the saved ones, atomically over all processes, and answers all there are. */
  shareBreakers(breakers: readonly SharedBreaker[]): Promise<Result<readonly SharedBreaker[], StoreFault>>;
  checkpoint(task: string): Promise<Result<CheckpointRow | null, StoreFault>>;
  appendEvents(events: readonly DecisionEvent[]): Promise<Result<null, StoreFault>>;
  events(task: string): Promise<Result<readonly DecisionEvent[], StoreFault>>;
  /** Small named documents (profiles, settings of the panel); `null` when absent. */
  document(name: string): Promise<Result<string | null, StoreFault>>;
  saveDocument(name: string, text: string): Promise<Result<null, StoreFault>>;
  close(): Promise<void>;
}

/** A question that only a person may answer. No answer in time means `deny`. */
export interface Question {
  readonly id: string;
  /**
   * `ledger-trouble`: a write that stopped since the ledger cannot be used; an allow does it once without an entry, and is
   * never remembered. The first reason is the ledger's fault with its remedy, the second what is lost without it.
   * `lower-rung`: a model call would go on at a rung that needs a person; the targets are those that would serve.
   * `spot-check`: a result that passed its checks, drawn by chance for a person to judge the checks by.
   */
  readonly kind:
    | 'command'
    | 'edit'
    | 'refusal'
    | 'unknown-effect'
    | 'disclosure'
    | 'acceptance'
    | 'ledger-trouble'
    | 'lower-rung'
    | 'spot-check';
  readonly title: string;
  readonly level: EffectLevel | null;
  readonly reasons: readonly string[];
  readonly targets: readonly string[];
  /** Kind `disclosure`: who would get code, for which role, from which workspace (null: none is open). */
  readonly disclosure?: DisclosureScope & { readonly workspace: string | null };
}

export interface Answer {
  readonly choice: 'allow' | 'deny';
  /** An allow that is remembered in this workspace until it is revoked; absent: for this session. */
  readonly isForWorkspace?: boolean;
  readonly note: string;
  readonly by: string;
  /** A deny that no person gave: the question was not answered. */
  readonly isUnanswered?: true;
}

export interface ApprovalPort {
  /** False: nobody is there, every answer is a deny. Absent: somebody may be. */
  readonly hasPerson?: boolean;
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
}

/** Where decision events go. Must not throw and must not block. */
export interface EventPort {
  emit(event: DecisionEvent): void;
}

/**
 * A second opinion on a failure that the rules find ambiguous (HFR document 4.2); null: none in time. A rejected promise
 * counts as none. It only ever makes a verdict more careful (core/faults/opinion).
 */
export interface OpinionPort {
  opinion(observation: Observation, context: RequestContext, signal: AbortSignal): Promise<Opinion | null>;
}

/** The workspace whose code may be disclosed. */
export interface WorkspacePort {
  /** Text that is the same for the same workspace in every session: answers are remembered under it. */
  readonly key: string;
  /** What a person knows it by. */
  readonly name: string;
}

/** Which of some paths `.belayignore` keeps from every provider. */
export interface IgnoredPaths {
  /** Those of the given words that name a kept path. */
  readonly words: ReadonlySet<string>;
  /** `.belayignore` files that exist and cannot be read: all they could name is kept. */
  readonly unreadable: readonly string[];
}

/** The `.belayignore` files of the workspace, as they are at the moment of asking. */
export interface IgnorePort {
  /** Whether there is any such file: nothing needs to be looked for without one. */
  isActive(): Promise<boolean>;
  /** `words` are paths as somebody wrote them: relative to the workspace or absolute, also with `.` and `..`. */
  ignored(words: readonly string[]): Promise<IgnoredPaths>;
}

/** All ports of a controller. */
export interface Ports {
  readonly clock: ClockPort;
  readonly random: RandomPort;
  readonly provider: ProviderPort;
  readonly store: StorePort;
  readonly command: CommandPort;
  readonly files: FilePort;
  readonly approval: ApprovalPort;
  readonly events: EventPort;
  /** Absent: a light model is asked only where `belay.advanced.faults.opinionModel` names one. */
  readonly opinion?: OpinionPort;
  /** Absent: no workspace is open; answers about disclosure are remembered for all such windows together. */
  readonly workspace?: WorkspacePort;
  /** Absent: there is no workspace whose `.belayignore` could keep anything. */
  readonly ignore?: IgnorePort;
  /** Absent: no check is known but the task's own command. */
  readonly verifier?: VerifierPort;
}

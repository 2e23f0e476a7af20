// What a recovered call is made from: what all calls of one controller share, and what one call asks.
import type { Candidate, CandidateId } from '../core/candidate.ts';
import type { ChatRequest } from '../core/chat.ts';
import type { RequestContext } from '../core/context.ts';
import type { ResolvedRoute } from '../core/routes.ts';
import type { QualityEvidence } from '../core/scheduler/balanced/types.ts';
import type { Settings } from '../core/settings.ts';
import type { BudgetBook } from './budgetBook.ts';
import type { CallOptions } from './call.ts';
import type { CompressorParts } from './contextCompressor.ts';
import type { DisclosureGate } from './disclosureGate.ts';
import type { Emit } from './eventLog.ts';
import type { OpinionPort, Ports } from './ports.ts';
import type { ProfileBook } from './profileBook.ts';
import type { Protection } from './protection.ts';
import type { ReplicaBook } from './replicaBook.ts';
import type { SuspectPings } from './suspectPings.ts';
import type { SchedulerBook } from './schedulerBook.ts';
import type { SpendingBook } from './spendingBook.ts';
import type { TaskFaults } from './taskFaults.ts';
import type { WarmCaches } from './warmCaches.ts';

/** Takes a judgement of an answer of this candidate in this role. */
export type LearnQuality = (candidate: CandidateId, role: string, evidence: QualityEvidence) => void;

/** What all calls of one controller share. */
export interface CallDependencies extends Pick<CompressorParts, 'complete' | 'summaries'> {
  readonly ports: Pick<Ports, 'clock' | 'random' | 'provider' | 'store' | 'approval'>;
  readonly profiles: ProfileBook;
  readonly scheduler: SchedulerBook;
  readonly caches: WarmCaches;
  /** Absent: nobody is pinged. */
  readonly pings?: SuspectPings;
  readonly learnQuality: LearnQuality;
  readonly replicas: ReplicaBook;
  readonly budgets: BudgetBook;
  readonly spending: SpendingBook;
  readonly faults: TaskFaults;
  readonly gate: DisclosureGate;
  readonly emit: Emit;
  readonly newId: (prefix: string) => string;
  readonly shutdown: AbortSignal;
  /** Absent: the rules alone decide what a failure is. */
  readonly opinion?: OpinionPort | undefined;
  readonly protection: Protection;
}

export interface CallInput {
  readonly request: ChatRequest;
  readonly context: RequestContext;
  readonly options: CallOptions;
  readonly settings: Settings;
  readonly route: ResolvedRoute;
  /** Candidates outside the route, for its L2; absent: none. */
  readonly others?: readonly Candidate[];
  readonly signal: AbortSignal;
}

// What a recovered call is made from: what all calls of one controller share, and what one call asks.
import type { Candidate } from '../core/candidate.ts';
import type { ChatRequest } from '../core/chat.ts';
import type { RequestContext } from '../core/context.ts';
import type { ResolvedRoute } from '../core/routes.ts';
import type { Settings } from '../core/settings.ts';
import type { BudgetBook } from './budgetBook.ts';
import type { CallOptions } from './call.ts';
import type { CompressorParts } from './contextCompressor.ts';
import type { DisclosureGate } from './disclosureGate.ts';
import type { Emit } from './eventLog.ts';
import type { OpinionPort, Ports } from './ports.ts';
import type { ProfileBook } from './profileBook.ts';
import type { Protection } from './protection.ts';
import type { TaskFaults } from './taskFaults.ts';

/** What all calls of one controller share. */
export interface CallDependencies extends Pick<CompressorParts, 'complete' | 'summaries'> {
  readonly ports: Pick<Ports, 'clock' | 'random' | 'provider' | 'store' | 'approval'>;
  readonly profiles: ProfileBook;
  readonly budgets: BudgetBook;
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

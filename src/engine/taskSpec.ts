// The words of a task of Belay's own agent loop: what is asked, what it comes to, and what it is worked on with.
import type { ChatRequest } from '../core/chat.ts';
import type { Criticality, RequestContext } from '../core/context.ts';
import type { TaskStateName } from '../core/recovery/taskStates.ts';
import type { ResolvedRoute } from '../core/routes.ts';
import type { Settings } from '../core/settings.ts';
import type { AgentTools } from './agentTools.ts';
import type { BudgetBook } from './budgetBook.ts';
import type { CallEvent, CallOptions } from './call.ts';
import type { Emit } from './eventLog.ts';
import type { Ports, StorePort } from './ports.ts';
import type { LearnQuality } from './callParts.ts';
import type { ProfileBook } from './profileBook.ts';

/** A goal and what counts as having reached it. */
export interface TaskSpec {
  readonly id: string;
  readonly goal: string;
  /** Name of the model route. */
  readonly model: string;
  /** Command whose exit code 0 means success, e.g. `npm test`. */
  readonly successCommand: string;
  readonly criticality: Criticality;
  /** q_min, 0-1; absent: that of the settings for its criticality. */
  readonly qualityFloor?: number;
  /** D, absolute. */
  readonly deadlineMs: number;
  /** Requests beside the main line, e.g. one that the model will refuse; asked before step `beforeStep`. */
  readonly sideSteps?: readonly { readonly beforeStep: number; readonly prompt: string }[];
  /** Absolute root of the workspace. */
  readonly workspace: string;
  /** Environment of the commands it runs; holds no key. */
  readonly env: Readonly<Record<string, string>>;
}

/** CONTRACTS, task. */
export interface TaskOutcome {
  readonly task: string;
  readonly outcome: 'success' | 'escalated' | 'failed';
  /** Success that passed the final acceptance: no duplicated, open, unlabelled or unreviewed effect. */
  readonly clean: boolean;
  readonly steps: number;
  readonly attempts: number;
  readonly degraded: number;
  readonly costUsd: number;
  readonly evidence: string;
}

export interface TaskDependencies {
  readonly ports: Ports;
  readonly complete: (
    request: ChatRequest,
    context: RequestContext,
    options: CallOptions,
    signal: AbortSignal,
  ) => AsyncIterable<CallEvent>;
  /** Who may serve a model name. */
  readonly route: (model: string) => ResolvedRoute;
  readonly budgets: BudgetBook;
  readonly profiles: ProfileBook;
  readonly learnQuality: LearnQuality;
  readonly emit: Emit;
  readonly newId: (prefix: string) => string;
  readonly settings: Settings;
  /** The tools, writing their ledger entries through this store. */
  readonly makeTools: (store: StorePort) => AgentTools;
  /** Called for a way that table 9 does not have, which is a bug; absent: it is told as an error, and the state stays. */
  readonly onIllegalMove?: (from: TaskStateName, to: TaskStateName) => void;
}

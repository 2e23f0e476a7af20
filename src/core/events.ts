// Decision events: the one outbound channel (DESIGN, One idea). Panel, metrics, store and report are folds over it.
// Events carry words, ids and figures; never prompts, keys or file contents.
import type { CandidateId } from './candidate.ts';
import type { Usage } from './chat.ts';
import type { EventIds } from './context.ts';
import type { Fault, RecoveryAction } from './faults/fault.ts';
import type { EffectLevel, EntryState } from './ledger/entry.ts';
import type { BreakerFigures } from './recovery/breakerWindow.ts';

/** Degradation ladder (HFR table 5, DESIGN 1). */
export type Rung = 'L0' | 'L1' | 'L2' | 'L3' | 'L4';

/** Acceptance level (HFR table 8). */
export type CheckLevel = 'V0' | 'V1' | 'V2' | 'V3';

/** One row of a ranking, with the parts of the score (HACO; names as in CONTRACTS, plan). */
export interface RankedCandidate {
  readonly id: CandidateId;
  readonly mu: number;
  readonly sigma: number;
  readonly rho: number;
  readonly latencyMs: number;
  readonly cost: number;
  readonly decay: number;
  readonly utility: number;
  readonly lowerBound: number;
  /** Modes balanced and fast: what `utility`, the index there, is the sum of. */
  readonly parts?: IndexTerms;
}

/** index = quality − latency − money − failure + affinity (scheduler-study 6.2), and the chance that the candidate answers. */
export interface IndexTerms {
  readonly quality: number;
  readonly latency: number;
  readonly money: number;
  readonly failure: number;
  readonly affinity: number;
  /** 0-1. */
  readonly availability: number;
}

/** closed: used. open: closed off until a deadline. half-open: the deadline has passed and it is being probed (HFR 4.7). */
export type BreakerStatus = 'closed' | 'open' | 'half-open';

/** What is recorded of a degradation (HFR 4.4): who stands in, its expected quality and the check its result must pass. */
export interface Degradation {
  readonly substitute: string;
  /** 0-1, from history; null: not known. */
  readonly quality: number | null;
  readonly check: CheckLevel;
}

/** A rung that a person may allow (HFR 5.2, require_human_for): who would serve there, how well, and the floor it is held to. */
export interface ProposedRung {
  readonly rung: Rung;
  /** Candidates, by id. */
  readonly substitute: string;
  /** 0-1, from history; null: not known. */
  readonly quality: number | null;
  readonly qualityFloor: number;
}

/** Why an attempt was started. */
export type LaunchReason = 'first' | 'parallel' | 'hedge' | 'failover' | 'retry';

/** What made it start: another had no first token, no end or too slow a stream, or had failed; or the deadline came near. */
export type LaunchTrigger = 'first-token' | 'total' | 'decode' | 'failure' | 'deadline';

/** What an event says, without its ids and time. */
export type EventBody =
  | { readonly type: 'task-started'; readonly goal: string }
  | {
      readonly type: 'task-finished';
      readonly outcome: 'success' | 'escalated' | 'failed';
      readonly clean: boolean;
      readonly reason: string;
    }
  | { readonly type: 'step-started'; readonly title: string }
  | {
      readonly type: 'call-started';
      readonly model: string;
      readonly role: string;
      readonly policy: 'stream' | 'hold';
      /** Absolute, on the clock of `atMs`. */
      readonly deadlineMs?: number;
    }
  | {
      readonly type: 'plan-made';
      readonly mode: string;
      readonly ranking: readonly RankedCandidate[];
      readonly hedgeSet: readonly CandidateId[];
      readonly failureProbability: number;
      readonly targetReached: boolean;
      readonly why: string;
      /** Modes balanced and fast: success promised by the start set, and what independent failures would promise of it. */
      readonly promisedSuccess?: number;
      readonly independentSuccess?: number;
    }
  | {
      readonly type: 'attempt-launched';
      readonly candidate: CandidateId;
      readonly reason: LaunchReason;
      readonly trigger?: LaunchTrigger;
      /** Expected bill, and the bill of an answer without any cache; absent: its price is not known in money. */
      readonly expectedUsd?: number;
      readonly worstUsd?: number;
    }
  | { readonly type: 'attempt-first-token'; readonly candidate: CandidateId; readonly elapsedMs: number }
  | {
      readonly type: 'attempt-succeeded';
      readonly candidate: CandidateId;
      readonly elapsedMs: number;
      readonly usage: Usage | null;
      readonly costUsd: number;
      readonly billedTokens: number;
      /** The candidate's price is not known, and `costUsd` is 0 for want of it. */
      readonly isUnpriced?: true;
      readonly servedModel: string | null;
    }
  | {
      readonly type: 'attempt-failed';
      readonly candidate: CandidateId;
      readonly elapsedMs: number;
      readonly fault: Fault;
      readonly costUsd: number;
      readonly billedTokens: number;
      readonly isUnpriced?: true;
    }
  /** A loser: cancelled and accounted, not charged to its health. */
  | {
      readonly type: 'attempt-cancelled';
      readonly candidate: CandidateId;
      readonly elapsedMs: number;
      readonly costUsd: number;
      readonly billedTokens: number;
      readonly isUnpriced?: true;
    }
  /**
   * An ended attempt's cost, estimated at first, is put right by what its model has counted since. The figures are the new
   * ones; the changes are what has to be added to a sum that holds the old ones.
   */
  | {
      readonly type: 'cost-corrected';
      readonly candidate: CandidateId;
      readonly ending: 'succeeded' | 'failed' | 'cancelled';
      readonly costUsd: number;
      readonly billedTokens: number;
      readonly changeUsd: number;
      readonly changeTokens: number;
    }
  /** Another model answers behind a candidate's name: its quality and speed are learned anew. */
  | {
      readonly type: 'model-changed';
      readonly candidate: CandidateId;
      readonly from: string;
      readonly to: string;
      readonly why: string;
    }
  /** Answers of several replicas of one request were compared (core/scheduler/redundancy/disagreement). */
  | {
      readonly type: 'replicas-compared';
      /** In groups that agree, the largest first. */
      readonly groups: readonly (readonly CandidateId[])[];
      /** 0-1: share of pairs that differ. */
      readonly disagreement: number;
      readonly outcome: 'agree' | 'best-verified' | 'review';
      /** Whose answer is taken; null: a person's matter. */
      readonly chosen: CandidateId | null;
      readonly reason: string;
    }
  | { readonly type: 'call-committed'; readonly candidate: CandidateId; readonly rung: Rung }
  | {
      readonly type: 'call-finished';
      readonly outcome: 'answered' | 'refused' | 'failed' | 'cancelled';
      readonly candidate: CandidateId | null;
      readonly rung: Rung;
      readonly attempts: number;
      readonly costUsd: number;
      /** Attempts whose price is not known and which `costUsd` leaves out; absent: none. */
      readonly unpricedAttempts?: number;
      readonly elapsedMs: number;
      /** How long a usable answer was kept back, and for whom; absent: not at all. */
      readonly heldMs?: number;
      readonly heldFor?: CandidateId;
      /** Of `costUsd`: what attempts cost that were cancelled or failed. Absent in events of earlier versions. */
      readonly loserUsd?: number;
    }
  /** Cause -> rule -> action of one recovery decision. `fault` is null where no fault caused it. */
  | {
      readonly type: 'decision-made';
      readonly fault: Fault | null;
      readonly action: RecoveryAction | 'ACCEPT';
      readonly reason: string;
      readonly rule: string;
      /** Of the classifier's and of the decision's rules, for audit. */
      readonly rulesVersion: string;
      readonly waitMs: number;
      readonly stepBudgetLeft: number;
      /** Of the tenant's bucket. Absent in events of earlier versions. */
      readonly tenantBudgetLeft?: number;
      readonly taskBudgetLeft: number;
      readonly rung: Rung;
      /** Present where the next attempt is degraded. */
      readonly degradation?: Degradation;
      /** Present where only a person's word is lacking to go on at a lower rung. */
      readonly proposes?: ProposedRung;
      /** Present where it is about a command or an edit, by its ledger key. */
      readonly effect?: { readonly key: string; readonly title: string; readonly level: EffectLevel };
    }
  /** A breaker's state has changed, here or in another window. `untilMs`: deadline of the opening; null: none is set. */
  | {
      readonly type: 'breaker-changed';
      /** `provider:`, `model:`, `tool:` or `tenant:` and the name. */
      readonly target: string;
      readonly from: BreakerStatus;
      readonly to: BreakerStatus;
      /** What tripped or closed it, in words. */
      readonly why: string;
      readonly untilMs: number | null;
      /** Openings in a row. */
      readonly strikes: number;
      readonly figures: BreakerFigures;
    }
  /** A probe of a half-open breaker, or of one that the scheduler suspects, has ended. `isHealthy` null: it said nothing of it. */
  | {
      readonly type: 'breaker-probed';
      readonly target: string;
      readonly isHealthy: boolean | null;
      readonly elapsedMs: number;
      readonly costUsd: number;
    }
  /** An attempt had to wait for a place in its pools and got it. */
  | {
      readonly type: 'place-waited';
      readonly pools: readonly string[];
      readonly waitedMs: number;
      readonly queued: number;
    }
  /**
   * An attempt was not made: its candidate is closed off, no place came free in time, or no money is left for it. Of `spending`
   * the target is the budget: `call`, `task` or `day`.
   */
  | {
      readonly type: 'attempt-withheld';
      readonly candidate: CandidateId;
      readonly why: 'breaker-open' | 'queue-full' | 'waited-too-long' | 'spending';
      readonly target: string;
      readonly untilMs: number | null;
    }
  | {
      readonly type: 'effect-changed';
      readonly key: string;
      readonly tool: string;
      readonly title: string;
      readonly level: EffectLevel;
      readonly from: EntryState | null;
      readonly to: EntryState;
      readonly evidence: string;
    }
  /** An effect was asked for again and not run, since its entry says it happened or may have. */
  | {
      readonly type: 'effect-withheld';
      readonly key: string;
      readonly title: string;
      readonly state: EntryState;
      readonly reason: string;
    }
  | {
      readonly type: 'command-assessed';
      readonly title: string;
      readonly level: EffectLevel;
      readonly reasons: readonly string[];
      readonly verdict: 'allow' | 'ask' | 'deny';
    }
  | {
      readonly type: 'question-asked';
      readonly question: string;
      readonly title: string;
      readonly level: EffectLevel | null;
      /** What it is about; absent in events of earlier versions. */
      readonly about?: string;
    }
  | {
      readonly type: 'question-answered';
      readonly question: string;
      readonly answer: string;
      readonly by: string;
      readonly isUnanswered?: true;
    }
  | {
      readonly type: 'verification-finished';
      readonly check: CheckLevel;
      readonly passed: boolean;
      readonly evidence: string;
      /** V3 only: the check that had passed before and that the person has judged with it (HFR 4.6, drift). */
      readonly reviews?: CheckLevel;
      /** V3 only: nobody answered, which says nothing of the result. */
      readonly isUnanswered?: true;
    }
  | {
      readonly type: 'notice';
      readonly severity: 'info' | 'warning' | 'error';
      readonly message: string;
      readonly remedy: string;
    };

/** A decision event as it is emitted, stored and sent to the panel. */
export interface DecisionEvent {
  /** Counts up from 1 within one session of the controller. */
  readonly seq: number;
  readonly atMs: number;
  readonly ids: EventIds;
  readonly body: EventBody;
}

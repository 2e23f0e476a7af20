// The words of one recovery decision: the facts it is made from and what it says (HFR document 3.2-3.5, 4.1-4.4).
// Plain data and numbers, nothing to call: a caller may keep one object and change its fields between decisions.
// Everything that is not certain is told as what it is (null, 'open', false); a rule takes it as the careful case.
import type { Criticality } from '../context.ts';
import type { CheckLevel, Rung } from '../events.ts';
import type { Fault, RecoveryAction } from '../faults/fault.ts';
import type { EffectLevel, EntryState } from '../ledger/entry.ts';
import type { RecoveryPolicy } from './presets.ts';

/** What failed. `isRetryForbidden`: the server itself said that the same must not be sent again (`x-should-retry: false`). */
export interface FaultFacts extends Pick<Fault, 'class' | 'confidence' | 'secondary' | 'detail' | 'retryAfterMs'> {
  readonly isRetryForbidden: boolean;
}

/** The action a_i that failed, and where it stands. */
export interface ActionFacts {
  readonly kind: 'model' | 'tool';
  /** h(a_i), table 7. A model call is R0. */
  readonly level: EffectLevel;
  readonly criticality: Criticality;
  /** The person pinned the model: it answers or it is an error (DESIGN 1). */
  readonly isPinned: boolean;
  /** Rung at which the failed attempt ran. */
  readonly rung: Rung;
  /** The context was compressed for this step. */
  readonly isCompressed: boolean;
  /** Repairs of the input already made in this step. */
  readonly repairs: number;
  /** T4 and T5 of this very target in this task, this one included: the task-local breaker of preset `plus`. */
  readonly targetFaults: number;
}

/** What the ledger says of the action's effect; a read has none. */
export interface EffectFacts {
  /** Null: no entry. For a write that is the same as UNKNOWN. */
  readonly entry: EntryState | null;
  /** There is a probe that can tell whether the effect happened. */
  readonly canProbe: boolean;
  /** It was probed since the last attempt; what it found is `entry`. */
  readonly isProbed: boolean;
}

/** Tokens left (re-executions), as the budgets report them; a last-step reserve is already taken off. Negative counts as 0. */
export interface BudgetFacts {
  readonly step: number;
  readonly task: number;
  readonly tenant: number;
}

/** Formula of 4.8: t + d_k + t_i + t_verify <= D. All in ms; `nowMs` and `deadlineMs` on the same clock. */
export interface TimeFacts {
  readonly nowMs: number;
  readonly deadlineMs: number;
  /** d_effective = max(d_k, Retry-After), from `backoffMs`. */
  readonly waitMs: number;
  /** Estimated duration of one more execution of the step. */
  readonly stepMs: number;
  readonly verifyMs: number;
}

/** What a further attempt would rest on (4.3, stop conditions; 4.6). */
export interface EvidenceFacts {
  /** Faults of this class in a row in this step, this one included. */
  readonly sameFaults: number;
  /** Rejections in a row with the same reason, this one included; 0 where nothing was rejected. */
  readonly sameRejections: number;
  /** Test output, tool result, person's answer or changed environment that the last attempt did not have. */
  readonly hasNewEvidence: boolean;
}

/** Something that may stand in. Only what is healthy, may get the data and can take the request is ever told. */
export interface Substitute {
  /** Expected quality 0-1 from history; null: nothing is known (it may be tried, and must pass its check). */
  readonly quality: number | null;
  /** Estimated duration, ms. */
  readonly estimateMs: number;
}

/** L2. `match`: what the contract adapter says (ladder.ts); for a model `equivalent` where its answers fit the wire. */
export interface Alternate extends Substitute {
  readonly match: 'equivalent' | 'similar';
}

/** What could be done instead. Null or false: it is not there. */
export interface Options {
  /** L0: another candidate of the route at the requested tier that this fault does not rule out. */
  readonly otherCandidate: Substitute | null;
  /** L0: the same, at another account (a quota is an account's). */
  readonly otherAccount: Substitute | null;
  /** L2: a model of the same tier outside the route, or another tool for the same. */
  readonly alternate: Alternate | null;
  /** L3: a lower tier; for a tool a smaller scope. */
  readonly lower: Substitute | null;
  /** L4: cache, template or partial result, made without a model or tool. */
  readonly fallback: Substitute | null;
  /** Compression makes the request strictly smaller than the one that failed. */
  readonly canCompress: boolean;
  /** The input that was refused as wrong can be changed by what the refusal says. */
  readonly canRepair: boolean;
  /** The later steps can be planned anew, the committed ones kept. */
  readonly canReplan: boolean;
}

/** Nothing stands in and nothing can be changed. */
export const NO_OPTIONS: Options = {
  otherCandidate: null,
  otherAccount: null,
  alternate: null,
  lower: null,
  fallback: null,
  canCompress: false,
  canRepair: false,
  canReplan: false,
};

/** Everything one decision is made from. */
export interface DecisionInput {
  readonly fault: FaultFacts;
  readonly action: ActionFacts;
  readonly effect: EffectFacts;
  readonly budget: BudgetFacts;
  readonly time: TimeFacts;
  /** Of the target that failed. */
  readonly breaker: 'closed' | 'half-open' | 'open';
  readonly evidence: EvidenceFacts;
  readonly options: Options;
  /** q_min of the task, 0-1. */
  readonly qualityFloor: number;
  readonly policy: RecoveryPolicy;
}

/** Who is to do it. */
export type Target = 'same' | 'other-candidate' | 'other-account' | 'alternate' | 'lower' | 'fallback' | 'nobody';

/** One of the nine actions (table 3), with what it costs and why. */
export interface Decision {
  readonly action: RecoveryAction;
  readonly target: Target;
  /** Rung of the next attempt; of an end the rung that was reached. `isDegraded` (ladder.ts) says what must be flagged. */
  readonly rung: Rung;
  /** Wait before it, ms. */
  readonly waitMs: number;
  /** Tokens it takes from step, task and tenant: 1 for everything that executes something again, else 0. */
  readonly takes: 0 | 1;
  /** Least check that its result must pass before it is accepted (DESIGN 6). */
  readonly check: CheckLevel;
  /** ESCALATE only: the rung at which a person may let it go on; null: nothing is proposed. */
  readonly proposes: Rung | null;
  /** Rule id: `<class>/<cause>`. */
  readonly rule: string;
  /** Words for a person; static. */
  readonly reason: string;
  /** Versions of the rules and of the thresholds in force. */
  readonly rulesVersion: string;
}

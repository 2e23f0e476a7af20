// The facts of one failed round of a model call, and what core/recovery decides from them. A model call is R0 and has no ledger
// entry. A race goes over all candidates of the route, so a round that failed has no other one at its tier; that of literal mode
// goes over its hedge set only.
import type { Candidate } from '../core/candidate.ts';
import type { ChatRequest } from '../core/chat.ts';
import type { RequestContext } from '../core/context.ts';
import type { Degradation, EventBody, Rung } from '../core/events.ts';
import { rulesVersion } from '../core/faults/classify.ts';
import type { Fault, FaultClass } from '../core/faults/fault.ts';
import { backoffMs } from '../core/recovery/backoff.ts';
import { estimateStepMs } from '../core/recovery/deadline.ts';
import { decide } from '../core/recovery/decide.ts';
import type {
  BudgetFacts,
  Decision,
  DecisionInput,
  FaultFacts,
  Substitute,
  Target,
} from '../core/recovery/decision.ts';
import { degradationOf } from '../core/recovery/ladder.ts';
import type { RecoveryPolicy } from '../core/recovery/presets.ts';
import { recordedQuality, unknownProfile } from '../core/scheduler/profile.ts';
import type { AdvancedSettings } from '../core/settings.ts';
import type { CallPool } from './callPool.ts';
import { proposedRung, type RungProposal } from './callProposal.ts';
import type { ProfileBook } from './profileBook.ts';

/** What a round knows when it has failed. */
export interface FailedRound {
  readonly fault: Fault;
  readonly context: RequestContext;
  readonly pool: CallPool;
  /** As it was sent. */
  readonly request: ChatRequest;
  readonly profiles: ProfileBook;
  readonly policy: RecoveryPolicy;
  readonly retry: AdvancedSettings['retry'];
  readonly budget: BudgetFacts;
  readonly nowMs: number;
  readonly deadlineMs: number;
  /** RETRYs of this call so far. */
  readonly retries: number;
  /** In [0, 1), for the jitter. */
  readonly draw: number;
  /** Faults of this class in a row in this call, this one included. */
  readonly sameFaults: number;
  readonly isCompressed: boolean;
  /** T4 and T5 in this task of the candidate that has had the fewest (TaskFaults), those of this round included. */
  readonly targetFaults: number;
  /** The request can be made strictly smaller than it was sent. */
  readonly canCompress: boolean;
  /** Candidates of the route that no race of the call has asked yet: a hedge set is not always all of them. */
  readonly unasked: readonly Candidate[];
  /** A candidate's breaker is open. */
  readonly isClosedOff: (candidate: Candidate) => boolean;
}

/** Faults that another candidate need not have. */
const PASSING: ReadonlySet<FaultClass> = new Set<FaultClass>(['T1', 'T2', 'T3', 'T4']);

/** What a call takes when nothing is learned of how long it lasts. */
const ESTIMATE_MS = 1000;

/** Classes of which "not retryable" means that the server itself forbade it, for a model call (faults/actions.ts). */
const FORBIDDEN_BY_SERVER: ReadonlySet<FaultClass> = new Set<FaultClass>(['T1', 'T2', 'T3']);

/** One decision for the round, and what is recorded where the next attempt is degraded. */
export function decideRound(round: FailedRound): {
  readonly decision: Decision;
  readonly degradation: Degradation | null;
  /** What only lacks a person's word. */
  readonly proposal: RungProposal | null;
} {
  const facts = factsOf(round);
  const decision = decide(facts);
  const { alternate, lower } = facts.options;
  const standIns: Readonly<Partial<Record<Target, readonly [readonly Candidate[], Substitute | null]>>> = {
    alternate: [round.pool.alternates(), alternate],
    lower: [round.pool.lowers(), lower],
  };
  const [candidates, substitute] = standIns[decision.target] ?? [round.pool.candidates(), null];
  const names = candidates.map(({ id }) => id).join(', ');
  const degradation = degradationOf(decision, names, substitute?.quality ?? null);
  return { decision, degradation, proposal: proposalOf(round, facts, decision.proposes) };
}

/** What is told of a decision; `rung` absent: the present one. */
export type ToldDecision = Pick<Decision, 'action' | 'waitMs' | 'rule' | 'reason'> &
  Partial<Pick<Decision, 'rung' | 'proposes'>>;

/** The event of a decision, with the budgets and versions it was made under. */
export function decisionEvent(told: {
  readonly fault: Fault | null;
  readonly decision: ToldDecision & Pick<Decision, 'rung'>;
  readonly degradation: Degradation | null;
  readonly proposal: RungProposal | null;
  readonly left: BudgetFacts;
  readonly policy: RecoveryPolicy;
}): Extract<EventBody, { type: 'decision-made' }> {
  const { fault, decision, degradation, proposal, left, policy } = told;
  const { action, reason, rule, waitMs, rung } = decision;
  return {
    type: 'decision-made',
    fault,
    action,
    reason,
    rule,
    rulesVersion: `classify ${rulesVersion}, decide ${policy.version}`,
    waitMs,
    stepBudgetLeft: left.step,
    taskBudgetLeft: left.task,
    tenantBudgetLeft: left.tenant,
    rung,
    ...(degradation ? { degradation } : {}),
    ...(proposal ? { proposes: proposedRung(proposal) } : {}),
  };
}

function proposalOf(round: FailedRound, { options }: DecisionInput, rung: Rung | null): RungProposal | null {
  if (rung === null) return null;
  const { pool, context, isClosedOff } = round;
  const parts: Readonly<Partial<Record<Rung, readonly [Substitute | null, readonly Candidate[]]>>> = {
    L2: [options.alternate, pool.alternates()],
    L3: [options.lower, pool.lowers()],
  };
  const [substitute, serving] = parts[rung] ?? [options.fallback, []];
  const candidates = ableOf(round, serving).filter((candidate) => !isClosedOff(candidate));
  const { quality = null, estimateMs = 0 } = substitute ?? {};
  return { rung, candidates, quality, qualityFloor: context.qualityFloor, estimateMs };
}

function factsOf(round: FailedRound): DecisionInput {
  const { fault, context, pool, policy, nowMs, deadlineMs, retries, draw, budget } = round;
  const candidates = pool.candidates();
  return {
    fault: faultFacts(fault),
    action: {
      kind: 'model',
      level: 'R0',
      criticality: context.criticality,
      isPinned: pool.isPinned,
      rung: pool.rung(round.isCompressed),
      isCompressed: round.isCompressed,
      repairs: 0,
      targetFaults: round.targetFaults,
    },
    effect: { entry: null, canProbe: false, isProbed: false },
    budget,
    time: {
      nowMs,
      deadlineMs,
      waitMs: backoffMs(retries + 1, draw, fault.retryAfterMs, round.retry),
      stepMs: estimateMs(round.profiles, candidates),
      verifyMs: context.verifyMs ?? 0,
    },
    breaker: candidates.length > 0 && candidates.every(round.isClosedOff) ? 'open' : 'closed',
    evidence: { sameFaults: round.sameFaults, sameRejections: 0, hasNewEvidence: false },
    options: {
      otherCandidate: PASSING.has(fault.class) ? substituteOf(round, round.unasked) : null,
      otherAccount: null,
      alternate: alternateOf(round),
      lower: substituteOf(round, ableOf(round, pool.lowers())),
      fallback: null,
      canCompress: round.canCompress,
      canRepair: false,
      canReplan: false,
    },
    qualityFloor: context.qualityFloor,
    policy,
  };
}

function faultFacts({ class: faultClass, confidence, secondary, detail, retryAfterMs, retryable }: Fault): FaultFacts {
  const isRetryForbidden = !retryable && FORBIDDEN_BY_SERVER.has(faultClass);
  return { class: faultClass, confidence, secondary, detail, retryAfterMs, isRetryForbidden };
}

/** History is rewritten for whoever receives it, so every candidate's answers fit the caller's wire. */
function alternateOf(round: FailedRound): DecisionInput['options']['alternate'] {
  const found = substituteOf(round, ableOf(round, round.pool.alternates()));
  return found && { ...found, match: 'equivalent' };
}

/** Those that can take the request; after an overflow only a larger window can. */
function ableOf({ fault, pool, request }: FailedRound, candidates: readonly Candidate[]): readonly Candidate[] {
  const able = pool.fitOf(candidates, request).candidates;
  if (fault.class !== 'T6' && fault.secondary !== 'T6') return able;
  const largest = Math.max(...pool.candidates().map((each) => each.contextWindowTokens));
  return able.filter((each) => each.contextWindowTokens > largest);
}

/** Healthy candidates as one: the best known quality (null while that of any is unknown) and the shortest duration. */
function substituteOf(round: FailedRound, candidates: readonly Candidate[]): Substitute | null {
  const healthy = candidates.filter((candidate) => !round.isClosedOff(candidate));
  if (healthy.length === 0) return null;
  const qualities = healthy.map(({ id }) =>
    recordedQuality(round.profiles.all[id] ?? unknownProfile, round.context.role),
  );
  const quality = qualities.reduce<number | null>((a, b) => (a === null || b === null ? null : Math.max(a, b)), 0);
  return { quality, estimateMs: estimateMs(round.profiles, healthy) };
}

/** Expected duration of one more try by any of these, ms. */
export function estimateMs(profiles: ProfileBook, candidates: readonly Candidate[]): number {
  const means = candidates.map(({ id }) => profiles.all[id]?.meanTotalMs ?? 0);
  return estimateStepMs(means, ESTIMATE_MS);
}

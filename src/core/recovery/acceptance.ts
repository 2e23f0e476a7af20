// Whether a checked result may be accepted, and what follows where not (HFR 4.6, decide_after_verification). It checks nothing
// itself. A figure that is not known, or a check below the one required, never counts as passed. Here is also what a task has
// to show at its end to be a clean success (5.4).
import type { Criticality } from '../context.ts';
import type { CheckLevel, Rung } from '../events.ts';
import type { RecoveryPolicy } from './presets.ts';

/** Table 8. `cost` orders them: a higher one finds more and costs more. */
export const checkTable: Readonly<
  Record<
    CheckLevel,
    { readonly examines: string; readonly cost: 'low' | 'middle' | 'high' | 'very high'; readonly suits: string }
  >
> = {
  V0: { examines: 'transport: status, JSON schema, not empty, types', cost: 'low', suits: 'every call' },
  V1: {
    examines: 'deterministic: exit code, unit tests, type check, required fields, lint',
    cost: 'middle',
    suits: 'code, structured output, tool results',
  },
  V2: {
    examines: 'semantic: rubric judge, state of the environment, consistency across steps',
    cost: 'high',
    suits: 'natural language, complex tasks',
  },
  V3: {
    examines: 'authority: approval of high stakes, review by an expert',
    cost: 'very high',
    suits: 'what cannot be undone',
  },
};

const ORDER: Readonly<Record<CheckLevel, number>> = { V0: 0, V1: 1, V2: 2, V3: 3 };

/** Table 5, column "acceptance"; at L4 a person confirms whatever is not of low criticality. */
const CHECK_OF_RUNG: Readonly<Record<Rung, CheckLevel>> = { L0: 'V0', L1: 'V1', L2: 'V1', L3: 'V2', L4: 'V2' };

/** The least check of a result: max(by criticality, by rung) (DESIGN 6). */
export function requiredCheck(
  criticality: Criticality,
  rung: Rung,
  policy: Pick<RecoveryPolicy, 'checks'>,
): CheckLevel {
  const byRung = rung === 'L4' && criticality !== 'low' ? 'V3' : CHECK_OF_RUNG[rung];
  const byCriticality = policy.checks[criticality];
  return ORDER[byRung] > ORDER[byCriticality] ? byRung : byCriticality;
}

/** What a verifier says of a result. */
export interface Verification {
  readonly passed: boolean;
  /** Its estimate of the quality, 0-1; null: it has none. */
  readonly quality: number | null;
  /** The check that was really made. */
  readonly check: CheckLevel;
}

export interface AcceptanceFacts {
  /** q_min, 0-1. */
  readonly qualityFloor: number;
  /** From `requiredCheck`. */
  readonly required: CheckLevel;
  readonly canRetry: boolean;
  readonly hasNewEvidence: boolean;
  readonly canDegrade: boolean;
}

/** `check-further`: it passed, but by a lower check than it needs. `degrade-or-escalate`: passed below the quality floor. */
export type AcceptanceVerdict = 'accept' | 'check-further' | 'degrade-or-escalate' | 'retry' | 'degrade' | 'escalate';

/** decide_after_verification of 4.6. */
export function decideAfterVerification(result: Verification, facts: AcceptanceFacts): AcceptanceVerdict {
  if (result.passed) {
    // Also false for a quality that is no number.
    if (!((result.quality ?? Number.NEGATIVE_INFINITY) >= facts.qualityFloor)) return 'degrade-or-escalate';
    return ORDER[result.check] >= ORDER[facts.required] ? 'accept' : 'check-further';
  }
  if (facts.canRetry && facts.hasNewEvidence) return 'retry';
  return facts.canDegrade ? 'degrade' : 'escalate';
}

/** What is known of a task when its work is over (5.4). */
export interface FinalFacts {
  /** g was reached and accepted. */
  readonly isAccepted: boolean;
  /** Effects that are PREPARED or UNKNOWN; null: the ledger cannot tell. */
  readonly openEffects: number | null;
  /** Effects that were committed more than once; null: the ledger cannot tell. */
  readonly duplicates: number | null;
  /** Degraded answers or edits of which nobody knows who made them at which rung. */
  readonly unlabelled: number;
  /** Results that a person should look at and has not. */
  readonly openReviews: number;
}

/** The final acceptance of 5.4: clean only where all of it holds. `reasons`: what beside g does not, in words. */
export function finalAcceptance(facts: FinalFacts): { readonly isClean: boolean; readonly reasons: readonly string[] } {
  const { isAccepted, openEffects, duplicates, unlabelled, openReviews } = facts;
  const isLedgerRead = openEffects !== null && duplicates !== null;
  const counted: readonly (readonly [count: number, words: string])[] = [
    [openEffects ?? 0, 'effects are not settled'],
    [duplicates ?? 0, 'effects were committed more than once'],
    [unlabelled, 'degraded answers are not labelled with who made what'],
    [openReviews, 'results wait for a person to look at them'],
  ];
  const reasons = [
    ...(isLedgerRead ? [] : ['the ledger cannot be read, so nobody knows whether every effect is settled']),
    ...counted.filter(([count]) => !(count === 0)).map(([count, words]) => `${count} ${words}`),
  ];
  return { isClean: isAccepted && reasons.length === 0, reasons };
}

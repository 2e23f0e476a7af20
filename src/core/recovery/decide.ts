// What to do after a failed round of a model call (HFR 4.3, tables 2 and 3): one action with its reason and rule.
// First version, for model calls (R0): candidates of the pool were already tried by the race. Pure and total.
import type { Criticality } from '../context.ts';
import type { Fault, FaultClass, RecoveryAction } from '../faults/fault.ts';

/** Version of the rules below, for events and audit. */
export const decisionRulesVersion = '1';

export interface DecisionInput {
  readonly fault: Fault;
  readonly criticality: Criticality;
  /** Re-executions left for the step and for the task. */
  readonly stepBudgetLeft: number;
  readonly taskBudgetLeft: number;
  readonly nowMs: number;
  readonly deadlineMs: number;
  /** Wait before the retry, from backoffMs. */
  readonly waitMs: number;
  /** Estimated duration of one more try. */
  readonly estimateMs: number;
  /** Faults of this class in a row in this call, this one included. */
  readonly sameFaultCount: number;
  readonly sameFaultLimit: number;
  /** True once the context has been compressed for this call. */
  readonly isCompressed: boolean;
  /** True when a model of a lower tier may take over (L3): there is one, it is not pinned, the criticality allows it. */
  readonly canDegrade: boolean;
  /** True when compression can make the request strictly smaller. */
  readonly canCompress: boolean;
}

export interface Decision {
  readonly action: RecoveryAction;
  readonly waitMs: number;
  readonly reason: string;
  /** Rule id: `<class>/<what decided>`. */
  readonly rule: string;
}

type Rule = (input: DecisionInput) => Decision;

const stop = (action: 'FAIL' | 'ESCALATE', rule: string, reason: string): Decision => ({
  action,
  waitMs: 0,
  rule,
  reason,
});

/** Retry if budgets, deadline and evidence allow it; else fail, or escalate what is critical. */
const retryWithin: Rule = (input) => {
  const { fault } = input;
  const rule = (name: string): string => `${fault.class}/${name}`;
  const degrade: Decision = {
    action: 'DEGRADE_MODEL',
    waitMs: 0,
    rule: rule('degrade'),
    reason: 'no candidate of the requested tier answers: a lower tier takes over',
  };
  // T4 and T5: trying the same model again is of little worth (HFR should_retry).
  if (fault.class === 'T4' && input.canDegrade) return degrade;
  const giveUp = input.criticality === 'high' ? 'ESCALATE' : 'FAIL';
  const orDegrade = (name: string, reason: string): Decision =>
    input.canDegrade ? degrade : stop(giveUp, rule(name), reason);
  if (input.stepBudgetLeft <= 0) return orDegrade('step-budget', 'the retries of this step are used up');
  if (input.taskBudgetLeft <= 0) return orDegrade('task-budget', 'the retries of this task are used up');
  if (input.sameFaultCount >= input.sameFaultLimit) {
    return orDegrade('same-fault', `the same fault came ${input.sameFaultCount} times without new evidence`);
  }
  if (input.nowMs + input.waitMs + input.estimateMs > input.deadlineMs) {
    return orDegrade('deadline', 'a retry would end after the deadline');
  }
  return {
    action: 'RETRY',
    waitMs: input.waitMs,
    rule: rule('retry'),
    reason: 'may pass: sent again after a jittered wait',
  };
};

/** T6: never resent unchanged; once compressed, or not compressible, it ends. */
const compressOnce: Rule = (input) => {
  if (input.isCompressed) return stop('FAIL', 'T6/still-too-large', 'the context does not fit, even compressed');
  if (!input.canCompress)
    return stop('FAIL', 'T6/nothing-to-trim', 'the context does not fit and nothing in it may be left out');
  return {
    action: 'COMPRESS',
    waitMs: 0,
    rule: 'T6/compress',
    reason: 'the context is too large: old tool results are shortened',
  };
};

const permanent: Rule = ({ fault }) =>
  fault.detail === 'fixable'
    ? stop('FAIL', 'T7/fixable', 'the request itself is refused as wrong; sending it again cannot help')
    : stop(
        'ESCALATE',
        `T7/${fault.detail ?? 'permission'}`,
        'a key, permission or quota is missing; a person must mend it',
      );

const refusal: Rule = () =>
  stop('ESCALATE', 'T8/refusal', 'the model refused; a refusal is surfaced, never routed around');

/** A single careful probe for what is not understood: reads may be tried once more. */
const probeOnce: Rule = (input) =>
  input.sameFaultCount >= 2
    ? stop(
        input.criticality === 'high' ? 'ESCALATE' : 'FAIL',
        'unknown/probed',
        'not understood, also after one more try',
      )
    : retryWithin(input);

const rules: Readonly<Record<FaultClass, Rule>> = {
  T1: retryWithin,
  T2: retryWithin,
  T3: retryWithin,
  T4: retryWithin,
  T5: permanent,
  T6: compressOnce,
  T7: permanent,
  T8: refusal,
  V1: retryWithin,
  unknown: probeOnce,
};

/** The action for a failed round. T7 and T8 are never retried (HFR 3.5, border 1). */
export function decide(input: DecisionInput): Decision {
  if (input.fault.confidence < 0.5 && input.criticality === 'high' && input.fault.class !== 'T8') {
    return stop('ESCALATE', `${input.fault.class}/low-confidence`, 'not sure what happened, and the task is critical');
  }
  return rules[input.fault.class](input);
}

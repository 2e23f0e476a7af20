// Why a decision was made: every cause with its words and, where it ends a step, how the document lets it end (tables 2, 9).
// Rule ids are `<class>/<cause>`, built once, so that a decision makes no text.
import type { FaultClass } from '../../faults/fault.ts';

export interface Cause {
  /** Words for a person. */
  readonly reason: string;
  /** What an end for this cause is called before criticality and preset are weighed; null: it goes on. */
  readonly ends: 'FAIL' | 'ESCALATE' | null;
  /** Rule id by class. */
  readonly rules: Readonly<Record<FaultClass, string>>;
}

function cause(name: string, reason: string, ends: Cause['ends']): Cause {
  const rules = {
    T1: `T1/${name}`,
    T2: `T2/${name}`,
    T3: `T3/${name}`,
    T4: `T4/${name}`,
    T5: `T5/${name}`,
    T6: `T6/${name}`,
    T7: `T7/${name}`,
    T8: `T8/${name}`,
    V1: `V1/${name}`,
    unknown: `unknown/${name}`,
  };
  return { reason, ends, rules };
}

const goesOn = (name: string, reason: string): Cause => cause(name, reason, null);
const fails = (name: string, reason: string): Cause => cause(name, reason, 'FAIL');
const escalates = (name: string, reason: string): Cause => cause(name, reason, 'ESCALATE');

/** Every cause by its name. */
export const causes = {
  // Going on.
  retry: goesOn('retry', 'may pass: done again after a jittered wait'),
  elsewhere: goesOn('elsewhere', 'may pass elsewhere: another healthy candidate takes it at once'),
  probe: goesOn('probe', 'not understood: a read is tried once more'),
  waitForCapacity: goesOn('wait-for-capacity', 'nobody else can serve: the same model is asked again after a wait'),
  evidence: goesOn('evidence', 'rejected with a reason that the next attempt is given'),
  reconcile: goesOn('reconcile', 'it may have happened: ledger and outside are asked before anything else'),
  alreadyDone: goesOn('already-done', 'the ledger says it was done: its outcome is taken, nothing is done again'),
  compress: goesOn('compress', 'the context is too large: it is made strictly smaller'),
  otherModel: goesOn('other-model', 'this model cannot serve it: another candidate of the same tier takes over'),
  otherAccount: goesOn('other-account', 'the quota of this account is used up: another account takes over'),
  alternate: goesOn('alternate', 'the target does not serve: a substitute of the same tier takes over'),
  largerWindow: goesOn('larger-window', 'a candidate with a larger context window takes over'),
  degrade: goesOn('degrade', 'nobody of the requested tier answers: a lower tier or smaller scope takes over'),
  fallback: goesOn('fallback', 'nothing else is left: a deterministic fallback answers, marked as degraded'),
  repair: goesOn('repair', 'the input was refused as wrong: it is repaired once'),
  replan: goesOn('replan', 'doing the same again is of little worth: the later steps are planned anew'),
  // Ends by the nature of the fault.
  refusal: escalates('refusal', 'the model refused; a refusal is surfaced, never routed around'),
  permission: escalates('permission', 'a key or permission is missing; a person must mend it'),
  quota: escalates('quota', 'a quota is used up; a person must raise it or wait'),
  permanent: fails('permanent', 'the request is refused for good; sending it again cannot help'),
  fixable: fails('fixable', 'the request itself is refused as wrong; sending it again cannot help'),
  nothingToTrim: fails('nothing-to-trim', 'the context does not fit and nothing in it may be left out'),
  stillTooLarge: fails('still-too-large', 'the context does not fit, even compressed'),
  noEquivalent: escalates('no-equivalent', 'the tool cannot be used and no equivalent one is there'),
  rejected: escalates('rejected', 'the result was rejected and there is no new evidence to try with'),
  fallbackFailed: fails('fallback-failed', 'also the deterministic fallback did not do; it would give the same again'),
  lowConfidence: escalates('low-confidence', 'not sure what happened, and the task is critical'),
  unreadable: escalates('unreadable', 'nothing could be read of the failure; it may have been a refusal'),
  effectUnknown: escalates('effect-unknown', 'it may have happened and nothing can tell; it is not done again'),
  compensated: escalates('compensated', 'its effect was taken back; whether it is done again is for a person'),
  // Stop conditions of a retry (4.3).
  irreversible: escalates('irreversible', 'an irreversible action is never done again by the program'),
  notAbsent: escalates('not-absent', 'it is not confirmed that it did not happen'),
  committed: escalates('committed', 'its effect is committed and cannot be made again'),
  stepBudget: fails('step-budget', 'the retries of this step are used up'),
  taskBudget: fails('task-budget', 'the retries of this task are used up'),
  tenantBudget: fails('tenant-budget', 'the retries of this tenant are used up for now'),
  sameFault: fails('same-fault', 'the same fault came again without new evidence'),
  probed: fails('probed', 'not understood, also after one more try'),
  sameRejection: escalates('same-rejection', 'rejected twice for the same reason'),
  forbidden: escalates('forbidden', 'the server forbade to send the same again'),
  breakerOpen: escalates('breaker-open', 'the circuit breaker of the target is open'),
  deadline: escalates('deadline', 'one more try would end after the deadline'),
} as const;

// Single rules of a decision that the table (decideTable.test.ts) does not vary: what decides, in which order, with which figures.
import { describe, expect, it } from 'vitest';
import { classify } from '../../../../src/core/faults/classify.ts';
import type { Observation, Operation } from '../../../../src/core/faults/fault.ts';
import { decide } from '../../../../src/core/recovery/decide.ts';
import type { Options } from '../../../../src/core/recovery/decision.ts';
import { bare, facts, policies, rich, type Change } from '../../../support/decisionInputs.ts';

const rule = (change: Change): string => decide(facts(change)).rule;
const action = (change: Change): string => decide(facts(change)).action;
const unknown = { quality: null, estimateMs: 500 };
const withOptions = (options: Partial<Options>): { readonly options: Options } => ({
  options: { ...bare, ...options },
});

describe('two faults at once', () => {
  it.each([
    ['T2', 'T6', 'T6/nothing-to-trim'],
    ['T3', 'T8', 'T8/refusal'],
    ['T7', 'T8', 'T8/refusal'],
    ['T1', 'T4', 'T1/retry'],
    ['T6', 'T7', 'T6/nothing-to-trim'],
    ['T7', 'T6', 'T7/permanent'],
    ['T7', 'T1', 'T7/permanent'],
  ] as const)('%s with %s is decided as %s', (primary, secondary, wanted) => {
    expect(rule({ fault: { class: primary, secondary } })).toBe(wanted);
  });

  it('of a write that may have happened come after the look at what happened', () => {
    const write = { action: { kind: 'tool', level: 'R2' }, effect: { entry: 'UNKNOWN', canProbe: true } } as const;
    expect(rule({ ...write, fault: { class: 'T7', secondary: 'T3' } })).toBe('T7/reconcile');
  });

  it('wait as the rate limit asks when an overflow came with it, and not where another candidate is free', () => {
    const fault = { class: 'T6', secondary: 'T2', retryAfterMs: 4000 } as const;
    expect(decide(facts({ fault, ...withOptions({ canCompress: true }) }))).toMatchObject({
      action: 'COMPRESS',
      waitMs: 4000,
    });
    const free = withOptions({ canCompress: true, otherCandidate: unknown });
    expect(decide(facts({ fault, ...free }))).toMatchObject({ action: 'COMPRESS', waitMs: 0 });
  });

  it('retry a throttling that a vendor tells under 400, where the status alone would be T7', () => {
    const body = { __type: 'ThrottlingException', message: 'Rate exceeded' };
    const seen = {
      httpStatus: 400,
      headers: {},
      body,
      clientError: null,
      streamPhase: null,
      finishReason: null,
    } as const;
    const fault = classify({ ...seen, provider: 'bedrock', operation: 'model_read' });
    expect(fault).toMatchObject({ class: 'T2', secondary: 'T7' });
    expect(rule({ fault: { ...fault, isRetryForbidden: false } })).toBe('T2/retry');
  });
});

describe('low confidence', () => {
  const unsure = { confidence: 0.49 };

  it('lets a read be probed once, then ends it', () => {
    expect(rule({ fault: unsure })).toBe('T1/probe');
    expect(rule({ fault: unsure, evidence: { sameFaults: 2 } })).toBe('T1/probed');
    expect(rule({ fault: { confidence: 0.5 }, evidence: { sameFaults: 2 } })).toBe('T1/retry');
  });

  it('reconciles a write first, also one that may be repeated', () => {
    const effect = { entry: 'UNKNOWN', canProbe: true } as const;
    expect(rule({ fault: unsure, effect, action: { kind: 'tool', level: 'R1' } })).toBe('T1/reconcile');
    expect(rule({ fault: {}, effect, action: { kind: 'tool', level: 'R1' } })).toBe('T1/retry');
  });

  it('escalates critical work at once, and what could not be read at all', () => {
    expect(rule({ fault: unsure, action: { criticality: 'high' } })).toBe('T1/low-confidence');
    expect(rule({ fault: { confidence: 0 } })).toBe('T1/unreadable');
  });

  it('repairs nothing that is not understood', () => {
    const fault = { class: 'T7', detail: 'fixable' } as const;
    const change = { policy: policies.plus, ...withOptions({ canRepair: true }) };
    expect(rule({ ...change, fault })).toBe('T7/repair');
    expect(rule({ ...change, fault: { ...fault, ...unsure } })).toBe('T7/fixable');
  });
});

describe('overload', () => {
  const T4 = { class: 'T4' } as const;

  it('is waited out at the same model with a second on top of the jitter, where nobody else is there', () => {
    expect(decide(facts({ fault: T4 }))).toMatchObject({ rule: 'T4/wait-for-capacity', waitMs: 1100, target: 'same' });
    expect(decide(facts({ fault: { ...T4, retryAfterMs: 5000 } })).waitMs).toBe(6000);
  });

  it('prefers the route, then the same tier, then a lower one', () => {
    const { otherCandidate, alternate, lower } = rich;
    expect(rule({ fault: T4, ...withOptions({ otherCandidate, alternate, lower }) })).toBe('T4/other-model');
    expect(rule({ fault: T4, ...withOptions({ alternate, lower }) })).toBe('T4/alternate');
    expect(rule({ fault: T4, ...withOptions({ lower }) })).toBe('T4/degrade');
    expect(rule({ fault: T4, action: { criticality: 'high' }, ...withOptions({ lower }) })).toBe(
      'T4/wait-for-capacity',
    );
  });

  it('of a pinned model is retried elsewhere in its route, never degraded', () => {
    const pinned = { fault: T4, action: { isPinned: true }, options: rich };
    expect(decide(facts(pinned))).toMatchObject({ action: 'RETRY', target: 'other-candidate', rung: 'L0', waitMs: 0 });
    expect(rule({ ...pinned, options: { ...rich, otherCandidate: null } })).toBe('T4/wait-for-capacity');
  });

  it('of the substitute is retried there in preset plus, in preset document only waited out', () => {
    const atAlternate = { fault: T4, action: { rung: 'L2' } } as const;
    expect(rule({ ...atAlternate, policy: policies.plus })).toBe('T4/retry');
    expect(rule(atAlternate)).toBe('T4/wait-for-capacity');
  });
});

describe('a tool that cannot be used', () => {
  const T5 = { fault: { class: 'T5' }, action: { kind: 'tool' } } as const;

  it('is replaced, else its parameters are repaired once, else the plan is changed', () => {
    expect(rule({ ...T5, options: rich })).toBe('T5/alternate');
    expect(rule({ ...T5, options: { ...rich, alternate: null } })).toBe('T5/repair');
    expect(rule({ ...T5, action: { kind: 'tool', repairs: 1 }, options: { ...rich, alternate: null } })).toBe(
      'T5/replan',
    );
    expect(rule({ ...T5, ...withOptions({ canRepair: true }) })).toBe('T5/repair');
  });

  it('is not asked again by a plan that goes round', () => {
    const going = { ...T5, ...withOptions({ canReplan: true, canRepair: true }) };
    expect(rule({ ...going, evidence: { sameFaults: 3 } })).toBe('T5/no-equivalent');
    expect(rule({ ...going, evidence: { sameFaults: 3, hasNewEvidence: true } })).toBe('T5/repair');
  });
});

describe('an overflow', () => {
  const T6 = { class: 'T6' } as const;

  it('is compressed to L1, or stays at the rung where it already is', () => {
    const can = withOptions({ canCompress: true });
    expect(decide(facts({ fault: T6, ...can }))).toMatchObject({
      action: 'COMPRESS',
      rung: 'L1',
      takes: 1,
      check: 'V2',
    });
    expect(decide(facts({ fault: T6, action: { rung: 'L3' }, ...can })).rung).toBe('L3');
  });

  it('goes to a larger window where nothing can be left out', () => {
    expect(rule({ fault: T6, ...withOptions({ otherCandidate: unknown }) })).toBe('T6/larger-window');
    expect(rule({ fault: T6, ...withOptions({ alternate: rich.alternate }) })).toBe('T6/alternate');
    expect(rule({ fault: T6, action: { isCompressed: true } })).toBe('T6/still-too-large');
  });

  it('that would be compressed too late goes down the ladder', () => {
    const late = { time: { deadlineMs: 900 }, fault: T6 } as const;
    expect(rule({ ...late, ...withOptions({ canCompress: true }) })).toBe('T6/deadline');
    expect(rule({ ...late, ...withOptions({ canCompress: true, lower: unknown }) })).toBe('T6/degrade');
  });

  it('names the budget that is used up', () => {
    const can = { fault: T6, ...withOptions({ canCompress: true }) };
    expect(rule({ ...can, budget: { step: 0 } })).toBe('T6/step-budget');
    expect(rule({ ...can, budget: { task: 0 } })).toBe('T6/task-budget');
    expect(rule({ ...can, budget: { tenant: 0.9 } })).toBe('T6/tenant-budget');
  });

  it('of a write is not sent again in another form while it may have happened', () => {
    const write = { fault: T6, action: { kind: 'tool', level: 'R2' }, ...withOptions({ canCompress: true }) } as const;
    expect(rule({ ...write, effect: { entry: 'FAILED' } })).toBe('T6/not-absent');
    expect(rule({ ...write, effect: { entry: 'RECONCILED_ABSENT' } })).toBe('T6/compress');
  });
});

describe('a permanent fault', () => {
  const fixable = { class: 'T7', detail: 'fixable' } as const;

  it('is repaired once in preset plus, through another candidate, the substitute, or the input itself', () => {
    const plus = { fault: fixable, policy: policies.plus };
    expect(decide(facts({ ...plus, options: rich }))).toMatchObject({ rule: 'T7/repair', target: 'other-candidate' });
    const noOther = { ...rich, otherCandidate: null };
    expect(decide(facts({ ...plus, options: noOther }))).toMatchObject({
      rule: 'T7/repair',
      target: 'alternate',
      rung: 'L2',
    });
    const input = withOptions({ canRepair: true });
    expect(decide(facts({ ...plus, ...input }))).toMatchObject({ rule: 'T7/repair', action: 'REPLAN', target: 'same' });
    expect(rule({ ...plus, options: rich, action: { repairs: 1 } })).toBe('T7/fixable');
    expect(rule({ ...plus, options: { ...noOther, canRepair: false }, action: { isPinned: true } })).toBe('T7/fixable');
  });

  it('takes another account for a used-up quota in preset plus only, and not of a pinned model', () => {
    const quota = { fault: { class: 'T7', detail: 'quota' }, options: rich, policy: policies.plus } as const;
    expect(decide(facts(quota))).toMatchObject({
      action: 'DEGRADE_MODEL',
      target: 'other-account',
      rung: 'L0',
      takes: 1,
    });
    expect(rule({ ...quota, action: { isPinned: true } })).toBe('T7/quota');
    expect(rule({ ...quota, policy: policies.document })).toBe('T7/quota');
    expect(rule({ ...quota, time: { deadlineMs: 600 } })).toBe('T7/quota');
    expect(rule({ ...quota, budget: { step: 0 } })).toBe('T7/quota');
  });
});

describe('a rejected result', () => {
  const V1 = { class: 'V1' } as const;
  const evident = { hasNewEvidence: true, sameRejections: 1 };

  it('is made again with the evidence, after a backoff in preset document and at once in plus', () => {
    expect(decide(facts({ fault: V1, evidence: evident }))).toMatchObject({ rule: 'V1/evidence', waitMs: 100 });
    expect(decide(facts({ fault: V1, evidence: evident, policy: policies.plus })).waitMs).toBe(0);
    expect(decide(facts({ fault: V1, evidence: evident, ...withOptions({ otherCandidate: unknown }) })).waitMs).toBe(0);
  });

  it('for the same reason twice changes the plan or who does it', () => {
    const twice = { fault: V1, evidence: { ...evident, sameRejections: 2 } };
    expect(rule({ ...twice, options: rich })).toBe('V1/replan');
    expect(rule({ ...twice, ...withOptions({ otherCandidate: unknown }) })).toBe('V1/other-model');
    expect(rule({ ...twice, ...withOptions({ alternate: rich.alternate }) })).toBe('V1/alternate');
    expect(rule(twice)).toBe('V1/same-rejection');
  });

  it('of a committed write is a matter for the plan, else for a person', () => {
    const committed = {
      fault: V1,
      action: { kind: 'tool', level: 'R2' },
      effect: { entry: 'COMMITTED' },
      evidence: evident,
    } as const;
    expect(rule({ ...committed, options: rich })).toBe('V1/replan');
    expect(rule({ ...committed, options: { ...rich, canReplan: false } })).toBe('V1/committed');
  });

  it('at an open breaker goes to another one', () => {
    const open = { fault: V1, evidence: evident, breaker: 'open' } as const;
    expect(rule({ ...open, ...withOptions({ otherCandidate: unknown }) })).toBe('V1/other-model');
    expect(rule(open)).toBe('V1/breaker-open');
  });
});

describe('the ledger', () => {
  const write = (
    entry: 'COMMITTED' | 'COMPENSATED' | 'FAILED' | 'PREPARED' | null,
    level: 'R1' | 'R2' = 'R2',
  ): Change => ({
    action: { kind: 'tool', level },
    effect: { entry, canProbe: true },
  });

  it('that says it was done is believed, and nothing is done again', () => {
    expect(decide(facts(write('COMMITTED')))).toMatchObject({ action: 'RECONCILE', rule: 'T1/already-done', takes: 0 });
  });

  it('that says it was taken back, or nothing, is not a reason to do it again', () => {
    expect(rule(write('COMPENSATED'))).toBe('T1/compensated');
    expect(rule(write(null))).toBe('T1/reconcile');
    expect(rule(write('PREPARED'))).toBe('T1/reconcile');
  });

  it('that says FAILED lets R1 be retried, and has R2 looked up before', () => {
    expect(rule(write('FAILED', 'R1'))).toBe('T1/retry');
    expect(rule(write('FAILED'))).toBe('T1/reconcile');
    expect(rule({ ...write('FAILED'), effect: { entry: 'FAILED', canProbe: true, isProbed: true } })).toBe(
      'T1/not-absent',
    );
    const alternate = withOptions({ alternate: rich.alternate });
    expect(rule({ ...write('FAILED'), fault: { class: 'T5' }, ...alternate })).toBe('T5/alternate');
  });
});

describe('the last rung', () => {
  it('gives the same each time, so a failure of the fallback is the end', () => {
    expect(rule({ action: { rung: 'L4', criticality: 'low' }, options: rich })).toBe('T1/fallback-failed');
    expect(action({ action: { rung: 'L4', criticality: 'low' }, options: rich })).toBe('FAIL');
  });
});

describe('a decision and the classifier', () => {
  const see = (operation: Operation, change: Partial<Observation>): Observation => ({
    httpStatus: null,
    headers: {},
    body: null,
    clientError: null,
    streamPhase: 'before_headers',
    finishReason: null,
    operation,
    ...change,
  });
  const SEEN: readonly Partial<Observation>[] = [
    { httpStatus: 503 },
    { httpStatus: 429, headers: { 'retry-after': '2' } },
    { httpStatus: 408 },
    { httpStatus: 529 },
    { httpStatus: 400, body: { error: { code: 'context_length_exceeded', message: 'too many tokens' } } },
    { httpStatus: 400, body: { error: { type: 'invalid_request_error', message: 'missing field' } } },
    { httpStatus: 401 },
    { httpStatus: 429, body: { error: { code: 'insufficient_quota' } } },
    { httpStatus: 503, headers: { 'x-should-retry': 'false' } },
    { httpStatus: 200, finishReason: 'content_filter', streamPhase: 'after_finish' },
  ];

  it.each(['model_read', 'tool_read'] as const)(
    'agree on the action for a %s where everything is there',
    (operation) => {
      for (const seen of SEEN) {
        const fault = classify(see(operation, seen));
        const isRetryForbidden = !fault.retryable && ['T1', 'T2', 'T3'].includes(fault.class);
        const { otherCandidate: _, ...others } = rich;
        const decision = decide(
          facts({
            fault: { ...fault, isRetryForbidden },
            action: { kind: operation === 'model_read' ? 'model' : 'tool' },
            options: {
              ...others,
              ...(operation === 'tool_read' && isRetryForbidden ? { alternate: null, lower: null } : {}),
            },
          }),
        );
        expect(decision.action, `${JSON.stringify(seen)}: ${decision.rule}`).toBe(fault.action);
      }
    },
  );

  it('agree that a write in doubt is reconciled', () => {
    for (const seen of [
      { httpStatus: 503 },
      { httpStatus: 408 },
      { httpStatus: 529 },
      { clientError: { code: 'ETIMEDOUT' } },
    ]) {
      const fault = classify(see('tool_write', seen));
      const effect = { entry: 'UNKNOWN', canProbe: true } as const;
      const decision = decide(
        facts({ fault: { ...fault, isRetryForbidden: false }, action: { kind: 'tool', level: 'R2' }, effect }),
      );
      expect([decision.action, fault.action]).toEqual(['RECONCILE', 'RECONCILE']);
    }
  });
});

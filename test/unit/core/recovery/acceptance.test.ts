// The acceptance rule and the check levels (HFR 4.6, tables 5 and 8; DESIGN 6), and the control states of a task (table 9).
import { describe, expect, it } from 'vitest';
import {
  checkTable,
  decideAfterVerification,
  finalAcceptance,
  requiredCheck,
  type AcceptanceFacts,
  type FinalFacts,
  type Verification,
} from '../../../../src/core/recovery/acceptance.ts';
import {
  isLegalMove,
  stateOfAction,
  taskStates,
  type TaskStateName,
} from '../../../../src/core/recovery/taskStates.ts';
import { policies, policyFrom } from '../../../support/decisionInputs.ts';

const passed: Verification = { passed: true, quality: 0.9, check: 'V2' };
const failed: Verification = { ...passed, passed: false };
const usual: AcceptanceFacts = {
  qualityFloor: 0.8,
  required: 'V1',
  canRetry: true,
  hasNewEvidence: true,
  canDegrade: true,
};
const verdict = (result: Partial<Verification>, change: Partial<AcceptanceFacts> = {}): string =>
  decideAfterVerification({ ...passed, ...result }, { ...usual, ...change });

describe('a result that passed', () => {
  it('is accepted at the floor or above, and never below it', () => {
    expect(verdict({ quality: 0.8 })).toBe('accept');
    expect(verdict({ quality: 0.799 })).toBe('degrade-or-escalate');
  });

  it('is not accepted where its quality is not known', () => {
    expect(verdict({ quality: null })).toBe('degrade-or-escalate');
    expect(verdict({ quality: null }, { qualityFloor: 0 })).toBe('degrade-or-escalate');
    expect(verdict({ quality: Number.NaN })).toBe('degrade-or-escalate');
    expect(verdict({}, { qualityFloor: Number.NaN })).toBe('degrade-or-escalate');
  });

  it('by a lower check than it needs is checked further', () => {
    expect(verdict({ check: 'V1' }, { required: 'V2' })).toBe('check-further');
    expect(verdict({ check: 'V2' }, { required: 'V2' })).toBe('accept');
    expect(verdict({ check: 'V3' }, { required: 'V2' })).toBe('accept');
  });
});

describe('a result that failed', () => {
  it('is retried with new evidence, else degraded, else put before a person', () => {
    expect(decideAfterVerification(failed, usual)).toBe('retry');
    expect(decideAfterVerification(failed, { ...usual, hasNewEvidence: false })).toBe('degrade');
    expect(decideAfterVerification(failed, { ...usual, canRetry: false })).toBe('degrade');
    expect(decideAfterVerification(failed, { ...usual, canRetry: false, canDegrade: false })).toBe('escalate');
  });
});

describe('the required check', () => {
  it('is the higher one of that of the criticality and that of the rung', () => {
    const rows = (['low', 'medium', 'high'] as const).map((criticality) =>
      (['L0', 'L1', 'L2', 'L3', 'L4'] as const).map((rung) => requiredCheck(criticality, rung, policies.document)),
    );
    expect(rows).toEqual([
      ['V1', 'V1', 'V1', 'V2', 'V2'],
      ['V2', 'V2', 'V2', 'V2', 'V3'],
      ['V2', 'V2', 'V2', 'V2', 'V3'],
    ]);
  });

  it('follows the settings, never below the rung', () => {
    const policy = policyFrom({ verification: { levels: { low: 'V0', medium: 'V3' } } });
    expect(requiredCheck('low', 'L0', policy)).toBe('V0');
    expect(requiredCheck('low', 'L2', policy)).toBe('V1');
    expect(requiredCheck('medium', 'L0', policy)).toBe('V3');
  });

  it('is one of four that cost more the more they find', () => {
    expect(Object.values(checkTable).map(({ cost }) => cost)).toEqual(['low', 'middle', 'high', 'very high']);
  });
});

describe('the end of a task (5.4)', () => {
  const good: FinalFacts = { isAccepted: true, openEffects: 0, duplicates: 0, unlabelled: 0, openReviews: 0 };

  it('is a clean success where the goal was accepted and nothing is open', () => {
    expect(finalAcceptance(good)).toEqual({ isClean: true, reasons: [] });
  });

  it('is none without its goal, though nothing else is open', () => {
    expect(finalAcceptance({ ...good, isAccepted: false })).toEqual({ isClean: false, reasons: [] });
  });

  it.each([
    [{ openEffects: 3 }, /^3 effects are not settled$/],
    [{ duplicates: 2 }, /^2 effects .*more than once$/],
    [{ unlabelled: 4 }, /^4 degraded answers are not labelled/],
    [{ openReviews: 5 }, /^5 results wait for a person/],
    // A count that is no number says nothing good.
    [{ openEffects: Number.NaN }, /effects are not settled/],
  ])('is not clean with %j, and says how many of what', (change, words) => {
    const { isClean, reasons } = finalAcceptance({ ...good, ...change });
    expect(isClean).toBe(false);
    expect(reasons).toEqual([expect.stringMatching(words)]);
  });

  it.each([{ openEffects: null }, { duplicates: null }, { openEffects: null, duplicates: null }])(
    'is not clean where the ledger cannot tell (%j): that counts as a reason and never as 0 effects',
    (change) => {
      const { isClean, reasons } = finalAcceptance({ ...good, ...change });
      expect(isClean).toBe(false);
      expect(reasons).toEqual([expect.stringMatching(/ledger cannot be read/)]);
    },
  );

  it('tells everything that is against it, not only the first', () => {
    const all = finalAcceptance({ isAccepted: false, openEffects: null, duplicates: 1, unlabelled: 1, openReviews: 1 });
    expect(all.reasons).toHaveLength(4);
  });
});

describe('the states of a task', () => {
  const names = Object.keys(taskStates) as TaskStateName[];

  it('have a state for each of the nine actions, which a decision leads to', () => {
    for (const state of Object.values(stateOfAction)) expect(isLegalMove('DECIDE', state)).toBe(true);
    expect(new Set(Object.values(stateOfAction)).size).toBe(7);
  });

  it('all begin at INIT, all end in DONE, and none but DONE has no way on', () => {
    const reached = new Set<TaskStateName>(['INIT']);
    for (const state of reached) for (const next of taskStates[state].next) reached.add(next);
    expect([...reached].sort()).toEqual([...names].sort());
    const ends = new Set<TaskStateName>(['DONE']);
    for (let size = 0; size !== ends.size;) {
      size = ends.size;
      for (const name of names) if (taskStates[name].next.some((next) => ends.has(next))) ends.add(name);
    }
    expect(ends.size).toBe(names.length);
    expect(names.filter((name) => taskStates[name].next.length === 0)).toEqual(['DONE']);
  });

  it('know no way from a failure or a person back to work, and none to work without a check', () => {
    expect(taskStates.FAIL.next).toEqual(['DONE']);
    expect(taskStates.ESCALATE.next).toEqual(['DONE']);
    expect(names.filter((name) => isLegalMove(name, 'ACCEPT'))).toEqual(['VERIFY']);
    expect(names.filter((name) => isLegalMove(name, 'DECIDE'))).toEqual(['CHECK', 'VERIFY']);
    expect(isLegalMove('RECONCILE', 'RUN_STEP')).toBe(false);
  });
});

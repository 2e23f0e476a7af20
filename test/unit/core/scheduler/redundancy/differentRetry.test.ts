import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FaultClass } from '../../../../../src/core/faults/fault.ts';
import { decide } from '../../../../../src/core/recovery/decide.ts';
import {
  copyRetry,
  copyRetryTable,
  printedRetry,
  type CopyFailure,
} from '../../../../../src/core/scheduler/redundancy/differentRetry.ts';
import { facts } from '../../../../support/decisionInputs.ts';

const CLASSES = Object.keys(copyRetryTable) as FaultClass[];

const failure = (faultClass: FaultClass, change: Partial<CopyFailure> = {}): CopyFailure => ({
  fault: { class: faultClass, confidence: 0.9, secondary: null, retryAfterMs: null, isRetryForbidden: false },
  level: 'R0',
  hasOther: false,
  waitMs: 100,
  ...change,
});

describe('the printed retry', () => {
  it('submits a timeout again at once and every other error later', () => {
    expect(CLASSES.filter((each) => printedRetry(each) === 'at-once')).toEqual(['T3']);
  });
});

describe('a failed copy', () => {
  it('is sent again elsewhere at once, and at the same place after the wait, a timeout too', () => {
    expect(copyRetry(failure('T3', { hasOther: true }))).toMatchObject({
      timing: 'at-once',
      target: 'other-candidate',
      waitMs: 0,
      printed: 'at-once',
    });
    expect(copyRetry(failure('T3'))).toMatchObject({
      timing: 'later',
      target: 'same',
      waitMs: 100,
      printed: 'at-once',
    });
    expect(copyRetry(failure('T1', { hasOther: true }))).toMatchObject({ timing: 'at-once', printed: 'later' });
  });

  it('waits as long as the provider asked for', () => {
    const { fault } = failure('T2');
    expect(copyRetry(failure('T2', { fault: { ...fault, retryAfterMs: 3000 } })).waitMs).toBe(3000);
  });

  it('is not sent again to a server that forbids it', () => {
    const { fault } = failure('T1');
    const forbidden = { fault: { ...fault, isRetryForbidden: true } };
    expect(copyRetry(failure('T1', forbidden)).timing).toBe('never');
    expect(copyRetry(failure('T1', { ...forbidden, hasOther: true })).timing).toBe('at-once');
  });

  it('is never sent again after a refusal, also as the second class, after a permanent fault, and never where it writes', () => {
    const anything = fc.record({
      fault: fc.record({
        class: fc.constantFrom(...CLASSES),
        secondary: fc.option(fc.constantFrom(...CLASSES)),
        confidence: fc.double(),
        retryAfterMs: fc.option(fc.double()),
        isRetryForbidden: fc.boolean(),
      }),
      level: fc.constantFrom('R0', 'R1', 'R2', 'R3'),
      hasOther: fc.boolean(),
      waitMs: fc.double({ noNaN: true }),
    });
    fc.assert(
      fc.property(anything, (each) => {
        const { timing, target, waitMs } = copyRetry(each);
        const { class: primary, secondary, confidence } = each.fault;
        const isBorder = primary === 'T7' || [primary, secondary].includes('T8');
        if (isBorder || each.level !== 'R0' || !(confidence > 0)) expect(timing).toBe('never');
        expect(target === 'nobody').toBe(timing === 'never');
        if (timing !== 'later') expect(waitMs).toBe(0);
      }),
    );
  });
});

describe('beside the decision about the whole call', () => {
  const other = { otherCandidate: { quality: null, estimateMs: 500 } };

  it.each(CLASSES)(
    '%s: decide names the same rule, and what is never sent again it does not send again either',
    (faultClass) => {
      const { elsewhere, same, decide: rules } = copyRetryTable[faultClass];
      const change = { fault: { class: faultClass } };
      const there = decide(facts({ ...change, options: other }));
      const here = decide(facts(change));
      expect([there.rule, here.rule]).toEqual([rules.elsewhere, rules.same]);
      expect(there.target === 'other-candidate').toBe(elsewhere === 'at-once');
      if (elsewhere === 'at-once') expect(there.waitMs).toBe(0);
      expect(here.target === 'same').toBe(same === 'later');
      if (same === 'later') expect(here.waitMs).toBeGreaterThan(0);
    },
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from '../../../../src/core/faults/classify.ts';
import type { Fault, FaultClass, Operation } from '../../../../src/core/faults/fault.ts';
import { needsOpinion, withOpinion } from '../../../../src/core/faults/opinion.ts';
import { observe } from './observe.ts';

const CLASSES: readonly FaultClass[] = ['T1', 'T2', 'T3', 'T4', 'T5', 'T6', 'T7', 'T8', 'V1', 'unknown'];
const OPERATIONS: readonly Operation[] = ['model_read', 'tool_read', 'tool_write'];
const LEVELS = ['R0', 'R1', 'R2', 'R3'] as const;

const puzzling = (operation: Operation): Fault =>
  classify(observe({ httpStatus: 418, body: 'zorp quibble', operation }));
const opinion = (name: FaultClass, confidence = 0.9): Parameters<typeof withOpinion>[1] => ({
  class: name,
  detail: null,
  confidence,
});

describe('when a light model is asked', () => {
  it('is asked about what no rule knows, and not about a plain rate limit or a refusal', () => {
    expect(needsOpinion(puzzling('model_read'))).toBe(true);
    expect(needsOpinion(classify(observe({ httpStatus: 429 })))).toBe(false);
    expect(needsOpinion(classify(observe({ httpStatus: 200, finishReason: 'content_filter' })))).toBe(false);
  });

  it('is not asked whether a write whose result is unknown happened: a probe tells that', () => {
    const lost = classify(observe({ clientError: { code: 'ECONNRESET' }, operation: 'tool_write' }));
    expect(lost.class).toBe('T3');
    expect(needsOpinion(lost)).toBe(false);
  });
});

describe('an opinion that disagrees', () => {
  it('turns a puzzling read into what needs a person when it says so', () => {
    const fault = withOpinion(puzzling('model_read'), opinion('T7'), 'model_read', 'R0');
    expect(fault).toMatchObject({ class: 'T7', retryable: false });
    expect(['FAIL', 'ESCALATE']).toContain(fault.action);
  });

  it('cannot talk a puzzling write out of its reconciliation', () => {
    const fault = withOpinion(puzzling('tool_write'), opinion('T1', 1), 'tool_write', 'R2');
    expect(fault).toMatchObject({ class: 'unknown', action: 'RECONCILE', retryable: false, secondary: 'T1' });
  });

  it('cannot make a permanent fault retryable, whatever it says and however sure it is', () => {
    const bare = classify(observe({ httpStatus: 401, operation: 'model_read' }));
    for (const name of CLASSES) {
      const { retryable, action } = withOpinion(bare, opinion(name, 1), 'model_read', 'R0');
      expect(retryable).toBe(false);
      expect(['FAIL', 'ESCALATE']).toContain(action);
    }
  });
});

describe('an opinion that agrees', () => {
  it('makes surer, but never certain', () => {
    const fault: Fault = { ...classify(observe({ httpStatus: 503 })), confidence: 0.6 };
    const surer = withOpinion(fault, opinion(fault.class, 1), 'model_read', 'R0');
    expect(surer.class).toBe(fault.class);
    expect(surer.confidence).toBeGreaterThan(0.6);
    expect(surer.confidence).toBeLessThan(1);
  });

  it('says nothing when it does not know either', () => {
    const fault = puzzling('model_read');
    expect(withOpinion(fault, opinion('unknown'), 'model_read', 'R0')).toEqual(fault);
  });
});

describe('whatever the opinion', () => {
  it('is never less careful than the rules alone', () => {
    const statuses = fc.constantFrom(200, 400, 401, 404, 409, 418, 429, 500, 503, 520);
    fc.assert(
      fc.property(
        statuses,
        fc.constantFrom(...OPERATIONS),
        fc.constantFrom(...LEVELS),
        fc.constantFrom(...CLASSES),
        fc.double({ min: -1, max: 2 }),
        (httpStatus, operation, level, name, confidence) => {
          const fault = classify(observe({ httpStatus, operation }));
          const after = withOpinion(fault, opinion(name, confidence), operation, level);
          if (!fault.retryable) expect(after.retryable).toBe(false);
          if (fault.action !== 'RETRY') expect(after.action).not.toBe('RETRY');
          if (fault.action === 'RECONCILE' && level !== 'R0') expect(after.action).toBe('RECONCILE');
          expect(after.confidence).toBeGreaterThanOrEqual(0);
          expect(after.confidence).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

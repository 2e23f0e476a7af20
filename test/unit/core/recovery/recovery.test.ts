import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatMessage, ChatRequest } from '../../../../src/core/chat.ts';
import type { Fault, FaultClass } from '../../../../src/core/faults/fault.ts';
import { backoffMs } from '../../../../src/core/recovery/backoff.ts';
import {
  emptyTaskBudget,
  fullTenantBudget,
  takeRetry,
  type BudgetLimits,
} from '../../../../src/core/recovery/budget.ts';
import { compressRequest } from '../../../../src/core/recovery/compress.ts';
import { decide, type DecisionInput } from '../../../../src/core/recovery/decide.ts';
import { sizeOfRequest, totalChars } from '../../../../src/core/textSize.ts';

const delays = { baseDelayMs: 200, maxDelayMs: 2000 };

describe('full jitter', () => {
  it('draws from zero to the doubled base, capped', () => {
    expect(backoffMs(3, 0.5, null, delays)).toBe(400);
    expect(backoffMs(10, 1, null, delays)).toBe(2000);
    expect(backoffMs(1, 0, null, delays)).toBe(0);
  });

  it('never waits less than the provider asked for', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.integer({ min: 0, max: 1e6 }),
        (k, draw, asked) => {
          expect(backoffMs(k, draw, asked, delays)).toBeGreaterThanOrEqual(asked);
        },
      ),
    );
  });
});

const limits: BudgetLimits = { perStep: 3, perTask: 10, perTenantPerMinute: 6 };

describe('retry budgets', () => {
  it('stop at the step, then at the task', () => {
    let task = emptyTaskBudget;
    let tenant = fullTenantBudget({ ...limits, perTenantPerMinute: 600 }, 0);
    const refusals: string[] = [];
    for (let step = 1; step <= 4; step++) {
      for (let again = 0; again < 5; again++) {
        const answer = takeRetry(task, tenant, step, { ...limits, perTenantPerMinute: 600 }, 0);
        if (answer.ok) ({ task, tenant } = answer);
        else refusals.push(`${step}:${answer.exhausted}`);
      }
    }
    expect(task.taskUsed).toBe(10);
    expect(refusals).toEqual([
      '1:step',
      '1:step',
      '2:step',
      '2:step',
      '3:step',
      '3:step',
      '4:task',
      '4:task',
      '4:task',
      '4:task',
    ]);
  });

  it('refill the tenant bucket by time', () => {
    let tenant = fullTenantBudget(limits, 0);
    for (let step = 1; step <= 6; step++) {
      const answer = takeRetry(emptyTaskBudget, tenant, step, limits, 0);
      if (answer.ok) ({ tenant } = answer);
    }
    expect(takeRetry(emptyTaskBudget, tenant, 1, limits, 0)).toEqual({ ok: false, exhausted: 'tenant' });
    expect(takeRetry(emptyTaskBudget, tenant, 1, limits, 10_000).ok).toBe(true);
  });

  it('bound all attempts as proposition 1 says: min(n(1 + Bs), n + Bt)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 8 }), { maxLength: 200 }),
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 0, max: 20 }),
        (steps, perStep, perTask) => {
          const bounds = { perStep, perTask, perTenantPerMinute: 1e9 };
          let task = emptyTaskBudget;
          let tenant = fullTenantBudget(bounds, 0);
          for (const step of steps) {
            const answer = takeRetry(task, tenant, step, bounds, 0);
            if (answer.ok) ({ task, tenant } = answer);
          }
          const n = new Set(steps).size;
          expect(n + task.taskUsed).toBeLessThanOrEqual(Math.min(n * (1 + perStep), n + perTask));
          expect(tenant.tokens).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});

const fault = (cls: FaultClass, change: Partial<Fault> = {}): Fault => ({
  class: cls,
  confidence: 0.9,
  secondary: null,
  detail: null,
  retryable: true,
  explicit: true,
  action: 'RETRY',
  retryAfterMs: null,
  evidence: [],
  ...change,
});
const input = (change: Partial<DecisionInput>): DecisionInput => ({
  fault: fault('T1'),
  criticality: 'medium',
  stepBudgetLeft: 3,
  taskBudgetLeft: 10,
  nowMs: 0,
  deadlineMs: 60_000,
  waitMs: 100,
  estimateMs: 1000,
  sameFaultCount: 1,
  sameFaultLimit: 3,
  isCompressed: false,
  canCompress: true,
  canDegrade: false,
  ...change,
});

describe('decide', () => {
  it.each([
    ['T1', 'RETRY'],
    ['T2', 'RETRY'],
    ['T3', 'RETRY'],
    ['T4', 'RETRY'],
    ['T6', 'COMPRESS'],
    ['T8', 'ESCALATE'],
    ['unknown', 'RETRY'],
  ] as const)('answers %s with %s when nothing stands against it', (cls, action) => {
    expect(decide(input({ fault: fault(cls) })).action).toBe(action);
  });

  it('stops for every one of the stop conditions of the document', () => {
    const rules = [
      input({ stepBudgetLeft: 0 }),
      input({ taskBudgetLeft: 0 }),
      input({ sameFaultCount: 3 }),
      input({ waitMs: 59_500 }),
    ].map((each) => decide(each).rule);
    expect(rules).toEqual(['T1/step-budget', 'T1/task-budget', 'T1/same-fault', 'T1/deadline']);
  });

  it('degrades instead of ending where a lower tier may take over', () => {
    expect(decide(input({ stepBudgetLeft: 0, canDegrade: true })).action).toBe('DEGRADE_MODEL');
    expect(decide(input({ fault: fault('T4'), canDegrade: true })).action).toBe('DEGRADE_MODEL');
  });

  it('never retries T7 or T8, whatever else is true', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<FaultClass>('T7', 'T8'),
        fc.constantFrom('fixable', 'permission', 'quota', null),
        fc.constantFrom('low', 'medium', 'high'),
        fc.boolean(),
        fc.boolean(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (cls, detail, criticality, canDegrade, canCompress, confidence) => {
          const { action } = decide(
            input({ fault: fault(cls, { detail, confidence, retryable: true }), criticality, canDegrade, canCompress }),
          );
          expect(['FAIL', 'ESCALATE']).toContain(action);
        },
      ),
    );
  });

  it('escalates what it is not sure of when the task is critical', () => {
    expect(decide(input({ fault: fault('T1', { confidence: 0.3 }), criticality: 'high' })).action).toBe('ESCALATE');
  });

  it('compresses once, and says so when it does not help', () => {
    expect(decide(input({ fault: fault('T6'), isCompressed: true })).rule).toBe('T6/still-too-large');
    expect(decide(input({ fault: fault('T6'), canCompress: false })).rule).toBe('T6/nothing-to-trim');
  });
});

const messageArbitrary: fc.Arbitrary<readonly ChatMessage[]> = fc
  .array(
    fc.record({
      question: fc.string({ maxLength: 50 }),
      result: fc.integer({ min: 0, max: 9000 }),
      letter: fc.constantFrom('a', 'b', '\n'),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((turns) =>
    turns.flatMap(({ question, result, letter }, index): ChatMessage[] => [
      { role: 'user', content: [{ type: 'text', text: question }] },
      { role: 'assistant', content: [{ type: 'tool-call', id: `c${index}`, name: 'read', argsText: '{}' }] },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            callId: `c${index}`,
            content: [{ type: 'text', text: letter.repeat(result) }],
            isError: false,
          },
        ],
      },
    ]),
  );

describe('compression', () => {
  const toRequest = (messages: readonly ChatMessage[]): ChatRequest => ({
    model: 'm',
    system: [{ type: 'text', text: 'system' }],
    messages,
    tools: [],
    toolChoice: { type: 'auto' },
  });

  it('gives a strictly smaller request with the same messages and pairing, or nothing', () => {
    fc.assert(
      fc.property(messageArbitrary, fc.integer({ min: 0, max: 20_000 }), (messages, target) => {
        const request = toRequest(messages);
        const smaller = compressRequest(request, target, totalChars);
        if (!smaller) return;
        expect(totalChars(sizeOfRequest(smaller))).toBeLessThan(totalChars(sizeOfRequest(request)));
        expect(smaller.messages.map((message) => message.role)).toEqual(messages.map((message) => message.role));
        expect(smaller.messages.filter((message) => message.role !== 'tool')).toEqual(
          messages.filter((message) => message.role !== 'tool'),
        );
        const ids = (list: readonly ChatMessage[]): readonly string[] =>
          list.flatMap((message) => (message.role === 'tool' ? message.content.map((part) => part.callId) : []));
        expect(ids(smaller.messages)).toEqual(ids(messages));
      }),
    );
  });

  it('shortens the oldest results first and leaves the newest alone when that is enough', () => {
    const turn = (id: string, chars: number): ChatMessage[] => [
      { role: 'assistant', content: [{ type: 'tool-call', id, name: 'read', argsText: '{}' }] },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', callId: id, content: [{ type: 'text', text: id.repeat(chars) }], isError: false },
        ],
      },
    ];
    const smaller = compressRequest(toRequest([...turn('a', 5000), ...turn('b', 5000)]), 7000, totalChars);
    const texts = smaller!.messages.flatMap((message) =>
      message.role === 'tool'
        ? message.content.map((part) => part.content.map((piece) => (piece.type === 'text' ? piece.text : '')).join(''))
        : [],
    );
    expect(texts[0]).toContain('4200 characters left out');
    expect(texts[1]).toBe('b'.repeat(5000));
  });

  it('drops the raw body, whose bytes would still be the long ones', () => {
    const request: ChatRequest = {
      ...toRequest([
        {
          role: 'tool',
          content: [
            { type: 'tool-result', callId: 'a', content: [{ type: 'text', text: 'x'.repeat(5000) }], isError: false },
          ],
        },
      ]),
      raw: { wire: 'openai-chat', body: {}, headers: {} },
    };
    expect(compressRequest(request, 100, totalChars)).not.toHaveProperty('raw');
  });
});

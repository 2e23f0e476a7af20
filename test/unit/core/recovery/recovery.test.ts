import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatMessage, ChatRequest } from '../../../../src/core/chat.ts';
import { backoffMs } from '../../../../src/core/recovery/backoff.ts';
import {
  emptyTaskBudget,
  fullTenantBudget,
  takeRetry,
  type BudgetLimits,
} from '../../../../src/core/recovery/budget.ts';
import { compressRequest } from '../../../../src/core/recovery/compress.ts';
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

// The table of copyRetry (core/scheduler/redundancy) against what the race and the recovered call really do with a failed attempt.
import { describe, expect, it } from 'vitest';
import type { Candidate } from '../../../src/core/candidate.ts';
import type { ChatRequest } from '../../../src/core/chat.ts';
import type { EventBody } from '../../../src/core/events.ts';
import type { Fault, FaultClass } from '../../../src/core/faults/fault.ts';
import { copyRetry, copyRetryTable } from '../../../src/core/scheduler/redundancy/differentRetry.ts';
import { call, request, type Outcome } from '../../support/callHarness.ts';
import { candidate } from '../../support/candidates.ts';
import { answers, fails, type ScriptStep } from '../../support/scriptedProvider.ts';

/** One attempt that fails with the class, and another candidate, which the fault does not rule out (T7: one of the same account, which it does). */
interface Case {
  readonly steps: readonly ScriptStep[];
  readonly other?: Candidate;
  readonly asked?: ChatRequest;
}

const [a, b] = [candidate('a'), candidate('b')];
const END_MS = 50;
const finished = (reason: 'stop' | 'tool-calls' | 'refusal', argsText: string | null): readonly ScriptStep[] => [
  {
    afterMs: END_MS,
    parts: [
      { type: 'text-delta', text: 'no' },
      ...(argsText === null ? [] : [{ type: 'tool-call', id: 'c', name: 'read_file', argsText } as const]),
      { type: 'finish', reason },
    ],
  },
];
const schema = { type: 'object', required: ['answer'] };
const structured: ChatRequest = {
  ...request,
  tools: [],
  raw: {
    wire: 'openai-chat',
    body: { response_format: { type: 'json_schema', json_schema: { schema } } },
    headers: {},
  },
};

const cases: Readonly<Record<FaultClass, Case>> = {
  T1: { steps: fails(500) },
  T2: { steps: fails(429, { headers: { 'retry-after': '3' } }) },
  T3: {
    steps: [{ afterMs: END_MS, failed: { clientError: { name: 'TimeoutError', code: 'ETIMEDOUT', message: '' } } }],
  },
  T4: { steps: fails(529) },
  T5: { steps: finished('tool-calls', '{"path":') },
  T6: {
    steps: fails(400, { body: '{"error":{"code":"context_length_exceeded","message":"too long"}}' }),
    other: candidate('b', { contextWindowTokens: 200_000 }),
  },
  T7: { steps: fails(401), other: candidate('b', { providerId: 'a' }) },
  T8: { steps: finished('refusal', null) },
  V1: { steps: finished('stop', null), asked: structured },
  unknown: { steps: fails(418) },
};
const CLASSES = Object.keys(copyRetryTable) as FaultClass[];

async function failing({ steps, asked }: Case, pool: readonly Candidate[]): Promise<Outcome> {
  const scripts = { a: [steps], b: [answers('{"answer":1}')] };
  return call(pool, scripts, { policy: 'hold', ...(asked ? { asked } : {}) });
}

/** The first attempt's fault, as it was classified. */
function firstFault({ log }: Outcome): Fault {
  const failed = log.flatMap(({ body }): Extract<EventBody, { type: 'attempt-failed' }>[] =>
    body.type === 'attempt-failed' ? [body] : [],
  );
  return failed[0]!.fault;
}

/** What the table says of the first attempt. */
function told(outcome: Outcome, hasOther: boolean) {
  const fault = { ...firstFault(outcome), isRetryForbidden: false };
  return copyRetry({ fault, level: 'R0', hasOther, waitMs: 1 });
}

const launchesOf = ({ seen }: Outcome): readonly (readonly [string, number])[] =>
  seen.map(({ candidate: id, atMs }) => [id, atMs] as const);

describe('a failed attempt, in the table of copies and in a real call', () => {
  it.each(CLASSES)('%s: another candidate is asked in the same moment, or never', async (faultClass) => {
    const one = cases[faultClass];
    const outcome = await failing(one, [a, one.other ?? b]);
    expect(firstFault(outcome).class).toBe(faultClass);
    const { timing, waitMs } = told(outcome, true);
    expect(timing).toBe(copyRetryTable[faultClass].elsewhere);
    expect(waitMs).toBe(0);
    expect(launchesOf(outcome)).toEqual(
      timing === 'at-once'
        ? [
            ['a', 0],
            ['b', END_MS],
          ]
        : [['a', 0]],
    );
  });

  it.each(CLASSES)('%s: the one that failed is asked again only after a wait, or never', async (faultClass) => {
    const outcome = await failing(cases[faultClass], [a]);
    const fault = firstFault(outcome);
    expect(fault.class).toBe(faultClass);
    const { timing, target } = told(outcome, false);
    expect(timing).toBe(copyRetryTable[faultClass].same);
    const [, second] = launchesOf(outcome);
    if (timing === 'never') {
      expect([target, second]).toEqual(['nobody', undefined]);
      return;
    }
    expect([target, second?.[0]]).toEqual(['same', 'a']);
    expect(second?.[1]).toBeGreaterThan(END_MS);
    expect(second?.[1]).toBeGreaterThanOrEqual(END_MS + (fault.retryAfterMs ?? 0));
  });

  it('T7 is of its account: another account is a request of its own, and is asked at once', async () => {
    const outcome = await failing(cases.T7, [a, b]);
    expect(launchesOf(outcome)).toEqual([
      ['a', 0],
      ['b', END_MS],
    ]);
  });

  it('a refusal ends the race though another attempt runs, and nobody is asked after it', async () => {
    const raw = { 'belay.advanced': { scheduler: { balanced: { minStart: 2 } } } };
    const c = candidate('c');
    const scripts = { a: [cases.T8.steps], b: [answers('x', 9000)], c: [answers('x')] };
    const outcome = await call([a, b, c], scripts, { policy: 'hold', raw });
    expect(launchesOf(outcome).map(([id]) => id)).toEqual(['a', 'b']);
    expect(outcome.seen[1]?.isAborted).toBe(true);
  });
});

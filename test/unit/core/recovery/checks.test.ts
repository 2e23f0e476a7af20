import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callReasons, checkAnswer, type AnswerToCheck } from '../../../../src/core/recovery/answerCheck.ts';
import {
  boundedReasons,
  isSameRejection,
  judgeRejection,
  noRejections,
  normalReason,
  readRejections,
  reasonText,
  rejectionText,
  type CheckReason,
} from '../../../../src/core/recovery/checks.ts';

const reason = (message: string, more: Partial<CheckReason> = {}): CheckReason => ({
  kind: 'test',
  name: 'checkout',
  file: 'test/checkout.test.ts',
  line: 12,
  message,
  ...more,
});
const reasons = fc.array(
  fc.record({
    kind: fc.constantFrom('test', 'type', 'lint', 'exit'),
    name: fc.constantFrom('a', 'b', 'c'),
    file: fc.constantFrom('x.ts', 'y.ts', null),
    line: fc.option(fc.nat(500), { nil: null }),
    message: fc.constantFrom('expected 200, got 500', 'expected 200, got 404', 'no shop'),
  }),
  { minLength: 1, maxLength: 6 },
);

describe('a rejection', () => {
  it.each([
    ['times', 'failed after 12.5 ms at 2026-01-02T10:11:12.123Z', 'failed after 3 ms at 2026-04-05T01:02:03Z'],
    ['clock times and seconds', 'at 10:11:12 took 3 seconds', 'at 23:59:01 took 61 seconds'],
    ['addresses', 'object at 0x7fdbfd54af90', 'object at 0x10ab'],
    ['ids', 'order 123e4567-e89b-12d3-a456-426614174000', 'order 00000000-0000-4000-8000-000000000000'],
    ['hashes', 'bundle d41d8cd98f00b204e9800998ecf8427e.js', 'bundle 0cc175b9c0f1b6a831c399e269772661.js'],
    ['temporary folders', 'cannot open /tmp/belay-x1/a.txt', 'cannot open /tmp/belay-y2/b.txt'],
    ['ports', 'connect ECONNREFUSED 127.0.0.1:41234', 'connect ECONNREFUSED 127.0.0.1:53211'],
    ['processes', 'pid 4711 ended', 'pid 12 ended'],
    ['lines and columns', 'at total (src/a.ts:12:5)', 'at total (src/a.ts:19:7)'],
    ['colours and blanks', '\u001b[31mexpected\u001b[39m   3', 'expected 3'],
  ])('is the same whatever its %s', (_, before, now) => {
    expect(isSameRejection([reason(before)], [reason(now, { line: 99 })])).toBe(true);
  });

  it('is another one where the figures of the failure differ', () => {
    expect(isSameRejection([reason('expected 200, got 500')], [reason('expected 200, got 404')])).toBe(false);
    expect(isSameRejection([reason('a')], [reason('a', { file: 'b.ts' })])).toBe(false);
    expect(isSameRejection([reason('a')], [reason('a'), reason('a')])).toBe(false);
  });

  it('is the same in any order, and the same as itself', () => {
    fc.assert(
      fc.property(reasons, (given) => {
        expect(isSameRejection(given, [...given].reverse())).toBe(true);
      }),
    );
  });

  it('brings new evidence the first time, and none when it comes again', () => {
    const first = judgeRejection(noRejections, [reason('a')]);
    expect(first).toMatchObject({ isSame: false, hasNewEvidence: true });
    expect(judgeRejection(first.memory, [reason('a')])).toMatchObject({ isSame: true, hasNewEvidence: false });
  });

  it('brings new evidence with fewer reasons than ever, and none when it swings back', () => {
    const both = judgeRejection(noRejections, [reason('a'), reason('b')]);
    const one = judgeRejection(both.memory, [reason('a')]);
    expect(one).toMatchObject({ isSame: false, hasNewEvidence: true });
    const back = judgeRejection(one.memory, [reason('a'), reason('b')]);
    expect(back).toMatchObject({ isSame: false, hasNewEvidence: false });
    expect(judgeRejection(back.memory, [reason('b')])).toMatchObject({ isSame: false, hasNewEvidence: false });
  });

  it('can bring new evidence only finitely often', () => {
    fc.assert(
      fc.property(fc.array(reasons, { maxLength: 40 }), (rejections) => {
        let memory = noRejections;
        let fresh = 0;
        for (const given of rejections) {
          const verdict = judgeRejection(memory, given);
          if (verdict.hasNewEvidence) fresh++;
          memory = verdict.memory;
        }
        const kinds = new Set(rejections.flat().map(normalReason)).size;
        expect(fresh).toBeLessThanOrEqual(kinds + 6);
      }),
    );
  });

  it('is remembered as text, also through an older text', () => {
    fc.assert(
      fc.property(fc.array(reasons, { maxLength: 4 }), reasons, (before, now) => {
        const memory = before.reduce((known, given) => judgeRejection(known, given).memory, noRejections);
        expect(judgeRejection(readRejections(rejectionText(memory)), now)).toEqual(judgeRejection(memory, now));
      }),
    );
    expect(readRejections(null)).toBe(noRejections);
    expect(judgeRejection(readRejections('npm test: exit code #'), [reason('a')]).hasNewEvidence).toBe(true);
    expect(judgeRejection(readRejections('[1,2]'), [reason('a')]).isSame).toBe(false);
  });
});

describe('reasons', () => {
  it('are bounded, tell how many more there are, and show no secret', () => {
    const many = Array.from({ length: 50 }, (_, index) =>
      reason(`KEY=hunter2 ${'x'.repeat(2000)}`, { name: `${index}` }),
    );
    const bounded = boundedReasons(many, (text) => text.replaceAll('hunter2', '[secret]'));
    expect(bounded).toHaveLength(20);
    expect(bounded.at(-1)?.message).toBe('31 more reasons');
    expect(JSON.stringify(bounded)).not.toContain('hunter2');
    expect(Math.max(...bounded.map(({ message }) => message.length))).toBe(500);
  });

  it('read as one line with place and message', () => {
    expect(reasonText(reason('expected 200, got 500'))).toBe(
      'test "checkout" (test/checkout.test.ts:12): expected 200, got 500',
    );
    expect(reasonText(reason('', { kind: 'type', name: 'TS2322', line: null }))).toBe(
      'type TS2322 (test/checkout.test.ts)',
    );
    expect(reasonText(reason('exit code 3', { kind: 'exit', name: 'make', file: null }))).toBe(
      'exit make: exit code 3',
    );
  });
});

const good: AnswerToCheck = {
  httpStatus: 200,
  finish: 'stop',
  text: 'done',
  toolCalls: [],
  tools: [
    {
      name: 'edit',
      parameters: {
        type: 'object',
        required: ['path'],
        properties: { path: { type: 'string' }, n: { type: 'integer' } },
      },
    },
  ],
  toolChoice: { type: 'auto' },
};
const call = (argsText: string, name = 'edit') => ({ type: 'tool-call' as const, id: 'c1', name, argsText });

describe('V0', () => {
  it('passes an answer with status, end and content, and a call that fits its tool', () => {
    expect(checkAnswer(good)).toMatchObject({ check: 'V0', passed: true, reasons: [] });
    expect(
      checkAnswer({ ...good, text: '', toolCalls: [call('{"path":"a","n":3}')], finish: 'tool-calls' }).passed,
    ).toBe(true);
    expect(checkAnswer({ ...good, httpStatus: null }).passed).toBe(true);
  });

  it.each<[string, Partial<AnswerToCheck>, string]>([
    ['a status that is no success', { httpStatus: 500 }, 'transport status: the status is 500'],
    ['an answer without an end', { finish: null }, 'transport end: the answer has no end'],
    ['an empty answer', { text: ' \n' }, 'transport empty: the answer has neither text nor a tool call'],
    ['a call of a tool that is not there', { toolCalls: [call('{}', 'rm')] }, 'field rm: there is no such tool'],
    [
      'arguments that are no JSON',
      { toolCalls: [call('{"path":')] },
      'field edit: the arguments are not a JSON object',
    ],
    ['a required field that is missing', { toolCalls: [call('{}')] }, 'field edit: path is missing'],
    ['a field of another type', { toolCalls: [call('{"path":"a","n":"3"}')] }, 'field edit: n must be integer'],
    [
      'no call where one was required',
      { toolChoice: { type: 'required' } },
      'transport tool-choice: a tool was to be called',
    ],
    [
      'another tool than was asked for',
      { toolChoice: { type: 'tool', name: 'x' }, toolCalls: [call('{"path":"a"}')] },
      'transport tool-choice: the tool x was to be called',
    ],
    [
      'a call where none was wanted',
      { toolChoice: { type: 'none' }, toolCalls: [call('{"path":"a"}')] },
      'transport tool-choice: no tool was to be called',
    ],
    [
      'a text that does not fit its schema',
      { schema: { type: 'object', required: ['sum'] }, text: '{}' },
      'field structure: sum is missing',
    ],
    [
      'a text that is no JSON where it should be',
      { schema: { type: 'object' }, text: 'sum: 3' },
      'field structure: the text is no JSON',
    ],
  ])('rejects %s', (_, change, why) => {
    const { passed, reasons: given } = checkAnswer({ ...good, ...change });
    expect(passed).toBe(false);
    expect(given.map(reasonText)).toEqual([why]);
  });

  it('leaves a refusal to T8', () => {
    expect(checkAnswer({ ...good, finish: 'refusal', text: '', toolChoice: { type: 'required' } }).passed).toBe(true);
  });

  it('never quotes a value of an argument', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), (secret) => {
        const given = callReasons(call(JSON.stringify({ path: { secret } })), good.tools);
        expect(given.map(reasonText)).toEqual(['field edit: path must be string']);
      }),
    );
  });
});

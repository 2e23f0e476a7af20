// V0 (HFR document, table 8: status, schema, not empty, types; for every call): where exactly its borders are, and what it
// leaves to others - a refusal to T8, an answer that was cut off to its own end.
import { describe, expect, it } from 'vitest';
import type { FinishReason, ToolCallPart } from '../../../../src/core/chat.ts';
import { callReasons, checkAnswer, type AnswerToCheck } from '../../../../src/core/recovery/answerCheck.ts';

const answer: AnswerToCheck = {
  ...{ httpStatus: 200, finish: 'stop', text: 'done', toolCalls: [] },
  tools: [
    { name: 'edit', parameters: { type: 'object' } },
    { name: 'read', parameters: { type: 'object' } },
  ],
  toolChoice: { type: 'auto' },
};
const call = (name: string, id = 'c1'): ToolCallPart => ({ type: 'tool-call', id, name, argsText: '{}' });
const faultsOf = (change: Partial<AnswerToCheck>): readonly string[] =>
  checkAnswer({ ...answer, ...change }).reasons.map(({ name }) => name);

/** Ends that are no fault of an answer that has nothing in it. */
const EXCUSED: readonly FinishReason[] = ['refusal', 'content-filter', 'truncated'];

describe('what V0 says', () => {
  it('names who checked, and how many things do not hold', () => {
    expect(checkAnswer(answer)).toMatchObject({
      verifier: 'answer',
      passed: true,
      evidence: 'status, end, content and types hold',
    });
    expect(checkAnswer({ ...answer, finish: null }).evidence).toBe('things that do not hold: 1');
    expect(checkAnswer({ ...answer, finish: null, httpStatus: 500 }).evidence).toBe('things that do not hold: 2');
  });
});

describe('a status', () => {
  it.each([
    [199, ['status']],
    [200, []],
    [299, []],
    [300, ['status']],
  ])('of %i gives %j', (httpStatus, expected) => {
    expect(faultsOf({ httpStatus })).toEqual(expected);
  });
});

describe('an answer without content', () => {
  it.each(EXCUSED)('that ends with %s is told by its end and is not called empty', (finish) => {
    expect(faultsOf({ finish, text: '' })).toEqual([]);
  });

  it.each<FinishReason>(['stop', 'tool-calls', 'other'])('that ends with %s is empty', (finish) => {
    expect(faultsOf({ finish, text: '' })).toEqual(['empty']);
  });
});

describe('a structured output', () => {
  const schema = { type: 'object', required: ['sum'] };

  it('is held to its schema where it is whole', () => {
    expect(faultsOf({ schema, text: '{"sum":' })).toEqual(['structure']);
    expect(faultsOf({ schema, text: '{"sum":1}' })).toEqual([]);
  });

  it.each(EXCUSED)('is not where it ends with %s: half a JSON text is no wrong one', (finish) => {
    expect(faultsOf({ schema, text: '{"sum":', finish })).toEqual([]);
  });

  it('is not where the answer calls tools: the text beside a call is talk', () => {
    expect(faultsOf({ schema, text: 'I look first.', toolCalls: [call('read')], finish: 'tool-calls' })).toEqual([]);
  });
});

describe('the choice of a tool', () => {
  it('none is kept by an answer that calls none', () => {
    expect(faultsOf({ toolChoice: { type: 'none' } })).toEqual([]);
    expect(faultsOf({ toolChoice: { type: 'none' }, toolCalls: [call('read')] })).toEqual(['tool-choice']);
  });

  it('required is kept by any call', () => {
    expect(faultsOf({ toolChoice: { type: 'required' }, toolCalls: [call('read')] })).toEqual([]);
  });

  it('of one tool is kept by a call of it among others', () => {
    const toolChoice = { type: 'tool', name: 'read' } as const;
    expect(faultsOf({ toolChoice, toolCalls: [call('edit'), call('read', 'c2')] })).toEqual([]);
    expect(faultsOf({ toolChoice, toolCalls: [call('edit')] })).toEqual(['tool-choice']);
    expect(faultsOf({ toolChoice })).toEqual(['tool-choice']);
  });

  it.each(EXCUSED)('is not broken by an answer that ends with %s before its call', (finish) => {
    expect(faultsOf({ finish, toolChoice: { type: 'required' } })).toEqual([]);
    expect(faultsOf({ finish, toolChoice: { type: 'tool', name: 'read' } })).toEqual([]);
  });
});

describe('a call', () => {
  it('without an id is rejected: its result could not be told from others', () => {
    expect(callReasons(call('read', ''), answer.tools)).toMatchObject([
      { kind: 'field', name: 'read', message: 'the call has no id' },
    ]);
  });

  it('has its name told only so far, and whole characters of it: a model may write anything there', () => {
    const [reason] = callReasons(call(`${'x'.repeat(79)}😀${'y'.repeat(500)}`), answer.tools);
    expect(reason?.name).toHaveLength(80);
    expect(reason?.name.isWellFormed()).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import type { DecisionEvent, EventBody } from '../../../src/core/events.ts';
import { qualityWatch } from '../../../src/engine/qualityWatch.ts';

/** What is learned of some events of one call. */
function learned(bodies: readonly EventBody[]): readonly unknown[] {
  const found: unknown[] = [];
  const watch = qualityWatch((...judgement) => found.push(judgement));
  bodies.forEach((body, index) => {
    const ids = { tenant: 't', client: 'c', task: 'k', step: 1, call: 'r1' };
    const event: DecisionEvent = { seq: index + 1, atMs: index, ids, body };
    watch(event);
  });
  return found;
}

const answered: readonly EventBody[] = [
  { type: 'call-started', model: 'm', role: 'coder', policy: 'hold' },
  { type: 'call-committed', candidate: 'a', rung: 'L0' },
];
const question: EventBody = { type: 'question-asked', question: 'q', title: 'edit a.ts', level: 'R1', about: 'edit' };

describe('a judgement read off the events', () => {
  it('is an edit that a person turns down, and with less weight one that is let through', () => {
    const deny: EventBody = { type: 'question-answered', question: 'q', answer: 'deny', by: 'person' };
    expect(learned([...answered, question, deny])).toEqual([['a', 'coder', { source: 'acceptance', q: 0, weight: 1 }]]);
    expect(learned([...answered, question, { ...deny, answer: 'allow' }])).toEqual([
      ['a', 'coder', { source: 'acceptance', q: 1, weight: 0.5 }],
    ]);
  });

  it('is no question that nobody answered, and none about a command', () => {
    const nobody: EventBody = {
      type: 'question-answered',
      question: 'q',
      answer: 'deny',
      by: 'belay',
      isUnanswered: true,
    };
    expect(learned([...answered, question, nobody])).toEqual([]);
    expect(
      learned([
        ...answered,
        { ...question, about: 'command' },
        { type: 'question-answered', question: 'q', answer: 'deny', by: 'person' },
      ]),
    ).toEqual([]);
  });

  it('is what a person says of a whole result, and not what the checks say, which is told where they ran', () => {
    const review: EventBody = { type: 'verification-finished', check: 'V3', passed: false, evidence: '' };
    expect(learned([...answered, review])).toEqual([['a', 'coder', { source: 'acceptance', q: 0 }]]);
    expect(learned([...answered, { ...review, check: 'V1' }])).toEqual([]);
    expect(learned([...answered, { ...review, isUnanswered: true }])).toEqual([]);
    expect(learned([review])).toEqual([]);
  });
});

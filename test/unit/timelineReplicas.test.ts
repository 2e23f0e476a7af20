import { describe, expect, it } from 'vitest';
import type { DecisionEvent, EventBody } from '../../src/core/events.ts';
import { timelineOf } from '../../webview/timeline.ts';

const comparedAs = (outcome: 'agree' | 'best-verified' | 'review'): EventBody => ({
  type: 'replicas-compared',
  groups: [['a'], ['b']],
  disagreement: 1,
  outcome,
  chosen: null,
  reason: '',
});
const events = (outcome: 'agree' | 'best-verified' | 'review'): readonly DecisionEvent[] =>
  [{ type: 'call-started', model: 'm', role: 'chat', policy: 'hold' } as const, comparedAs(outcome)].map(
    (body, index) => ({
      seq: index + 1,
      atMs: index,
      ids: { tenant: 't', client: 'c', task: 'k', step: 1, call: 'call' },
      body,
    }),
  );

describe('answers that were compared, in the timeline', () => {
  it.each(['agree', 'best-verified', 'review'] as const)(
    'are a line of their call, marked for a person: %s',
    (outcome) => {
      const [task] = timelineOf(events(outcome));
      const [entry] = task?.entries ?? [];
      expect(entry?.lines).toEqual([{ type: 'plain', atMs: 1, body: comparedAs(outcome) }]);
      expect(entry?.needsReview).toBe(outcome === 'review');
    },
  );
});

import { describe, expect, it } from 'vitest';
import type { DecisionEvent, EventBody } from '../../../../src/core/events.ts';
import {
  constraintFigures,
  foldConstraints,
  noConstraintState,
  violatedConstraints,
  type ConstraintState,
} from '../../../../src/core/recovery/constraints.ts';

let seq = 0;
const event = (task: string, atMs: number, body: EventBody, call = 'c1'): DecisionEvent => ({
  seq: ++seq,
  atMs,
  ids: { tenant: 't', client: 'c', task, step: 1, call },
  body,
});
const started = (deadlineMs: number): EventBody => ({
  type: 'call-started',
  model: 'm',
  role: 'chat',
  policy: 'stream',
  deadlineMs,
});
const finished = (outcome: 'answered' | 'failed' | 'cancelled'): EventBody => ({
  type: 'call-finished',
  outcome,
  candidate: null,
  rung: 'L0',
  attempts: 1,
  costUsd: 9,
  elapsedMs: 1,
});
const paid = (costUsd: number): EventBody => ({
  type: 'attempt-succeeded',
  candidate: 'a',
  elapsedMs: 1,
  usage: null,
  costUsd,
  billedTokens: 1,
  servedModel: null,
});
const committed = (key: string): EventBody => ({
  type: 'effect-changed',
  key,
  tool: 'x',
  title: 'x',
  level: 'R2',
  from: 'PREPARED',
  to: 'COMMITTED',
  evidence: '',
});
const fold = (events: readonly DecisionEvent[]): ConstraintState => events.reduce(foldConstraints, noConstraintState);

describe('the constraint figures', () => {
  it('are the mean cost of tasks, with every attempt and correction in it once', () => {
    const state = fold([
      event('a', 0, started(100)),
      event('a', 1, paid(2)),
      event('a', 2, {
        type: 'cost-corrected',
        candidate: 'a',
        ending: 'succeeded',
        costUsd: 1,
        billedTokens: 1,
        changeUsd: -1,
        changeTokens: 0,
      }),
      event('a', 3, finished('answered')),
      event('b', 4, started(100)),
      event('b', 5, paid(3)),
    ]);
    expect(constraintFigures(state)).toEqual({ tasks: 2, meanCostUsd: 2, lateShare: 0, meanDuplicates: 0 });
  });

  it('count a task as late once, when a call of it ended after its deadline', () => {
    const state = fold([
      event('a', 0, started(100)),
      event('a', 101, finished('failed')),
      event('a', 200, started(300), 'c2'),
      event('a', 400, finished('answered'), 'c2'),
      event('b', 0, started(100), 'c3'),
      event('b', 100, finished('answered'), 'c3'),
      event('d', 0, started(100), 'c4'),
      event('d', 500, finished('cancelled'), 'c4'),
    ]);
    expect(constraintFigures(state)).toMatchObject({ tasks: 3, lateShare: 1 / 3 });
  });

  it('count effects that were committed twice, a task on average', () => {
    const once = fold([event('a', 0, started(9)), event('a', 1, committed('k')), event('b', 2, started(9))]);
    expect(constraintFigures(once).meanDuplicates).toBe(0);
    expect(constraintFigures(foldConstraints(once, event('a', 3, committed('k')))).meanDuplicates).toBe(0.5);
  });

  it('stay bounded while tasks come and go, and lose nothing of the sums', () => {
    let state = noConstraintState;
    for (let task = 0; task < 1000; task++) {
      state = foldConstraints(state, event(`t${task}`, task, started(task - 1), `c${task}`));
      state = foldConstraints(state, event(`t${task}`, task, paid(1), `c${task}`));
      if (task % 2 === 0) state = foldConstraints(state, event(`t${task}`, task, finished('answered'), `c${task}`));
    }
    expect(Object.keys(state.recent).length).toBeLessThanOrEqual(200);
    expect(Object.keys(state.deadlines).length).toBeLessThanOrEqual(500);
    expect(constraintFigures(state)).toEqual({ tasks: 1000, meanCostUsd: 1, lateShare: 0.5, meanDuplicates: 0 });
  });

  it('count tasks whatever their names: those that every object has, and numbers', () => {
    let state = fold([event('constructor', 0, started(9)), event('__proto__', 1, started(9), 'c2')]);
    for (let task = 0; task < 300; task++)
      state = foldConstraints(state, event(`t${task}`, task, started(task), `c${task}`));
    for (let i = 0; i < 50; i++) state = foldConstraints(state, event('7', 400 + i, paid(1), 'toString'));
    expect(constraintFigures(state)).toMatchObject({ tasks: 303, meanCostUsd: 50 / 303, lateShare: 0 });
  });

  it('say nothing before there is anything', () => {
    expect(constraintFigures(noConstraintState)).toEqual({
      tasks: 0,
      meanCostUsd: null,
      lateShare: null,
      meanDuplicates: null,
    });
  });
});

describe('a constraint', () => {
  const figures = { tasks: 10, meanCostUsd: 2, lateShare: 0.1, meanDuplicates: 0.1 };
  const loose = { costBudgetUsd: 0, tailTolerance: 1, duplicateTolerance: 1, leastTasks: 5 };

  it('is violated above its limit, and a cost budget of 0 is none', () => {
    expect(violatedConstraints(figures, loose)).toEqual([]);
    expect(
      violatedConstraints(figures, { costBudgetUsd: 1.99, tailTolerance: 0.09, duplicateTolerance: 0, leastTasks: 10 }),
    ).toEqual(['cost', 'tail', 'duplicates']);
    expect(
      violatedConstraints(figures, { ...loose, costBudgetUsd: 2, tailTolerance: 0.1, duplicateTolerance: 0.1 }),
    ).toEqual([]);
  });

  it('needs enough tasks for a mean or a tail, and none for a duplicate', () => {
    const strict = { costBudgetUsd: 1, tailTolerance: 0, duplicateTolerance: 0, leastTasks: 11 };
    expect(violatedConstraints(figures, strict)).toEqual(['duplicates']);
  });
});

// The control state of a running task moves only along table 9.
import { describe, expect, it } from 'vitest';
import { TaskWalk } from '../../../src/engine/taskWalk.ts';

describe('the walk of a task', () => {
  it('takes every way of the table', () => {
    const refused: string[] = [];
    const walk = new TaskWalk((from, to) => refused.push(`${from} ${to}`));
    walk.to('RUN_STEP', 'OBSERVE', 'VERIFY', 'DECIDE', 'RETRY_WAIT', 'RUN_STEP', 'OBSERVE', 'VERIFY', 'ACCEPT', 'DONE');
    expect(walk.state).toBe('DONE');
    expect(refused).toEqual([]);
  });

  it('stays where it is, and tells, where there is no way', () => {
    const refused: string[] = [];
    const walk = new TaskWalk((from, to) => refused.push(`${from} ${to}`));
    walk.to('RUN_STEP', 'ACCEPT', 'DONE');
    expect(walk.state).toBe('RUN_STEP');
    expect(refused).toEqual(['RUN_STEP ACCEPT']);
    walk.to('OBSERVE');
    expect(walk.state).toBe('OBSERVE');
  });
});

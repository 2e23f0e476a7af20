// The end of a command or an edit in the words of F2D-9 (HFR tables 2, 4 and 11; DESIGN 7, 13).
import { describe, expect, it } from 'vitest';
import { toolFault, type ToolEnd } from '../../../../src/core/recovery/toolFault.ts';

const exit = (exitCode: number, stderr = '', signal: string | null = null): ToolEnd => ({
  kind: 'exited',
  exitCode,
  signal,
  stderr,
});

describe('the fault of a tool', () => {
  it.each([
    ['R0', { kind: 'timed-out' }, 'T3', 'RETRY'],
    ['R2', { kind: 'timed-out' }, 'T3', 'RECONCILE'],
    ['R2', { kind: 'unseen' }, 'T3', 'RECONCILE'],
    ['R0', { kind: 'asked' }, 'T5', 'DEGRADE_TOOL'],
    ['R0', { kind: 'not-started' }, 'T5', 'DEGRADE_TOOL'],
    ['R0', { kind: 'withheld', why: 'queue-full', retryAfterMs: null }, 'T4', 'DEGRADE_TOOL'],
    ['R2', { kind: 'unfit' }, 'T5', 'DEGRADE_TOOL'],
    ['R2', { kind: 'not-written' }, 'T1', 'RETRY'],
    ['R0', exit(127), 'T5', 'DEGRADE_TOOL'],
    ['R0', exit(126), 'T5', 'DEGRADE_TOOL'],
    ['R0', exit(137), 'unknown', 'RETRY'],
    ['R1', exit(1, '', 'SIGKILL'), 'unknown', 'RECONCILE'],
    ['R2', exit(0), 'T3', 'RECONCILE'],
    ['R0', exit(1), 'V1', 'REPLAN'],
    ['R0', exit(1, 'read ECONNRESET'), 'T1', 'RETRY'],
    ['R0', exit(22, 'The requested URL returned error: 503 Service Unavailable'), 'T1', 'RETRY'],
    ['R0', exit(1, 'API rate limit exceeded for user'), 'T2', 'RETRY'],
  ] as const)('%s %o is %s', (level, end, faultClass, action) => {
    expect(toolFault(level, end)).toMatchObject({ class: faultClass, action });
  });

  it('of a write never depends on what was printed', () => {
    for (const level of ['R1', 'R2', 'R3'] as const)
      for (const stderr of ['ECONNRESET', '429 too many requests', 'connection refused'])
        expect(toolFault(level, exit(1, stderr)).class).toBe('V1');
  });

  it.each(['R2', 'R3'] as const)('of an %s that ended with an exit code is looked up before anything else', (level) => {
    // DESIGN 7: what it did before it failed is not known, whatever the code says of the rest.
    for (const exitCode of [1, 2, 126, 127]) expect(toolFault(level, exit(exitCode)).action).toBe('RECONCILE');
  });

  it('of what surely did not begin is not looked up: there is nothing to find', () => {
    expect(toolFault('R2', { kind: 'not-started' }).action).toBe('DEGRADE_TOOL');
    expect(toolFault('R1', { kind: 'not-written' }).action).toBe('RETRY');
  });

  it('is never a silent one: the tool itself told of its failure, or its end did', () => {
    for (const end of [exit(1), { kind: 'timed-out' }, { kind: 'unfit' }] as const)
      expect(toolFault('R0', end).explicit).toBe(true);
  });

  it('is surer of a time limit that Belay set than of an end that says too little', () => {
    const [limit, unseen, exitZero] = [{ kind: 'timed-out' }, { kind: 'unseen' }, exit(0)] as const;
    const sureness = (end: ToolEnd): number => toolFault('R2', end).confidence;
    expect(sureness(limit)).toBeGreaterThan(sureness(unseen));
    expect(sureness(exitZero)).toBe(sureness(unseen));
    expect(sureness({ kind: 'asked' })).toBeGreaterThan(sureness({ kind: 'not-started' }));
  });

  // Every decision has its evidence (HFR 5.6): what kind of end it was, and the signal that made the class.
  it.each([
    [exit(1), 'tool.exited exit code 1'],
    [exit(137), 'tool.exited exit code 137'],
    [exit(1, '', 'SIGKILL'), 'tool.exited SIGKILL'],
    [exit(1, 'rate limit exceeded'), 'tool.exited exit code 1, rate limit'],
    [exit(1, 'ECONNRESET'), 'tool.exited exit code 1, network'],
    [{ kind: 'timed-out' }, 'tool.timed-out time limit'],
    [{ kind: 'unseen' }, 'tool.unseen its end says too little'],
    [{ kind: 'asked' }, 'tool.asked an input is missing'],
    [{ kind: 'not-started' }, 'tool.not-started could not be started'],
    [{ kind: 'withheld', why: 'queue-full', retryAfterMs: null }, 'tool.withheld queue-full'],
    [{ kind: 'unfit' }, 'tool.unfit does not fit its file'],
    [{ kind: 'not-written' }, 'tool.not-written the file system refused'],
  ] as const)('of %o tells its signal', (end, evidence) => {
    expect(toolFault('R0', end).evidence).toEqual([evidence]);
  });

  it('carries when a place may be free, and no output', () => {
    const fault = toolFault('R0', { kind: 'withheld', why: 'breaker-open', retryAfterMs: 7 });
    expect(fault.retryAfterMs).toBe(7);
    expect(toolFault('R0', exit(1)).retryAfterMs).toBeNull();
    expect(JSON.stringify(toolFault('R0', exit(1, 'secret words: ECONNRESET')))).not.toContain('secret words');
  });
});

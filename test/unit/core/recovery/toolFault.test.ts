// The end of a command or an edit in the words of F2D-9, and the names by which its tool is known.
import { describe, expect, it } from 'vitest';
import { programOf } from '../../../../src/core/recovery/equivalentTool.ts';
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

  it('carries when a place may be free, and no output', () => {
    const fault = toolFault('R0', { kind: 'withheld', why: 'breaker-open', retryAfterMs: 7 });
    expect(fault.retryAfterMs).toBe(7);
    expect(JSON.stringify(toolFault('R0', exit(1, 'secret words: ECONNRESET')))).not.toContain('secret words');
  });
});

describe('the program of a command', () => {
  it.each([
    ['rg price src', '', 'rg'],
    ['A=1 B=2 /usr/bin/rg price', '', 'rg'],
    ['cd x && rg price', 'bash: line 1: rg: command not found', 'rg'],
    ['foo', 'zsh: foo: not found', 'foo'],
    [['C:\\tools\\rg.exe', 'x'], '', 'rg.exe'],
    ['$(which rg) x', '', ''],
    ['', '', ''],
  ] as const)('%o with %o is %o', (command, stderr, name) => {
    expect(programOf(command, stderr)).toBe(name);
  });
});

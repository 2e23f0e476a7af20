// Which traces of a run send for a probe, and what is kept as evidence of the moves that follow.
import { describe, expect, it } from 'vitest';
import type { EffectLevel } from '../../../../src/core/ledger/entry.ts';
import { exitToState, needsProbe, reconcileOutcome } from '../../../../src/core/ledger/reconcile.ts';
import type { ProbeResult, RunExit, RunTrace } from '../../../../src/core/ledger/reconcile.ts';

const LEVELS: readonly EffectLevel[] = ['R0', 'R1', 'R2', 'R3'];
const says = (word: ProbeResult['says']): ProbeResult => ({ says: word, probe: 'append', detail: 'log grew' });
const exit = (exitCode: number): RunExit => ({ kind: 'exited', exitCode, signal: null });

describe('a probe', () => {
  it.each<[RunTrace, string]>([
    [{ kind: 'running', detail: 'process 7' }, ''],
    [{ kind: 'never-started' }, ''],
    [{ kind: 'started' }, 'R1 R2 R3'],
    [{ kind: 'other-boot' }, 'R1 R2 R3'],
    [{ kind: 'exited', exitCode: 0 }, ''],
    [{ kind: 'exited', exitCode: 1 }, 'R2 R3'],
    [{ kind: 'exited', exitCode: 137 }, 'R1 R2 R3'],
  ])('is needed after %j for: %s', (trace, levels) => {
    expect(LEVELS.filter((level) => needsProbe(level, trace)).join(' ')).toBe(levels);
  });
});

describe('an exit code of an R1', () => {
  it('is an answer of the program up to 128 and from 193 to 255; between them and above may lie its death', () => {
    const isAnswer = (exitCode: number): boolean => exitToState('R1', exit(exitCode)) === 'FAILED';
    expect([1, 127, 128, 193, 254, 255].filter((code) => !isAnswer(code))).toEqual([]);
    expect([129, 137, 141, 192, 256, 3221225477].filter(isAnswer)).toEqual([]);
  });

  it('is no success with a signal, whatever the number, nor for any other end', () => {
    expect(exitToState('R2', { kind: 'exited', exitCode: 0, signal: 'SIGTERM' })).toBe('UNKNOWN');
    expect(exitToState('R1', { kind: 'exited', exitCode: 1, signal: 'SIGTERM' })).toBe('UNKNOWN');
    expect(exitToState('R1', { kind: 'lost', message: '' })).toBe('UNKNOWN');
    expect(exitToState('R2', exit(1))).toBe('UNKNOWN');
  });
});

describe('the evidence of a move', () => {
  it('of a command that never started is the gate, for both moves', () => {
    const evidence = { source: 'gate', detail: 'the command never started' };
    expect(reconcileOutcome('PREPARED', 'R2', { kind: 'never-started' }, null)).toEqual([
      { to: 'UNKNOWN', evidence },
      { to: 'RECONCILED_ABSENT', evidence },
    ]);
  });

  it('of a started one is first what the gate saw, then what the probe says', () => {
    const gate = { source: 'gate', detail: 'started, its end was not seen' };
    const probe = { source: 'probe:append', detail: 'log grew' };
    expect(reconcileOutcome('PREPARED', 'R2', { kind: 'started' }, says('COMMITTED'))).toEqual([
      { to: 'UNKNOWN', evidence: gate },
      { to: 'RECONCILED_COMMITTED', evidence: probe },
    ]);
    expect(reconcileOutcome('UNKNOWN', 'R2', { kind: 'started' }, says('ABSENT'))).toEqual([
      { to: 'RECONCILED_ABSENT', evidence: probe },
    ]);
    expect(reconcileOutcome('PREPARED', 'R2', { kind: 'started' }, says('UNKNOWN'))).toEqual([
      { to: 'UNKNOWN', evidence: probe },
    ]);
    expect(reconcileOutcome('PREPARED', 'R2', { kind: 'started' }, null)).toEqual([{ to: 'UNKNOWN', evidence: gate }]);
  });

  it('of another boot says that the machine was restarted', () => {
    const evidence = { source: 'gate', detail: 'the machine was restarted since' };
    expect(reconcileOutcome('PREPARED', 'R3', { kind: 'other-boot' }, null)).toEqual([{ to: 'UNKNOWN', evidence }]);
  });

  it('of a recorded exit is its code, also beside what the probe says', () => {
    const evidence = { source: 'gate', detail: 'the gate recorded exit code 0', exitCode: 0 };
    expect(reconcileOutcome('PREPARED', 'R2', { kind: 'exited', exitCode: 0 }, null)).toEqual([
      { to: 'COMMITTED', evidence },
    ]);
    expect(reconcileOutcome('UNKNOWN', 'R2', { kind: 'exited', exitCode: 0 }, null)).toEqual([
      { to: 'RECONCILED_COMMITTED', evidence },
    ]);
    expect(reconcileOutcome('UNKNOWN', 'R2', { kind: 'exited', exitCode: 2 }, says('ABSENT'))).toEqual([
      { to: 'RECONCILED_ABSENT', evidence: { source: 'probe:append', detail: 'log grew', exitCode: 2 } },
    ]);
  });
});

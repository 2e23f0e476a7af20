import { describe, expect, expectTypeOf, it } from 'vitest';
import { exitToState, needsProbe, reconcileOutcome } from '../../../../src/core/ledger/reconcile.ts';
import type { ProbeResult, RunExit, RunTrace } from '../../../../src/core/ledger/reconcile.ts';
import { firstEntry } from '../../../../src/core/ledger/transition.ts';
import { whatNext } from '../../../../src/core/ledger/whatNext.ts';
import type { Looked } from '../../../../src/core/ledger/whatNext.ts';
import type { CommandExit, GateTrace } from '../../../../src/engine/ports.ts';
import { intentOf } from '../../../support/memoryEntries.ts';

const exited = (exitCode: number, signal: string | null = null): RunExit => ({ kind: 'exited', exitCode, signal });
const killed: RunExit = { kind: 'killed', because: 'timeout' };
const lost: RunExit = { kind: 'lost', message: 'gone' };
const says = (word: ProbeResult['says']): ProbeResult => ({ says: word, probe: 'append', detail: 'd' });

it('speaks of the same exits and traces as the command port', () => {
  expectTypeOf<RunExit>().toEqualTypeOf<CommandExit>();
  expectTypeOf<RunTrace>().toEqualTypeOf<GateTrace>();
});

describe('the state after an exit', () => {
  it.each([
    { exit: exited(0), states: 'COMMITTED COMMITTED COMMITTED COMMITTED' },
    { exit: exited(1), states: 'FAILED FAILED UNKNOWN UNKNOWN' },
    { exit: exited(137, 'SIGKILL'), states: 'FAILED UNKNOWN UNKNOWN UNKNOWN' },
    { exit: exited(141), states: 'FAILED UNKNOWN UNKNOWN UNKNOWN' },
    { exit: killed, states: 'FAILED UNKNOWN UNKNOWN UNKNOWN' },
    { exit: lost, states: 'FAILED UNKNOWN UNKNOWN UNKNOWN' },
  ])('of $exit is $states for R0 to R3', ({ exit, states }) => {
    expect((['R0', 'R1', 'R2', 'R3'] as const).map((level) => exitToState(level, exit)).join(' ')).toBe(states);
  });
});

describe('reconciling an open entry', () => {
  const moves = (...args: Parameters<typeof reconcileOutcome>) => reconcileOutcome(...args).map((move) => move.to);

  it('moves nothing while the run goes on', () => {
    expect(moves('PREPARED', 'R2', { kind: 'running', detail: '' }, says('ABSENT'))).toEqual([]);
  });
  it('is certain of absence when the gate never opened on this boot', () => {
    expect(moves('PREPARED', 'R3', { kind: 'never-started' }, null)).toEqual(['UNKNOWN', 'RECONCILED_ABSENT']);
    expect(needsProbe('R3', { kind: 'never-started' })).toBe(false);
  });
  it('takes the recorded exit code 0 for done', () => {
    expect(moves('PREPARED', 'R2', { kind: 'exited', exitCode: 0 }, null)).toEqual(['COMMITTED']);
    expect(moves('UNKNOWN', 'R2', { kind: 'exited', exitCode: 0 }, null)).toEqual(['RECONCILED_COMMITTED']);
  });
  it('leaves a non-zero exit of R2 to the probe and takes it for FAILED below', () => {
    const trace: RunTrace = { kind: 'exited', exitCode: 2 };
    expect(moves('PREPARED', 'R2', trace, says('COMMITTED'))).toEqual(['UNKNOWN', 'RECONCILED_COMMITTED']);
    expect(moves('UNKNOWN', 'R2', trace, says('ABSENT'))).toEqual(['RECONCILED_ABSENT']);
    expect(moves('PREPARED', 'R2', trace, says('UNKNOWN'))).toEqual(['UNKNOWN']);
    expect(moves('PREPARED', 'R1', trace, null)).toEqual(['FAILED']);
    expect(moves('UNKNOWN', 'R1', trace, null)).toEqual(['RECONCILED_ABSENT']);
  });
  it.each(['started', 'other-boot'] as const)('lets only the probe decide when all that is known is %s', (kind) => {
    expect(moves('PREPARED', 'R2', { kind }, says('ABSENT'))).toEqual(['UNKNOWN', 'RECONCILED_ABSENT']);
    expect(moves('UNKNOWN', 'R2', { kind }, says('COMMITTED'))).toEqual(['RECONCILED_COMMITTED']);
    expect(moves('UNKNOWN', 'R2', { kind }, says('UNKNOWN'))).toEqual([]);
    expect(moves('UNKNOWN', 'R2', { kind }, null)).toEqual([]);
  });
  it('never moves a settled entry', () => {
    for (const state of ['COMMITTED', 'FAILED', 'RECONCILED_COMMITTED', 'RECONCILED_ABSENT', 'COMPENSATED'] as const) {
      expect(moves(state, 'R2', { kind: 'never-started' }, says('ABSENT'))).toEqual([]);
    }
  });
});

describe('what comes next', () => {
  const fresh = { reconciled: false, running: null };
  const looked = { reconciled: true, running: null };
  const entryIn = (state: ReturnType<typeof firstEntry>['state'], level: 'R0' | 'R1' | 'R2' | 'R3') => ({
    ...firstEntry(intentOf('a', level)),
    state,
  });
  const next = (state: Parameters<typeof entryIn>[0], seen: Looked = fresh): string =>
    (['R0', 'R1', 'R2', 'R3'] as const).map((level) => whatNext(entryIn(state, level), level, seen).kind).join(' ');

  it('is to run what was never asked for', () => {
    expect(whatNext(null, 'R3', fresh)).toEqual({ kind: 'run' });
  });
  it('follows the table for each state, R0 to R3', () => {
    expect(next('PREPARED')).toBe('reconcile reconcile reconcile reconcile');
    expect(next('UNKNOWN')).toBe('reconcile reconcile reconcile reconcile');
    expect(next('COMMITTED')).toBe('stored stored stored stored');
    expect(next('RECONCILED_COMMITTED')).toBe('stored stored stored stored');
    expect(next('FAILED')).toBe('run run ask ask');
    expect(next('RECONCILED_ABSENT')).toBe('run run run ask');
    expect(next('COMPENSATED')).toBe('run ask ask ask');
  });
  it('is to refuse R2 and R3 that stay open after a look', () => {
    expect(next('UNKNOWN', looked)).toBe('run run refuse refuse');
    expect(next('PREPARED', looked)).toBe('refuse refuse refuse refuse');
  });
  it('is to wait while it runs', () => {
    expect(next('PREPARED', { reconciled: true, running: 'process 12 is running' })).toBe('wait wait wait wait');
  });
  it('goes by the stricter of the stored and the asked level', () => {
    expect(whatNext(entryIn('RECONCILED_ABSENT', 'R3'), 'R0', fresh).kind).toBe('ask');
    expect(whatNext(entryIn('FAILED', 'R0'), 'R3', fresh).kind).toBe('ask');
  });
});

describe('an exit code that may be of another part of the command', () => {
  const zero = { kind: 'exited', exitCode: 0, signal: null } as const;

  it('of 0 proves no write and is looked into, while reads and repeatable writes are taken at their word', () => {
    expect(exitToState('R2', zero, true)).toBe('UNKNOWN');
    expect(exitToState('R3', zero, true)).toBe('UNKNOWN');
    expect(exitToState('R1', zero, true)).toBe('COMMITTED');
    expect(exitToState('R0', zero, true)).toBe('COMMITTED');
    expect(exitToState('R2', zero, false)).toBe('COMMITTED');
    for (const level of ['R1', 'R2', 'R3'] as const) expect(exitToState(level, zero, 'left-running')).toBe('UNKNOWN');
    expect(exitToState('R0', zero, 'left-running')).toBe('COMMITTED');
  });

  it('of 0 leaves the verdict to the probe after a crash, too', () => {
    const trace = { kind: 'exited', exitCode: 0 } as const;
    const absent = { says: 'ABSENT', probe: 'append', detail: 'as it was' } as const;
    expect(needsProbe('R2', trace, true)).toBe(true);
    expect(needsProbe('R2', trace, false)).toBe(false);
    expect(reconcileOutcome('PREPARED', 'R2', trace, absent, true).map(({ to }) => to)).toEqual([
      'UNKNOWN',
      'RECONCILED_ABSENT',
    ]);
    expect(reconcileOutcome('PREPARED', 'R2', trace, null, true).map(({ to }) => to)).toEqual(['UNKNOWN']);
  });
});

// What is said to whoever asks for an effect that was asked for before. Which step follows is proved for every case in
// test/property/ledgerTransitions.test.ts; here are the words.
import { describe, expect, it } from 'vitest';
import type { EffectLevel, EntryState } from '../../../../src/core/ledger/entry.ts';
import { firstEntry } from '../../../../src/core/ledger/transition.ts';
import { whatNext } from '../../../../src/core/ledger/whatNext.ts';
import type { NextStep } from '../../../../src/core/ledger/whatNext.ts';
import { intentOf } from '../../../support/memoryEntries.ts';

function next(state: EntryState, level: EffectLevel, running: string | null = null): NextStep {
  return whatNext({ ...firstEntry(intentOf('a', level)), state }, level, { reconciled: true, running });
}

describe('the next step', () => {
  it('asks with the reason why a person must decide', () => {
    expect(next('FAILED', 'R2')).toEqual({ kind: 'ask', reason: 'an earlier attempt did not take effect' });
    expect(next('RECONCILED_ABSENT', 'R3')).toEqual({
      kind: 'ask',
      reason: 'an earlier attempt did not take effect, but it cannot be taken back once it does',
    });
    expect(next('COMPENSATED', 'R1')).toEqual({ kind: 'ask', reason: 'it was done and undone before' });
  });

  it('refuses what may have happened, and says that nobody can tell', () => {
    const refused = {
      kind: 'refuse',
      reason: 'an earlier attempt may have happened, and that cannot be told for certain',
    };
    expect(next('UNKNOWN', 'R2')).toEqual(refused);
    expect(next('UNKNOWN', 'R3')).toEqual(refused);
    expect(next('PREPARED', 'R0')).toEqual(refused);
  });

  it('waits for what is not over, and says what that is', () => {
    expect(next('PREPARED', 'R1', 'its process 7 is running')).toEqual({
      kind: 'wait',
      reason: 'it is not over yet: its process 7 is running',
    });
  });
});

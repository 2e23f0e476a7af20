// What the agent and the person are told of an effect: as much as the ledger proves, and what to do about the rest.
import { describe, expect, it } from 'vitest';
import type { EntryState, Evidence, ProbeBaseline } from '../../../../src/core/ledger/entry.ts';
import { outputText, RESULT_OF, stateSentence } from '../../../../src/core/ledger/outcomeText.ts';
import { editBaseline } from '../../../../src/core/ledger/probes.ts';
import { placeBaseline } from '../../../../src/core/ledger/probes/place.ts';
import { exitText } from '../../../../src/core/ledger/reconcile.ts';
import type { RunExit } from '../../../../src/core/ledger/reconcile.ts';
import { firstEntry } from '../../../../src/core/ledger/transition.ts';
import { intentOf } from '../../../support/memoryEntries.ts';

const seen: Evidence = { source: 'exit', detail: 'exit code 2' };
const probed: ProbeBaseline = editBaseline([{ path: 'a', beforeHash: 'x', afterHash: 'y' }]);

function sentence(state: EntryState, evidence: Evidence | null = seen, probe: ProbeBaseline | null = probed): string {
  return stateSentence({ ...firstEntry(intentOf('a', 'R2', { probe })), state, evidence });
}

describe('the sentence about an entry', () => {
  const short = intentOf('a').key.slice(0, 12);
  const remedy = `It will not be run again by itself: look at what it should have changed ("belay ledger show ${short}"), then ask again with "belay ledger reconcile ${short}".`;

  it.each<[EntryState, string]>([
    ['COMMITTED', 'It took effect (exit: exit code 2).'],
    ['FAILED', 'It did not take effect (exit: exit code 2).'],
    ['RECONCILED_COMMITTED', 'A look afterwards shows that it took effect (exit: exit code 2).'],
    ['RECONCILED_ABSENT', 'A look afterwards shows that it did not take effect (exit: exit code 2).'],
    ['COMPENSATED', 'It took effect and was undone (exit: exit code 2).'],
    ['PREPARED', `It was about to run; whether it did is not known yet. ${remedy}`],
    ['UNKNOWN', `It may have happened, wholly or in part (exit: exit code 2). ${remedy}`],
  ])('in %s says so with its proof: %s', (state, words) => {
    expect(sentence(state)).toBe(words);
  });

  it('claims no proof where there is none', () => {
    expect(sentence('COMMITTED', null)).toBe('It took effect.');
    expect(sentence('UNKNOWN', null)).toBe(`It may have happened, wholly or in part. ${remedy}`);
  });

  it('tells of an unknown effect what its probe says, or that no probe can look', () => {
    const said = { source: 'probe:append', detail: 'log.txt grew by 3 bytes' };
    expect(sentence('UNKNOWN', said)).toContain('in part; its probe says: log.txt grew by 3 bytes. It will not');
    expect(sentence('UNKNOWN', said)).not.toContain('(probe:append');
    for (const probe of [null, placeBaseline('/repo'), { kind: 'of-a-later-version', data: {} }]) {
      expect(sentence('UNKNOWN', seen, probe)).toContain(
        'in part (exit: exit code 2); no probe can look for it. It will',
      );
      expect(sentence('UNKNOWN', null, probe)).toContain('in part; no probe can look for it. It will');
    }
    // A source that only ends like a probe's is none.
    expect(sentence('UNKNOWN', { source: 'no probe:', detail: 'x' })).toContain('(no probe:: x)');
  });
});

describe('the result of a state', () => {
  it('is done only where the effect is known to stand, and unknown while nobody knows', () => {
    expect(RESULT_OF).toEqual({
      PREPARED: 'unknown',
      COMMITTED: 'done',
      FAILED: 'failed',
      UNKNOWN: 'unknown',
      RECONCILED_COMMITTED: 'done',
      RECONCILED_ABSENT: 'failed',
      COMPENSATED: 'failed',
    });
  });
});

describe('the end of a run in words', () => {
  it.each<[RunExit, string]>([
    [{ kind: 'exited', exitCode: 3, signal: null }, 'exit code 3'],
    [{ kind: 'exited', exitCode: 137, signal: 'SIGKILL' }, 'ended by SIGKILL (exit code 137)'],
    [{ kind: 'killed', because: 'timeout' }, 'stopped after its time limit'],
    [{ kind: 'killed', because: 'cancelled' }, 'cancelled and stopped while it ran'],
    [{ kind: 'killed', because: 'prompt' }, 'stopped while it waited for an answer that nobody can give'],
    [{ kind: 'lost', message: 'the gate is gone' }, 'lost: the gate is gone'],
  ])('of %j is "%s"', (exit, words) => {
    expect(exitText(exit)).toBe(words);
  });
});

describe('captured output', () => {
  it('is shown without blanks at its end, errors below and marked', () => {
    expect(outputText('one\n\n', 'bad\n')).toBe('one\n[standard error]\nbad');
    expect(outputText('  one\n', '')).toBe('  one');
    expect(outputText('', '  bad  \n')).toBe('[standard error]\n  bad');
  });

  it('leaves out what is empty', () => {
    expect(outputText('', '')).toBe('');
    expect(outputText('one', ' \n ')).toBe('one');
    expect(outputText('\n', 'bad')).toBe('[standard error]\nbad');
  });
});

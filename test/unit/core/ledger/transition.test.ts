import { describe, expect, it } from 'vitest';
import type { EffectLevel, EntryState } from '../../../../src/core/ledger/entry.ts';
import {
  ENTRY_STATES,
  firstEntry,
  isLegal,
  prepareAgain,
  settlingPath,
  transition,
} from '../../../../src/core/ledger/transition.ts';
import { changeOf, intentOf } from '../../../support/memoryEntries.ts';

const LEVELS: readonly EffectLevel[] = ['R0', 'R1', 'R2', 'R3'];

/** Written out by hand from table 6 and DESIGN 7 and 8: from -> to, with the levels that may; * marks "by a person". */
const LEGAL: Readonly<Record<EntryState, Readonly<Partial<Record<EntryState, string>>>>> = {
  PREPARED: { COMMITTED: 'R0 R1 R2 R3', FAILED: 'R0 R1 R2 R3', UNKNOWN: 'R0 R1 R2 R3' },
  COMMITTED: { COMPENSATED: 'R0 R1 R2 R3' },
  FAILED: { PREPARED: 'R0 R1 R2* R3*' },
  UNKNOWN: { RECONCILED_COMMITTED: 'R0 R1 R2 R3', RECONCILED_ABSENT: 'R0 R1 R2 R3', PREPARED: 'R0 R1' },
  RECONCILED_COMMITTED: { COMPENSATED: 'R0 R1 R2 R3' },
  RECONCILED_ABSENT: { PREPARED: 'R0 R1 R2 R3*' },
  COMPENSATED: { PREPARED: 'R0 R1* R2* R3*' },
};

describe('the transitions of an entry', () => {
  const cases = ENTRY_STATES.flatMap((from) =>
    ENTRY_STATES.flatMap((to) =>
      LEVELS.flatMap((level) => [true, false].map((byPerson) => ({ from, to, level, byPerson }))),
    ),
  );

  it('are exactly those of the table, for every pair of states, level and source', () => {
    expect(cases).toHaveLength(7 * 7 * 4 * 2);
    for (const { from, to, level, byPerson } of cases) {
      const levels = LEGAL[from][to]?.split(' ') ?? [];
      const expected = levels.includes(level) || (byPerson && levels.includes(`${level}*`));
      expect(isLegal(from, to, level, byPerson), `${from} to ${to}, ${level}, person ${byPerson}`).toBe(expected);
    }
  });

  it('raise the fence by one and leave the old entry as it was', () => {
    const entry = firstEntry(intentOf('a'));
    const moved = transition(entry, changeOf(entry.key, 'COMMITTED', 1));
    expect(moved).toMatchObject({ ok: true, value: { state: 'COMMITTED', fence: 2, updatedAtMs: 2000 } });
    expect(entry).toMatchObject({ state: 'PREPARED', fence: 1 });
  });

  it('refuse an older and a newer fence before anything else', () => {
    const entry = { ...firstEntry(intentOf('a')), fence: 5 };
    for (const fence of [4, 6]) {
      expect(transition(entry, changeOf(entry.key, 'COMMITTED', fence))).toMatchObject({ error: { kind: 'fenced' } });
    }
  });

  it('never lower the level when an entry is prepared again', () => {
    const entry = { ...firstEntry(intentOf('a', 'R3')), state: 'RECONCILED_ABSENT' as const };
    const lower = prepareAgain(entry, intentOf('a', 'R1'), changeOf(entry.key, 'PREPARED', 1));
    expect(lower).toMatchObject({ ok: false, error: { kind: 'illegal-transition' } });
    const person = changeOf(entry.key, 'PREPARED', 1, { source: 'person' });
    expect(prepareAgain(entry, intentOf('a', 'R1'), person)).toMatchObject({ ok: true, value: { level: 'R3' } });
  });

  it('know the way to settle without preparing again', () => {
    expect(settlingPath('PREPARED', 'RECONCILED_ABSENT')).toEqual(['UNKNOWN', 'RECONCILED_ABSENT']);
    expect(settlingPath('UNKNOWN', 'UNKNOWN')).toEqual([]);
    expect(settlingPath('RECONCILED_ABSENT', 'COMMITTED')).toBeNull();
    expect(settlingPath('FAILED', 'PREPARED')).toBeNull();
  });
});

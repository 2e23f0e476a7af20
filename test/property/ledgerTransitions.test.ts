// Every transition of the ledger, tried: all states, levels, persons, fences and leases against a table written from the HFR
// document (4.5, tables 6 and 7) and DESIGN (fixed semantics 7 and 8), not from the code; and every path of up to six steps.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/adapters/stores/memoryStore.ts';
import type { EffectLevel, EntryState, LedgerEntry } from '../../src/core/ledger/entry.ts';
import {
  ENTRY_STATES,
  firstEntry,
  isLegal,
  mayPrepareAgain,
  PERSON,
  prepareAgain,
  settlingPath,
  transition,
} from '../../src/core/ledger/transition.ts';
import { whatNext } from '../../src/core/ledger/whatNext.ts';
import { changeOf, intentOf, must } from '../support/memoryEntries.ts';

const LEVELS: readonly EffectLevel[] = ['R0', 'R1', 'R2', 'R3'];
const STATES: readonly EntryState[] = [
  'PREPARED',
  'COMMITTED',
  'FAILED',
  'UNKNOWN',
  'RECONCILED_COMMITTED',
  'RECONCILED_ABSENT',
  'COMPENSATED',
];

/** Who may take a step: anybody, a person alone, for which levels. */
type Who = Readonly<Record<EffectLevel, 'program' | 'person' | 'nobody'>>;
const ANYBODY: Who = { R0: 'program', R1: 'program', R2: 'program', R3: 'program' };

/** The tables of the document. What is not in here is illegal. */
const TABLE: Readonly<Record<string, Who>> = {
  // Table 6: the tool's answer, or none in time.
  'PREPARED > COMMITTED': ANYBODY,
  'PREPARED > FAILED': ANYBODY,
  'PREPARED > UNKNOWN': ANYBODY,
  // An unknown result must be reconciled; R0 and R1 may be tried again under the same key (table 7).
  'UNKNOWN > RECONCILED_COMMITTED': ANYBODY,
  'UNKNOWN > RECONCILED_ABSENT': ANYBODY,
  'UNKNOWN > PREPARED': { R0: 'program', R1: 'program', R2: 'nobody', R3: 'nobody' },
  // Not committed: again where it is idempotent (table 6), else a person decides.
  'FAILED > PREPARED': { R0: 'program', R1: 'program', R2: 'person', R3: 'person' },
  // Confirmed absent: again under the same key; R3 never by the program (DESIGN 8).
  'RECONCILED_ABSENT > PREPARED': { R0: 'program', R1: 'program', R2: 'program', R3: 'person' },
  // It stands: never again; it can only be undone.
  'COMMITTED > COMPENSATED': ANYBODY,
  'RECONCILED_COMMITTED > COMPENSATED': ANYBODY,
  // Undone: whether it is done again is not the program's to decide, but for a read.
  'COMPENSATED > PREPARED': { R0: 'program', R1: 'person', R2: 'person', R3: 'person' },
};

function isAllowed(from: EntryState, to: EntryState, level: EffectLevel, byPerson: boolean): boolean {
  const who = TABLE[`${from} > ${to}`]?.[level] ?? 'nobody';
  return who === 'program' || (who === 'person' && byPerson);
}

function entryIn(state: EntryState, level: EffectLevel): LedgerEntry {
  return { ...firstEntry(intentOf('a', level)), state, fence: 7 };
}

describe('one transition', () => {
  it('knows exactly the seven states of the document', () => {
    expect([...ENTRY_STATES].sort()).toEqual([...STATES].sort());
  });

  it.each(LEVELS)('of %s is legal exactly where the tables say so, whoever asks and with whatever fence', (level) => {
    const wrongs: string[] = [];
    for (const from of STATES)
      for (const to of STATES)
        for (const byPerson of [false, true])
          for (const fence of [6, 7, 8]) {
            const allowed = isAllowed(from, to, level, byPerson);
            const entry = entryIn(from, level);
            const change = changeOf(entry.key, to, fence, { source: byPerson ? PERSON : 'probe:append' });
            const moved = transition(entry, change);
            const isRight =
              isLegal(from, to, level, byPerson) === allowed &&
              (to !== 'PREPARED' || mayPrepareAgain(from, level, byPerson) === allowed) &&
              moved.ok === (allowed && fence === 7) &&
              (moved.ok
                ? moved.value.state === to && moved.value.fence === 8 && moved.value.evidence === change.evidence
                : moved.error.kind === (fence === 7 ? 'illegal-transition' : 'fenced')) &&
              entry.state === from &&
              entry.fence === 7;
            if (!isRight)
              wrongs.push(`${from} > ${to} by ${byPerson ? 'a person' : 'the program'} with fence ${fence}`);
          }
    expect(wrongs).toEqual([]);
  });

  it('keeps everything of an entry but state, evidence, time and fence, and says whose change was refused', () => {
    const entry = entryIn('PREPARED', 'R2');
    const change = changeOf(entry.key, 'COMMITTED', 7);
    expect(transition(entry, change)).toEqual({
      ok: true,
      value: { ...entry, state: 'COMMITTED', evidence: change.evidence, updatedAtMs: change.atMs, fence: 8 },
    });
    const late = transition({ ...entry, state: 'FAILED' }, { ...change, fence: 6 });
    expect(!late.ok && late.error.message).toContain(`Entry ${entry.key.slice(0, 12)} was changed by somebody else`);
    expect(!late.ok && late.error.message).toContain('FAILED');
    const illegal = transition(entry, { ...change, to: 'COMPENSATED' });
    expect(!illegal.ok && illegal.error.message).toContain('(R2) is PREPARED and may not become COMPENSATED');
  });

  it('treats a missing person as the program', () => {
    expect(isLegal('RECONCILED_ABSENT', 'PREPARED', 'R3')).toBe(false);
    expect(isLegal('RECONCILED_ABSENT', 'PREPARED', 'R2')).toBe(true);
  });

  it('is refused by the store for a lease that has passed on or run out, and taken with the present one or none', async () => {
    for (const level of LEVELS)
      for (const from of STATES)
        for (const to of STATES)
          for (const lease of ['none', 'present', 'passed-on', 'given-back'] as const) {
            const name = `${level} ${from} > ${to}, lease ${lease}`;
            const store = memoryStore();
            const { key } = intentOf('a', level);
            await store.write({ prepare: intentOf('a', level) });
            let fence = 1;
            for (const step of wayTo(from)) must(await store.write({ changes: [changeOf(key, step, fence++)] }));
            const first = must(await store.lease({ key, holder: 'one', nowMs: 0, ttlMs: 100 }));
            const token = first.granted ? first.token : NaN;
            if (lease === 'passed-on') must(await store.lease({ key, holder: 'two', nowMs: 200, ttlMs: 100 }));
            if (lease === 'given-back') must(await store.releaseLease(key, token));
            const change = changeOf(key, to, fence);
            const written = await store.write({ changes: [lease === 'none' ? change : { ...change, lease: token }] });
            const isLate = lease === 'passed-on' || lease === 'given-back';
            expect(written.ok, name).toBe(isAllowed(from, to, level, false) && !isLate);
            if (isLate && !written.ok) expect(written.error.kind, name).toBe('fenced');
            expect(must(await store.entry(key))?.state, name).toBe(written.ok ? to : from);
          }
  });
});

/** Legal steps from PREPARED to a state, by the table. */
function wayTo(state: EntryState): readonly EntryState[] {
  const ways: Readonly<Record<EntryState, readonly EntryState[]>> = {
    PREPARED: [],
    COMMITTED: ['COMMITTED'],
    FAILED: ['FAILED'],
    UNKNOWN: ['UNKNOWN'],
    RECONCILED_COMMITTED: ['UNKNOWN', 'RECONCILED_COMMITTED'],
    RECONCILED_ABSENT: ['UNKNOWN', 'RECONCILED_ABSENT'],
    COMPENSATED: ['COMMITTED', 'COMPENSATED'],
  };
  return ways[state];
}

interface Step {
  readonly to: EntryState;
  readonly byPerson: boolean;
}

const STEPS: readonly Step[] = STATES.flatMap((to) => [
  { to, byPerson: false },
  { to, byPerson: true },
]);

/** Every entry that can be reached in up to `left` more steps, with the steps that led there. */
function* reachable(entry: LedgerEntry, left: number, path: readonly Step[] = []): Generator<readonly Step[]> {
  yield path;
  if (left === 0) return;
  for (const step of STEPS) {
    const change = changeOf(entry.key, step.to, entry.fence, { source: step.byPerson ? PERSON : 'test' });
    const moved =
      step.to === 'PREPARED' ? prepareAgain(entry, intentOf('a', entry.level), change) : transition(entry, change);
    if (moved.ok) yield* reachable(moved.value, left - 1, [...path, step]);
  }
}

describe('every path of up to six steps', () => {
  it.each(['R2', 'R3'] as const)(
    'runs an %s effect a second time only after RECONCILED_ABSENT or by a person, and an R3 by a person alone',
    (level) => {
      const wrongs: string[] = [];
      let paths = 0;
      let repeats = 0;
      for (const path of reachable(firstEntry(intentOf('a', level)), 6)) {
        paths++;
        for (const [i, { to, byPerson }] of path.entries()) {
          if (to !== 'PREPARED') continue;
          repeats++;
          const before = path[i - 1]?.to ?? 'PREPARED';
          const isProved = before === 'RECONCILED_ABSENT' && level === 'R2';
          // Not even a person repeats what stands, is going on or may have happened.
          const isOver = before === 'FAILED' || before === 'RECONCILED_ABSENT' || before === 'COMPENSATED';
          if (!isOver || !(byPerson || isProved)) wrongs.push(JSON.stringify(path));
        }
      }
      expect(wrongs).toEqual([]);
      expect(paths).toBeGreaterThan(100);
      expect(repeats).toBeGreaterThan(20);
    },
  );

  it.each(LEVELS)('never leaves COMMITTED or RECONCILED_COMMITTED of an %s but for COMPENSATED', (level) => {
    const wrongs: string[] = [];
    for (const path of reachable(firstEntry(intentOf('a', level)), 6)) {
      for (const [i, { to }] of path.entries()) {
        const before = path[i - 1]?.to;
        const stood = before === 'COMMITTED' || before === 'RECONCILED_COMMITTED';
        const isReconciled = to === 'RECONCILED_COMMITTED' || to === 'RECONCILED_ABSENT';
        if ((stood && to !== 'COMPENSATED') || (isReconciled && before !== 'UNKNOWN'))
          wrongs.push(JSON.stringify(path));
      }
    }
    expect(wrongs).toEqual([]);
  });

  it('lowers the level of an entry by no way at all, and lifts it when the same effect is asked for at a higher one', () => {
    for (const first of LEVELS)
      for (const second of LEVELS) {
        const absent = { ...entryIn('RECONCILED_ABSENT', first) };
        const change = changeOf(absent.key, 'PREPARED', 7, { source: PERSON });
        const again = prepareAgain(absent, intentOf('a', second), change);
        expect(again.ok && again.value.level).toBe(first > second ? first : second);
      }
  });

  it('prepares again with owner, probe, paths, title and time of the new attempt, and keeps what identifies the action', () => {
    const absent = entryIn('RECONCILED_ABSENT', 'R2');
    const owner = { pid: 1, pidStartedAt: '2', bootId: 'b', childPid: 3, childStartedAt: '4' };
    const fresh = { owner, probe: { kind: 'append', data: {} }, paths: ['p'], title: 'again', preparedAtMs: 77 };
    const change = changeOf(absent.key, 'PREPARED', 7);
    const again = prepareAgain(absent, intentOf('a', 'R2', { ...fresh, task: 'other', argsText: '{}' }), change);
    const moved = { state: 'PREPARED' as const, evidence: change.evidence, updatedAtMs: change.atMs, fence: 8 };
    expect(again).toEqual({ ok: true, value: { ...absent, ...fresh, ...moved } });
    expect(prepareAgain(absent, intentOf('a', 'R2', fresh), { ...change, fence: 6 }).ok).toBe(false);
  });

  it('finds a legal way to settle an entry wherever the table has one, and none through PREPARED', () => {
    for (const from of STATES)
      for (const to of STATES) {
        const path = settlingPath(from, to);
        if (path === null) continue;
        let at = from;
        for (const next of path) {
          expect(isAllowed(at, next, 'R3', false), `${from} > ${to}`).toBe(true);
          expect(next).not.toBe('PREPARED');
          at = next;
        }
        expect(at).toBe(to);
      }
    expect(settlingPath('PREPARED', 'RECONCILED_ABSENT')).toEqual(['UNKNOWN', 'RECONCILED_ABSENT']);
    expect(settlingPath('FAILED', 'COMMITTED')).toBeNull();
  });
});

/** What the document asks for: an open entry is reconciled first, what stands is answered, the rest runs or asks by the tables. */
function settledStep(state: EntryState, level: EffectLevel, reconciled: boolean): readonly string[] {
  if (state === 'COMMITTED' || state === 'RECONCILED_COMMITTED') return ['stored'];
  if (state === 'PREPARED') return [reconciled ? 'refuse' : 'reconcile'];
  if (state === 'UNKNOWN' && !reconciled) return ['reconcile'];
  if (isAllowed(state, 'PREPARED', level, false)) return ['run'];
  return [isAllowed(state, 'PREPARED', level, true) ? 'ask' : 'refuse'];
}

describe('what the program does next', () => {
  it('never runs, in any state, what the tables do not let the program prepare again', () => {
    const wrongs: string[] = [];
    for (const state of STATES)
      for (const stored of LEVELS)
        for (const asked of LEVELS)
          for (const reconciled of [false, true])
            for (const running of [null, 'process 7']) {
              const strict = stored > asked ? stored : asked;
              const { kind } = whatNext(entryIn(state, stored), asked, { reconciled, running });
              const mayProgram = isAllowed(state, 'PREPARED', strict, false);
              const wanted = running === null ? settledStep(state, strict, reconciled) : ['wait'];
              const isRight = wanted.includes(kind) && (kind !== 'run' || mayProgram);
              if (!isRight) wrongs.push(`${state} of ${stored}, asked as ${asked}, reconciled ${reconciled}: ${kind}`);
            }
    expect(wrongs).toEqual([]);
  });

  it('runs what was never asked for', () => {
    for (const level of LEVELS)
      expect(whatNext(null, level, { reconciled: false, running: null })).toEqual({ kind: 'run' });
  });
});

describe('many steps at random', () => {
  it('are total, and grow the fence by one for each that is taken', () => {
    const step = fc.record({
      to: fc.constantFrom<EntryState>(...STATES),
      person: fc.boolean(),
      off: fc.constantFrom(0, 0, 0, 1, -1),
    });
    fc.assert(
      fc.property(fc.constantFrom(...LEVELS), fc.array(step, { maxLength: 20 }), (level, steps) => {
        let entry = firstEntry(intentOf('a', level));
        for (const { to, person, off } of steps) {
          const change = changeOf(entry.key, to, entry.fence + off, { source: person ? PERSON : 'test' });
          const moved =
            to === 'PREPARED' ? prepareAgain(entry, intentOf('a', level), change) : transition(entry, change);
          expect(moved.ok).toBe(off === 0 && isAllowed(entry.state, to, level, person));
          if (!moved.ok) continue;
          expect(moved.value.fence).toBe(entry.fence + 1);
          entry = moved.value;
        }
      }),
    );
  });
});

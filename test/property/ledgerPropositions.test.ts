// Propositions 2 and 3 of the HFR document (4.10, appendix D) on the code that decides, with a modelled outside. Each test
// names its assumption; beside it stands what happens when the assumption does not hold, and what Belay does about that.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/adapters/stores/memoryStore.ts';
import { virtualClock } from '../../src/adapters/time/virtualClock.ts';
import type { EffectLevel, LedgerEntry } from '../../src/core/ledger/entry.ts';
import { idempotencyKey } from '../../src/core/ledger/key.ts';
import { exitToState, reconcileOutcome } from '../../src/core/ledger/reconcile.ts';
import type { ProbeResult, RunExit } from '../../src/core/ledger/reconcile.ts';
import { believedLevel, definitionHash } from '../../src/core/ledger/toolContract.ts';
import { firstEntry, prepareAgain, transition } from '../../src/core/ledger/transition.ts';
import { whatNext } from '../../src/core/ledger/whatNext.ts';
import { testToolContract } from '../../src/engine/toolContract.ts';
import type { ContractTarget } from '../../src/engine/toolContract.ts';
import { changeOf, intentOf, must } from '../support/memoryEntries.ts';

/** One attempt of a tool: whether its effect takes place, and what its caller sees. */
interface Attempt {
  readonly acts: boolean;
  readonly exit: RunExit;
}

/** What the outside is like. */
interface Outside {
  /** The tool does nothing twice for the same key. */
  readonly keepsKeys: boolean;
  /** An effect can be seen by the probe so long after it took place (0: linearizable). */
  readonly lagMs: number;
  /** The probe looks so long after the attempt ended. */
  readonly settleMs: number;
  /** The probe answers UNKNOWN at these looks. */
  readonly blindLooks: ReadonlySet<number>;
  readonly hasProbe: boolean;
}

const LINEARIZABLE: Outside = { keepsKeys: true, lagMs: 0, settleMs: 0, blindLooks: new Set(), hasProbe: true };

interface Played {
  /** Times of the effects. */
  readonly effects: readonly number[];
  readonly entry: LedgerEntry;
  readonly attempts: number;
}

/** Asks for one action again and again, as a loop without judgement would; the ledger's rules alone decide. */
function play(level: EffectLevel, attempts: readonly Attempt[], outside: Outside): Played {
  const { keepsKeys, lagMs, settleMs, blindLooks, hasProbe } = outside;
  const effects: number[] = [];
  let nowMs = 0;
  let looks = 0;
  let made = 0;
  let entry: LedgerEntry | null = null;
  const move = (at: LedgerEntry, to: LedgerEntry['state']): LedgerEntry => {
    const change = changeOf(at.key, to, at.fence);
    const moved = to === 'PREPARED' ? prepareAgain(at, intentOf('a', level), change) : transition(at, change);
    return must(moved);
  };
  const look = (): ProbeResult | null => {
    if (!hasProbe) return null;
    nowMs += settleMs;
    if (blindLooks.has(looks++)) return { says: 'UNKNOWN', probe: 'model', detail: 'no answer' };
    const isSeen = effects.some((atMs) => atMs + lagMs <= nowMs);
    return { says: isSeen ? 'COMMITTED' : 'ABSENT', probe: 'model', detail: 'as it is' };
  };
  for (const { acts, exit } of attempts) {
    const next = whatNext(entry, level, { reconciled: true, running: null });
    if (next.kind !== 'run') continue;
    entry = entry ? move(entry, 'PREPARED') : firstEntry(intentOf('a', level));
    made++;
    nowMs += 10;
    if (acts && !(keepsKeys && effects.length > 0)) effects.push(nowMs);
    entry = move(entry, exitToState(level, exit));
    if (entry.state !== 'UNKNOWN' || level === 'R0') continue;
    for (const { to } of reconcileOutcome('UNKNOWN', level, { kind: 'started' }, look())) entry = move(entry, to);
  }
  if (!entry) throw new Error('nothing was asked for');
  return { effects, entry, attempts: made };
}

const ZERO: RunExit = { kind: 'exited', exitCode: 0, signal: null };
const exits = fc.constantFrom<RunExit>(
  ZERO,
  { kind: 'exited', exitCode: 2, signal: null },
  { kind: 'exited', exitCode: 137, signal: null },
  { kind: 'exited', exitCode: 1, signal: 'SIGKILL' },
  { kind: 'killed', because: 'timeout' },
  { kind: 'lost', message: 'the gate is gone' },
);
/** A tool that answers 0 has acted; everything else may have acted or not. */
const attempt = fc
  .record({ acts: fc.boolean(), exit: exits })
  .map(({ acts, exit }): Attempt => ({ exit, acts: acts || exit === ZERO }));
const attempts = fc.array(attempt, { minLength: 1, maxLength: 8 });
const looks = fc.uniqueArray(fc.nat(8)).map((blind) => new Set(blind));

describe('proposition 2: an action whose tool keeps its key has at most one effect, however often it is tried', () => {
  it('holds if the tool really acts once for a key and every attempt carries the same key (R1)', () => {
    fc.assert(
      fc.property(attempts, looks, fc.boolean(), (tried, blindLooks, hasProbe) => {
        const { effects } = play('R1', tried, { ...LINEARIZABLE, keepsKeys: true, blindLooks, hasProbe });
        expect(effects.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 2000 },
    );
  });

  it('holds for all actions together if different actions have different keys', () => {
    const action = fc.record({ task: fc.constantFrom('a', 'b'), step: fc.nat(3), args: fc.constantFrom('x', 'y') });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 30 }), (asked) => {
        const committed = new Set(asked.map((one) => idempotencyKey({ tenant: 't', tool: 'pay', ...one })));
        const different = new Set(asked.map(({ task, step, args }) => `${task} ${step} ${args}`));
        expect(committed.size).toBe(different.size);
      }),
    );
  });

  it('does not hold for a tool that ignores its key: an R1 of that kind acts twice', () => {
    const lost: RunExit = { kind: 'lost', message: 'the answer was lost' };
    const tried: readonly Attempt[] = [
      { acts: true, exit: lost },
      { acts: true, exit: ZERO },
    ];
    const faithless = { ...LINEARIZABLE, keepsKeys: false, hasProbe: false };
    expect(play('R1', tried, faithless).effects).toHaveLength(2);
    // The same tool at the level that its contract leaves it.
    expect(play('R3', tried, faithless).effects).toHaveLength(1);
    expect(play('R2', tried, { ...faithless, hasProbe: true }).effects).toHaveLength(1);
  });

  it('is therefore assumed only of a tool that passed its contract: one that ignores keys is found out and is not R1', async () => {
    const clock = virtualClock(0);
    let count = 0;
    const faithless: ContractTarget = {
      call: () => {
        count++;
        return Promise.resolve({ ok: true, value: null });
      },
      count: () => Promise.resolve({ ok: true, value: count }),
    };
    const definition = definitionHash('pay 1.0');
    const request = { tool: 'pay', definition, args: 1, settleMs: 10, cutAfterMs: [1] };
    const tested = must(await clock.run(testToolContract({ clock, store: memoryStore() }, request, faithless)));
    for (const hasProbe of [false, true]) {
      const level = believedLevel({ name: 'pay', definition, hasProbe }, 'R1', [tested.contract]);
      expect(level).toBe(hasProbe ? 'R2' : 'R3');
      fc.assert(
        fc.property(attempts, (tried) => {
          expect(
            play(level, tried, { ...LINEARIZABLE, keepsKeys: false, hasProbe }).effects.length,
          ).toBeLessThanOrEqual(1);
        }),
      );
    }
  });
});

describe('proposition 3: what is tried again only after the probe said ABSENT has at most one effect', () => {
  it('holds if the probe is linearizable and tells committed, absent and unknown apart (R2)', () => {
    fc.assert(
      fc.property(attempts, looks, (tried, blindLooks) => {
        const { effects, entry } = play('R2', tried, { ...LINEARIZABLE, keepsKeys: false, blindLooks });
        expect(effects.length).toBeLessThanOrEqual(1);
        if (entry.state === 'COMMITTED' || entry.state === 'RECONCILED_COMMITTED') expect(effects).toHaveLength(1);
        if (entry.state === 'RECONCILED_ABSENT' || entry.state === 'FAILED') expect(effects).toHaveLength(0);
      }),
      { numRuns: 2000 },
    );
  });

  it('stops at the first UNKNOWN of the probe: nothing is tried after it (R2), and R3 is never tried twice at all', () => {
    fc.assert(
      fc.property(attempts, (tried) => {
        const blind = { ...LINEARIZABLE, keepsKeys: false, blindLooks: new Set([0]) };
        const first = tried.findIndex(({ exit }) => exit !== ZERO);
        const { attempts: made } = play('R2', tried, blind);
        if (first === 0) expect(made).toBe(1);
        expect(play('R3', tried, { ...LINEARIZABLE, keepsKeys: false }).attempts).toBe(1);
      }),
    );
  });

  it('holds for an outside that shows effects late if the probe waits at least that long', () => {
    fc.assert(
      fc.property(attempts, fc.nat(1000), fc.nat(1000), (tried, lagMs, moreMs) => {
        const outside = { ...LINEARIZABLE, keepsKeys: false, lagMs, settleMs: lagMs + moreMs };
        expect(play('R2', tried, outside).effects.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 1000 },
    );
  });

  it('does not hold if the probe looks before the outside shows its effects: a wrong ABSENT makes it twice', () => {
    const tried: readonly Attempt[] = [
      { acts: true, exit: { kind: 'killed', because: 'timeout' } },
      { acts: true, exit: ZERO },
    ];
    const late = { ...LINEARIZABLE, keepsKeys: false, lagMs: 500 };
    expect(play('R2', tried, { ...late, settleMs: 499 }).effects).toHaveLength(2);
    expect(play('R2', tried, { ...late, settleMs: 500 }).effects).toHaveLength(1);
    // What cannot be taken back is not tried again on a probe's word, so that a wrong ABSENT harms nothing.
    expect(play('R3', tried, { ...late, settleMs: 0 }).effects).toHaveLength(1);
  });

  it('needs a probe at all: without one an unknown R2 is never tried again', () => {
    fc.assert(
      fc.property(attempts, (tried) => {
        const { effects, attempts: made } = play('R2', tried, { ...LINEARIZABLE, keepsKeys: false, hasProbe: false });
        expect(made).toBe(1);
        expect(effects.length).toBeLessThanOrEqual(1);
      }),
    );
  });
});

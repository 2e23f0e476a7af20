// Propositions 2 and 3 of the HFR document as sequences: whatever fails, is killed or is asked again, an effect takes place
// at most once, and no entry claims what is not so. Assumptions, as there: the probe reads the world as it is (files, no
// writer of the same line that the ledger does not know), and the gate's marks are kept.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EffectLevel } from '../../src/core/ledger/entry.ts';
import { idempotencyKey } from '../../src/core/ledger/key.ts';
import type { EffectPorts } from '../../src/engine/effectEntry.ts';
import { runGuardedCommand } from '../../src/engine/guardedCommand.ts';
import type { CommandOutcome } from '../../src/engine/effectOutcome.ts';
import { must } from '../support/memoryEntries.ts';
import type { Fate } from '../support/memoryCommands.ts';
import { assessed, commandInput, context, memoryWorld } from '../support/memoryWorld.ts';

describe('keys', () => {
  it('are equal exactly for equal actions', () => {
    const text = fc.string({ maxLength: 3, unit: fc.constantFrom('a', '"', ',', '|', '\\', 'é') });
    const parts = fc.record({
      tenant: text,
      task: text,
      step: fc.nat(2),
      tool: text,
      args: fc.jsonValue({ maxDepth: 1, stringUnit: 'grapheme' }),
    });
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const isSame = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
        expect(idempotencyKey(a) === idempotencyKey(b)).toBe(isSame);
      }),
      { numRuns: 500 },
    );
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value === 0 ? 0 : value;
  const items = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return items.map(([name, one]) => [name, sorted(one)]);
}

class Crash extends Error {}

/** The ports of a process that dies at its `dieAt`-th call of a port: before it takes effect, or right after. */
function mortal(ports: EffectPorts, dieAt: number, isAfter: boolean): EffectPorts {
  let calls = 0;
  const guard = <A extends unknown[], T>(work: (...args: A) => Promise<T>) => {
    return async (...args: A): Promise<T> => {
      const dies = ++calls === dieAt;
      if (dies && !isAfter) throw new Crash();
      const value = await work(...args);
      if (dies) throw new Crash();
      return value;
    };
  };
  const { store, files, command } = ports;
  return {
    ...ports,
    store: {
      ...store,
      write: guard((transaction) => store.write(transaction)),
      entry: guard((key) => store.entry(key)),
      entries: guard((filter) => store.entries(filter)),
      lease: guard((request) => store.lease(request)),
    },
    files: {
      ...files,
      locate: guard((path) => files.locate(path)),
      look: guard((path) => files.look(path)),
      read: guard((path) => files.read(path)),
    },
    command: {
      query: guard((query) => command.query(query)),
      self: guard(() => command.self()),
      trace: guard((entry) => command.trace(entry)),
      hold: async (gated) => {
        const held = must(await guard(() => command.hold(gated))());
        const release: typeof held.release = guard((signal, onOutput) => held.release(signal, onOutput));
        return { ok: true, value: { ...held, release } };
      },
    },
  };
}

const fate: fc.Arbitrary<Fate> = fc
  .record({
    acts: fc.boolean(),
    exit: fc.oneof(
      fc.constant({ kind: 'exited' as const, exitCode: 0, signal: null }),
      fc.constant({ kind: 'exited' as const, exitCode: 2, signal: null }),
      fc.constant({ kind: 'killed' as const, because: 'timeout' as const }),
      fc.constant({ kind: 'lost' as const, message: 'the gate is gone' }),
    ),
  })
  .map(({ acts, exit }) => ({ exit, acts: exit.kind === 'exited' && exit.exitCode === 0 ? true : acts }));

const ask = fc.record({
  step: fc.integer({ min: 1, max: 2 }),
  /** 0: lives on. */
  dieAt: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 24 })),
  isAfter: fc.boolean(),
});

describe('an effect that is asked for again and again, through failures and crashes', () => {
  const COMMAND = 'echo a >> log.txt';

  const play = async (
    level: EffectLevel,
    fates: Fate[],
    asks: readonly { step: number; dieAt: number; isAfter: boolean }[],
    command: string,
  ) => {
    let acted = 0;
    const world = memoryWorld({
      files: { 'log.txt': '' },
      answer: 'deny',
      fate: () => {
        const next = fates.shift() ?? { acts: true, exit: { kind: 'exited', exitCode: 0, signal: null } };
        if (next.acts) acted++;
        return next;
      },
    });
    const outcomes: CommandOutcome[] = [];
    for (const [i, { step, dieAt, isAfter }] of asks.entries()) {
      const process = { ...world.ports, command: world.commands.asProcess(100 + i) };
      const input = commandInput(world, command, { assessment: assessed(level), context: { ...context, step } });
      try {
        // A lease that a dead process left runs out in time.
        outcomes.push(await world.clock.run(runGuardedCommand(mortal(process, dieAt, isAfter), input)));
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
    }
    const entries = must(await world.store.entries({}));
    return { world, outcomes, entries, acted: () => acted };
  };

  it('takes place at most once for each time it was really new, with a probe (R2)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fate, { maxLength: 6 }),
        fc.array(ask, { minLength: 1, maxLength: 8 }),
        async (fates, asks) => {
          const sameStep = asks.map((one) => ({ ...one, step: 1 }));
          const { world, entries, outcomes } = await play('R2', fates, sameStep, COMMAND);
          const lines = world.files.contents.get('log.txt')!.split('\n').length - 1;
          expect(lines).toBeLessThanOrEqual(1);
          const [entry] = entries;
          if (entry?.state === 'COMMITTED' || entry?.state === 'RECONCILED_COMMITTED') expect(lines).toBe(1);
          if (entry?.state === 'RECONCILED_ABSENT' || entry?.state === 'FAILED') expect(lines).toBe(0);
          for (const outcome of outcomes) if (outcome.result === 'done') expect(lines).toBe(1);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('takes place at most once without a probe too, and is then refused rather than repeated (R2 and R3)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<EffectLevel>('R2', 'R3'),
        fc.array(fate, { maxLength: 6 }),
        fc.array(ask, { minLength: 1, maxLength: 8 }),
        async (level, fates, asks) => {
          const sameStep = asks.map((one) => ({ ...one, step: 1 }));
          const { acted, entries } = await play(level, fates, sameStep, 'deploy --now');
          expect(acted()).toBeLessThanOrEqual(1);
          const [entry] = entries;
          if (entry?.state === 'RECONCILED_ABSENT') expect(acted()).toBe(0);
          if (entry?.state === 'COMMITTED' || entry?.state === 'RECONCILED_COMMITTED') expect(acted()).toBe(1);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('takes place at most once a step when two steps ask for it, and never while an open one is undecided', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fate, { maxLength: 6 }),
        fc.array(ask, { minLength: 1, maxLength: 8 }),
        async (fates, asks) => {
          const { acted, entries } = await play('R2', fates, asks, 'deploy --now');
          expect(acted()).toBeLessThanOrEqual(new Set(asks.map((one) => one.step)).size);
          const isOpen = entries.some((entry) => entry.state === 'UNKNOWN' && entry.probe?.kind !== 'same-effect');
          if (isOpen && entries.every((entry) => entry.state === 'UNKNOWN')) expect(acted()).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('never claims more lines than there are when several commands write the same one', async () => {
    const commands = [COMMAND, 'sleep 1 && echo a >> log.txt', 'sleep 2 && echo a >> log.txt'];
    const one = fc.record({ which: fc.nat(2), ask });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fate, { maxLength: 6 }),
        fc.array(one, { minLength: 1, maxLength: 8 }),
        async (fates, asks) => {
          const world = memoryWorld({
            files: { 'log.txt': '' },
            answer: 'deny',
            fate: () => fates.shift() ?? { acts: true, exit: { kind: 'exited', exitCode: 0, signal: null } },
          });
          for (const [
            i,
            {
              which,
              ask: { step, dieAt, isAfter },
            },
          ] of asks.entries()) {
            const process = { ...world.ports, command: world.commands.asProcess(100 + i) };
            const input = commandInput(world, commands[which] ?? COMMAND, { context: { ...context, step } });
            try {
              await world.clock.run(runGuardedCommand(mortal(process, dieAt, isAfter), input));
            } catch (error) {
              if (!(error instanceof Crash)) throw error;
            }
          }
          const lines = world.files.contents.get('log.txt')!.split('\n').length - 1;
          const own = must(await world.store.entries({})).filter((entry) => entry.probe?.kind !== 'same-effect');
          const done = own.filter(({ state }) => state === 'COMMITTED' || state === 'RECONCILED_COMMITTED');
          const open = own.filter(({ state }) => state === 'PREPARED' || state === 'UNKNOWN');
          expect(done.length).toBeLessThanOrEqual(lines);
          expect(lines).toBeLessThanOrEqual(done.length + open.length);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('is done once in the end when nothing crashes any more', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(ask, { maxLength: 6 }), async (asks) => {
        const last = { step: 1, dieAt: 0, isAfter: false };
        const sameStep = [...asks.map((one) => ({ ...one, step: 1 })), last];
        const { world, outcomes } = await play('R2', [], sameStep, COMMAND);
        expect(outcomes.at(-1)?.result).toBe('done');
        expect(world.files.contents.get('log.txt')).toBe('a\n');
      }),
      { numRuns: 100 },
    );
  });
});

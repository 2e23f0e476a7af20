import { describe, expect, it } from 'vitest';
import type { EntryState } from '../../../src/core/ledger/entry.ts';
import { runGuardedCommand } from '../../../src/engine/guardedCommand.ts';
import type { StoreFault } from '../../../src/engine/ports.ts';
import { must } from '../../support/memoryEntries.ts';
import type { Fate } from '../../support/memoryCommands.ts';
import { assessed, commandInput, context, memoryWorld } from '../../support/memoryWorld.ts';
import type { MemoryWorld } from '../../support/memoryWorld.ts';

const APPEND = 'echo a >> log.txt';
const exited = (exitCode: number, acts = true): Fate => ({ acts, exit: { kind: 'exited', exitCode, signal: null } });
const timedOut = (acts: boolean): Fate => ({ acts, exit: { kind: 'killed', because: 'timeout' } });

/** Fates for the runs of a world, in order. */
function fates(...list: Fate[]): () => Fate {
  return () => list.shift() ?? exited(0);
}

/** States the entries of a world went through, in order. */
function statesOf(world: MemoryWorld): readonly EntryState[] {
  return world.events.flatMap((event) => (event.type === 'effect-changed' ? [event.to] : []));
}

function brokenStore(world: MemoryWorld, fault: StoreFault): MemoryWorld['ports'] {
  const failing = () => Promise.resolve({ ok: false, error: fault } as const);
  return { ...world.ports, store: { ...world.store, write: failing, entry: failing, entries: failing } };
}

describe('a guarded command', () => {
  it('runs once, is COMMITTED with its output, and is not run again', async () => {
    const world = memoryWorld({ fate: () => ({ ...exited(0), stdout: 'hello\n' }) });
    const first = await runGuardedCommand(world.ports, commandInput(world, APPEND));
    expect(first).toMatchObject({
      state: 'COMMITTED',
      result: 'done',
      ran: true,
      exitCode: 0,
      stdout: 'hello\n',
      isError: false,
    });
    const second = await runGuardedCommand(world.ports, commandInput(world, APPEND));
    expect(second).toMatchObject({
      key: first.key,
      state: 'COMMITTED',
      ran: false,
      exitCode: 0,
      stdout: 'hello\n',
      isError: false,
    });
    expect(second.text).toContain('not run again');
    expect(world.files.contents.get('log.txt')).toBe('a\n');
    expect(statesOf(world)).toEqual(['PREPARED', 'COMMITTED']);
  });

  it('has PREPARED stored, with owner, child and baseline, before the gate opens', async () => {
    const world = memoryWorld({ files: { 'log.txt': 'x\n' } });
    const open: unknown[] = [];
    const fate = async (): Promise<void> => {
      open.push(...must(await world.store.entries({ state: 'PREPARED' })));
    };
    const { command } = world.ports;
    const watching = {
      ...command,
      hold: async (...args: Parameters<typeof command.hold>) => {
        const held = must(await command.hold(...args));
        const release: typeof held.release = async (...rest) => {
          await fate();
          return held.release(...rest);
        };
        return { ok: true, value: { ...held, release } } as const;
      },
    };
    await runGuardedCommand({ ...world.ports, command: watching }, commandInput(world, APPEND));
    expect(open).toMatchObject([
      {
        owner: { pid: 1, childPid: 1000 },
        probe: { kind: 'append', data: { workspace: '/repo', path: 'log.txt', sizeBytes: 2, tail: { sizeBytes: 2 } } },
      },
    ]);
  });

  it('calls a failed R0 or R1 FAILED and may run it again', async () => {
    const world = memoryWorld({ fate: fates(exited(1, false), exited(0)) });
    const input = commandInput(world, APPEND, { assessment: assessed('R1') });
    expect(await runGuardedCommand(world.ports, input)).toMatchObject({ state: 'FAILED', exitCode: 1, isError: true });
    expect(await runGuardedCommand(world.ports, input)).toMatchObject({ state: 'COMMITTED', ran: true });
    expect(statesOf(world)).toEqual(['PREPARED', 'FAILED', 'PREPARED', 'COMMITTED']);
  });

  it.each([
    { what: 'did nothing', fate: timedOut(false), state: 'RECONCILED_ABSENT', lines: 'a\n' },
    { what: 'did it all', fate: timedOut(true), state: 'RECONCILED_COMMITTED', lines: 'a\n' },
    { what: 'failed after it was done', fate: exited(3, true), state: 'RECONCILED_COMMITTED', lines: 'a\n' },
  ])('lets the probe decide about an R2 that $what, and ends with the effect once', async ({ fate, state, lines }) => {
    const world = memoryWorld({ files: { 'log.txt': '' }, fate: fates(fate) });
    expect(await runGuardedCommand(world.ports, commandInput(world, APPEND))).toMatchObject({ state, ran: true });
    const again = await runGuardedCommand(world.ports, commandInput(world, APPEND));
    expect(again.result).toBe('done');
    expect(world.files.contents.get('log.txt')).toBe(lines);
  });

  it('does not take the line of another step for its own, and says whose it may be', async () => {
    const world = memoryWorld({ files: { 'log.txt': '' }, fate: fates(timedOut(false), exited(0)) });
    world.commands.say({ kind: 'running', detail: 'its process is running' });
    const slow = commandInput(world, 'sleep 4 && echo same >> log.txt');
    expect(await world.clock.run(runGuardedCommand(world.ports, slow))).toMatchObject({ state: 'UNKNOWN' });
    world.commands.say(null);
    const quick = commandInput(world, 'echo same >> log.txt', { context: { ...context, step: 2 } });
    expect(await runGuardedCommand(world.ports, quick)).toMatchObject({ state: 'COMMITTED', ran: true });
    const again = await runGuardedCommand(world.ports, slow);
    expect(again).toMatchObject({ state: 'UNKNOWN', ran: false, isError: true });
    expect(world.files.contents.get('log.txt')).toBe('same\n');
  });

  it('credits neither of two open steps with one line that both would have written', async () => {
    const world = memoryWorld({ files: { 'log.txt': '' }, fate: fates(timedOut(false), timedOut(true)) });
    const first = commandInput(world, 'sleep 4 && echo same >> log.txt');
    const second = commandInput(world, 'echo same >> log.txt', { context: { ...context, step: 2 } });
    world.commands.say({ kind: 'running', detail: 'its process is running' });
    await world.clock.run(runGuardedCommand(world.ports, first));
    await world.clock.run(runGuardedCommand(world.ports, second));
    world.commands.say(null);
    for (const input of [first, second, first]) {
      expect(await runGuardedCommand(world.ports, input)).toMatchObject({ state: 'UNKNOWN', ran: false });
    }
  });

  it('tells in its evidence that the other parts of a probed command may not have run', async () => {
    const world = memoryWorld({ files: { 'log.txt': '' }, fate: fates(timedOut(true)) });
    const outcome = await runGuardedCommand(world.ports, commandInput(world, 'sleep 1 && echo a >> log.txt'));
    expect(outcome).toMatchObject({ state: 'RECONCILED_COMMITTED' });
    expect(outcome.reason).toContain('other parts');
  });

  it('belongs to its folder: the same words elsewhere are another action', async () => {
    const world = memoryWorld();
    const first = await runGuardedCommand(world.ports, commandInput(world, APPEND));
    const inside = await runGuardedCommand(world.ports, commandInput(world, APPEND, { cwd: '/repo/sub' }));
    expect([first.ran, inside.ran, inside.key === first.key]).toEqual([true, true, false]);
  });

  it('does not take the same words with another secret for the same effect', async () => {
    const world = memoryWorld({ fate: fates(timedOut(true)) });
    const input = (secret: string, step: number) =>
      commandInput(world, `set-user password=${secret}`, { context: { ...context, step } });
    await runGuardedCommand(world.ports, input('hunter2-old', 1));
    expect(await runGuardedCommand(world.ports, input('hunter2-new', 2))).toMatchObject({ ran: true });
    expect(await runGuardedCommand(world.ports, input('hunter2-old', 3))).toMatchObject({ ran: false });
  });

  it("gives a commit a name in git's log by which its probe knows it again", async () => {
    const world = memoryWorld();
    const environments: unknown[] = [];
    const { command } = world.ports;
    const watching: typeof command = {
      ...command,
      hold: (gated) => {
        environments.push(gated.env.GIT_REFLOG_ACTION);
        return command.hold(gated);
      },
    };
    const ports = { ...world.ports, command: watching };
    const { key } = await runGuardedCommand(ports, commandInput(world, 'git commit -m x'));
    await runGuardedCommand(ports, commandInput(world, APPEND));
    const own = { GIT_REFLOG_ACTION: 'mine' };
    await runGuardedCommand(ports, commandInput(world, 'git commit -m y', { env: own }));
    expect(environments).toEqual([`commit (belay ${key.slice(0, 16)})`, undefined, 'mine']);
  });

  it('keeps an R2 without a probe UNKNOWN, tells so, and does not run it again', async () => {
    const world = memoryWorld({ fate: fates(timedOut(true)) });
    const first = await runGuardedCommand(world.ports, commandInput(world, 'deploy --now'));
    expect(first).toMatchObject({ state: 'UNKNOWN', result: 'unknown', exitCode: null, isError: true });
    expect(first.text).toContain('may have happened');
    const second = await runGuardedCommand(world.ports, commandInput(world, 'deploy --now'));
    expect(second).toMatchObject({ state: 'UNKNOWN', ran: false });
    expect(second.text).toContain('belay ledger reconcile');
    expect(world.commands.released).toHaveLength(1);
  });

  it('matches an open UNKNOWN of the same tool and arguments in another step, and both keys stay closed', async () => {
    const world = memoryWorld({ fate: fates(timedOut(true)) });
    const input = (step: number) => commandInput(world, 'deploy --now', { context: { ...context, step } });
    const first = await runGuardedCommand(world.ports, input(1));
    const other = await runGuardedCommand(world.ports, input(2));
    expect(other).toMatchObject({ state: 'UNKNOWN', ran: false });
    expect(other.key).not.toBe(first.key);
    const evidence = { source: 'person', detail: 'seen on the server' };
    const entry = must(await world.store.entry(first.key))!;
    must(
      await world.store.write({
        changes: [{ key: first.key, to: 'RECONCILED_COMMITTED', evidence, atMs: 1, fence: entry.fence }],
      }),
    );
    expect(await runGuardedCommand(world.ports, input(2))).toMatchObject({
      state: 'RECONCILED_COMMITTED',
      ran: false,
      result: 'done',
    });
    expect(await runGuardedCommand(world.ports, input(1))).toMatchObject({ ran: false, result: 'done' });
    expect(world.commands.released).toHaveLength(1);
  });

  it('runs an absent effect that a later step asks for under its first key, so that neither step repeats it', async () => {
    const world = memoryWorld({ files: { 'log.txt': '' }, fate: fates(timedOut(false), exited(0)) });
    world.commands.say({ kind: 'running', detail: 'its process is running' });
    const input = (step: number) => commandInput(world, APPEND, { context: { ...context, step } });
    const first = await world.clock.run(runGuardedCommand(world.ports, input(1)));
    expect(first.state).toBe('UNKNOWN');
    const waiting = await world.clock.run(runGuardedCommand(world.ports, input(2)));
    expect(waiting).toMatchObject({ ran: false, result: 'unknown' });
    world.commands.say(null);
    expect(await runGuardedCommand(world.ports, input(2))).toMatchObject({ ran: true, state: 'COMMITTED' });
    expect(await runGuardedCommand(world.ports, input(1))).toMatchObject({ ran: false, state: 'COMMITTED' });
    expect(await runGuardedCommand(world.ports, input(2))).toMatchObject({ ran: false, state: 'COMMITTED' });
    expect(world.files.contents.get('log.txt')).toBe('a\n');
  });

  it('waits for a run that is going on, then refuses without running it', async () => {
    const world = memoryWorld({ fate: fates(timedOut(true)) });
    world.commands.say({ kind: 'running', detail: 'process 12 is running' });
    await world.clock.run(runGuardedCommand(world.ports, commandInput(world, 'deploy')));
    const before = world.clock.nowMs();
    const second = await world.clock.run(runGuardedCommand(world.ports, commandInput(world, 'deploy')));
    expect(second).toMatchObject({ ran: false, result: 'unknown' });
    expect(world.clock.nowMs() - before).toBeGreaterThanOrEqual(5000);
    expect(world.commands.released).toHaveLength(1);
  });

  it('never runs an R3 again by itself, even when it is known to be absent; a person may have it run', async () => {
    for (const answer of ['deny', 'allow'] as const) {
      const world = memoryWorld({ files: { 'log.txt': '' }, fate: fates(timedOut(false)), answer });
      const input = commandInput(world, APPEND, { assessment: assessed('R3') });
      expect(await runGuardedCommand(world.ports, input)).toMatchObject({ state: 'RECONCILED_ABSENT' });
      expect(world.questions).toHaveLength(0);
      const again = await runGuardedCommand(world.ports, input);
      expect(world.questions).toHaveLength(1);
      expect(again.ran).toBe(answer === 'allow');
      expect(world.files.contents.get('log.txt')).toBe(answer === 'allow' ? 'a\n' : '');
    }
  });

  it('refuses what the policy denies, without an entry', async () => {
    const world = memoryWorld();
    const input = commandInput(world, APPEND, { judgement: { verdict: 'deny', reasons: ['deletes files'] } });
    expect(await runGuardedCommand(world.ports, input)).toMatchObject({ state: null, ran: false, result: 'refused' });
    expect(must(await world.store.entries({}))).toEqual([]);
    expect(world.events.map((event) => event.type)).toEqual(['command-assessed']);
  });

  it('asks a person where the policy says so, once, and not for what is done already', async () => {
    const world = memoryWorld();
    const input = commandInput(world, APPEND, { judgement: { verdict: 'ask' } });
    expect(await runGuardedCommand(world.ports, input)).toMatchObject({ ran: true, state: 'COMMITTED' });
    expect(await runGuardedCommand(world.ports, input)).toMatchObject({ ran: false, state: 'COMMITTED' });
    expect(world.questions).toHaveLength(1);
    const types = world.events.map((event) => event.type);
    expect(types.slice(0, 3)).toEqual(['command-assessed', 'question-asked', 'question-answered']);
  });

  it('takes an aborted question for a no', async () => {
    const world = memoryWorld();
    const abort = new AbortController();
    const approval = {
      ask: () => {
        abort.abort();
        return Promise.reject(new Error('aborted'));
      },
    };
    const input = commandInput(world, APPEND, { judgement: { verdict: 'ask' }, signal: abort.signal });
    const outcome = await runGuardedCommand({ ...world.ports, approval }, input);
    expect(outcome).toMatchObject({ result: 'refused', ran: false });
    expect(world.commands.released).toEqual([]);
  });

  it('fails closed for a write when the ledger cannot be written and nobody allows it, and ends the waiting child', async () => {
    const world = memoryWorld({ answer: 'deny' });
    const fault: StoreFault = { kind: 'full', message: 'The ledger /x/ledger.db cannot grow.' };
    const full = () => Promise.resolve({ ok: false, error: fault } as const);
    const ports = { ...world.ports, store: { ...world.store, write: full } };
    const outcome = await runGuardedCommand(ports, commandInput(world, APPEND, { assessment: assessed('R1') }));
    expect(outcome).toMatchObject({ result: 'refused', ran: false, state: null });
    expect(outcome.reason).toContain('/x/ledger.db cannot grow');
    expect(world.commands.released).toEqual([]);
    expect(world.commands.heldCount()).toBe(0);
  });

  it('runs a read without the ledger and says so', async () => {
    const world = memoryWorld({ fate: () => ({ ...exited(0, false), stdout: 'file\n' }) });
    const ports = brokenStore(world, { kind: 'locked', message: 'The ledger is locked.' });
    const outcome = await runGuardedCommand(ports, commandInput(world, 'ls', { assessment: assessed('R0') }));
    expect(outcome).toMatchObject({ result: 'done', ran: true, state: null, stdout: 'file\n' });
    expect(outcome.reason).toContain('without the ledger');
    expect(world.events.some((event) => event.type === 'notice')).toBe(true);
  });

  it('says that it ran when its end could not be stored, and looks before it would run again', async () => {
    const world = memoryWorld({ files: { 'log.txt': '' } });
    let writes = 0;
    const fault: StoreFault = { kind: 'full', message: 'The disk is full.' };
    const store: typeof world.store = {
      ...world.store,
      write: (transaction) =>
        ++writes > 1 ? Promise.resolve({ ok: false, error: fault }) : world.store.write(transaction),
    };
    const outcome = await runGuardedCommand({ ...world.ports, store }, commandInput(world, APPEND));
    expect(outcome).toMatchObject({ ran: true, exitCode: 0, state: 'PREPARED', isError: true });
    expect(outcome.reason).toContain('It ran (exit code 0)');
    const again = await runGuardedCommand(world.ports, commandInput(world, APPEND));
    expect(again).toMatchObject({ ran: false, state: 'COMMITTED' });
    expect(world.files.contents.get('log.txt')).toBe('a\n');
  });

  it('runs once when two processes ask at the same moment', async () => {
    const world = memoryWorld();
    const second = { ...world.ports, command: world.commands.asProcess(2) };
    const outcomes = await world.clock.run(
      Promise.all([
        runGuardedCommand(world.ports, commandInput(world, APPEND)),
        runGuardedCommand(second, commandInput(world, APPEND)),
      ]),
    );
    expect(world.files.contents.get('log.txt')).toBe('a\n');
    expect(outcomes.filter((outcome) => outcome.ran)).toHaveLength(1);
    expect(world.commands.heldCount()).toBe(0);
  });

  it('tells different tool calls of one step apart by their ids', async () => {
    const world = memoryWorld();
    await runGuardedCommand(world.ports, commandInput(world, APPEND, { toolCall: 'call-1' }));
    await runGuardedCommand(world.ports, commandInput(world, APPEND, { toolCall: 'call-2' }));
    expect(world.files.contents.get('log.txt')).toBe('a\na\n');
  });

  it('keeps secrets out of the ledger, the events and the stored output', async () => {
    const secret = 'sk-abcdefghijklmnopqrstuvwx';
    const world = memoryWorld({ fate: () => ({ ...exited(0), stdout: `used ${secret}\n` }) });
    const outcome = await runGuardedCommand(world.ports, commandInput(world, `deploy --key ${secret}`));
    const stored = JSON.stringify([
      must(await world.store.entries({})),
      must(await world.store.history(outcome.key)),
      world.events,
    ]);
    expect(stored).not.toContain(secret);
    expect(stored).toContain('[secret]');
  });
});

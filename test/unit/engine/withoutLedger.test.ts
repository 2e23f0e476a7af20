// A ledger that is locked, full, damaged or read-only: reads go on and say so, writes stop and ask, each time anew.
import { describe, expect, it } from 'vitest';
import { applyGuardedEdit } from '../../../src/engine/guardedEdit.ts';
import { runGuardedCommand } from '../../../src/engine/guardedCommand.ts';
import type { EffectPorts } from '../../../src/engine/effectEntry.ts';
import type { Answer, StoreFault } from '../../../src/engine/ports.ts';
import { must } from '../../support/memoryEntries.ts';
import { assessed, commandInput, context, editInput, memoryWorld } from '../../support/memoryWorld.ts';
import type { MemoryWorld } from '../../support/memoryWorld.ts';

const APPEND = 'echo a >> log.txt';
const KINDS: readonly StoreFault['kind'][] = ['locked', 'full', 'corrupt', 'read-only'];
const faultOf = (kind: StoreFault['kind']): StoreFault => ({
  kind,
  message: `The ledger /x/belay.db is ${kind}. Mend it.`,
});

/** Ports whose ledger fails at writes, and at reads too where it is damaged. */
function troubled(world: MemoryWorld, kind: StoreFault['kind']): EffectPorts {
  const fail = () => Promise.resolve({ ok: false, error: faultOf(kind) } as const);
  const reads = kind === 'corrupt' ? { entry: fail, entries: fail } : {};
  return { ...world.ports, store: { ...world.store, write: fail, lease: fail, ...reads } };
}

const isQuestion = ({ kind }: { readonly kind: string }): boolean => kind === 'ledger-trouble';

describe('a write without a usable ledger', () => {
  it.each(KINDS)(
    'asks with the fault and its remedy, and runs a command once where that is allowed: %s',
    async (kind) => {
      const world = memoryWorld({ files: { 'log.txt': '' } });
      const ports = troubled(world, kind);
      const outcome = await runGuardedCommand(ports, commandInput(world, APPEND));
      expect(world.questions).toMatchObject([{ kind: 'ledger-trouble', title: APPEND, level: 'R2' }]);
      expect(world.questions[0]?.reasons.slice(0, 2)).toEqual([
        faultOf(kind).message,
        expect.stringContaining('neither tell later whether this was done nor keep it from being done twice'),
      ]);
      expect(outcome).toMatchObject({ result: 'done', ran: true, state: null, exitCode: 0, isError: false });
      expect(outcome.text).toContain('not recorded in the ledger');
      expect(outcome.text).toContain('Mend it.');
      expect(world.events).toContainEqual(expect.objectContaining({ type: 'notice', severity: 'warning' }));
      expect(world.files.contents.get('log.txt')).toBe('a\n');
      expect(must(await world.store.entries({}))).toEqual([]);
      // Nothing is remembered: the next one asks again.
      await runGuardedCommand(ports, commandInput(world, APPEND));
      expect(world.questions.filter(isQuestion)).toHaveLength(2);
      expect(world.commands.heldCount()).toBe(0);
    },
  );

  it.each(KINDS)('makes an edit once where that is allowed, with what the file held kept: %s', async (kind) => {
    const world = memoryWorld({ files: { 'a.txt': 'one\ntwo\n' } });
    const saved: string[] = [];
    const ports = troubled(world, kind);
    const files: typeof ports.files = {
      ...ports.files,
      saveBefore: (path) => {
        saved.push(`${path}: ${world.files.contents.get(path) ?? ''}`);
        return ports.files.saveBefore(path);
      },
    };
    const outcome = await applyGuardedEdit({ ...ports, files }, editInput(world, 'a.txt', 'two', '2'));
    expect(world.questions).toMatchObject([{ kind: 'ledger-trouble', targets: ['a.txt'] }]);
    expect(outcome).toMatchObject({ result: 'done', ran: true, state: null, isError: false });
    expect(outcome.text).toContain('not recorded in the ledger');
    expect(saved).toContain('a.txt: one\ntwo\n');
    expect(world.files.contents.get('a.txt')).toBe('one\n2\n');
  });

  it('makes an allowed edit although what the file holds cannot be kept, and says that', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'one\n' } });
    const ports = troubled(world, 'corrupt');
    const files: typeof ports.files = {
      ...ports.files,
      saveBefore: () => Promise.resolve({ ok: false, error: 'The disk is full.' }),
    };
    const outcome = await applyGuardedEdit({ ...ports, files }, editInput(world, 'a.txt', 'one', '1'));
    expect(outcome).toMatchObject({ result: 'done', ran: true });
    expect(outcome.text).toContain('what a.txt holds now could not be kept for undo. The disk is full.');
    expect(world.files.contents.get('a.txt')).toBe('1\n');
  });

  it('does nothing and asks nobody for an edit that cannot be made or is made already', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'one\n' } });
    const ports = troubled(world, 'corrupt');
    const failed = await applyGuardedEdit(ports, editInput(world, 'a.txt', 'absent', '1'));
    expect(failed).toMatchObject({ result: 'failed', ran: false });
    const needless = await applyGuardedEdit(ports, editInput(world, 'a.txt', 'zero', 'one'));
    expect(needless).toMatchObject({ ran: false });
    expect(world.questions).toEqual([]);
  });

  it('is refused with the fault where a person says no', async () => {
    const world = memoryWorld({ files: { 'a.txt': 'one\n' }, answer: 'deny' });
    const ports = troubled(world, 'locked');
    const command = await runGuardedCommand(ports, commandInput(world, APPEND));
    expect(command).toMatchObject({ result: 'refused', ran: false, state: null });
    expect(command.reason).toContain('is locked. Mend it. It was not done without the ledger: Ada said no.');
    const edit = await applyGuardedEdit(ports, editInput(world, 'a.txt', 'one', '1'));
    expect(edit).toMatchObject({ result: 'refused', ran: false });
    expect(edit.text).toContain('is locked. Mend it.');
    expect(world.files.contents.get('a.txt')).toBe('one\n');
    expect(world.commands.released).toEqual([]);
  });

  it('takes a cancelled question for a no, also where the answer was an allow that came too late', async () => {
    for (const isLate of [false, true]) {
      const world = memoryWorld();
      const abort = new AbortController();
      const allow: Answer = { choice: 'allow', note: '', by: 'Ada' };
      const approval = {
        ask: (): Promise<Answer> => {
          abort.abort();
          return isLate ? Promise.resolve(allow) : Promise.reject(new Error('aborted'));
        },
      };
      const ports = { ...troubled(world, 'full'), approval };
      const outcome = await runGuardedCommand(ports, commandInput(world, APPEND, { signal: abort.signal }));
      expect(outcome).toMatchObject({ result: 'refused', ran: false });
      expect(outcome.reason).toContain('cancelled');
      expect(world.commands.released).toEqual([]);
    }
  });

  it('lets the policy deny first', async () => {
    const world = memoryWorld();
    const judgement = { verdict: 'deny', reasons: ['never here'] } as const;
    const outcome = await runGuardedCommand(troubled(world, 'corrupt'), commandInput(world, APPEND, { judgement }));
    expect(outcome).toMatchObject({ result: 'refused', ran: false });
    expect(world.questions).toEqual([]);
  });

  it('asks one question where the policy wants one, too, and the ledger cannot even be read', async () => {
    const world = memoryWorld();
    const input = commandInput(world, APPEND, { judgement: { verdict: 'ask' }, assessment: assessed('R3') });
    await runGuardedCommand(troubled(world, 'corrupt'), input);
    expect(world.questions).toMatchObject([{ kind: 'ledger-trouble', level: 'R3' }]);
    expect(world.questions[0]?.reasons).toContain('it is R3');
  });

  it('runs a read without asking, but asks where the policy does', async () => {
    const world = memoryWorld();
    const read = { assessment: assessed('R0') };
    const outcome = await runGuardedCommand(troubled(world, 'corrupt'), commandInput(world, 'ls', read));
    expect(outcome).toMatchObject({ result: 'done', ran: true });
    expect(world.questions).toEqual([]);
    const asked = commandInput(world, 'ls', { ...read, judgement: { verdict: 'ask' } });
    expect(await runGuardedCommand(troubled(world, 'corrupt'), asked)).toMatchObject({ ran: true });
    expect(world.questions).toMatchObject([{ kind: 'ledger-trouble' }]);
  });

  it.each([
    { what: 'of the same key', step: 1 },
    { what: 'of another step', step: 2 },
  ])('never asks where an open entry $what says that it may have happened', async ({ step }) => {
    const fate = () => ({ acts: true, exit: { kind: 'killed', because: 'timeout' } as const });
    const world = memoryWorld({ fate });
    world.commands.say({ kind: 'running', detail: 'its process is running' });
    const opaque = commandInput(world, 'deploy --now', { assessment: assessed('R3') });
    expect(await world.clock.run(runGuardedCommand(world.ports, opaque))).toMatchObject({ state: 'UNKNOWN' });
    world.commands.say(null);
    const again = { ...opaque, context: { ...context, step } };
    const outcome = await world.clock.run(runGuardedCommand(troubled(world, 'locked'), again));
    expect(outcome).toMatchObject({ result: 'refused', ran: false });
    expect(outcome.reason).toContain('may have happened');
    expect(world.questions).toEqual([]);
    expect(world.commands.released).toHaveLength(1);
  });

  it('counts marks of the gate that cannot be written as trouble of the ledger, and runs without them', async () => {
    const world = memoryWorld({ files: { 'log.txt': '' } });
    const { command } = world.ports;
    const held: (boolean | undefined)[] = [];
    const hold: typeof command.hold = (gated) => {
      held.push(gated.isUnrecorded);
      if (gated.isUnrecorded === true) return command.hold(gated);
      return Promise.resolve({ ok: false, error: 'full', fault: faultOf('full') });
    };
    const ports = { ...world.ports, command: { ...command, hold } };
    expect(await runGuardedCommand(ports, commandInput(world, APPEND))).toMatchObject({ ran: true, state: null });
    expect(held).toEqual([false, true]);
    expect(world.questions).toMatchObject([{ kind: 'ledger-trouble' }]);
    const read = await runGuardedCommand(ports, commandInput(world, 'ls', { assessment: assessed('R0') }));
    expect(read).toMatchObject({ ran: true, state: null });
    expect(world.questions).toHaveLength(1);
  });
});

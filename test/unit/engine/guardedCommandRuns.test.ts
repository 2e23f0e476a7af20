// What a guarded command tells of its run beyond its exit: questions, processes left running, files it changed.
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/core/ledger/key.ts';
import { runGuardedCommand } from '../../../src/engine/guardedCommand.ts';
import { must } from '../../support/memoryEntries.ts';
import type { Fate } from '../../support/memoryCommands.ts';
import { assessed, commandInput, memoryWorld } from '../../support/memoryWorld.ts';

const APPEND = 'echo a >> log.txt';
const exited = (exitCode: number, acts = true): Fate => ({ acts, exit: { kind: 'exited', exitCode, signal: null } });
const timedOut = (acts: boolean): Fate => ({ acts, exit: { kind: 'killed', because: 'timeout' } });

/** Fates for the runs of a world, in order. */
function fates(...list: Fate[]): () => Fate {
  return () => list.shift() ?? exited(0);
}

describe('the run of a guarded command', () => {
  it('tells what was left running, in its evidence too, and does not run it again while that lives', async () => {
    const background = [{ pid: 77, command: 'node server.js --token=abc123def' }];
    const world = memoryWorld({ fate: fates({ ...exited(1, false), background }, exited(0)) });
    const input = commandInput(world, 'npm start &', { assessment: assessed('R1') });
    const first = await runGuardedCommand(world.ports, input);
    expect(first).toMatchObject({
      state: 'FAILED',
      background: [{ pid: 77, command: 'node server.js --token=[secret]' }],
    });
    expect(first.text).toContain('left running: process 77 (node server.js --token=[secret])');
    expect(first.text).toContain('kill 77');
    const entry = must(await world.store.entry(first.key));
    expect(entry?.evidence?.detail).toContain('left running: process 77');
    expect(JSON.stringify([entry, world.events])).not.toContain('abc123def');
    const again = await runGuardedCommand(world.ports, input);
    expect(again).toMatchObject({ ran: false, result: 'refused' });
    expect(again.reason).toContain('still alive');
    expect(world.commands.released).toHaveLength(1);
    world.commands.say({ kind: 'exited', exitCode: 1 });
    expect(await runGuardedCommand(world.ports, input)).toMatchObject({ ran: true, state: 'COMMITTED' });
  });

  it('tells which question stopped a command, how to go on without a person, and nothing false', async () => {
    const exit = { kind: 'killed', because: 'prompt' } as const;
    const world = memoryWorld({ fate: () => ({ acts: false, exit, prompt: 'Continue? [y/N]' }) });
    const outcome = await runGuardedCommand(world.ports, commandInput(world, 'deploy', { assessment: assessed('R3') }));
    expect(outcome).toMatchObject({ state: 'UNKNOWN', exitCode: null, isError: true, prompt: 'Continue? [y/N]' });
    expect(outcome.text).toContain('it asked "Continue? [y/N]" and got no answer');
    expect(outcome.text).toContain('--yes');
    expect(outcome.text).toContain('may have happened');
    const entry = must(await world.store.entry(outcome.key));
    expect(entry?.evidence?.detail).toContain('stopped while it waited for an answer');
  });

  it('keeps the files its words name before the gate opens, and tells in its evidence what became of them', async () => {
    const world = memoryWorld({ files: { 'log.txt': 'x\n' } });
    const effects = [{ kind: 'append-file', target: '/repo/log.txt' }];
    const outcome = await runGuardedCommand(
      world.ports,
      commandInput(world, APPEND, { assessment: { ...assessed('R2'), effects } }),
    );
    const entry = must(await world.store.entry(outcome.key));
    expect(entry?.evidence?.files).toMatchObject([
      { path: 'log.txt', beforeHash: sha256Hex('x\n'), afterHash: sha256Hex('x\na\n') },
    ]);
    expect(must(await world.files.image(sha256Hex('x\n')))).toEqual(Buffer.from('x\n'));
    const plain = await runGuardedCommand(world.ports, commandInput(world, 'true'));
    expect(must(await world.store.entry(plain.key))?.evidence).not.toHaveProperty('files');
  });

  it('keeps what it changed also where a look afterwards had to decide', async () => {
    const world = memoryWorld({ files: { 'log.txt': 'x\n' }, fate: fates(timedOut(true)) });
    const effects = [{ kind: 'append-file', target: '/repo/log.txt' }];
    const input = commandInput(world, APPEND, { assessment: { ...assessed('R2'), effects } });
    const outcome = await runGuardedCommand(world.ports, input);
    expect(outcome.state).toBe('RECONCILED_COMMITTED');
    expect(must(await world.store.entry(outcome.key))?.evidence?.files).toHaveLength(1);
  });
});

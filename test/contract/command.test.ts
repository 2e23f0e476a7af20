// The command port on real processes: held at the gate, traced after crashes, stopped with their whole group. The same
// promises hold for every kind of gate and process table.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gatedCommands } from '../../src/adapters/process/gatedCommands.ts';
import { processTable } from '../../src/adapters/process/processTable.ts';
import { commandBench, commandKinds, never, PATH, silent } from '../support/commandPorts.ts';
import type { CommandBench } from '../support/commandPorts.ts';
import { must } from '../support/memoryEntries.ts';

describe.each(commandKinds)('gated commands with $kind', ({ options }) => {
  let bench: CommandBench;
  let folder: string;
  beforeEach(() => {
    bench = commandBench(options);
    folder = bench.folder;
  });
  afterEach(() => bench.dispose());
  const hold = (...args: Parameters<CommandBench['command']>) => bench.port.hold(bench.command(...args));
  const trace: CommandBench['port']['trace'] = (entry) => bench.port.trace(entry);
  const entryOf: CommandBench['entryOf'] = (...args) => bench.entryOf(...args);
  const settled: CommandBench['settled'] = (entry) => bench.settled(entry);

  it('runs nothing before the release, and everything after it', async () => {
    const held = must(await hold('echo out; echo err >&2; touch done; exit 3'));
    expect(await trace(await entryOf(held))).toMatchObject({ kind: 'running' });
    expect(existsSync(join(folder, 'done'))).toBe(false);
    const pieces: string[] = [];
    const { exit, output } = await held.release(never, (stream, text) => pieces.push(`${stream}:${text}`));
    expect(exit).toEqual({ kind: 'exited', exitCode: 3, signal: null });
    expect(output).toEqual({ stdout: 'out\n', stderr: 'err\n', stdoutBytes: 4, stderrBytes: 4 });
    expect(pieces.sort()).toEqual(['stderr:err\n', 'stdout:out\n']);
    expect(await trace(await entryOf(held))).toEqual({ kind: 'exited', exitCode: 3 });
    expect(existsSync(join(folder, 'done'))).toBe(true);
  });

  it('ends a discarded child unrun and says that it never started', async () => {
    const held = must(await hold('touch done'));
    await held.discard();
    expect(await trace(await entryOf(held))).toEqual({ kind: 'never-started' });
    expect(existsSync(join(folder, 'done'))).toBe(false);
  });

  it('gives the command its own environment only, the tag, and an empty standard input', async () => {
    process.env.BELAY_TEST_LEAK = 'leaked';
    const held = must(
      await hold('env | grep -v -E "^(_|PWD|SHLVL|OLDPWD)=" | sort; wc -c', { env: { PATH, A: 'b c' } }),
    );
    const { output } = await held.release(never, silent);
    delete process.env.BELAY_TEST_LEAK;
    expect(output.stdout).toBe(`A=b c\nBELAY_ENTRY=k1\nPATH=${PATH}\n0\n`);
  });

  it('passes the words of a command without a shell on as they are', async () => {
    const words = ['printf', '%s|', 'a b', '$HOME', "it's", ''];
    const held = must(await hold('', { shell: 'none', command: words }));
    expect((await held.release(never, silent)).output.stdout).toBe("a b|$HOME|it's||");
  });

  it('kills the whole group at the time limit, also what ignores SIGTERM', async () => {
    const text = `trap '' TERM; (trap '' TERM; echo $BASHPID > child; sleep 60; touch late) & sleep 60; touch late`;
    const held = must(await hold(text, { timeoutMs: 500 }));
    const { exit } = await held.release(never, silent);
    expect(exit).toEqual({ kind: 'killed', because: 'timeout' });
    expect(await settled(await entryOf(held))).toEqual({ kind: 'started' });
    expect(existsSync(join(folder, 'late'))).toBe(false);
  });

  it('stops a cancelled command, and does not start one that was cancelled before its release', async () => {
    const abort = new AbortController();
    const held = must(await hold('echo ready; sleep 60'));
    const { exit, output } = await held.release(abort.signal, () => abort.abort());
    expect(exit).toEqual({ kind: 'killed', because: 'cancelled' });
    expect(output.stdout).toBe('ready\n');
    const second = must(await hold('touch done'));
    expect((await second.release(abort.signal, silent)).exit).toEqual({ kind: 'killed', because: 'cancelled' });
    expect(await settled(await entryOf(second))).toEqual({ kind: 'never-started' });
    expect(existsSync(join(folder, 'done'))).toBe(false);
  });

  it('does not wait for a background process, and finds it afterwards by session or tag', async () => {
    const held = must(await hold('sleep 30 & echo $! > one; setsid sleep 30 & echo $! > two; echo done'));
    const { exit, output } = await held.release(never, silent);
    expect(exit).toMatchObject({ kind: 'exited', exitCode: 0 });
    expect(output.stdout).toBe('done\n');
    const entry = await entryOf(held);
    expect(await trace(entry)).toMatchObject({ kind: 'running' });
    process.kill(Number(readFileSync(join(folder, 'one'), 'utf8')));
    expect(await trace(entry)).toMatchObject({ kind: 'running' });
    process.kill(Number(readFileSync(join(folder, 'two'), 'utf8')));
    expect(await settled(entry)).toEqual({ kind: 'exited', exitCode: 0 });
  });

  it('reports death by a signal', async () => {
    const held = must(await hold('kill -KILL $$'));
    expect((await held.release(never, silent)).exit).toEqual({ kind: 'exited', exitCode: 137, signal: 'SIGKILL' });
  });

  it('is lost when the gate itself is killed, and started is all that is left', async () => {
    const held = must(await hold('echo go; sleep 0.2'));
    const { exit } = await held.release(never, () => process.kill(held.pid, 'SIGKILL'));
    expect(exit).toMatchObject({ kind: 'lost' });
    expect(await settled(await entryOf(held))).toEqual({ kind: 'started' });
  });

  it('believes no marks of another boot and no missing marks of this one', async () => {
    const held = must(await hold('true'));
    await held.release(never, silent);
    expect(await trace(await entryOf(held, { bootId: 'earlier' }))).toEqual({ kind: 'other-boot' });
    rmSync(join(folder, 'marks'), { recursive: true });
    expect(await trace(await entryOf(held))).toEqual({ kind: 'started' });
    expect(await trace({ ...(await entryOf(held)), owner: null })).toEqual({ kind: 'started' });
  });

  it('believes no mark that the command itself wrote, and no removal of its start', async () => {
    const forge = (write: string): string => `mark=$(ls -d marks/*/k1.* | head -n 1); ${write}; kill -KILL $PPID`;
    const forgeries = [
      `printf '0\\n' > "\${mark%.*}.exit"; rm -f "\${mark%.*}.started"`,
      `printf 'exit 0 %032d\\n' 0 > "$mark"`,
      `printf 'held %064d\\n' 0 > "$mark"`,
      `rm "$mark"`,
      `rm "$mark"; mkfifo "$mark"`,
      `env > seen; tr '\\0' '\\n' < /proc/$PPID/cmdline >> seen; ls -l /proc/$PPID/fd /proc/self/fd >> seen`,
    ];
    for (const write of forgeries) {
      const held = must(await hold(forge(write)));
      const { exit } = await held.release(never, silent);
      expect(exit, write).toMatchObject({ kind: 'lost' });
      expect(await settled(await entryOf(held)), write).toEqual({ kind: 'started' });
      rmSync(join(folder, 'marks'), { recursive: true });
      bench.renew();
    }
    const seen = readFileSync(join(folder, 'seen'), 'utf8');
    expect(seen).not.toMatch(/(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/);
  });

  it('believes a true end whatever the command did to the file of the mark, or not at all', async () => {
    const held = must(await hold('rm marks/*/k1.*; exit 3'));
    expect((await held.release(never, silent)).exit).toMatchObject({ kind: 'exited', exitCode: 3 });
    expect(await settled(await entryOf(held))).toEqual({ kind: 'started' });
  });

  it('believes the marks of a run only with the seal that its entry stored', async () => {
    const held = must(await hold('true'));
    await held.release(never, silent);
    const entry = await entryOf(held);
    expect(await trace(entry)).toEqual({ kind: 'exited', exitCode: 0 });
    const [unsealed = ''] = held.pidStartedAt.split('#');
    for (const childStartedAt of [unsealed, `${unsealed}#${'0'.repeat(32)}`]) {
      expect(await trace({ ...entry, owner: { ...entry.owner!, childStartedAt } })).toEqual({ kind: 'started' });
    }
  });

  it('keeps the folder of the marks to its user', async () => {
    await must(await hold('true')).discard();
    const [boot] = readdirSync(join(folder, 'marks'));
    expect(statSync(join(folder, 'marks', boot!)).mode & 0o777).toBe(0o700);
  });

  it('sees a living owner, and does not mistake a reused pid for it', async () => {
    const held = must(await hold('true'));
    await held.discard();
    const other = spawn('sleep', ['30'], { stdio: 'ignore' });
    const started = (await (options.table ?? processTable()).startedAt(other.pid!))!;
    const owner = { pid: other.pid!, pidStartedAt: started };
    expect(await trace(await entryOf(held, owner))).toMatchObject({ kind: 'running' });
    expect(await trace(await entryOf(held, { ...owner, pidStartedAt: '1' }))).toEqual({ kind: 'never-started' });
    other.kill();
  });

  it('keeps attempts at one key apart', async () => {
    const first = must(await hold('true'));
    await first.release(never, silent);
    const second = must(await hold('true'));
    await second.discard();
    expect(await trace(await entryOf(first))).toEqual({ kind: 'exited', exitCode: 0 });
    expect(await trace(await entryOf(second))).toEqual({ kind: 'never-started' });
  });

  it('throws away the marks of earlier boots and nothing else', async () => {
    const marks = join(folder, 'marks');
    mkdirSync(join(marks, '0123456789abcdef'), { recursive: true });
    mkdirSync(join(marks, 'mine'));
    await must(await hold('true')).discard();
    expect(readdirSync(marks)).toContain('mine');
    expect(readdirSync(marks)).not.toContain('0123456789abcdef');
  });

  it.each([
    { what: 'a missing folder', more: { cwd: '/nowhere/at/all' }, says: '/nowhere/at/all does not exist' },
    { what: 'a missing shell', more: { env: { PATH: '/nowhere' } }, says: 'bash was not found on PATH' },
    { what: 'missing PowerShell', more: { shell: 'pwsh' as const, env: { PATH: '/nowhere' } }, says: 'pwsh' },
    {
      what: 'a missing program',
      more: { shell: 'none' as const, command: ['no-such-program'] },
      says: 'no-such-program was not found',
    },
    { what: 'no words', more: { shell: 'none' as const, command: [] }, says: 'empty' },
    { what: 'a NUL', more: { command: 'echo \0' }, says: 'NUL' },
    {
      what: 'a command that is too long',
      more: { command: `echo ${'x'.repeat(3_000_000)}` },
      says: 'could not be started',
    },
  ])('refuses $what in words', async ({ more, says }) => {
    const refused = await hold('echo hi', more);
    expect(refused).toMatchObject({ ok: false });
    expect(!refused.ok && refused.error).toContain(says);
    expect(!refused.ok && refused.error).not.toMatch(/\n\s+at /);
  });

  it('refuses when the marks cannot be written, with nothing run', async () => {
    writeFileSync(join(folder, 'file'), '');
    const blocked = gatedCommands({ ...options, directory: join(folder, 'file', 'marks') });
    const refused = await blocked.hold(bench.command('touch done'));
    expect(refused).toMatchObject({ ok: false });
    expect(existsSync(join(folder, 'done'))).toBe(false);
  });

  it('captures output up to its limit, with true lengths and whole characters', async () => {
    const held = must(await hold(`for i in $(seq 2000); do printf '€%04d' $i; done`, { outputLimitBytes: 100 }));
    let streamed = '';
    const { output } = await held.release(never, (_, text) => (streamed += text));
    expect(output.stdoutBytes).toBe(14_000);
    expect(streamed).toHaveLength(10_000);
    expect(output.stdout).toMatch(/^€0001€0002.*\n\[13900 of 14000 bytes left out\]\n.*€2000$/s);
    expect(output.stdout).not.toContain('\ufffd');
  });
});

// Runs that behave badly, on real processes: floods and binaries, closed and kept pipes, deaf and stopped programs, questions
// that nobody answers, processes that are left behind.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { linuxTable } from '../../src/adapters/process/linuxTable.ts';
import { commandBench, commandKinds, never, silent } from '../support/commandPorts.ts';
import type { GateTrace } from '../../src/engine/ports.ts';
import type { CommandBench } from '../support/commandPorts.ts';
import { must } from '../support/memoryEntries.ts';

const hasSetsid = spawnSync('sh', ['-c', 'setsid true']).status === 0;

/** The gate was stopped with it, or still wrote down that it died by the signal: neither says that it came to its end. */
function expectStopped(trace: GateTrace): void {
  if (trace.kind === 'exited') expect(trace.exitCode).toBeGreaterThan(128);
  else expect(trace).toEqual({ kind: 'started' });
}

describe.each(commandKinds)('a run with $kind', ({ options }) => {
  let bench: CommandBench;
  beforeEach(() => {
    bench = commandBench(options);
  });
  afterEach(() => bench.dispose());
  const read = (name: string): string => readFileSync(join(bench.folder, name), 'utf8').trim();
  const isAlive = async (pid: string): Promise<boolean> => (await linuxTable().startedAt(Number(pid))) !== null;

  describe('output', () => {
    it('keeps head and tail of a flood, its true length, and not the flood', async () => {
      const held = must(
        await bench.port.hold(
          bench.command('echo first; head -c 60000000 /dev/zero | tr "\\0" "a\\n" | fold -w 79; echo last'),
        ),
      );
      const before = process.memoryUsage().rss;
      let peak = 0;
      const { output } = await held.release(never, () => {
        peak = Math.max(peak, process.memoryUsage().rss);
      });
      expect(output.stdoutBytes).toBeGreaterThan(60_000_000);
      expect(output.stdout.length).toBeLessThan(11_000);
      expect(output.stdout).toMatch(/^first\n[^]*bytes left out\][^]*last\n$/);
      expect(peak - before).toBeLessThan(45_000_000);
    });

    it('tells how much binary output there was instead of showing it', async () => {
      const { output } = await bench.run('head -c 5000 /bin/sh | tail -c 4000; head -c 3000 /dev/urandom >&2');
      expect(output.stderr).toBe('[3000 bytes that are no text, not shown]');
      expect([output.stdoutBytes, output.stderrBytes]).toEqual([4000, 3000]);
      expect(output.stdout).toBe('[4000 bytes that are no text, not shown]');
    });

    it('takes text that is not UTF-8 as far as it can be read', async () => {
      const { output } = await bench.run(String.raw`printf 'Gr\374\337e aus K\366ln\n'`);
      expect(output).toMatchObject({ stdout: 'Gr\ufffd\ufffde aus K\ufffdln\n', stdoutBytes: 15 });
    });

    it('waits for the end of a command that closes its output', async () => {
      const { exit, output } = await bench.run('echo a; exec >&- 2>&-; sleep 0.2; touch done; exit 5');
      expect([exit, output.stdout]).toEqual([{ kind: 'exited', exitCode: 5, signal: null }, 'a\n']);
      expect(existsSync(join(bench.folder, 'done'))).toBe(true);
    });

    it('ends while a grandchild keeps the pipe and prints into it', async () => {
      const startMs = performance.now();
      const { exit, output } = await bench.run('(while :; do echo noise; sleep 0.02; done) & echo $! > pid; echo done');
      expect(performance.now() - startMs).toBeLessThan(5000);
      expect(exit).toMatchObject({ exitCode: 0 });
      expect(output.stdout).toContain('done\n');
      process.kill(Number(read('pid')));
    });
  });

  describe('stopping', () => {
    it.each([
      { what: 'a program that stopped itself', text: 'kill -STOP $$; touch late' },
      { what: 'a child that is stopped', text: 'sleep 60 & kill -STOP $!; wait; touch late' },
      {
        what: 'a program that ignores every signal it can',
        text: "trap '' TERM INT HUP QUIT; while :; do sleep 1; done; touch late",
      },
    ])('ends $what at the time limit', async ({ text }) => {
      const held = must(await bench.port.hold(bench.command(text, { timeoutMs: 400 })));
      const { exit, background } = await held.release(never, silent);
      expect([exit, background]).toEqual([{ kind: 'killed', because: 'timeout' }, undefined]);
      expect(existsSync(join(bench.folder, 'late'))).toBe(false);
      expectStopped(await bench.settled(await bench.entryOf(held)));
    });

    it('wakes a stopped program, so that it can clean up when it is asked to end', async () => {
      await bench.run("trap 'touch cleaned; exit 1' TERM; kill -STOP $$; sleep 5", { timeoutMs: 400 });
      expect(existsSync(join(bench.folder, 'cleaned'))).toBe(true);
    });

    it('does not stop at reading from a terminal that is not there', async () => {
      const { exit } = await bench.run('read -r line < /dev/tty; cat');
      expect(exit).toMatchObject({ kind: 'exited' });
    });

    it('ends a small fork bomb with all its children', async () => {
      const bomb = 'f() { [ $1 -gt 0 ] && { f $(($1 - 1)) & f $(($1 - 1)) & }; sleep 60; }; f 4';
      const held = must(await bench.port.hold(bench.command(bomb, { timeoutMs: 700 })));
      const { exit, background } = await held.release(never, silent);
      expect([exit, background]).toEqual([{ kind: 'killed', because: 'timeout' }, undefined]);
      expectStopped(await bench.settled(await bench.entryOf(held)));
    });

    it.runIf(hasSetsid)('ends also what left the group', async () => {
      const text = `setsid sh -c 'echo $$ > pid; sleep 60' & sleep 60`;
      const { exit } = await bench.run(text, { timeoutMs: 600 });
      expect(exit).toEqual({ kind: 'killed', because: 'timeout' });
      expect(await isAlive(read('pid'))).toBe(false);
    });
  });

  describe('what is left running', () => {
    it('is told with pid and command line, and nothing is told where nothing is', async () => {
      const { background } = await bench.run('sleep 31.5 & echo $! > pid');
      expect(background).toEqual([{ pid: Number(read('pid')), command: 'sleep 31.5' }]);
      process.kill(Number(read('pid')));
      expect(await bench.run('sleep 0.05 & true', { key: 'k2' })).not.toHaveProperty('background');
    });

    it.runIf(hasSetsid).each([
      { what: 'setsid', text: "setsid sh -c 'echo $$ > pid; exec sleep 32.5' > /dev/null 2>&1 &" },
      { what: 'nohup', text: 'nohup sh -c "echo \\$\\$ > pid; exec sleep 32.5" > /dev/null 2>&1 &' },
      { what: 'a double fork', text: "(setsid sh -c '(echo $BASHPID > pid; exec sleep 32.5) &' &) > /dev/null 2>&1" },
    ])('is found by its tag after $what', async ({ text }) => {
      const shell = text.replace('sh -c', 'bash -c');
      const { exit, background } = await bench.run(`${shell}\nwhile [ ! -s pid ]; do sleep 0.02; done; sleep 0.1`);
      expect(exit).toMatchObject({ exitCode: 0 });
      expect(background).toEqual([{ pid: Number(read('pid')), command: 'sleep 32.5' }]);
      process.kill(Number(read('pid')));
    });
  });

  describe('a question', () => {
    it('that is followed by silence ends the run early, and is told', async () => {
      const startMs = performance.now();
      const { exit, prompt } = await bench.run('echo working; printf "Overwrite a.txt? [y/N] "; sleep 60; touch late', {
        promptQuietMs: 300,
      });
      expect(exit).toEqual({ kind: 'killed', because: 'prompt' });
      expect(prompt).toBe('Overwrite a.txt? [y/N]');
      expect(performance.now() - startMs).toBeLessThan(15_000);
      expect(existsSync(join(bench.folder, 'late'))).toBe(false);
    });

    it('that is read at the end of the input is told, and the program ends by itself', async () => {
      const { exit, prompt } = await bench.run('read -p "Continue? [y/N] " answer; echo Aborted.; exit 1');
      expect(exit).toMatchObject({ kind: 'exited', exitCode: 1 });
      // bash shows the text of -p to a terminal only.
      expect(prompt).toBeUndefined();
      const printed = await bench.run('printf "Continue? [y/N] "; read -r answer || { echo Aborted.; exit 1; }', {
        key: 'k2',
      });
      expect(printed.prompt).toBe('Continue? [y/N]');
    });

    it('of git is not asked: it says so, and what to do', async () => {
      const { exit, prompt } = await bench.run(
        `printf 'protocol=https\\nhost=example.org\\n\\n' | git credential fill`,
        { env: { PATH: process.env.PATH ?? '', GIT_TERMINAL_PROMPT: '0', HOME: bench.folder } },
      );
      expect(exit).toMatchObject({ kind: 'exited', exitCode: 128 });
      expect(prompt).toContain('could not read Username');
    });

    it('is not seen in a quiet log line, a progress bar, or a question that is answered by more output', async () => {
      const text =
        'printf "Building:"; sleep 0.8; printf "\\rDownload 40%%"; sleep 0.8; printf "\\nContinue? [y/N] "; sleep 0.1; echo; sleep 0.8';
      const { exit, prompt } = await bench.run(text, { promptQuietMs: 300 });
      expect([exit, prompt]).toEqual([{ kind: 'exited', exitCode: 0, signal: null }, undefined]);
    });
  });
});

describe('the marks of a run', () => {
  it('are the same for the gate of Windows, down to the descriptors that the command gets', async () => {
    const [shell, node] = await Promise.all(
      commandKinds.slice(0, 2).map(async ({ options }) => {
        const bench = commandBench(options);
        const { output } = await bench.run('ls /proc/self/fd | grep -v 255; exit 0');
        bench.dispose();
        return output.stdout;
      }),
    );
    expect(node).toBe(shell);
  });

  it('show the command a gate without the settings of the editor that started it', async () => {
    const bench = commandBench({ gate: 'node' });
    const env = { PATH: process.env.PATH ?? '', NODE_OPTIONS: '--require /nowhere/at/all.cjs' };
    const { exit, output } = await bench.run('echo "$NODE_OPTIONS|$ELECTRON_RUN_AS_NODE"', { env });
    expect([exit, output.stdout]).toEqual([
      { kind: 'exited', exitCode: 0, signal: null },
      '--require /nowhere/at/all.cjs|\n',
    ]);
    bench.dispose();
  });

  it('are never written twice: one held command opens one gate', async () => {
    const bench = commandBench();
    const held = must(await bench.port.hold(bench.command('echo x >> runs')));
    await held.release(never, silent);
    await expect(held.release(never, silent)).rejects.toThrow('released once');
    await held.discard();
    expect(execFileSync('cat', [join(bench.folder, 'runs')], { encoding: 'utf8' })).toBe('x\n');
    bench.dispose();
  });
});
